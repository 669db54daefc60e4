"""The tournament after an event. Pure; does no I/O."""

from __future__ import annotations

from noughts.rooms import Player
from noughts.tournaments.arena import tallied, tallies_of
from noughts.tournaments.events import (
    Adjudicated,
    Entered,
    Finished,
    Opened,
    Paired,
    Paused,
    Resumed,
    Scored,
    Started,
    Withdrawn,
)
from noughts.tournaments.ladder import rated, recent, spent_after
from noughts.tournaments.tournament import ACTS, Act, Condensed, Entry, Game, Stored, Tournament
from noughts.value import changed

COMPUTER = "computer:"
"""The beginning of the id of a level of the computer."""


def evolve(before: Tournament | None, event: Stored) -> Tournament:
    """The tournament after ``event``. ``before`` is needed but for ``opened`` and
    ``condensed``, which has the whole of it."""
    if isinstance(event, Condensed):
        return event.tournament
    if isinstance(event, Opened):
        assert before is None
        levels = [player for player in event.terms.opponents if player.startswith(COMPUTER)]
        entries = {level: Entry(Player(level, level, "computer")) for level in levels}
        opened = Tournament(event.tournament, 1, event.by, event.terms, event.at, "open", entries, {})
        return changed(opened, status="running", started_at=event.at) if event.terms.format == "ladder" else opened
    assert before is not None
    after = changed(before, version=before.version + 1, at=event.at)
    if isinstance(event, Act) and event.by == before.by.id and not _is_own(event):
        after = changed(after, acts=(*after.acts, event)[-ACTS:])
    match event:
        case Entered(player=player, origin=origin):
            again = before.entries.get(player.id)
            new = before.status == "running" and player.id not in before.order  # or has left before the start
            late = new and not before.continuous
            since = before.round + 1 if late else 1 if again is None else again.since
            entries = {**before.entries, player.id: Entry(player, since, at=event.at, origin=origin)}
            order = (*before.order, player.id) if new else before.order
            tallies = before.tallies
            if (tally := tallies.get(player.id)) is not None and tally.missed:
                tallies = {**tallies, player.id: changed(tally, missed=0)}
            return changed(after, entries=entries, order=order, tallies=tallies)
        case Withdrawn(player=left):
            entry = changed(before.entries[left], withdrawn=event.by)
            return changed(after, entries={**before.entries, left: entry})
        case Started(order=order):
            return changed(after, status="running", order=order, started_at=event.at)
        case Paired():
            return _paired(after, event)
        case Scored(room=room, result=result):
            game = changed(before.games[room], result=result, ended=event.at)
            return _over(after, game)
        case Adjudicated(room=room, result=result):
            game = changed(before.games[room], result=result, ended=event.at, adjudicated=True)
            return _over(after, game)
        case Paused():
            return changed(after, paused=True)
        case Resumed():
            return changed(after, paused=False)
        case Finished():
            return changed(after, status="finished", finished_at=event.at, paused=False)


def _is_own(event: Act) -> bool:
    """True if the organiser, who plays too, has withdrawn."""
    return isinstance(event, Withdrawn) and event.player == event.by


def _paired(after: Tournament, event: Paired) -> Tournament:
    at, games = event.at, {}
    for one in event.games:
        ended = 0 if one.result is None else at
        games[one.room] = Game(one.room, event.round, one.first, one.second, at, one.result, ended)
    live = [game for game in games.values() if game.result is None]
    day, spent = after.day, after.spent
    if after.terms.format == "ladder":
        day, spent = spent_after(after, event.games, at)
    return changed(
        after,
        day=day,
        spent=spent,
        games={**after.games, **games},
        round=event.round,
        byes=(*after.byes, *((event.round, player) for player in event.byes)),
        live=after.live.union(game.room for game in live),
        playing=after.playing.union(player for game in live for player in (game.first, game.second)),
    )


def _over(after: Tournament, game: Game) -> Tournament:
    before, live = after.games[game.room], after.live - {game.room}
    games = {**after.games, game.room: game}
    # A level of the computer may play several games at once.
    playing = frozenset([player for room in live for player in (games[room].first, games[room].second)])
    if not after.continuous:
        tallies = after.tallies
    elif before.result is None:
        both = tallied(after.tallies, game, after.entries, doubled=after.terms.format == "arena")
        if after.terms.format == "ladder":
            both = {player: rated(tally, after.tallies, game, player) for player, tally in both.items()}
            games = recent(games)
        tallies = {**after.tallies, **both}
    else:  # a game that counted already
        tallies = tallies_of(games.values(), after.entries)
    return changed(after, games=games, live=live, playing=playing, tallies=tallies)
