"""Who is there and who is not, what may be claimed by it, and what is due by time. Pure; does no I/O."""

from __future__ import annotations

from noughts.games import Outcome, Reason, Side
from noughts.rooms.commands import Abort, Claim, Disconnect, Pause, Return
from noughts.rooms.errors import NoChange, Refused, must_be_playing, seated
from noughts.rooms.events import Disconnected, Ended, Paused, Returned
from noughts.rooms.room import Room

ABSENCES = 100
"""How often a room notes that a player has gone. Past it a flapping connection is no news, and a room is bounded."""

COMING_BACK_MS = 2000
"""How long a pause lasts after a server can take moves again: the players have to come back."""


def presence(room: Room, command: Disconnect | Return, at: int) -> Disconnected | Returned | NoChange:
    """Note that a player has gone or is there again, where that is news. Raises :class:`Refused`."""
    side = seated(room, command.player)
    away = side in room.away
    if room.next is not None or (room.absences == ABSENCES and not away) or away is isinstance(command, Disconnect):
        return NoChange(room.version)
    return Returned(at, side) if away else Disconnected(at, side)


def abort(room: Room, command: Abort, at: int) -> Ended:
    """Close a room whose game has hardly begun. Raises :class:`Refused`."""
    side = room.side_of(command.player)
    if room.status == "over":
        raise Refused("game_over", "The game is over.")
    if side is None and (command.player != room.by or room.status == "playing"):
        raise Refused("not_seated", "You have no seat in this room.")
    if room.begun:
        raise Refused("not_allowed", "Each side has moved; you can resign.")
    return Ended(at, side, Outcome(None, Reason.ABORTED))


def claim(room: Room, command: Claim, at: int) -> Ended:
    """End the game whose other player has been gone for long enough. Raises :class:`Refused`."""
    side = seated(room, command.player)
    must_be_playing(room)
    if not room.begun:
        raise Refused("not_allowed", "Not before each side has moved; you can abort.")
    claimable_at = room.claimable_at(side.other)
    if claimable_at is None:
        raise Refused("not_allowed", "The other side has not left.")
    if at < claimable_at:
        raise Refused("not_allowed", f"The other side has {-((at - claimable_at) // 1000)} s to come back.")
    if command.result == "draw":
        return Ended(at, side, Outcome(None, Reason.DRAW))  # abandonment without a winner is no result at all
    return Ended(at, side, Outcome(side, Reason.ABANDONMENT))


def pause(room: Room, command: Pause, at: int) -> Paused | NoChange:
    """Charge nobody with the time in which no server could take a move, as far as it matters to the room.

    A server was there at the room's last event, so that an outage counts from then on, and none counts twice.
    """
    missed = sum(max(0, until - max(since, room.at)) for since, until in command.outages)
    if not missed or not room.waits_for_somebody:
        return NoChange(room.version)
    return Paused(max(at, *(until for _, until in command.outages)), missed + COMING_BACK_MS)


def expire(room: Room, at: int) -> Ended | NoChange:
    """Do what is due by time."""
    due = room.due
    if due is None or at < due[0]:
        return NoChange(room.version)
    reason = due[1]
    winner: Side | None = None
    if reason is Reason.TIME:
        assert room.running is not None
        winner = room.running.other
    return Ended(at, None, Outcome(winner, reason))
