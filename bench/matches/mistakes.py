"""The rate at which a level of Connect Four plays a move that is not best by true value, and how much it loses by
it.

A level plays against itself from an opening of random moves. From the ply at which the solver quickly finds every
move's value, each of its moves is compared with the best one by the result under perfect play. As in the same table for
tic-tac-toe, only positions count in which not all legal moves have the same result.
"""

from __future__ import annotations

import argparse
import platform
import random
import statistics
from collections import Counter
from importlib.metadata import version

from bench.matches.pairs import opening
from bench.matches.players import new_player
from noughts.engine import Interrupt, Limits, levels_of
from noughts.engine.engines import engine_of
from noughts.games import GAMES

GAME = GAMES["connect4"]


def mistakes(level: str, moves: int, plies: int, solved_from: int, seed: int) -> list[int]:
    """For each of ``moves`` moves of ``level``, how many half points it gives away, 0 to 2."""
    rng, solver = random.Random(f"{level} {seed}"), engine_of(GAME)
    play = new_player(GAME, level, None, rng)
    costs: list[int] = []
    while len(costs) < moves:
        position, _ = opening(GAME, plies, rng)
        while position.to_move and len(costs) < moves:
            move = play(position, ())
            if position.ply >= solved_from:
                found = solver.analyse(position, Limits(), Interrupt())
                results = {name: (value.value > 0) - (value.value < 0) for name, value in found.moves.items()}
                if len(set(results.values())) > 1:
                    costs.append(max(results.values()) - results[move])
            position = position.play(move)
    return costs


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.matches.mistakes", description=__doc__)
    parser.add_argument("--moves", type=int, default=500, help="moves of each level")
    parser.add_argument("--plies", type=int, default=4, help="random moves at the start of each game")
    parser.add_argument("--solved-from", type=int, default=12, help="the first ply that counts")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(
        f"Python {platform.python_version()}, noughts {version('noughts')}; {options.moves} moves of each level, from"
    )
    print(
        f"ply {options.solved_from} on, after {options.plies} random ones; 95 % intervals, assuming independent moves\n"
    )
    print("| level, in Connect Four against itself | keeps the result | gives away half a point | a whole one |")
    print("|---|---|---|---|")
    for level in [*levels_of(GAME), "random"]:
        costs = mistakes(level, options.moves, options.plies, options.solved_from, options.seed)
        counts, cells = Counter(costs), []
        for cost in range(3):
            share = counts[cost] / len(costs)
            error = 1.96 * statistics.pstdev([each == cost for each in costs]) / len(costs) ** 0.5
            cells.append(f"{100 * share:.1f} ± {100 * error:.1f}")
        print(f"| `{level}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
