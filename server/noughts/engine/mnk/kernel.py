"""Small m,n,k boards in numba: proves who can win, and within how many plies. Pure; does no I/O.

A search answers one question: can the *attacker*, who may or may not be to move, make a line within a given number of
plies, whatever the *defender* does? If the defender makes a line first, the answer is no. The answers for both sides
say whether a position is won, lost or drawn. When the number of plies is raised step by step, the first yes gives the
shortest win.

Cells are the bits of :class:`noughts.games.mnk.LineBoard`, in one uint64 for each side. Everything is uint64, because
numba turns mixed signs into floats; only answers and plies are int64. All constants are here, because numba's cache
checks only this file. The board's own data is in the memory of its search, see :func:`memory_of`.

What makes it fast:

- A threat to make a line at once has to be answered, so only that reply is searched.
- A line can still be made only if it has no stone of the defender, and no more empty cells than the attacker has moves
  left. A cell that is on no such line, nor on a line by which the defender could come first, is as good as a pass and
  is not tried.
- The potential of Erdos and Selfridge (*On a combinatorial game*, 1973): the sum of 2 ** -(empty cells) over those
  lines. If it is below 1 with the defender to move, the defender can stop them all by always taking the cell that
  lowers it most. The same holds with the attacker to move if it is below 1 after the move that raises it most. The
  defender's own lines can only help the defender.
- The transposition table treats all symmetric positions as one. An entry says what is proved: a win within some number
  of plies, or no win within some number, or none at all.
"""

# ruff: noqa: PLR0917 - an argument stays in a register, a structure would live in memory
from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic

from noughts.engine.jit import kernel

Words = npt.NDArray[np.uint64]

ZERO, ONE, TWO, THREE, EIGHT = (np.uint64(n) for n in (0, 1, 2, 3, 8))
MASK8 = np.uint64(255)
MASK21 = np.uint64((1 << 21) - 1)
TOP = np.uint64(1 << 63)

NEVER = 200
"""More plies than a board has cells: the attacker cannot win at all."""
CERTAIN = 12
"""A potential of 1 is stored as 2 ** CERTAIN."""
REMEMBER_FROM = 5
"""Plies left; with fewer the table costs more than it saves."""
NODES_PER_POLL = np.uint64(512)
NO_CELL = np.uint64(64)

# The words of a search's memory.
NODES = 0  # positions visited
NEXT_POLL = 1  # the node count at which to check the flag again
NODE_LIMIT = 2
STOPPED = 3  # 1 once the search was stopped; what it returns then is meaningless
TABLE_SHIFT = 4  # 64 - log2 of the table's number of buckets
AGE = 5  # the age of the entries that this search writes, 0 to 255
BOARD = 6  # all cells
LENGTH = 7  # of a line
SYMMETRIES = 8  # the number of symmetries of the board, 1 to 8, the identity first
TURN_KEY = 9  # added to the key when the attacker is to move
DIRECTIONS = 10  # how many of the next four words are used: the directions that have lines
STEPS = 11
KEYS = 16  # for each side, cell and symmetry: the random key of a stone there
IMAGES = KEYS + 2 * 64 * 8  # for each symmetry and cell: its image
ORIGINALS = IMAGES + 8 * 64  # and the inverse: the cell whose image it is
LEVELS = ORIGINALS + 8 * 64
# A level is one position of the current line: 64 words of moves, 64 of cell weights, and these.
WEIGHT = 64
KEY = 128  # for each symmetry
ATTACKER, DEFENDER = 136, 137  # the stones
COUNT = 138  # the number of lines
LINES = 139  # the lines that are not blocked for both sides
LEVEL = 139 + 256
TABLE = (LEVELS + 67 * LEVEL + 7) // 8 * 8  # buckets of four entries, each a key and its packed data
LEVELS_AT, LEVEL_SIZE, TABLE_AT = np.uint64(LEVELS), np.uint64(LEVEL), np.uint64(TABLE)
WEIGHT_AT, KEY_AT, LINES_AT = np.uint64(WEIGHT), np.uint64(KEY), np.uint64(LINES)
ATTACKER_AT, DEFENDER_AT, COUNT_AT = np.uint64(ATTACKER), np.uint64(DEFENDER), np.uint64(COUNT)
KEYS_AT, IMAGES_AT, ORIGINALS_AT = np.uint64(KEYS), np.uint64(IMAGES), np.uint64(ORIGINALS)
DEFENDER_KEYS_AT = np.uint64(KEYS + 64 * 8)
STEPS_AT = np.uint64(STEPS)


def _instruction(name: str, result: Any) -> Any:
    """A function for one of LLVM's instructions on a uint64."""

    def typed(_context: Any, _bits: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            if name == "ctpop":
                return builder.ctpop(arguments[0])
            return getattr(builder, name)(arguments[0], context.get_constant(types.boolean, False))

        return result(types.uint64), generate

    return intrinsic(typed)


count: Callable[[np.uint64], int] = _instruction("ctpop", types.int64)  # the number of bits set
lowest: Callable[[np.uint64], np.uint64] = _instruction("cttz", types.uint64)  # index of the lowest set bit, 64 for 0
leading: Callable[[np.uint64], np.uint64] = _instruction("ctlz", types.uint64)  # zeros above the top set bit, 64 for 0


@kernel("int64(uint64)")
def signed(word: np.uint64) -> int:
    """The word as a signed number, which can be mixed with negative ones."""
    return int(word)


@kernel("uint64(CPointer(uint64), uint64, uint64)")
def winning(memory: Any, own: np.uint64, empty: np.uint64) -> np.uint64:
    """The empty cells that complete a line of ``own``."""
    length = memory[LENGTH]
    cells = ZERO
    for index in range(memory[DIRECTIONS]):
        step = memory[STEPS_AT + index]
        # The first cells of the windows that lack no stone and one stone; the windows grow by one cell each time.
        full = own
        lacking = empty
        shift = step
        for _ in range(length - ONE):
            stones = own >> shift
            lacking = lacking & stones | full & empty >> shift
            full &= stones
            shift += step
        if lacking:
            shift = ZERO
            for _ in range(length):
                cells |= lacking << shift
                shift += step
    return cells & empty


@kernel("uint64(CPointer(uint64), uint64, uint64, uint64, uint64)")
def place(memory: Any, at: np.uint64, above: np.uint64, att: np.uint64, dfn: np.uint64) -> np.uint64:
    """Write a position and its keys into the level ``at``, starting from the position in ``above``. Returns the
    symmetry with the smallest key.
    """
    symmetries = memory[SYMMETRIES]
    for symmetry in range(symmetries):
        memory[at + KEY_AT + symmetry] = memory[above + KEY_AT + symmetry]
    more = att ^ memory[above + ATTACKER_AT]
    where = KEYS_AT
    for _ in range(2):
        while more:
            keys = where + (lowest(more) << THREE)
            more &= more - ONE
            for symmetry in range(symmetries):
                memory[at + KEY_AT + symmetry] ^= memory[keys + symmetry]
        more = dfn ^ memory[above + DEFENDER_AT]
        where = DEFENDER_KEYS_AT
    memory[at + ATTACKER_AT] = att
    memory[at + DEFENDER_AT] = dfn
    least = ZERO
    for symmetry in range(symmetries):
        if memory[at + KEY_AT + symmetry] < memory[at + KEY_AT + least]:
            least = np.uint64(symmetry)
    return least


@kernel("uint64(CPointer(uint64), uint64)")
def find(memory: Any, key: np.uint64) -> np.uint64:
    """The table's entry for ``key``, packed as by :func:`keep`, or 0."""
    at = TABLE_AT + (key >> memory[TABLE_SHIFT] << THREE)
    for _ in range(4):
        if memory[at] == key:
            return np.uint64(memory[at + ONE])
        at += TWO
    return ZERO


@kernel("void(CPointer(uint64), uint64, int64, int64, uint64, uint64)")
def keep(memory: Any, key: np.uint64, within: int, without: int, cell: np.uint64, nodes: np.uint64) -> None:
    """Store in the table that there is a win within ``within`` plies, 0 if that is not known, and no win within
    ``without`` plies. Replaces the entry with the same key, or else the least valuable of the bucket: entries of an
    earlier search go first, then those that cost fewer nodes.

    Packed: the best move in bits 0 to 7, ``within`` in bits 8 to 15, ``without`` in bits 16 to 23, the binary logarithm
    of the nodes in bits 24 to 31 and the age in bits 32 to 39.
    """
    at = TABLE_AT + (key >> memory[TABLE_SHIFT] << THREE)
    where = at
    least = 1 << 20
    for _ in range(4):
        if memory[at] == key:
            where = at
            break
        packed = memory[at + ONE]
        worth = signed(packed >> np.uint64(24) & MASK8)
        if packed >> np.uint64(32) == memory[AGE]:
            worth += 256
        if worth < least:
            least = worth
            where = at
        at += TWO
    memory[where] = key
    memory[where + ONE] = (
        cell
        | np.uint64(within) << EIGHT
        | np.uint64(without) << np.uint64(16)
        | (np.uint64(64) - leading(nodes)) << np.uint64(24)
        | memory[AGE] << np.uint64(32)
    )


@kernel("boolean(CPointer(uint64), CPointer(uint8))")
def stopped(memory: Any, flag: Any) -> bool:
    """True if the search has to stop. Checks the flag every NODES_PER_POLL nodes."""
    if memory[NODES] >= memory[NEXT_POLL]:
        memory[NEXT_POLL] = memory[NODES] + NODES_PER_POLL
        if flag[0] != 0 or memory[NODES] >= memory[NODE_LIMIT]:
            memory[STOPPED] = ONE
    return bool(memory[STOPPED] != ZERO)


@kernel("UniTuple(uint64, 3)(CPointer(uint64), uint64, uint64, uint64, uint64, uint64, int64, int64)")
def weigh(
    memory: Any,
    at: np.uint64,
    above: np.uint64,
    att: np.uint64,
    dfn: np.uint64,
    empty: np.uint64,
    own_moves: int,
    other_moves: int,
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return the potential of the attacker's lines, the potential of those that it can make with ``own_moves`` moves,
    and whether any line was left out because it needs more moves.

    Writes into the level ``at`` the lines that are not blocked for both sides, and three potentials for each empty
    cell, in 21 bits each: of the attacker's lines within reach, of all its lines, and of the defender's lines that
    ``other_moves`` moves can make.
    """
    rest = empty
    while rest:
        memory[at + WEIGHT_AT + lowest(rest)] = ZERO
        rest &= rest - ONE
    length = signed(memory[LENGTH])
    lines = at + LINES_AT
    total = ZERO
    near = ZERO
    limited = ZERO
    look = above + LINES_AT
    end = look + memory[above + COUNT_AT]
    while look < end:
        line = memory[look]
        look += ONE
        own = line & att
        other = line & dfn
        if own and other:
            continue
        memory[lines] = line
        lines += ONE
        adds = ZERO
        if not other:
            missing = length - count(own)
            weight = ONE << np.uint64(max(CERTAIN - missing, 0))
            total += weight
            adds = weight << np.uint64(21)
            if missing <= own_moves:
                near += weight
                adds |= weight
            else:
                limited = ONE
        if not own:
            missing = length - count(other)
            if missing <= other_moves:
                adds |= ONE << np.uint64(max(CERTAIN - missing, 0) + 42)
            else:
                limited = ONE
        rest = line & empty
        while rest:
            memory[at + WEIGHT_AT + lowest(rest)] += adds
            rest &= rest - ONE
    memory[at + COUNT_AT] = lines - at - LINES_AT
    return total, near, limited


@kernel("int64(CPointer(uint64), CPointer(uint8), uint64, uint64, boolean, int64, uint64, uint64)")
def attack(
    memory: Any, flag: Any, att: np.uint64, dfn: np.uint64, turn: bool, left: int, at: np.uint64, above: np.uint64
) -> int:
    """The number of plies in which the attacker ``att`` wins, at most ``left``. If there is no such win, minus the
    number of plies within which there is none, at least ``left``, or -NEVER. Meaningless once stopped.

    ``turn`` says whether the attacker is to move. If so, ``left`` is odd, else it is even, and always at least 1.
    ``at`` is the level to write to, and ``above`` that of an earlier position. Neither side may have a line.
    """
    memory[NODES] += ONE
    empty = memory[BOARD] & ~(att | dfn)
    empties = count(empty)
    threats = winning(memory, att, empty)
    dangers = ZERO
    if turn:
        if threats:
            return 1
        dangers = winning(memory, dfn, empty)
        if dangers & (dangers - ONE):
            return -NEVER
        if left < 3:
            return -left if left < empties else -NEVER
    else:
        if winning(memory, dfn, empty):
            return -NEVER
        if threats & (threats - ONE):
            return 2
        if left < 4:
            return -left if left < empties else -NEVER
    moves = threats | dangers
    forced = moves != ZERO
    key = ZERO
    symmetry = ZERO
    hinted = NO_CELL
    known_within = 0
    known_without = 0
    limited = ZERO
    end = at
    before = memory[NODES]
    if forced:
        memory[at] = lowest(moves)
        end = at + ONE
    else:
        if stopped(memory, flag):
            return 0
        symmetry = place(memory, at, above, att, dfn)
        if left >= REMEMBER_FROM:
            key = memory[at + KEY_AT + symmetry]
            if turn:
                key ^= memory[TURN_KEY]
            packed = find(memory, key)
            if packed:
                known_within = signed(packed >> EIGHT & MASK8)
                if 0 < known_within <= left:
                    return known_within
                known_without = signed(packed >> np.uint64(16) & MASK8)
                if known_without >= left:
                    return -known_without
                hinted = packed & MASK8
                if hinted != NO_CELL:
                    hinted = memory[ORIGINALS_AT + (symmetry << np.uint64(6)) + hinted]
        total, near, limited = weigh(memory, at, above, att, dfn, empty, (left + 1) // 2, left // 2)
        # List the moves. Those with the highest scores are tried first.
        most = ZERO
        most_near = ZERO
        while empty:
            cell = lowest(empty)
            empty &= empty - ONE
            weight = memory[at + WEIGHT_AT + cell]
            own = weight & MASK21
            other = weight >> np.uint64(42)
            most = max(most, weight >> np.uint64(21) & MASK21)
            most_near = max(most_near, own)
            if own | other:
                score = own + own + other
                if cell == hinted:
                    score = ONE << np.uint64(40)
                memory[end] = score << EIGHT | cell
                end += ONE
        if not turn:
            most = ZERO
            most_near = ZERO
        if total + most < ONE << np.uint64(CERTAIN):
            return -NEVER
        if near + most_near < ONE << np.uint64(CERTAIN):
            return -left if left < empties else -NEVER
        above = at
    best_cell = NO_CELL
    within = 0
    without = NEVER
    while end > at:
        pick = at
        look = at + ONE
        while look < end:
            if memory[look] > memory[pick]:
                pick = look
            look += ONE
        cell = memory[pick] & MASK8
        end -= ONE
        memory[pick] = memory[end]
        stone = ONE << cell
        own = att | stone if turn else att
        other = dfn if turn else dfn | stone
        # No literal argument here: numba's cache then loads the recursive function wrongly.
        found = attack(memory, flag, own, other, not turn, left - 1, at + LEVEL_SIZE, above)
        if memory[STOPPED]:
            return 0
        if turn == (found > 0):
            best_cell = cell
            if turn:
                within = found + 1
            else:
                without = min(1 - found, NEVER) if found > -NEVER else NEVER
                within = 0
            break
        if turn:
            without = min(without, 1 - found)
        elif found + 1 > within:
            within = found + 1
            best_cell = cell
    if not within:
        if turn and limited:
            without = left
        if without >= empties:
            without = NEVER
    if not forced and left >= REMEMBER_FROM:
        if best_cell != NO_CELL:
            best_cell = memory[IMAGES_AT + (symmetry << np.uint64(6)) + best_cell]
        nodes = memory[NODES] - before
        if within:
            keep(memory, key, within, known_without, best_cell, nodes)
        else:
            keep(memory, key, known_within, without, best_cell, nodes)
    return within or -without


@kernel("int64(uint64[::1], uint8[::1], uint64, uint64, boolean, int64)")
def prove(memory: Words, flag: npt.NDArray[np.uint8], att: np.uint64, dfn: np.uint64, turn: bool, left: int) -> int:
    """:func:`attack` for Python."""
    return attack(memory.ctypes, flag.ctypes, att, dfn, turn, left, LEVELS_AT + LEVEL_SIZE, LEVELS_AT)


@kernel("uint64(uint64[::1], uint64, uint64)")
def wins_at_once(memory: Words, own: np.uint64, other: np.uint64) -> np.uint64:
    """The empty cells that complete a line of ``own``."""
    return winning(memory.ctypes, own, memory[BOARD] & ~(own | other))


@kernel("int64(uint64[::1], uint64, uint64)")
def potential(memory: Words, own: np.uint64, other: np.uint64) -> int:
    """The potential of the lines of ``own``, where 2 ** CERTAIN stands for 1."""
    empty = memory[BOARD] & ~(own | other)
    return int(weigh(memory.ctypes, LEVELS_AT + LEVEL_SIZE, LEVELS_AT, own, other, empty, 64, 64)[0])


@kernel("uint64(uint64[::1], uint64, uint64, boolean)")
def remembered(memory: Words, att: np.uint64, dfn: np.uint64, turn: bool) -> np.uint64:
    """The best move that the table has for the position, or NO_CELL if it has none."""
    at = LEVELS_AT + LEVEL_SIZE
    symmetry = place(memory.ctypes, at, LEVELS_AT, att, dfn)
    key = memory[at + KEY_AT + symmetry]
    if turn:
        key ^= memory[TURN_KEY]
    packed = find(memory.ctypes, key)
    hinted = packed & MASK8
    if not packed or hinted == NO_CELL:
        return NO_CELL
    return np.uint64(memory[ORIGINALS_AT + (symmetry << np.uint64(6)) + hinted])


def memory_of(columns: int, rows: int, length: int, bits: int) -> Words:
    """A new memory for searches on ``columns`` by ``rows`` cells for lines of ``length``, with a table of ``2 ** bits``
    buckets of 64 bytes, aligned to cache lines. ``(columns + 1) * rows`` must be at most 64.
    """
    raw = np.zeros(TABLE + (8 << bits) + 7, np.uint64)
    skipped = -raw.ctypes.data // 8 % 8
    words = raw[skipped : skipped + TABLE + (8 << bits)]
    step = columns + 1
    words[TABLE_SHIFT] = 64 - bits
    words[NODE_LIMIT] = TOP
    words[BOARD] = sum(1 << step * row + column for row in range(rows) for column in range(columns))
    words[LENGTH] = length
    lines: dict[int, None] = {}
    directions = 0
    for right, down in ((1, 0), (-1, 1), (0, 1), (1, 1)):
        found = _lines(columns, rows, length, right, down)
        if found:
            words[STEPS + directions] = down * step + right
            directions += 1
        lines |= dict.fromkeys(found)
    words[DIRECTIONS] = directions
    words[LEVELS + COUNT] = len(lines)
    words[LEVELS + LINES : LEVELS + LINES + len(lines)] = list(lines)
    images = _symmetries(columns, rows)
    words[SYMMETRIES] = len(images)
    cells = [step * row + column for row in range(rows) for column in range(columns)]
    keys = _keys(2 * len(cells) + 1)
    words[TURN_KEY] = keys.pop()
    for symmetry, image in enumerate(images):
        for index, cell in enumerate(cells):
            words[IMAGES + 64 * symmetry + cell] = cells[image[index]]
            words[ORIGINALS + 64 * symmetry + cells[image[index]]] = cell
            for side in range(2):
                words[KEYS + 512 * side + 8 * cell + symmetry] = keys[len(cells) * side + image[index]]
    return words


def _lines(columns: int, rows: int, length: int, right: int, down: int) -> list[int]:
    """The lines of ``length`` cells, in steps of this many columns and rows."""
    found = []
    for row in range(rows - down * (length - 1)):
        for column in range(columns):
            if 0 <= column + right * (length - 1) < columns:
                cells = [(column + right * n, row + down * n) for n in range(length)]
                found.append(sum(1 << (columns + 1) * y + x for x, y in cells))
    return found


def _symmetries(columns: int, rows: int) -> list[list[int]]:
    """For each symmetry of the board, the identity first, the image of each cell, row by row."""
    images = []
    for turned in (False, True) if columns == rows else (False,):
        for upside_down in (False, True):
            for mirrored in (False, True):
                image = []
                for row in range(rows):
                    for column in range(columns):
                        x, y = (row, column) if turned else (column, row)
                        x = columns - 1 - x if mirrored else x
                        y = rows - 1 - y if upside_down else y
                        image.append(columns * y + x)
                images.append(image)
    return images


def _keys(number: int) -> list[int]:
    """Random 64-bit words, of which the first 64 are linearly independent as vectors of bits. So on a board with at
    most 31 cells, no two positions have the same key. On larger boards two positions share a key only by chance, one
    pair in 2 ** 64.
    """
    rng = random.Random(1)
    keys: list[int] = []
    reduced: list[int] = []
    while len(keys) < number:
        word = rng.getrandbits(64)
        rest = word
        for basis in reduced:
            rest = min(rest, rest ^ basis)
        if rest or len(reduced) == 64:
            keys.append(word)
            if rest:
                reduced.append(rest)
    return keys
