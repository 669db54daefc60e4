"""Messages by MQTT: the request, the token, and where the answer goes. No broker."""

from __future__ import annotations

import json
from typing import Any

import pytest

from noughts.mqtt.envelope import REPLY_BYTES, Command, read
from noughts.mqtt.subscriptions import Received

PREFIX = "noughts/v1"
OWN = f"{PREFIX}/devices/lamp/replies"
RESPONSE = f"{PREFIX}/replies/lamp"
LONGEST = 1000


def command(topic: str, response_topic: str | None = None, **content: Any) -> Command:
    return read(Received(topic, json.dumps(content).encode(), response_topic=response_topic), PREFIX, LONGEST)


def test_a_message_to_a_clients_own_topic_may_be_about_any_room() -> None:
    found = command("devices/lamp/commands", type="play", room="r", turn=0, move="5", token="t", id=7)
    assert (found.token, found.id, found.room, found.reply_to, found.problem) == ("t", 7, "r", OWN, None)
    assert json.loads(found.request) == {"type": "play", "room": "r", "turn": 0, "move": "5", "id": 7}


@pytest.mark.parametrize("where", [OWN, f"{OWN}/7", f"{OWN}/a-b/c_d.~"])
def test_a_client_may_choose_where_below_its_own_prefix_its_answers_go(where: str) -> None:
    for found in (
        command("devices/lamp/commands", type="ping", reply_to=where),
        command("devices/lamp/commands", where, type="ping"),  # MQTT 5
    ):
        assert (found.reply_to, found.problem) == (where, None)
        assert json.loads(found.request) == {"type": "ping"}


@pytest.mark.parametrize(
    "where",
    [
        f"{PREFIX}/devices/fan/replies",
        f"{OWN}x",
        f"{OWN}/",
        f"{OWN}//7",
        f"{OWN}/+",
        f"{OWN}/#",
        f"{OWN}/a\x01",
        f"{OWN}/a b",
        f"{OWN}/ä",
        f"{OWN}/{'7' * REPLY_BYTES}",
        f"{PREFIX}/devices/lamp/commands",
        f"{PREFIX}/replies/lamp",
        f"{PREFIX}/nodes/node1",
        "devices/lamp/replies",
        "",
        7,
        [OWN],
    ],
)
def test_no_client_can_have_an_answer_sent_anywhere_else(where: object) -> None:
    found = command("devices/lamp/commands", type="ping", reply_to=where)
    assert found.reply_to == OWN, "it hears of its mistake"
    assert found.problem is not None
    assert found.problem.startswith(f"reply_to: must be {OWN}")
    if isinstance(where, str):
        assert command("devices/lamp/commands", where, type="ping").reply_to == OWN


def test_what_is_not_a_command_is_answered_to_its_sender() -> None:
    for payload in (b"{", b"[]", b"x" * (LONGEST + 1)):
        assert read(Received("devices/lamp/commands", payload), PREFIX, LONGEST).reply_to == OWN


LONG = f"devices/{'x' * 129}/commands"


@pytest.mark.parametrize("topic", ["commands", "rooms/r/commands", "devices//commands", LONG])
def test_a_topic_of_all_says_nothing_of_the_sender(topic: str) -> None:
    found = command(topic, RESPONSE, type="ping", reply_to=RESPONSE)
    assert found.reply_to == RESPONSE, "MQTT 5 names it"
    assert found.problem is not None
    assert found.problem.startswith("reply_to: only in messages to a client's own topic")
    for response in (OWN, f"{OWN}/7", f"{PREFIX}/replies/+", f"{PREFIX}/nodes/x", None):
        assert command(topic, response, type="ping").reply_to is None
    assert command(topic, type="ping", reply_to=OWN).reply_to is None
