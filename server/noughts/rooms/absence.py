"""Absent players and the clock: disconnects, aborts, claims, pauses and expiry. Pure; does no I/O."""

from __future__ import annotations

from noughts.games import Outcome, Reason, Side
from noughts.rooms.commands import Abort, Claim, Disconnect, Fail, Pause, Return, Wait
from noughts.rooms.errors import NoChange, Refused
from noughts.rooms.events import Disconnected, Ended, Paused, Returned
from noughts.rooms.room import Room, must_be_playing, must_be_seated

ABSENCES = 100
"""How many disconnects a room records. The limit bounds a room whose players have unstable connections."""

COMING_BACK_MS = 2000
"""How long a pause goes on once a server is up again, so that the players can reconnect."""


WAIT_MS = 100
"""A shorter wait for the computer's search is not worth an event: its clock runs."""


def presence(room: Room, command: Disconnect | Return, at: int) -> Disconnected | Returned | NoChange:
    """Record that a player disconnected or returned, unless that is known. Raises :class:`Refused`."""
    side = must_be_seated(room, command.player)
    away = side in room.away
    if room.next is not None or (room.absences == ABSENCES and not away) or away is isinstance(command, Disconnect):
        return NoChange(room.version)
    return Returned(at, side) if away else Disconnected(at, side)


def abort(room: Room, command: Abort, at: int) -> Ended:
    """Close a room before each side has moved. Raises :class:`Refused`."""
    side = room.side_of(command.player)
    if room.status == "over":
        raise Refused("game_over", "The game is over.")
    if side is None and (command.player != room.by or room.status == "playing"):
        raise Refused("not_seated", "You have no seat in this room.")
    if room.begun:
        raise Refused("not_allowed", "Each side has moved. You can resign.")
    return Ended(at, side, Outcome(None, Reason.ABORTED))


def claim(room: Room, command: Claim, at: int) -> Ended:
    """End a game that the other player left long enough ago. Raises :class:`Refused`."""
    side = must_be_seated(room, command.player)
    must_be_playing(room)
    if not room.begun:
        raise Refused("not_allowed", "You can claim once each side has moved. Until then you can abort.")
    claimable_at = room.claimable_at(side.other)
    if claimable_at is None:
        raise Refused("not_allowed", "The other side has not left.")
    if at < claimable_at:
        raise Refused("not_allowed", f"The other side has {-((at - claimable_at) // 1000)} s left to come back.")
    if command.result == "draw":
        return Ended(at, side, Outcome(None, Reason.DRAW))  # abandonment without a winner does not count as a result
    return Ended(at, side, Outcome(side, Reason.ABANDONMENT))


def close(room: Room, at: int) -> Ended | NoChange:
    """End a game that is not over as if everybody had left it."""
    if room.outcome is not None:
        return NoChange(room.version)
    return Ended(at, None, Outcome(None, Reason.ABANDONMENT if room.begun else Reason.ABORTED))


def pause(room: Room, command: Pause, at: int) -> Paused | NoChange:
    """Stop the clocks for the time in which no server was up, if anybody loses time by it.

    A server was up at the room's last event, so an outage counts only after it, and no outage counts twice.
    """
    missed = sum(max(0, until - max(since, room.at)) for since, until in command.outages)
    if not missed or not room.waits_for_somebody:
        return NoChange(room.version)
    return Paused(max(at, *(until for _, until in command.outages)), missed + COMING_BACK_MS)


def wait(room: Room, command: Wait, at: int) -> Paused | NoChange:
    """Stop the clocks for the time in which nobody searched for the computer's move.

    It counts from when the computer came to move, so no time counts twice, and nobody is given more than has passed.
    """
    if room.clocks is None or room.computer_to_move is None or command.turn != room.turn:
        return NoChange(room.version)
    waited = at - max(command.since, room.moved_at)
    return Paused(at, waited, "queue") if waited >= WAIT_MS else NoChange(room.version)


def fail(room: Room, command: Fail, at: int) -> Ended | NoChange:
    """End a game without a result, because the computer cannot move."""
    if room.computer_to_move is None or command.turn != room.turn:
        return NoChange(room.version)
    return Ended(at, room.to_move, Outcome(None, Reason.FAULT))


def expire(room: Room, until: int, at: int) -> Ended | NoChange:
    """End the game at ``at`` if its time was up at ``until``."""
    due = room.due
    if due is None or until < due[0]:
        return NoChange(room.version)
    reason = due[1]
    winner: Side | None = None
    if reason is Reason.TIME:
        assert room.running is not None
        winner = room.running.other
    return Ended(at, None, Outcome(winner, reason))
