"""The changes that events make to a room. Pure; does no I/O."""

from __future__ import annotations

from noughts.games import IllegalMove, MalformedMove, Position, Side
from noughts.games.catalogue import set_up
from noughts.rooms.clock import Clocks, after_move, initial_clocks, stopped
from noughts.rooms.events import (
    Declined,
    Disconnected,
    Ended,
    Event,
    Joined,
    Offer,
    Offered,
    Opened,
    Paused,
    Played,
    Rematched,
    Returned,
    TakenBack,
)
from noughts.rooms.room import OlderRules, Ply, Room
from noughts.value import changed


def evolve(room: Room | None, event: Event) -> Room:
    """The room after ``event``. Never refuses: whatever is in the journal has happened.

    ``room`` is None for ``Opened``, the first event, only. A move that was played under older rules and that today's
    do not allow stops the game: see :class:`~noughts.rooms.room.OlderRules`.
    """
    if isinstance(event, Opened):
        return _opened(event)
    assert room is not None
    version, at = room.version + 1, event.at
    match event:
        case Played():
            position = room.position.play(event.move) if room.older_rules is None else _if_allowed(room, event)
            return _unplayed(room, event, 1) if position is None else played(room, event, position)
        case TakenBack():
            return _unplayed(room, event, -event.plies) if room.stopped else _taken_back(room, event)
        case Joined():
            seat, why = "first" if event.side is Side.FIRST else "second", event.unrated_because
            return changed(room, version=version, at=at, moved_at=at, unrated_because=why, **{seat: event.player})
        case Offered():
            offer = (event.side, event.offer)
            return changed(room, version=version, at=at, offers=(*room.offers, offer), offered=room.offered | {offer})
        case Declined():
            offers = tuple((side, offer) for side, offer in room.offers if offer != event.offer)
            return changed(room, version=version, at=at, offers=offers)
        case Disconnected():
            left_at = (at, room.left_at[1]) if event.side is Side.FIRST else (room.left_at[0], at)
            absences = room.absences + 1
            return changed(
                room, version=version, at=at, away=room.away | {event.side}, left_at=left_at, absences=absences
            )
        case Returned():
            return changed(room, version=version, at=at, away=room.away - {event.side})
        case Paused():
            first, second = room.left_at
            left_at = (first + event.ms, second + event.ms)
            return changed(room, version=version, at=at, moved_at=room.moved_at + event.ms, left_at=left_at)
        case Ended():
            clocks = room.clocks
            if clocks is not None and room.running is not None:
                clocks = stopped(clocks, room.running, max(0, at - room.moved_at))
            return changed(
                room, version=version, at=at, clocks=clocks, outcome=event.outcome, offers=(), offered=frozenset()
            )
        case Rematched():
            return changed(room, version=version, at=at, next=event.next, offers=())


def _opened(event: Opened) -> Room:
    game, control = set_up(event.game, event.setup), event.options.clock
    return Room(
        id=event.room,
        version=1,
        game=game,
        position=game.start,
        first=event.first,
        second=event.second,
        options=event.options,
        by=event.by,
        at=event.at,
        moved_at=event.at,
        clocks=None if control is None else initial_clocks(control, event.options.lag_ms),
        previous=event.previous,
        unrated_because=event.unrated_because,
        older_rules=None if event.rules == game.version else OlderRules(event.rules),
    )


def _if_allowed(room: Room, event: Played) -> Position | None:
    """The position after a move under older rules, None if today's do not agree with the move."""
    if event.side is not room.to_move:
        return None
    try:
        position = room.position.play(event.move)
    except (IllegalMove, MalformedMove):
        return None
    return position if position.outcome == event.outcome else None


def _unplayed(room: Room, event: Played | TakenBack, plies: int) -> Room:
    """The room after a move, or moves taken back, on a board that stays as it is. ``plies`` more are not shown."""
    older = room.older_rules
    assert older is not None
    at_ply = len(room.plies) if older.at_ply is None else older.at_ply
    return changed(
        room,
        version=room.version + 1,
        at=event.at,
        moved_at=event.at,
        answers=(*room.answers, *[None] * abs(plies)),
        takebacks=room.takebacks + isinstance(event, TakenBack),
        offers=(),
        offered=_NO_OFFERS,
        outcome=event.outcome if isinstance(event, Played) else None,
        older_rules=OlderRules(older.version, at_ply, older.unplayed + plies),
    )


def played(room: Room, event: Played, position: Position) -> Room:
    """The room after a move that leads to ``position``.

    The most frequent event by far, and ``changed`` takes longer than the constructor.
    """
    version, at, notation = room.version + 1, event.at, room.game.notation
    name = event.move if notation is None else notation(room.position, event.move)
    ply = Ply(event.side, event.move, version, room.position, room.clocks, name)
    plies = (*room.plies, ply)
    return Room(
        room.id,
        version,
        room.game,
        position,
        room.first,
        room.second,
        room.options,
        room.by,
        at,
        at,
        None if room.clocks is None else _clocks_after(room, room.clocks, event),
        (*room.answers, ply) if room.takebacks else plies,
        plies,
        room.takebacks,
        room.away,
        room.left_at,
        (),
        _NO_OFFERS,
        room.absences,
        event.outcome,
        room.previous,
        room.next,
        room.unrated_because,
        room.older_rules,
    )


_NO_OFFERS: frozenset[tuple[Side, Offer]] = frozenset()


def _clocks_after(room: Room, clocks: Clocks, event: Played) -> Clocks:
    """Each side's first move costs no time and adds none."""
    control = room.options.clock
    if control is None or room.to_move is None or not room.begun:
        return clocks
    return after_move(clocks, control, event.side, event.thought_ms, event.compensated_ms, most_ms=room.options.lag_ms)


def _taken_back(room: Room, event: TakenBack) -> Room:
    """Back to the position before those moves. The turn goes on counting."""
    before = room.plies[-event.plies]
    return changed(
        room,
        version=room.version + 1,
        at=event.at,
        moved_at=event.at,
        position=before.position,
        clocks=before.clocks,
        answers=(*room.answers, *(None for _ in range(event.plies))),
        plies=room.plies[: -event.plies],
        takebacks=room.takebacks + 1,
        offers=(),
        offered=frozenset(),
    )
