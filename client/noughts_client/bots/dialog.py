"""What the protocols of engines have in common: UCI, GTP and Gomocup. Pure; does no I/O.

A talk is a generator. It yields the lines to send, perhaps none, and gets the engine's next line that is not empty; it
returns what the talk was for. So the protocols know no process, and a test can speak for the engine.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Protocol, TypeVar, cast

from noughts.games import Game
from noughts_client.failure import Kind
from noughts_client.state import BotState

Result = TypeVar("Result")
Talk = Generator[tuple[str, ...], str, Result]

THINK_MS = 1000
"""How long an engine thinks about a move without a clock."""

MARGIN_MS = 100
"""How much of its time an engine is not told about: what it says must still reach the server."""

PASS = "pass"  # noqa: S105 - no password


class EngineError(Exception):
    """The engine does not play on. ``kind`` is that of the failure, and the text one plain sentence."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind: Kind = kind


@dataclass(frozen=True)
class TimeLeft:
    """A side's time for its moves, in ms. ``per_move``: it is for this move alone."""

    mine_ms: int
    other_ms: int
    increment_ms: int = 0
    per_move: bool = False


class Dialog(Protocol):
    """What is said to an engine in one game."""

    goodbye: str
    """The line that ends the engine."""

    def greet(self) -> Talk[None]:
        """Make the engine ready for the game. Raises :class:`EngineError` if it does not know the game."""

    def turn(self, state: BotState, left: TimeLeft | None) -> Talk[tuple[str, str]]:
        """Ask for a move in ``state``. Returns the move, as the game names it but perhaps illegal, and a note.

        ``left`` is None without a clock. Raises :class:`EngineError`.
        """


def time_left(state: BotState, now: float) -> TimeLeft | None:
    """The time of both sides at ``now``, a ``time.monotonic()``; None without a clock."""
    clock = state["clock"]
    if clock is None or state.deadline is None:
        return None
    mine_ms = max(1, int((state.deadline - now) * 1000) - MARGIN_MS)
    other_ms = clock["second_ms" if state.side == "first" else "first_ms"]
    control = cast(dict[str, float], state.control or {})
    increment_ms = round(control.get("increment_s", 0) * 1000)
    return TimeLeft(mine_ms, other_ms, increment_ms, per_move="per_move_s" in control)


def has_cells(game: Game) -> bool:
    """Whether a move of ``game`` is one place of its layout, and not from one cell to another."""
    places = {name for row in game.layout for name in row}
    return places.issuperset(game.start.legal_moves)


def cells(game: Game) -> dict[str, tuple[int, int]] | None:
    """The row from the top and the column of each move; None if moves are not cells of a square board."""
    places = {name: (r, c) for r, row in enumerate(game.layout) for c, name in enumerate(row)}
    square = len(game.layout) == len(game.layout[0]) and len(places) == len(game.layout) ** 2
    return places if square and has_cells(game) else None
