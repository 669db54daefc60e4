"""An arena: its points, and who plays whom next. Pure; does no I/O.

The rules are those that lichess documents in the FAQ of its arena tournaments: a win is 2 points, a draw 1; after two
wins in a row every game counts double until one is not won; whoever is free is paired again at once, with somebody of
about the same rank; games that are under way at the end do not count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from noughts.tournaments.events import DRAW, LOSS, WIN
from noughts.tournaments.tournament import UNRATED, Entry, Game, Tally, Tournament

STREAK = 2
"""After so many wins in a row games count double."""

AGAIN_MS = 15_000
"""Two who have just played each other do so again if both have waited this long."""


def tallied(
    tallies: Mapping[str, Tally], game: Game, entries: Mapping[str, Entry], *, doubled: bool = True
) -> dict[str, Tally]:
    """The tallies of both players after ``game``, which has a result; a streak counts double if that is ``doubled``."""
    assert game.result is not None
    after, played = {}, int(game.result.played)
    for player, side in ((game.first, 1), (game.second, -1)):
        before, points, opponent = tallies.get(player, Tally()), game.points(player), game.opponent(player)
        rating = entries[opponent].player.rating if opponent in entries else None
        after[player] = Tally(
            points=before.points + points * (2 if doubled and before.streak >= STREAK else 1),
            streak=before.streak + 1 if points == WIN else 0,
            last=opponent,
            balance=before.balance + side,
            since=game.ended,
            won=before.won + (points == WIN),
            drawn=before.drawn + (points == DRAW),
            lost=before.lost + (points == LOSS),
            played=before.played + played,
            wins=before.wins + (played and points == WIN),
            halves=before.halves + played * points,
            against=before.against + played * (UNRATED if rating is None else rating),
            rating=before.rating,
            missed=before.missed,
        )
    return after


def tallies_of(games: Iterable[Game], entries: Mapping[str, Entry]) -> dict[str, Tally]:
    """The tallies after ``games``, in their order; those under way do not count."""
    tallies: dict[str, Tally] = {}
    for game in games:
        if game.result is not None:
            tallies |= tallied(tallies, game, entries)
    return tallies


def arena_pairs(now: Tournament, present: Collection[str], at: int) -> list[tuple[str, str]]:
    """The next pairs, the first side first, of those who are ``present`` and free at ``at``, ms since the epoch.

    Neighbours by points are paired. Two who have just met are so only if there is nobody else, or both have waited.
    """
    here = [player for player in now.active if player in present]
    order = {player: number for number, player in enumerate(now.order)}
    tallies = {player: now.tallies.get(player, Tally()) for player in here if player not in now.playing}
    free = sorted(tallies, key=lambda player: (-tallies[player].points, order[player]))
    nobody_else = len(here) + len(now.playing.difference(here)) <= 2
    return paired_off(free, tallies, at, nobody_else=nobody_else)


def paired_off(
    free: Sequence[str], tallies: Mapping[str, Tally], at: int, *, nobody_else: bool
) -> list[tuple[str, str]]:
    """Pairs of neighbours among ``free``, who are in the order of their strength, the first side first.

    Two who have just met play again only if there is ``nobody_else``, or if both have waited.
    """
    free = list(free)

    def may_meet(one: str, other: str) -> bool:
        mine, theirs = tallies[one], tallies[other]
        if mine.last != other and theirs.last != one:
            return True
        return nobody_else or at - max(mine.since, theirs.since) >= AGAIN_MS

    found: list[tuple[str, str]] = []
    while free:
        one = free.pop(0)
        other = next((other for other in free if may_meet(one, other)), None)
        if other is None:
            continue
        free.remove(other)
        found.append(_seated(one, other, tallies[one].balance - tallies[other].balance, len(found)))
    return found


def _seated(one: str, other: str, balance: int, number: int) -> tuple[str, str]:
    """The two with the first side for the one who has had it less often; they take turns where that is equal."""
    return (other, one) if balance > 0 or (balance == 0 and number % 2) else (one, other)
