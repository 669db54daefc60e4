"""Matches between the computer's levels, and against players to compare them with.

These are ``random``; ``textbook``, the search in pure Python that every game has; ``mcts``, OpenSpiel's; and in Connect
Four ``easyai``, easyAI's Negamax. The last two need their packages, ``open_spiel`` and ``easyAI``.

Games come in pairs, see ``bench.matches.pairs``. A match goes on until it is decided who is stronger, or to the last
game. It is looked at after 20, 50, 100 and 200 pairs, each time with an interval so wide that all looks together are
wrong in 5 % of matches at most (C. Bonferroni): 98.75 % for four looks.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.metadata import version
from itertools import pairwise

from bench.matches.pairs import OTHER_PLIES, PLIES, Match, Pair, Thoughts, elo, interval, play_pair, totals
from bench.matches.players import missing, names
from noughts.engine import has_kernel, levels_of
from noughts.games import GAMES

LOOKS = (20, 50, 100, 200)
"""After how many pairs a match may be decided."""

WRONG = 0.05
"""How likely it may be that an interval misses the true share, over all looks at a match."""


def looks_at(pairs: int, *, fixed: bool) -> list[int]:
    """After how many pairs a match of so many is looked at."""
    return [pairs] if fixed else [*(look for look in LOOKS if look < pairs), pairs]


def play(numbers: Callable[[range], Iterable[Pair]], looks: list[int]) -> tuple[list[Pair], float]:
    """The pairs that decide a match, and the confidence of each look; ``numbers`` plays those of these numbers."""
    confidence = 1 - WRONG / len(looks)
    pairs: list[Pair] = []
    for look in looks:
        pairs += numbers(range(len(pairs), look))
        low, high = interval([pair.score for pair in pairs], confidence)
        if low > 0.5 or high < 0.5:
            break
    return pairs, confidence


def row(match: Match, pairs: list[Pair], confidence: float) -> str:
    """A line of the table of results."""
    scores = [pair.score for pair in pairs]
    low, high = interval(scores, confidence)
    return (
        f"| {match.game} | {match.player} | {match.opponent} | {match.plies} | {told(totals(pairs))} | {len(pairs)} "
        f"| {100 * sum(scores) / len(scores):.1f} | {100 * low:.1f} to {100 * high:.1f} "
        f"| {elo_of(low, high)} "
        f"| {time_of([pair.player for pair in pairs])} | {time_of([pair.opponent for pair in pairs])} |"
    )


def elo_of(low: float, high: float) -> str:
    """The interval of a share, in rating points."""
    if high == 1:
        return "all" if low == 0 else f"{elo(low):+.0f} or more"
    return f"{elo(high):+.0f} or less" if low == 0 else f"{elo(low):+.0f} to {elo(high):+.0f}"


def told(results: tuple[int, int, int]) -> str:
    """Games won, drawn and lost."""
    return " / ".join(str(count) for count in results)


def time_of(thoughts: list[Thoughts]) -> str:
    """The mean thought, and the longest."""
    moves = sum(thought.moves for thought in thoughts)
    mean = sum(thought.total_s for thought in thoughts) / max(1, moves)
    return f"{mean:.3f} ({max(thought.longest_s for thought in thoughts):.3f})"


def describe(game_key: str, seconds: float | None) -> str:
    """What was run on what."""
    kernel = f"numba {version('numba')}" if has_kernel(GAMES[game_key]) else "no kernel"
    time = "its own time" if seconds is None else f"{seconds:g} s of processor time a move"
    return (
        f"Python {platform.python_version()}, noughts {version('noughts')}, {kernel}; "
        f"who plays by time has {time}. Times are the processor's, in seconds a move: the mean (the longest)."
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.matches", description=__doc__)
    parser.add_argument("--game", choices=GAMES, required=True)
    parser.add_argument(
        "--between", nargs=2, action="append", metavar="PLAYER", help="by default each level and the next"
    )
    parser.add_argument("--games", type=int, default=400, help="at most; even, half of them with the seats swapped")
    parser.add_argument("--fixed", action="store_true", help="play all games, and look at the end alone")
    parser.add_argument("--seconds", type=float, help="of processor time a move, for who plays by time")
    parser.add_argument("--plies", type=int, help="random moves at the beginning; by default the game's own number")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="games at once")
    options = parser.parse_args()
    game = GAMES[options.game]
    matches = options.between or list(pairwise(levels_of(game)))
    known = names(game)
    for player in [player for match in matches for player in match]:
        if player not in known:
            parser.error(f"{player} is no player of {game.key}; there are {', '.join(known)}")
        if (need := missing(player)) is not None:
            parser.error(need)
    if options.games < 2 or options.games % 2:
        parser.error("--games is even, 2 or more")
    plies = PLIES.get(game.key, OTHER_PLIES) if options.plies is None else options.plies
    looks = looks_at(options.games // 2, fixed=options.fixed)
    print(describe(game.key, options.seconds))
    print(
        f"Pairs of games after {plies} random plies, seats swapped; intervals over pairs, 95 % for "
        f"{len(looks)} look{'s' * (len(looks) > 1)} in all.\n"
    )
    print(
        "| game | player | opponent | random plies | won / drawn / lost | pairs | points % | interval | Elo "
        "| player's time | opponent's time |\n|---|---|---|---|---|---|---|---|---|---|---|"
    )
    with ProcessPoolExecutor(options.jobs) as pool:
        for player, opponent in matches:
            match = Match(game.key, player, opponent, options.seconds, plies)
            print(row(match, *play(partial(pool.map, partial(play_pair, match)), looks)), flush=True)


if __name__ == "__main__":
    main()
