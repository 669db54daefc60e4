"""States of games for tests of bots."""

from __future__ import annotations

from noughts.games import GAMES
from noughts_client.state import BotState


def state_after(*moves: str, game: str = "tictactoe", deadline: float | None = None) -> BotState:
    """The state of a room ``r`` after ``moves``, for the side that is to move."""
    position = GAMES[game].start
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
    symbol = GAMES[game].style(position.to_move).symbol
    return BotState(state, game=game, room="r", side=position.to_move.value, symbol=symbol, deadline=deadline)
