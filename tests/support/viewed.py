"""Tables as a terminal user sees them, for real rooms and for arbitrary boards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from noughts.games import Side
from noughts.protocol.messages import GameInfo
from noughts.protocol.render import game_info, snapshot
from noughts.rooms import (
    Disconnect,
    Event,
    Join,
    Open,
    Options,
    Play,
    Player,
    Resign,
    Room,
    TimeControl,
    evolve,
)
from noughts_client.terminal.table import Table
from support.rooms import decided

FIRST = Player("p-1", "player-1", "human")
SECOND = Player("p-2", "player-2", "human")
COMPUTER = Player("computer:hard", "computer", "computer")
SPECTATOR = "p-9"


def room(
    moves: Iterable[str] = "",
    first: Player | None = FIRST,
    second: Player | None = SECOND,
    game: str = "tictactoe",
    clock: TimeControl | None = None,
    **options: Any,
) -> Room:
    """A room after some moves, all at time 0."""
    result = after(None, Open("room1", game, FIRST.id, first, second, Options(clock=clock, **options)))
    for turn, move in enumerate(moves):
        mover = first if result.to_move is Side.FIRST else second
        assert mover is not None
        result = after(result, Play(mover.id, turn, move))
    return result


def after(before: Room | None, command: Open | Join | Play | Resign | Disconnect | Any, at: int = 0) -> Room:
    """The room after a command at ``at`` ms."""
    event = decided(before, command, at)
    assert isinstance(event, Event)
    return evolve(before, event)


def seen(by: str, what: Room, **fields: Any) -> Table:
    """``what`` as the player with the id ``by`` sees it."""
    shown = snapshot(what, 0, 0)
    return Table(game_info(what.game), by, what.id, what.version, shown["options"], shown["state"], **fields)


def any_game(layout: list[list[str]], rows: list[str], moves: list[str], **state_fields: Any) -> Table:
    """A table of a game that has only a layout, with the sides ``x`` and ``o``."""
    base = seen(FIRST.id, room())
    game: GameInfo = {**base.game, "layout": layout}
    legal = [name for row in layout for name in row]
    fields: Any = {**base.state, "rows": rows, "moves": moves, "legal_moves": legal, **state_fields}
    return Table(game, FIRST.id, "room1", 1, base.options, fields)
