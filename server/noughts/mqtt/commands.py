"""A message from an MQTT client: a request, and the token beside it."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic_core import from_json, to_json

from noughts.mqtt.subscriptions import Received
from noughts.protocol import RequestId, id_of


@dataclass(frozen=True, slots=True)
class Command:
    """What a message holds: ``request``, as over a WebSocket, and ``token``, which stood beside it.

    ``room`` is the room that it concerns. ``problem`` says why it is not a command.
    """

    request: bytes
    token: str | None = None
    id: RequestId = None
    room: str | None = None
    problem: str | None = None


def read(received: Received, longest: int) -> Command:
    """The command in a message. What is not a JSON object is left to the parser of requests, which says so."""
    if len(received.payload) > longest:
        return Command(b"", problem=f"A message has at most {longest} bytes.")
    try:
        content = from_json(received.payload, allow_inf_nan=False)
    except ValueError:
        return Command(received.payload)
    if not isinstance(content, dict):
        return Command(received.payload)
    request_id = id_of(content)
    room = received.topic.split("/")[1] if received.topic.startswith("rooms/") else None
    # The token of ``hello`` is part of the request: it says whom to welcome.
    token = None if content.get("type") == "hello" else content.pop("token", None)
    problem = None
    if token is not None and not isinstance(token, str):
        token, problem = None, "token: must be text"
    elif room is None and "room" in content:
        problem = "room: send requests about a room to its own topic, rooms/ROOM/commands"
    elif room is not None and content.setdefault("room", room) != room:
        problem = "room: is not the one in the topic"
    return Command(to_json(content), token, request_id, room, problem)
