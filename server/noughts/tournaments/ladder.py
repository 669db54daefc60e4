"""A standing ladder: its ratings, its budgets, and who plays whom next. Pure; does no I/O.

A ladder is an arena without end for registered bots. Whoever is connected and free is paired again and again with
somebody of about the same rating. A budget of games a day, for each bot and for each address that bots come from,
keeps one person from filling the server. Every so often a ladder is condensed: one event has all that counts, and those
before it are forgotten, so that it takes no longer to read after a year.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from noughts.glicko2 import after
from noughts.tournaments.arena import paired_off
from noughts.tournaments.events import WIN, Pairing
from noughts.tournaments.tournament import Entry, Game, Tally, Tournament
from noughts.value import changed

DAY_MS = 86_400_000
"""Budgets are for a day of UTC."""

MISSED = 3
"""Whoever has not come to so many games in a row is not paired until it enters again."""

FORGOTTEN_MS = 30 * DAY_MS
"""Whoever has neither entered nor played for so long loses its place and its rating."""

RECENT = 100
"""The number of games that are over which a ladder keeps; all others are only in the journal of their rooms."""

CONDENSED_AFTER = 2000
"""The number of events after which a ladder is condensed."""

Rest = Literal["budget", "absent"]
"""Reasons for which a bot that is connected is not paired: its games of the day are used up, or it did not come to its
last games."""


def rated(tally: Tally, before: Mapping[str, Tally], game: Game, player: str) -> Tally:
    """The ``tally`` of a player after ``game`` with the rating too, from the tallies of both ``before`` it.

    The game is a rating period of its own. A forfeit changes no rating.
    """
    assert game.result is not None
    points = game.points(player)
    if not game.result.played:
        lost = game.points(game.opponent(player)) == WIN
        return changed(tally, missed=tally.missed + 1 if lost else tally.missed)
    mine, theirs = (before.get(each, Tally()).rating for each in (player, game.opponent(player)))
    return changed(tally, missed=0, rating=after(mine, [(theirs, points / WIN)]))


def spent_after(now: Tournament, games: Iterable[Pairing], at: int) -> tuple[int, dict[str, int]]:
    """The day of ``at``, and what of the budgets of that day is spent when ``games`` have begun."""
    day = at // DAY_MS
    spent = dict(now.spent) if day == now.day else {}
    for game in games:
        for bringer in {*_bringers(now, game.first), *_bringers(now, game.second)}:
            spent[bringer] = spent.get(bringer, 0) + 1
    return day, spent


def left_today(now: Tournament, player: str, at: int) -> int:
    """The number of games that ``player`` can begin on the day of ``at``, ms since the epoch."""
    spent = now.spent if at // DAY_MS == now.day else {}
    return now.terms.budget - max(spent.get(bringer, 0) for bringer in _bringers(now, player))


def rests(now: Tournament, player: str, at: int) -> Rest | None:
    """The reason for which ``player`` is not paired at ``at`` though it may be connected, None if it is."""
    if now.tallies.get(player, Tally()).missed >= MISSED:
        return "absent"
    return "budget" if left_today(now, player, at) <= 0 else None


def _bringers(now: Tournament, player: str) -> tuple[str, ...]:
    """Those whose budgets a game of ``player`` is taken from: its own, and its address's if that is known."""
    origin = now.entries[player].origin
    return (player, origin) if origin else (player,)


def ladder_pairs(now: Tournament, present: Collection[str], at: int, rest_ms: int) -> list[tuple[str, str]]:
    """The next pairs, the first side first, of those who are ``present`` and free at ``at``, ms since the epoch.

    Whoever has played in the last ``rest_ms`` is not free. Neighbours by rating are paired, and no two who
    have just met unless there is nobody else, or both have waited.
    """
    here = [player for player in now.active if player in present and rests(now, player, at) is None]
    tallies = {player: now.tallies.get(player, Tally()) for player in here}
    waiting = [player for player in here if player not in now.playing and at >= tallies[player].since + rest_ms]
    spent = dict(now.spent) if at // DAY_MS == now.day else {}
    free = []
    for player in sorted(waiting, key=lambda player: tallies[player].since):
        origin = now.entries[player].origin
        if not origin or spent.get(origin, 0) < now.terms.budget:
            spent[origin] = spent.get(origin, 0) + 1
            free.append(player)
    free.sort(key=lambda player: -tallies[player].rating.rating)
    nobody_else = len(here) + len(now.playing.difference(here)) <= 2
    return paired_off(free, tallies, at, nobody_else=nobody_else)


def places_taken(now: Tournament, at: int) -> int:
    """The number of entrants who keep their places at ``at``, ms since the epoch."""
    return sum(1 for player in now.active if not forgotten(now, player, at))


def condensed(now: Tournament, at: int) -> Tournament:
    """The ladder as the next event has it: all that counts, without entrants whom nobody has seen for long."""
    # The organiser's removals stay, so that nobody comes back by waiting.
    kept: dict[str, Entry] = {
        player: entry
        for player, entry in now.entries.items()
        if player in now.playing or entry.withdrawn not in ("", player) or not forgotten(now, player, at)
    }
    games = {room: game for room, game in now.games.items() if game.first in kept and game.second in kept}
    version = now.version + 1
    return changed(
        now,
        version=version,
        base=version,
        at=at,
        entries=kept,
        games=games,
        order=tuple(player for player in now.order if player in kept),
        tallies={player: tally for player, tally in now.tallies.items() if player in kept},
    )


def forgotten(now: Tournament, player: str, at: int) -> bool:
    """True if nobody has seen ``player`` for so long that its place is free."""
    last_seen = max(now.entries[player].at, now.tallies.get(player, Tally()).since)
    return at >= last_seen + FORGOTTEN_MS


def recent(games: Mapping[str, Game]) -> dict[str, Game]:
    """``games`` without those that have been over for longest, if more than :data:`RECENT` are over."""
    over = [room for room, game in games.items() if game.result is not None]
    if len(over) <= RECENT:
        return dict(games)
    old = set(over[:-RECENT])
    return {room: game for room, game in games.items() if room not in old}
