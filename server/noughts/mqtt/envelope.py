"""A message from an MQTT client: a request, and beside it the token and where the answer goes.

MQTT does not say who published a message, but a broker can keep each client to topics of its own. So a message to
``devices/CLIENT/commands`` may ask for answers below ``devices/CLIENT/replies``, and nowhere else. One to a topic that
all may write may ask for them below ``replies/``, by MQTT 5's response topic.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pydantic_core import from_json, to_json

from noughts.mqtt.subscriptions import Received
from noughts.protocol.parsing import id_of
from noughts.protocol.room_messages import RequestId

REPLIES = "replies/"
"""The beginning of a response topic, after the prefix. Otherwise anybody could make the server write anywhere."""

REPLY_BYTES = 256
"""The longest topic for answers, and the longest correlation data."""

TOPICS = ("rooms/+/commands", "commands", "devices/+/commands")
"""The topics to which commands are sent, after the prefix."""

_OWN_TOPIC = re.compile("devices/([^/]{1,128})/commands")
_BELOW = re.compile("(/[A-Za-z0-9._~-]+)*")  # brokers disconnect who publishes to a topic with control characters


@dataclass(frozen=True, slots=True)
class Command:
    """The content of a message: ``request``, as over a WebSocket, and ``token``, which stood beside it.

    ``room`` is the room that it concerns, and ``reply_to`` the topic for answers, with the prefix; None for no answers.
    ``problem`` says why it is not a command.
    """

    request: bytes
    token: str | None = None
    id: RequestId = None
    room: str | None = None
    reply_to: str | None = None
    problem: str | None = None


def read(received: Received, prefix: str, longest: int) -> Command:
    """The command in a message. What is not a JSON object is left to the parser of requests, which says so.

    ``prefix`` is that of all topics, and ``longest`` the most bytes of a message.
    """
    found = _OWN_TOPIC.fullmatch(received.topic)
    own = None if found is None else f"{prefix}/devices/{found[1]}/replies"
    reply_to = _response_topic(received, prefix) if own is None else own
    if len(received.payload) > longest:
        return Command(b"", reply_to=reply_to, problem=f"A message has at most {longest} bytes.")
    try:
        content = from_json(received.payload, allow_inf_nan=False)
    except ValueError:
        content = None
    if not isinstance(content, dict):
        return Command(received.payload, reply_to=reply_to)
    request_id = id_of(content)
    # The token of ``hello`` is part of the request: it says whom to welcome.
    token = None if content.get("type") == "hello" else content.pop("token", None)
    asked = content.pop("reply_to", None if own is None else received.response_topic)
    room = content.get("room") if isinstance(content.get("room"), str) else None
    problem = None
    if asked is not None and own is None:
        problem = "reply_to: only in messages to a client's own topic, devices/CLIENT/commands"
    elif asked is not None and own is not None:
        if _is_below(own, asked):
            reply_to = asked
        else:
            problem = f"reply_to: must be {own}, or that and more levels of letters, digits and ._~-"
    if token is not None and not isinstance(token, str):
        token, problem = None, "token: must be text"
    elif received.topic == "commands" and "room" in content:
        problem = "room: send requests about a room to its own topic, rooms/ROOM/commands"
    elif received.topic.startswith("rooms/"):
        room = received.topic.split("/")[1]
        if content.setdefault("room", room) != room:
            problem = "room: is not the one in the topic"
    return Command(to_json(content), token, request_id, room, reply_to, problem)


def _response_topic(received: Received, prefix: str) -> str | None:
    """The topic at which a message to a topic of all asks for answers; None if it asks for none, or names a bad
    topic."""
    topic = received.response_topic
    if topic is None or not topic.startswith(f"{prefix}/{REPLIES}") or set(topic) & set("+#\0"):
        return None
    return None if len(topic.encode()) > REPLY_BYTES else topic


def _is_below(own: str, asked: object) -> bool:
    """True if a client whose topic for answers is ``own`` may have them sent to ``asked``."""
    if not isinstance(asked, str) or not asked.startswith(own):
        return False
    return _BELOW.fullmatch(asked.removeprefix(own)) is not None and len(asked.encode()) <= REPLY_BYTES
