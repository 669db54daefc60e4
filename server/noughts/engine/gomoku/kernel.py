"""Gomoku in numba: incremental patterns, proofs by threats, and alpha-beta. Pure; does no I/O.

A search keeps everything in one int64 array, :func:`memory_of`, which the inner functions get as a bare pointer: the
board, what a stone of either side would make on each cell (:mod:`noughts.engine.gomoku.patterns`), counts and sets of
such cells, move lists, weights, and the transposition table. All constants of compiled functions are here, because
numba's cache checks only this file; the pattern tables and the weights are in the memory.

A cell is ``19 * row + column`` plus FIRST_CELL. There are four cells beyond each border, so no code has to check for
the end of the board. The side to move, 0 or 1, is in the memory too, and all values are from its point of view.

The methods are published: principal variation search with a transposition table, killer moves and late move reductions;
and wins by continuous fours, and by fours and threes. Those proofs try every reply that could help, so they are
threat-space search without its independence of threats (L. V. Allis, H. J. van den Herik and M. P. H. Huntjens,
*Go-Moku and Threat-Space Search*, 1993).
"""

# ruff: noqa: PLR0917 - an argument stays in a register, a structure would live in memory
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic

from noughts.engine.gomoku import patterns
from noughts.engine.jit import kernel

Words = npt.NDArray[np.int64]

SIZE = 15
STRIDE = 19
FIRST_CELL = 4 * STRIDE + 4
AREA = 23 * STRIDE + 11  # cells, including those beyond the border
STEPS = (1, STRIDE - 1, STRIDE, STRIDE + 1)

EMPTY = 2
BEYOND = 3

# The patterns and the kinds of cells, as in noughts.engine.gomoku.patterns.
FIVE = 8
ALIVE, TWO_ALIVE, CUT, CUT_AND, FOUR_THREE, WON, FIVE_NOW = 5, 7, 8, 9, 10, 11, 12

# The words of a search's memory.
NODES = 0  # positions visited
NEXT_POLL = 1  # the node count at which to check the flag again
NODE_LIMIT = 2
STOPPED = 3  # 1 once the search was stopped; what it returns then is meaningless
TABLE_SHIFT = 4  # 64 - log2 of the table's number of buckets
AGE = 5  # the age of the entries that this search writes, 0 to 255
STONES = 6
KEY = 7  # the position's key, see TABLE
TURN = 8  # the side to move, 0 or 1
PROOF_LIMIT = 9  # the node count at which a proof gives up
PLAIN = 10  # 1 for a fixed-depth search, without extensions or proofs
WHOLE = 11  # 1 if every empty cell is a candidate
COUNTS = 16  # 16 words for each side: how often a stone on an empty cell would make each pattern
KINDS = COUNTS + 32  # 16 words for each side: the number of empty cells of each kind
SETS = KINDS + 32  # five words of bits for each side and each of three sets of cells, see SET_OF
SUMS = SETS + 30  # for each side, the sum of its cells' words in WORTHS
FEATURE = 128  # the features of the evaluation
WEIGHTS = FEATURE + 32  # 32 words for each stage of the game, then the same for a PLAIN search
CODES = WEIGHTS + 10 * 32  # for each cell, the codes of the lines through it: 16 bits for each direction
WHO = CODES + AREA  # for each cell, the side whose stone is on it, or EMPTY, or BEYOND
MAKES = WHO + AREA  # for each side and cell, the patterns in the four directions, as digits to base 9
BOARD_END = MAKES + 2 * AREA
HISTORY = BOARD_END  # for each side and cell, how often it caused a cutoff
KILLERS = HISTORY + 2 * AREA  # two cells for each ply
KEYS = KILLERS + 2 * 256  # a random key for each side and cell
PATTERNS = KEYS + 2 * AREA + 2  # eight codes to a word
KIND = PATTERNS + (1 << 13)  # see patterns.kind_table
WORTHS = KIND + 9**4  # what a cell's patterns are worth to a side: when it is to move, plus 2**32 times when it is not
REDUCED = WORTHS + 9**4  # 32 words for each depth: by how much a late move is searched less deeply
LISTS = REDUCED + 32 * 32  # 256 words for each number of stones: packed moves
TABLE = LISTS + 232 * 256 + 7 & ~7  # buckets of four entries, each a key and its packed data
NODES_PER_POLL = 256

WIN = 30000  # minus the plies from the root
SURE = 29000  # any higher value is a proved win
INFINITY = 32000
TOP = 700  # the estimate when five can be made at once; UNIT points make the odds ten times better
UNIT = 300
NO_LIMIT = 1 << 62

SET_OF = np.array([-1] * 5 + [2, 2, 2, 1, 1, 1, 1, 0], np.int64)  # of each kind: fives, fours, open threes
FIVES, FOURS, THREES = 0, 5, 10  # where these sets begin
POWERS = np.array([1, 9, 81, 729], np.int64)
NEAR = 0x0FF00FF00FF00FF0  # in each direction, the four cells at most two steps away
FAR = 0x3FFC3FFC3FFC3FFC  # and the six at most three
ODD_BITS = 0x5555555555555555

FEATURES = 23
STAGE = 12  # stones per stage of the game
STAGES = 5

# The number of positions that a proof within a search may visit.
PROOF_AT_LEAF = 20
PROOF_INSIDE = 60
PROOF_BY_THREES = 250
THREES_FROM = 6  # plies left
MOST_FOURS = 40

# What is left out where no threat must be answered: whole searches by the estimate, and late moves.
GOOD_UNTIL = 6  # plies left
GOOD, GOOD_PER_PLY = 40, 60  # how far an estimate is above the window, so that a search will hardly fall below
BAD_UNTIL = 4
BAD, BAD_PER_PLY = 60, 100
FEWEST_MOVES, MOST_MOVES = 3, 24
GUESS_FROM = 4  # plies left from which a position without a move in the table is searched a ply less
PROOF_SALT = 0x5851F42D4C957F2D
PLAIN_SALT = 0x14057B7EF767814F


def _instruction() -> Any:
    """A function for one of LLVM's instructions: the number of zeros below the lowest set bit."""

    def typed(_context: Any, _bits: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

        return types.int64(types.int64), generate

    return intrinsic(typed)


lowest: Callable[[int], int] = _instruction()  # index of the lowest set bit, not of 0


@kernel("void(CPointer(int64), int64, int64, int64, int64)")
def become(memory: Any, side: int, cell: int, old: int, new: int) -> None:
    """Record that the kind of ``cell`` for ``side`` changes from ``old`` to ``new``; 15 stands for none."""
    if old < 15:
        memory[KINDS + 16 * side + old] -= 1
        which = SET_OF[old]
        if which >= 0:
            at = cell - FIRST_CELL
            memory[SETS + 15 * side + 5 * which + (at >> 6)] ^= 1 << (at & 63)
    if new < 15:
        memory[KINDS + 16 * side + new] += 1
        which = SET_OF[new]
        if which >= 0:
            at = cell - FIRST_CELL
            memory[SETS + 15 * side + 5 * which + (at >> 6)] ^= 1 << (at & 63)


@kernel("void(CPointer(int64), int64, int64)")
def toggle(memory: Any, cell: int, side: int) -> None:
    """Put a stone of ``side`` on ``cell``, or remove it."""
    stone = side + 1
    taken = memory[WHO + cell] == EMPTY
    if taken:
        memory[WHO + cell] = side
        word = memory[CODES + cell]
        for who in range(2):
            at = MAKES + who * AREA + cell
            made = memory[at]
            become(memory, who, cell, memory[KIND + made] & 15, 15)
            memory[SUMS + who] -= memory[WORTHS + made]
            for _ in range(4):
                memory[COUNTS + 16 * who + made % 9] -= 1
                made //= 9
    for direction in range(4):
        step = 1 if direction == 0 else STRIDE - 2 + direction
        power = POWERS[direction]
        where = 16 * direction
        other = cell - 4 * step
        for place in range(8):
            # Seen from there, this cell is equally far in the opposite direction.
            shift = where + 2 * (7 - place)
            word = memory[CODES + other]
            new = word ^ (stone << shift)
            memory[CODES + other] = new
            if memory[WHO + other] == EMPTY:
                code = word >> where & 0xFFFF
                was = memory[PATTERNS + (code >> 3)] >> ((code & 7) << 3) & 255
                code = new >> where & 0xFFFF
                now = memory[PATTERNS + (code >> 3)] >> ((code & 7) << 3) & 255
                if was != now:
                    for who in range(2):
                        before = was >> 4 * who & 15
                        after = now >> 4 * who & 15
                        if before != after:
                            memory[COUNTS + 16 * who + before] -= 1
                            memory[COUNTS + 16 * who + after] += 1
                            at = MAKES + who * AREA + other
                            made = memory[at]
                            then = made + (after - before) * power
                            memory[at] = then
                            memory[SUMS + who] += memory[WORTHS + then] - memory[WORTHS + made]
                            old = memory[KIND + made] & 15
                            kind = memory[KIND + then] & 15
                            if old != kind:
                                become(memory, who, other, old, kind)
            other += step
            if place == 3:
                other += step
    if not taken:
        memory[WHO + cell] = EMPTY
        word = memory[CODES + cell]
        for who in range(2):
            made = 0
            for direction in range(4):
                code = word >> 16 * direction & 0xFFFF
                pattern = memory[PATTERNS + (code >> 3)] >> ((code & 7) << 3) + 4 * who & 15
                made += pattern * POWERS[direction]
                memory[COUNTS + 16 * who + pattern] += 1
            memory[MAKES + who * AREA + cell] = made
            memory[SUMS + who] += memory[WORTHS + made]
            become(memory, who, cell, 15, memory[KIND + made] & 15)
    memory[KEY] ^= memory[KEYS + side * AREA + cell]


@kernel("void(CPointer(int64), int64)")
def play(memory: Any, cell: int) -> None:
    """Play on the empty ``cell``."""
    side = memory[TURN]
    toggle(memory, cell, side)
    memory[STONES] += 1
    memory[TURN] = 1 - side


@kernel("void(CPointer(int64), int64)")
def undo(memory: Any, cell: int) -> None:
    """Undo the last move, ``cell``."""
    side = 1 - memory[TURN]
    memory[TURN] = side
    memory[STONES] -= 1
    toggle(memory, cell, side)


@kernel("int64(CPointer(int64), int64)")
def first_of(memory: Any, at: int) -> int:
    """A cell of the set that starts at ``at``. The set must not be empty."""
    word = 0
    while memory[at + word] == 0:
        word += 1
    return FIRST_CELL + 64 * word + lowest(memory[at + word])


@kernel("int64(CPointer(int64), int64, int64, int64, int64)")
def collect(memory: Any, at: int, end: int, side: int, extra: int) -> int:
    """Append the cells of the set that starts at ``at`` to the list that ends before ``end``. Returns the new end.

    Each cell has a score: what it makes for ``side`` and for the opponent, plus ``extra``.
    """
    for word in range(5):
        bits = memory[at + word]
        while bits != 0:
            cell = FIRST_CELL + 64 * word + lowest(bits)
            bits &= bits - 1
            mine = memory[KIND + memory[MAKES + side * AREA + cell]] >> 4
            theirs = memory[KIND + memory[MAKES + (1 - side) * AREA + cell]] >> 4
            memory[end] = (2 * mine + theirs + extra) << 9 | cell
            end += 1
    return end


@kernel("int64(CPointer(int64), int64, int64)")
def take_best(memory: Any, start: int, end: int) -> int:
    """Swap the largest of the words from ``start`` to before ``end`` to ``start``, and return it."""
    pick = start
    for look in range(start + 1, end):
        if memory[look] > memory[pick]:
            pick = look
    best = memory[pick]
    memory[pick] = memory[start]
    memory[start] = best
    return int(best)


@kernel("void(CPointer(int64))")
def features(memory: Any) -> None:
    """Write the features of the evaluation: a constant 1; then, for the side to move and for the opponent, how often a
    stone would make each pattern from a one to a four, and whether there is a cell that makes a four and an open three,
    two open threes, a four, or an open three; then whether the opponent threatens a five, and whether it threatens to
    make an unstoppable one.
    """
    memory[FEATURE] = 1
    me = memory[TURN]
    at = FEATURE + 1
    for turn in range(2):
        side = me ^ turn
        for pattern in range(1, 7):
            memory[at] = memory[COUNTS + 16 * side + pattern]
            at += 1
        kinds = KINDS + 16 * side
        memory[at] = int(memory[kinds + FOUR_THREE] > 0)
        memory[at + 1] = int(memory[kinds + TWO_ALIVE] > 0)
        memory[at + 2] = int(memory[kinds + FOUR_THREE] + memory[kinds + CUT_AND] + memory[kinds + CUT] > 0)
        memory[at + 3] = int(memory[kinds + ALIVE] + memory[kinds + ALIVE + 1] + memory[kinds + TWO_ALIVE] > 0)
        at += 4
    kinds = KINDS + 16 * (1 - me)
    memory[at] = int(memory[kinds + FIVE_NOW] > 0)
    memory[at + 1] = int(memory[kinds + WON] > 0)


@kernel("int64(CPointer(int64))")
def evaluate(memory: Any) -> int:
    """An estimate for the side to move, from -TOP to TOP. It is TOP only if the side to move can make five at once."""
    me = memory[TURN]
    own, other = KINDS + 16 * me, KINDS + 16 * (1 - me)
    if memory[own + FIVE_NOW]:
        return TOP
    if memory[other + FIVE_NOW] > 1:
        return 5 - TOP
    if memory[own + WON] and not memory[other + FIVE_NOW]:
        return TOP - 10
    features(memory)
    weights = WEIGHTS + 32 * (min(memory[STONES] // STAGE, STAGES - 1) + STAGES * memory[PLAIN])
    total = 0
    if memory[PLAIN] == 0:
        mine, theirs = memory[SUMS + me], memory[SUMS + 1 - me]
        total = (mine << 32 >> 32) + (theirs + (1 << 31) >> 32)
    for feature in range(FEATURES):
        total += memory[FEATURE + feature] * memory[weights + feature]
    return max(min(total >> 4, TOP - 20), 20 - TOP)


@kernel("int64(CPointer(int64), int64)")
def find(memory: Any, key: int) -> int:
    """The table's packed entry for ``key``, or 0."""
    at = TABLE + ((key >> memory[TABLE_SHIFT] & (1 << (64 - memory[TABLE_SHIFT])) - 1) << 3)
    for _ in range(4):
        if memory[at] == key:
            return int(memory[at + 1])
        at += 2
    return 0


@kernel("void(CPointer(int64), int64, int64, int64, int64, int64)")
def keep(memory: Any, key: int, depth: int, lower: int, upper: int, cell: int) -> None:
    """Store bounds and the best move, ``cell``, in the table. Replaces the entry with the same key, or else the least
    valuable of the bucket: entries of an earlier search go first, then those searched less deeply.

    Packed: the move in bits 0 to 8, the bounds plus 32768 in bits 9 to 24 and 25 to 40, the depth in bits 41 to 48 and
    the age in bits 49 to 56.
    """
    at = TABLE + ((key >> memory[TABLE_SHIFT] & (1 << (64 - memory[TABLE_SHIFT])) - 1) << 3)
    where = at
    least = 1 << 20
    for _ in range(4):
        if memory[at] == key:
            where = at
            break
        packed = memory[at + 1]
        worth = packed >> 41 & 255
        if packed >> 49 == memory[AGE]:
            worth += 256
        if worth < least:
            least = worth
            where = at
        at += 2
    memory[where] = key
    memory[where + 1] = cell | (lower + 32768) << 9 | (upper + 32768) << 25 | depth << 41 | memory[AGE] << 49


@kernel("boolean(CPointer(int64), CPointer(uint8))")
def stopped(memory: Any, flag: Any) -> bool:
    """True if the search has to stop. Checks the flag every NODES_PER_POLL nodes."""
    if memory[NODES] >= memory[NEXT_POLL]:
        memory[NEXT_POLL] = memory[NODES] + NODES_PER_POLL
        if flag[0] != 0 or memory[NODES] >= memory[NODE_LIMIT]:
            memory[STOPPED] = 1
    return bool(memory[STOPPED] != 0)


@kernel("int64(CPointer(int64), CPointer(uint8), int64, int64)")
def prove(memory: Any, flag: Any, left: int, threes: int) -> int:
    """The number of plies in which the side to move wins by threats alone: at most ``left`` of them, not counting the
    last two, of which at most ``threes`` are not fours. 0 if it does not win that way, and -1 if that is not known
    because the search was stopped or reached PROOF_LIMIT.

    The win is proved against every defence, but there may be a quicker one.
    """
    memory[NODES] += 1
    if stopped(memory, flag) or memory[NODES] >= memory[PROOF_LIMIT]:
        return -1
    me = memory[TURN]
    own, other = KINDS + 16 * me, KINDS + 16 * (1 - me)
    if memory[own + FIVE_NOW]:
        return 1
    if memory[other + FIVE_NOW] > 1:
        return 0
    must = memory[other + FIVE_NOW] == 1
    if not must and memory[own + WON]:
        return 3
    if left == 0:
        return 0
    my_sets, their_sets = SETS + 15 * me, SETS + 15 * (1 - me)
    key = memory[KEY] ^ (PROOF_SALT + me)
    packed = find(memory, key)
    hinted = 0
    if packed:
        distance = (packed >> 9 & 0xFFFF) - 32768
        if distance > 0:
            hinted = packed & 511
            if distance <= 2 * left + 3 and (packed >> 25 & 0xFFFF) - 32768 <= threes:
                return distance
        elif (packed >> 41 & 255) >= left and (packed >> 25 & 0xFFFF) - 32768 >= threes:
            return 0
    start = LISTS + (memory[STONES] << 8)
    if must:
        memory[start] = first_of(memory, their_sets + FIVES)
        end = start + 1
    else:
        end = collect(memory, my_sets + FOURS, start, me, 4000)
        if threes:
            end = collect(memory, my_sets + THREES, end, me, 0)
    if hinted:
        for look in range(start, end):
            if memory[look] & 511 == hinted:
                memory[look] |= 1 << 40
    found = 0
    best = 0
    while start < end:
        cell = take_best(memory, start, end) & 511
        start += 1
        play(memory, cell)
        replies = LISTS + (memory[STONES] << 8)
        last = replies
        fewer = threes
        if memory[own + FIVE_NOW] > 1:
            found = 3
        elif memory[own + FIVE_NOW] == 1:
            memory[last] = first_of(memory, my_sets + FIVES)
            last += 1
        elif threes and memory[own + WON] and not memory[other + WON]:
            if not must:
                fewer -= 1
            last = collect(memory, their_sets + FOURS, last, 1 - me, 4000)
            last = collect(memory, my_sets + FOURS, last, 1 - me, 0)
            # A cell in both sets is listed twice, but the table makes the second search cheap.
        longest = 0
        while replies < last:
            reply = take_best(memory, replies, last) & 511
            replies += 1
            play(memory, reply)
            plies = prove(memory, flag, left - 1, fewer)
            undo(memory, reply)
            if plies <= 0:
                longest = plies
                break
            longest = max(longest, plies)
        undo(memory, cell)
        if longest < 0:
            return -1
        if longest > 0:
            found = longest + 2
        if found:
            best = cell
            break
    keep(memory, key, min(left, 255), found, threes, best)
    return found


@kernel("int64(CPointer(int64), int64, int64, int64)")
def candidates(memory: Any, start: int, hinted: int, ply: int) -> int:
    """List the moves worth searching from ``start`` on. Returns the end of the list.

    These are the side's own fives; else the cells that stop the opponent's five; else, if the opponent threatens an
    unstoppable four, the moves that do something about it; else all cells in line with a stone, two steps away or
    less in a PLAIN search and three in others.
    """
    me = memory[TURN]
    own, other = KINDS + 16 * me, KINDS + 16 * (1 - me)
    end = start
    if memory[own + FIVE_NOW]:
        end = collect(memory, SETS + 15 * me + FIVES, start, me, 0)
    elif memory[other + FIVE_NOW]:
        end = collect(memory, SETS + 15 * (1 - me) + FIVES, start, me, 0)
    elif memory[other + WON] and not memory[own + WON]:
        end = collect(memory, SETS + 15 * (1 - me) + FOURS, start, me, 0)
        for word in range(5):
            bits = memory[SETS + 15 * me + FOURS + word] & ~memory[SETS + 15 * (1 - me) + FOURS + word]
            while bits != 0:
                cell = FIRST_CELL + 64 * word + lowest(bits)
                bits &= bits - 1
                memory[end] = (memory[KIND + memory[MAKES + me * AREA + cell]] >> 4) << 9 | cell
                end += 1
    else:
        whole = memory[WHOLE] != 0
        near = NEAR if memory[PLAIN] else FAR
        for row in range(SIZE):
            cell = FIRST_CELL + STRIDE * row - 1
            for _ in range(SIZE):
                cell += 1
                if memory[WHO + cell] != EMPTY:
                    continue
                code = memory[CODES + cell]
                if not whole and (code ^ code >> 1) & ODD_BITS & near == 0:
                    continue
                mine = memory[KIND + memory[MAKES + me * AREA + cell]] >> 4
                theirs = memory[KIND + memory[MAKES + (1 - me) * AREA + cell]] >> 4
                score = 8 * (2 * mine + theirs) + min(memory[HISTORY + me * AREA + cell] >> 4, 200)
                if cell == memory[KILLERS + 2 * ply] or cell == memory[KILLERS + 2 * ply + 1]:
                    score += 160
                memory[end] = score << 9 | cell
                end += 1
        if end == start:  # no empty cell is near a stone
            cell = FIRST_CELL + 7 * STRIDE + 7
            if memory[WHO + cell] != EMPTY:
                for look in range(FIRST_CELL, AREA):
                    if memory[WHO + look] == EMPTY:
                        cell = look
                        break
            memory[end] = cell
            end += 1
    if hinted:
        for look in range(start, end):
            if memory[look] & 511 == hinted:
                memory[look] |= 1 << 40
    return end


@kernel("int64(CPointer(int64), CPointer(uint8), int64, int64, int64, int64)")
def search(memory: Any, flag: Any, left: int, alpha: int, beta: int, ply: int) -> int:
    """The value, or a bound outside the window, from a search ``left`` plies deep, deeper where threats continue unless
    it is PLAIN. Meaningless once stopped. A win is worth WIN minus the plies from the root, ``ply`` of which have been
    played.
    """
    memory[NODES] += 1
    if stopped(memory, flag):
        return 0
    if memory[STONES] == SIZE * SIZE:
        return 0
    plain = memory[PLAIN] != 0
    me = memory[TURN]
    own, other = KINDS + 16 * me, KINDS + 16 * (1 - me)
    must = memory[other + FIVE_NOW] > 0
    if plain:
        if left == 0:
            return evaluate(memory)
        if memory[own + FIVE_NOW]:
            return WIN - ply - 1
    else:
        if memory[own + FIVE_NOW]:
            return WIN - ply - 1
        if memory[other + FIVE_NOW] > 1:
            return ply + 2 - WIN
        if memory[own + WON] and not must:
            return WIN - ply - 3
        if ply > 200:
            return evaluate(memory)
    key = memory[KEY]
    if plain:
        key ^= PLAIN_SALT + memory[WHOLE]
    hinted = 0
    known = -1  # the depth of an earlier search, which has looked for wins by threats
    if left > 0:
        packed = find(memory, key)
        if packed:
            hinted = packed & 511
            known = packed >> 41 & 255
            if known == left or (known > left and not plain):
                lower = (packed >> 9 & 0xFFFF) - 32768
                upper = (packed >> 25 & 0xFFFF) - 32768
                if lower > SURE:
                    lower -= ply
                elif lower < -SURE:
                    lower += ply
                if upper > SURE:
                    upper -= ply
                elif upper < -SURE:
                    upper += ply
                if lower >= beta or lower == upper:
                    return lower
                if upper <= alpha:
                    return upper
    estimate = 0
    calm = not must and memory[other + WON] == 0
    null = beta - alpha == 1
    if not plain and not must:
        estimate = evaluate(memory)
        if left <= 0 and estimate >= beta:
            return estimate  # a win by threats would only be better
        prune = null and calm and left > 0 and -SURE < beta < SURE
        if prune and left <= GOOD_UNTIL and estimate - GOOD - GOOD_PER_PLY * left >= beta:
            return estimate
        # See whether the side to move wins by threats.
        if known < 0 and memory[own + FOUR_THREE] + memory[own + CUT_AND] + memory[own + CUT] > 0:
            memory[PROOF_LIMIT] = memory[NODES] + (PROOF_INSIDE if left > 0 else PROOF_AT_LEAF)
            threes = left - left
            plies = prove(memory, flag, MOST_FOURS, threes)
            if plies > 0:
                return WIN - ply - plies
        if left >= THREES_FROM > known and calm:
            memory[PROOF_LIMIT] = memory[NODES] + PROOF_BY_THREES
            plies = prove(memory, flag, MOST_FOURS, left // 2)
            if plies > 0:
                return WIN - ply - plies
        if left <= 0:
            return estimate
        if prune and left <= BAD_UNTIL and estimate + BAD + BAD_PER_PLY * left <= alpha:
            keep(memory, key, left, -INFINITY, estimate, 0)
            return estimate
        if left >= GUESS_FROM and hinted == 0:
            left -= 1
    at = LISTS + (memory[STONES] << 8)
    end = candidates(memory, at, hinted, ply)
    then = left if must and not plain else left - 1
    low = alpha
    best = -INFINITY
    best_cell = 0
    number = 0
    most = min(FEWEST_MOVES + left * left // 2, MOST_MOVES)
    count = end - at
    forced = must or memory[other + WON] > 0
    while number < count:
        cell = take_best(memory, at + number, end) & 511
        # A loss must not be claimed from the first moves alone, so go on while all of them lose.
        if not plain and not forced and best > -SURE and number >= most:
            break
        mine = memory[KIND + memory[MAKES + me * AREA + cell]] & 15
        theirs = memory[KIND + memory[MAKES + (1 - me) * AREA + cell]] & 15
        play(memory, cell)
        # Principal variation search: a null window for all moves but the first, at a lower depth for late ones, and a
        # second search for those that turn out better. One call in a loop, because each call makes compiling slower.
        high = beta if number == 0 else low + 1
        less = 0
        if not plain and not must and left >= 2:
            less = memory[REDUCED + 32 * min(left, 31) + min(number, 31)]
            less = min(max(less - int(mine >= ALIVE) - int(theirs >= ALIVE), 0), left - 1)
        while True:
            value = -search(memory, flag, then - less, -high, -low, ply + 1)
            if value <= low:
                break
            if less > 0:
                less = 0
            elif value < high or high == beta:
                break
            else:
                high = beta
        undo(memory, cell)
        if memory[STOPPED]:
            return 0
        number += 1
        if value > best:
            best = value
            best_cell = cell
            if value >= beta:
                if not forced:
                    memory[HISTORY + me * AREA + cell] += left * left
                    if memory[KILLERS + 2 * ply] != cell:
                        memory[KILLERS + 2 * ply + 1] = memory[KILLERS + 2 * ply]
                        memory[KILLERS + 2 * ply] = cell
                break
            low = max(low, value)
    if left > 0:
        lower = best if best > alpha else -INFINITY
        upper = best if best < beta else INFINITY
        if SURE < lower <= WIN:
            lower += ply
        elif -WIN <= lower < -SURE:
            lower -= ply
        if SURE < upper <= WIN:
            upper += ply
        elif -WIN <= upper < -SURE:
            upper -= ply
        keep(memory, key, left, lower, upper, best_cell)
    return best


@kernel("void(int64[::1], int64)")
def put(memory: Words, cell: int) -> None:
    """:func:`play` for Python."""
    play(memory.ctypes, cell)


@kernel("void(int64[::1], int64)")
def take(memory: Words, cell: int) -> None:
    """:func:`undo` for Python."""
    undo(memory.ctypes, cell)


@kernel("int64(int64[::1])")
def estimate(memory: Words) -> int:
    """:func:`evaluate` for Python. It leaves the features in FEATURE, unless the position is as good as decided."""
    return evaluate(memory.ctypes)


@kernel("int64(int64[::1], uint8[::1], int64, int64, int64, int64)")
def look_ahead(memory: Words, flag: npt.NDArray[np.uint8], left: int, alpha: int, beta: int, ply: int) -> int:
    """:func:`search` for Python."""
    return search(memory.ctypes, flag.ctypes, left, alpha, beta, ply)


@kernel("int64(int64[::1], uint8[::1], int64, int64, int64)")
def win_by_threats(memory: Words, flag: npt.NDArray[np.uint8], left: int, threes: int, nodes: int) -> int:
    """:func:`prove` for Python, visiting at most ``nodes`` positions."""
    memory[PROOF_LIMIT] = memory[NODES] + nodes
    return prove(memory.ctypes, flag.ctypes, left, threes)


@kernel("int64(int64[::1], int64)")
def remembered(memory: Words, salt: int) -> int:
    """The best move that the table has for the position, or 0: with a ``salt`` of 0 that of the search, with PLAIN_SALT
    plus WHOLE that of a plain one.
    """
    return find(memory.ctypes, memory[KEY] ^ salt) & 511


@kernel("int64(int64[::1])")
def first_threat(memory: Words) -> int:
    """The first move of a proved win by threats for the side to move, or 0."""
    packed = find(memory.ctypes, memory[KEY] ^ (PROOF_SALT + memory[TURN]))
    return packed & 511 if (packed >> 9 & 0xFFFF) > 32768 else 0


@kernel("int64(int64[::1])")
def list_candidates(memory: Words) -> int:
    """:func:`candidates` for Python. Writes them from LISTS on, and returns their number."""
    end = candidates(memory.ctypes, LISTS, 0, 0)
    return end - LISTS


PROVED = 8  # the offset that `glance` adds


@kernel("void(int64[::1])")
def glance(memory: Words) -> None:
    """Evaluate every move. For each empty cell, from LISTS on, writes 16 times the value for the side that plays there,
    plus PROVED, plus what is known of the result: a win in 1 or 3 plies as 1 or 3, a loss in 2 or 4 as -2 or -4, else
    0.
    """
    pointer = memory.ctypes
    me = memory[TURN]
    own, other = KINDS + 16 * me, KINDS + 16 * (1 - me)
    for cell in range(FIRST_CELL, AREA):
        if memory[WHO + cell] != EMPTY:
            continue
        known = 1 if memory[KIND + memory[MAKES + me * AREA + cell]] & 15 == FIVE_NOW else 0
        play(pointer, cell)
        memory[NODES] += 1
        value = -evaluate(pointer) if memory[STONES] < SIZE * SIZE else 0
        if known == 0 and memory[other + FIVE_NOW]:
            known = -2
        elif known == 0 and memory[own + FIVE_NOW] > 1:
            known = 3
        elif known == 0 and not memory[own + FIVE_NOW] and memory[other + WON]:
            known = -4
        undo(pointer, cell)
        memory[LISTS + cell] = 16 * value + PROVED + known


def cell_of(number: int) -> int:
    """The cell of the move with this ``number``, 0 to 224, in board order."""
    return FIRST_CELL + STRIDE * (number // SIZE) + number % SIZE


BOARD = (slice(STONES, PROOF_LIMIT), slice(COUNTS, FEATURE), slice(CODES, BOARD_END))
"""The parts of a memory that hold the position."""


def memory_of(bits: int, weights: Words, cells: Words) -> Words:
    """A new memory for a search, with an empty board and a table of ``2 ** bits`` buckets of 64 bytes, aligned to cache
    lines.

    ``weights`` are in sixteenths of an estimate's unit, in rows of FEATURES: one row for each of STAGES for searches
    that look for fours before they evaluate, then as many rows for plain ones. ``cells`` are as fine, for the former
    searches only: for each class of cells of ``patterns.classes`` what such a cell of the side to move is worth to it,
    and what such a cell of the opponent.
    """
    raw = np.zeros(TABLE + (8 << bits) + 7, np.int64)
    skipped = -raw.ctypes.data // 8 % 8
    memory = raw[skipped : skipped + TABLE + (8 << bits)]
    memory[TABLE_SHIFT] = 64 - bits
    memory[NODE_LIMIT] = NO_LIMIT
    log = np.log(np.maximum(np.arange(32), 1))
    memory[REDUCED:LISTS] = (0.8 + log[:, None] * log / 1.2).astype(np.int64).ravel()
    memory[PATTERNS : PATTERNS + (1 << 13)] = patterns.pattern_table().view("<i8")
    memory[KIND : KIND + 9**4] = patterns.kind_table()
    worth = cells[patterns.classes()]
    memory[WORTHS:REDUCED] = worth[:, 0] + (worth[:, 1] << 32)
    keys = np.random.default_rng(1).integers(-(1 << 63), (1 << 63) - 1, 2 * AREA, np.int64)
    memory[KEYS : KEYS + 2 * AREA] = keys
    memory[WEIGHTS:CODES].reshape(2 * STAGES, 32)[:, :FEATURES] = weights
    _clear(memory)
    return memory


def _clear(memory: Words) -> None:
    """Write the empty board."""
    cells = [cell_of(number) for number in range(SIZE * SIZE)]
    memory[WHO : WHO + AREA] = BEYOND
    memory[[WHO + cell for cell in cells]] = EMPTY
    table = memory[PATTERNS : PATTERNS + (1 << 13)].view(np.uint8)
    for cell in cells:
        word = made = 0
        for direction, step in enumerate(STEPS):
            code = 0
            for place, away in enumerate((-4, -3, -2, -1, 1, 2, 3, 4)):
                if memory[WHO + cell + away * step] == BEYOND:
                    code |= BEYOND << 2 * place
            word |= code << 16 * direction
            pattern = int(table[code]) & 15
            made += pattern * 9**direction
            memory[[COUNTS + pattern, COUNTS + 16 + pattern]] += 1
        memory[CODES + cell] = word - (word >> 63 << 64)
        memory[[MAKES + cell, MAKES + AREA + cell]] = made
        memory[[SUMS, SUMS + 1]] += memory[WORTHS + made]
        memory[[KINDS + (int(memory[KIND + made]) & 15), KINDS + 16 + (int(memory[KIND + made]) & 15)]] += 1


def empty_board(memory: Words) -> tuple[Words, ...]:
    """Copies of the parts of a new ``memory`` that hold the position, for :func:`set_up`; see BOARD."""
    return tuple(memory[part].copy() for part in BOARD)


def set_up(memory: Words, empty: tuple[Words, ...], first: list[int], second: list[int]) -> None:
    """Set up the position with the two sides' stones on these cells, starting from the ``empty`` board."""
    for part, words in zip(BOARD, empty, strict=True):
        memory[part] = words
    for side, cells in enumerate((first, second)):
        for cell in cells:
            memory[TURN] = side
            put(memory, cell)
    memory[TURN] = (len(first) + len(second)) % 2
