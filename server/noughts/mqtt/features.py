"""The features of a server with a broker: hints from other nodes, the public view, and devices."""

from __future__ import annotations

from functools import partial

from noughts.gateway.feature import Feature
from noughts.gateway.server import Server
from noughts.mqtt import devices, standings, view
from noughts.mqtt.bus import MqttBus
from noughts.mqtt.link import Link


def features(server: Server, link: Link, bus: MqttBus) -> list[Feature]:
    """The features of a server that is connected to a broker. Its hints begin to arrive."""
    bus.start()
    link.on_connect.append(bus.on_connect)
    link.on_disconnect.append(bus.on_disconnect)
    announcing = Feature(drain=partial(bus.announce, "draining"))
    shown = [view.feature(server, link, bus), standings.feature(server, link)] if server.settings.public_view else []
    return [announcing, *shown, devices.feature(server, link)]
