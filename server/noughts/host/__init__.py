"""One command at a time per room: decide, store, evolve, tell."""

from noughts.host.host import Host
from noughts.host.live_room import REPLAYED
from noughts.host.seating import with_ratings
from noughts.host.sweeper import poll_journal, sweep
from noughts.host.values import Done, Failed, Listener, Reply, RoomUpdate

__all__ = [
    "REPLAYED",
    "Done",
    "Failed",
    "Host",
    "Listener",
    "Reply",
    "RoomUpdate",
    "poll_journal",
    "sweep",
    "with_ratings",
]
