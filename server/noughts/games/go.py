"""Go by the rules of Tromp and Taylor (1995, https://tromp.github.io/go.html). Pure; does no I/O.

A move is a point, ``a1`` at the bottom left and without the column i, as everybody writes it, or ``pass``. No move may
bring back an earlier board (positional superko), a side may take its own stones, and two passes end the game. Counted
are each side's stones and the empty points from which only its stones are reached, just as they lie on the board.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from functools import cache, partial
from itertools import compress
from typing import Any

from noughts.games.base import (
    SEAM,
    Board,
    Game,
    Heuristic,
    IllegalMove,
    InvalidPosition,
    MalformedMove,
    Measure,
    Option,
    Outcome,
    RecordFormat,
    Side,
    Style,
)
from noughts.games.board import brief, drawn
from noughts.games.grid import Drawing, bits_of, read_board
from noughts.games.picture import picture
from noughts.games.sentences import refused
from noughts.value import value

SIZE, SIZES = 9, (9, 13, 19)
KOMI = 7
KOMIS = (0, 0.5, 5.5, 6.5, 7, 7.5)
PASS = "pass"  # noqa: S105 - no password
LETTERS = "abcdefghjklmnopqrstuvwxyz"
BLACK, WHITE = Style("Black", "b"), Style("White", "w")
SYMBOLS = BLACK.symbol + WHITE.symbol
GROUND = Board("points", "wood")
FIRST, SECOND = Side

_DIGITS = bytes.maketrans(b"01", b"\0\1")

Past = tuple[int, "Past"] | None
"""The boards of a game, the last one first."""


class GoBoard:
    """The data that all positions of one size share, see :func:`board`.

    The stones of a side are a number with one bit for each point, row by row from the top left. One more bit after each
    row is never set, so that no step wraps to another row. A board is the stones of both sides in one number.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.step = step = size + 1
        self.layout = tuple(tuple(f"{letter}{row}" for letter in LETTERS[:size]) for row in range(size, 0, -1))
        self.bits = {name: 1 << r * step + c for r, row in enumerate(self.layout) for c, name in enumerate(row)}
        self.ordered_bits = tuple(self.bits.values())
        self.everywhere = sum(self.ordered_bits)
        self.width = size * step
        self.rows = Drawing(self.ordered_bits, size, SYMBOLS).rows
        self.next = {bit: self.beside(bit) & self.everywhere for bit in self.ordered_bits}
        """The neighbours of each point."""
        self._names = [name for row in self.layout for name in (*row, "")]

    def __reduce__(self) -> tuple[Callable[[int], GoBoard], tuple[int]]:
        return board, (self.size,)

    def names(self, points: int) -> tuple[str, ...]:
        """The names of ``points``, in board order."""
        return tuple(compress(self._names, f"{points:b}".encode().translate(_DIGITS)[::-1]))

    def beside(self, points: int) -> int:
        """The neighbours of ``points``, and perhaps bits that are no points."""
        return points << 1 | points >> 1 | points << self.step | points >> self.step

    def reached(self, start: int, points: int) -> int:
        """``start`` and what is connected to it in ``points``."""
        step, found, new = self.step, start, start
        while new:
            new = (new << 1 | new >> 1 | new << step | new >> step) & points & ~found
            found |= new
        return found

    def groups(self, stones: int) -> Iterator[int]:
        """The groups of connected ``stones``."""
        while stones:
            group = self.reached(stones & -stones, stones)
            yield group
            stones ^= group

    def after(self, own: int, others: int, bit: int) -> tuple[int, int]:
        """The stones of who plays on the empty point ``bit`` and of the other side, after that."""
        own |= bit
        beside = self.next[bit]
        empty = self.everywhere & ~(own | others)
        rest = others & beside
        while rest:
            group = self.reached(rest & -rest, others)
            rest &= ~group
            if not self.beside(group) & empty:
                others ^= group
                empty |= group
        if not beside & empty:
            group = self.reached(bit, own)
            if not self.beside(group) & empty:
                own ^= group
        return own, others

    def area(self, first: int, second: int) -> tuple[int, int]:
        """The points of each side: its stones, and the empty points that reach no other ones."""
        empty = self.everywhere & ~(first | second)
        by_first = self.reached(first, empty) & empty
        by_second = self.reached(second, empty) & empty
        return (first | by_first & ~by_second).bit_count(), (second | by_second & ~by_first).bit_count()


@cache
def board(size: int) -> GoBoard:
    """The board with so many rows and columns."""
    return GoBoard(size)


@value
class GoPosition:
    """A position of Go. Get it from a :class:`Game`; the constructor checks nothing.

    ``first`` and ``second`` are the stones of each side, as :class:`GoBoard` numbers them; ``side`` moves next, or
    would, after so many ``passes``. The rest does not matter for equality: ``taken`` are the stones that each side has
    got off the board from the other, and ``past`` has all boards of the game.
    """

    on: GoBoard
    komi: float
    first: int = 0
    second: int = 0
    side: Side = FIRST
    passes: int = 0
    ply: int = field(default=0, compare=False)
    taken: tuple[int, int] = field(default=(0, 0), compare=False)
    past: Past = field(default=(0, None), compare=False, repr=False)
    _moves: tuple[str, ...] | None = field(default=None, compare=False, repr=False)

    @property
    def to_move(self) -> Side | None:
        return None if self.passes == 2 else self.side

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """The points row by row from the top left, then ``pass``."""
        if self._moves is None:
            found = (*self.on.names(self._points()), PASS) if self.passes < 2 else ()
            self._moves = found  # type: ignore[misc]  # what the position has already implied
        return self._moves

    @property
    def outcome(self) -> Outcome | None:
        if self.passes < 2:
            return None
        lead = self.lead
        return Outcome(FIRST if lead > 0 else SECOND if lead < 0 else None, "area")

    @property
    def lead(self) -> float:
        """By how much Black leads, with komi, if the board is counted as it lies."""
        black, white = self.on.area(self.first, self.second)
        return black - white - self.komi

    @property
    def rows(self) -> tuple[str, ...]:
        return self.on.rows(self.first, self.second)

    @property
    def text(self) -> str:
        more = [f" {self.taken[0]} {self.taken[1]}"] if any(self.taken) else []
        return "".join(["/".join(self.rows), f" {self.side}", *more, " pass" * self.passes])

    __repr__ = brief

    def __str__(self) -> str:
        return drawn(self, self.on.layout, (BLACK, WHITE), ground=GROUND)

    def _repr_svg_(self) -> str:
        return picture(self, self.on.layout, (BLACK, WHITE), ground=GROUND)

    def __reduce__(self) -> tuple[Callable[..., GoPosition], tuple[Any, ...]]:
        # A long chain of boards is more than pickle can follow.
        rest = self.on, self.komi, self.first, self.second, self.side, self.passes, self.ply, self.taken
        return _unpickled, (tuple(_boards(self.past)), rest)

    def play(self, move: str) -> GoPosition:
        on, side = self.on, self.side
        if move == PASS:
            if self.passes == 2:
                raise refused(IllegalMove("the game is over"), move, self)
            return GoPosition(
                on, self.komi, self.first, self.second, side.other, self.passes + 1, self.ply + 1, self.taken, self.past
            )
        bit = on.bits.get(move)
        if bit is None:
            form = f"a move is a point, {on.layout[-1][0]} to {on.layout[0][-1]}, or {PASS}"
            raise refused(MalformedMove(form), move, self)
        if self.passes == 2:
            raise refused(IllegalMove("the game is over"), move, self)
        if (self.first | self.second) & bit:
            raise refused(IllegalMove(f"point {move} is taken"), move, self)
        first, second = self._after(bit)
        if self._was(first, second):
            alone = (first, second) == (self.first, self.second)
            why = f"a stone on {move} would have no liberty" if alone else _superko(self, first, second)
            raise refused(IllegalMove(why), move, self)
        black, white = self.taken
        lost_black = self.first.bit_count() - first.bit_count() + (side is FIRST)
        lost_white = self.second.bit_count() - second.bit_count() + (side is SECOND)
        taken = (black + lost_white, white + lost_black)
        past = (first << on.width | second, self.past)
        return GoPosition(on, self.komi, first, second, side.other, 0, self.ply + 1, taken, past)

    def _after(self, bit: int) -> tuple[int, int]:
        """The stones of both sides after a stone on ``bit``."""
        if self.side is FIRST:
            return self.on.after(self.first, self.second, bit)
        second, first = self.on.after(self.second, self.first, bit)
        return first, second

    def _was(self, first: int, second: int) -> bool:
        """True if there has been a board with these stones."""
        stones = (self.first | self.second).bit_count()
        if self.taken == (0, 0) and (first | second).bit_count() > stones:
            return False  # as long as nothing is taken, boards only grow
        wanted, past = first << self.on.width | second, self.past
        while past is not None:
            if past[0] == wanted:
                return True
            past = past[1]
        return False

    def _points(self) -> int:
        """The points where the side to move may place a stone."""
        on, first, second = self.on, self.first, self.second
        empty = on.everywhere & ~(first | second)
        own, others = (first, second) if self.side is FIRST else (second, first)
        # Where a neighbour is empty and nothing is taken, only the new stone makes the board another one.
        plain = empty & on.beside(empty)
        if self.taken != (0, 0):
            for group in on.groups(others):
                liberties = on.beside(group) & empty
                if not liberties & liberties - 1:
                    plain &= ~liberties
        legal = plain
        shift = on.width if self.side is FIRST else 0
        boards: dict[int, int] = {}
        rest = empty & ~plain
        while rest:
            bit = rest & -rest
            rest ^= bit
            if not on.next[bit] & (own | empty) and not any(
                not on.beside(group) & empty & ~bit for group in on.groups(others & _around(on, bit, others))
            ):
                continue  # a single stone without liberties is no other board
            after = self._after(bit)
            boards[after[0] << on.width | after[1]] = bit
            legal |= bit
        if self.taken != (0, 0):
            now = first << on.width | second
            rest = plain
            while rest:
                bit = rest & -rest
                rest ^= bit
                boards[now | bit << shift] = bit
        if boards:
            for each in _boards(self.past):
                if each in boards:
                    legal &= ~boards[each]
        return legal


def _around(on: GoBoard, bit: int, stones: int) -> int:
    """The groups of ``stones`` beside ``bit``."""
    start = on.next[bit] & stones
    return on.reached(start, stones) if start else 0


def _boards(past: Past) -> Iterator[int]:
    while past is not None:
        yield past[0]
        past = past[1]


def _unpickled(boards: tuple[int, ...], rest: tuple[Any, ...]) -> GoPosition:
    past: Past = None
    for each in reversed(boards):
        past = (each, past)
    return GoPosition(*rest, past)  # type: ignore[call-arg]


def _superko(position: GoPosition, first: int, second: int) -> str:
    """Why a move may not bring back a board that there has been."""
    wanted = first << position.on.width | second
    ago = next(index for index, each in enumerate(_boards(position.past)) if each == wanted)
    if ago == 1:
        return "that would take back the ko at once: the board would be as before the last move"
    return "the board would be as it was before in this game, which superko forbids"


_TEXT = re.compile(r"(first|second)(?: (\d{1,5}) (\d{1,5}))?((?: pass){0,2})", re.ASCII)


def parse(text: str, size: int = SIZE, komi: float = KOMI) -> GoPosition:
    """Read the rows from the top, the side to move, the stones that each side has captured if there are any, and the
    passes since the last stone, ``pass`` or ``pass pass``.

    The text does not show earlier boards, so any but this one may follow, and ``ply`` is 0. Raises
    :class:`InvalidPosition`, also for stones without liberties.
    """
    on = board(size)
    cells, rest = read_board(text, size, size, SYMBOLS)
    match = _TEXT.fullmatch(rest or "")
    if match is None:
        raise InvalidPosition(
            "after the board stand first or second, who moves next, then the stones that each side has captured, if "
            "any, and the word pass if that was the last move"
        )
    first, second = (bits_of(cells, symbol, on.ordered_bits) for symbol in SYMBOLS)
    empty = on.everywhere & ~(first | second)
    for stones in (first, second):
        for group in on.groups(stones):
            if not on.beside(group) & empty:
                raise InvalidPosition(f"the stones at {on.names(group)[0]} have no liberty")
    taken = (int(match[2]), int(match[3])) if match[2] else (0, 0)
    past = (first << on.width | second, None)
    return GoPosition(on, komi, first, second, Side(match[1]), match[4].count(PASS), 0, taken, past)


def held(position: GoPosition, side: Side) -> tuple[tuple[str, int], ...]:
    """The stones that ``side`` has captured."""
    return ((WHITE.symbol, position.taken[0]),) if side is FIRST else ((BLACK.symbol, position.taken[1]),)


UNIT = 170
"""Measured by ``python -m bench.units``, as docs/engine.md says."""
POINT, LIBERTY, IN_ATARI, SHORT, TEMPO = 10, 1, 20, 2, 8
"""In tenths of a point: a point of the board, a liberty, what each stone of a group with one liberty loses, half if it
is to move, what one of a group with two loses, and the move."""


def _nearer(on: GoBoard, first: int, second: int) -> tuple[int, int]:
    """The points that are nearer to stones of one side than of the other, over empty points, stones included."""
    free = on.everywhere & ~(first | second)
    ours, theirs = first, second
    while free:
        more, others = on.beside(ours) & free, on.beside(theirs) & free
        if not more | others:
            break
        free &= ~(more | others)
        ours |= more & ~others
        theirs |= others & ~more
    return ours, theirs


def evaluate(position: GoPosition) -> int:
    """An estimate of the area by influence: every point belongs to the nearer side, and groups short of liberties lose.

    It knows nothing of life and death, so it is weak.
    """
    on, first, second = position.on, position.first, position.second
    black, white = _nearer(on, first, second)
    worth = POINT * (black.bit_count() - white.bit_count() - position.komi)
    empty = on.everywhere & ~(first | second)
    for sign, side, stones in ((1, FIRST, first), (-1, SECOND, second)):
        moves = position.side is side
        for group in on.groups(stones):
            liberties = (on.beside(group) & empty).bit_count()
            worth += sign * LIBERTY * min(liberties, 6)
            if liberties == 1:
                worth -= sign * (IN_ATARI // 2 if moves else IN_ATARI) * group.bit_count()
            elif liberties == 2:
                worth -= sign * SHORT * group.bit_count()
    return round(worth if position.side is FIRST else -worth) + TEMPO


@cache
def _opening(on: GoBoard) -> int:
    """The third and fourth lines and what they enclose, where a game begins; the second, too, on a small board."""
    low = 2 if on.size > 9 else 1
    return sum(1 << r * on.step + c for r in range(low, on.size - low) for c in range(low, on.size - low))


def candidates(position: GoPosition) -> tuple[str, ...]:
    """Points that take or save stones, then those around groups short of liberties, then where areas meet, then in the
    opening all that is near to no edge, and a pass. No points are among them that only own stones surround.
    """
    on, first, second = position.on, position.first, position.second
    own = first if position.side is FIRST else second
    empty = on.everywhere & ~(first | second)
    urgent = short = 0
    for group in (*on.groups(first), *on.groups(second)):
        liberties = on.beside(group) & empty
        if not liberties & liberties - 1:
            urgent |= liberties
        elif liberties.bit_count() == 2:
            short |= liberties
    black, white = _nearer(on, first, second)
    meet = on.beside(black) & on.beside(white) & empty | empty & ~(black | white)
    meet |= on.beside(black) & white & empty | on.beside(white) & black & empty
    open_points = _opening(on) & empty if position.ply < 2 * on.size else 0
    eyes = empty & ~on.beside(on.everywhere & ~own)
    legal = sum(on.bits[move] for move in position.legal_moves if move != PASS)
    groups, seen = [], eyes & ~urgent
    for points in (urgent, short, meet, open_points):
        groups.append(points & legal & ~seen)
        seen |= points
    return (*(name for points in groups for name in on.names(points)), PASS)


RULES = (
    "Black begins. The sides take turns to place a stone on a free point, or pass. Groups without a free point are "
    "taken, first the other side's. No earlier board may come back.",
    "Two passes end the game. Each side has its stones and the free points that only they reach; White has the komi.",
)


def variant(options: Mapping[str, Any]) -> Game:
    """Go on a board of another size, or with another komi."""
    size, komi = int(options["size"]), float(options["komi"])
    return replace(
        GO,
        layout=board(size).layout,
        start=GoPosition(board(size), komi),
        parse=partial(parse, size=size, komi=komi),
    )


GO = Game(
    key="go",
    title="Go",
    first=BLACK,
    second=WHITE,
    layout=board(SIZE).layout,
    start=GoPosition(board(SIZE), KOMI),
    parse=parse,
    rules=RULES,
    seam=SEAM,
    board=GROUND,
    record=RecordFormat("sgf", "sgf", "1"),
    example="e5 c4 c5 d5 d6 d4 e6 f4 e4 e3 f5 g4 g5 h5",
    held=held,
    lead=lambda position: abs(position.lead),
    endings=(("area", "by area"),),
    repeats=True,
    options=(Option("size", "Size of the board", SIZE, SIZES), Option("komi", "Komi", KOMI, KOMIS)),
    variant=variant,
    win=20_000,
    heuristic=Heuristic(evaluate, UNIT, candidates, opening=6, spread=6, slip=40, measure=Measure("point", 10)),
)
