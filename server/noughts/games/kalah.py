"""Kalah, the mancala of William Champion (1940), with 6 pits a side and 4 seeds in each, or others. Pure; does no I/O.

A move is the pit whose seeds are sown: South's are ``a1`` to ``f1`` from the left, North's ``a2`` to ``f2`` above them.
Who sows goes round against the clock: South to the right into its store ``s`` and on to North's pits from the right,
and past the other side's store.

A position's text has South's pits and store, North's pits and store, both from where they sow, and who moves next:
``4,4,4,4,4,4,0/4,4,4,4,4,4,0 first``.

As in OpenSpiel's ``mancala``, a seed in an empty pit captures only if there are seeds across, and the game goes on when
a side has more than half.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from functools import partial
from typing import Any

from noughts.games.base import (
    SEAM,
    Board,
    Game,
    Grid,
    Heuristic,
    IllegalMove,
    InvalidPosition,
    MalformedMove,
    Measure,
    Option,
    Outcome,
    Reason,
    Side,
    Style,
)
from noughts.games.board import brief, drawn
from noughts.games.grid import LETTERS
from noughts.games.picture import picture
from noughts.games.sentences import refused
from noughts.value import value

SOUTH, NORTH = Style("South", "s"), Style("North", "n")
PITS, SEEDS = 6, 4
GROUND = Board("pits", bottom=Side.FIRST)


def layout(pits: int) -> Grid:
    """The board: North's pits above South's, a store at each end."""
    columns = LETTERS[:pits]
    return ("n", *(f"{column}2" for column in columns), ""), ("", *(f"{column}1" for column in columns), "s")


@value
class KalahPosition:
    """A position of Kalah. Get it from :data:`KALAH`; the constructor checks nothing.

    ``seeds`` are South's pits from the left and its store, then North's pits from the right and its store: in the order
    in which one sows. ``side`` moves next, or would.
    """

    seeds: tuple[int, ...]
    side: Side
    ply: int = field(compare=False)

    @property
    def pits(self) -> int:
        """The number of pits of each side."""
        return len(self.seeds) // 2 - 1

    @property
    def to_move(self) -> Side | None:
        return None if self.over else self.side

    @property
    def over(self) -> bool:
        """True if all seeds are in the stores: a side without seeds ends the game, and the other keeps what is left."""
        pits = self.pits
        return self.seeds[pits] + self.seeds[-1] == sum(self.seeds)

    @property
    def legal_moves(self) -> tuple[str, ...]:
        if self.over:
            return ()
        first, pits = self.side is Side.FIRST, self.pits
        start = 0 if first else pits + 1
        own = self.seeds[start : start + pits]
        names = (
            [f"{LETTERS[at]}1" for at in range(pits)] if first else [f"{LETTERS[pits - 1 - at]}2" for at in range(pits)]
        )
        return tuple(sorted([name for name, count in zip(names, own, strict=True) if count]))

    @property
    def outcome(self) -> Outcome | None:
        if not self.over:
            return None
        first, second = score(self)
        return Outcome(None if first == second else Side.FIRST if first > second else Side.SECOND, Reason.COUNT)

    @property
    def rows(self) -> tuple[str, ...]:
        top, bottom = counts(self)
        pits = self.pits
        north = "".join("n" if count else "." for count in top[: pits + 1])
        south = "".join("s" if count else "." for count in bottom[1:])
        return f"{north} ", f" {south}"

    @property
    def text(self) -> str:
        half = self.pits + 1
        return f"{','.join(map(str, self.seeds[:half]))}/{','.join(map(str, self.seeds[half:]))} {self.side}"

    __repr__ = brief

    def __str__(self) -> str:
        return drawn(self, layout(self.pits), (SOUTH, NORTH), ground=GROUND, counts=counts(self))

    def _repr_svg_(self) -> str:
        return picture(self, layout(self.pits), (SOUTH, NORTH), ground=GROUND, counts=counts(self))

    def play(self, move: str) -> KalahPosition:
        at = self._pit(move)
        seeds, half, first = list(self.seeds), self.pits + 1, self.side is Side.FIRST
        store, other_store = (half - 1, -1) if first else (len(seeds) - 1, half - 1)
        skipped = other_store % len(seeds)
        left, seeds[at] = seeds[at], 0
        while left:
            at = (at + 1) % len(seeds)
            if at != skipped:
                seeds[at] += 1
                left -= 1
        own = at < half - 1 if first else half <= at < len(seeds) - 1
        if own and seeds[at] == 1:
            opposite = len(seeds) - 2 - at
            if seeds[opposite]:
                seeds[store] += seeds[opposite] + 1
                seeds[at] = seeds[opposite] = 0
        if not any(seeds[: half - 1]) or not any(seeds[half:-1]):
            south, north = sum(seeds[:half]), sum(seeds[half:])
            seeds = [0] * len(seeds)
            seeds[half - 1], seeds[-1] = south, north
        return KalahPosition(tuple(seeds), self.side if at == store else self.side.other, self.ply + 1)

    def _pit(self, move: str) -> int:
        """The index of the pit ``move``. Raises MalformedMove and IllegalMove."""
        pits = self.pits
        columns = LETTERS[:pits]
        if not isinstance(move, str) or len(move) != 2 or move[0] not in columns or move[1] not in "12":
            form = f"a move is a pit, a1 to {columns[-1]}1 for South or a2 to {columns[-1]}2 for North"
            raise refused(MalformedMove(form), move, self)
        column, south = columns.index(move[0]), move[1] == "1"
        at = column if south else len(self.seeds) - 2 - column
        if self.over:
            raise refused(IllegalMove("the game is over"), move, self)
        if south is not (self.side is Side.FIRST):
            raise refused(IllegalMove(f"pit {move} is not yours"), move, self)
        if not self.seeds[at]:
            raise refused(IllegalMove(f"pit {move} is empty"), move, self)
        return at


def score(position: KalahPosition) -> tuple[int, int]:
    """The seeds in each side's store."""
    return position.seeds[position.pits], position.seeds[-1]


def counts(position: KalahPosition) -> tuple[tuple[int, ...], ...]:
    """The seeds in each pit and store, as they lie on the board."""
    half = position.pits + 1
    south, north = position.seeds[: half - 1], position.seeds[half:-1]
    first, second = score(position)
    return (second, *north[::-1], 0), (0, *south, first)


def margin(position: KalahPosition) -> int:
    """By how many seeds South has won a finished game."""
    first, second = score(position)
    return first - second


def parse(text: str, pits: int = PITS, seeds: int = SEEDS) -> KalahPosition:
    """Read both sides' pits and store, then who moves, in the game with so many ``pits`` and ``seeds``.

    The text does not show how many moves led here, so ``ply`` is 0. Raises :class:`InvalidPosition`.
    """
    match = re.fullmatch(r"(\d{1,3}(?:,\d{1,3})*)/(\d{1,3}(?:,\d{1,3})*) (first|second)", text, re.ASCII)
    sides = [] if match is None else [[int(count) for count in half.split(",")] for half in (match[1], match[2])]
    if match is None or not len(sides[0]) == len(sides[1]) == pits + 1:
        example = _start(pits, seeds).text
        raise InvalidPosition(f"a position is South's pits and store, a slash, North's, and who moves: {example}")
    if sum(map(sum, sides)) != 2 * pits * seeds:
        raise InvalidPosition(f"there are {2 * pits * seeds} seeds")
    position = KalahPosition((*sides[0], *sides[1]), Side(match[3]), 0)
    if not position.over and not all(any(side[:-1]) for side in sides):
        raise InvalidPosition("a side without seeds ends the game, and the other keeps what is left")
    return position


def _start(pits: int, seeds: int) -> KalahPosition:
    return KalahPosition((*[seeds] * pits, 0) * 2, Side.FIRST, 0)


def variant(options: Mapping[str, Any]) -> Game:
    """Kalah with other pits and seeds."""
    pits, seeds = int(options["pits"]), int(options["seeds"])
    read = partial(parse, pits=pits, seeds=seeds)
    return replace(KALAH, layout=layout(pits), start=_start(pits, seeds), parse=read)


UNIT = 45
"""Measured by ``python -m bench.units``, as docs/engine.md says."""


def evaluate(position: KalahPosition) -> int:
    """The advantage of the side to move, in thirds of a seed: seeds in stores count three, seeds in pits one, and
    the move three.
    """
    half = position.pits + 1
    first, second = score(position)
    lead = 3 * (first - second) + sum(position.seeds[: half - 1]) - sum(position.seeds[half:-1])
    return (lead if position.side is Side.FIRST else -lead) + 3


def noisy(position: KalahPosition) -> tuple[str, ...]:
    """The pits whose last seed falls into the own store: the side moves again."""
    pits = position.pits
    start = 0 if position.side is Side.FIRST else pits + 1
    lucky = {at for at in range(pits) if position.seeds[start + at] % (2 * pits + 1) == pits - at}
    row, names = ("1", LETTERS[:pits]) if start == 0 else ("2", LETTERS[:pits][::-1])
    return tuple([f"{names[at]}{row}" for at in sorted(lucky, reverse=True)])


KALAH = Game(
    key="kalah",
    title="Kalah",
    first=SOUTH,
    second=NORTH,
    layout=layout(PITS),
    start=_start(PITS, SEEDS),
    parse=parse,
    rules=(
        "South begins. A move takes all seeds of one of your pits, and sows them one by one into the pits and your "
        "own store that follow, against the clock; the other store is left out.",
        "If the last seed falls into your store, you move again. If it falls into an empty pit of yours, you put it "
        "and the seeds of the pit across into your store, if there are any.",
        "When a side has no seeds in its pits, the other puts what is left into its own store. Who has more seeds "
        "wins; equal counts are a draw.",
    ),
    seam=SEAM,
    board=GROUND,
    example="d1 d2 a2 c1 f2 d2 d1 e2",
    score=score,
    counts=counts,
    options=(
        Option("pits", "Pits of each side", PITS, (1, 2, 3, 4, 5, 6)),
        Option("seeds", "Seeds in each pit", SEEDS, (1, 2, 3, 4, 5, 6)),
    ),
    variant=variant,
    margin=margin,
    heuristic=Heuristic(evaluate, UNIT, opening=2, spread=2, noisy=noisy, slip=3, measure=Measure("seed", 3)),
)
