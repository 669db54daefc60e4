"""Playing by MQTT: each command is a message of its own, with the player's token in it. See docs/mqtt.md.

A command is dispatched like a request over a WebSocket, and its answers go to the topic that it asks for. Updates are
not sent to MQTT clients: the public view has them.
"""

from __future__ import annotations

import asyncio
import hmac

from noughts.gateway.client import Result, refuse
from noughts.gateway.feature import Feature, Reading
from noughts.gateway.limits import TokenBucket
from noughts.gateway.registry import player_with
from noughts.gateway.replies import BAD_COMMAND, TOO_MANY_MESSAGES, UNKNOWN_OUTCOME, Error, Problem
from noughts.gateway.server import Server
from noughts.gateway.tasks import Tasks
from noughts.host import Done
from noughts.journal import JournalError
from noughts.mqtt.client import Device, MqttClient, Publish
from noughts.mqtt.envelope import REPLY_BYTES, TOPICS, Command, read
from noughts.mqtt.link import Link
from noughts.mqtt.subscriptions import Received
from noughts.players.tokens import token_hash
from noughts.protocol import requests, study_requests

TOO_MANY_PLAYERS = Error("rate_limited", "Too many players use MQTT here. Try again later.")

REPLY_S = 60
"""The time the broker keeps an answer for a client that is away."""

DROPPED_AT_MOST = 5
"""The number of commands that a node drops for each that it takes, before it hears none for a while: reading them
costs, too."""

DEAF_S = 2.0
"""The time it then hears none. The broker hands them to another node, or drops them."""


def feature(server: Server, link: Link) -> Feature:
    """Players who send commands over MQTT, by ``link``."""
    devices = Devices(server, link)
    return Feature(
        loops=(devices.run,),
        drain=devices.drain,
        close=devices.close,
        readings=(
            Reading("devices", "Players who use MQTT.", lambda: len(devices)),
            Reading("bus_up", "Whether the broker is connected.", lambda: link.connected),
            Reading("bus_dropped_total", "Messages to the broker that were not sent.", lambda: link.dropped),
        ),
    )


class Devices:
    """Takes commands from ``link``. The broker hands each to one node of all."""

    def __init__(self, server: Server, link: Link) -> None:
        settings = server.settings
        self.monitor = server.host.monitor
        self._intake = TokenBucket(settings.mqtt_messages_per_s, settings.mqtt_messages_per_s)
        dropped_at_most = DROPPED_AT_MOST * settings.mqtt_messages_per_s
        self._dropped = TokenBucket(dropped_at_most, dropped_at_most)
        self._listening: asyncio.TimerHandle | None = None
        self._intake_bytes = TokenBucket(
            settings.mqtt_bytes_per_s, max(settings.mqtt_bytes_per_s, settings.message_bytes)
        )
        self.strangers = self._message_bucket(server)
        self.work = server.work
        self.costs = server.costs
        self._server = server
        self._dispatcher = server.dispatcher
        self._link = link
        self._tasks = Tasks()
        self._devices: dict[bytes, Device] = {}
        # Only nodes know the group's name. A stranger in it would get a share of the commands.
        group = hmac.digest(server.host.journal.secret, b"noughts devices 1", "sha256").hex()[:32]
        self._filters = [f"$share/{group}/{topic}" for topic in TOPICS]

    def __len__(self) -> int:
        """The number of players that send commands."""
        return len(self._devices)

    async def run(self) -> None:
        """Take commands, for ever."""
        self._listen()
        while True:
            await asyncio.sleep(self._server.timing.device_sweep_s)
            now = self._server.time()
            for device in list(self._devices.values()):
                for room_id in [room_id for room_id, until in device.until.items() if until <= now]:
                    self._unwatch(device, room_id)
                if device.known_until <= now and not device.rooms:
                    self.forget(device)

    def drain(self) -> None:
        """Take no more commands."""
        self._turn_deaf()
        if self._listening is not None:
            self._listening.cancel()

    async def close(self) -> None:
        """Wait for the commands under way."""
        await self._tasks.close()

    def _listen(self) -> None:
        """Hear the commands that the broker has for this node."""
        self._listening = None
        for topic_filter in self._filters:
            self._link.subscribe(topic_filter, self._take)

    def _turn_deaf(self) -> None:
        """Hear none for a while."""
        if self._listening is None:
            for topic_filter in self._filters:
                self._link.unsubscribe(topic_filter)
            self._listening = asyncio.get_running_loop().call_later(DEAF_S, self._listen)

    def extend(self, device: Device, room_id: str) -> None:
        """``device`` watches a room for a while from now on."""
        device.until[room_id] = self._server.time() + self._server.timing.device_s

    def forget(self, device: Device) -> None:
        """Remember nothing of ``device``."""
        for room_id in list(device.rooms):
            self._unwatch(device, room_id)
        device.open = False
        del self._devices[device.player.token_hash]
        self._server.sessions.remove(device)

    def _unwatch(self, device: Device, room_id: str) -> None:
        device.until.pop(room_id, None)
        self._server.views.unwatch(device, room_id)

    def _take(self, received: Received) -> None:
        if not self._may_take(received):
            return  # nobody has read it, so nobody can be told
        if received.retain:
            return  # a retained command was meant for another time
        command = read(received, self._link.prefix, self._server.settings.message_bytes)
        publish = self._publisher(command.reply_to, received.correlation)
        client = MqttClient(self, publish, self._server.host.journal.now())
        device = None if command.token is None else self._devices.get(token_hash(command.token))
        if device is not None:
            self._carry_out(client, command, device)
        elif command.token is not None:
            self._tasks.spawn(self._identify(client, command, command.token))
        elif client.has_answers:  # without a token nothing but the answer could be of use
            self._tasks.spawn(self._greet(client, command))

    def _may_take(self, received: Received) -> bool:
        """True if this node has time for the message. Nobody knows who sent it, so all senders share one allowance."""
        now, exceeded = self._server.time(), None
        if self._intake.take(now):
            exceeded = "mqtt_messages_per_s"
        elif self._intake_bytes.take(now, len(received.payload)):
            exceeded = "mqtt_bytes_per_s"
        if exceeded is not None:
            self.monitor.limit(exceeded, "the MQTT devices", "dropped a command")
            if self._dropped.take(now):
                self._turn_deaf()
        return exceeded is None

    async def _identify(self, client: MqttClient, command: Command, token: str) -> None:
        """Carry out a command with a token that is not known on this node yet."""
        try:
            _limit(client, self._server)
            player = await player_with(self._server.host, token)
            device = self._devices.get(player.token_hash)
            if device is None:
                if len(self._devices) >= self._server.settings.connections:
                    self.monitor.limit("connections", client.who, "refused a player")
                    raise Problem(TOO_MANY_PLAYERS, retry_after_s=self._server.timing.device_s)
                device = Device(player, self._message_bucket(self._server), self)
                self._devices[player.token_hash] = device
                self._server.sessions.add(device)
        except Problem as problem:
            refuse(client, command.id, problem)
        except JournalError:
            refuse(client, command.id, Problem(UNKNOWN_OUTCOME))
        else:
            self._carry_out(client, command, device)

    async def _greet(self, client: MqttClient, command: Command) -> None:
        """Carry out a command without a token, such as ``hello``."""
        if command.problem is None:
            await self._dispatcher.greet(client, command.request)
        else:
            self._refuse(client, command)

    def _carry_out(self, client: MqttClient, command: Command, device: Device) -> None:
        client.become(device)
        device.known_until = self._server.time() + self._server.timing.device_s
        if command.room in device.rooms:
            device.until[command.room] = device.known_until
        if command.problem is not None:
            self._refuse(client, command)
            return
        request = self._dispatcher.parse(client, command.request)
        match request:
            case None:
                pass
            case study_requests.Analyse() | study_requests.AskReview() if not client.has_answers:
                pass  # nobody would get the result
            case requests.Chat() | requests.ChatHistory():
                # The commands before, by which the player watches the room, may have gone to another node.
                self._server.host.submit(
                    request.room, None, lambda result: self._chat(client, command, request, result)
                )
            case requests.Play() | requests.TableRequest() | requests.Claim():
                self._dispatcher.dispatch(client, request, len(command.request))
                if request.room not in device.rooms:
                    self._server.host.submit(request.room, None, lambda result: self._watch(client, result))
            case _:
                self._dispatcher.dispatch(client, request, len(command.request))

    def _chat(
        self, client: MqttClient, command: Command, request: requests.Chat | requests.ChatHistory, result: Result
    ) -> None:
        if not isinstance(result, Done):
            refuse(client, request.id, result)
            return
        try:
            self._server.check_may_watch(client, result.room.id)
        except Problem as problem:
            refuse(client, request.id, problem)
            return
        self._server.views.watch(client.subscriber, result.room)
        self._dispatcher.dispatch(client, request, len(command.request))

    def _watch(self, client: MqttClient, result: Result) -> None:
        """Whoever has played in a room is there, and so watches it."""
        if not isinstance(result, Done) or result.room.next is not None:
            return
        if result.room.side_of(client.player.id) is None:  # the command was refused
            return
        try:
            self._server.check_may_watch(client, result.room.id)
        except Problem:
            return
        self._server.views.watch(client.subscriber, result.room)

    def _refuse(self, client: MqttClient, command: Command) -> None:
        """Refuse a message that is not a command."""
        try:
            _limit(client, self._server)
        except Problem as problem:
            refuse(client, command.id, problem)
        else:
            refuse(client, command.id, Problem(BAD_COMMAND, problem=command.problem))

    def _publisher(self, topic: str | None, correlation: bytes | None) -> Publish | None:
        """Sends an answer to ``topic``; None if the message asks for none, or its correlation data are too long."""
        if topic is None or (correlation is not None and len(correlation) > REPLY_BYTES):
            return None
        return lambda message: self._link.publish(
            topic, message, absolute=True, correlation=correlation, expiry_s=REPLY_S
        )

    @staticmethod
    def _message_bucket(server: Server) -> TokenBucket:
        return TokenBucket(server.settings.messages_per_s, server.settings.burst)


def _limit(client: MqttClient, server: Server) -> None:
    """Count a message that no parser counts."""
    if wait_s := client.messages.take(server.time()):
        client.monitor.limit("messages_per_s", client.who, "refused a command")
        raise Problem(TOO_MANY_MESSAGES, retry_after_s=wait_s)
