"""What a room makes of a command: one event, or a refusal. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from noughts.games import GAMES, IllegalMove, MalformedMove, Outcome, Reason, Side
from noughts.rooms.commands import (
    Abort,
    AcceptRematch,
    Command,
    DeclineRematch,
    Disconnect,
    Expire,
    Join,
    OfferRematch,
    Open,
    Play,
    Resign,
    Return,
)
from noughts.rooms.events import (
    Declined,
    Disconnected,
    Ended,
    Event,
    Joined,
    Offered,
    Opened,
    Played,
    Rematched,
    Returned,
)
from noughts.rooms.room import Room

ABSENCES = 100
"""How often a room notes that a player has gone. Past it a flapping connection is no news, and a room is bounded."""

RefusalCode = Literal[
    "unknown_game",
    "seat_taken",
    "not_seated",
    "not_your_turn",
    "illegal_move",
    "malformed_move",
    "stale",
    "game_over",
    "not_allowed",
]


class Refused(Exception):
    """A command that the room does not take. Nothing has changed; only the sender hears of it."""

    def __init__(self, code: RefusalCode, message: str, legal_moves: tuple[str, ...] | None = None) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.legal_moves = legal_moves


@dataclass(frozen=True, slots=True)
class Already:
    """What was asked for is so already, since ``version``: the sender is told so, and nothing happens."""

    version: int


def decide(room: Room | None, command: Command, now: int) -> Event | Already:
    """The one event that ``command`` causes in ``room`` at ``now``, ms since the epoch.

    ``room`` is None for ``Open``, and for no other. Raises :class:`Refused` with the code and the words for
    the sender.
    """
    if isinstance(command, Open):
        return _open(command, now)
    assert room is not None
    at = max(now, room.at)
    match command:
        case Play():
            return _play(room, command, at)
        case Join():
            return _join(room, command, at)
        case Resign():
            side = _seated(room, command.player)
            _must_be_playing(room)
            return Ended(at, side, Outcome(side.other, Reason.RESIGNATION))
        case Abort():
            return _abort(room, command, at)
        case OfferRematch() | AcceptRematch() | DeclineRematch():
            return _rematch(room, command, at)
        case Disconnect() | Return():
            return _presence(room, command, at)
        case Expire():
            return _expire(room, at)


def rematch_of(room: Room, at: int) -> Opened:
    """How the room that ``room.next`` names opens: the same players with the sides swapped."""
    assert room.next is not None
    return Opened(
        at=at,
        room=room.next,
        game=room.game.key,
        by=room.by,
        first=room.second,
        second=room.first,
        options=room.options,
        previous=room.id,
    )


def _open(command: Open, now: int) -> Opened:
    if command.game not in GAMES:
        raise Refused("unknown_game", f"There is no game called {command.game!r} here.")
    seats = [seat.id for seat in (command.first, command.second) if seat and seat.kind != "computer"]
    if len(seats) != len(set(seats)):
        raise Refused("not_allowed", "One player holds one seat of a room.")
    return Opened(
        at=now,
        room=command.room,
        game=command.game,
        by=command.by,
        first=command.first,
        second=command.second,
        options=command.options,
    )


def _play(room: Room, command: Play, at: int) -> Played | Already:
    side = _seated(room, command.player)
    if 0 <= command.turn < room.turn:
        answer = room.answers[command.turn]
        mover = room.seat(answer.side)
        if mover is not None and (mover.id, answer.move) == (command.player, command.move):
            return Already(answer.version)
    _must_be_playing(room)
    if command.turn != room.turn:
        raise Refused("stale", f"That move answers turn {command.turn}; the turn is {room.turn}.")
    if side is not room.to_move:
        raise Refused("not_your_turn", "It is the other side's turn.")
    legal = room.position.legal_moves
    try:
        position = room.position.play(command.move)
    except MalformedMove as error:
        raise Refused("malformed_move", str(error), legal) from None
    except IllegalMove as error:
        raise Refused("illegal_move", str(error), legal) from None
    return Played(at, side, room.turn, command.move, at - room.moved_at, position.outcome)


def _join(room: Room, command: Join, at: int) -> Joined | Already:
    held = room.side_of(command.player.id)
    if held is not None:
        if command.side in (None, held):
            return Already(room.version)
        raise Refused("not_allowed", f"One player holds one seat of a room; yours is {held}.")
    if room.status == "over":
        raise Refused("game_over", "The game is over.")
    wanted = Side if command.side is None else (command.side,)
    for side in wanted:
        if room.seat(side) is None:
            return Joined(at, side, command.player)
    raise Refused("seat_taken", "No seat is open." if command.side is None else "That seat is taken.")


def _abort(room: Room, command: Abort, at: int) -> Ended:
    side = room.side_of(command.player)
    if side is None and command.player != room.by:
        raise Refused("not_seated", "You have no seat in this room, and did not open it.")
    if room.status == "over":
        raise Refused("game_over", "The game is over.")
    if room.status == "playing":
        raise Refused("not_allowed", "The game has begun; you can resign it.")
    return Ended(at, side, Outcome(None, Reason.ABORTED))


def _rematch(room: Room, command: OfferRematch | AcceptRematch | DeclineRematch, at: int) -> Event | Already:
    side = _seated(room, command.player)
    opponent = room.seat(side.other)
    if room.status != "over" or opponent is None:
        raise Refused("not_allowed", "A rematch can be had once a game between two players is over.")
    if room.next is not None and not isinstance(command, DeclineRematch):
        return Already(room.version)
    invited = (side.other, "rematch") in room.offers
    match command:
        case DeclineRematch():
            if invited:
                return Declined(at, side, "rematch")
        case AcceptRematch():
            if invited:
                return Rematched(at, command.next)
        case OfferRematch():
            # A computer always plays again, and two offers are an agreement.
            if invited or opponent.kind == "computer":
                return Rematched(at, command.next)
            if side not in room.offered:
                return Offered(at, side, "rematch")
            raise Refused("not_allowed", "You have offered a rematch already.")
    raise Refused("not_allowed", "No rematch has been offered to you.")


def _presence(room: Room, command: Disconnect | Return, at: int) -> Disconnected | Returned | Already:
    side = _seated(room, command.player)
    away = side in room.away
    if room.next is not None or (room.absences == ABSENCES and not away) or away is isinstance(command, Disconnect):
        return Already(room.version)
    return Returned(at, side) if away else Disconnected(at, side)


def _expire(room: Room, at: int) -> Ended | Already:
    if room.due_at is None or at < room.due_at:
        return Already(room.version)
    reason = Reason.ABORTED if room.status == "waiting" else Reason.ABANDONMENT
    return Ended(at, None, Outcome(None, reason))


def _seated(room: Room, player: str) -> Side:
    side = room.side_of(player)
    if side is None:
        raise Refused("not_seated", "You have no seat in this room.")
    return side


def _must_be_playing(room: Room) -> None:
    if room.status == "over":
        raise Refused("game_over", "The game is over.")
    if room.status == "waiting":
        raise Refused("not_allowed", "The game begins when both seats are taken.")
