"""Playing by MQTT: each command is a message of its own, with the player's token in it. See docs/mqtt.md.

A command goes through the same gate as a request over a WebSocket, and its answers go where it asked for them. What
happens in rooms is not sent to devices: it is in the world's view.
"""

from __future__ import annotations

import asyncio
import hmac
from collections import Counter
from collections.abc import Callable

from pydantic_core import to_json

from noughts.gateway.answers import error
from noughts.gateway.conversation import Hall, Result
from noughts.gateway.gate import NEWCOMERS_PER_S, Gate
from noughts.gateway.identity import token_hash
from noughts.gateway.limits import TokenBucket
from noughts.gateway.pages import PAGES_AT_ONCE, PAGES_PER_S
from noughts.host import Done, RoomUpdate
from noughts.journal import StoredPlayer
from noughts.mqtt.commands import Message, read
from noughts.mqtt.link import Link
from noughts.mqtt.subscriptions import Received
from noughts.protocol import ErrorCode, RequestId, requests
from noughts.rooms import Opened

PRESENT_S = 300.0
"""How long a device counts as looking at a room after its last command there, and is remembered after its last."""

SWEEP_S = 5.0
"""How often it is looked who has been silent for so long."""

REPLIES = "replies/"
"""What a response topic must begin with, after the prefix: else anybody could have the server write anywhere."""

REPLY_BYTES = 256
"""How long a response topic may be, and correlation data."""

REPLY_S = 60
"""How long the broker keeps an answer for a client that is away."""

_TOPICS = ("rooms/+/commands", "commands")


class Device:
    """A player who sends commands to this node.

    ``rooms`` are those that it counts as looking at, ``until`` when, by the event loop's clock.
    """

    def __init__(self, player: StoredPlayer, bucket: TokenBucket, forget: Callable[[Device], None]) -> None:
        self.player = player
        self.bucket = bucket
        self._forget = forget
        self.rooms: set[str] = set()
        self.until: dict[str, float] = {}
        self.known_until = 0.0
        self.joining: Counter[str] = Counter()
        self.creating = asyncio.Lock()

    def alter(self, player: StoredPlayer) -> None:
        """``player`` is what is stored of the same player now."""
        self.player = player

    def dismiss(self, _code: ErrorCode, _message: str) -> None:
        """The token is not to be believed any more. Whoever shows it is told so with the next command."""
        self._forget(self)


class Devices:
    """Takes commands from ``link``, each on one node of all."""

    def __init__(self, hall: Hall, link: Link) -> None:
        self.hall = hall
        self.tasks: set[asyncio.Task[None]] = set()
        self.strangers = self._bucket()
        # What comes by the broker comes from one address, as far as a node knows.
        self.newcomers = TokenBucket(NEWCOMERS_PER_S, hall.settings.burst)
        self.pages = TokenBucket(PAGES_PER_S, PAGES_AT_ONCE)
        self._link = link
        self._known: dict[bytes, Device] = {}
        self._time = asyncio.get_running_loop().time
        # Known to nodes alone: a broker need not ask who joins a group, and a stranger in it would get a share of
        # the commands, to no use but our loss.
        group = hmac.digest(hall.host.journal.secret, b"noughts devices 1", "sha256").hex()[:32]
        self._filters = [f"$share/{group}/{topic}" for topic in _TOPICS]
        hall.host.listeners.append(self._carry_over)

    async def run(self) -> None:
        """Take commands, for ever."""
        for topic_filter in self._filters:
            self._link.subscribe(topic_filter, self._take)
        while True:
            await asyncio.sleep(SWEEP_S)
            now = self._time()
            for device in list(self._known.values()):
                for room_id in [room_id for room_id, until in device.until.items() if until <= now]:
                    self.look_away(device, room_id)
                if device.known_until <= now and not device.rooms:
                    self._forget(device)

    async def close(self) -> None:
        """Take no more commands, and wait for what has begun."""
        for topic_filter in self._filters:
            self._link.unsubscribe(topic_filter)
        while self.tasks:
            await asyncio.wait(self.tasks)

    def look_at(self, device: Device, result: Done) -> None:
        """``device`` counts as looking at a room for a while."""
        if self._known.get(device.player.token_hash) is not device:
            return  # forgotten while its command was carried out
        device.until[result.room.id] = self._time() + PRESENT_S
        self.hall.audience.add_device(result.room.id, device)
        self.hall.presence.arrived(result.room, device.player.id)

    def look_away(self, device: Device, room_id: str) -> None:
        """``device`` counts as looking at a room no more."""
        device.until.pop(room_id, None)
        if self.hall.audience.remove_device(room_id, device):
            room = self.hall.host.room(room_id)
            if room is not None:
                self.hall.presence.left(room, device.player.id)
            self.hall.host.release(room_id)

    def _take(self, received: Received) -> None:
        if received.retain:
            return  # nobody means a command for whoever comes one day
        answer, arrived = self._answer(received), self.hall.host.journal.now()
        message = read(received, self.hall.settings.message_bytes)
        device = None if message.token is None else self._known.get(token_hash(message.token))
        command = Command(self, answer or _drop, arrived)
        if device is not None:
            self._carry_out(command, message, device)
        elif message.token is not None:
            command.spawn(self._introduce(command, message, message.token))
        elif answer is not None:  # without an answer it would be of no use
            command.spawn(command.ask(message))

    async def _introduce(self, command: Command, message: Message, token: str) -> None:
        """Carry out a command of somebody who is not known here yet."""
        if not command.may(message.id):
            return
        player = await command.whose(message, token)
        if player is None:
            return
        device = self._known.get(player.token_hash)
        if device is None:
            if len(self._known) >= self.hall.settings.connections:
                text = "Too many play here by MQTT; try again later."
                command.send(error(message.id, "rate_limited", text, retry_after_s=PRESENT_S))
                return
            device = self._known[player.token_hash] = Device(player, self._bucket(), self._forget)
            self.hall.standing.enter(device)
        self._carry_out(command, message, device)

    def _carry_out(self, command: Command, message: Message, device: Device) -> None:
        device.known_until = self._time() + PRESENT_S
        if message.room in device.rooms:
            device.until[message.room] = device.known_until
        command.carry_out(message, device)

    def _forget(self, device: Device) -> None:
        for room_id in list(device.rooms):
            self.look_away(device, room_id)
        del self._known[device.player.token_hash]
        self.hall.standing.leave(device)

    def _answer(self, received: Received) -> Callable[[bytes], None] | None:
        """What sends an answer to where the message asks for it; None where it does not, or may not."""
        topic, correlation = received.response_topic or "", received.correlation
        begins = f"{self._link.prefix}/{REPLIES}"
        if not topic.startswith(begins) or set(topic) & set("+#\0") or len(topic.encode()) > REPLY_BYTES:
            return None
        if correlation is not None and len(correlation) > REPLY_BYTES:
            return None
        return lambda message: self._link.publish(
            topic, message, absolute=True, correlation=correlation, expiry_s=REPLY_S
        )

    def _carry_over(self, happening: RoomUpdate) -> None:
        """Who plays a room again looks at the rematch instead."""
        room = happening.room
        if isinstance(happening.event, Opened) and room.previous is not None:
            for device in self.hall.audience.devices(room.previous):
                device.until[room.id] = device.until.pop(room.previous, 0.0)
                self.hall.audience.remove_device(room.previous, device)
                self.hall.audience.add_device(room.id, device)
                self.hall.presence.arrived(room, device.player.id)
            if self.hall.audience.devices(room.id):
                self.hall.host.look(room.id)  # what is looked at is in memory, and followed
            self.hall.host.release(room.previous)

    def _bucket(self) -> TokenBucket:
        return TokenBucket(self.hall.settings.messages_per_s, self.hall.settings.burst)


class Command(Gate):
    """One message on its way through the gate. ``answer`` sends what is said to it; ``arrived`` is when it came."""

    def __init__(self, devices: Devices, answer: Callable[[bytes], None], arrived: int) -> None:
        super().__init__(devices.hall, devices.newcomers, devices.pages)
        self._arrived = arrived
        self._devices = devices
        self._answer = answer
        self._device: Device | None = None
        self._tasks = devices.tasks
        self._bucket = devices.strangers

    def send_bytes(self, message: bytes) -> None:
        self._answer(message)

    def close(self, code: int, reason: str) -> None:
        """There is nothing to close."""

    def may(self, request_id: RequestId) -> bool:
        """Whether somebody unknown may ask now. Where not, the answer was an error already."""
        wait = self._bucket.take(self._time())
        if wait:
            self._flooded(to_json({"id": request_id}), wait)
        return not wait

    async def ask(self, message: Message) -> None:
        """Carry out the command of somebody who shows no token."""
        if message.problem is None:
            await self.greet(message.request)
        elif self.may(message.id):
            self.send(error(message.id, "bad_message", message.problem))

    async def whose(self, message: Message, token: str) -> StoredPlayer | None:
        """Whose command it is; None where the answer was an error already."""
        return await self._find(token, message.id)

    def carry_out(self, message: Message, device: Device) -> None:
        """Carry out the command of ``device``, by what is known of it from the others and within its limits."""
        self._device = device
        self._player = device.player
        self._bucket = device.bucket
        self._creating = device.creating
        self.rooms = device.rooms
        self.joining = device.joining
        if message.problem is None:
            self.receive(message.request, self._arrived)
        elif self.may(message.id):
            self.send(error(message.id, "bad_message", message.problem))

    def _analyse(self, request: requests.Analyse) -> None:
        if self._answer is not _drop:  # nothing is searched where nobody would hear of it
            super()._analyse(request)

    def _look_at(self, result: Done) -> None:
        assert self._device is not None
        self._devices.look_at(self._device, result)

    def _look_away(self, room_id: str) -> bool:
        assert self._device is not None
        self._device.until.pop(room_id, None)
        return self.hall.audience.remove_device(room_id, self._device)

    def _follow_lobby(self, request: requests.Lobby) -> None:
        """Changes are told to nobody here: the lobby is in the world's view."""

    def _meet(self, request: requests.Seek | requests.Unseek) -> None:
        text = "Who seeks has to be there when somebody is found: come by WebSocket."
        self.send(error(request.id, "not_allowed", text))

    def _chat(self, request: requests.Chat) -> None:
        """Who speaks in a room looks at it: the commands before may have gone to another node."""

        def reply(result: Result) -> None:
            if not isinstance(result, Done):
                self._refuse(request.id, result)
            elif self._looks_at_too_many(request.room):
                self._refuse_another_room(request.id)
            else:
                self._look_at(result)
                self.hall.talk.say(self, request)

        self.hall.host.submit(request.room, None, reply)

    def _version_or_error(self, request_id: RequestId) -> Callable[[Result], None]:
        """Who plays in a room looks at it, as far as the answer is concerned that he waits for."""
        answer = super()._version_or_error(request_id)

        def reply(result: Result) -> None:
            answer(result)
            if isinstance(result, Done) and result.room.next is None and not self._looks_at_too_many(result.room.id):
                self._look_at(result)

        return reply


def _drop(_: bytes) -> None:
    """Nobody has asked for an answer."""
