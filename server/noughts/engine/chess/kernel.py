"""The search of chess in numba: alpha-beta, quiescence, and proofs of mates. Pure; does no I/O.

The position and all tables are in the memory that :mod:`noughts.engine.chess.moves` describes.

The methods are published, most of them in the references of chessprogramming.org: principal variation search (T. A.
Marsland, *A Review of Game-Tree Pruning*, 1986), a transposition table, null moves (C. Donninger, *Null Move and Deep
Search*, 1993), killer moves, countermoves (J. Uiterwijk, *The Countermove Heuristic*, 1992), the history heuristic (J.
Schaeffer, 1989), late move reductions and pruning, futility pruning (E. A. Heinz, *Extended Futility Pruning*, 1998),
check extensions, and quiescence with static exchange evaluation. A search of fixed depth (PLAIN) has none of what
leaves moves out or looks further.
"""

# ruff: noqa: PLR0917 - an argument stays in a register, a structure would live in memory
from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from noughts.engine.chess import evaluation, moves, ordering
from noughts.engine.chess.evaluation import evaluate, pieces_of
from noughts.engine.chess.moves import (
    AGE,
    ALL,
    BEHIND,
    BEHIND_KEYS,
    BISHOP,
    BITS,
    CHECKERS,
    COUNTERS,
    EMPTY,
    ESTIMATES,
    GAVE_UP,
    KEY,
    KILLERS,
    KING,
    KNIGHT,
    LIGHT,
    LISTS,
    NEXT_POLL,
    NODE_LIMIT,
    NODES,
    PAWN,
    PLAIN,
    PROOF_LIMIT,
    QUEEN,
    QUIET,
    REDUCTIONS,
    ROOK,
    ROOT,
    SALT,
    STACK,
    STOPPED,
    TABLE,
    TABLE_SHIFT,
    TOP,
    TURN,
    TURN_KEY,
    WHO,
    Words,
    attacked,
    generate,
    lowest,
    play,
    remember,
    survey,
    undo,
)
from noughts.engine.chess.ordering import KILLER, VALUES, gains, learn, rate, take_best
from noughts.engine.jit import kernel
from noughts.games import chess_worth

WIN = 20_000  # minus the plies from the root
SURE = 19_000  # any higher value is a mate
INFINITY = 32_000
NODES_PER_POLL = 512
MOST_PLIES = 120  # from the root

PLAIN_SALT = 0x14057B7EF767814F
UPPER, LOWER = 1, 2
KNOWN = 16_384  # more than any evaluation
REPEATED = 256


@kernel("boolean(CPointer(int64), CPointer(uint8))", moves)
def stopped(memory: Any, flag: Any) -> bool:
    """True if the search has to stop. Checks the flag every NODES_PER_POLL nodes."""
    if memory[NODES] >= memory[NEXT_POLL]:
        memory[NEXT_POLL] = memory[NODES] + NODES_PER_POLL
        if flag[0] != 0 or memory[NODES] >= memory[NODE_LIMIT]:
            memory[STOPPED] = 1
    return bool(memory[STOPPED] != 0)


@kernel("int64(CPointer(int64), int64)", moves)
def bucket(memory: Any, key: int) -> int:
    """Where the entries for ``key`` begin."""
    return int(TABLE + ((key >> memory[TABLE_SHIFT] & (1 << (64 - memory[TABLE_SHIFT])) - 1) << 3))


@kernel("int64(CPointer(int64), int64)", moves)
def find(memory: Any, key: int) -> int:
    """The table's packed entry for ``key``, or 0."""
    at = bucket(memory, key)
    for _ in range(4):
        if memory[at] == key:
            return int(memory[at + 1])
        at += 2
    return 0


@kernel("void(CPointer(int64), int64, int64, int64, int64, int64, int64)", moves)
def keep(memory: Any, key: int, depth: int, value: int, bound: int, move: int, estimate: int) -> None:
    """Store a value and the best move in the table. Replaces the entry with the same key, or else the least valuable of
    the bucket: entries of an earlier search go first, then those searched less deeply.

    Packed: the move in bits 0 to 14, the value plus 32768 in bits 15 to 30, the bound in bits 31 and 32, the depth in
    bits 33 to 40, the age in bits 41 to 48, and above these the evaluation plus KNOWN, 0 if there is none.
    """
    at = bucket(memory, key)
    where = at
    least = 1 << 20
    for _ in range(4):
        if memory[at] == key:
            where = at
            if move == 0:
                move = memory[at + 1] & 0x7FFF
            break
        packed = memory[at + 1]
        worth = packed >> 33 & 255
        if packed >> 41 & 255 == memory[AGE]:
            worth += 256
        if worth < least:
            least = worth
            where = at
        at += 2
    memory[where] = key
    memory[where + 1] = move | (value + 32768) << 15 | bound << 31 | depth << 33 | memory[AGE] << 41 | estimate << 49


@kernel("int64(CPointer(int64), int64)", moves, evaluation, chess_worth)
def estimated(memory: Any, packed: int) -> int:
    """The evaluation, plus KNOWN: from the table's entry for the position if there is one and has it."""
    known = packed >> 49 & 0x7FFF
    return known or evaluate(memory) + KNOWN


@kernel("boolean(CPointer(int64))", moves)
def is_dead(memory: Any) -> bool:
    """True if neither side can ever give mate, as the rules have it."""
    white, black = BITS, BITS + 8
    for kind in (PAWN, ROOK, QUEEN):
        if memory[white + kind] | memory[black + kind]:
            return False
    knights = memory[white + KNIGHT] | memory[black + KNIGHT]
    bishops = memory[white + BISHOP] | memory[black + BISHOP]
    both = knights | bishops
    if both & (both - 1) == 0:
        return True
    return bool(knights == 0 and (bishops & LIGHT == 0 or bishops & ~LIGHT == 0))


@kernel("int64(CPointer(int64))", moves)
def repeats(memory: Any) -> int:
    """The number of times that the position was on the board before the search, plus REPEATED if once in it."""
    top = memory[TOP]
    last = top - memory[QUIET]
    at = top - 2
    before = 0
    while at >= last and at >= 0:
        if memory[STACK + 8 * at] == memory[KEY]:
            if at >= memory[ROOT]:
                return before + REPEATED
            before += 1
        at -= 2
    return before


@kernel("int64(CPointer(int64), CPointer(uint8), int64, int64, int64)", moves, evaluation, ordering, chess_worth)
def quiesce(memory: Any, flag: Any, alpha: int, beta: int, ply: int) -> int:
    """The value for the side to move by captures alone, and by every move out of a check."""
    memory[NODES] += 1
    if stopped(memory, flag) or is_dead(memory):
        return 0
    if ply >= MOST_PLIES:
        return evaluate(memory)
    key = memory[KEY] ^ (PLAIN_SALT if memory[PLAIN] else 0)
    packed = find(memory, key)
    if packed and beta - alpha == 1:
        value = (packed >> 15 & 0xFFFF) - 32768
        bound = packed >> 31 & 3
        if abs(value) < SURE and ((bound & LOWER and value >= beta) or (bound & UPPER and value <= alpha)):
            return value
    survey(memory)
    checked = memory[CHECKERS] != 0
    best = -INFINITY
    at = LISTS + 256 * ply
    known = 0
    if not checked:
        known = estimated(memory, packed)
        best = known - KNOWN
        if best >= beta:
            return best
    standing = best
    end = generate(memory, at, 1)
    if checked and end == at:
        return ply - WIN
    rate(memory, at, end, packed & 0x7FFF, ply)
    low = max(alpha, best)
    best_move = 0
    for number in range(at, end):
        scored = take_best(memory, number, end)
        move = scored & 0x7FFF
        if not checked:
            if scored < 0:
                break  # captures that lose something
            taken = VALUES[memory[WHO + (move >> 6 & 63)] & 7]
            if move >> 12 == 0 and standing + taken + 200 <= low:
                continue
        play(memory, move)
        value = -quiesce(memory, flag, -beta, -low, ply + 1)
        undo(memory)
        if memory[STOPPED]:
            return 0
        if value > best:
            best = value
            if value > low:
                low = value
                best_move = move
            if value >= beta:
                break
    if abs(best) < SURE and packed >> 33 & 255 == 0:
        keep(memory, key, 0, best, LOWER if best >= beta else UPPER, best_move, known)
    return best


@kernel("void(CPointer(int64))", moves)
def pass_move(memory: Any) -> None:
    """Let the other side move; :func:`take_back` undoes it. No position before it counts as repeated."""
    remember(memory, 0)
    memory[KEY] ^= memory[TURN_KEY]
    if memory[BEHIND] >= 0:
        memory[KEY] ^= memory[BEHIND_KEYS + memory[BEHIND]] ^ memory[BEHIND_KEYS + 64]
        memory[BEHIND] = -1
    memory[QUIET] = 0
    memory[TURN] = 1 - memory[TURN]


@kernel("void(CPointer(int64))", moves)
def take_back(memory: Any) -> None:
    """Undo :func:`pass_move`."""
    memory[TOP] -= 1
    at = STACK + 8 * memory[TOP]
    memory[KEY] = memory[at]
    memory[BEHIND] = memory[at + 2]
    memory[QUIET] = memory[at + 3]
    memory[TURN] = 1 - memory[TURN]


@kernel(
    "int64(CPointer(int64), CPointer(uint8), int64, int64, int64, int64, int64)",
    moves,
    evaluation,
    ordering,
    chess_worth,
)
def search(memory: Any, flag: Any, left: int, alpha: int, beta: int, ply: int, passed: int) -> int:
    """The value for the side to move, ``left`` plies before the horizon and ``ply`` after the root.

    At most ``alpha`` it is an upper bound, at least ``beta`` a lower bound. ``passed`` is 1 after a null move.
    """
    before = repeats(memory)
    if before >= REPEATED:
        return 0
    claims = before >= 2 or memory[QUIET] >= 100
    if left <= 0:
        value = quiesce(memory, flag, alpha, beta, ply)
        return 0 if claims and -SURE < value < 0 else value
    memory[NODES] += 1
    if stopped(memory, flag) or is_dead(memory):
        return 0
    alpha = max(alpha, ply - WIN)
    beta = min(beta, WIN - ply - 1)
    if alpha >= beta:
        return alpha
    plain = memory[PLAIN] != 0
    through = beta - alpha > 1
    key = memory[KEY] ^ (PLAIN_SALT if plain else 0)
    packed = find(memory, key)
    hint = packed & 0x7FFF
    if packed and not through and not claims and packed >> 33 & 255 >= left:
        value = (packed >> 15 & 0xFFFF) - 32768
        if value > SURE:
            value -= ply
        elif value < -SURE:
            value += ply
        bound = packed >> 31 & 3
        if (bound & LOWER and value >= beta) or (bound & UPPER and value <= alpha):
            return value
    survey(memory)
    checked = memory[CHECKERS] != 0
    standing = -INFINITY
    if ply >= MOST_PLIES:
        return evaluate(memory)
    prunes = not (plain or through or checked or claims)
    known = 0
    if not checked and not plain:
        known = estimated(memory, packed)
        standing = known - KNOWN
    # True if the side to move stands better than at its last move.
    memory[ESTIMATES + ply] = standing
    improves = int(not checked and ply >= 3 and standing > memory[ESTIMATES + ply - 2])
    if prunes:
        if packed:
            value = (packed >> 15 & 0xFFFF) - 32768
            bound = packed >> 31 & 3
            if abs(value) < SURE and ((value > standing and bound & LOWER) or (value < standing and bound & UPPER)):
                standing = value
        if left <= 7 and standing - 75 * (left - improves) >= beta > -SURE:
            return standing
        if left <= 2 and standing + 200 * left < alpha:
            value = quiesce(memory, flag, alpha, alpha + 1, ply)
            if value <= alpha:
                return value
    # If the side to move may pass and still be too good, it need not look for a move. Not with pawns alone, where the
    # best may be not to have to move.
    passing = prunes and left >= 3 and not passed and standing >= beta and beta > -SURE
    passing = passing and pieces_of(memory, memory[TURN]) > 0
    if not plain and hint == 0 and left >= 4:
        left -= 1  # the next iteration will know a move to begin with
    at = LISTS + 256 * ply
    end = generate(memory, at, 0)
    if end == at:
        return ply - WIN if checked else 0
    best = -INFINITY
    low = alpha
    if claims:  # the side to move may have a draw
        if memory[QUIET] >= 150 or before >= 4 or beta <= 0:
            return 0
        best = 0
        low = max(low, 0)
    me = memory[TURN]
    best_move = 0
    number = at
    if not passing:
        rate(memory, at, end, hint, ply)
    while number < end:
        move = 0
        less = 0
        more = 0
        quiet = False
        if passing:
            pass_move(memory)
            less = 3 + left // 4 + min(3, (standing - beta) // 200)
            base = beta - 1
            high = beta
        else:
            scored = take_best(memory, number, end)
            move = scored & 0x7FFF
            tried = number - at
            number += 1
            quiet = memory[WHO + (move >> 6 & 63)] == EMPTY and move >> 12 != QUEEN
            rating = scored >> 15
            if prunes and best > -SURE:
                if quiet:
                    if tried >= (3 + left * left) * (1 + improves) // 2 + 1 or (
                        left <= 6 and standing + 100 + 90 * left <= low
                    ):
                        continue
                    if left <= 4 and rating < KILLER and not gains(memory, move, -40 * left):
                        continue
                elif left <= 5 and rating < 0 and not gains(memory, move, -90 * left):
                    continue
            play(memory, move)
            if not plain:
                king = lowest(memory[BITS + 8 * memory[TURN] + KING])
                if attacked(memory, king, me, memory[BITS + ALL] | memory[BITS + 8 + ALL]):
                    more = int(rating >= 0 and ply < 60)
                elif tried >= 2 and left >= 3 and (quiet or rating < 0):
                    less = memory[REDUCTIONS + 32 * min(left, 31) + min(tried, 31)]
                    less += int(not through) - int(checked) - int(rating >= KILLER)
                    if quiet and rating < KILLER:
                        less -= rating // 6000
                    less = max(0, min(less, left - 2))
            base = low
            high = beta if tried == 0 else low + 1
        # Principal variation search: an empty window for all moves but the first, at a lower depth for late ones, and
        # another search for those that turn out better. One call in a loop, because each makes compiling slower.
        while True:
            value = -search(memory, flag, left - 1 - less + more, -high, -base, ply + 1, int(passing))
            if value <= base or passing:
                break
            if less > 0:
                less = 0
            elif value < high or high == beta:
                break
            else:
                high = beta
        if passing:
            take_back(memory)
        else:
            undo(memory)
        if memory[STOPPED]:
            return 0
        if passing:
            if value >= beta:
                return value if value < SURE else beta
            passing = False
            rate(memory, at, end, hint, ply)
            continue
        if value > best:
            best = value
            if value > low:
                best_move = move
                low = value
            if value >= beta:
                if quiet:
                    bonus = min(16 * left * left, 1600)
                    learn(memory, move, bonus)
                    for earlier in range(at, number - 1):
                        other = memory[earlier] & 0x7FFF
                        if memory[WHO + (other >> 6 & 63)] == EMPTY and other >> 12 == 0:
                            learn(memory, other, -bonus)
                    before_it = memory[STACK + 8 * memory[TOP] - 1]
                    if memory[TOP] > memory[ROOT] and before_it:
                        to = before_it >> 6 & 63
                        memory[COUNTERS + 64 * memory[WHO + to] + to] = move
                    if memory[KILLERS + 2 * ply] != move:
                        memory[KILLERS + 2 * ply + 1] = memory[KILLERS + 2 * ply]
                        memory[KILLERS + 2 * ply] = move
                break
    if not claims:
        value = best
        if value > SURE:
            value += ply
        elif value < -SURE:
            value -= ply
        bound = LOWER if best >= beta else UPPER if best <= alpha else LOWER | UPPER
        keep(memory, key, left, value, bound, best_move, known)
    return best


@kernel("boolean(CPointer(int64), CPointer(uint8), int64, int64)", moves, evaluation, ordering)
def mates(memory: Any, flag: Any, left: int, ply: int) -> bool:
    """True if one side mates within ``left`` plies whatever the other does: the side to move if ``left`` is odd.

    A side that may claim a draw is not mated. Nothing depends on what was repeated within the search: in the shortest
    mate nothing is, as its distance falls with every ply. So results may be kept, under a key with the SALT of this
    search, which stands for the game's history. Meaningless once GAVE_UP is set. ``QUIET + left`` must be below 100.
    """
    memory[NODES] += 1
    if stopped(memory, flag) or memory[NODES] >= memory[PROOF_LIMIT]:
        memory[GAVE_UP] = 1
    if memory[GAVE_UP]:
        return False
    survey(memory)
    at = LISTS + 256 * ply
    if left == 0:
        return memory[CHECKERS] != 0 and generate(memory, at, 0) == at
    attacks = left & 1 == 1
    key = memory[KEY] ^ memory[SALT]
    packed = find(memory, key)
    wins = 0
    none = 0
    hint = 0
    if packed:
        wins = (packed >> 15 & 0xFFFF) - 32768
        none = packed >> 33 & 255
        if 0 < wins <= left:
            return True
        if none >= left:
            return False
        hint = packed & 0x7FFF
    checked = memory[CHECKERS] != 0
    end = generate(memory, at, 0)
    if end == at:
        return checked and not attacks
    before = repeats(memory) & (REPEATED - 1)
    if before >= (4 if attacks else 2) or is_dead(memory):
        return False
    if hint == 0:
        hint = find(memory, memory[KEY]) & 0x7FFF
    rate(memory, at, end, hint, ply)
    found = not attacks
    move = 0
    for number in range(at, end):
        move = take_best(memory, number, end) & 0x7FFF
        play(memory, move)
        won = False
        if left > 1 or attacked(
            memory,
            lowest(memory[BITS + 8 * memory[TURN] + KING]),
            1 - memory[TURN],
            memory[BITS + ALL] | memory[BITS + 8 + ALL],
        ):
            won = mates(memory, flag, left - 1, ply + 1)
        undo(memory)
        if memory[GAVE_UP]:
            return False
        if won == attacks:
            found = attacks
            break
    if found:
        wins = left
    else:
        none = left
    keep(memory, key, none, wins, LOWER | UPPER, move, 0)
    return found


@kernel("int64(int64[::1], uint8[::1], int64, int64, int64)", moves, evaluation, ordering, chess_worth)
def look_ahead(memory: Words, flag: npt.NDArray[np.uint8], left: int, alpha: int, beta: int) -> int:
    """:func:`search` for Python, a ply after the root."""
    return search(memory.ctypes, flag.ctypes, left, alpha, beta, 1, 0)


@kernel("boolean(int64[::1], uint8[::1], int64, int64)", moves, evaluation, ordering)
def prove(memory: Words, flag: npt.NDArray[np.uint8], left: int, nodes: int) -> bool:
    """:func:`mates` for Python, visiting at most ``nodes`` positions."""
    memory[PROOF_LIMIT] = memory[NODES] + nodes
    memory[GAVE_UP] = 0
    return mates(memory.ctypes, flag.ctypes, left, 1)


ON, MATED, DRAWN = 0, 1, 2


@kernel("int64(int64[::1])", moves)
def state(memory: Words) -> int:
    """The state of the game, ON, MATED or DRAWN, by the rules that end it without a claim."""
    pointer = memory.ctypes
    survey(pointer)
    end = generate(pointer, LISTS, 0)
    if end == LISTS:
        return MATED if memory[CHECKERS] != 0 else DRAWN
    times = repeats(pointer)
    return DRAWN if memory[QUIET] >= 150 or times & (REPEATED - 1) >= 4 or is_dead(pointer) else ON


@kernel("int64(int64[::1])", moves)
def remembered(memory: Words) -> int:
    """The legal move that the table has for the position, 0 if none, or if the position was on the board before."""
    pointer = memory.ctypes
    if repeats(pointer) != 0:
        return 0
    move = find(pointer, memory[KEY] ^ (PLAIN_SALT if memory[PLAIN] else 0)) & 0x7FFF
    survey(pointer)
    for at in range(LISTS, generate(pointer, LISTS, 0)):
        if memory[at] == move:
            return move
    return 0


def memory_of(table_bits: int, weights: npt.NDArray[np.int64]) -> Words:
    """A new memory for a search with these weights of the evaluation; see :func:`noughts.engine.chess.moves.memory_of`.

    A late move is searched less deeply by 0.75 plus the product of the logarithms of the plies left and of the moves
    tried, divided by 2.25.
    """
    memory = moves.memory_of(table_bits)
    evaluation.weigh(memory, weights)
    for left in range(1, 32):
        for tried in range(1, 32):
            memory[REDUCTIONS + 32 * left + tried] = int(0.75 + math.log(left) * math.log(tried) / 2.25)
    return memory
