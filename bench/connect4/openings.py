"""Makes Connect Four's opening table: ``python -m bench.connect4.openings``.

It finds a best move in every position with three to ten discs that the computer can meet, as either side, when it plays
any best move with fewer discs and the table's from then on. It needs the scores of all positions with eight discs, see
``bench.connect4.layers``, and takes some minutes of processor time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from noughts.engine.analysis import Interrupt
from noughts.engine.connect4 import layers, openings
from noughts.engine.connect4.openings import key_of, mirrored, pack
from noughts.engine.connect4.solver import Solver, boards_of
from noughts.games.connect4 import MIDDLE_FIRST, Connect4Position

FILE = Path(openings.__file__).with_name("openings.bin")
ENTRIES = 1 << 24
"""In the solver's transposition table: 128 MiB."""
FIRST, LAST = 3, 10
"""The fewest and the most discs in the table's positions."""
NEVER = Interrupt()


def folded(position: Connect4Position) -> tuple[int, Connect4Position]:
    """The smaller key of a position and its mirror image, and the position with that key."""
    key = key_of(position)
    image = mirrored(key)
    if key <= image:
        return key, position
    return image, Connect4Position(mirrored(position.first), mirrored(position.second))


def best_moves(position: Connect4Position, score: int, solver: Solver) -> Iterator[str]:
    """The moves of a position that has this score which are worth it, the one that the solver found first."""
    own, mask = boards_of(position)
    proposed = solver.proposed(own, mask)
    moves = (move for move in MIDDLE_FIRST if move in position.legal_moves)
    for move in sorted(moves, key=lambda move: move != proposed):
        after = position.play(move)
        worth = layers.score(after)
        if worth is None:
            worth = solver.bound(*boards_of(after), 1 - score, stop=NEVER)
        if worth is not None and worth <= -score:
            yield move


def following(position: Connect4Position, moves: Iterable[str]) -> Iterator[tuple[int, Connect4Position]]:
    """The unfinished positions after ``moves``."""
    return (folded(after) for after in map(position.play, moves) if after.to_move is not None)


def make(solver: Solver) -> dict[int, tuple[int, str]]:
    """The table's entries, ply by ply."""
    entries: dict[int, tuple[int, str]] = {}
    level = dict([folded(Connect4Position())])
    next_level = dict(following(Connect4Position(), Connect4Position().legal_moves))
    for discs in range(LAST + 1):
        started = time.process_time()
        beyond: dict[int, Connect4Position] = {}
        for key, position in sorted(level.items()):
            score = layers.score(position)
            if score is None:
                score = solver.solve(*boards_of(position), stop=NEVER)[0]
            best = list(islice(best_moves(position, score, solver), None if discs < FIRST else 1))
            if discs >= FIRST:
                entries[key] = score, best[0]
            for _, reply in following(position, best):
                beyond |= following(reply, reply.legal_moves)
        print(f"{discs} discs: {len(level)} positions, {time.process_time() - started:.0f} s", flush=True)
        level, next_level = next_level, beyond
    return entries


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.connect4.openings", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--file", type=Path, default=FILE, help="the table; by default, the package's")
    options = parser.parse_args()
    options.file.write_bytes(pack(make(Solver(ENTRIES))))


if __name__ == "__main__":
    main()
