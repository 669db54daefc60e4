"""Plays Reversi's engine against Egaroucid for Web, a program of others (T. Yamana, GPL), which runs with Node.

``python -m bench.reversi.egaroucid DIR``, where DIR has its ``ai.js`` and ``ai.wasm``. Its strength is a level, not a
time, so choose ``--level`` and ``--seconds`` for which the table shows about equal times. Games come in pairs, see
``bench.matches.pairs``. It knows openings by heart; ``--plies`` random moves leave few of them. Times are CPU times.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from bench.matches.__main__ import elo_of, time_of, won_drawn_lost
from bench.matches.pairs import Pair, Thoughts, interval, opening, totals
from bench.matches.players import stopped_after
from noughts.engine import Interrupt, Limits
from noughts.engine.reversi.engine import NAMES, ReversiEngine
from noughts.games import Side
from noughts.games.reversi import REVERSI, ReversiPosition, margin

# Answers a line of 64 cells, the side to move and the level with the cell in thousands, and the seconds it took.
PROGRAM = r"""(() => {
const fs = require("fs"), vm = require("vm"), folder = process.argv[1];
console.log = console.warn = console.error = () => {};
Object.assign(globalThis, { require, __dirname: folder, __filename: folder + "/ai.js" });
globalThis.Module = {
  wasmBinary: fs.readFileSync(folder + "/ai.wasm"), print() {}, printErr() {},
  onRuntimeInitialized() {
    const pointer = _malloc(256);
    _init_ai(pointer);
    require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const [cells, side, level] = line.split(" ");
      HEAP32.set([...cells].map((cell) => (cell === "." ? -1 : Number(cell))), pointer / 4);
      const begun = process.cpuUsage();
      const found = _ai_js(pointer, Number(level), Number(side));
      const used = process.cpuUsage(begun);
      process.stdout.write(`${found} ${(used.user + used.system) / 1e6}\n`);
    });
  },
};
vm.runInThisContext(fs.readFileSync(folder + "/ai.js", "utf8"));
})();"""


class Egaroucid:
    """The running program. Use it in a ``with`` block."""

    def __init__(self, folder: Path, level: int) -> None:
        self.folder, self.level = folder, level

    def __enter__(self) -> Self:
        command = ["node", "-e", PROGRAM, str(self.folder.resolve())]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, at: TracebackType | None
    ) -> None:
        self.process.communicate()

    def move(self, position: ReversiPosition) -> tuple[str, float]:
        """Its move, and the seconds that it needed."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        cells = ["0" if position.first >> at & 1 else "1" if position.second >> at & 1 else "." for at in range(64)]
        stdin.write(f"{''.join(cells)} {int(position.side is Side.SECOND)} {self.level}\n")
        stdin.flush()
        found, seconds = stdout.readline().split()
        return NAMES[int(found) // 1000], float(seconds)


def play_pair(other: Egaroucid, seconds: float, plies: int, number: int) -> tuple[Pair, int]:
    """The two games from one opening, and the difference in discs of both together, for our engine."""
    rng = random.Random(f"reversi {plies} {number}")
    start, _ = opening(REVERSI, plies, rng)
    thoughts = Thoughts(), Thoughts()
    margins = []
    for side in Side:
        engine, position = ReversiEngine(), start
        while position.to_move:
            assert isinstance(position, ReversiPosition)
            move = position.legal_moves[0]
            if len(position.legal_moves) > 1 and position.to_move is side:
                stop, begun = Interrupt(), time.process_time()
                with stopped_after(seconds, stop):
                    move = rng.choice(engine.analyse(position, Limits(every_move=False), stop).choices)
                thoughts[0].add(time.process_time() - begun)
            elif len(position.legal_moves) > 1:
                move, used = other.move(position)
                thoughts[1].add(used)
            position = position.play(move)
        assert isinstance(position, ReversiPosition)
        margins.append(margin(position) * (1 if side is Side.FIRST else -1))
    won, lost = (sum(sign * each > 0 for each in margins) for sign in (1, -1))
    return Pair(won, 2 - won - lost, lost, *thoughts), sum(margins)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.reversi.egaroucid",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the directory with ai.js and ai.wasm")
    parser.add_argument("--pairs", type=int, default=8, help="pairs of games, at least 2 (8)")
    parser.add_argument("--seconds", type=float, default=0.25, help="our CPU time per move (0.25)")
    parser.add_argument("--level", type=int, default=11, help="its level (11)")
    parser.add_argument("--plies", type=int, default=8, help="random moves at the start (8)")
    asked = parser.parse_args()
    if asked.pairs < 2 or asked.seconds <= 0 or not (asked.folder / "ai.js").is_file():
        parser.error("at least two pairs, some time, and ai.js in DIR are needed")
    pairs: list[Pair] = []
    margins: list[int] = []
    with Egaroucid(asked.folder, asked.level) as other:
        for number in range(asked.pairs):
            pair, lead = play_pair(other, asked.seconds, asked.plies, number)
            pairs.append(pair)
            margins.append(lead)
            print(number, won_drawn_lost(totals(pairs)), file=sys.stderr, flush=True)
    scores = [pair.score for pair in pairs]
    low, high = interval(scores, 0.95)
    print("| level | won / drawn / lost | points % | 95 % | Elo | discs a game | our time | its time |")
    print("|---|---|---|---|---|---|---|---|")
    print(
        f"| {asked.level} | {won_drawn_lost(totals(pairs))} | {100 * statistics.mean(scores):.1f} "
        f"| {100 * low:.1f} to {100 * high:.1f} | {elo_of(low, high)} | {statistics.mean(margins) / 2:+.1f} "
        f"| {time_of([pair.player for pair in pairs])} | {time_of([pair.opponent for pair in pairs])} |"
    )


if __name__ == "__main__":
    main()
