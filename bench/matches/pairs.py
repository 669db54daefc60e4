"""Games in pairs: one opening of random moves, played twice with the seats swapped.

A pair is one observation, because its two games share the opening. The mean score and its interval are over pairs.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import NormalDist

from bench.matches.players import new_player
from noughts.games import GAMES, Game, Position, Side
from noughts.games.catalogue import game_named

PLAYED = {**GAMES, "hex7": game_named("hex?size=7")}
PLAYED |= {f"bare-{name}": replace(game, heuristic=None) for name, game in PLAYED.items() if game.heuristic is not None}
"""The games of matches, by name: ours, Hex on 7x7, and these without their heuristics, ``bare-NAME``."""

PLIES = {"tictactoe": 0, "connect4": 4, "reversi": 6, "gomoku": 3, "ultimate": 4}
"""The default number of random moves at the start of a match, by game."""

OTHER_PLIES = 2
"""The default for all other games."""


@dataclass(frozen=True)
class Match:
    """A game and two players, by name. Scores are those of the first. For ``seconds`` see ``new_player``."""

    game: str
    player: str
    opponent: str
    seconds: float | None
    plies: int


@dataclass
class Thoughts:
    """The time a player thought, in seconds of CPU time. Forced moves are not counted."""

    moves: int = 0
    total_s: float = 0.0
    longest_s: float = 0.0

    def add(self, seconds: float) -> None:
        self.moves += 1
        self.total_s += seconds
        self.longest_s = max(self.longest_s, seconds)


@dataclass(frozen=True)
class Pair:
    """The results of two games from one opening, for the match's first player. ``as_second`` is that of the game in
    which it had the second seat, 0 to 1.
    """

    wins: int
    draws: int
    losses: int
    player: Thoughts = field(compare=False)
    opponent: Thoughts = field(compare=False)
    as_second: float = 0.5

    @property
    def score(self) -> float:
        """The share of the points that it won, 0 to 1."""
        return (self.wins + self.draws / 2) / 2


def opening(game: Game, plies: int, rng: random.Random) -> tuple[Position, list[str]]:
    """An unfinished position after ``plies`` random moves, and the moves."""
    while True:
        position, moves = game.start, list[str]()
        for _ in range(plies):
            if position.legal_moves:
                moves.append(rng.choice(position.legal_moves))
                position = position.play(moves[-1])
        if position.legal_moves:
            return position, moves


def play_pair(match: Match, number: int) -> Pair:
    """Play the match's pair with this number. It is reproducible if no player depends on time."""
    game = PLAYED[match.game]
    rng = random.Random(f"{match.game} {match.player} {match.opponent} {match.plies} {number}")
    start, moves = opening(game, match.plies, rng)
    thoughts = Thoughts(), Thoughts()
    results = []
    for side in Side:
        players = [new_player(game, name, match.seconds, rng) for name in (match.player, match.opponent)]
        position, played = start, list(moves)
        while position.to_move:
            turn = position.to_move is not side
            move = position.legal_moves[0]
            if len(position.legal_moves) > 1:
                begun = time.process_time()
                move = players[turn](position, played)
                thoughts[turn].add(time.process_time() - begun)
            played.append(move)
            position = position.play(move)
        assert position.outcome
        winner = position.outcome.winner
        results.append(0.5 if winner is None else float(winner is side))
    return Pair(results.count(1), results.count(0.5), results.count(0), *thoughts, as_second=results[1])


def totals(pairs: Sequence[Pair]) -> tuple[int, int, int]:
    """All games won, drawn and lost."""
    return sum(pair.wins for pair in pairs), sum(pair.draws for pair in pairs), sum(pair.losses for pair in pairs)


def elo(score: float) -> float:
    """The rating difference for an expected ``score``, 0 to 1."""
    return math.copysign(math.inf, score - 0.5) if score in (0, 1) else -400 * math.log10(1 / score - 1)


def interval(scores: Sequence[float], confidence: float) -> tuple[float, float]:
    """The interval that contains the mean of ``scores``, each 0 to 1, with probability ``confidence``.

    Uses the normal distribution after adding z ** 2 / 2 won pairs and as many lost ones, two of each at 95 %, as A.
    Agresti and B. Coull do for proportions (*Approximate Is Better than "Exact" for Interval Estimation of Binomial
    Proportions*, 1998). So the interval has a width even if all pairs were won.
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    count = len(scores) + z * z
    mean = (sum(scores) + z * z / 2) / count
    variance = (sum(score * score for score in scores) + z * z / 2) / count - mean * mean
    error = z * math.sqrt(variance / count)
    return max(0.0, mean - error), min(1.0, mean + error)
