"""Games in pairs: one opening of random moves, played twice with the seats swapped.

A pair is one observation, since its two games share the opening. From the pairs' scores come the mean and its interval.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

from bench.matches.players import new_player
from noughts.games import GAMES, Game, Position, Side

PLIES = {"tictactoe": 0, "connect4": 4, "reversi": 6, "gomoku": 3, "ultimate": 4}
"""The random moves that a match of each game begins with, unless told otherwise."""

OTHER_PLIES = 2
"""Those of a game that is not among these."""


@dataclass(frozen=True)
class Match:
    """Who plays what: players by name, the first being the one whose score is told. ``seconds``: see ``new_player``."""

    game: str
    player: str
    opponent: str
    seconds: float | None
    plies: int


@dataclass
class Thoughts:
    """How long somebody thought, in seconds of processor time; forced moves are not counted."""

    moves: int = 0
    total_s: float = 0.0
    longest_s: float = 0.0

    def add(self, seconds: float) -> None:
        self.moves += 1
        self.total_s += seconds
        self.longest_s = max(self.longest_s, seconds)


@dataclass(frozen=True)
class Pair:
    """What came of two games on one opening, for the match's first player."""

    wins: int
    draws: int
    losses: int
    player: Thoughts = field(compare=False)
    opponent: Thoughts = field(compare=False)

    @property
    def score(self) -> float:
        """The points won of those that there were, 0 to 1."""
        return (self.wins + self.draws / 2) / 2


def opening(game: Game, plies: int, rng: random.Random) -> tuple[Position, list[str]]:
    """A position after ``plies`` random moves in which the game goes on, and the moves."""
    while True:
        position, moves = game.start, list[str]()
        for _ in range(plies):
            if position.legal_moves:
                moves.append(rng.choice(position.legal_moves))
                position = position.play(moves[-1])
        if position.legal_moves:
            return position, moves


def play_pair(match: Match, number: int) -> Pair:
    """Play the match's pair of this number: the same again for players that have no time to keep."""
    game = GAMES[match.game]
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
    return Pair(results.count(1), results.count(0.5), results.count(0), *thoughts)


def totals(pairs: Sequence[Pair]) -> tuple[int, int, int]:
    """The games won, drawn and lost in all."""
    return sum(pair.wins for pair in pairs), sum(pair.draws for pair in pairs), sum(pair.losses for pair in pairs)


def elo(score: float) -> float:
    """The rating difference that lets one expect ``score``, 0 to 1."""
    return math.copysign(math.inf, score - 0.5) if score in (0, 1) else -400 * math.log10(1 / score - 1)


def interval(scores: Sequence[float], confidence: float) -> tuple[float, float]:
    """Where the mean of ``scores``, each 0 to 1, is, with a probability of ``confidence``: from where to where.

    By the normal distribution, once z ** 2 / 2 pairs won and as many lost have been added, two of each at 95 %, as
    A. Agresti and B. Coull do for shares (*Approximate Is Better than "Exact" for Interval Estimation of Binomial
    Proportions*, 1998). So it has a width when all pairs were won, too.
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    count = len(scores) + z * z
    mean = (sum(scores) + z * z / 2) / count
    variance = (sum(score * score for score in scores) + z * z / 2) / count - mean * mean
    error = z * math.sqrt(variance / count)
    return max(0.0, mean - error), min(1.0, mean + error)
