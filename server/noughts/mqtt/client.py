"""A player who plays by MQTT, and one command of such a player, as the handlers of requests see them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from pydantic_core import to_json

from noughts.gateway.client import Purse, Subscriber
from noughts.gateway.costs import Costs
from noughts.gateway.limits import TokenBucket
from noughts.gateway.replies import CloseCode, Problem
from noughts.gateway.work import Work
from noughts.journal import StoredPlayer
from noughts.monitor import Monitor
from noughts.rooms import Room

ADDRESS = "mqtt"
"""The broker does not say where a command comes from, so all MQTT clients share the limits of this address."""

Publish = Callable[[bytes], None]


class Keeper(Protocol):
    """The keeper of the devices, and of what their commands share: :class:`~noughts.mqtt.devices.Devices`."""

    monitor: Monitor
    strangers: TokenBucket
    work: Work
    costs: Costs

    def extend(self, device: Device, room_id: str) -> None:
        """``device`` watches a room for a while from now on."""

    def forget(self, device: Device) -> None:
        """Remember nothing of ``device``."""


class Device:
    """A player who sends commands to this node, a :class:`~noughts.gateway.client.Subscriber` that is sent no updates.

    It watches each of ``rooms`` until the time in ``until``, by the event loop's clock.
    """

    connected = False
    legal_moves = True
    paused = False
    silent = False

    def __init__(self, player: StoredPlayer, messages: TokenBucket, devices: Keeper) -> None:
        self.player = player
        self.messages = messages
        self.share = devices.work.share(ADDRESS, player.id)
        self.purse = devices.costs.purse(player.id, ADDRESS)
        self.rooms: set[str] = set()
        self.joining: Counter[str] = Counter()
        self.behind: set[str] = set()
        self.open = True
        self.cost = self.written = 0
        self.until: dict[str, float] = {}
        self.known_until = 0.0
        self._devices = devices

    def identify(self, player: StoredPlayer) -> None:
        self.player = player

    def dismiss(self, _problem: Problem) -> None:
        """The token is no longer valid. The next command with it gets an error."""
        self._devices.forget(self)

    def tell(self, message: bytes) -> None:
        """Devices are told nothing but answers."""

    def on_watch(self, room: Room) -> None:
        # A rematch carries the rest of the time over: only commands extend it.
        rest = self.until.pop(room.previous, None) if room.previous is not None else None
        if rest is None:
            self._devices.extend(self, room.id)
        else:
            self.until[room.id] = rest

    def send(self, message: Mapping[str, Any]) -> None: ...

    def send_encoded(self, message: bytes) -> None: ...

    def close(self, code: CloseCode, reason: str) -> None: ...

    def push(self, frame: bytes) -> None: ...


class MqttClient:
    """One command on its way, as a :class:`~noughts.gateway.client.Client`. ``publish`` sends its answers.

    ``device`` is set once the sender is identified.
    """

    address = ADDRESS
    can_seek = False
    legal_moves = True  # a connection would remember that it does without
    open = True  # an answer goes out even if the device has been forgotten meanwhile
    lag_ms = 0

    def __init__(self, devices: Keeper, publish: Publish | None, arrived_at: int) -> None:
        self.arrived_at: int | None = arrived_at
        self.monitor = devices.monitor
        self.messages = devices.strangers
        self.share = devices.work.share(ADDRESS, "")
        self.device: Device | None = None
        self._publish = publish
        self._player: StoredPlayer | None = None

    @property
    def identified(self) -> bool:
        return self._player is not None

    @property
    def player(self) -> StoredPlayer:
        assert self._player is not None
        return self._player

    @property
    def who(self) -> str:
        return "somebody by MQTT" if self._player is None else f"{self._player.id} by MQTT"

    @property
    def subscriber(self) -> Subscriber:
        assert self.device is not None
        return self.device

    @property
    def purse(self) -> Purse:
        assert self.device is not None
        return self.device.purse

    @property
    def cost(self) -> int:
        return 0 if self.device is None else self.device.cost

    @cost.setter
    def cost(self, cost: int) -> None:
        if self.device is not None:
            self.device.cost = cost

    @property
    def written(self) -> int:
        return 0 if self.device is None else self.device.written

    @written.setter
    def written(self, written: int) -> None:
        if self.device is not None:
            self.device.written = written

    @property
    def has_answers(self) -> bool:
        """True if the sender gets answers."""
        return self._publish is not None

    def identify(self, player: StoredPlayer) -> None:
        self._player = player

    def become(self, device: Device) -> None:
        """The command is that of ``device``, and shares its limits."""
        self.device = device
        self.messages = device.messages
        self.share = device.share
        self._player = device.player

    @property
    def is_loud(self) -> bool:
        return self.messages.refusals > 0

    def measure_lag(self) -> None: ...

    def send(self, message: Mapping[str, Any]) -> None:
        if self._publish is not None:
            self.send_encoded(to_json(message))

    def send_encoded(self, message: bytes) -> None:
        if self._publish is not None:
            self.cost += len(message)
            self._publish(message)

    def close(self, code: CloseCode, reason: str) -> None:
        """There is nothing to close."""
