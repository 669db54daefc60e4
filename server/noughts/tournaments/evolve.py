"""The tournament after an event. Pure; does no I/O."""

from __future__ import annotations

from noughts.rooms import Player
from noughts.tournaments.arena import tallied, tallies_of
from noughts.tournaments.events import (
    Adjudicated,
    Entered,
    Event,
    Finished,
    Opened,
    Paired,
    Paused,
    Resumed,
    Scored,
    Started,
    Withdrawn,
)
from noughts.tournaments.tournament import Entry, Game, Tournament
from noughts.value import changed

COMPUTER = "computer:"
"""The beginning of the id of a level of the computer."""


def evolve(before: Tournament | None, event: Event) -> Tournament:
    """The tournament after ``event``. ``before`` is None for ``opened`` only."""
    if isinstance(event, Opened):
        assert before is None
        levels = [player for player in event.terms.opponents if player.startswith(COMPUTER)]
        entries = {level: Entry(Player(level, level, "computer")) for level in levels}
        return Tournament(event.tournament, 1, event.by, event.terms, event.at, "open", entries, {})
    assert before is not None
    after = changed(before, version=before.version + 1, at=event.at)
    match event:
        case Entered(player=player):
            again = before.entries.get(player.id)
            late = before.status == "running" and before.terms.format != "arena"
            since = again.since if again is not None else before.round + 1 if late else 1
            entries = {**before.entries, player.id: Entry(player, since)}
            order = (*before.order, player.id) if before.order and again is None else before.order
            return changed(after, entries=entries, order=order)
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


def _paired(after: Tournament, event: Paired) -> Tournament:
    at, games = event.at, {}
    for one in event.games:
        ended = 0 if one.result is None else at
        games[one.room] = Game(one.room, event.round, one.first, one.second, at, one.result, ended)
    live = [game for game in games.values() if game.result is None]
    return changed(
        after,
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
    if after.terms.format != "arena":
        tallies = after.tallies
    elif before.result is None:
        tallies = {**after.tallies, **tallied(after.tallies, game, after.entries)}
    else:  # a game that counted already
        tallies = tallies_of(games.values(), after.entries)
    return changed(after, games=games, live=live, playing=playing, tallies=tallies)
