"""A message of a device: a request, and the token that is shown beside it."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic_core import from_json, to_json

from noughts.mqtt.subscriptions import Received
from noughts.protocol import RequestId, id_of


@dataclass(frozen=True, slots=True)
class Message:
    """What a message holds: a request as over a WebSocket, and the token that was beside it.

    ``room`` is the one that its topic names. ``problem`` says why it is no command, whatever the request is.
    """

    request: bytes
    token: str | None = None
    id: RequestId = None
    room: str | None = None
    problem: str | None = None


def read(received: Received, longest: int) -> Message:
    """The message in what was received. What is no JSON object is left to the gate, which says so."""
    if len(received.payload) > longest:
        return Message(b"", problem=f"A message is at most {longest} bytes.")
    try:
        content = from_json(received.payload, allow_inf_nan=False)
    except ValueError:
        return Message(received.payload)
    if not isinstance(content, dict):
        return Message(received.payload)
    request_id = id_of(content)
    room = received.topic.split("/")[1] if received.topic.startswith("rooms/") else None
    # With hello the token is the request's own: it shows whom to welcome.
    token = None if content.get("type") == "hello" else content.pop("token", None)
    problem = None
    if token is not None and not isinstance(token, str):
        token, problem = None, "token: a text"
    elif room is None and "room" in content:
        problem = "room: what concerns a room is sent to its own topic, rooms/ROOM/commands"
    elif room is not None and content.setdefault("room", room) != room:
        problem = "room: not the one that the topic names"
    return Message(to_json(content), token, request_id, room, problem)
