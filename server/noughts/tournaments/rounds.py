"""The rounds of a tournament: who plays whom, and when it is over. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TypeVar

from noughts.tournaments.arena import arena_pairs
from noughts.tournaments.events import FIRST_BY_FORFEIT, NOBODY, SECOND_BY_FORFEIT, Pair, Pairing, Result
from noughts.tournaments.ladder import ladder_pairs
from noughts.tournaments.tournament import Tournament

T = TypeVar("T")

Pairs = Sequence[tuple[str, str | None]]
"""The ids of those who play each other, the first side first; None for the points of a win without a game."""


def circle(seats: Sequence[T]) -> list[list[tuple[T, T]]]:
    """The rounds in which each two of an even number of ``seats`` meet once: all but the first walk around a table, and
    play whom they sit opposite to."""
    walking, half = list(seats), len(seats) // 2
    rounds = []
    for _ in range(len(walking) - 1):
        rounds.append(list(zip(walking[:half], reversed(walking[half:]), strict=True)))
        walking.insert(1, walking.pop())
    return rounds


def berger(count: int) -> list[list[tuple[int, int]]]:
    """The rounds of a round robin of ``count`` players, numbered from 1, each pair with the first side first.

    These are the tables of FIDE's handbook, C.05, annex 1, after J. Berger's *Schach-Jahrbuch*, 1893. Of an odd number
    of players one is free in each round.
    """
    size = count + count % 2
    walks = circle([size, *range(2, size), 1])
    rounds = []
    for number in range(size - 1):
        (last, opponent), *others = walks[-number * (size // 2) % (size - 1)]
        pairs = [(last, opponent) if number % 2 else (opponent, last), *others]
        rounds.append([pair for pair in pairs if max(pair) <= count])
    return rounds


def gauntlet(
    challengers: Sequence[str], opponents: Sequence[str], *, at_once: bool = False
) -> list[list[tuple[str, str]]]:
    """The rounds in which each challenger meets each opponent once, the first side first.

    Nobody plays twice in a round, unless the opponents can play any number of games ``at_once``.
    """
    size = len(opponents) if at_once else max(len(challengers), len(opponents))
    rounds = []
    for number in range(size):
        pairs = []
        for place, challenger in enumerate(challengers):
            met = (place + number) % size
            if met < len(opponents):
                pair = (challenger, opponents[met])
                pairs.append(pair if (place + number) % 2 == 0 else pair[::-1])
        rounds.append(pairs)
    return rounds


def cycle(
    players: Sequence[str], opponents: Collection[str] = (), *, at_once: bool = False
) -> list[list[tuple[str, str]]]:
    """The rounds in which each two of ``players`` meet once, the first side first; or in a :func:`gauntlet`, if some of
    them are the ``opponents`` whom the others meet."""
    if not opponents:
        return [[(players[one - 1], players[other - 1]) for one, other in pairs] for pairs in berger(len(players))]
    met = [player for player in players if player in opponents]
    return gauntlet([player for player in players if player not in opponents], met, at_once=at_once)


def schedule(now: Tournament) -> list[list[tuple[str, str]]]:
    """All rounds of a round robin or a gauntlet that has started; the second cycle with the sides swapped."""
    opponents = now.terms.opponents
    at_once = all(now.entries[player].player.kind == "computer" for player in opponents if player in now.order)
    once = cycle(now.order, opponents, at_once=at_once)
    return once if now.terms.rounds == 1 else once + [[pair[::-1] for pair in pairs] for pairs in once]


def rounds_in_all(now: Tournament) -> int | None:
    """The number of rounds; None for an arena or a ladder, and before the start where it depends on the entrants.

    A Swiss tournament that has started has no more rounds than a round robin of its entrants would have.
    """
    terms = now.terms
    if terms.format == "swiss":
        players = len(now.order)
        return terms.rounds if now.status == "open" else min(terms.rounds, players - 1 + players % 2)
    if now.continuous or now.status == "open":
        return None
    players = len(now.order)
    if terms.format == "round_robin":
        return terms.rounds * (players - 1 + players % 2)
    return len(schedule(now))


def is_over(now: Tournament, at: int) -> bool:
    """True if a tournament that runs has nothing left to play at ``at``, ms since the epoch."""
    if now.status != "running" or now.terms.format == "ladder":
        return False
    if now.ends_at is not None:
        return at >= now.ends_at
    rounds = rounds_in_all(now)
    return not now.live and (now.round == rounds or len(now.active) < 2)


def may_enter_late(now: Tournament) -> bool:
    """True if players may still enter a tournament that runs: an arena or a ladder, and the first half of Swiss."""
    terms = now.terms
    return now.continuous or (terms.format == "swiss" and 2 * now.round <= terms.rounds)


def next_pairs(now: Tournament, present: Collection[str], at: int, rest_ms: int = 0) -> Pairs:
    """The next round's pairs, but for Swiss, whose :func:`~noughts.tournaments.swiss.swiss_pairs` take longer.

    ``present`` are the ids of those who are connected, which only arenas and ladders ask for. On a ladder nobody plays
    again before ``rest_ms`` are over.
    """
    if now.terms.format == "ladder":
        return ladder_pairs(now, present, at, rest_ms)
    if now.terms.format == "arena":
        return arena_pairs(now, present, at)
    rounds = schedule(now)
    return rounds[now.round] if now.round < len(rounds) else []


def as_round(now: Tournament, pairs: Pairs, rooms: Iterator[str]) -> Pair:
    """The command that has ``pairs`` play in ``rooms``, which are new ids. Those who have withdrawn forfeit."""
    games, byes = [], []
    for first, second in pairs:
        if second is None:
            byes.append(first)
        else:
            games.append(Pairing(next(rooms), first, second, _forfeit(now, first, second)))
    return Pair(now.round + 1, tuple(games), tuple(byes))


def _forfeit(now: Tournament, first: str, second: str) -> Result | None:
    match bool(now.entries[first].withdrawn), bool(now.entries[second].withdrawn):
        case False, False:
            return None
        case False, True:
            return FIRST_BY_FORFEIT
        case True, False:
            return SECOND_BY_FORFEIT
        case _:
            return NOBODY
