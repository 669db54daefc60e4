"""The time for a computer's move: a computer loses only time in which it was searched for. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from noughts.games import Reason
from noughts.host.live_room import RoomUpdate
from noughts.rooms import Command, Expire, Paused, Played, Room, Wait


def is_up(room: Room, now: int) -> bool:
    """True if the time for a computer's move is up. It is not lost before the journal says that it was searched for.

    Times here are in ms since the epoch.
    """
    due = room.due
    return (
        due is not None
        and due[1] != Reason.ABANDONMENT
        and room.clocks is not None
        and room.computer_to_move is not None
        and due[0] <= now
    )


def searched_until(leased_until: int, latest: Iterable[RoomUpdate]) -> int:
    """Until when a node searches or searched for the computer's move, or a wait for that is stored; 0 for never.

    ``leased_until`` is what the journal says, ``latest`` are the room's updates, the last one first.
    """
    for update in latest:
        if isinstance(update.event, Played):
            break
        if isinstance(update.event, Paused) and update.event.cause == "queue":
            return max(leased_until, update.event.at)
    return leased_until


def unless_unsearched(room: Room, now: int, searched_until: int, lease_ms: float) -> Command | None:
    """The command to give when the time for a computer's move is up, and it is or was searched for until
    ``searched_until``.

    If nobody searches, the time since then is a wait. While somebody does, the lease is renewed, each time for
    ``lease_ms``; should its node have died, it ends before the game does.
    """
    due_at, clocks, side = room.due_at, room.clocks, room.running
    assert due_at is not None
    assert clocks is not None
    if searched_until > now:
        return Expire() if now >= due_at + lease_ms else None
    if side is not None and searched_until - room.moved_at >= clocks.left(side):
        return Expire()
    return Wait(room.turn, searched_until)
