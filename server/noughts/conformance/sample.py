"""A game, and the positions that came up when it was played at random. Pure; does no I/O."""

from __future__ import annotations

import random
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from noughts.conformance.report import Fault
from noughts.games import Game, IllegalMove, MalformedMove, Outcome, Position
from noughts.games.base import Grid

LONGEST = 3000
"""A random game must be over after so many plies, or after ``Game.win`` if that is less."""

SOME = 60
"""In how many positions the checks are made that take long."""

OURS = __file__.removesuffix("sample.py")
"""The directory of the checks, which a traceback of the game does without."""

PROPERTIES = ("text", "rows", "to_move", "legal_moves", "outcome", "ply")


@dataclass(frozen=True, slots=True)
class Seen:
    """A position that came up, the moves that led to it, and the position before the last of them."""

    position: Any
    moves: tuple[str, ...] = ()
    before: Any = None


@dataclass(frozen=True, slots=True)
class Outside:
    """The functions by which the checks see the world.

    ``clock`` tells the processor time in ns. ``draw`` draws a position as clients do. ``compare`` runs
    :func:`compared` in another process.
    """

    clock: Callable[[], int]
    draw: Callable[[Game, Seen], object]
    compare: Callable[[bytes], list[str]]


@dataclass
class Subject:
    """A game, and what came up when it was played. ``at`` is the position that is being checked.

    ``broken`` is what went wrong while it was played, ``endless`` a game that was not over in time. ``times_ns`` are by
    function.
    """

    game: Game
    outside: Outside
    at: Seen
    games: list[list[Seen]] = field(default_factory=list)
    broken: Fault | None = None
    endless: Seen | None = None
    times_ns: dict[str, list[int]] = field(default_factory=dict)

    @property
    def names(self) -> set[str]:
        """The names of all cells, and of the moves that stand in the layout."""
        return names_in(self.game.layout) | names_in(self.game.cells or ())

    def all(self) -> Iterator[Seen]:
        """Every position that came up."""
        return self._each([seen for game in self.games for seen in game])

    def some(self, most: int = SOME) -> Iterator[Seen]:
        """At most so many of them, and in addition the last of each game."""
        everything = [seen for game in self.games for seen in game]
        step = len(everything) // most + 1
        return self._each([*everything[::step], *(game[-1] for game in self.games)])

    def ends(self) -> Iterator[tuple[Seen, Outcome]]:
        """The positions at the end of finished games, with the outcome."""
        for seen in self._each([game[-1] for game in self.games]):
            if seen.position.outcome is not None:
                yield seen, seen.position.outcome

    def _each(self, chosen: Iterable[Seen]) -> Iterator[Seen]:
        for self.at in chosen:
            yield self.at

    def after(self, move: str) -> Any:
        """The position after a legal move in the position that is being checked. Raises Fault."""
        try:
            position = self.at.position.play(move)
        except (MalformedMove, IllegalMove) as error:
            raise self.fault(f"play refuses the legal move {move!r}: {error}") from None
        if missing := [name for name in (*PROPERTIES, "play") if not hasattr(position, name)]:
            raise self.fault(f"play({move!r}) returned {position!r:.80}, which is not a position: no {missing[0]}")
        return position

    def fault(self, problem: str) -> Fault:
        """The fault ``problem`` in the position that is being checked."""
        return Fault(problem, quoted(self.at))

    def raised(self, error: Exception) -> Fault:
        """The fault that the game raised ``error``."""
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(OURS)]
        where = f"{frames[0].name} raised " if frames else ""
        lines = [f"! {frame.filename}, line {frame.lineno}, in {frame.name}: {frame.line}" for frame in frames[-3:]]
        return Fault(f"{where}{type(error).__name__}: {error}", [*quoted(self.at), *lines])


def quoted(seen: Seen) -> list[str]:
    """The lines that show a position. A property that cannot be read is left out."""
    lines = [f"after {' '.join(seen.moves)}" if seen.moves else "at the start"]
    try:
        lines += [f"  {row}" for row in seen.position.rows]
        lines.append(f"text {seen.position.text}")
    except Exception:  # another check says so
        lines.append("(it cannot be shown)")
    return lines


def played(game: Game, games: int, seed: int, outside: Outside) -> Subject:
    """``game`` after so many random games. The same seed makes the same games."""
    subject = Subject(game, outside, Seen(game.start))
    for number in range(games):
        rng = random.Random(f"{seed} {number}")
        subject.games.append([Seen(game.start)])
        try:
            _play(subject, subject.games[-1], rng)
        except Fault as fault:
            subject.broken = fault
        except Exception as error:
            subject.broken = subject.raised(error)
    return subject


def _play(subject: Subject, line: list[Seen], rng: random.Random) -> None:
    """Play a random game, and add its positions to ``line``."""
    while True:
        subject.at = seen = line[-1]
        legal = seen.position.legal_moves
        if not legal:
            return
        if len(seen.moves) >= min(subject.game.win, LONGEST):
            subject.endless = seen
            return
        move = rng.choice(legal)
        position = subject.after(move)
        _time(subject, seen.position, move)
        line.append(Seen(position, (*seen.moves, move), seen.position))


def _time(subject: Subject, position: Position, move: str) -> None:
    """Time ``move``, and what a search asks of the new position, which remembers nothing yet."""
    clock = subject.outside.clock
    begun = clock()
    after = position.play(move)
    played_at = clock()
    _ = after.legal_moves
    listed_at = clock()
    _ = after.outcome
    ended_at = clock()
    taken = {"play": played_at - begun, "legal_moves": listed_at - played_at, "outcome": ended_at - listed_at}
    for name, ns in taken.items():
        subject.times_ns.setdefault(name, []).append(ns)


def names_in(grid: Grid) -> set[str]:
    """The names that are not empty."""
    return {name for row in grid for name in row if name}
