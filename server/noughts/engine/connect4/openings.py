"""The openings: positions that the solver solved in advance. Needs neither numba nor numpy. Pure.

The scores of all positions with at most eight discs are those of :mod:`noughts.engine.connect4.layers`. The opening
table has the move that the computer prefers in each position with three to ten discs that it meets while it follows the
table. It is in ``openings.bin``, which is read once, on first use. A position and its mirror image share an entry,
under the smaller of their keys. The file contains

- the bytes ``C4OPEN``, then the version of this format, 2, as one byte;
- 4 bytes: the number of positions, little-endian;
- for each position, in the order of the keys: the difference from the previous key (from 0 for the first) in groups of
  7 bits, the lowest first, all but the last with the top bit set; one byte, the score plus 64; and one byte, the column
  of a best move, from 1.

A key has 7 bits for each column, the left column lowest: the discs of the side to move from the bottom up, and a 1
above the top disc of either side. Scores are those of :mod:`noughts.engine.connect4.kernel`.

docs/openings.md says what it contains and what it cost. ``python -m bench.connect4.openings`` makes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from noughts.engine.analysis import Analysis, Bound, MoveValue
from noughts.engine.connect4 import layers
from noughts.games.connect4 import BOTTOM, COLUMNS, MOVES, ROWS, STEP, Connect4Position

MAGIC, VERSION = b"C4OPEN", 2
SCORE_BIAS = 64
FLOOR = sum(BOTTOM.values())
COLUMN = (1 << STEP) - 1
CELLS = COLUMNS * ROWS


@dataclass(frozen=True, slots=True)
class Opening:
    """The ``score`` of a position, and its best moves: all of them, or the one that the computer prefers, or none if
    only the score is known.
    """

    score: int
    best: tuple[str, ...]


def key_of(position: Connect4Position) -> int:
    """The key of a position, not of its mirror image."""
    mask = position.first | position.second
    return mask + (position.second if position.ply % 2 else position.first) + FLOOR


def mirrored(key: int) -> int:
    """The key of the mirror image."""
    image = 0
    for _ in range(COLUMNS):
        image = image << STEP | key & COLUMN
        key >>= STEP
    return image


def pack(entries: Mapping[int, tuple[int, str]]) -> bytes:
    """The file for ``entries``: the score and the best move, by the smaller key of a position and its image."""
    packed = bytearray(MAGIC + bytes([VERSION]) + len(entries).to_bytes(4, "little"))
    before = 0
    for key, (score, best) in sorted(entries.items()):
        rest = key - before
        before = key
        while rest > 127:
            packed.append(rest & 127 | 128)
            rest >>= 7
        packed += bytes([rest, score + SCORE_BIAS, int(best)])
    return bytes(packed)


def unpack(packed: bytes) -> dict[int, tuple[int, str]]:
    """The entries of a file. Raises ValueError if it is no such file, or one of another version."""
    start = len(MAGIC) + 5
    if packed[: len(MAGIC) + 1] != MAGIC + bytes([VERSION]):
        raise ValueError(f"not an opening table of version {VERSION}")
    entries = {}
    key, index = 0, start
    while index < len(packed):
        shift = 0
        while packed[index] & 128:
            key += (packed[index] & 127) << shift
            shift += 7
            index += 1
        key += packed[index] << shift
        entries[key] = packed[index + 1] - SCORE_BIAS, str(packed[index + 2])
        index += 3
    if len(entries) != int.from_bytes(packed[start - 4 : start], "little"):
        raise ValueError("the opening table is truncated")
    return entries


@cache
def table() -> Mapping[int, tuple[int, str]]:
    """All entries, as :func:`pack` takes them."""
    return unpack(files(__package__).joinpath("openings.bin").read_bytes())


def lookup(position: Connect4Position) -> Opening | None:
    """The score of ``position`` and its best moves as far as they are known, None if its game is over."""
    entry = _entry(position)
    if entry is not None:
        return entry
    score = layers.score(position)
    if score is None or position.to_move is None:
        return None
    return Opening(score, tuple(move for move in position.legal_moves if layers.score(position.play(move)) == -score))


def score_of(position: Connect4Position) -> int | None:
    """The score of ``position``, None if it is not known. A finished game is lost for the side to move, or drawn."""
    entry = _entry(position)
    return layers.score(position) if entry is None else entry.score


def _entry(position: Connect4Position) -> Opening | None:
    key = key_of(position)
    image = mirrored(key)
    entry = table().get(min(key, image))
    if entry is None:
        return None
    score, best = entry
    return Opening(score, (best if key <= image else MOVES[-int(best)],))


def distance(score: int, ply: int) -> int:
    """The number of plies after ``ply`` at which the game ends if this is the score of the side to move there."""
    if score == 0:
        return CELLS - ply
    # The winner makes its line with its (22 - score)th disc.
    discs = CELLS // 2 + 1 - abs(score)
    return 2 * (discs - ply // 2) - 1 if score > 0 else 2 * (discs - (ply + 1) // 2)


def answer(position: Connect4Position, *, every_move: bool) -> Analysis | None:
    """The analysis of an unfinished position from the table alone; None if the table does not suffice.

    With ``every_move`` all values are exact, otherwise those of the best moves; the others are upper bounds.
    """
    opening = lookup(position)
    scores: dict[str, int] = {}
    asked = opening is not None
    for move in position.legal_moves:
        after = position.play(move)
        known = score_of(after)
        if known is not None:
            scores[move] = -known
            asked = asked or after.to_move is not None
    if not asked:
        return None
    if len(scores) == len(position.legal_moves):
        value = others = max(scores.values())
        best = tuple(move for move, score in scores.items() if score == value)
        if opening is not None and not every_move:
            best = opening.best or best  # what the computer prefers
    elif every_move or opening is None or not opening.best:
        return None
    else:
        value = opening.score
        scores |= dict.fromkeys(opening.best, value)
        best = tuple(move for move in position.legal_moves if scores.get(move) == value)
        others = value
    moves = {}
    for move in position.legal_moves:
        if move in scores:
            score = scores[move]
            moves[move] = MoveValue(score, True, distance(score, position.ply), _line(position, move))
        else:
            moves[move] = MoveValue(others, False, None, (move,), bound=Bound.UPPER)
    return Analysis(value, True, moves, best, 0, CELLS - position.ply)


def _line(position: Connect4Position, move: str) -> tuple[str, ...]:
    """``move`` and the best moves after it, as far as the table has them."""
    line = [move]
    while True:
        position = position.play(line[-1])
        known = lookup(position)
        if known is None or not known.best:
            return tuple(line)
        line.append(known.best[0])
