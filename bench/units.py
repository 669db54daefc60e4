"""Measures the unit of a game's estimates: the estimate with which a side wins ten games of eleven.

The level ``medium`` plays both sides without lapses, but one move of ten is random, so that good and bad positions come
up. The value of the position by its search, 2 plies deep, and the result of the game are one observation. The unit is
fitted by logistic regression through the origin, and its interval comes from fits to games drawn again (B. Efron,
*Bootstrap Methods: Another Look at the Jackknife*, 1979). Proved values say nothing about estimates and are left out.

Instead, the moves can be those of any player of ``bench.matches``, with itself, without random ones. Then every seventh
position is valued.
"""

from __future__ import annotations

import argparse
import random
import time

import numpy as np

from bench.matches.players import names, new_player
from bench.weights import Floats, logistic
from noughts.engine import Interrupt, Limits, engine_of
from noughts.games import GAMES, Game, Side

DEPTH = 2
RANDOM = 0.1
"""The number of moves that are random."""

LONGEST = 300
"""In plies. A game that lasts longer counts as a draw."""

VALUED = 7
"""In plies: how often a position of a player's game is valued, for either side. Neighbours say nearly the same."""

AGAIN = 200
"""The number of times the games are drawn again."""


def play(game: Game, rng: random.Random, player: str | None = None) -> tuple[Floats, Floats]:
    """The estimates of a game, each for the side to move, and its result for that side, 0 to 1."""
    engine, position, played = engine_of(game), game.start, list[str]()
    mover = new_player(game, player, None, rng) if player else None
    values: list[tuple[Side, int]] = []
    while (side := position.to_move) and len(played) < LONGEST:
        choices = position.legal_moves
        if len(played) % VALUED == 0 if mover else rng.random() >= RANDOM:
            found = engine.analyse(position, Limits(depth=DEPTH, every_move=False), Interrupt())
            choices = found.choices
            if not found.moves[choices[0]].exact:
                values.append((side, found.value))
        played.append(mover(position, played) if mover else rng.choice(choices))
        position = position.play(played[-1])
    winner = position.outcome.winner if position.outcome else None
    results = [0.5 if winner is None else float(winner is side) for side, _ in values]
    return np.array([[value] for _, value in values], np.float64).reshape(-1, 1), np.array(results)


def unit(games: list[tuple[Floats, Floats]]) -> float:
    """The unit that fits best."""
    x, y = (np.concatenate(each) for each in zip(*games, strict=True))
    scale = float(np.abs(x).max()) or 1
    return float(np.log(10) * scale / logistic(x / scale, y, 0)[0])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.units", description=__doc__)
    parser.add_argument("--game", choices=GAMES, required=True)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--player", help="a player of bench.matches, instead of the level medium")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    if options.player and options.player not in names(GAMES[options.game]):
        parser.error(f"choose a player from {', '.join(names(GAMES[options.game]))}")
    games = [play(GAMES[options.game], rng, options.player) for _ in range(options.games)]
    again = [unit(rng.choices(games, k=len(games))) for _ in range(AGAIN)]
    low, high = np.percentile(again, [2.5, 97.5])
    positions = sum(len(y) for _, y in games)
    print(
        f"| {options.game} | {len(games)} | {positions} | {unit(games):.0f} | {low:.0f} to {high:.0f} "
        f"| {time.process_time():.0f} s |"
    )


if __name__ == "__main__":
    main()
