"""The moves of chess in numba: bitboards, legal moves, making and unmaking them, and perft. Pure; does no I/O.

Squares have the numbers of :mod:`noughts.games.chess_moves`: a8 is 0, h1 is 63. A set of squares is an int64 with a bit
for each. Everything is in one int64 array, :func:`memory_of`, which compiled functions get as a bare pointer; the
words that the evaluation and the search need are named here too.

A move is packed: the square that a piece leaves in bits 0 to 5, the one that it goes to in bits 6 to 11, and what a
pawn becomes in bits 12 to 14, 0 for nothing. Only legal moves are generated: pieces that are pinned stay on the line to
the king, and a check allows only what ends it. The squares that a piece attacks along a line come from the difference
between the nearest pieces on both sides, as in the obstruction difference of M. Hoffmann and G. Isenberg
(chessprogramming.org/Obstruction_Difference).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic

from noughts.engine.jit import kernel
from noughts.games.base import Side
from noughts.games.chess import ChessPosition
from noughts.games.chess_moves import KING_STEPS, KNIGHT_STEPS, NAMES, NUMBER, SLANTING, STRAIGHT, STRIKES

Words = npt.NDArray[np.int64]

# The words of a search's memory.
NODES = 0  # positions visited
NEXT_POLL = 1  # the node count at which to check the flag again
NODE_LIMIT = 2
STOPPED = 3  # 1 once the search was stopped; what it returns then is meaningless
TABLE_SHIFT = 4  # 64 - log2 of the table's number of buckets
AGE = 5  # the age of the entries that this search writes
TURN = 6  # the side to move, 0 for White
RIGHTS = 7  # bits for the castlings that are still allowed: 1, 2, 4, 8 for K, Q, k, q
BEHIND = 8  # the square on which a pawn can be captured in passing, -1 for none
QUIET = 9  # plies since a capture or a pawn's move
KEY = 10  # the position's key: equal positions have equal ones
SCORE = (
    11  # the pieces on their squares for White: for the middle game in the high 32 bits, for the end in the low ones
)
PHASE = 12  # the sum of the pieces' phases
TOP = 13  # where the next entry of the stack goes
CHECKERS = 14  # by `survey`: the pieces that give check
TARGETS = 15  # by `survey`: where a piece other than the king may go to end a check, all squares without one
PINNED = 16  # by `survey`: own pieces that are pinned
PLAIN = 17  # 1 for a search of fixed depth, without null moves or reductions
PROOF_LIMIT = 18  # the node count at which a proof gives up
SALT = 19  # distinguishes the proofs of this search in the table
ROOT = 20  # the word of the stack's entry after which the search began
GAVE_UP = 21  # 1 once a proof has reached its limit; what it returns then is meaningless
PASSERS = 22  # by the evaluation: the passed pawns of both sides
PRESSED = 24  # by the evaluation, for each side: how much it attacks the squares around the other king
BITS = 32  # eight words for each side: the squares of its pawns, knights, bishops, rooks, queens, king, and of all
WHO = 48  # for each square 8 * side + kind, or EMPTY
REACHED = WHO + 64  # by the evaluation, eight words for each side: what its kinds of pieces attack, and all of them
PIN_RAYS = REACHED + 16  # for each square, where a piece that is pinned there may go
KNIGHT_REACH = PIN_RAYS + 64
KING_REACH = KNIGHT_REACH + 64
PAWN_REACH = KING_REACH + 64  # for each side: where its pawns capture
RAYS = PAWN_REACH + 128  # for each square and each of row, column and two diagonals: the squares below, and those above
STRAIGHT_LINES = RAYS + 512  # for each square, both lines of a rook
SLANTING_LINES = STRAIGHT_LINES + 64
KEEPS = SLANTING_LINES + 64  # for each square, the rights that are left when a piece leaves it or goes there
KEYS = KEEPS + 64  # for each piece as in WHO and square a random key, then for rights, BEHIND, and the side to move
RIGHT_KEYS = KEYS + 16 * 64
BEHIND_KEYS = RIGHT_KEYS + 16  # the last one is that of -1
TURN_KEY = BEHIND_KEYS + 65
WORTH = TURN_KEY + 1  # of each piece and square: in the middle game 2**32 times, plus in the end
PHASES = WORTH + 16 * 64  # for each piece, 0 for pawns
STACK = PHASES + 16  # eight words for each ply: key, rights, behind, quiet, score, phase, captured piece, move
STACK_PLIES = 512
WEIGHTS = STACK + 8 * STACK_PLIES  # of the evaluation
BETWEEN = WEIGHTS + 512  # for each two squares on a line, those between them
FRONT = BETWEEN + 64 * 64  # for each side and square, the squares ahead in its column and the two beside it
BESIDE = FRONT + 128  # for each square, the columns beside it
REDUCTIONS = BESIDE + 64  # plies, for each number of plies left and of moves tried, both below 32
HISTORY = REDUCTIONS + 32 * 32  # for each side, and the squares of a move, how often it caused a cutoff
KILLERS = HISTORY + 2 * 64 * 64  # two moves for each ply
COUNTERS = KILLERS + 2 * 128  # for each piece and square, the move that refuted its last move there
LISTS = COUNTERS + 16 * 64  # 256 words for each ply
PAWN_TABLE = LISTS + 130 * 256  # four words for each of 2**PAWN_BITS: pawns of both sides, their terms, PASSERS
PAWN_BITS = 12
ESTIMATES = PAWN_TABLE + (4 << PAWN_BITS)  # for each ply of the search
TABLE = ESTIMATES + 128 + 7 & ~7  # buckets of four entries, each a key and its packed data

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, ALL = 0, 1, 2, 3, 4, 5, 6
EMPTY = 7
COLUMN_A, COLUMN_H = 0x0101010101010101, -0x7F7F7F7F7F7F7F80
LIGHT = -0x55AA55AA55AA55AB  # the squares of one colour
LAST_ROWS = -0xFFFFFFFFFFFF01  # rows 8 and 1
MIDDLE_ROWS = np.array([0x0000FF0000000000, 0x0000000000FF0000], np.int64)  # where a pawn's first step ends
CASTLINGS = np.array(
    [  # for each right: the king's square, where it goes, the rook's, where it goes, and what must be empty
        [60, 62, 63, 61, 3 << 61],
        [60, 58, 56, 59, 7 << 57],
        [4, 6, 7, 5, 3 << 5],
        [4, 2, 0, 3, 7 << 1],
    ],
    np.uint64,
).view(np.int64)
NO_LIMIT = 1 << 62


def _instruction(name: str) -> Any:
    """A function for one of LLVM's instructions on 64 bits."""

    def typed(_context: Any, _bits: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            not_zero = (context.get_constant(types.boolean, name == "cttz"),)
            return getattr(builder, name)(*arguments, *(not_zero if name in {"cttz", "ctlz"} else ()))

        return types.int64(types.int64), generate

    return intrinsic(typed)


def _shift_right() -> Any:
    """A function that shifts right and fills with zeros."""

    def typed(_context: Any, _bits: Any, _by: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.lshr(*arguments)

        return types.int64(types.int64, types.int64), generate

    return intrinsic(typed)


lowest: Callable[[int], int] = _instruction("cttz")  # index of the lowest set bit, not of 0
leading: Callable[[int], int] = _instruction("ctlz")  # number of zeros above the highest set bit
count: Callable[[int], int] = _instruction("ctpop")  # number of set bits
shifted: Callable[[int, int], int] = _shift_right()


@kernel("int64(CPointer(int64), int64, int64)")
def along(memory: Any, at: int, occupied: int) -> int:
    """The squares that a piece attacks along the line whose two words of RAYS begin at ``at``."""
    below = memory[at]
    above = memory[at + 1]
    nearest = above & occupied
    nearest &= -nearest
    return int((2 * nearest + (-1 << 63 - leading(below & occupied | 1))) & (below | above))


@kernel("int64(CPointer(int64), int64, int64)")
def straight(memory: Any, square: int, occupied: int) -> int:
    """The squares that a rook attacks."""
    at = RAYS + 8 * square
    return along(memory, at, occupied) | along(memory, at + 2, occupied)


@kernel("int64(CPointer(int64), int64, int64)")
def slanting(memory: Any, square: int, occupied: int) -> int:
    """The squares that a bishop attacks."""
    at = RAYS + 8 * square + 4
    return along(memory, at, occupied) | along(memory, at + 2, occupied)


@kernel("int64(CPointer(int64), int64, int64)")
def attackers(memory: Any, square: int, occupied: int) -> int:
    """The pieces of both sides that attack ``square`` when those ``occupied`` stand in the way."""
    white, black = BITS, BITS + 8
    queens = memory[white + QUEEN] | memory[black + QUEEN]
    found = memory[KNIGHT_REACH + square] & (memory[white + KNIGHT] | memory[black + KNIGHT])
    found |= memory[KING_REACH + square] & (memory[white + KING] | memory[black + KING])
    found |= (
        memory[PAWN_REACH + square] & memory[black + PAWN] | memory[PAWN_REACH + 64 + square] & memory[white + PAWN]
    )
    found |= straight(memory, square, occupied) & (queens | memory[white + ROOK] | memory[black + ROOK])
    return int(found | slanting(memory, square, occupied) & (queens | memory[white + BISHOP] | memory[black + BISHOP]))


@kernel("boolean(CPointer(int64), int64, int64, int64)")
def attacked(memory: Any, square: int, by: int, occupied: int) -> bool:
    """True if a piece of the side ``by`` attacks ``square`` when those ``occupied`` stand in the way."""
    them = BITS + 8 * by
    if memory[KNIGHT_REACH + square] & memory[them + KNIGHT] or memory[KING_REACH + square] & memory[them + KING]:
        return True
    if memory[PAWN_REACH + 64 * (1 - by) + square] & memory[them + PAWN]:
        return True
    rooks = (memory[them + QUEEN] | memory[them + ROOK]) & memory[STRAIGHT_LINES + square]
    if rooks and straight(memory, square, occupied) & rooks:
        return True
    bishops = (memory[them + QUEEN] | memory[them + BISHOP]) & memory[SLANTING_LINES + square]
    return bool(bishops and slanting(memory, square, occupied) & bishops)


@kernel("void(CPointer(int64))")
def survey(memory: Any) -> None:
    """Find the checks and pins against the side to move: CHECKERS, TARGETS, PINNED and PIN_RAYS."""
    me = memory[TURN]
    own, them = BITS + 8 * me, BITS + 8 * (1 - me)
    occupied = memory[BITS + ALL] | memory[BITS + 8 + ALL]
    king = lowest(memory[own + KING])
    checkers = memory[KNIGHT_REACH + king] & memory[them + KNIGHT]
    checkers |= memory[PAWN_REACH + 64 * me + king] & memory[them + PAWN]
    targets = checkers
    pinned = 0
    far = memory[STRAIGHT_LINES + king] & (memory[them + ROOK] | memory[them + QUEEN])
    far |= memory[SLANTING_LINES + king] & (memory[them + BISHOP] | memory[them + QUEEN])
    while far != 0:
        at = lowest(far)
        far &= far - 1
        between = memory[BETWEEN + 64 * king + at]
        blockers = between & occupied
        if blockers == 0:
            checkers |= 1 << at
            targets |= between | 1 << at
        elif blockers & (blockers - 1) == 0 and blockers & memory[own + ALL]:
            pinned |= blockers
            memory[PIN_RAYS + lowest(blockers)] = between | 1 << at
    memory[CHECKERS] = checkers
    memory[TARGETS] = -1 if checkers == 0 else targets if checkers & (checkers - 1) == 0 else 0
    memory[PINNED] = pinned


@kernel("int64(CPointer(int64), int64, int64, int64, int64)")
def list_steps(memory: Any, end: int, squares: int, step: int, noisy: int) -> int:
    """Append the moves of pawns to ``squares``, each from the square ``step`` lower. Returns the new end.

    With ``noisy`` a pawn becomes nothing but a queen.
    """
    pinned = memory[PINNED]
    while squares != 0:
        to = lowest(squares)
        squares &= squares - 1
        start = to - step
        if pinned >> start & 1 and not memory[PIN_RAYS + start] >> to & 1:
            continue
        move = start | to << 6
        if LAST_ROWS >> to & 1:
            memory[end] = move | QUEEN << 12
            end += 1
            if not noisy:
                for becomes in range(KNIGHT, QUEEN):
                    memory[end] = move | becomes << 12
                    end += 1
        else:
            memory[end] = move
            end += 1
    return end


@kernel("boolean(CPointer(int64), int64, int64, int64)")
def passes(memory: Any, start: int, behind: int, side: int) -> bool:
    """True if the capture in passing from ``start`` to ``behind`` leaves the king of ``side`` safe."""
    other = 1 - side
    victim = 1 << (behind + 8 - 16 * side)
    occupied = (memory[BITS + ALL] | memory[BITS + 8 + ALL]) ^ (1 << start | 1 << behind | victim)
    pawns = memory[BITS + 8 * other + PAWN]
    memory[BITS + 8 * other + PAWN] = pawns & ~victim
    safe = not attacked(memory, lowest(memory[BITS + 8 * side + KING]), other, occupied)
    memory[BITS + 8 * other + PAWN] = pawns
    return safe


@kernel("int64(CPointer(int64), int64, int64)")
def generate(memory: Any, end: int, noisy: int) -> int:
    """Append the legal moves to the list that ends before ``end``, after :func:`survey`. Returns the new end.

    With ``noisy``, unless in check, only captures and what becomes a queen.
    """
    me = memory[TURN]
    other = 1 - me
    own = BITS + 8 * me
    mine, theirs = memory[own + ALL], memory[BITS + 8 * other + ALL]
    occupied = mine | theirs
    king_bit = memory[own + KING]
    king = lowest(king_bit)
    checkers = memory[CHECKERS]
    if checkers != 0:
        noisy = 0
    allowed = theirs if noisy else ~mine
    squares = memory[KING_REACH + king] & allowed
    while squares != 0:
        to = lowest(squares)
        squares &= squares - 1
        if not attacked(memory, to, other, occupied ^ king_bit):
            memory[end] = king | to << 6
            end += 1
    targets = memory[TARGETS]
    if targets == 0:
        return end
    if checkers == 0 and not noisy:
        for right in range(2 * me, 2 * me + 2):
            if memory[RIGHTS] >> right & 1 and occupied & CASTLINGS[right, 4] == 0:
                to, beside = CASTLINGS[right, 1], CASTLINGS[right, 3]
                if not attacked(memory, beside, other, occupied) and not attacked(memory, to, other, occupied):
                    memory[end] = king | to << 6
                    end += 1
    pinned = memory[PINNED]
    pieces = mine & ~memory[own + PAWN] & ~king_bit
    while pieces != 0:
        start = lowest(pieces)
        pieces &= pieces - 1
        kind = memory[WHO + start] & 7
        if kind == KNIGHT:
            squares = memory[KNIGHT_REACH + start]
        else:
            squares = 0
            if kind != BISHOP:
                squares = straight(memory, start, occupied)
            if kind != ROOK:
                squares |= slanting(memory, start, occupied)
        squares &= allowed & targets
        if pinned >> start & 1:
            squares &= memory[PIN_RAYS + start]
        while squares != 0:
            memory[end] = start | lowest(squares) << 6
            end += 1
            squares &= squares - 1
    pawns = memory[own + PAWN]
    free = ~occupied
    taken = theirs & targets
    if me == 0:
        once = shifted(pawns, 8) & free
        twice = shifted(once & MIDDLE_ROWS[0], 8) & free & targets
        end = list_steps(memory, end, shifted(pawns & ~COLUMN_A, 9) & taken, -9, noisy)
        end = list_steps(memory, end, shifted(pawns & ~COLUMN_H, 7) & taken, -7, noisy)
        step = -8
    else:
        once = pawns << 8 & free
        twice = (once & MIDDLE_ROWS[1]) << 8 & free & targets
        end = list_steps(memory, end, (pawns & ~COLUMN_H) << 9 & taken, 9, noisy)
        end = list_steps(memory, end, (pawns & ~COLUMN_A) << 7 & taken, 7, noisy)
        step = 8
    once &= targets
    if noisy:
        once &= LAST_ROWS
        twice = 0
    end = list_steps(memory, end, once, step, noisy)
    end = list_steps(memory, end, twice, 2 * step, noisy)
    behind = memory[BEHIND]
    if behind >= 0:
        squares = memory[PAWN_REACH + 64 * other + behind] & pawns
        while squares != 0:
            start = lowest(squares)
            squares &= squares - 1
            if passes(memory, start, behind, me):
                memory[end] = start | behind << 6
                end += 1
    return end


@kernel("void(CPointer(int64), int64, int64)")
def put(memory: Any, who: int, square: int) -> None:
    """Put the piece ``who`` on the empty ``square``."""
    at = BITS + (who & 8)
    memory[at + (who & 7)] |= 1 << square
    memory[at + ALL] |= 1 << square
    memory[WHO + square] = who
    memory[KEY] ^= memory[KEYS + 64 * who + square]
    memory[SCORE] += memory[WORTH + 64 * who + square]


@kernel("void(CPointer(int64), int64)")
def lift(memory: Any, square: int) -> None:
    """Take the piece off ``square``."""
    who = memory[WHO + square]
    at = BITS + (who & 8)
    memory[at + (who & 7)] &= ~(1 << square)
    memory[at + ALL] &= ~(1 << square)
    memory[WHO + square] = EMPTY
    memory[KEY] ^= memory[KEYS + 64 * who + square]
    memory[SCORE] -= memory[WORTH + 64 * who + square]


@kernel("void(CPointer(int64), int64)")
def remember(memory: Any, move: int) -> None:
    """Put what :func:`undo` cannot work out on the stack."""
    at = STACK + 8 * memory[TOP]
    memory[TOP] += 1
    memory[at] = memory[KEY]
    memory[at + 1] = memory[RIGHTS]
    memory[at + 2] = memory[BEHIND]
    memory[at + 3] = memory[QUIET]
    memory[at + 4] = memory[SCORE]
    memory[at + 5] = memory[PHASE]
    memory[at + 6] = EMPTY
    memory[at + 7] = move


@kernel("void(CPointer(int64), int64)")
def play(memory: Any, move: int) -> None:
    """Play the legal ``move``."""
    start, to, becomes = move & 63, move >> 6 & 63, move >> 12 & 7
    me = memory[TURN]
    other = 1 - me
    who = memory[WHO + start]
    kind = who & 7
    taken = memory[WHO + to]
    at = STACK + 8 * memory[TOP]
    remember(memory, move)
    memory[QUIET] += 1
    old_behind = memory[BEHIND]
    behind = -1
    if taken != EMPTY:
        lift(memory, to)
        memory[PHASE] -= memory[PHASES + taken]
        memory[at + 6] = taken
        memory[QUIET] = 0
    lift(memory, start)
    if becomes != 0:
        who = me << 3 | becomes
        memory[PHASE] += memory[PHASES + who]
    put(memory, who, to)
    memory[TURN] = other
    if kind == PAWN:
        memory[QUIET] = 0
        if to == old_behind:
            lift(memory, to + 8 - 16 * me)
        elif to - start == 16 or start - to == 16:
            # The square counts only if a pawn can be captured there, as in the Laws on repetition.
            middle = (start + to) >> 1
            near = memory[PAWN_REACH + 64 * me + middle] & memory[BITS + 8 * other + PAWN]
            while near != 0:
                if passes(memory, lowest(near), middle, other):
                    behind = middle
                near &= near - 1
    elif kind == KING and (to - start == 2 or start - to == 2):
        right = 2 * me + int(to < start)
        rook = CASTLINGS[right, 2]
        lift(memory, rook)
        put(memory, me << 3 | ROOK, CASTLINGS[right, 3])
    rights = memory[RIGHTS]
    left = rights & memory[KEEPS + start] & memory[KEEPS + to]
    memory[RIGHTS] = left
    memory[BEHIND] = behind
    memory[KEY] ^= memory[RIGHT_KEYS + rights] ^ memory[RIGHT_KEYS + left] ^ memory[TURN_KEY]
    memory[KEY] ^= memory[BEHIND_KEYS + (old_behind & 127 if old_behind >= 0 else 64)]
    memory[KEY] ^= memory[BEHIND_KEYS + (behind & 127 if behind >= 0 else 64)]


@kernel("void(CPointer(int64))")
def undo(memory: Any) -> None:
    """Undo the last move."""
    memory[TOP] -= 1
    at = STACK + 8 * memory[TOP]
    move, taken = memory[at + 7], memory[at + 6]
    start, to = move & 63, move >> 6 & 63
    me = 1 - memory[TURN]
    memory[TURN] = me
    who = memory[WHO + to]
    if move >> 12 & 7:
        who = me << 3 | PAWN
    lift(memory, to)
    put(memory, who, start)
    if taken != EMPTY:
        put(memory, taken, to)
    elif who & 7 == PAWN and to == memory[at + 2]:
        put(memory, (1 - me) << 3 | PAWN, to + 8 - 16 * me)
    elif who & 7 == KING and (to - start == 2 or start - to == 2):
        right = 2 * me + int(to < start)
        beside = CASTLINGS[right, 3]
        lift(memory, beside)
        put(memory, me << 3 | ROOK, CASTLINGS[right, 2])
    memory[KEY] = memory[at]
    memory[RIGHTS] = memory[at + 1]
    memory[BEHIND] = memory[at + 2]
    memory[QUIET] = memory[at + 3]
    memory[SCORE] = memory[at + 4]
    memory[PHASE] = memory[at + 5]


@kernel("int64(CPointer(int64), int64, int64)")
def leaves(memory: Any, depth: int, at: int) -> int:
    """The number of positions after ``depth`` plies, 1 or more. The list of moves begins at ``at``."""
    survey(memory)
    end = generate(memory, at, 0)
    if depth == 1:
        return end - at
    total = 0
    for number in range(at, end):
        play(memory, memory[number])
        total += leaves(memory, depth - 1, end)
        undo(memory)
    return total


@kernel("int64(int64[::1], int64)")
def perft(memory: Words, depth: int) -> int:
    """:func:`leaves` for Python."""
    first: Any = np.int64(LISTS)  # a literal would make numba's cache fail
    return leaves(memory.ctypes, depth, first)


@kernel("int64(int64[::1])")
def list_moves(memory: Words) -> int:
    """The number of legal moves; they are in LISTS."""
    pointer = memory.ctypes
    survey(pointer)
    return generate(pointer, LISTS, 0) - LISTS


@kernel("void(int64[::1], int64)")
def make(memory: Words, move: int) -> None:
    """:func:`play` for Python."""
    play(memory.ctypes, move)


@kernel("void(int64[::1])")
def unmake(memory: Words) -> None:
    """:func:`undo` for Python."""
    undo(memory.ctypes)


LETTERS = "PNBRQK"
RIGHT_LETTERS = "KQkq"
NUMBER_OF = {letter: kind for kind, letter in enumerate(LETTERS)} | {
    letter: 8 + kind for kind, letter in enumerate(LETTERS.lower())
}
"""The pieces as WHO has them."""


def name_of(move: int) -> str:
    """The name of a packed move."""
    return NAMES[move & 63][move >> 6 & 63] + (LETTERS[move >> 12 & 7].lower() if move >> 12 & 7 else "")


def names(memory: Words) -> dict[str, int]:
    """The legal moves and their packed forms, in the kernel's order."""
    return {name_of(move): move for move in memory[LISTS : LISTS + list_moves(memory)].tolist()}


def set_of(squares: Iterable[int]) -> int:
    """A set of squares as a word."""
    bits = sum(1 << square for square in squares)
    return bits - (bits >> 63 << 64)


def memory_of(table_bits: int) -> Words:
    """A new memory, with no pieces, no weights, and a table of ``2 ** table_bits`` buckets of 64 bytes, aligned to
    cache lines.
    """
    words = TABLE + (8 << table_bits)
    raw = np.zeros(words + 7, np.int64)
    skipped = -raw.ctypes.data // 8 % 8
    memory = raw[skipped : skipped + words]
    memory[TABLE_SHIFT] = 64 - table_bits
    memory[NODE_LIMIT] = NO_LIMIT
    memory[KEEPS:KEYS] = 15
    for right, (king, _, rook, _, _) in enumerate(CASTLINGS):
        memory[KEEPS + king] &= ~(1 << right)
        memory[KEEPS + rook] &= ~(1 << right)
    for square in range(64):
        memory[KNIGHT_REACH + square] = set_of(KNIGHT_STEPS[square])
        memory[KING_REACH + square] = set_of(KING_STEPS[square])
        for side, strikes in enumerate((STRIKES[Side.FIRST], STRIKES[Side.SECOND])):
            memory[PAWN_REACH + 64 * side + square] = set_of(strikes[square])
        for at, ways in ((STRAIGHT_LINES, STRAIGHT), (SLANTING_LINES, SLANTING)):
            memory[at + square] = set_of(to for ray in ways[square] for to in ray)
            for ray in ways[square]:
                step = abs(ray[0] - square)
                line = {1: 0, 8: 1, 7: 2, 9: 3}[step]
                memory[RAYS + 8 * square + 2 * line + (ray[0] > square)] = set_of(ray)
                for far, to in enumerate(ray):
                    memory[BETWEEN + 64 * square + to] = set_of(ray[:far])
    random = np.random.default_rng(1)
    memory[KEYS:WORTH] = random.integers(-(1 << 63), (1 << 63) - 1, WORTH - KEYS, np.int64)
    clear(memory)
    return memory


def clear(memory: Words) -> None:
    """Take all pieces off the board."""
    memory[BITS:WHO] = 0
    memory[WHO : WHO + 64] = EMPTY
    memory[[KEY, SCORE, PHASE, TOP, QUIET]] = 0


@kernel("void(int64[::1], int64, int64)")
def place(memory: Words, who: int, square: int) -> None:
    """:func:`put` for Python."""
    put(memory.ctypes, who, square)
    memory[PHASE] += memory[PHASES + who]


def set_up(memory: Words, position: ChessPosition) -> None:
    """Set up ``position``. The stack has the keys of the earlier positions that can come up again."""
    turn = (position.side is Side.SECOND) ^ (len(position.past) % 2 == 0)
    keys = []
    for text in position.past:
        keys.append(_set_board(memory, text[:64], position.rights, NUMBER.get(text[64:], -1), turn))
        turn = not turn
    for number, key in enumerate(keys[:-1]):
        memory[STACK + 8 * number] = key
    memory[TOP] = len(keys) - 1
    memory[QUIET] = position.quiet


def _set_board(memory: Words, board: str, rights: str, behind: int, turn: bool) -> int:
    """Set up a board, and return its key."""
    clear(memory)
    for square, letter in enumerate(board):
        if letter != ".":
            place(memory, NUMBER_OF[letter], square)
    memory[TURN] = turn
    memory[RIGHTS] = sum(1 << RIGHT_LETTERS.index(right) for right in rights)
    memory[BEHIND] = behind
    memory[KEY] ^= memory[RIGHT_KEYS + memory[RIGHTS]] ^ memory[BEHIND_KEYS + (behind if behind >= 0 else 64)]
    if turn:
        memory[KEY] ^= memory[TURN_KEY]
    return int(memory[KEY])
