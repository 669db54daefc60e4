"""Decides what a command does to a tournament: one event, no change, or a refusal. Pure; does no I/O."""

from __future__ import annotations

from noughts.rooms import NoChange, Player, Refused
from noughts.tournaments.events import (
    Adjudicate,
    Adjudicated,
    Command,
    Condense,
    Enter,
    Entered,
    Finish,
    Finished,
    Open,
    Opened,
    Pair,
    Paired,
    Pause,
    Paused,
    Report,
    Resume,
    Resumed,
    Scored,
    Start,
    Started,
    Withdraw,
    Withdrawn,
)
from noughts.tournaments.evolve import evolve
from noughts.tournaments.ladder import CONDENSED_AFTER, MISSED, condensed, forgotten, places_taken
from noughts.tournaments.rounds import is_over, may_enter_late
from noughts.tournaments.tournament import Condensed, Stored, Tally, Tournament
from noughts.value import value

FEWEST = 2
"""The number of entrants without whom nothing begins."""

MOST_ROUND_ROBIN = 64
"""The most entrants of a round robin, which has about half the square of them in games."""


@value
class Step:
    """An accepted command: its one event, and the tournament after it."""

    event: Stored
    tournament: Tournament


def decide(before: Tournament | None, command: Command, now: int) -> Step | NoChange:
    """The step that ``command`` makes at ``now``, ms since the epoch. ``before`` is None for ``Open`` only.

    Raises :class:`~noughts.rooms.Refused` with the code and the message for the sender.
    """
    if before is None:
        assert isinstance(command, Open)
        _check_terms(command)
        opened = Opened(now, command.tournament, command.by, command.terms)
        return Step(opened, evolve(None, opened))
    event = _event(before, command, max(before.at, now))
    return NoChange(before.version) if event is None else Step(event, evolve(before, event))


def _check_terms(command: Open) -> None:
    terms = command.terms
    if terms.format == "arena":
        if not terms.minutes:
            raise Refused("not_allowed", "An arena goes on for some minutes. Say how many.")
    elif terms.minutes:
        raise Refused("not_allowed", "Only an arena goes by minutes.")
    elif terms.format == "ladder":
        _check_ladder(command)
    elif terms.budget:
        raise Refused("not_allowed", "Only a ladder has a budget of games.")
    elif not terms.rounds:
        raise Refused("not_allowed", "Say how many rounds.")
    elif terms.format != "swiss" and terms.rounds > 2:
        raise Refused("not_allowed", "Two players meet once or twice: rounds is 1 or 2.")
    if terms.opponents and terms.format != "gauntlet":
        raise Refused("not_allowed", "Only a gauntlet has opponents whom everybody meets.")
    if not terms.opponents and terms.format == "gauntlet":
        raise Refused("not_allowed", "Say which opponents everybody meets.")


def _check_ladder(command: Open) -> None:
    terms = command.terms
    if terms.rounds:
        raise Refused("not_allowed", "A ladder has no rounds.")
    if not terms.budget:
        raise Refused("not_allowed", "Say how many games a day a ladder has for each bot and each address.")
    if terms.kinds != "bots" or not terms.registered:
        raise Refused("not_allowed", "A ladder is for registered bots.")
    if terms.starts_at is not None:
        raise Refused("not_allowed", "A ladder begins at once.")


def _event(now: Tournament, command: Command, at: int) -> Stored | None:
    """The event of any command but ``Open``; None if it changes nothing."""
    match command:
        case Enter():
            return _enter(now, command, at)
        case Withdraw(player=player, by=by):
            if by not in (player, now.by.id):
                raise Refused("not_allowed", "Only the organiser can remove other players.")
            _must_not_be_over(now)
            entry = now.entries.get(player)
            if entry is None:
                raise Refused("not_allowed", "This player has not entered.")
            return None if entry.withdrawn else Withdrawn(at, player, by)
        case Start():
            return _start(now, command, at)
        case Pair():
            return _pair(now, command, at)
        case Report(room=room, result=result):
            game = now.games.get(room)
            if game is None or game.result is not None or now.status == "finished":
                return None  # the standings are final, or the game counts already
            return Scored(at, room, result)
        case Adjudicate(by=by, room=room, result=result):
            _must_organise(now, by)
            if now.status == "finished":
                raise Refused("not_allowed", "The tournament is over, and its standings are final.")
            game = now.games.get(room)
            if game is None:
                raise Refused("not_allowed", "This game is not one of the tournament's.")
            if game.result is not None and now.terms.format == "ladder":
                raise Refused("not_allowed", "On a ladder only games under way can be decided.")
            return None if game.result == result else Adjudicated(at, by, room, result)
        case Pause(by=by) | Resume(by=by):
            _must_organise(now, by)
            if now.status != "running":
                raise Refused("not_allowed", "The tournament is not under way.")
            if now.paused is isinstance(command, Pause):
                return None
            return Paused(at, by) if isinstance(command, Pause) else Resumed(at, by)
        case Finish(by=by):
            if by is not None:
                _must_organise(now, by)
            if now.status == "finished" or (by is None and not is_over(now, at)):
                return None
            return Finished(at, by)
        case Condense():
            if now.terms.format != "ladder" or now.status == "finished" or now.version - now.base < CONDENSED_AFTER:
                return None
            return Condensed(at, condensed(now, at))
        case Open():
            return None


def _must_organise(now: Tournament, player: str) -> None:
    if player != now.by.id:
        raise Refused("not_allowed", "Only the organiser of the tournament can do that.")


def _must_not_be_over(now: Tournament) -> None:
    if now.status == "finished":
        raise Refused("not_allowed", "The tournament is over.")


def _enter(now: Tournament, command: Enter, at: int) -> Stored | None:
    terms, player = now.terms, command.player
    _must_not_be_over(now)
    entry = now.entries.get(player.id)
    if entry is not None and not entry.withdrawn:
        missed = now.tallies.get(player.id, Tally()).missed
        if terms.format != "ladder" or (
            entry.origin == command.origin and missed < MISSED and not forgotten(now, player.id, at)
        ):
            return None
        return Entered(at, player, command.origin)
    _must_be_welcome(now, player)
    if entry is not None and entry.withdrawn != player.id:
        raise Refused("not_allowed", "The organiser has removed you from this tournament.")
    if entry is not None and now.status == "running" and not (now.continuous or terms.format == "swiss"):
        raise Refused("not_allowed", "Whoever has withdrawn from this tournament cannot come back.")
    taken = places_taken(now, at) if terms.format == "ladder" else len(now.entries)
    if (entry is None or terms.format == "ladder") and taken >= terms.most:
        raise Refused("not_allowed", f"The tournament is full: {terms.most} players have entered.")
    if entry is None and now.status == "running" and not may_enter_late(now):
        raise Refused("not_allowed", "It is too late to enter.")
    return Entered(at, player, command.origin if terms.format == "ladder" else "")


def _must_be_welcome(now: Tournament, player: Player) -> None:
    terms = now.terms
    if player.id in terms.opponents:
        return  # the organiser has chosen this player
    if terms.kinds == "bots" and player.kind != "bot":
        raise Refused("not_allowed", "Only bots can enter this tournament.")
    if terms.kinds == "people" and player.kind == "bot":
        raise Refused("not_allowed", "Bots cannot enter this tournament.")
    if (terms.registered or terms.rated) and not player.registered:
        raise Refused("not_allowed", "Only registered players can enter this tournament. Register your name first.")


def _start(now: Tournament, command: Start, at: int) -> Stored | None:
    if command.by is not None:
        _must_organise(now, command.by)
    if now.status != "open":
        return None
    starts_at = now.terms.starts_at
    if command.by is None and (starts_at is None or at < starts_at):
        return None
    active, terms = set(now.active), now.terms
    if len(active) < FEWEST:
        if command.by is None:
            return Finished(at, None)  # nobody is there whom one could ask to wait
        raise Refused("not_allowed", "At least two players must have entered.")
    if terms.format == "round_robin" and len(active) > MOST_ROUND_ROBIN:
        raise Refused("not_allowed", f"A round robin has at most {MOST_ROUND_ROBIN} players. Play Swiss or an arena.")
    if terms.format == "gauntlet" and not active.intersection(terms.opponents):
        raise Refused("not_allowed", "None of the opponents whom everybody meets has entered.")
    if terms.format == "gauntlet" and not active.difference(terms.opponents):
        raise Refused("not_allowed", "Only the opponents whom everybody meets have entered.")
    drawn = [player for player in command.lots if player in active]
    drawn += sorted(active.difference(drawn))  # whoever entered after the lots were drawn
    # The initial order of FIDE's Swiss rules is by rating; elsewhere lots decide.
    if terms.format == "swiss":
        drawn.sort(key=lambda player: -(now.entries[player].player.rating or 0))
    return Started(at, tuple(drawn))


def _pair(now: Tournament, command: Pair, at: int) -> Stored | None:
    """The next round, unless another node was faster. Raises ValueError for games that cannot be of this round."""
    if not now.pairing_due or command.round != now.round + 1 or is_over(now, at):
        return None
    active = set(now.active)
    seen: set[str] = set()
    for game in command.games:
        for player in (game.first, game.second):
            if player not in now.entries or (player not in active and game.result is None):
                raise ValueError(f"{player} does not take part")
            if now.entries[player].player.kind == "computer":
                continue  # it can play several games at once
            if player in seen or (player in now.playing and game.result is None):
                if now.continuous:
                    return None  # somebody has been paired meanwhile
                raise ValueError(f"{player} cannot play twice")
            seen.add(player)
        if game.first == game.second or game.room in now.games:
            raise ValueError("a game needs two players and a room of its own")
    if not command.games and not command.byes:
        return None
    return Paired(at, command.round, command.games, command.byes)
