"""Hints between the nodes of a cluster, and the link to the broker that carries them."""

from noughts.bus.base import Appended, Bus, Drain, Listed, Message, Missing, Present
from noughts.bus.link import Link
from noughts.bus.memory import Hub, MemoryBus
from noughts.bus.mqtt import MqttBus
from noughts.bus.subscriptions import Received

__all__ = [
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
    "Present",
    "Received",
]
