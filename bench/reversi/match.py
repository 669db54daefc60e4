"""Plays Reversi's engine in this source tree against that of another revision, at equal processor time.

``python -m bench.reversi.match REVISION``, where REVISION is a commit or branch of this repository, such as ``HEAD~1``.
Games come in pairs, see ``bench.matches.pairs``. Both engines get the same CPU time for each move, and none that is
forced; what they need to notice that it is over is in the table.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time

from bench.matches.__main__ import elo_of, time_of, won_drawn_lost
from bench.matches.pairs import PLIES, Pair, Thoughts, interval, opening, totals
from bench.matches.players import stopped_after
from bench.matches.revisions import engine_at
from noughts.engine import Engine, Interrupt, Limits
from noughts.engine.reversi.engine import ReversiEngine
from noughts.games import Side
from noughts.games.reversi import REVERSI, ReversiPosition, margin


def play_pair(revision: str, seconds: float, plies: int, number: int) -> tuple[Pair, int]:
    """The two games from one opening, and the difference in discs of both together, for this source tree's engine."""
    rng = random.Random(f"reversi {plies} {number}")
    start, _ = opening(REVERSI, plies, rng)
    thoughts = Thoughts(), Thoughts()
    margins = []
    for side in Side:
        engines: tuple[Engine, Engine] = ReversiEngine(), engine_at(revision, REVERSI)
        position = start
        while position.to_move:
            turn = position.to_move is not side
            move = position.legal_moves[0]
            if len(position.legal_moves) > 1:
                stop, begun = Interrupt(), time.process_time()
                with stopped_after(seconds, stop):
                    move = rng.choice(engines[turn].analyse(position, Limits(every_move=False), stop).choices)
                thoughts[turn].add(time.process_time() - begun)
            position = position.play(move)
        assert isinstance(position, ReversiPosition)
        margins.append(margin(position) * (1 if side is Side.FIRST else -1))
    won, lost = (sum(sign * each > 0 for each in margins) for sign in (1, -1))
    return Pair(won, 2 - won - lost, lost, *thoughts), sum(margins)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.reversi.match", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("revision", metavar="REVISION", help="the other engine's")
    parser.add_argument("--pairs", type=int, default=50, help="pairs of games, at least 2 (50)")
    parser.add_argument("--seconds", type=float, default=0.1, help="CPU time per move (0.1)")
    parser.add_argument("--plies", type=int, default=PLIES["reversi"], help="random moves at the start (6)")
    asked = parser.parse_args()
    if asked.pairs < 2 or asked.seconds <= 0:
        parser.error("at least two pairs and some time are needed")
    pairs: list[Pair] = []
    margins: list[int] = []
    for number in range(asked.pairs):
        pair, lead = play_pair(asked.revision, asked.seconds, asked.plies, number)
        pairs.append(pair)
        margins.append(lead)
        print(number, won_drawn_lost(totals(pairs)), file=sys.stderr, flush=True)
    scores = [pair.score for pair in pairs]
    low, high = interval(scores, 0.95)
    print("| against | s | won / drawn / lost | points % | 95 % | Elo | discs a game | time | opponent's time |")
    print("|---|---|---|---|---|---|---|---|---|")
    print(
        f"| {asked.revision} | {asked.seconds:g} | {won_drawn_lost(totals(pairs))} "
        f"| {100 * statistics.mean(scores):.1f} | {100 * low:.1f} to {100 * high:.1f} | {elo_of(low, high)} "
        f"| {statistics.mean(margins) / 2:+.1f} "
        f"| {time_of([pair.player for pair in pairs])} | {time_of([pair.opponent for pair in pairs])} |"
    )


if __name__ == "__main__":
    main()
