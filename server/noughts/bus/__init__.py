"""Hints between the nodes of a cluster, and the link to the broker that carries them."""

from noughts.bus.base import Altered, Appended, Bus, Drain, Listed, Message, Missing, Paired, Present, Said, Watching
from noughts.bus.link import Link
from noughts.bus.memory import Hub, MemoryBus
from noughts.bus.mqtt import MqttBus
from noughts.bus.subscriptions import Received

__all__ = [
    "Altered",
    "Appended",
    "Bus",
    "Drain",
    "Hub",
    "Link",
    "Listed",
    "MemoryBus",
    "Message",
    "Missing",
    "MqttBus",
    "Paired",
    "Present",
    "Received",
    "Said",
    "Watching",
]
