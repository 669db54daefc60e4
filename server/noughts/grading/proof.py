"""Every line of play against a player, until it loses or there is nothing left to try. Does no I/O of its own.

The player is asked once in each position, so what is proved holds for a player whose moves depend on the position
alone. That is checked: it is asked again where other moves lead to the same position, and what it loses, it has to
lose in a game of its own, too.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from noughts.games import Game, Position, Side

Moves = tuple[str, ...]

Ask = Callable[[Moves, Position], Awaitable[Moves]]
"""The moves that a player may play, given the moves of the game so far and the position after them: at least one.

It raises whatever its player's failure is.
"""

CHECKS = 200
"""In how many positions a player is asked again."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of what is tried: the positions in which the player is asked, and the duration in seconds."""

    positions: int = 100_000
    seconds: float = 600


@dataclass(frozen=True, slots=True)
class Twice:
    """Two answers to one position that differ, and the moves that led there."""

    moves: Moves
    answers: tuple[Moves, Moves]
    other_moves: Moves


@dataclass(slots=True)
class Explored:
    """The findings on a player on ``side``.

    ``lines`` counts the different games that end, ``won`` and ``drawn`` those among them; ``asked`` the positions in
    which the player was asked, ``again`` those in which it was asked twice. ``loss`` has the moves of the shortest game
    that it loses. ``stopped`` says which bound ended the search before everything was tried.
    """

    side: Side
    lines: int = 0
    won: int = 0
    drawn: int = 0
    asked: int = 0
    again: int = 0
    loss: Moves | None = None
    stopped: Literal["positions", "time"] | None = None
    differs: Twice | None = None

    @property
    def proved(self) -> bool:
        """True if everything was tried, and the player lost nothing."""
        return self.loss is None and self.stopped is None


@dataclass(slots=True)
class _Reached:
    """The ways to a position: the first way, another one if there is one, and how many ways there are."""

    moves: Moves
    ways: int
    other: Moves | None = None


Answer = tuple[Position, _Reached, Moves]
"""The player's answer in a position."""


def _to_check(known: list[Answer]) -> list[Answer]:
    """At most :data:`CHECKS` of them, spread over the game; first those that other moves lead to."""
    by_other_moves = [each for each in known if each[1].other is not None]
    most = by_other_moves if len(by_other_moves) >= CHECKS else sorted(known, key=lambda each: each[1].other is None)
    return most[:: max(1, len(most) // CHECKS)][:CHECKS]


async def explore(
    game: Game, side: Side, ask: Ask, bounds: Bounds, *, check: bool = True, found: Explored | None = None
) -> Explored:
    """Play all moves of the other side against the player on ``side``, shortest games first.

    It ends at the first loss, which is a shortest one. ``check``: ask again, see the module. ``found`` is filled, for a
    caller that wants to know what was found before an interruption.
    """
    until = time.monotonic() + bounds.seconds
    found = Explored(side) if found is None else found
    answers: list[Answer] = []
    layer: dict[Position, _Reached] = {game.start: _Reached((), 1)}
    while layer:
        below: dict[Position, _Reached] = {}
        for position, reached in layer.items():
            outcome = position.outcome
            if outcome is not None:
                if outcome.winner is side.other:
                    found.loss = reached.moves
                    return found
                found.lines += reached.ways
                if outcome.winner is None:
                    found.drawn += reached.ways
                else:
                    found.won += reached.ways
                continue
            moves = position.legal_moves
            if position.to_move is side:
                if found.asked == bounds.positions or time.monotonic() > until:
                    found.stopped = "positions" if found.asked == bounds.positions else "time"
                    return found
                moves = await ask(reached.moves, position)
                found.asked += 1
                answers.append((position, reached, moves))
            for move in moves:
                _reach(below, position.play(move), (*reached.moves, move), reached.ways)
        layer = below
    if check:
        await _check(found, answers, ask, until)
    return found


def _reach(layer: dict[Position, _Reached], position: Position, moves: Moves, ways: int) -> None:
    known = layer.get(position)
    if known is None:
        layer[position] = _Reached(moves, ways)
        return
    known.ways += ways
    known.other = known.other or moves


async def _check(found: Explored, answers: list[Answer], ask: Ask, until: float) -> None:
    """Ask again, until an answer differs."""
    for position, reached, before in _to_check(answers):
        if time.monotonic() > until:
            return
        moves = reached.other or reached.moves
        now = await ask(moves, position)
        found.again += 1
        if now != before:
            found.differs = Twice(reached.moves, (before, now), moves)
            return
