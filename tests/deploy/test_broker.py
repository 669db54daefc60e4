"""Mosquitto with our configuration: what anonymous clients may do, and what only nodes may."""

from __future__ import annotations

import asyncio
import re
import shlex
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from aiomqtt import Client, ProtocolVersion

from deploy.stack import COMPOSE, DEPLOY, PATIENCE_S, mosquitto_configuration, running, running_mosquitto, wait_until
from noughts.mqtt.view import MAX_SHOWN
from support.programs import program

pytestmark = pytest.mark.services

PASSWORD = "0123456789abcdef"
MANY = re.DOTALL | re.MULTILINE
NODE = ("-u", "noughts", "-P", PASSWORD)
DEVICE = ("-i", "device-1")

SEEN_BY_ALL = {
    "noughts/v1/rooms/k3f9qzm2xw7ta/state",
    "noughts/v1/rooms/k3f9qzm2xw7ta/events",
    "noughts/v1/lobby",
    "noughts/v1/tournaments",
    "noughts/v1/tournaments/3com3g4aqohdf",
    "noughts/v1/nodes/node1",
}
ASKED_BY_ALL = {"noughts/v1/rooms/k3f9qzm2xw7ta/commands", "noughts/v1/commands"}
OWN_COMMANDS = {"noughts/v1/devices/device-1/commands"}
REPLIES = {
    "noughts/v1/replies/device-1",
    "noughts/v1/replies/device-1/4",
    "noughts/v1/devices/device-1/replies",
    "noughts/v1/devices/device-1/replies/4",
}
ANOTHERS_REPLY = "noughts/v1/replies/device-2/4"
ANOTHERS = {ANOTHERS_REPLY, "noughts/v1/devices/device-2/replies", "noughts/v1/devices/device-2/commands"}
BETWEEN_NODES = {"noughts/v1/bus/nodes/node1", "noughts/v1/bus/rooms/room"}
ALL = SEEN_BY_ALL | ASKED_BY_ALL | BETWEEN_NODES | OWN_COMMANDS | REPLIES | ANOTHERS


class Mosquitto:
    """A broker with its command line clients."""

    def __init__(self, directory: Path, port: int) -> None:
        self._directory = directory
        self.port = str(port)

    def publish(self, topic: str, *options: str, payload: str = "x") -> subprocess.CompletedProcess[str]:
        """Run ``mosquitto_pub``, which does not notice a denial."""
        command = [program("mosquitto_pub"), "-V", "5", "-p", self.port, "-q", "1", "-t", topic, "-m", payload]
        return subprocess.run([*command, *options], capture_output=True, text=True, timeout=PATIENCE_S, check=False)

    @contextmanager
    def subscribed(self, *options: str, ready: str | None = None) -> Iterator[Subscriber]:
        """Run ``mosquitto_sub`` on all topics; ``ready`` is a topic that it may read."""
        log = self._directory / f"subscriber-{time.monotonic_ns()}"
        command = [program("mosquitto_sub"), "-V", "5", "-p", self.port, "-q", "1", "-t", "#", "-t", "$SYS/#"]
        with running([*command, "-F", "%t %p", *options], log):
            subscriber = Subscriber(log)
            if ready is not None:
                give_up_at = time.monotonic() + PATIENCE_S
                while (ready, "ready") not in subscriber.messages():
                    assert time.monotonic() < give_up_at, log.read_text()
                    self.publish(ready, *NODE, payload="ready")
            yield subscriber


class Subscriber:
    """The output of a ``mosquitto_sub``."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def messages(self) -> list[tuple[str, str]]:
        """The topic and payload of each message."""
        return [(topic, payload) for topic, _, payload in (line.partition(" ") for line in self._lines())]

    def topics_until(self, last: str) -> set[str]:
        """The topics of all messages with payload "x", once the payload ``last`` has arrived."""
        give_up_at = time.monotonic() + PATIENCE_S
        while not any(payload == last for _, payload in self.messages()):
            assert time.monotonic() < give_up_at, self._log.read_text()
            time.sleep(0.05)
        return {topic for topic, payload in self.messages() if payload == "x"}

    def _lines(self) -> list[str]:
        return [line for line in self._log.read_text().split("\n")[:-1] if not line.startswith("Warning")]


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    port = mosquitto_configuration(tmp_path, PASSWORD)
    with running_mosquitto(tmp_path, port):
        yield Mosquitto(tmp_path, port)


def test_anonymous_clients_read_only_rooms_and_their_own_replies(mosquitto: Mosquitto) -> None:
    with mosquitto.subscribed(*DEVICE, ready="noughts/v1/lobby") as device:
        for topic in sorted(ALL):
            mosquitto.publish(topic, *NODE)
        mosquitto.publish("noughts/v1/lobby", *NODE, payload="last")
        assert device.topics_until("last") == SEEN_BY_ALL | REPLIES
        assert not any(topic.startswith("$SYS") for topic, _ in device.messages())


def test_anonymous_clients_write_only_commands(mosquitto: Mosquitto) -> None:
    with mosquitto.subscribed(*NODE, ready="noughts/v1/lobby") as node:
        for topic in sorted(ALL):
            mosquitto.publish(topic, *DEVICE)
            mosquitto.publish(topic, *DEVICE, "--retain")
        mosquitto.publish("noughts/v1/lobby", *NODE, payload="last")
        assert node.topics_until("last") == ASKED_BY_ALL | OWN_COMMANDS


def test_accounts_are_kept_apart_by_their_names(tmp_path: Path) -> None:
    """As docs/mqtt.md says: then the client id does not matter, and strangers write nothing."""
    text = (DEPLOY.parent / "docs" / "mqtt.md").read_text(encoding="utf-8")
    ((command, lines),) = re.findall(r"^    (sed -i .*) deploy/mosquitto/acl$.*?^```\n(user lamp\n.*?)^```", text, MANY)
    port = mosquitto_configuration(tmp_path, PASSWORD)
    acl, start = tmp_path / "config" / "acl", tmp_path / "config" / "start"
    subprocess.run([*shlex.split(command), acl], check=True)
    accounts = [("device-1", "one"), ("device-2", "two")]
    for name, password in accounts:
        acl.write_text(acl.read_text() + lines.replace("user lamp", f"user {name}"))
        added = f"printf '{name}:{password}\\n' >>{tmp_path}/run/passwords\nmosquitto_passwd -U"
        start.write_text(start.read_text().replace("mosquitto_passwd -U", added, 1))
    one, two = (("-u", name, "-P", password) for name, password in accounts)
    read_by_accounts = {topic for topic in SEEN_BY_ALL if topic.endswith("/state")}
    with running_mosquitto(tmp_path, port):
        mosquitto = Mosquitto(tmp_path, port)
        with mosquitto.subscribed(*NODE, ready="noughts/v1/lobby") as node:
            for topic in sorted(ALL):
                for sender in (one, DEVICE, (*two, *DEVICE)):
                    mosquitto.publish(topic, *sender, payload="x" if sender == one else "stranger")
            mosquitto.publish("noughts/v1/lobby", *NODE, payload="last")
            assert node.topics_until("last") == OWN_COMMANDS
            assert {topic for topic, payload in node.messages() if payload == "stranger"} <= ANOTHERS
        with (
            mosquitto.subscribed(*one, ready="noughts/v1/rooms/k3f9qzm2xw7ta/state") as device,
            mosquitto.subscribed(*DEVICE, ready="noughts/v1/lobby") as stranger,
        ):
            for topic in sorted(ALL):
                mosquitto.publish(topic, *NODE)
            for topic in ("noughts/v1/lobby", "noughts/v1/rooms/k3f9qzm2xw7ta/state"):
                mosquitto.publish(topic, *NODE, payload="last")
            assert device.topics_until("last") == read_by_accounts | REPLIES
            assert stranger.topics_until("last") == SEEN_BY_ALL


def test_nodes_read_and_write_everything(mosquitto: Mosquitto) -> None:
    with mosquitto.subscribed(*NODE, ready="noughts/v1/lobby") as node:
        for topic in sorted(ALL):
            mosquitto.publish(topic, *NODE)
        mosquitto.publish("noughts/v1/lobby", *NODE, payload="last")
        assert node.topics_until("last") == ALL


def test_a_client_id_is_never_a_wildcard(mosquitto: Mosquitto) -> None:
    with mosquitto.subscribed("-i", "+", ready="noughts/v1/lobby") as device:
        mosquitto.publish(ANOTHERS_REPLY, *NODE)
        mosquitto.publish("noughts/v1/lobby", *NODE, payload="last")
        assert device.topics_until("last") == set()


def test_a_will_obeys_the_same_rules(mosquitto: Mosquitto, tmp_path: Path) -> None:
    log = tmp_path / "dying"
    mosquitto.publish("noughts/v1/nodes/node1", *NODE, "--retain", payload="connected")
    with mosquitto.subscribed(*NODE, ready="noughts/v1/lobby") as node:
        for topic in sorted(ALL):
            will = ("--will-topic", topic, "--will-payload", "x")
            command = [program("mosquitto_sub"), "-p", mosquitto.port, "-t", "noughts/v1/nodes/node1", *will]
            with running(command, log) as dying:
                wait_until(lambda: b"connected" in log.read_bytes(), dying, log)
                dying.kill()
            log.unlink()
        time.sleep(1)
        mosquitto.publish("noughts/v1/lobby", *NODE, payload="last")
        assert node.topics_until("last") == ASKED_BY_ALL


@pytest.mark.parametrize(
    "credentials", [("-u", "noughts"), ("-u", "noughts", "-P", "guess"), ("-u", "admin", "-P", "admin")]
)
def test_an_account_needs_its_password(mosquitto: Mosquitto, credentials: tuple[str, ...]) -> None:
    refused = mosquitto.publish("noughts/v1/lobby", *credentials)
    assert refused.returncode != 0
    assert "uthor" in refused.stderr


def test_retained_messages_survive_a_restart(tmp_path: Path) -> None:
    port = mosquitto_configuration(tmp_path, PASSWORD)
    mosquitto = Mosquitto(tmp_path, port)
    with running_mosquitto(tmp_path, port):
        mosquitto.publish("noughts/v1/lobby", *NODE, "--retain", payload="last")
    with running_mosquitto(tmp_path, port), mosquitto.subscribed(*DEVICE) as device:
        assert device.topics_until("last") == set()


async def test_a_node_receives_all_retained_messages(mosquitto: Mosquitto) -> None:
    def node() -> Client:
        port = int(mosquitto.port)
        return Client("127.0.0.1", port, username="noughts", password=PASSWORD, protocol=ProtocolVersion.V5)

    async with node() as one:
        for number in range(MAX_SHOWN):
            await one.publish(f"noughts/v1/rooms/{number}/state", b"x" * 2000, qos=0, retain=True)
    async with node() as another, asyncio.timeout(60):
        await another.subscribe("noughts/v1/rooms/+/state", qos=1)
        found: set[str] = set()
        async for message in another.messages:
            found.add(str(message.topic))
            if len(found) == MAX_SHOWN:
                break


def test_the_password_is_stored_as_a_hash_that_others_cannot_read(mosquitto: Mosquitto, tmp_path: Path) -> None:
    passwords = tmp_path / "run" / "passwords"
    assert passwords.read_text().startswith("noughts:$")
    assert PASSWORD not in passwords.read_text()
    assert passwords.stat().st_mode & 0o077 == 0


def test_it_does_not_start_without_a_password(tmp_path: Path) -> None:
    port = mosquitto_configuration(tmp_path, "")
    with pytest.raises(RuntimeError), running_mosquitto(tmp_path, port):
        pass


def test_its_health_check_passes(mosquitto: Mosquitto) -> None:
    check = COMPOSE["services"]["mosquitto"]["healthcheck"]["test"]
    assert check[0] == "CMD"
    command = [program(check[1]), "-p", mosquitto.port, *check[2:]]
    assert subprocess.run(command, timeout=PATIENCE_S, check=False).returncode == 0
