"""Hints between the nodes of a cluster, and a bus for nodes in one process."""

from noughts.bus.base import (
    Altered,
    Appended,
    Bus,
    Doing,
    Drain,
    Here,
    Hint,
    Invited,
    Listed,
    Missing,
    Paired,
    Present,
    Said,
    Sought,
    Watching,
)
from noughts.bus.memory import Hub, MemoryBus

__all__ = [
    "Altered",
    "Appended",
    "Bus",
    "Doing",
    "Drain",
    "Here",
    "Hint",
    "Hub",
    "Invited",
    "Listed",
    "MemoryBus",
    "Missing",
    "Paired",
    "Present",
    "Said",
    "Sought",
    "Watching",
]
