"""The best moves by the engine of Connect Four when its time is short, compared with full solves.

    python -m bench.connect4.verdicts [--seconds N] [--positions N]

The positions are random ones of eight to twelve discs with a fixed seed.
"""

from __future__ import annotations

import argparse
import itertools
import random
import time
from collections import Counter
from threading import Timer

from noughts.engine import Analysis, Interrupt, Limits, Verdict, verdict_of
from noughts.engine.connect4.engine import Connect4Engine
from noughts.games.connect4 import CONNECT4, Connect4Position

SEED = 24
LARGE = 1 << 23
"""Entries of the table for the full solves."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare what is called best in a short search with full solves.")
    parser.add_argument("--seconds", type=float, default=2, help="the time of the short search (default: 2)")
    parser.add_argument("--positions", type=int, default=100, metavar="N", help="how many (default: 100)")
    options = parser.parse_args()
    found = Counter(itertools.chain.from_iterable(judged(each, options.seconds) for each in some(options.positions)))
    columns = ("proved", "wrong", "preferred", "best", "same", "lost")
    print("| proved best | of these wrong | preferred | of these best | same result | result lost |")
    print("|---|---|---|---|---|---|")
    print(f"| {' | '.join(str(found[each]) for each in columns)} |")


def some(count: int) -> list[Connect4Position]:
    """Unfinished positions after eight to twelve random moves."""
    rng = random.Random(SEED)
    found: list[Connect4Position] = []
    while len(found) < count:
        position = CONNECT4.start
        for _ in range(rng.randint(8, 12)):
            if position.to_move is not None:
                position = position.play(rng.choice(position.legal_moves))
        if position.to_move is not None:
            assert isinstance(position, Connect4Position)
            found.append(position)
    return found


def judged(position: Connect4Position, seconds: float) -> list[str]:
    """The verdict of a search of ``seconds``, and whether it is right."""
    stop = Interrupt()
    timer = Timer(seconds, stop.set)
    timer.start()
    verdict, best = verdict_of(Connect4Engine().analyse(position, Limits(), stop))
    timer.cancel()
    truth = solved(position)
    right = set(best) <= set(truth.best)
    if verdict is Verdict.PROVED:
        return ["proved"] if right else ["proved", "wrong"]
    same = right or sign(truth) == -sign(solved(position.play(best[0])))
    return ["preferred", "best" if right else "same" if same else "lost"]


def solved(position: Connect4Position) -> Analysis:
    return Connect4Engine(LARGE).analyse(position, Limits(every_move=False), Interrupt())


def sign(analysis: Analysis) -> int:
    return (analysis.value > 0) - (analysis.value < 0)


if __name__ == "__main__":
    started = time.monotonic()
    main()
    print(f"\n{time.monotonic() - started:.0f} s")
