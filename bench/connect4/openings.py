"""Makes Connect Four's opening table; ``scripts/connect4-openings`` runs this.

It solves, each position together with its mirror image:

- every position that the computer can meet, as either side, when it plays a best move from the table: up to ``--plies``
  discs, with the score and one best move, or all best moves up to ``--all-best`` discs;
- every position with at most ``--all`` discs, with the score, so that positions with fewer discs need no search.

It appends each result to the journal at once. So you can stop it at any time, and run it again to continue.
"""

from __future__ import annotations

import argparse
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from noughts.engine.analysis import Interrupt
from noughts.engine.connect4.openings import ALL_BEST, key_of, mirrored, pack
from noughts.engine.connect4.solver import LARGEST, Solver, boards_of
from noughts.games.connect4 import MOVES, Connect4Position, margin

TABLE = Path(__file__).parents[2] / "server/noughts/engine/connect4/openings.bin"
NEVER = Interrupt()


class Best(Enum):
    """The number of best moves of a position to find."""

    NONE = 0
    ONE = 1
    ALL = 2


def enough(moves: int, best: Best) -> bool:
    """True if ``moves``, the bits of the known best moves, has as many as ``best`` requires."""
    return bool(best is Best.NONE or (moves and best is Best.ONE) or moves & ALL_BEST)


@dataclass(frozen=True, slots=True)
class Solved:
    """One line of the journal: ``best`` has a bit for each best move, and ALL_BEST if they are all of them."""

    key: int
    ply: int
    score: int
    best: int
    nodes: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.key:013x} {self.ply} {self.score} {self.best} {self.nodes} {self.seconds:.3f}\n"


def read(journal: Path) -> dict[int, Solved]:
    """The contents of the journal. An incomplete last line is removed."""
    if not journal.exists():
        return {}
    text = journal.read_text()
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        journal.write_text(whole)
    solved = {}
    for line in whole.splitlines():
        key, ply, score, best, nodes, seconds = line.split()
        entry = Solved(int(key, 16), int(ply), int(score), int(best), int(nodes), float(seconds))
        solved[entry.key] = entry
    return solved


def folded(position: Connect4Position) -> tuple[int, Connect4Position]:
    """The smaller key of a position and its mirror image, and the position with that key."""
    key = key_of(position)
    image = mirrored(key)
    if key <= image:
        return key, position
    return image, Connect4Position(mirrored(position.first), mirrored(position.second))


class Maker:
    """Solves positions and writes the journal."""

    def __init__(self, journal: Path, entries: int) -> None:
        self.solved = read(journal)
        self.solver = Solver(entries)
        self.journal = journal.open("a")
        self.bounds: dict[int, tuple[int, int]] = {}
        """By key: bounds that follow from the scores of earlier positions."""

    def solve(self, position: Connect4Position, best: Best) -> Solved:
        """The entry of a position with the smaller key, from the journal or by a search."""
        key = key_of(position)
        known = self.solved.get(key)
        if known is None or not enough(known.best, best):
            nodes, seconds = self.solver.nodes, time.process_time()
            score = self._score(position) if known is None else known.score
            moves = self._best(position, score, best)
            known = Solved(key, position.ply, score, moves, self.solver.nodes - nodes, time.process_time() - seconds)
            self.solved[key] = known
            self.journal.write(str(known))
            self.journal.flush()
        self._bound_next(position, known)
        return known

    def _score(self, position: Connect4Position) -> int:
        own, mask = boards_of(position)
        low, high = self.bounds.get(key_of(position), (-LARGEST, LARGEST))
        if -LARGEST < low < high:
            # After good play this is usually the score, so test it first.
            value = self.solver.bound(own, mask, low + 1, stop=NEVER)
            assert value is not None
            low, high = (low, low) if value <= low else (value, high)
        return low if low == high else self.solver.solve(own, mask, (low, high), stop=NEVER)[0]

    def _best(self, position: Connect4Position, score: int, best: Best) -> int:
        """A bit for each move whose value is ``score``, and ALL_BEST, or for one of them; no value is greater."""
        bits = 0
        proposed = self.solver.proposed(*boards_of(position))
        for move in sorted(position.legal_moves, key=lambda move: (move != proposed, abs(int(move) - 4))):
            if best is Best.NONE or (best is Best.ONE and bits):
                return bits
            child = position.play(move)
            if child.to_move is None:
                reaches = abs(margin(child)) >= score
            else:
                value = self.solver.bound(*boards_of(child), 1 - score, stop=NEVER)
                reaches = value is not None and value <= -score
            bits |= reaches << MOVES.index(move)
        return bits | ALL_BEST

    def _bound_next(self, position: Connect4Position, entry: Solved) -> None:
        """Record the bounds that an entry implies for the positions after its moves and after replies to its best
        moves.
        """
        for move in position.legal_moves:
            child = position.play(move)
            if child.to_move is None:
                continue
            is_best = bool(entry.best >> MOVES.index(move) & 1)
            self._bound(child, -entry.score + bool(entry.best & ALL_BEST and not is_best), LARGEST)
            if is_best:
                self._bound(child, -LARGEST, -entry.score)
                for reply in child.legal_moves:
                    self._bound(child.play(reply), entry.score, LARGEST)

    def _bound(self, position: Connect4Position, low: int, high: int) -> None:
        if position.to_move is not None:
            key = folded(position)[0]
            before = self.bounds.get(key, (-LARGEST, LARGEST))
            self.bounds[key] = max(low, before[0]), min(high, before[1])

    def level(self, positions: dict[int, Connect4Position], best: Best) -> Iterator[Solved]:
        """Solve the positions of one ply, similar ones one after the other."""
        started, before = time.monotonic(), len(self.solved)
        for done, key in enumerate(sorted(positions), 1):
            yield self.solve(positions[key], best)
            if len(self.solved) > before and done % 20 == 0:
                print(f"  {done} of {len(positions)}, {time.monotonic() - started:.0f} s", flush=True)


def met(position: Connect4Position, entry: Solved) -> Iterator[tuple[int, Connect4Position]]:
    """The positions that the computer can meet after a known best move in ``position`` and a reply."""
    for move in position.legal_moves:
        if entry.best >> MOVES.index(move) & 1:
            reply = position.play(move)
            for answer in reply.legal_moves:
                after = reply.play(answer)
                if after.to_move is not None:
                    yield folded(after)


def make(maker: Maker, plies: int, all_best: int, everything: int) -> None:
    """Solve everything that the module's docstring lists, ply by ply."""
    start = folded(Connect4Position())
    level, every = dict([start]), dict([start])
    following = dict(folded(start[1].play(move)) for move in MOVES)
    for ply in range(max(plies, everything) + 1):
        if ply <= plies:
            print(f"ply {ply}: {len(level)} positions with their best moves", flush=True)
            beyond: dict[int, Connect4Position] = {}
            for entry in maker.level(level, Best.ALL if ply <= all_best else Best.ONE):
                beyond |= met(level[entry.key], entry)
            level, following = following, beyond
        if ply <= everything:
            print(f"ply {ply}: {len(every)} positions, all that there are, with their score", flush=True)
            for _ in maker.level(every, Best.NONE):
                pass
            children = (position.play(move) for position in every.values() for move in position.legal_moves)
            every = dict(folded(child) for child in children if child.to_move is not None)


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/connect4-openings", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("journal", type=Path, help="the file of results, which is extended")
    parser.add_argument("--plies", type=int, default=10, help="most discs in the computer's own positions (10)")
    parser.add_argument("--all-best", type=int, default=2, help="most discs for all best moves rather than one (2)")
    parser.add_argument("--all", type=int, default=3, help="most discs for the scores of all positions (3)")
    parser.add_argument("--entries", type=int, default=24, help="size of the solver's table: 24 for 2**24 (128 MiB)")
    parser.add_argument("--pack", action="store_true", help="do not search, but make the table from the journal")
    parser.add_argument("--output", type=Path, default=TABLE, help="the table; by default, the package's")
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python's own waits for the kernel to come back
    if options.pack:
        solved = read(options.journal).values()
        options.output.write_bytes(pack({entry.key: (entry.score, entry.best) for entry in solved}))
        total = sum(entry.nodes for entry in solved), sum(entry.seconds for entry in solved)
        print(f"{len(solved)} positions, {total[0]:,} nodes, {total[1]:.0f} s, {options.output.stat().st_size:,} bytes")
        return
    if hasattr(os, "nice"):
        os.nice(19)
    make(Maker(options.journal, 1 << options.entries), options.plies, options.all_best, options.all)


if __name__ == "__main__":
    main()
