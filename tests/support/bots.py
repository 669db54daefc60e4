"""States of games for tests of bots."""

from __future__ import annotations

from noughts.games.catalogue import game_named
from noughts_client.state import BotState


def state_after(*moves: str, game: str = "tictactoe", deadline: float | None = None) -> BotState:
    """The state of a room ``r`` after ``moves`` of the game with that name, for the side that is to move."""
    known = game_named(game)
    position = known.start
    for move in moves:
        position = position.play(move)
    assert position.to_move is not None
    state = {
        "status": "playing",
        "turn": len(moves),
        "ply": position.ply,
        "to_move": position.to_move.value,
        "rows": list(position.rows),
        "legal_moves": list(position.legal_moves),
        "moves": list(moves),
        "seats": {"first": None, "second": None},
        "clock": None,
    }
    return BotState(
        state,
        game=known.key,
        setup=dict(known.setup),
        room="r",
        side=position.to_move.value,
        symbol=known.style(position.to_move).symbol,
        deadline=deadline,
    )
