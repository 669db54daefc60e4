"""Checks events from elsewhere: could ``decide`` have made them? Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from noughts.games import Side
from noughts.games.catalogue import set_up
from noughts.rooms.clock import LAG_MS
from noughts.rooms.decide import COMING_BACK_MS, decide
from noughts.rooms.events import (
    Abort,
    AcceptDraw,
    AcceptRematch,
    AcceptTakeback,
    Adjudicate,
    Claim,
    ClaimDraw,
    Close,
    Command,
    Declined,
    DeclineDraw,
    DeclineRematch,
    DeclineTakeback,
    Disconnect,
    Disconnected,
    Ended,
    Event,
    Expire,
    Fail,
    Join,
    Joined,
    NoChange,
    OfferDraw,
    Offered,
    OfferRematch,
    OfferTakeback,
    Open,
    Opened,
    Pause,
    Paused,
    Play,
    Played,
    Refused,
    Rematched,
    Resign,
    Return,
    Returned,
    TakenBack,
    Wait,
)
from noughts.rooms.room import Room


def is_valid(room: Room | None, event: Event) -> bool:
    """True if some command makes :func:`decide` return ``event`` in ``room``, which is None before the first event.

    A room that was opened under older rules is checked by today's.
    """
    if isinstance(event, Opened) is not (room is None):
        return False
    expected = event
    if isinstance(event, Opened):
        expected = replace(event, previous=None, rules=set_up(event.game, event.setup).version)
    return any(_decision(room, command, event.at) == expected for command in _causes(room, event))


def _decision(room: Room | None, command: Command, at: int) -> Event | None:
    try:
        step = decide(room, command, at)
    except Refused:
        return None
    return None if isinstance(step, NoChange) else step.event


def _causes(room: Room | None, event: Event) -> Iterator[Command]:
    """The commands that may have caused ``event``."""
    if isinstance(event, Opened):
        seats, why = (event.first, event.second), event.unrated_because
        yield Open(event.room, event.game, event.by, *seats, event.options, why, event.setup)
        return
    assert room is not None
    match event:
        case Joined():
            yield Join(event.player, event.side, event.unrated_because)
        case Paused(cause="queue"):
            yield Wait(room.turn, event.at - event.ms)
        case Paused():
            missed = event.ms - COMING_BACK_MS
            yield Pause(((event.at - missed, event.at),))
        case Rematched():
            for side in Side:
                for player in _ids(room, side):
                    yield OfferRematch(player, event.next)
                    yield AcceptRematch(player, event.next)
        case Ended(side=None):
            yield Expire()
            yield Close()
            yield Adjudicate(event.outcome.winner)
            yield Abort(room.by)
        case _:
            assert event.side is not None
            for player in _ids(room, event.side):
                yield from _causes_by(room, player, event)


def _ids(room: Room, side: Side) -> tuple[str, ...]:
    """The id of the player of ``side``, if there is one."""
    player = room.seat(side)
    return () if player is None else (player.id,)


def _causes_by(
    room: Room,
    player: str,
    event: Played | TakenBack | Offered | Declined | Disconnected | Returned | Ended,
) -> Iterator[Command]:
    match event:
        case Played():
            arrived = room.moved_at + event.spent_ms
            yield Play(player, event.turn, event.move, arrived, min(event.compensated_ms, LAG_MS), event.note)
        case TakenBack():
            yield AcceptTakeback(player)
            for other in _ids(room, event.side.other):  # a computer agrees at once
                yield OfferTakeback(other)
        case Offered():
            match event.offer:
                case "draw":
                    yield OfferDraw(player)
                case "takeback":
                    yield OfferTakeback(player)
                case "rematch":
                    yield OfferRematch(player, "")
        case Declined():
            match event.offer:
                case "draw":
                    yield DeclineDraw(player)
                case "takeback":
                    yield DeclineTakeback(player)
                case "rematch":
                    yield DeclineRematch(player)
        case Disconnected():
            yield Disconnect(player)
        case Returned():
            yield Return(player)
        case Ended():
            yield Resign(player)
            yield Fail(room.turn)
            yield Abort(player)
            yield AcceptDraw(player)
            yield Claim(player, "win")
            yield Claim(player, "draw")
            yield ClaimDraw(player)
