"""One command at a time per room: decide, store, evolve, publish."""

from noughts.host.host import Host
from noughts.host.live_room import (
    REPLAY_LIMIT,
    Done,
    Failed,
    GameOver,
    InDays,
    Listener,
    Reply,
    RoomUpdate,
    WithComputer,
)
from noughts.host.sweeper import poll_journal, sweep

__all__ = [
    "REPLAY_LIMIT",
    "Done",
    "Failed",
    "GameOver",
    "Host",
    "InDays",
    "Listener",
    "Reply",
    "RoomUpdate",
    "WithComputer",
    "poll_journal",
    "sweep",
]
