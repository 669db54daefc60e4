"""Hints between the nodes of a cluster."""

from noughts.bus.base import Appended, Bus, Drain, Listed, Message, Missing, Present
from noughts.bus.memory import Hub, MemoryBus

__all__ = ["Appended", "Bus", "Drain", "Hub", "Listed", "MemoryBus", "Message", "Missing", "Present"]
