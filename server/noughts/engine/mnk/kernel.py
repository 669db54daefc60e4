"""Small m,n,k boards in numba: who can win, and within how many plies, by proof. Pure; does no I/O.

A search answers one question: can the *attacker*, who is to move or not, make a line within so many plies, whatever the
*defender* does? A line of the defender answers it as well: no. A position is won, lost or drawn as the answers for both
sides say, and asked for more plies each time, the first yes tells the shortest win.

Cells are the bits of :class:`noughts.games.mnk.Board`, in one uint64 for each side. Everything is uint64, as numba
makes floats of mixed signs; answers and plies alone are int64. All constants are here, because numba's cache looks at
this one file only; what a board is made of is in the memory of its search, see :func:`memory_of`.

What makes it fast:

- A threat to make a line at once is answered or the game is lost, so only one reply is looked at.
- Only lines without a stone of the defender, and with no more cells to fill than the attacker has moves left, can still
  be made. A cell on none of these, nor on a line by which the defender could come first, is as good as a pass, and is
  not tried.
- The potential of Erdos and Selfridge (*On a combinatorial game*, 1973): the sum of 2 ** -(cells to fill) over those
  lines. Below 1 with the defender to move, he can stop them all by taking the cell that lowers it most each time; with
  the attacker to move, if it is so after the move that raises it most. A line of the defender's own only helps him.
- A transposition table in which all symmetric positions are one, with what is proved of them: a win within so many
  plies, or none, perhaps ever.
"""

# ruff: noqa: PLR0917 - an argument is a register, a structure would be memory
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
"""The binary logarithm of what stands for a potential of 1."""
REMEMBER_FROM = 5
"""Plies left: with fewer the table costs more than it saves."""
NODES_PER_POLL = np.uint64(512)
NO_CELL = np.uint64(64)

# Words of a search's memory.
NODES = 0  # positions visited
NEXT_POLL = 1  # when to look at the flag again, in nodes
NODE_LIMIT = 2
STOPPED = 3  # 1 once the search has been told to stop: what it then returns is nothing
TABLE_SHIFT = 4  # 64 less the binary logarithm of the table's buckets
AGE = 5  # of the entries that this search writes, 0 to 255
BOARD = 6  # all cells
LENGTH = 7  # of a line
SYMMETRIES = 8  # how many the board has, 1 to 8, the identity first
TURN_KEY = 9  # what a position's key has in addition when the attacker is to move
DIRECTIONS = 10  # how many of the next four words are directions in which there is a line
STEPS = 11
KEYS = 16  # for each side, cell and symmetry: what a stone there has in the key
IMAGES = KEYS + 2 * 64 * 8  # for each symmetry and cell: its image
ORIGINALS = IMAGES + 8 * 64  # and the cell whose image it is
LEVELS = ORIGINALS + 8 * 64
# A level is a position of the line under way: 64 words of moves, 64 of what cells weigh, and these.
WEIGHT = 64
KEY = 128  # for each symmetry
ATTACKER, DEFENDER = 136, 137  # the stones
COUNT = 138  # of the lines
LINES = 139  # those that are not blocked for both
LEVEL = 139 + 256
TABLE = (LEVELS + 67 * LEVEL + 7) // 8 * 8  # buckets of four entries, a key and what is known of it
LEVELS_AT, LEVEL_SIZE, TABLE_AT = np.uint64(LEVELS), np.uint64(LEVEL), np.uint64(TABLE)
WEIGHT_AT, KEY_AT, LINES_AT = np.uint64(WEIGHT), np.uint64(KEY), np.uint64(LINES)
ATTACKER_AT, DEFENDER_AT, COUNT_AT = np.uint64(ATTACKER), np.uint64(DEFENDER), np.uint64(COUNT)
KEYS_AT, IMAGES_AT, ORIGINALS_AT = np.uint64(KEYS), np.uint64(IMAGES), np.uint64(ORIGINALS)
DEFENDER_KEYS_AT = np.uint64(KEYS + 64 * 8)
STEPS_AT = np.uint64(STEPS)


def _instruction(name: str, result: Any) -> Any:
    """One of LLVM's instructions on a uint64 as a function."""

    def typed(_context: Any, _bits: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            if name == "ctpop":
                return builder.ctpop(arguments[0])
            return getattr(builder, name)(arguments[0], context.get_constant(types.boolean, False))

        return result(types.uint64), generate

    return intrinsic(typed)


count: Callable[[np.uint64], int] = _instruction("ctpop", types.int64)  # of the bits that are set
lowest: Callable[[np.uint64], np.uint64] = _instruction("cttz", types.uint64)  # the lowest bit's index, 64 of 0
leading: Callable[[np.uint64], np.uint64] = _instruction("ctlz", types.uint64)  # zeros above the highest bit, 64 of 0


@kernel("int64(uint64)")
def signed(word: np.uint64) -> int:
    """A word as a number that may be mixed with negative ones."""
    return int(word)


@kernel("uint64(CPointer(uint64), uint64, uint64)")
def winning(memory: Any, own: np.uint64, empty: np.uint64) -> np.uint64:
    """The empty cells with which ``own`` makes a line."""
    length = memory[LENGTH]
    cells = ZERO
    for index in range(memory[DIRECTIONS]):
        step = memory[STEPS_AT + index]
        # The first cells of windows that lack none and one, longer by one cell each time.
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
    """Write a position with its keys into the level ``at``, by what differs from that ``above``: the symmetry by which
    its key is the least.
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
    """What the table has under ``key``, packed as by :func:`keep`, or 0."""
    at = TABLE_AT + (key >> memory[TABLE_SHIFT] << THREE)
    for _ in range(4):
        if memory[at] == key:
            return np.uint64(memory[at + ONE])
        at += TWO
    return ZERO


@kernel("void(CPointer(uint64), uint64, int64, int64, uint64, uint64)")
def keep(memory: Any, key: np.uint64, within: int, without: int, cell: np.uint64, nodes: np.uint64) -> None:
    """Write into the table that there is a win ``within`` so many plies, 0 if that is not known, and none ``without``
    more than so many, over the same key or the least of the bucket: of an earlier search, then what cost fewer nodes.

    Packed: the move that was best in bits 0 to 7, ``within`` in bits 8 to 15, ``without`` in bits 16 to 23, the binary
    logarithm of the nodes in bits 24 to 31 and the age in bits 32 to 39.
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
    """Whether the search is to end. Looks at the flag every NODES_PER_POLL nodes."""
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
    """The potential of the attacker's lines, that of those that so many moves of his can make, and whether anything was
    left out for want of moves. Writes into the level ``at`` the lines that are not blocked for both, and for each empty
    cell, in 21 bits each, the potential on it of the attacker's lines within reach, of all of them, and of those of the
    defender that so many of his moves can make.
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
    """In how many plies the attacker ``att`` wins, at most ``left``, or minus within how many he does not, at least
    ``left``, or -NEVER. Nothing once it is stopped.

    ``turn`` says that he is to move; ``left`` is odd then, else even, 1 or more. ``at`` is a level to write to,
    ``above`` that of a position before. Nobody has a line.
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
        # The moves, those first that weigh most.
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
        # No literal here, with which numba loads a recursive function wrongly from its cache.
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
    """The cells with which ``own`` makes a line."""
    return winning(memory.ctypes, own, memory[BOARD] & ~(own | other))


@kernel("int64(uint64[::1], uint64, uint64)")
def potential(memory: Words, own: np.uint64, other: np.uint64) -> int:
    """The potential of the lines of ``own``, where 1 is 2 ** CERTAIN."""
    empty = memory[BOARD] & ~(own | other)
    return int(weigh(memory.ctypes, LEVELS_AT + LEVEL_SIZE, LEVELS_AT, own, other, empty, 64, 64)[0])


@kernel("uint64(uint64[::1], uint64, uint64, boolean)")
def remembered(memory: Words, att: np.uint64, dfn: np.uint64, turn: bool) -> np.uint64:
    """The move that was found best here, NO_CELL if none is known."""
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
    """The memory of a search on ``columns`` by ``rows`` cells for lines of ``length``, with a table of ``2 ** bits``
    buckets of 64 bytes, on the borders of the processor's lines. ``(columns + 1) * rows`` is at most 64.
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
    """The lines of ``length`` cells, by steps of so many columns and rows."""
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
    """So many random words of 64 bits, any 64 of which, from the first on, are linearly independent as vectors of
    bits: so of a board with 31 cells or fewer no two positions have the same key. Else two have it by chance, one pair
    in 2 ** 64.
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
