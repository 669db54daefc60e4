"""A tournament of the computer's levels at one game, and a player of random moves, and their ratings.

Neighbours in strength play the most pairs of games, because those say the most. Any other two players play a quarter as
many. The ratings are on one scale on which ``medium`` has 1500, see :func:`rate`.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations, pairwise

from bench.matches.__main__ import describe, time_of, told, won_drawn_lost
from bench.matches.pairs import OTHER_PLIES, PLIES, Match, Pair, totals
from noughts.engine import levels_of
from noughts.games import GAMES
from noughts.league.ratings import Meeting, Rating, fit

ANCHOR, ANCHOR_RATING = "medium", 1500


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.matches.tournament", description=__doc__)
    parser.add_argument("--game", choices=GAMES, required=True)
    parser.add_argument("--pairs", type=int, default=200, help="pairs of games between neighbours")
    parser.add_argument("--seconds", type=float, default=0.25, help="CPU time per move for the strongest level")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="games at once")
    options = parser.parse_args()
    game = GAMES[options.game]
    levels = levels_of(game)
    players = [*levels, "random"]
    plies = PLIES.get(game.key, OTHER_PLIES)
    neighbours = set(pairwise(players))
    counts = {two: options.pairs if two in neighbours else -(-options.pairs // 4) for two in combinations(players, 2)}
    pairs = play_all(game.key, counts, options.seconds, plies, options.jobs)
    meetings = [Meeting(*two, 2 * pair.score, 2) for two, played in pairs.items() for pair in played]
    ratings = rate(players, meetings)

    print(describe(game.key, options.seconds))
    print(
        f"{game.key}: pairs of games after {plies} random plies, seats swapped, {options.pairs} between neighbours and "
        f"{-(-options.pairs // 4)} between others; won / drawn / lost; 95 % intervals.\n"
    )
    print(f"| | rating | {' | '.join(f'against {player}' for player in players)} | time |")
    print("|---" * (len(players) + 3) + "|")
    for player in players:
        rating, error = ratings[player]
        scores, thoughts = [], []
        for opponent in players:
            if (player, opponent) in pairs:
                played = pairs[player, opponent]
                thoughts += [pair.player for pair in played]
                scores.append(won_drawn_lost(totals(played)))
            elif (opponent, player) in pairs:
                played = pairs[opponent, player]
                thoughts += [pair.opponent for pair in played]
                scores.append(won_drawn_lost(totals(played)[::-1]))
            else:
                scores.append("")
        within = "" if player == ANCHOR else f" ± {error:.0f}"
        print(f"| {player} | {ANCHOR_RATING + rating:.0f}{within} | {' | '.join(scores)} | {time_of(thoughts)} |")
    print(f'\n    "{game.key}": {{', end="")
    print(
        ", ".join(f'"{level}": {round((ANCHOR_RATING + ratings[level][0]) / 10) * 10}' for level in levels), end="},\n"
    )


def rate(players: Sequence[str], meetings: Iterable[Meeting]) -> dict[str, Rating]:
    """The ratings of ``players``, the strongest first, above ``ANCHOR``'s.

    Two drawn games are added between neighbours, so that a level that wins every game has a rating, too.
    """
    drawn = [Meeting(here, there, 1, 2) for here, there in pairwise(players)]
    return fit(players, [*drawn, *meetings], ANCHOR, prior=0)


def play_all(
    game_key: str, counts: dict[tuple[str, str], int], seconds: float, plies: int, jobs: int
) -> dict[tuple[str, str], list[Pair]]:
    """Play this many pairs between each two players. Reports progress on standard error."""
    with ProcessPoolExecutor(jobs) as pool:
        # Submit everything at once, so that no process waits for the last pair of two players.
        running = {
            two: told(pool, Match(game_key, *two, seconds, plies), range(count)) for two, count in counts.items()
        }
        return {two: list(pairs) for two, pairs in running.items()}


if __name__ == "__main__":
    main()
