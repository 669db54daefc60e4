"""Ultimate tic-tac-toe in numba: perft, and alpha-beta over both levels, exact where it reaches the end. Pure; no I/O.

A small board is a word in the memory: nine bits for the first side, then nine for the second, row by row from the top
left. The large board is a word too, ``large``: nine bits for the small boards that the first side has won, nine for
those of the second, and nine for all finished ones. ``shift`` says which side is to move, and how far its bits are
shifted: 0 for the first side, 9 for the second. ``sent`` is the small board to play in, 9 for any.

Everything is uint64, because numba turns mixed signs into floats; only values are int64. All constants are here,
because numba's cache checks only this file. The evaluation's tables are passed in (see
:mod:`noughts.engine.ultimate.lookup`).

A search keeps everything in one array, :func:`memory_of`: counters, the small boards, history and killer moves, a move
list for each ply, and the transposition table.

The methods are published: principal variation search (Marsland and Campbell, 1982) with a transposition table, killer
moves (Slate and Atkin, 1977), and the history heuristic (Schaeffer, 1989). In a key, a finished small board counts only
by its winner.
"""

# ruff: noqa: PLR0917 - an argument stays in a register, a structure would live in memory
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic

from noughts.engine.jit import kernel

Words = npt.NDArray[np.uint64]

ZERO, ONE, TWO, THREE, FOUR, SEVEN, EIGHT, NINE = (np.uint64(n) for n in (0, 1, 2, 3, 4, 7, 8, 9))
FINISHED = np.uint64(18)  # the shift of the finished boards in the large board's word
FULL = np.uint64(511)
BOTH = np.uint64(0x3FFFF)
MASK4, MASK8, MASK16 = np.uint64(15), np.uint64(255), np.uint64(0xFFFF)
TOP = np.uint64(1 << 63)

# The words of a search's memory.
NODES = 0  # positions visited
NEXT_POLL = 1  # the node count at which to check the flag again
NODE_LIMIT = 2
STOPPED = 3  # 1 once the search was stopped; what it returns then is meaningless
TABLE_SHIFT = 4  # 64 - log2 of the table's number of buckets
AGE = 5  # the age of the entries that this search writes, 0 to 255
PLAIN = 6  # 1 for a search of all moves to the same depth, see `search`
BOARDS = np.uint64(8)  # the nine small boards
RANKS = np.uint64(32)  # packed ranks by state of the large board, see noughts.engine.ultimate.lookup
HISTORY = RANKS + np.uint64(3**9)  # a score for each side and cell
KILLERS = HISTORY + np.uint64(2 * 81)  # two moves for each ply
LISTS = KILLERS + np.uint64(2 * 96)  # 81 moves for each ply, three words each
LIST = np.uint64(243)
TABLE = (LISTS + np.uint64(96) * LIST) // EIGHT * EIGHT + EIGHT  # buckets of four entries: a key and its packed data
NODES_PER_POLL = np.uint64(2048)

# Tables of the evaluation.
STATES = np.uint64(3**9)
WITHIN = STATES
SENT = WITHIN + np.uint64(10) * STATES
SENT_OTHER = SENT + np.uint64(10) * STATES
FREE = SENT_OTHER + np.uint64(10) * STATES

POINTS = 16  # estimates are in points, this many to a unit of the game's heuristic
MOST = 900 * POINTS  # the largest estimate
WIN = 30000  # minus the plies to it
DECIDED = 29000
NOTHING = -32000  # less than any value
ANYWHERE = NINE
NO_MOVE = np.uint64(127)
KILLER_WORTH = 200  # points in move ordering
HISTORY_MOST = np.uint64(400)
# Late move reductions, except in a plain search: from this many plies left and after this many moves.
REDUCE_FROM, REDUCE_AFTER = 3, 3
REDUCE_MORE_FROM, REDUCE_MORE_AFTER = 6, 8
LOWER, UPPER = ONE, TWO  # what a value in the table is: a lower bound, an upper bound, or both

MIX_1, MIX_2, MIX_3 = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
TURN = np.uint64(0x5851F42D4C957F2D)  # the part of the key for the side to move
SALT = np.uint64(0x2545F4914F6CDD1D)  # so that plain searches and others have different keys

_LINES = tuple(
    sum(1 << int(cell) for cell in line) for line in ("012", "345", "678", "036", "147", "258", "048", "246")
)
WON = np.array([any(taken & line == line for line in _LINES) for taken in range(512)], np.bool_)
THREES = np.array([sum(3**place for place in range(9) if taken >> place & 1) for taken in range(512)], np.uint64)


def _instruction(name: str, result: Any) -> Any:
    """A function for one of LLVM's instructions on a uint64."""

    def typed(_context: Any, _bits: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            if name == "ctpop":
                return builder.ctpop(arguments[0])
            return getattr(builder, name)(arguments[0], context.get_constant(types.boolean, True))

        return result(types.uint64), generate

    return intrinsic(typed)


count: Callable[[np.uint64], int] = _instruction("ctpop", types.int64)  # the number of bits set
lowest: Callable[[np.uint64], np.uint64] = _instruction("cttz", types.uint64)  # index of the lowest set bit, not of 0


@kernel("uint64(uint64, uint64)")
def state_of(own: np.uint64, other: np.uint64) -> np.uint64:
    """The state of nine places, as a number for the tables."""
    return np.uint64(THREES[own] + (THREES[other] << ONE))


@kernel("uint64(uint64, uint64)")
def large_state(large: np.uint64, shift: np.uint64) -> np.uint64:
    """The state of the large board as a side sees it. Finished boards that it has not won count as the opponent's."""
    own = large >> shift & FULL
    return state_of(own, large >> FINISHED & ~own)


@kernel("int64(CPointer(int16), uint64, uint64, uint64, uint64)")
def within(tables: Any, own: np.uint64, other: np.uint64, mine: np.uint64, theirs: np.uint64) -> int:
    """The value of a small board for the side to move, minus its value for the opponent. ``mine`` and ``theirs`` are
    its ranks.
    """
    return int(
        tables[WITHIN + mine * STATES + state_of(own, other)] - tables[WITHIN + theirs * STATES + state_of(other, own)]
    )


@kernel("int64(CPointer(int16), uint64, uint64, uint64, uint64)")
def sent_there(tables: Any, own: np.uint64, other: np.uint64, mine: np.uint64, theirs: np.uint64) -> int:
    """The value for the side to move of having to play in this small board."""
    return int(
        tables[SENT + mine * STATES + state_of(own, other)]
        + tables[SENT_OTHER + theirs * STATES + state_of(other, own)]
    )


@kernel("int64(CPointer(uint64), CPointer(int16), uint64, uint64)")
def standing(memory: Any, tables: Any, shift: np.uint64, large: np.uint64) -> int:
    """The value of the position for the side to move, without the board that it has to play in."""
    mine, theirs = large_state(large, shift), large_state(large, NINE - shift)
    value = tables[mine] - tables[theirs]
    mine, theirs = memory[RANKS + mine], memory[RANKS + theirs]
    left = ~(large >> FINISHED) & FULL
    while left:
        board = lowest(left)
        left &= left - ONE
        word = memory[BOARDS + board]
        at = board << TWO
        value += within(
            tables, word >> shift & FULL, word >> (NINE - shift) & FULL, mine >> at & MASK4, theirs >> at & MASK4
        )
    return int(value)


@kernel("int64(CPointer(uint64), uint64, uint64, uint64, int64)")
def lines_of(memory: Any, shift: np.uint64, sent: np.uint64, large: np.uint64, depth: int) -> int:
    """The number of lines of ``depth`` plies, 1 or more. The small boards in the memory are unchanged afterwards."""
    left = ONE << sent if sent < NINE else ~(large >> FINISHED) & FULL
    total = 0
    while left:
        board = lowest(left)
        left &= left - ONE
        word = memory[BOARDS + board]
        empty = ~(word | word >> NINE) & FULL
        if depth == 1:
            total += count(empty)
            continue
        while empty:
            place = lowest(empty)
            empty &= empty - ONE
            after = word | ONE << (place + shift)
            then = large
            if WON[after >> shift & FULL]:
                then |= ONE << (board + shift) | ONE << (board + FINISHED)
            elif (after | after >> NINE) & FULL == FULL:
                then |= ONE << (board + FINISHED)
            if then >> FINISHED == FULL or WON[then >> shift & FULL]:
                continue
            memory[BOARDS + board] = after
            target = ANYWHERE if then >> (FINISHED + place) & ONE else place
            total += lines_of(memory, NINE - shift, target, then, depth - 1)
            memory[BOARDS + board] = word
    return total


@kernel("uint64(uint64, uint64)")
def mixed(board: np.uint64, word: np.uint64) -> np.uint64:
    """A small board's part of the key. Two positions share a key only by chance: one pair in 2 ** 64."""
    found = (word << FOUR | board) * MIX_1
    found = (found ^ found >> np.uint64(32)) * MIX_2
    found = (found ^ found >> np.uint64(29)) * MIX_3
    return np.uint64(found ^ found >> np.uint64(32))


@kernel("uint64(CPointer(uint64), uint64)")
def find(memory: Any, key: np.uint64) -> np.uint64:
    """The table's packed entry for ``key``, or 0."""
    at = TABLE + (key >> memory[TABLE_SHIFT] << THREE)
    if memory[at] == key:
        return np.uint64(memory[at + ONE])
    if memory[at + TWO] == key:
        return np.uint64(memory[at + THREE])
    if memory[at + FOUR] == key:
        return np.uint64(memory[at + np.uint64(5)])
    if memory[at + np.uint64(6)] == key:
        return np.uint64(memory[at + SEVEN])
    return ZERO


@kernel("void(CPointer(uint64), uint64, int64, int64, uint64, uint64, uint64)")
def keep(
    memory: Any, key: np.uint64, depth: int, value: int, bounds: np.uint64, sure: np.uint64, move: np.uint64
) -> None:
    """Store a result in the table. Replaces the entry with the same key, or else the least valuable of the bucket:
    entries of an earlier search go first, then those searched less deeply.

    Packed: the move in bits 0 to 7, the value plus 32768 in bits 8 to 23, the bounds in bits 24 and 25, whether it is
    proved in bit 26, the depth in bits 32 to 39 and the age in bits 40 to 47.
    """
    at = TABLE + (key >> memory[TABLE_SHIFT] << THREE)
    where = at
    least = 1 << 20
    for _ in range(4):
        if memory[at] == key:
            where = at
            break
        packed = memory[at + ONE]
        worth = int(packed >> np.uint64(32) & MASK8)
        if packed >> np.uint64(40) == memory[AGE]:
            worth += 256
        if worth < least:
            least = worth
            where = at
        at += TWO
    memory[where] = key
    memory[where + ONE] = (
        move
        | np.uint64(value + 32768) << EIGHT
        | bounds << np.uint64(24)
        | sure << np.uint64(26)
        | np.uint64(depth) << np.uint64(32)
        | memory[AGE] << np.uint64(40)
    )


@kernel("boolean(CPointer(uint64), CPointer(uint8))")
def stopped(memory: Any, flag: Any) -> bool:
    """True if the search has to stop. Checks the flag every NODES_PER_POLL nodes."""
    if memory[NODES] >= memory[NEXT_POLL]:
        memory[NEXT_POLL] = min(memory[NODES] + NODES_PER_POLL, memory[NODE_LIMIT])
        if flag[0] != 0 or memory[NODES] >= memory[NODE_LIMIT]:
            memory[STOPPED] = ONE
    return bool(memory[STOPPED] != ZERO)


@kernel("void(CPointer(uint64), uint64, int64)")
def learn(memory: Any, at: np.uint64, depth: int) -> None:
    """Record in the history, at this word, that a move caused a cutoff with ``depth`` plies left."""
    memory[at] += np.uint64(depth * depth)
    if memory[at] > HISTORY_MOST:
        for word in range(HISTORY, KILLERS):
            memory[np.uint64(word)] >>= ONE


@kernel("int64(int64, int64)")
def told(value: int, sure: int) -> int:
    """Pack a value and whether it is proved, that is, whether searching deeper could not change it."""
    return (value << 1) + sure


@kernel("int64(int64)")
def estimate(value: int) -> int:
    return max(-MOST, min(value, MOST))


@kernel(
    "int64(CPointer(uint64), CPointer(uint8), CPointer(int16), uint64, uint64, uint64, uint64, uint64, uint64, int64, "
    "int64, int64, int64, int64)"
)
def search(
    memory: Any,
    flag: Any,
    tables: Any,
    shift: np.uint64,
    sent: np.uint64,
    large: np.uint64,
    key: np.uint64,
    mine: np.uint64,
    theirs: np.uint64,
    score: int,
    alpha: int,
    beta: int,
    depth: int,
    ply: int,
) -> int:
    """The value for the side to move, or a bound outside the window, from a search ``depth`` plies deep, packed by
    :func:`told`. Meaningless once stopped. A win is worth WIN minus the plies from the root to it.

    ``key`` is the key of the small boards and the side to move. ``mine`` and ``theirs`` are the ranks of the small
    boards, and ``score`` is the value by :func:`standing`. ``ply`` is the number of plies from the root. A plain search
    uses only table entries of exactly the same depth.

    A bound is proved if it holds whatever lies beyond the horizon: a lower bound if it is proved for one move, an upper
    bound if it is proved for all moves. Every win and every loss is proved.
    """
    memory[NODES] += ONE
    if depth <= 0:
        if sent == ANYWHERE:
            return told(estimate(score + tables[FREE]), 0)
        word = memory[BOARDS + sent]
        at = sent << TWO
        return told(
            estimate(
                score
                + sent_there(
                    tables,
                    word >> shift & FULL,
                    word >> (NINE - shift) & FULL,
                    mine >> at & MASK4,
                    theirs >> at & MASK4,
                )
            ),
            0,
        )
    if stopped(memory, flag):
        return 0
    beta = min(beta, WIN - ply - 1)  # no result is better than winning at once
    if alpha >= beta:
        return told(beta, 1)
    hinted = NO_MOVE
    whole_key = key ^ mixed(NINE, sent)
    if depth >= 2:
        packed = find(memory, whole_key)
        if packed:
            hinted = packed & MASK8
            found = int(packed >> np.uint64(32) & MASK8)
            sure = packed >> np.uint64(26) & ONE
            if found == depth or (memory[PLAIN] == ZERO and (found > depth or sure)):
                value = int(packed >> EIGHT & MASK16) - 32768
                if value > DECIDED:
                    value -= ply
                elif value < -DECIDED:
                    value += ply
                bounds = packed >> np.uint64(24) & THREE
                if bounds == THREE or (bounds == LOWER and value >= beta) or (bounds == UPPER and value <= alpha):
                    return told(value, int(sure))
    # List the moves, each with the position that it leads to.
    at = LISTS + np.uint64(ply) * LIST
    listed = at
    own_won = large >> shift & FULL
    side = np.uint64(81) if shift else ZERO
    killer_at = KILLERS + (np.uint64(ply) << ONE)
    best = NOTHING
    best_move = NO_MOVE
    all_sure = 1
    low = alpha
    left = ONE << sent if sent < NINE else ~(large >> FINISHED) & FULL
    while left:
        board = lowest(left)
        left &= left - ONE
        word = memory[BOARDS + board]
        own = word >> shift & FULL
        other = word >> (NINE - shift) & FULL
        rank = mine >> (board << TWO) & MASK4
        other_rank = theirs >> (board << TWO) & MASK4
        base = score - within(tables, own, other, rank, other_rank)
        empty = ~(own | other) & FULL
        while empty:
            place = lowest(empty)
            empty &= empty - ONE
            after = own | ONE << place
            then = large
            mine_then, theirs_then = mine, theirs
            if WON[after]:
                if WON[own_won | ONE << board]:
                    memory[NODES] += ONE
                    return told(WIN - ply - 1, 1)
                then |= ONE << (board + shift) | ONE << (board + FINISHED)
            elif after | other == FULL:
                then |= ONE << (board + FINISHED)
            if then == large:
                value = base + within(tables, after, other, rank, other_rank)
            elif then >> FINISHED == FULL:
                value = 0
            else:
                value = standing(memory, tables, shift, then)
                mine_then = memory[RANKS + large_state(then, shift)]
                theirs_then = memory[RANKS + large_state(then, NINE - shift)]
            target = ANYWHERE if then >> (FINISHED + place) & ONE else place
            ahead = value
            if then >> FINISHED != FULL:
                if target == ANYWHERE:
                    ahead -= tables[FREE]
                else:
                    at_target = target << TWO
                    word_there = memory[BOARDS + target]
                    own_there = word_there >> shift & FULL
                    if target == board:
                        own_there = after
                    ahead -= sent_there(
                        tables,
                        word_there >> (NINE - shift) & FULL,
                        own_there,
                        theirs_then >> at_target & MASK4,
                        mine_then >> at_target & MASK4,
                    )
            cell = board * NINE + place
            if depth == 1:
                memory[NODES] += ONE
                if then >> FINISHED != FULL:
                    all_sure = 0
                ahead = estimate(ahead)
                if ahead > best:
                    best = ahead
                    if best >= beta:
                        return told(best, int(then >> FINISHED == FULL))
                continue
            order = ahead + 65536 + int(memory[HISTORY + side + cell])
            if cell == hinted:
                order += 1 << 30
            elif cell == memory[killer_at] or cell == memory[killer_at + ONE]:
                order += KILLER_WORTH
            memory[listed] = np.uint64(order) << EIGHT | cell
            memory[listed + ONE] = np.uint64(value + 65536)
            memory[listed + TWO] = then | target << np.uint64(27)
            listed += THREE
    if depth == 1:
        return told(best, all_sure)
    tried = 0
    while listed > at:
        pick = at
        look = at + THREE
        while look < listed:
            if memory[look] > memory[pick]:
                pick = look
            look += THREE
        cell = memory[pick] & MASK8
        then_score = int(memory[pick + ONE]) - 65536
        then = memory[pick + TWO]
        listed -= THREE
        memory[pick] = memory[listed]
        memory[pick + ONE] = memory[listed + ONE]
        memory[pick + TWO] = memory[listed + TWO]
        target = then >> np.uint64(27)
        then &= np.uint64(0x7FFFFFF)
        if then >> FINISHED == FULL:
            memory[NODES] += ONE
            value = 0
            sure_then = 1
        else:
            board = cell // NINE
            word = memory[BOARDS + board]
            after = word | ONE << (cell - board * NINE + shift)
            mine_then, theirs_then = mine, theirs
            if then != large:
                mine_then = memory[RANKS + large_state(then, shift)]
                theirs_then = memory[RANKS + large_state(then, NINE - shift)]
                # From now on only the winner of a finished board matters.
                after = FULL << shift if WON[after >> shift & FULL] else BOTH
            memory[BOARDS + board] = after
            then_key = key ^ mixed(board, word) ^ mixed(board, after) ^ TURN
            # Principal variation search: a null window for all moves but the first, and a second search for those that
            # turn out better. One call in a loop, because each call makes compiling slower.
            high = beta if best == NOTHING else low + 1
            less = 0
            if memory[PLAIN] == ZERO and depth >= REDUCE_FROM and tried >= REDUCE_AFTER and best > -DECIDED:
                less = 1
                if tried >= REDUCE_MORE_AFTER and depth >= REDUCE_MORE_FROM:
                    less = 2
            while True:
                found = search(
                    memory,
                    flag,
                    tables,
                    NINE - shift,
                    target,
                    then,
                    then_key,
                    theirs_then,
                    mine_then,
                    -then_score,
                    -high,
                    -low,
                    depth - 1 - less,
                    ply + 1,
                )
                value = -(found >> 1)
                sure_then = found & 1
                if memory[STOPPED]:
                    break
                if less and value > low:
                    less = 0
                elif value < high or high == beta:
                    break
                else:
                    high = beta
            memory[BOARDS + board] = word
            if memory[STOPPED]:
                return 0
        tried += 1
        all_sure &= sure_then
        if value > best:
            best = value
            best_move = cell
            if value >= beta:
                all_sure = sure_then
                if memory[killer_at] != cell:
                    memory[killer_at + ONE] = memory[killer_at]
                    memory[killer_at] = cell
                learn(memory, HISTORY + side + cell, depth)
                break
            low = max(low, value)
    if best > DECIDED:
        all_sure = 1
    stored = best
    if best > DECIDED:
        stored += ply
    elif best < -DECIDED:
        stored -= ply
    bounds = LOWER if best >= beta else UPPER if best <= alpha else THREE
    keep(memory, whole_key, depth, stored, bounds, np.uint64(all_sure), best_move)
    return told(best, all_sure)


@kernel("int64(uint64[::1], uint8[::1], int16[::1], uint64, uint64, uint64, int64, int64, int64)")
def look_ahead(
    memory: Words,
    flag: npt.NDArray[np.uint8],
    tables: npt.NDArray[np.int16],
    shift: np.uint64,
    sent: np.uint64,
    large: np.uint64,
    alpha: int,
    beta: int,
    depth: int,
) -> int:
    """:func:`search` for Python, one ply from the root, on the small boards in the memory. A finished board there must
    have all of its winner's bits and no others, or all bits if it is drawn.
    """
    key = (TURN if shift else ZERO) ^ (SALT if memory[PLAIN] else ZERO)
    for number in range(9):
        key ^= mixed(np.uint64(number), memory[BOARDS + np.uint64(number)])
    return search(
        memory.ctypes,
        flag.ctypes,
        tables.ctypes,
        shift,
        sent,
        large,
        key,
        memory[RANKS + large_state(large, shift)],
        memory[RANKS + large_state(large, NINE - shift)],
        standing(memory.ctypes, tables.ctypes, shift, large),
        alpha,
        beta,
        depth,
        1,
    )


@kernel("uint64(uint64[::1], uint64, uint64)")
def remembered(memory: Words, shift: np.uint64, sent: np.uint64) -> np.uint64:
    """The table's packed entry for the position with the small boards in the memory, or 0."""
    key = (TURN if shift else ZERO) ^ (SALT if memory[PLAIN] else ZERO)
    for number in range(9):
        key ^= mixed(np.uint64(number), memory[BOARDS + np.uint64(number)])
    return np.uint64(find(memory.ctypes, key ^ mixed(NINE, sent)))


def unpacked(packed: np.uint64, ply: int) -> tuple[int, int, bool]:
    """Unpack a table entry of a position ``ply`` plies from the root: the best move, the value, and whether the value
    is exact rather than a bound.
    """
    value = int(packed >> EIGHT & MASK16) - 32768
    if abs(value) > DECIDED:
        value -= ply if value > 0 else -ply
    return int(packed & MASK8), value, bool(packed >> np.uint64(24) & THREE == THREE)


@kernel("int64(uint64[::1], uint64, uint64, uint64, int64)")
def perft(memory: Words, shift: np.uint64, sent: np.uint64, large: np.uint64, depth: int) -> int:
    """:func:`lines_of` for Python, on the small boards in the memory."""
    return lines_of(memory.ctypes, shift, sent, large, depth)


def memory_of(bits: int, ranks: Words) -> Words:
    """A new memory for a search, with a table of ``2 ** bits`` buckets of 64 bytes, aligned to cache lines.

    ``ranks`` has the rank of each small board in four bits, by state of the large board.
    """
    size = int(TABLE) + (8 << bits)
    raw = np.zeros(size + 7, np.uint64)
    skipped = -raw.ctypes.data // 8 % 8
    words = raw[skipped : skipped + size]
    words[TABLE_SHIFT] = 64 - bits
    words[NODE_LIMIT] = TOP
    words[int(RANKS) : int(HISTORY)] = ranks
    return words
