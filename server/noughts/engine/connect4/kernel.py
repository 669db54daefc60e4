"""The strong solver for Connect Four, compiled by numba. Importing it raises ImportError if numba is missing.

The methods are from Pascal Pons's series *Solving Connect Four: how to build a perfect AI*
(http://blog.gamesolver.org): negamax on bitboards with a transposition table and null windows that bisect the score. It
searches only the moves that do not lose at once, and tries those that make the most threats first. Four things differ.
A table entry holds both bounds and a move. Before searching a position's moves, the solver looks all of them up in the
table (enhanced transposition cutoffs, J. Schaeffer and A. Plaat, *New Advances in Alpha-Beta Searching*, 1996). Late
positions share a small part of the table, which stays in the processor's cache. And the search is a loop with its own
stack, because recursive calls are expensive in numba.

A position is two uint64: ``own``, the discs of the side to move, and ``mask``, all discs. Bit 0 is the bottom left
cell, bit 1 the one above it, and bit 7 the bottom of the second column. Bits 6, 13, .. are never set.

A score is an int64, counted as in the published test positions: positive if the side to move wins, 1 with its last
disc, 2 with its last but one, and so on. It is negative, counted the same way by the opponent's discs, if the side to
move loses, and 0 for a draw.

Everything is in one file, constants included, because numba's cache checks only the kernel's own file. All bitboard
arithmetic is in uint64, because numba turns a mix of int64 and uint64 into a float.
"""

# ruff: noqa: PLR0917 (keyword arguments are expensive between compiled functions)

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from noughts.engine.jit import kernel

U = np.uint64
N = np.int64
Table = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Flag = npt.NDArray[np.uint8]

CELLS = 42
ONE = U(1)
BOTTOM = U(sum(1 << 7 * column for column in range(7)))
BOARD = U(0b111111 * int(BOTTOM))
COLUMNS = np.array([0b111111 << 7 * column for column in (6, 0, 5, 1, 4, 2, 3)], np.uint64)
"""The cells of each column, the outermost columns first."""

NODES_PER_POLL = 4096
UNKNOWN = N(-100)
"""Stands for a missing score."""

# A table entry, from the top: 49 bits of key, 3 for the move (its index in COLUMNS, or NO_MOVE), and 6 each for the
# upper and the lower bound, both with BIAS added. A new table is all 0, which is not the key of any position.
MOVE_SHIFT, UPPER_SHIFT, KEY_SHIFT = U(12), U(6), U(15)
BITS_OF_BOUND, NO_MOVE = U(63), U(7)
BIAS = 32
HASH = U(0x9E3779B97F4A7C15)
"""2**64 divided by the golden ratio, for multiplicative hashing (D. Knuth, *The Art of Computer Programming*, 6.4)."""

LATE, LATE_SHIFT = 24, U(64 - 17)
"""From this ply on, positions share the first 2**17 entries, 1 MiB. There are many of them, and each is quickly
searched again.
"""

# A move on the stack, from the top: its rank, 3 bits for its index in COLUMNS, 49 for its cell.
RANK_SHIFT, PLACE_SHIFT = U(52), U(49)
CELL = U((1 << 49) - 1)
RANKED = U((1 << 52) - 1)
FIRST = U(64)
"""The rank of the move that the table proposes, above all others."""

DECIDED = 1000
"""Larger than any heuristic value in :func:`estimate` and :func:`look_ahead`."""
HALTED = N(1_000_000)
"""Larger than any score times DECIDED."""
GOOD_ROWS = np.array([0b010101 * int(BOTTOM), 0b101010 * int(BOTTOM)], np.uint64)
"""The rows where a threat is stronger, for the first side and for the second: when nothing else is left to play, the
opponent has to play in the cell below. V. Allis, *A Knowledge-based Approach of Connect-Four*, 1988.
"""
THREAT, OWN_ROW, IN_THE_MIDDLE = 12, 8, 2
AT_ONCE, TWO_TO_STOP = N(250), N(200)
"""These five are the weights of the game's heuristic."""
INNER = U(0b111111 << 2 * 7 | 0b111111 << 3 * 7 | 0b111111 << 4 * 7)
"""The three middle columns."""

STACK = 8 * (CELLS + 1)
FRAMES = 2 * (CELLS + 1)


@kernel("uint64(uint64)")
def count(bits: U) -> U:
    """The number of bits set. LLVM compiles this to one instruction where the processor has it."""
    bits = bits - ((bits >> U(1)) & U(0x5555555555555555))
    bits = (bits & U(0x3333333333333333)) + ((bits >> U(2)) & U(0x3333333333333333))
    bits = (bits + (bits >> U(4))) & U(0x0F0F0F0F0F0F0F0F)
    return (bits * U(0x0101010101010101)) >> U(56)


@kernel("uint64(uint64, uint64)")
def ends(own: U, step: U) -> U:
    """The cells that complete four in a row, ``step`` bits apart, with three that are in ``own``. Some are off the
    board.
    """
    before = own << step
    after = own >> step
    two_before = before & (before << step)
    two_after = two_before >> (U(3) * step)
    return two_before & (after | (own << (U(3) * step))) | two_after & (before | (own >> (U(3) * step)))


@kernel("uint64(uint64, uint64)")
def threats(own: U, mask: U) -> U:
    """The empty cells that would complete a line of ``own``, whether or not they can be played yet."""
    upright = (own << U(1)) & (own << U(2)) & (own << U(3))
    return (upright | ends(own, U(6)) | ends(own, U(7)) | ends(own, U(8))) & (BOARD ^ mask)


@kernel("uint64(uint64, uint64)")
def safe_moves(own: U, mask: U) -> U:
    """The moves after which the opponent cannot win at once. Assumes that the side to move cannot win at once."""
    playable = (mask + BOTTOM) & BOARD
    dangers = threats(own ^ mask, mask)
    forced = playable & dangers
    if forced:
        if forced & (forced - ONE):
            return U(0)
        playable = forced
    return playable & ~(dangers >> ONE)


@kernel("int64(uint64, uint64, uint64, uint64, uint64[::1], int64)")
def sort_moves(own: U, mask: U, moves: U, proposed: U, stack: Table, base: N) -> N:
    """Put ``moves`` on the stack at ``base``, with the one to play first on top, and return their number.

    The proposed move is first. The rest are ordered by the number of threats after the move, then from the centre
    outwards.
    """
    size = N(0)
    for place in range(7):
        cell = moves & COLUMNS[place]
        if cell:
            rank = FIRST if U(place) == proposed else count(threats(own | cell, mask))
            move = (rank << RANK_SHIFT) | (U(place) << PLACE_SHIFT) | cell
            index = base + size
            while index > base and stack[index - 1] > move | RANKED:
                stack[index] = stack[index - 1]
                index -= 1
            stack[index] = move
            size += 1
    return size


@kernel("uint64(uint64, int64, uint64)")
def place_of(key: U, ply: N, shift: U) -> U:
    """The index of a position's entry in the table, which has 2 ** (64 - ``shift``) entries."""
    return (key * HASH) >> (shift if ply < LATE else max(shift, LATE_SHIFT))


@kernel("int64(uint64)")
def lower_of(entry: U) -> N:
    """An entry's lower bound."""
    return N(entry & BITS_OF_BOUND) - BIAS


@kernel("int64(uint64)")
def upper_of(entry: U) -> N:
    """An entry's upper bound."""
    return N((entry >> UPPER_SHIFT) & BITS_OF_BOUND) - BIAS


@kernel("void(uint64, int64, uint64, int64, int64, uint64, uint64[::1])")
def remember(key: U, ply: N, move: U, value: N, beta: N, shift: U, table: Table) -> None:
    """Store the bound ``value`` in the table: a lower bound, achieved by ``move``, if it is at least ``beta``, else an
    upper bound. Overwrites an entry for another position.
    """
    index = place_of(key, ply, shift)
    entry = table[index]
    lower, upper, best = -((CELLS - 2 - ply) // 2), (CELLS - 1 - ply) // 2, NO_MOVE
    if entry >> KEY_SHIFT == key:
        lower, upper, best = lower_of(entry), upper_of(entry), (entry >> MOVE_SHIFT) & NO_MOVE
    if value >= beta:
        lower, best = value, (move >> PLACE_SHIFT) & NO_MOVE
    else:
        upper = value
    table[index] = (key << KEY_SHIFT) | (best << MOVE_SHIFT) | (U(upper + BIAS) << UPPER_SHIFT) | U(lower + BIAS)


@kernel("int64(uint64, uint64, int64, uint64, int64, uint64, uint64[::1])")
def best_reply_known(own: U, mask: U, ply: N, moves: U, beta: N, shift: U, table: Table) -> N:
    """A lower bound of the score that is at least ``beta`` and follows from the table entry of one of ``moves``;
    UNKNOWN if there is none.
    """
    while moves != U(0):
        cell = moves & (~moves + ONE)
        moves ^= cell
        key = (own ^ mask) + (mask | cell) + BOTTOM
        entry = table[place_of(key, ply + 1, shift)]
        if entry >> KEY_SHIFT == key and -upper_of(entry) >= beta:
            return -upper_of(entry)
    return UNKNOWN


@kernel("int64(uint64, uint64, int64, int64, uint64[::1], uint64[::1], int64[::1], int64[::1], uint8[::1])")
def bound(
    own: U,
    mask: U,
    beta: N,
    budget: N,
    table: Table,
    stack: Table,
    frames: Numbers,
    nodes: Numbers,
    stop: Flag,
) -> N:
    """Test whether the score is at least ``beta``. If so, return a lower bound that is at least ``beta``; if not, an
    upper bound that is less than ``beta``.

    The side to move must not be able to win at once. The length of ``table`` must be a power of two, 2 or more.
    ``stack`` and ``frames`` are scratch arrays of length STACK and FRAMES. The number of positions visited is added to
    ``nodes[0]``. Every NODES_PER_POLL positions the search checks ``stop[0]``, and whether ``nodes[0]`` has reached
    ``budget``; if either ends the search, it returns UNKNOWN.
    """
    shift = U(64) - count(U(len(table) - 1))
    root = N(count(mask))
    ply = root
    visited = nodes[0]
    while True:
        # Down: enter a position. Either its value is known, or its moves go on the stack.
        if visited % NODES_PER_POLL == 0 and (stop[0] != 0 or visited >= budget):
            nodes[0] = visited
            return UNKNOWN
        visited += 1
        frame = 2 * (ply - root)
        moves = safe_moves(own, mask)
        if moves == U(0):
            value = -((CELLS - ply) // 2)
        elif ply >= CELLS - 2:
            value = N(0)
        else:
            key = own + mask + BOTTOM
            entry = table[place_of(key, ply, shift)]
            known = entry >> KEY_SHIFT == key
            # Neither side can win with its next disc, so the score is bounded even without an entry.
            lower = lower_of(entry) if known else -((CELLS - 2 - ply) // 2)
            upper = upper_of(entry) if known else (CELLS - 1 - ply) // 2
            if lower >= beta:
                value = lower
            elif upper < beta:
                value = upper
            else:
                value = best_reply_known(own, mask, ply, moves, beta, shift, table)
                if value == UNKNOWN:
                    proposed = (entry >> MOVE_SHIFT) & NO_MOVE if known else NO_MOVE
                    frames[frame] = sort_moves(own, mask, moves, proposed, stack, 4 * frame)
                    frames[frame + 1] = UNKNOWN
        # Up, as long as there is a value: take back the move that led here.
        while value != UNKNOWN:
            if ply == root:
                nodes[0] = visited
                return value
            ply -= 1
            frame -= 2
            move = stack[4 * frame + frames[frame]]
            mask ^= move & CELL
            own ^= mask
            beta = 1 - beta
            value = max(-value, frames[frame + 1])
            if value < beta and frames[frame] > 0:
                frames[frame + 1] = value
                value = UNKNOWN
            else:
                remember(own + mask + BOTTOM, ply, move, value, beta, shift, table)
        # Down again, with the next move on the stack.
        frames[frame] -= 1
        own ^= mask
        mask |= stack[4 * frame + frames[frame]] & CELL
        ply += 1
        beta = 1 - beta


@kernel("int64(int64, int64)")
def next_beta(low: N, high: N) -> N:
    """The place to divide the scores from ``low`` to ``high`` next.

    In the middle, or nearer to 0 if the middle is farther out: it costs little to search for a quick win or loss.
    """
    middle = low + (high - low) // 2
    if middle <= 0 and -(-low // 2) < middle:
        middle = -(-low // 2)
    elif middle >= 0 and high // 2 > middle:
        middle = high // 2
    return middle + 1


@kernel("int64(uint64, uint64, uint64[::1])")
def proposed_column(own: U, mask: U, table: Table) -> N:
    """The column, 0 to 6, of the move that the table has for a position, or -1 if it has none."""
    key = own + mask + BOTTOM
    entry = table[place_of(key, N(count(mask)), U(64) - count(U(len(table) - 1)))]
    place = (entry >> MOVE_SHIFT) & NO_MOVE
    if entry >> KEY_SHIFT != key or place == NO_MOVE:
        return N(-1)
    for column in range(7):
        if (COLUMNS[place] >> U(7 * column)) & ONE:
            return N(column)
    return N(-1)


@kernel("void(uint64, uint64, int64[::1], int64, uint64[::1], uint64[::1], int64[::1], int64[::1], uint8[::1])")
def solve(
    own: U,
    mask: U,
    bounds: Numbers,
    budget: N,
    table: Table,
    stack: Table,
    frames: Numbers,
    nodes: Numbers,
    stop: Flag,
) -> None:
    """Narrow the lower and the upper bound of the score in ``bounds`` until they meet, or as far as the search gets.

    The score must lie within them, and the side to move must not be able to win at once. The other arguments are those
    of :func:`bound`.
    """
    while bounds[0] < bounds[1]:
        beta = next_beta(bounds[0], bounds[1])
        value = bound(own, mask, beta, budget, table, stack, frames, nodes, stop)
        if value == UNKNOWN:
            return
        if value >= beta:
            bounds[0] = value
        else:
            bounds[1] = value


@kernel("int64(uint64, uint64, uint64, uint64)")
def standing(own: U, mask: U, own_threats: U, other_threats: U) -> N:
    """The heuristic value for the side to move, by threats and by discs in the middle: the game's heuristic, without
    the terms for immediate wins.
    """
    other, odd = own ^ mask, count(mask) & ONE
    return (
        THREAT * (N(count(own_threats)) - N(count(other_threats)))
        + OWN_ROW * (N(count(own_threats & GOOD_ROWS[odd])) - N(count(other_threats & GOOD_ROWS[ONE - odd])))
        + IN_THE_MIDDLE * (N(count(own & INNER)) - N(count(other & INNER)))
    )


@kernel("int64(uint64, uint64, int64, int64, int64, int64[::1])")
def estimate(own: U, mask: U, depth: N, alpha: N, beta: N, nodes: Numbers) -> N:
    """The value for the side to move by alpha-beta, ``depth`` plies deep, within ``alpha`` and ``beta``.

    A game that ends within that depth, or that will clearly end within the next two plies, is worth DECIDED times its
    score, and a draw 0. Any other value is smaller, in the units of the game's heuristic. The number of positions
    visited is added to ``nodes[0]``.
    """
    nodes[0] += 1
    ply = N(count(mask))
    own_threats = threats(own, mask)
    if own_threats & (mask + BOTTOM):
        return DECIDED * ((CELLS + 1 - ply) // 2)
    moves = safe_moves(own, mask)
    if moves == U(0):
        return -DECIDED * ((CELLS - ply) // 2)
    if ply >= CELLS - 2:
        return N(0)
    if depth <= 0:
        return standing(own, mask, own_threats, threats(own ^ mask, mask))
    for place in range(7):
        cell = moves & COLUMNS[6 - place]
        if cell:
            value = -estimate(own ^ mask, mask | cell, depth - 1, -beta, -alpha, nodes)
            alpha = max(alpha, value)
            if alpha >= beta:
                break
    return alpha


@kernel("int64(uint64, uint64, int64, int64, int64, int64, int64[::1], uint8[::1])")
def look_ahead(own: U, mask: U, depth: N, alpha: N, beta: N, budget: N, nodes: Numbers, stop: Flag) -> N:
    """The value for the side to move by alpha-beta, exactly ``depth`` plies deep, within ``alpha`` and ``beta``:
    DECIDED times the score of a game that ends by then, else what the game's heuristic says at the horizon.

    The opponent must not have a line. The board may be full. ``budget``, ``nodes`` and ``stop`` are those of
    :func:`bound`. Returns HALTED if they end the search.
    """
    if nodes[0] % NODES_PER_POLL == 0 and (stop[0] != 0 or nodes[0] >= budget):
        return HALTED
    nodes[0] += 1
    ply = N(count(mask))
    if ply == CELLS:
        return N(0)
    moves = (mask + BOTTOM) & BOARD
    own_threats = threats(own, mask)
    if depth <= 0:
        other_threats = threats(own ^ mask, mask)
        if own_threats & moves:
            return AT_ONCE
        if count(other_threats & moves) > ONE:
            return -TWO_TO_STOP
        return standing(own, mask, own_threats, other_threats)
    if own_threats & moves:
        return DECIDED * ((CELLS + 1 - ply) // 2)
    if depth >= 2:
        # All other moves lose within the horizon, so dropping them changes nothing.
        moves = safe_moves(own, mask)
        if moves == U(0):
            return -DECIDED * ((CELLS - ply) // 2)
    for place in range(7):
        cell = moves & COLUMNS[6 - place]
        if cell:
            value = look_ahead(own ^ mask, mask | cell, depth - 1, -beta, -alpha, budget, nodes, stop)
            if value == HALTED:
                return HALTED
            alpha = max(alpha, -value)
            if alpha >= beta:
                break
    return alpha
