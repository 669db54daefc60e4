"""Matches between the computer's levels, and against players to compare them with.

Games come in pairs: one opening of random moves, played twice with the seats swapped. A pair is one observation, since
its two games share the opening; from the pairs' scores come the mean and its 95 % interval, and from these the Elo
difference.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import random
import statistics
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from itertools import pairwise

from noughts.engine import LEVELS, Interrupt, choose, levels_of
from noughts.engine.engines import engine_of, has_kernel
from noughts.engine.textbook import Textbook
from noughts.games import GAMES, Game, Position, Side

PLIES = {"tictactoe": 0, "connect4": 4, "reversi": 6, "gomoku": 3, "ultimate": 4}
"""The random moves that a match of each game begins with, unless told otherwise."""

Mover = Callable[[Position, random.Random], str]


@dataclass(frozen=True)
class Match:
    """Who plays what: players by name, the first being the one whose score is told."""

    game: str
    player: str
    opponent: str
    seconds: float | None
    plies: int


@dataclass(frozen=True)
class Pair:
    """What came of two games on one opening, for the match's first player; ``longest_s`` is its longest thought."""

    wins: int
    draws: int
    losses: int
    longest_s: float

    @property
    def score(self) -> float:
        """The points won of those that there were, 0 to 1."""
        return (self.wins + self.draws / 2) / 2


@cache
def mover(game_key: str, name: str, seconds: float | None) -> Mover:
    """A player: ``random``, ``textbook`` (without kernel and table, as long as it may), or a level by its name."""
    game = GAMES[game_key]
    if name == "random":
        return lambda position, rng: rng.choice(position.legal_moves)
    level = LEVELS[levels_of(game)[0] if name == "textbook" else name]
    if seconds is not None:
        level = replace(level, seconds=seconds)
    engine = Textbook(game) if name == "textbook" else engine_of(game)

    def move(position: Position, rng: random.Random) -> str:
        stop = Interrupt()
        timer = threading.Timer(level.seconds, stop.set)
        timer.start()
        try:
            return choose(engine, position, level, rng, stop)
        finally:
            timer.cancel()

    return move


def opening(game: Game, plies: int, rng: random.Random) -> Position:
    """A position after ``plies`` random moves in which the game goes on."""
    while True:
        position = game.start
        for _ in range(plies):
            if position.legal_moves:
                position = position.play(rng.choice(position.legal_moves))
        if position.legal_moves:
            return position


def play_pair(match: Match, seed: int) -> Pair:
    """Play one opening, with the seats swapped in the second game."""
    game = GAMES[match.game]
    rng = random.Random(f"{match} {seed}")
    player, opponent = (mover(match.game, name, match.seconds) for name in (match.player, match.opponent))
    start = opening(game, match.plies, rng)
    results, longest = [], 0.0
    for side in Side:
        position = start
        while position.to_move:
            begun = time.perf_counter()
            move = (player if position.to_move is side else opponent)(position, rng)
            if position.to_move is side:
                longest = max(longest, time.perf_counter() - begun)
            position = position.play(move)
        assert position.outcome
        winner = position.outcome.winner
        results.append(0.5 if winner is None else float(winner is side))
    return Pair(results.count(1), results.count(0.5), results.count(0), longest)


def elo(score: float) -> float:
    """The rating difference that lets one expect ``score``, 0 to 1."""
    return math.copysign(math.inf, score - 0.5) if score in (0, 1) else -400 * math.log10(1 / score - 1)


def row(match: Match, pairs: list[Pair]) -> str:
    """A line of the table of results."""
    scores = [pair.score for pair in pairs]
    mean = statistics.fmean(scores)
    error = 1.96 * statistics.stdev(scores) / math.sqrt(len(scores)) if len(scores) > 1 else math.nan
    wins, draws, losses = (sum(getattr(pair, what) for pair in pairs) for what in ("wins", "draws", "losses"))
    low, high = (elo(min(1, max(0, mean + sign * error))) for sign in (-1, 1))
    seconds = "its own" if match.seconds is None else f"{match.seconds:g} s"
    longest = max(pair.longest_s for pair in pairs)
    return (
        f"| {match.game} | {match.player} | {match.opponent} | {seconds} | {match.plies} | {wins} / {draws} / {losses} "
        f"| {100 * mean:.1f} ± {100 * error:.1f} | {low:+.0f} to {high:+.0f} | {longest:.2f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.matches", description=__doc__)
    parser.add_argument("--game", choices=GAMES, required=True)
    parser.add_argument(
        "--between", nargs=2, action="append", metavar="PLAYER", help="by default each level and the next"
    )
    parser.add_argument("--games", type=int, default=100, help="even; half of them with the seats swapped")
    parser.add_argument("--seconds", type=float, help="a move, for both; by default each level's own time")
    parser.add_argument("--plies", type=int, help="random moves at the beginning; by default the game's own number")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="games at once")
    options = parser.parse_args()
    game = GAMES[options.game]
    levels = levels_of(game)
    plies = PLIES.get(game.key, 2) if options.plies is None else options.plies
    kernel = f"numba {version('numba')}" if has_kernel(game) else "no kernel"
    print(
        f"Python {platform.python_version()}, noughts {version('noughts')}, {kernel}, {os.cpu_count()} cores;", end=" "
    )
    print(f"{options.jobs} games at once; 95 % intervals over pairs of games\n")
    print("| game | player | opponent | time a move | random plies | won / drawn / lost | points % | Elo | longest s |")
    print("|---|---|---|---|---|---|---|---|---|")
    with ProcessPoolExecutor(options.jobs) as pool:
        for player, opponent in options.between or pairwise(levels):
            match = Match(game.key, player, opponent, options.seconds, plies)
            count = options.games // 2
            print(row(match, list(pool.map(play_pair, [match] * count, range(count)))), flush=True)


if __name__ == "__main__":
    main()
