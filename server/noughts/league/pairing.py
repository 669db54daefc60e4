"""The pairings of a league, and their order. Pure; does no I/O."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from noughts.tournaments.rounds import circle


@dataclass(frozen=True)
class Pairing:
    """A game to be played: who plays whom on which opening. ``game``, ``round`` and ``pair`` count from 1.

    The two games of a pair follow each other, on one opening, with the seats swapped.
    """

    game: int
    round: int
    pair: int
    opening: tuple[str, ...]
    first: str
    second: str


def schedule(
    players: Sequence[str],
    rounds: int,
    *,
    gauntlet: str | None = None,
    seed: int = 0,
    lines: Sequence[Sequence[str]] = ((),),
) -> list[Pairing]:
    """All games of a league, in order. Each round begins with the next of the openings in ``lines``, again and again.

    In each round any two ``players`` meet in one pair of games, or, in a gauntlet, the player ``gauntlet`` meets each
    of the others. The order comes from the circle method, so that everybody plays about equally often at any time; the
    ``seed`` mixes it in each round. The same arguments give the same games.

    Raises ValueError for fewer than two players, a name given twice, fewer than one round, and a ``gauntlet`` that is
    not one of the players.
    """
    if len(players) < 2:
        raise ValueError("a league needs at least two players")
    if len(set(players)) < len(players):
        raise ValueError("two players have the same name")
    if rounds < 1:
        raise ValueError("a league needs at least one round")
    if gauntlet is not None and gauntlet not in players:
        raise ValueError(f"{gauntlet} is not one of the players")
    games = list[Pairing]()
    for number in range(1, rounds + 1):
        rng = random.Random(f"pairings {seed} {number}")
        order = list(players)
        rng.shuffle(order)
        for one, other in _met(order, gauntlet):
            pair, opening = len(games) // 2 + 1, tuple(lines[(number - 1) % len(lines)])
            for first, second in ((one, other), (other, one)) if rng.random() < 0.5 else ((other, one), (one, other)):
                games.append(Pairing(len(games) + 1, number, pair, opening, first, second))
    return games


def _met(order: list[str], gauntlet: str | None) -> list[tuple[str, str]]:
    """The pairs that meet in a round of a league, in turn."""
    if gauntlet is not None:
        return [(gauntlet, other) for other in order if other != gauntlet]
    seats: list[str | None] = [*order, None] if len(order) % 2 else [*order]
    pairs = [pair for pairs in circle(seats) for pair in pairs]
    return [(one, other) for one, other in pairs if one is not None and other is not None]
