"""Monte-Carlo tree search for Go and Hex in numba: boards, playouts and the tree. Pure; does no I/O.

A search keeps its board in one int64 array, :func:`memory_of`, and its tree in two others, :func:`tree_of`. All
constants of compiled functions are here, because numba's cache checks only this file. A cell is ``STRIDE * row +
column`` from 1, so that there is a border around every board.

The methods are published: UCT with the values of moves wherever they are played in a playout (S. Gelly and D. Silver,
*Combining Online and Offline Knowledge in UCT*, 2007), which also begin as what a move looks like; playouts that answer
the last move by captures, escapes and the patterns of MoGo (S. Gelly, Y. Wang, R. Munos and O. Teytaud, *Modification
of UCT with Patterns in Monte-Carlo Go*, 2006), and in Hex save bridges; and results that are proved, backed up (M.
Winands, Y. Bjornsson and J. Saito, *Monte-Carlo Tree Search Solver*, 2008). A group of Go counts its liberties once for
each stone beside, with their sum and sum of squares, which tell whether they are all the same one.
"""

# ruff: noqa: PLR1714, SIM109, SIM110 - tuples and generators take numba longer
from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import numpy.typing as npt

from noughts.engine.jit import kernel

Words = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]
Flag = npt.NDArray[np.uint8]
Patterns = npt.NDArray[np.uint8]

STRIDE = 21
AREA = STRIDE * STRIDE
LARGEST = 19
EMPTY, FIRST, SECOND, BORDER = 0, 1, 2, 3
GO, HEX = 0, 1
PASS = 0
"""No cell, so in Go a pass, and in Hex a swap."""

# The words of the memory: first those that a playout changes, and every one begins with a copy.
NODES = 0  # positions visited
TURN = 1  # FIRST or SECOND
KO = 2  # a point that may not be taken back at once, or 0
LAST = 3  # the last move, 0 if none
PASSES = 4
KEY = 5  # a number for the board
EMPTIES = 6  # the number of empty cells
SWAPS = 7  # 1 if the side to move may swap
COLOR = 8  # of each cell, with the border
HEAD = COLOR + AREA  # the group of each stone of Go: its name is one of its stones
NEXT = HEAD + AREA  # the next stone of the group, in a circle
STONES = NEXT + AREA  # by group: its stones
LIBERTIES = STONES + AREA  # by group: pairs of a stone and an empty point beside
SUM = LIBERTIES + AREA  # by group: the sum of these points
SQUARES = SUM + AREA  # by group: the sum of their squares
LIST = SQUARES + AREA  # the empty cells
PLACE = LIST + AREA  # of each empty cell: where the list has it
STATE = PLACE + AREA  # the number of words that change
# Those that do not.
KIND = STATE  # GO or HEX
SIZE = KIND + 1
KOMI = SIZE + 1  # in halves of a point
RANDOM = KOMI + 1  # the state of the generator of random numbers
NODE_LIMIT = RANDOM + 1
PLAYOUT_LIMIT = NODE_LIMIT + 1
USED = PLAYOUT_LIMIT + 1  # nodes of the tree
EVERY = USED + 1  # 1 if each move of the root needs a value
PAST = EVERY + 1  # the number of earlier boards in BOARDS, the present one included
ROOT = PAST + 1  # the words of STATE at the root
KEYS = ROOT + STATE  # a random number for each side and cell
FOUND = KEYS + 2 * AREA  # a list of moves
STACK = FOUND + AREA  # cells that wait for a visit
MARK = STACK + 2 * AREA  # of each cell: whether it was visited
NEED = MARK + AREA  # of each cell of Hex, for each side and edge: the stones that join it to that edge, itself included
PLAYED = NEED + 4 * AREA  # by side and cell: the ply of the playout at which the side first played there, plus 1
PATH = PLAYED + 2 * AREA  # the nodes from the root
DEEPEST = 1000
BOARDS = PATH + DEEPEST + 1  # keys of boards: those of the game, then those of the path
MOST_BOARDS = 6000
MEMORY = BOARDS + MOST_BOARDS

# The columns of the tree: numbers, and sums of results for the side that plays the move.
MOVE, CHILDREN, COUNT, VISITS, STATUS = 0, 1, 2, 3, 4
WINS, SEEN, SEEN_WINS = 0, 1, 2  # SEEN: playouts in which that side played the move later
UNKNOWN, WON, LOST, DRAWN = 0, 1, 2, 3  # of the side that plays the move

NO_LIMIT = 1 << 62
EXPLORATION = 0.1
EQUIVALENCE = 1500.0  # playouts of its own at which a move's own results count as much as borrowed ones
OPEN_AT = 4  # playouts after which a node gets its children
PRIOR = 12.0  # the weight of what a move looks like, in borrowed playouts
ANSWER, PATTERN, RASH = 230, 243, 26  # of 256: the probabilities of an answer, of a pattern, and of a rash move
STEP = np.array([1, -1, STRIDE, -STRIDE, STRIDE - 1, 1 - STRIDE], np.int64)
"""The four neighbours in Go, and all six in Hex."""
AROUND = np.array([1, 1 - STRIDE, -STRIDE, -STRIDE - 1, -1, STRIDE - 1, STRIDE, STRIDE + 1], np.int64)
"""The cells around, in a circle: the odd ones are the corners."""
RING = np.array([1, 1 - STRIDE, -STRIDE, -1, STRIDE - 1, STRIDE], np.int64)
"""The neighbours in Hex, in a circle: each lies beside the next."""


def memory_of(kind: int, size: int, komi: float) -> Words:
    """A new memory for a board of ``size`` rows, at most 19."""
    memory = np.zeros(MEMORY, np.int64)
    memory[KIND], memory[SIZE], memory[KOMI] = kind, size, round(2 * komi)
    rng = random.Random(size)
    memory[KEYS : KEYS + 2 * AREA] = [rng.getrandbits(63) for _ in range(2 * AREA)]
    return memory


def tree_of(nodes: int) -> tuple[Words, Reals]:
    """An empty tree of so many nodes, at 64 bytes each."""
    return np.zeros((nodes, 5), np.int64), np.zeros((nodes, 3), np.float64)


@kernel("int64(int64[::1], int64)")
def rand(m: Words, below: int) -> Any:
    """A random number from 0, by G. Marsaglia's xorshift."""
    x = np.uint64(m[RANDOM])
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    m[RANDOM] = np.int64(x)
    return np.int64((x >> np.uint64(33)) % np.uint64(below))


@kernel("void(int64[::1])")
def clear(m: Words) -> None:
    """Empty the board."""
    for word in range(STATE):
        m[word] = 0
    size = m[SIZE]
    for cell in range(AREA):
        m[COLOR + cell] = BORDER
    for row in range(1, size + 1):
        for column in range(1, size + 1):
            cell = STRIDE * row + column
            m[COLOR + cell] = EMPTY
            m[LIST + m[EMPTIES]] = cell
            m[PLACE + cell] = m[EMPTIES]
            m[EMPTIES] += 1
    m[TURN] = FIRST


@kernel("boolean(int64[::1], int64)")
def in_atari(m: Words, group: int) -> Any:
    """True if a group has a single liberty."""
    return m[LIBERTIES + group] * m[SQUARES + group] == m[SUM + group] * m[SUM + group]


@kernel("void(int64[::1], int64)")
def take(m: Words, group: int) -> None:
    """Remove a group from the board."""
    stone = group
    while True:
        color = m[COLOR + stone]
        m[COLOR + stone] = EMPTY
        m[KEY] ^= m[KEYS + (color - 1) * AREA + stone]
        m[LIST + m[EMPTIES]] = stone
        m[PLACE + stone] = m[EMPTIES]
        m[EMPTIES] += 1
        for side in range(4):
            near = stone + STEP[side]
            if m[COLOR + near] == FIRST or m[COLOR + near] == SECOND:
                head = m[HEAD + near]
                m[LIBERTIES + head] += 1
                m[SUM + head] += stone
                m[SQUARES + head] += stone * stone
        stone = m[NEXT + stone]
        if stone == group:
            return


@kernel("void(int64[::1], int64)")
def put(m: Words, cell: int) -> None:
    """Play on an empty cell, or pass; in Hex 0 swaps. It checks no rules."""
    color = m[TURN]
    m[TURN] = 3 - color
    m[LAST] = cell
    m[NODES] += 1
    if m[KIND] == HEX:
        if cell == PASS:
            for row in range(1, m[SIZE] + 1):
                for column in range(1, m[SIZE] + 1):
                    if m[COLOR + STRIDE * row + column] == FIRST:
                        old, new = STRIDE * row + column, STRIDE * column + row
                        if old != new:
                            m[LIST + m[PLACE + new]] = old
                            m[PLACE + old] = m[PLACE + new]
                        m[COLOR + old] = EMPTY
                        m[COLOR + new] = SECOND
                        m[SWAPS] = 0
                        return
            return
        m[SWAPS] = np.int64(m[SWAPS] == 2)  # 2 before the first stone, 1 after it
    elif cell == PASS:
        m[PASSES] += 1
        m[KO] = 0
        return
    place = m[PLACE + cell]
    m[EMPTIES] -= 1
    last = m[LIST + m[EMPTIES]]
    m[LIST + place] = last
    m[PLACE + last] = place
    m[COLOR + cell] = color
    if m[KIND] == HEX:
        return
    m[PASSES] = 0
    m[KEY] ^= m[KEYS + (color - 1) * AREA + cell]
    m[HEAD + cell] = cell
    m[NEXT + cell] = cell
    m[STONES + cell] = 1
    m[LIBERTIES + cell] = 0
    m[SUM + cell] = 0
    m[SQUARES + cell] = 0
    for side in range(4):
        near = cell + STEP[side]
        what = m[COLOR + near]
        if what == EMPTY:
            m[LIBERTIES + cell] += 1
            m[SUM + cell] += near
            m[SQUARES + cell] += near * near
        elif what != BORDER:
            head = m[HEAD + near]
            m[LIBERTIES + head] -= 1
            m[SUM + head] -= cell
            m[SQUARES + head] -= cell * cell
    head = cell
    for side in range(4):
        near = cell + STEP[side]
        if m[COLOR + near] == color and m[HEAD + near] != head:
            other = m[HEAD + near]
            if m[STONES + other] > m[STONES + head]:
                head, other = other, head
            m[STONES + head] += m[STONES + other]
            m[LIBERTIES + head] += m[LIBERTIES + other]
            m[SUM + head] += m[SUM + other]
            m[SQUARES + head] += m[SQUARES + other]
            stone = other
            while True:
                m[HEAD + stone] = head
                stone = m[NEXT + stone]
                if stone == other:
                    break
            m[NEXT + head], m[NEXT + other] = m[NEXT + other], m[NEXT + head]
    before, taken = m[EMPTIES], 0
    for side in range(4):
        near = cell + STEP[side]
        if m[COLOR + near] == 3 - color and m[LIBERTIES + m[HEAD + near]] == 0:
            take(m, m[HEAD + near])
            taken = near
    if m[LIBERTIES + head] == 0:
        take(m, head)
    single = m[EMPTIES] == before + 1 and taken != 0 and m[STONES + head] == 1 and m[LIBERTIES + head] == 1
    m[KO] = taken if single else 0


@kernel("boolean(int64[::1], int64)")
def survives(m: Words, cell: int) -> bool:
    """True if a stone of the side to move on an empty point takes something or has a liberty."""
    color = m[TURN]
    for side in range(4):
        near = cell + STEP[side]
        what = m[COLOR + near]
        if what == EMPTY:
            return True
        if what != BORDER and (what == color) != in_atari(m, m[HEAD + near]):
            return True
    return False


@kernel("boolean(int64[::1], int64)")
def is_rash(m: Words, cell: int) -> bool:
    """True if the stone that is played on an empty point would have a single liberty."""
    color, liberty = m[TURN], 0
    for side in range(4):
        near = cell + STEP[side]
        what = m[COLOR + near]
        one = 0
        if what == EMPTY:
            one = near
        elif what == color:
            group, pairs = m[HEAD + near], 0
            for other in range(4):
                beside = cell + STEP[other]
                if m[COLOR + beside] == color and m[HEAD + beside] == group:
                    pairs += 1
            rest = m[LIBERTIES + group] - pairs
            total = m[SUM + group] - pairs * cell
            if rest > 0:
                if rest * (m[SQUARES + group] - pairs * cell * cell) != total * total:
                    return False
                one = total // rest
        elif what != BORDER and in_atari(m, m[HEAD + near]):
            if m[STONES + m[HEAD + near]] > 1:
                return False
            one = near
        if one and liberty and one != liberty:
            return False
        liberty = one or liberty
    return True


@kernel("boolean(int64[::1], int64)")
def is_eye(m: Words, cell: int) -> bool:
    """True if only stones of the side to move surround an empty point, and so few others lie at its corners that these
    stones are one group sooner or later.
    """
    color = m[TURN]
    for side in range(4):
        what = m[COLOR + cell + STEP[side]]
        if what != color and what != BORDER:
            return False
    others = beyond = 0
    for corner in range(1, 8, 2):
        what = m[COLOR + cell + AROUND[corner]]
        others += what == 3 - color
        beyond |= what == BORDER
    return others + beyond < 2


@kernel("int64(int64[::1], int64)")
def code_at(m: Words, cell: int) -> Any:
    """The cells around a point, two bits for each: 1 is a stone of the side to move, 2 of the other, 3 the border."""
    code, color = 0, m[TURN]
    for place in range(8):
        what = m[COLOR + cell + AROUND[place]]
        if color == SECOND and (what == FIRST or what == SECOND):
            what = 3 - what
        code |= what << (2 * place)
    return code


@kernel("int64(int64[::1], int64, int64)")
def add(m: Words, count: int, cell: int) -> Any:
    """Add a move that is no suicide to the list FOUND of so many. Returns their number."""
    if cell != m[KO] and survives(m, cell):
        m[FOUND + count] = cell
        return count + 1
    return count


@kernel("int64(int64[::1], int64)")
def at_stake(m: Words, cell: int) -> Any:
    """A number for the stones that a stone on an empty point takes, or saves from being taken: at most 3."""
    found = 0
    for side in range(4):
        near = cell + STEP[side]
        what = m[COLOR + near]
        if what == EMPTY or what == BORDER or not in_atari(m, m[HEAD + near]):
            continue
        if what != m[TURN] or not is_rash(m, cell):
            found += m[STONES + m[HEAD + near]]
    return min(found, 3)


@kernel("int64(int64[::1])")
def answers(m: Words) -> Any:
    """List the moves that take what the last move left with a single liberty, or save what it left so. Returns their
    number.
    """
    last, color, count = m[LAST], m[TURN], 0
    if m[COLOR + last] == 3 - color and in_atari(m, m[HEAD + last]):
        count = add(m, count, m[SUM + m[HEAD + last]] // m[LIBERTIES + m[HEAD + last]])
    for side in range(4):
        near = last + STEP[side]
        if m[COLOR + near] != color or not in_atari(m, m[HEAD + near]):
            continue
        group = m[HEAD + near]
        stone = group
        while True:
            for other in range(4):
                beside = stone + STEP[other]
                if m[COLOR + beside] == 3 - color and in_atari(m, m[HEAD + beside]):
                    count = add(m, count, m[SUM + m[HEAD + beside]] // m[LIBERTIES + m[HEAD + beside]])
                    if count > 40:
                        return count
            stone = m[NEXT + stone]
            if stone == group:
                break
        liberty = m[SUM + group] // m[LIBERTIES + group]
        if not is_rash(m, liberty):
            count = add(m, count, liberty)
    return count


@kernel("int64(int64[::1], uint8[::1])")
def choose_go(m: Words, patterns: Patterns) -> Any:
    """The next move of a playout of Go."""
    last = m[LAST]
    if last != PASS:
        if rand(m, 256) < ANSWER:
            count = answers(m)
            if count:
                return m[FOUND + rand(m, count)]
        if rand(m, 256) < PATTERN:
            count = 0
            for side in range(8):
                near = last + AROUND[side]
                if m[COLOR + near] == EMPTY and patterns[code_at(m, near)] and not is_rash(m, near):
                    count = add(m, count, near)
            if count:
                return m[FOUND + rand(m, count)]
    empties = m[EMPTIES]
    if empties == 0:
        return PASS
    start = rand(m, empties)
    for number in range(empties):
        cell = m[LIST + (start + number) % empties]
        if cell == m[KO] or is_eye(m, cell) or not survives(m, cell):
            continue
        if is_rash(m, cell) and rand(m, 256) >= RASH:
            continue
        return cell
    return PASS


@kernel("boolean(int64[::1], int64, int64)")
def holds(m: Words, cell: int, color: int) -> Any:
    """True if a cell of Hex has a stone of a side, or lies beyond an edge of that side."""
    what = m[COLOR + cell]
    if what != BORDER:
        return what == color
    line, across = (cell // STRIDE, cell % STRIDE) if color == FIRST else (cell % STRIDE, cell // STRIDE)
    return (line == 0 or line == m[SIZE] + 1) and 0 < across <= m[SIZE]


@kernel("int64(int64[::1])")
def bridge(m: Words) -> Any:
    """The cell that saves a bridge of Hex into which the last move went, or 0."""
    last, color = m[LAST], m[TURN]
    start = rand(m, 6)
    for number in range(6):
        at = start + number
        cell = last + RING[at % 6]
        if (
            m[COLOR + cell] == EMPTY
            and holds(m, last + RING[(at + 1) % 6], color)
            and holds(m, last + RING[(at + 5) % 6], color)
        ):
            return cell
    return 0


@kernel("int64(int64[::1], int64, int64)")
def measure(m: Words, color: int, edge: int) -> Any:
    """Fill NEED for a side of Hex and its first edge or its second, and return the stones that it needs to join both.

    Bridges count as joined. In waves: what takes no more stones, then one, and so on.
    """
    size, need = m[SIZE], NEED + (2 * (color - 1) + edge) * AREA
    across, along = (STRIDE, 1) if color == FIRST else (1, STRIDE)
    for cell in range(AREA):
        m[need + cell] = AREA
    here, waiting, later, stones = STACK, 0, 0, 0
    for place in range(1, size + 1):
        cell = across * edge * (size + 1) + along * place
        m[need + cell] = 0
        m[here + waiting] = cell
        waiting += 1
    while waiting:
        other = 2 * STACK + AREA - here
        done = later = 0
        while done < waiting:
            cell = m[here + done]
            done += 1
            for at in range(6):
                one, two = cell + RING[at], cell + RING[(at + 1) % 6]
                if one < 0 or two < 0 or one >= AREA or two >= AREA:
                    continue
                # The neighbour, and the cell that a bridge over two empty neighbours reaches.
                bridges = m[COLOR + one] == EMPTY and m[COLOR + two] == EMPTY
                for step in range(1 + bridges):
                    near = one + two - cell if step else one
                    if near < 0 or near >= AREA:
                        continue
                    if holds(m, near, color):
                        if m[need + near] > stones and waiting < AREA:
                            m[need + near] = stones
                            m[here + waiting] = near
                            waiting += 1
                    elif m[COLOR + near] == EMPTY and m[need + near] > stones + 1 and later < AREA:
                        m[need + near] = stones + 1
                        m[other + later] = near
                        later += 1
        here, waiting = other, later
        stones += 1
    return m[need + across * (1 - edge) * (size + 1) + along]


@kernel("int64(int64[::1], int64, int64)")
def spread(m: Words, start: int, through: int) -> Any:
    """Mark ``start`` and what is connected to it by cells of the colour ``through``, and count these, times 4.

    The bits 1 and 2 are for what they meet: in Go stones of the first and of the second side, in Hex the two edges of
    the side whose colour it is.
    """
    is_go = m[KIND] == GO
    found, met, waiting = 0, 0, 1
    m[STACK] = start
    m[MARK + start] = 1
    while waiting:
        waiting -= 1
        cell = m[STACK + waiting]
        found += 1
        if not is_go:
            line = cell // STRIDE if through == FIRST else cell % STRIDE
            if line == 1:
                met |= 1
            if line == m[SIZE]:
                met |= 2
        for side in range(4 if is_go else 6):
            near = cell + STEP[side]
            what = m[COLOR + near]
            if what == through:
                if not m[MARK + near]:
                    m[MARK + near] = 1
                    m[STACK + waiting] = near
                    waiting += 1
            elif is_go and what != BORDER:
                met |= what
    return 4 * found + met


@kernel("void(int64[::1])")
def unmark(m: Words) -> None:
    """Forget what was visited."""
    for cell in range(AREA):
        m[MARK + cell] = 0


@kernel("int64(int64[::1])")
def lead(m: Words) -> Any:
    """By how much the first side leads if the board of Go is counted as it lies, with komi, in halves of a point."""
    points = 0
    unmark(m)
    for row in range(1, m[SIZE] + 1):
        for column in range(1, m[SIZE] + 1):
            cell = STRIDE * row + column
            what = m[COLOR + cell]
            area = 1
            if what == EMPTY:
                if m[MARK + cell]:
                    continue
                found = spread(m, cell, EMPTY)
                area, what = found >> 2, found & 3
            if what == FIRST:
                points += area
            elif what == SECOND:
                points -= area
    return 2 * points - m[KOMI]


@kernel("boolean(int64[::1])")
def has_chain(m: Words) -> Any:
    """True if the last stone of Hex completes a chain between the edges of its side."""
    unmark(m)
    return spread(m, m[LAST], m[COLOR + m[LAST]]) & 3 == 3


@kernel("int64(int64[::1])")
def first_won(m: Words) -> Any:
    """The result of the first side, 0 for a loss, 1 for a draw, 2 for a win: of a finished game of Go, or on a full
    board of Hex.
    """
    if m[KIND] == GO:
        points = lead(m)
        return 2 if points > 0 else 0 if points < 0 else 1
    unmark(m)
    for column in range(1, m[SIZE] + 1):
        cell = STRIDE + column
        if m[COLOR + cell] == FIRST and not m[MARK + cell] and spread(m, cell, FIRST) & 2:
            return 2
    return 0


@kernel("int64(int64[::1], int64, uint8[::1])")
def playout(m: Words, ply: int, patterns: Patterns) -> Any:
    """Play to the end, the first move being number ``ply`` of the playout, and return :func:`first_won`."""
    most = ply + 3 * m[SIZE] * m[SIZE]
    while ply < most:
        if m[KIND] == GO:
            if m[PASSES] >= 2:
                break
            cell = choose_go(m, patterns)
        else:
            if not m[EMPTIES]:
                break
            cell = bridge(m) if m[LAST] else 0
            if not cell:
                cell = m[LIST + rand(m, m[EMPTIES])]
        played = PLAYED + (m[TURN] - 1) * AREA + cell
        ply += 1
        if not m[played]:
            m[played] = ply
        put(m, cell)
    return first_won(m)


@kernel("int64(int64[::1], int64)")
def key_after(m: Words, cell: int) -> Any:
    """The key of the board of Go after the side to move plays on an empty point; the same if that is a single stone
    without a liberty.
    """
    color, key = m[TURN], m[KEY] ^ m[KEYS + (m[TURN] - 1) * AREA + cell]
    if not survives(m, cell):
        color, key = 3 - color, key ^ m[KEYS + (color - 1) * AREA + cell]
    # The groups that this stone takes, or those that go with it.
    for side in range(4):
        near = cell + STEP[side]
        if m[COLOR + near] != 3 - color or not in_atari(m, m[HEAD + near]):
            continue
        known = False
        for before in range(side):
            other = cell + STEP[before]
            known |= m[COLOR + other] == 3 - color and m[HEAD + other] == m[HEAD + near]
        stone = near
        while not known:
            key ^= m[KEYS + (2 - color) * AREA + stone]
            stone = m[NEXT + stone]
            if stone == near:
                break
    return key


@kernel("boolean(int64[::1], int64)")
def is_legal(m: Words, cell: int) -> Any:
    """True if a stone on an empty point of Go gives a board that the game has not had."""
    key = key_after(m, cell)
    for place in range(m[PAST] - 1, -1, -1):
        if m[BOARDS + place] == key:
            return False
    return True


@kernel("boolean(int64[::1], int64)")
def is_lonely(m: Words, cell: int) -> bool:
    """True if no stone lies within three steps of a cell."""
    row, column, size = cell // STRIDE, cell % STRIDE, m[SIZE]
    for near_row in range(max(1, row - 3), min(size, row + 3) + 1):
        for near_column in range(max(1, column - 3), min(size, column + 3) + 1):
            if (
                abs(near_row - row) + abs(near_column - column) <= 3
                and m[COLOR + STRIDE * near_row + near_column] != EMPTY
            ):
                return False
    return True


@kernel("boolean(int64[::1], int64, int64[:, ::1], float64[:, ::1], uint8[::1])")
def grow(m: Words, node: int, tree: Words, sums: Reals, patterns: Patterns) -> Any:
    """Give a node its children, one for each legal move. Returns False if the tree is full."""
    is_go, start, last = m[KIND] == GO, m[USED], m[LAST]
    if start + m[EMPTIES] + 1 > len(tree):
        return False
    count = start
    for number in range(m[EMPTIES]):
        cell = m[LIST + number]
        if is_go and not is_legal(m, cell):
            continue
        tree[count, MOVE] = cell
        count += 1
    if is_go or m[SWAPS] == 1:
        tree[count, MOVE] = PASS
        count += 1
    save = bridge(m) if last and not is_go else 0
    first = second = 0
    if not is_go:
        measure(m, FIRST, 1)
        measure(m, SECOND, 1)
        first, second = measure(m, FIRST, 0), measure(m, SECOND, 0)
    for child in range(start, count):
        cell = tree[child, MOVE]
        tree[child, CHILDREN] = tree[child, COUNT] = tree[child, VISITS] = tree[child, STATUS] = UNKNOWN
        seen, wins = PRIOR, PRIOR / 2
        if cell and cell == save:
            seen += PRIOR
            wins += PRIOR
        if not is_go and cell != PASS:
            need = NEED + cell
            ways = np.int64(m[need] + m[need + AREA] == first + 1)
            ways += m[need + 2 * AREA] + m[need + 3 * AREA] == second + 1
            seen += PRIOR
            wins += PRIOR * ways / 2
        if is_go and cell != PASS:
            stones = at_stake(m, cell)
            seen += PRIOR * stones
            wins += PRIOR * stones
            if is_eye(m, cell) or is_rash(m, cell):
                seen += PRIOR
            elif patterns[code_at(m, cell)]:
                seen += PRIOR
                wins += PRIOR
            if last:
                away = max(abs(cell // STRIDE - last // STRIDE), abs(cell % STRIDE - last % STRIDE))
                if 0 < away <= 2:  # a stone may have taken itself
                    seen += PRIOR / away
                    wins += PRIOR / away
            row, column = cell // STRIDE, cell % STRIDE
            line = min(row, column, m[SIZE] + 1 - row, m[SIZE] + 1 - column)
            if line <= 4 and is_lonely(m, cell):
                seen += PRIOR
                if line > 2:
                    wins += PRIOR
        sums[child, WINS], sums[child, SEEN], sums[child, SEEN_WINS] = 0.0, seen, wins
    m[USED] = count
    tree[node, CHILDREN], tree[node, COUNT] = start, count - start
    return True


@kernel("int64(int64[::1], int64, int64[:, ::1], float64[:, ::1])")
def select(m: Words, node: int, tree: Words, sums: Reals) -> Any:
    """The child to go down to, -1 if there is none that needs more playouts."""
    every = node == 0 and m[EVERY]
    start = tree[node, CHILDREN]
    spread_of = EXPLORATION * math.sqrt(math.log(tree[node, VISITS] + 1.0))
    best, highest = -1, -1.0
    for child in range(start, start + tree[node, COUNT]):
        status = tree[child, STATUS]
        if status == LOST or (every and status != UNKNOWN):
            continue
        visits, seen = tree[child, VISITS], sums[child, SEEN]
        share = seen / (seen + visits + seen * visits / EQUIVALENCE)
        score = share * sums[child, SEEN_WINS] / seen
        if visits:
            score += (1 - share) * sums[child, WINS] / visits + spread_of / math.sqrt(visits)
        elif every:
            score += 2
        else:
            score += spread_of
        if score > highest:
            best, highest = child, score
    return best


@kernel("void(int64[::1], int64, int64[:, ::1])")
def conclude(m: Words, depth: int, tree: Words) -> None:
    """Draw conclusions from the status of the node at the end of the path of so many moves."""
    for place in range(depth, 0, -1):
        status, parent = tree[m[PATH + place], STATUS], m[PATH + place - 1]
        if status == WON:
            tree[parent, STATUS] = LOST
            continue
        best = LOST
        for child in range(tree[parent, CHILDREN], tree[parent, CHILDREN] + tree[parent, COUNT]):
            status = tree[child, STATUS]
            if status == UNKNOWN:
                return
            if status == DRAWN:
                best = DRAWN
        tree[parent, STATUS] = DRAWN if best == DRAWN else WON


@kernel("void(int64[::1], int64, int64)")
def copy(m: Words, old: int, new: int) -> None:
    """Copy the words that a playout changes from one place to another."""
    for word in range(STATE):
        m[new + word] = m[old + word]


@kernel("int64(int64[::1], int64[:, ::1], float64[:, ::1], uint8[::1], uint8[::1])")
def search(m: Words, tree: Words, sums: Reals, patterns: Patterns, stop: Flag) -> Any:
    """Playouts from the position in the memory until ``stop`` is set, a limit or the size of the tree is reached, or
    nothing is left to find out. Node 0 is the root. Returns their number.
    """
    copy(m, 0, ROOT)
    m[USED] = 1
    tree[0, CHILDREN] = tree[0, COUNT] = tree[0, VISITS] = tree[0, STATUS] = 0
    boards, turn, full = m[PAST], m[TURN], not grow(m, 0, tree, sums, patterns)
    nodes, done = 0, 0
    while not (full or stop[0] or nodes >= m[NODE_LIMIT] or done >= m[PLAYOUT_LIMIT]):
        if tree[0, STATUS] != UNKNOWN and not m[EVERY]:
            break
        copy(m, ROOT, 0)
        for cell in range(2 * AREA):
            m[PLAYED + cell] = 0
        m[PAST] = boards
        m[PATH] = node = depth = 0
        while True:
            if tree[node, COUNT] == 0:
                if tree[node, VISITS] < OPEN_AT or depth >= DEEPEST - 1:
                    break
                if not grow(m, node, tree, sums, patterns):
                    full = True
                    break
            node = select(m, node, tree, sums)
            if node < 0:
                break
            cell, played = tree[node, MOVE], PLAYED + (m[TURN] - 1) * AREA + tree[node, MOVE]
            depth += 1
            m[PATH + depth] = node
            if not m[played]:
                m[played] = depth
            put(m, cell)
            if m[KIND] == GO and m[PAST] < MOST_BOARDS:
                m[BOARDS + m[PAST]] = m[KEY]
                m[PAST] += 1
            if tree[node, VISITS] == 0 and tree[node, STATUS] == UNKNOWN:
                if m[PASSES] == 2:
                    result = first_won(m)
                    mine = result if m[TURN] == SECOND else 2 - result
                    tree[node, STATUS] = WON if mine == 2 else LOST if mine == 0 else DRAWN
                    conclude(m, depth, tree)
                elif m[KIND] == HEX and cell != PASS and has_chain(m):
                    tree[node, STATUS] = WON
                    conclude(m, depth, tree)
            if tree[node, STATUS] != UNKNOWN:
                break
        if node < 0:
            break  # each move of the root has its value
        status = tree[node, STATUS]
        if status == UNKNOWN or depth == 0:
            result = playout(m, depth, patterns)
        elif status == DRAWN:
            result = 1
        else:
            result = 2 if (status == WON) == (m[TURN] == SECOND) else 0
        nodes += m[NODES]
        done += 1
        # Tell the result to all nodes of the path, and to the moves that were played later.
        for place in range(depth + 1):
            node = m[PATH + place]
            mover = turn if place % 2 else 3 - turn  # who made the move to this node
            tree[node, VISITS] += 1
            sums[node, WINS] += (result if mover == FIRST else 2 - result) / 2
            later = (result if mover == SECOND else 2 - result) / 2
            start = tree[node, CHILDREN]
            for child in range(start, start + tree[node, COUNT]):
                if tree[child, MOVE] and m[PLAYED + (2 - mover) * AREA + tree[child, MOVE]] > place:
                    sums[child, SEEN] += 1
                    sums[child, SEEN_WINS] += later
    copy(m, ROOT, 0)
    m[PAST] = boards
    m[NODES] = nodes
    return done
