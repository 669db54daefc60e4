"""Reversi in numba: moves, perft, an exact solver for the end of the game, alpha-beta before it. Pure; does no I/O.

A board is two uint64, the discs of the side to move (``own``) and of the other (``opp``), bit 0 for ``a1`` and bit 1
for ``b1`` as in :mod:`noughts.games.reversi`. Everything is uint64, as numba makes floats of mixed signs; values alone
are int64. All constants are here, because numba's cache looks at this one file only.

What a search keeps is one array, :func:`memory_of`: counters, a list of moves for each number of empty cells, the
weights of the evaluation, as to change them is not to take compiling anew, and the transposition table. The inner
functions have it as a bare pointer, which costs one register where an array costs seven.

The methods are published ones. Moves by parallel prefix along the eight directions; turned discs by carry propagation
upwards and by the leading zeros downwards. In the endgame: principal variation search (Marsland and Campbell, 1982),
fastest first (the move that leaves the fewest replies), parity of the quadrants, stability and cut-offs by the
children's entries in the table (Plaat's enhanced transposition cutoff, 1996), as Buro and Andersson have described
them for Logistello and Zebra. What the evaluation weighs, :mod:`noughts.engine.reversi.evaluation` tells.
"""

# ruff: noqa: PLR0917 - an argument is a register, a structure would be memory
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic

from noughts.engine.jit import kernel

Words = npt.NDArray[np.uint64]

ZERO, ONE, TWO, THREE, SEVEN, EIGHT = (np.uint64(n) for n in (0, 1, 2, 3, 7, 8))
TOP = np.uint64(1 << 63)
INNER = np.uint64(0x7E7E7E7E7E7E7E7E)  # all but the outer columns, see noughts.games.reversi
COLUMN = np.uint64(0x0101010101010101)
GATHER_COLUMN = np.uint64(0x0102040810204080)  # moves a column's bits, 8 apart, together into the top byte
MASK8 = np.uint64(255)
NOT_LEFT = np.uint64(0xFEFEFEFEFEFEFEFE)
NOT_RIGHT = np.uint64(0x7F7F7F7F7F7F7F7F)
SIDES = np.uint64(0x8181818181818181)
ENDS = np.uint64(0xFF000000000000FF)
CORNERS = np.uint64(0x8100000000000081)
EDGES = np.uint64(0xFF818181818181FF)

# Words of a search's memory.
NODES = 0  # positions visited
NEXT_POLL = 1  # when to look at the flag again, in nodes
NODE_LIMIT = 2
STOPPED = 3  # 1 once the search has been told to stop: what it then returns is nothing
TABLE_SHIFT = 4  # 64 less the binary logarithm of the table's buckets
AGE = 5  # of the entries that this search writes, 0 to 255
LISTS = 64  # for each number of empty cells 128 words: 64 packed moves, then the discs that each turns
WEIGHTS = LISTS + 65 * 128  # of the evaluation, see `features`: a row for each stage of the game
FEATURES = 13
STAGE = 5  # empty cells to a stage
STAGES = 64 // STAGE + 1
PARTS = 3  # of the game: with less than 20 empty cells, 20 to 29, and more
SHAPES_OF_EDGES, SHAPES_OF_CORNERS = 3**8, 3**9
SHAPES = WEIGHTS + FEATURES * STAGES  # for each part what all shapes of an edge are worth, then those of a corner
# Buckets of four entries, a key and what is known of it.
TABLE = (SHAPES + PARTS * (SHAPES_OF_EDGES + SHAPES_OF_CORNERS) + 7) // 8 * 8
NODES_PER_POLL = np.uint64(4096)

FEW = 5  # up to so many empty cells the moves are not sorted
KEEP_FROM = 8  # empty cells; with fewer the table costs more than it saves
LOOK_FROM = 12  # empty cells; with so many the moves are sorted by an estimate
LOOK_STEP = 3  # empty cells more for each further ply of that
REPLY_WORTH = 96  # points that each reply takes from a move's place in that order
CUT_FROM = 11  # with so many the table is asked for each child first
NO_CELL = np.uint64(64)
# With so many empty cells stable discs are counted from this alpha on: below it they hardly ever suffice.
STABILITY_FROM = np.array([99] * 4 + [-2 + 2 * empties for empties in range(4, 33)] + [99] * 32, np.int64)
MASK16 = np.uint64(0xFFFF)
TABLE_AT = np.uint64(TABLE)
MIX_1, MIX_2, MIX_3 = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
# A first guess of what a cell is worth, in sixteenths of a reply: a corner, its neighbours, the rest.
_EIGHTH = ((24, -4, 6, 4), (-4, -12, -2, 0), (6, -2, 4, 2), (4, 0, 2, 0))
CELL_WORTH = np.array([_EIGHTH[min(c // 8, 7 - c // 8)][min(c % 8, 7 - c % 8)] for c in range(64)], np.int64)

# The evaluation: see `features`.
POINTS = 64  # estimates are in so many points a disc
SCALE = 4  # bits of a weight below a whole point
X_CELLS = np.uint64(0x0042000000004200)
# Bits as digits to the base of 3: those of an edge, and of nine cells, row by row, at each of the four corners, the
# corner itself the first digit.
DIGITS = np.array([sum(3**at for at in range(8) if bits >> at & 1) for bits in range(256)], np.uint64)
CORNER_DIGITS = np.array(
    [
        sum(3 ** (3 * abs(down - at // 3) + abs(right - at % 3)) for at in range(9) if bits >> at & 1)
        for down in (0, 2)
        for right in (0, 2)
        for bits in range(512)
    ],
    np.uint64,
)
LOGARITHM = np.array([round(16 * math.log2(1 + n)) for n in range(65)], np.int64)
SALT = np.uint64(0x5851F42D4C957F2D)  # an estimate and an exact value of one position have different keys

WORST = -100  # less than any difference in discs
FULL = 64
NOTHING = -32000  # less than any estimate


def _ray(cell: int, columns: int, rows: int) -> int:
    """The cells from ``cell`` to the border, by steps of so many columns and rows."""
    x, y, bits = cell % 8 + columns, cell // 8 + rows, 0
    while 0 <= x < 8 and 0 <= y < 8:
        bits |= 1 << (8 * y + x)
        x, y = x + columns, y + rows
    return bits


# For each cell the four rays towards higher bits, then the four towards lower ones.
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (-1, 1), (-1, 0), (0, -1), (-1, -1), (1, -1))
RAYS = np.array([_ray(cell, *step) for cell in range(64) for step in DIRECTIONS], np.uint64)
NEIGHBOURS = np.array(
    [
        sum(
            1 << (8 * y + x)
            for y in range(max(cell // 8 - 1, 0), min(cell // 8 + 2, 8))
            for x in range(max(cell % 8 - 1, 0), min(cell % 8 + 2, 8))
            if 8 * y + x != cell
        )
        for cell in range(64)
    ],
    np.uint64,
)
QUADRANT = np.array([0x0F0F0F0F << (32 * (cell // 32) + 4 * (cell % 8 // 4)) for cell in range(64)], np.uint64)
FALLING = np.array([_ray(cell, 1, 1) | _ray(cell, -1, -1) | 1 << cell for cell in range(64)], np.uint64)
RISING = np.array([_ray(cell, 1, -1) | _ray(cell, -1, 1) | 1 << cell for cell in range(64)], np.uint64)


def _without(columns: int, rows: int) -> np.uint64:
    """The cells from which so many columns and rows back lies off the board."""
    return np.uint64(
        sum(1 << cell for cell in range(64) if not (0 <= cell % 8 - columns < 8 and 0 <= cell // 8 - rows < 8))
    )


FROM_1, FROM_2, FROM_4 = _without(1, 1), _without(2, 2), _without(4, 4)  # down the falling diagonals
TO_1, TO_2, TO_4 = _without(-1, -1), _without(-2, -2), _without(-4, -4)  # up them
RISE_1, RISE_2, RISE_4 = _without(-1, 1), _without(-2, 2), _without(-4, 4)  # down the rising ones
SINK_1, SINK_2, SINK_4 = _without(1, -1), _without(2, -2), _without(4, -4)  # up them


def _turned_in_line(cell: int, own: int) -> int:
    """How many discs of a line of 8 without another empty cell a disc on ``cell`` turns; ``own`` are its bits."""
    turned = 0
    for step in (-1, 1):
        other, run = cell + step, 0
        while 0 <= other < 8 and not own >> other & 1:
            other, run = other + step, run + 1
        turned += run if 0 <= other < 8 else 0
    return turned


IN_LINE = np.array([_turned_in_line(cell, own) for cell in range(8) for own in range(256)], np.int64)


def _instruction(name: str, result: Any) -> Any:
    """One of LLVM's instructions on a uint64 as a function."""

    def typed(_context: Any, _bits: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            if name == "ctpop":
                return builder.ctpop(arguments[0])
            return getattr(builder, name)(arguments[0], context.get_constant(types.boolean, True))

        return result(types.uint64), generate

    return intrinsic(typed)


count: Callable[[np.uint64], int] = _instruction("ctpop", types.int64)  # of the bits that are set
lowest: Callable[[np.uint64], np.uint64] = _instruction("cttz", types.uint64)  # the lowest bit's index, not of 0
leading: Callable[[np.uint64], np.uint64] = _instruction("ctlz", types.uint64)  # zeros above the highest bit, not of 0


@kernel("uint64(uint64, uint64)")
def moves_of(own: np.uint64, opp: np.uint64) -> np.uint64:
    """The cells where ``own`` can play: as in noughts.games.reversi, without a loop."""
    inner = opp & INNER
    # Along a row: 1.
    up = inner & own << ONE
    up |= inner & up << ONE
    pairs = inner & inner << ONE
    up |= pairs & up << TWO
    up |= pairs & up << TWO
    down = inner & own >> ONE
    down |= inner & down >> ONE
    pairs = pairs >> ONE
    down |= pairs & down >> TWO
    down |= pairs & down >> TWO
    moves = up << ONE | down >> ONE
    # Along a column: 8.
    up = opp & own << EIGHT
    up |= opp & up << EIGHT
    pairs = opp & opp << EIGHT
    up |= pairs & up << np.uint64(16)
    up |= pairs & up << np.uint64(16)
    down = opp & own >> EIGHT
    down |= opp & down >> EIGHT
    pairs = pairs >> EIGHT
    down |= pairs & down >> np.uint64(16)
    down |= pairs & down >> np.uint64(16)
    moves |= up << EIGHT | down >> EIGHT
    # Along the diagonals: 7 and 9.
    up = inner & own << SEVEN
    up |= inner & up << SEVEN
    pairs = inner & inner << SEVEN
    up |= pairs & up << np.uint64(14)
    up |= pairs & up << np.uint64(14)
    down = inner & own >> SEVEN
    down |= inner & down >> SEVEN
    pairs = pairs >> SEVEN
    down |= pairs & down >> np.uint64(14)
    down |= pairs & down >> np.uint64(14)
    moves |= up << SEVEN | down >> SEVEN
    up = inner & own << np.uint64(9)
    up |= inner & up << np.uint64(9)
    pairs = inner & inner << np.uint64(9)
    up |= pairs & up << np.uint64(18)
    up |= pairs & up << np.uint64(18)
    down = inner & own >> np.uint64(9)
    down |= inner & down >> np.uint64(9)
    pairs = pairs >> np.uint64(9)
    down |= pairs & down >> np.uint64(18)
    down |= pairs & down >> np.uint64(18)
    moves |= up << np.uint64(9) | down >> np.uint64(9)
    return moves & ~(own | opp)


@kernel("uint64(uint64, uint64, uint64)")
def turned_by(cell: np.uint64, own: np.uint64, opp: np.uint64) -> np.uint64:
    """The discs of ``opp`` that ``own`` turns by playing on the empty ``cell``, 0 to 63.

    Upwards the carry of an addition runs through the opponent's discs to the first other cell of the ray; downwards
    that cell is the highest of the ray that is not the opponent's.
    """
    at = cell << THREE
    turned = ZERO
    ray = RAYS[at]
    end = ((opp | ~ray) + ONE) & ray & own
    turned |= (end - np.uint64(end != ZERO)) & ray
    ray = RAYS[at + ONE]
    end = ((opp | ~ray) + ONE) & ray & own
    turned |= (end - np.uint64(end != ZERO)) & ray
    ray = RAYS[at + TWO]
    end = ((opp | ~ray) + ONE) & ray & own
    turned |= (end - np.uint64(end != ZERO)) & ray
    ray = RAYS[at + THREE]
    end = ((opp | ~ray) + ONE) & ray & own
    turned |= (end - np.uint64(end != ZERO)) & ray
    ray = RAYS[at + np.uint64(4)]
    end = TOP >> leading(ray & ~opp | ONE) & ray & own
    turned |= (~end + ONE) << ONE & ray
    ray = RAYS[at + np.uint64(5)]
    end = TOP >> leading(ray & ~opp | ONE) & ray & own
    turned |= (~end + ONE) << ONE & ray
    ray = RAYS[at + np.uint64(6)]
    end = TOP >> leading(ray & ~opp | ONE) & ray & own
    turned |= (~end + ONE) << ONE & ray
    ray = RAYS[at + SEVEN]
    end = TOP >> leading(ray & ~opp | ONE) & ray & own
    turned |= (~end + ONE) << ONE & ray
    return np.uint64(turned)


@kernel("int64(uint64, uint64, int64)")
def perft(own: np.uint64, opp: np.uint64, depth: int) -> int:
    """How many lines of ``depth`` plies, 1 or more, there are. A pass is a ply, and a game that is over before counts
    as one line, as in the published numbers. The last ply is counted in bulk.
    """
    moves = moves_of(own, opp)
    if not moves:
        if depth == 1 or not moves_of(opp, own):
            return 1
        return perft(opp, own, depth - 1)
    if depth == 1:
        return count(moves)
    total = 0
    while moves:
        cell = lowest(moves)
        moves &= moves - ONE
        turned = turned_by(cell, own, opp)
        total += perft(opp ^ turned, own | turned | ONE << cell, depth - 1)
    return total


@kernel("int64(uint64, uint64)")
def final(own: np.uint64, opp: np.uint64) -> int:
    """The difference in discs when the game is over, the empty cells counted for the winner."""
    lead = count(own) - count(opp)
    empty = FULL - count(own | opp)
    return lead + empty if lead > 0 else lead - empty if lead < 0 else 0


@kernel("uint64(uint64, uint64)")
def stable(own: np.uint64, opp: np.uint64) -> np.uint64:
    """Discs of ``own`` that can never be turned: nearly all of them.

    A disc is safe along a direction where the line is full, or on one side is the border or a stable disc of its own.
    """
    taken = own | opp
    row = taken & taken >> ONE
    row &= row >> TWO
    row &= row >> np.uint64(4)
    along_row = (row & COLUMN) * MASK8 | SIDES
    column = taken & (taken >> EIGHT | taken << np.uint64(56))
    column &= column >> np.uint64(16) | column << np.uint64(48)
    along_column = column & (column >> np.uint64(32) | column << np.uint64(32)) | ENDS
    # A diagonal is full if it is so up to the border in both directions: 1, 2, and 4 cells more at a time.
    falling = taken & (FROM_1 | taken << np.uint64(9)) & (TO_1 | taken >> np.uint64(9))
    falling &= (FROM_2 | falling << np.uint64(18)) & (TO_2 | falling >> np.uint64(18))
    falling &= (FROM_4 | falling << np.uint64(36)) & (TO_4 | falling >> np.uint64(36))
    falling |= EDGES
    rising = taken & (RISE_1 | taken << SEVEN) & (SINK_1 | taken >> SEVEN)
    rising &= (RISE_2 | rising << np.uint64(14)) & (SINK_2 | rising >> np.uint64(14))
    rising &= (RISE_4 | rising << np.uint64(28)) & (SINK_4 | rising >> np.uint64(28))
    rising |= EDGES
    found = own & along_row & along_column & falling & rising
    while True:
        # What a shift takes round the border lands on another border, where the direction is safe anyway.
        more = (
            own
            & (along_row | found << ONE | found >> ONE)
            & (along_column | found << EIGHT | found >> EIGHT)
            & (falling | found << np.uint64(9) | found >> np.uint64(9))
            & (rising | found << SEVEN | found >> SEVEN)
        )
        if more == found:
            return found
        found = more


@kernel("int64(uint64, uint64)")
def turned_by_last(cell: np.uint64, own: np.uint64) -> int:
    """How many discs the last disc of the game turns, on ``cell``, by ``own``; all other cells are the opponent's."""
    column = cell & SEVEN
    row = cell >> THREE
    in_row = column << EIGHT | own >> (cell & np.uint64(56)) & MASK8
    in_column = row << EIGHT | ((own >> column & COLUMN) * GATHER_COLUMN) >> np.uint64(56)
    falling = column << EIGHT | ((own & FALLING[cell]) * COLUMN) >> np.uint64(56)
    rising = column << EIGHT | ((own & RISING[cell]) * COLUMN) >> np.uint64(56)
    return int(IN_LINE[in_row] + IN_LINE[in_column] + IN_LINE[falling] + IN_LINE[rising])


@kernel("int64(uint64, uint64)")
def solve_1(own: np.uint64, cell: np.uint64) -> int:
    """The exact value with one empty cell, ``cell``."""
    discs = count(own)
    turned = turned_by_last(cell, own)
    if turned:
        return 2 * (discs + turned) - 62
    turned = turned_by_last(cell, ~own & ~(ONE << cell))
    if turned:
        return 2 * (discs - turned) - 64
    return 2 * discs - 62 if discs > 31 else 2 * discs - 64


@kernel("int64(CPointer(uint64), uint64, uint64, int64, int64)")
def solve_2(memory: Any, own: np.uint64, opp: np.uint64, alpha: int, beta: int) -> int:
    """The exact value with two empty cells, or a bound outside the window."""
    memory[NODES] += ONE
    empty = ~(own | opp)
    first = lowest(empty)
    second = lowest(empty & (empty - ONE))
    best = WORST
    if NEIGHBOURS[first] & opp:
        turned = turned_by(first, own, opp)
        if turned:
            memory[NODES] += ONE
            best = -solve_1(opp ^ turned, second)
            if best >= beta:
                return best
    if NEIGHBOURS[second] & opp:
        turned = turned_by(second, own, opp)
        if turned:
            memory[NODES] += ONE
            best = max(best, -solve_1(opp ^ turned, first))
    if best > WORST:
        return best
    # A pass: the opponent's moves, as good for us as they are bad for it.
    best = -WORST
    turned = turned_by(first, opp, own)
    if turned:
        memory[NODES] += ONE
        best = solve_1(own ^ turned, second)
        if best <= alpha:
            return best
    turned = turned_by(second, opp, own)
    if turned:
        memory[NODES] += ONE
        best = min(best, solve_1(own ^ turned, first))
    return best if best < -WORST else final(own, opp)


@kernel("int64(CPointer(uint64), uint64, uint64, int64, int64, uint64, int64)")
def solve_few(memory: Any, own: np.uint64, opp: np.uint64, alpha: int, beta: int, odd: np.uint64, empties: int) -> int:
    """The exact value with ``empties`` empty cells, 3 or more, or a bound outside the window.

    ``odd`` are the quadrants with an odd number of empty cells; they come first, as who moves there is likely to
    have the last move in them too.
    """
    memory[NODES] += ONE
    empty = ~(own | opp)
    rest = empty & odd
    later = empty & ~odd
    best = WORST
    while rest | later:
        if not rest:
            rest = later
            later = ZERO
        cell = lowest(rest)
        rest &= rest - ONE
        if NEIGHBOURS[cell] & opp:
            turned = turned_by(cell, own, opp)
            if turned:
                then = own | turned | ONE << cell
                if empties == 3:
                    value = -solve_2(memory, opp ^ turned, then, -beta, -alpha)
                else:
                    value = -solve_few(memory, opp ^ turned, then, -beta, -alpha, odd ^ QUADRANT[cell], empties - 1)
                if value > best:
                    if value >= beta:
                        return value
                    best = value
                    alpha = max(alpha, value)
    if best > WORST:
        return best
    if not moves_of(opp, own):
        return final(own, opp)
    return -solve_few(memory, opp, own, -beta, -alpha, odd, empties)


@kernel("uint64(uint64, uint64)")
def hash_of(own: np.uint64, opp: np.uint64) -> np.uint64:
    """What a position is known by in the table. Two positions share it by chance alone: one pair in 2 ** 64."""
    mixed = own * MIX_1
    mixed = ((mixed ^ mixed >> np.uint64(32)) + opp) * MIX_2
    mixed = (mixed ^ mixed >> np.uint64(29)) * MIX_3
    return mixed ^ mixed >> np.uint64(32)


@kernel("uint64(CPointer(uint64), uint64)")
def find(memory: Any, key: np.uint64) -> np.uint64:
    """What the table has under ``key``, packed, or 0."""
    at = TABLE_AT + (key >> memory[TABLE_SHIFT] << THREE)
    if memory[at] == key:
        return np.uint64(memory[at + ONE])
    if memory[at + TWO] == key:
        return np.uint64(memory[at + THREE])
    if memory[at + np.uint64(4)] == key:
        return np.uint64(memory[at + np.uint64(5)])
    if memory[at + np.uint64(6)] == key:
        return np.uint64(memory[at + SEVEN])
    return ZERO


@kernel("void(CPointer(uint64), uint64, int64, int64, int64, uint64)")
def keep(memory: Any, key: np.uint64, depth: int, lower: int, upper: int, cell: np.uint64) -> None:
    """Write bounds and the best move, ``cell``, into the table, over the same key or the least of the bucket:
    what an earlier search has left, then what was searched less deeply.

    Packed: the move in bits 0 to 7, the bounds plus 32768 in bits 8 to 23 and 24 to 39, the depth in bits 40 to 47 and
    the age in bits 48 to 55.
    """
    at = TABLE_AT + (key >> memory[TABLE_SHIFT] << THREE)
    where = at
    least = 1 << 20
    for _ in range(4):
        if memory[at] == key:
            where = at
            break
        packed = memory[at + ONE]
        worth = int(packed >> np.uint64(40) & MASK8)
        if packed >> np.uint64(48) == memory[AGE]:
            worth += 256
        if worth < least:
            least = worth
            where = at
        at += TWO
    memory[where] = key
    memory[where + ONE] = (
        cell
        | np.uint64(lower + 32768) << EIGHT
        | np.uint64(upper + 32768) << np.uint64(24)
        | np.uint64(depth) << np.uint64(40)
        | memory[AGE] << np.uint64(48)
    )


@kernel("boolean(CPointer(uint64), CPointer(uint8))")
def stopped(memory: Any, flag: Any) -> bool:
    """Whether the search is to end. Looks at the flag every NODES_PER_POLL nodes."""
    if memory[NODES] >= memory[NEXT_POLL]:
        memory[NEXT_POLL] = memory[NODES] + NODES_PER_POLL
        if flag[0] != 0 or memory[NODES] >= memory[NODE_LIMIT]:
            memory[STOPPED] = ONE
    return bool(memory[STOPPED] != ZERO)


@kernel("uint64(uint64)")
def around(discs: np.uint64) -> np.uint64:
    """The cells beside ``discs`` and the discs themselves."""
    wide = discs | (discs & NOT_RIGHT) << ONE | (discs & NOT_LEFT) >> ONE
    return wide | wide << EIGHT | wide >> EIGHT


@kernel("UniTuple(int64, 13)(uint64, uint64)")
def features(own: np.uint64, opp: np.uint64) -> tuple[int, ...]:
    """What the evaluation weighs, each for the side to move less the same for the other, but the first: 1.

    Moves; their logarithm; cells that may become moves; discs that no empty cell touches; corners; discs on the
    diagonal and on the edge beside an empty corner; discs; corners that can be taken at once; edge discs; stable
    discs; and, alone, the quadrants with an odd number of empty cells.
    """
    empty = ~(own | opp)
    mine = moves_of(own, opp)
    theirs = moves_of(opp, own)
    open_corners = empty & CORNERS
    exposed = around(open_corners)
    c_cells = exposed & EDGES
    x_cells = exposed & X_CELLS
    frontier = around(empty)
    odd = (
        (count(empty & QUADRANT[0]) & 1)
        + (count(empty & QUADRANT[7]) & 1)
        + (count(empty & QUADRANT[56]) & 1)
        + (count(empty & QUADRANT[63]) & 1)
    )
    return (
        1,
        count(mine) - count(theirs),
        LOGARITHM[count(mine)] - LOGARITHM[count(theirs)],
        count(around(opp) & empty) - count(around(own) & empty),
        count(own & ~frontier) - count(opp & ~frontier),
        count(own & CORNERS) - count(opp & CORNERS),
        count(own & x_cells) - count(opp & x_cells),
        count(own & c_cells) - count(opp & c_cells),
        count(own) - count(opp),
        count(mine & CORNERS) - count(theirs & CORNERS),
        count(own & EDGES) - count(opp & EDGES),
        count(stable(own, opp)) - count(stable(opp, own)),
        odd,
    )


@kernel("uint64(uint64, uint64)")
def shape_of_edge(mine: np.uint64, theirs: np.uint64) -> np.uint64:
    """The shape of an edge, by the discs of both on it, eight bits."""
    return np.uint64(DIGITS[mine] + TWO * DIGITS[theirs])


@kernel("uint64(uint64, uint64, uint64, uint64)")
def shape_of_corner(own: np.uint64, opp: np.uint64, shift: np.uint64, at: np.uint64) -> np.uint64:
    """The shape of a corner, the lowest of whose nine cells is ``shift``; ``at`` is where its digits begin."""
    mine = own >> shift
    mine = mine & SEVEN | mine >> np.uint64(5) & np.uint64(0o70) | mine >> np.uint64(10) & np.uint64(0o700)
    theirs = opp >> shift
    theirs = theirs & SEVEN | theirs >> np.uint64(5) & np.uint64(0o70) | theirs >> np.uint64(10) & np.uint64(0o700)
    return np.uint64(CORNER_DIGITS[at + mine] + TWO * CORNER_DIGITS[at + theirs])


@kernel("int64(CPointer(uint64), uint64, uint64)")
def evaluate(memory: Any, own: np.uint64, opp: np.uint64) -> int:
    """An estimate of the final difference, in points, less than a win of every cell."""
    found = features(own, opp)
    empties = FULL - count(own | opp)
    at = np.uint64(WEIGHTS + FEATURES * (empties // STAGE))
    total = 0
    for feature in range(FEATURES):
        total += found[feature] * int(np.int64(memory[at]))
        at += ONE
    part = min(max(empties // 10 - 1, 0), PARTS - 1)
    at = np.uint64(SHAPES + part * (SHAPES_OF_EDGES + SHAPES_OF_CORNERS))
    last = np.uint64(56)
    mine, theirs = own & COLUMN, opp & COLUMN
    left = shape_of_edge((mine * GATHER_COLUMN) >> last, (theirs * GATHER_COLUMN) >> last)
    mine, theirs = own >> SEVEN & COLUMN, opp >> SEVEN & COLUMN
    right = shape_of_edge((mine * GATHER_COLUMN) >> last, (theirs * GATHER_COLUMN) >> last)
    worth = memory[at + left] + memory[at + right]
    worth += memory[at + shape_of_edge(own & MASK8, opp & MASK8)]
    worth += memory[at + shape_of_edge(own >> last, opp >> last)]
    at += np.uint64(SHAPES_OF_EDGES)
    worth += memory[at + shape_of_corner(own, opp, ZERO, ZERO)]
    worth += memory[at + shape_of_corner(own, opp, np.uint64(5), np.uint64(512))]
    worth += memory[at + shape_of_corner(own, opp, np.uint64(40), np.uint64(1024))]
    worth += memory[at + shape_of_corner(own, opp, np.uint64(45), np.uint64(1536))]
    total += int(np.int64(worth))
    return max(min(total >> SCALE, 63 * POINTS), -63 * POINTS)


@kernel("uint64(CPointer(uint64), uint64, uint64)")
def best_of(memory: Any, start: np.uint64, end: np.uint64) -> np.uint64:
    """Where the greatest of the words from ``start`` to before ``end`` is."""
    pick = start
    look = start + ONE
    while look < end:
        if memory[look] > memory[pick]:
            pick = look
        look += ONE
    return pick


@kernel("int64(CPointer(uint64), CPointer(uint8), uint64, uint64, int64, int64, int64)")
def estimate(memory: Any, flag: Any, own: np.uint64, opp: np.uint64, alpha: int, beta: int, depth: int) -> int:
    """The value in points, or a bound outside the window, by looking ``depth`` plies ahead; nothing once stopped."""
    memory[NODES] += ONE
    if depth == 0:
        if not moves_of(own, opp) and not moves_of(opp, own):
            return POINTS * final(own, opp)
        return evaluate(memory, own, opp)
    if stopped(memory, flag):
        return 0
    moves = moves_of(own, opp)
    if not moves:
        if not moves_of(opp, own):
            return POINTS * final(own, opp)
        return -estimate(memory, flag, opp, own, -beta, -alpha, depth - 1)
    hinted = NO_CELL
    key = ZERO
    if depth >= 2:
        key = hash_of(own, opp) ^ SALT
        packed = find(memory, key)
        if packed:
            hinted = packed & MASK8
            if int(packed >> np.uint64(40) & MASK8) >= depth:
                lower = int(packed >> EIGHT & MASK16) - 32768
                upper = int(packed >> np.uint64(24) & MASK16) - 32768
                if lower >= beta or lower == upper:
                    return lower
                if upper <= alpha:
                    return upper
                alpha = max(alpha, lower)
                beta = min(beta, upper)
    at = np.uint64(LISTS) + (np.uint64(FULL - count(own | opp)) << SEVEN)
    listed = at
    low = alpha
    at_leaf = depth - depth  # no literal 0, with which numba loads a recursive function wrongly from its cache
    while moves:
        cell = lowest(moves)
        moves &= moves - ONE
        turned = turned_by(cell, own, opp)
        then = own | turned | ONE << cell
        left = opp ^ turned
        if cell == hinted:
            score = 1 << 20
        elif depth >= 3:
            score = 32768 - estimate(memory, flag, left, then, low, low, at_leaf)
        else:
            replies = moves_of(left, then)
            score = 1024 - 16 * (count(replies) + count(replies & CORNERS)) + CELL_WORTH[cell]
        memory[listed] = np.uint64(score) << EIGHT | cell
        memory[listed + np.uint64(64)] = turned
        listed += ONE
    best = NOTHING
    best_cell = NO_CELL
    while listed > at:
        pick = best_of(memory, at, listed)
        cell = memory[pick] & MASK8
        turned = memory[pick + np.uint64(64)]
        listed -= ONE
        memory[pick] = memory[listed]
        memory[pick + np.uint64(64)] = memory[listed + np.uint64(64)]
        left = opp ^ turned
        then = own | turned | ONE << cell
        # All but the first are only asked whether they are better, and if so, by how much. It is one call in a loop
        # as each more would take long to compile.
        high = beta if best == NOTHING else low + 1
        while True:
            value = -estimate(memory, flag, left, then, -high, -low, depth - 1)
            if value < high or high == beta:
                break
            high = beta
        if memory[STOPPED]:
            return 0
        if value > best:
            best = value
            best_cell = cell
            if value >= beta:
                break
            low = max(low, value)
    if depth >= 2:
        keep(memory, key, depth, best if best > alpha else NOTHING, best if best < beta else -NOTHING, best_cell)
    return best


@kernel("int64(CPointer(uint64), CPointer(uint8), uint64, uint64, int64, int64, uint64, int64)")
def solve_many(
    memory: Any, flag: Any, own: np.uint64, opp: np.uint64, alpha: int, beta: int, odd: np.uint64, empties: int
) -> int:
    """The exact value with more than FEW empty cells, or a bound outside the window. Nothing once it is stopped."""
    if empties <= FEW:
        return solve_few(memory, own, opp, alpha, beta, odd, empties)
    memory[NODES] += ONE
    if stopped(memory, flag):
        return 0
    if alpha >= STABILITY_FROM[empties]:
        most = FULL - 2 * count(stable(opp, own))
        if most <= alpha:
            return most
    moves = moves_of(own, opp)
    if not moves:
        if not moves_of(opp, own):
            return final(own, opp)
        return -solve_many(memory, flag, opp, own, -beta, -alpha, odd, empties)
    key = hash_of(own, opp)
    hinted = NO_CELL
    if empties >= KEEP_FROM:
        packed = find(memory, key)
        if packed:
            lower = int(packed >> EIGHT & MASK16) - 32768
            upper = int(packed >> np.uint64(24) & MASK16) - 32768
            if lower >= beta or lower == upper:
                return lower
            if upper <= alpha:
                return upper
            hinted = packed & MASK8
            alpha = max(alpha, lower)
            beta = min(beta, upper)
    # Score the moves: the greater the sooner.
    at = np.uint64(LISTS) + (np.uint64(empties) << SEVEN)
    listed = at
    while moves:
        cell = lowest(moves)
        moves &= moves - ONE
        turned = turned_by(cell, own, opp)
        then = own | turned | ONE << cell
        left = opp ^ turned
        if not left:
            return FULL
        if empties >= CUT_FROM:
            packed = find(memory, hash_of(left, then))
            if packed:
                lower = -(int(packed >> np.uint64(24) & MASK16) - 32768)
                if lower >= beta:
                    return lower
        if cell == hinted:
            score = 1 << 20
        elif empties >= LOOK_FROM:
            # The opponent's replies count, besides the estimate, as they are what makes the tree large.
            ahead = estimate(memory, flag, left, then, NOTHING, -NOTHING, (empties - LOOK_FROM) // LOOK_STEP)
            replies = moves_of(left, then)
            score = 32768 - ahead - REPLY_WORTH * count(replies)
        else:
            replies = moves_of(left, then)
            score = 1024 - 16 * (count(replies) + count(replies & CORNERS)) + CELL_WORTH[cell]
            if odd & ONE << cell:
                score += 8
        memory[listed] = np.uint64(score) << EIGHT | cell
        memory[listed + np.uint64(64)] = turned
        listed += ONE
    best = WORST
    best_cell = NO_CELL
    low = alpha
    while listed > at:
        pick = best_of(memory, at, listed)
        cell = memory[pick] & MASK8
        turned = memory[pick + np.uint64(64)]
        listed -= ONE
        memory[pick] = memory[listed]
        memory[pick + np.uint64(64)] = memory[listed + np.uint64(64)]
        left = opp ^ turned
        then = own | turned | ONE << cell
        parity = odd ^ QUADRANT[cell]
        high = beta if best == WORST else low + 1
        while True:
            value = -solve_many(memory, flag, left, then, -high, -low, parity, empties - 1)
            if value < high or high == beta:
                break
            high = beta
        if memory[STOPPED]:
            return 0
        if value > best:
            best = value
            best_cell = cell
            if value >= beta:
                break
            low = max(low, value)
    if empties >= KEEP_FROM:
        keep(memory, key, empties, best if best > alpha else -FULL, best if best < beta else FULL, best_cell)
    return best


@kernel("int64(uint64[::1], uint8[::1], uint64, uint64, int64, int64)")
def solve(memory: Words, flag: npt.NDArray[np.uint8], own: np.uint64, opp: np.uint64, alpha: int, beta: int) -> int:
    """The exact value of a position, or a bound on it outside the window; nothing if ``memory[STOPPED]`` is set."""
    empty = ~(own | opp)
    empties = count(empty)
    odd = ZERO
    for cell in (np.uint64(0), np.uint64(7), np.uint64(56), np.uint64(63)):
        if count(empty & QUADRANT[cell]) & 1:
            odd |= QUADRANT[cell]
    if not moves_of(own, opp) and not moves_of(opp, own):
        return final(own, opp)
    if empties == 1:
        return solve_1(own, lowest(empty))
    if empties == 2:
        return solve_2(memory.ctypes, own, opp, alpha, beta)
    return solve_many(memory.ctypes, flag.ctypes, own, opp, alpha, beta, odd, empties)


@kernel("int64(uint64[::1], uint8[::1], uint64, uint64, int64, int64, int64)")
def look_ahead(
    memory: Words, flag: npt.NDArray[np.uint8], own: np.uint64, opp: np.uint64, alpha: int, beta: int, depth: int
) -> int:
    """:func:`estimate` for Python."""
    return estimate(memory.ctypes, flag.ctypes, own, opp, alpha, beta, depth)


@kernel("uint64(uint64[::1], uint64, uint64)")
def remembered(memory: Words, own: np.uint64, opp: np.uint64) -> np.uint64:
    """The cell that was found best here, by looking to the end or else ahead, or NO_CELL."""
    packed = find(memory.ctypes, hash_of(own, opp))
    if not packed:
        packed = find(memory.ctypes, hash_of(own, opp) ^ SALT)
    return np.uint64(packed & MASK8) if packed else NO_CELL


def memory_of(bits: int, weights: npt.NDArray[np.int64], shapes: npt.NDArray[np.int64]) -> Words:
    """A search's memory with a table of ``2 ** bits`` buckets of 64 bytes, on the borders of the processor's lines.

    ``weights`` are those of the features, STAGES rows of FEATURES, and ``shapes`` what shapes are worth, PARTS rows,
    the edges first; see :mod:`noughts.engine.reversi.evaluation`. Both are in points, ``2 ** SCALE`` to one. Raises
    ValueError for other numbers of rows or columns.
    """
    if weights.shape != (STAGES, FEATURES):
        raise ValueError(f"weights are {STAGES} rows of {FEATURES}, not {weights.shape}")
    if shapes.shape != (PARTS, SHAPES_OF_EDGES + SHAPES_OF_CORNERS):
        raise ValueError(f"shapes are {PARTS} rows of {SHAPES_OF_EDGES + SHAPES_OF_CORNERS}, not {shapes.shape}")
    raw = np.zeros(TABLE + (8 << bits) + 7, np.uint64)
    skipped = -raw.ctypes.data // 8 % 8
    words = raw[skipped : skipped + TABLE + (8 << bits)]
    words[TABLE_SHIFT] = 64 - bits
    words[NODE_LIMIT] = TOP
    words[WEIGHTS:SHAPES] = weights.ravel().view(np.uint64)
    words[SHAPES : SHAPES + shapes.size] = shapes.ravel().view(np.uint64)
    return words
