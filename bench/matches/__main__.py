"""Matches between the computer's levels, and against reference players.

The reference players are ``random``; ``textbook``, the alpha-beta in pure Python that every game has; ``montecarlo``,
our Monte-Carlo tree search; ``mcts``, OpenSpiel's; in Connect Four ``easyai``, easyAI's Negamax; and in chess
``fairy1350`` and ``fairy1900``, Fairy-Stockfish at these ratings of its ``UCI_Elo``, and ``stockfish1600`` to
``stockfish2600``, Stockfish at these; and in Gomoku ``rapfi``, with the weights that its ``config.toml`` names. The
table does not show the time of these programs. They need the packages ``open_spiel`` and ``easyAI``, and the programs
``fairy-stockfish``, ``stockfish`` and ``pbrain-rapfi``. ``at:REVISION`` is our strongest level with the kernel of
another revision of this repository, such as ``at:HEAD~1``.

Games come in pairs, see ``bench.matches.pairs``. A match continues until it is decided who is stronger, or to its last
game. It is checked after 20, 50, 100 and 200 pairs, each time with an interval wide enough that in at most 5 % of
matches any check is wrong (C. Bonferroni): 98.75 % for four checks.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from importlib.metadata import version
from itertools import pairwise

from bench.matches.pairs import OTHER_PLIES, PLAYED, PLIES, Match, Pair, Thoughts, elo, interval, play_pair, totals
from bench.matches.players import missing, names
from bench.matches.revisions import BEGINS
from noughts.engine import has_kernel, levels_of

LOOKS = (20, 50, 100, 200)
"""The numbers of pairs after which a match may be decided."""

WRONG = 0.05
"""The probability that any interval of a match misses the true share, over all checks."""


def looks_at(pairs: int, *, fixed: bool) -> list[int]:
    """The numbers of pairs after which a match of ``pairs`` is checked."""
    return [pairs] if fixed else [*(look for look in LOOKS if look < pairs), pairs]


def play(numbers: Callable[[range], Iterable[Pair]], looks: list[int]) -> tuple[list[Pair], float]:
    """Play until a match is decided. Returns its pairs and the confidence of each check. ``numbers`` plays the pairs
    with these numbers.
    """
    confidence = 1 - WRONG / len(looks)
    pairs: list[Pair] = []
    for look in looks:
        pairs += numbers(range(len(pairs), look))
        low, high = interval([pair.score for pair in pairs], confidence)
        if low > 0.5 or high < 0.5:
            break
    return pairs, confidence


def told(pool: Executor, match: Match, numbers: range) -> Iterator[Pair]:
    """The pairs of a match with these numbers, which begin now. Prints a line for each on standard error as it ends."""

    def tell(pair: Pair) -> Pair:
        result = won_drawn_lost(totals([pair]))
        print(f"{match.game}: {match.player} against {match.opponent}: {result}", file=sys.stderr, flush=True)
        return pair

    return map(tell, pool.map(partial(play_pair, match), numbers))


def row(match: Match, pairs: list[Pair], confidence: float) -> str:
    """A row of the table of results."""
    scores = [pair.score for pair in pairs]
    low, high = interval(scores, confidence)
    return (
        f"| {match.game} | {match.player} | {match.opponent} | {match.plies} | {won_drawn_lost(totals(pairs))} "
        f"| {len(pairs)} | {100 * sum(scores) / len(scores):.1f} | {100 * low:.1f} to {100 * high:.1f} "
        f"| {100 * sum(pair.as_second for pair in pairs) / len(pairs):.1f} "
        f"| {elo_of(low, high)} "
        f"| {time_of([pair.player for pair in pairs])} | {time_of([pair.opponent for pair in pairs])} |"
    )


def elo_of(low: float, high: float) -> str:
    """An interval of shares, as rating points."""
    if high == 1:
        return "all" if low == 0 else f"{elo(low):+.0f} or more"
    return f"{elo(high):+.0f} or less" if low == 0 else f"{elo(low):+.0f} to {elo(high):+.0f}"


def won_drawn_lost(results: tuple[int, int, int]) -> str:
    """Games won, drawn and lost, as text."""
    return " / ".join(str(count) for count in results)


def time_of(thoughts: list[Thoughts]) -> str:
    """The mean and the longest thinking time, as text."""
    moves = sum(thought.moves for thought in thoughts)
    mean = sum(thought.total_s for thought in thoughts) / max(1, moves)
    return f"{mean:.3f} ({max(thought.longest_s for thought in thoughts):.3f})"


def describe(game_key: str, seconds: float | None) -> str:
    """The versions and settings of a run."""
    kernel = f"numba {version('numba')}" if has_kernel(PLAYED[game_key]) else "no kernel"
    time = "their own time" if seconds is None else f"{seconds:g} s of CPU time per move"
    return (
        f"Python {platform.python_version()}, noughts {version('noughts')}, {kernel}; "
        f"players with a time limit have {time}. Times are CPU seconds per move: mean (longest)."
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.matches", description=__doc__)
    parser.add_argument("--game", choices=PLAYED, required=True)
    parser.add_argument(
        "--between", nargs=2, action="append", metavar="PLAYER", help="by default, each level and the next"
    )
    parser.add_argument("--games", type=int, default=400, help="at most this many games, an even number")
    parser.add_argument("--fixed", action="store_true", help="play all games, and check only at the end")
    parser.add_argument("--seconds", type=float, help="CPU time per move for players with a time limit")
    parser.add_argument("--plies", type=int, help="random moves at the start; the default depends on the game")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="games at once")
    options = parser.parse_args()
    game = PLAYED[options.game]
    matches = options.between or list(pairwise(levels_of(game)))
    known = names(game)
    for player in [player for match in matches for player in match]:
        if player not in known and not player.startswith(BEGINS):
            parser.error(f"{player} is not a player of {options.game}; choose from {', '.join(known)}")
        if (need := missing(player)) is not None:
            parser.error(need)
    if options.games < 2 or options.games % 2:
        parser.error("--games must be an even number, 2 or more")
    plies = PLIES.get(game.key, OTHER_PLIES) if options.plies is None else options.plies
    looks = looks_at(options.games // 2, fixed=options.fixed)
    print(describe(options.game, options.seconds))
    print(
        f"Pairs of games after {plies} random plies, seats swapped; intervals over pairs, 95 % for "
        f"{len(looks)} check{'s' * (len(looks) > 1)} together.\n"
    )
    print(
        "| game | player | opponent | random plies | won / drawn / lost | pairs | points % | interval | as second % "
        "| Elo | player's time | opponent's time |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
    )
    with ProcessPoolExecutor(options.jobs) as pool:
        for player, opponent in matches:
            match = Match(options.game, player, opponent, options.seconds, plies)
            print(row(match, *play(partial(told, pool, match), looks)), flush=True)


if __name__ == "__main__":
    main()
