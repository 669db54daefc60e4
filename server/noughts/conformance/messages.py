"""The check of one message of a server against the protocol. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from noughts.protocol.contract import MESSAGES
from noughts.protocol.records import EVENTS
from noughts.protocol.room_messages import RoomOptions
from noughts.rooms import Event

Json = dict[str, Any]

_OPTIONS = TypeAdapter(RoomOptions)
_TYPES = frozenset(MESSAGES.json_schema()["discriminator"]["mapping"])
_ABSENT = {"at", "note", "cause", "unrated_because"}
"""The fields that the record of an event has and an update has not, or not always."""

_OPEN = frozenset({"code", "mark", "reason", "unrated_because"})
"""The fields that may have words that are not known here: docs/protocol.md, "What may change"."""

_EVENTS = {
    each.__dataclass_fields__["kind"].default: {field.name for field in fields(each)} - _ABSENT
    for each in get_args(Event)
}


def problem_with(frame: str | bytes) -> str | None:
    """The fault of a message as the server sent it; None if there is none.

    Types of messages and kinds of events that are not known here are ignored, as every client does with them.
    """
    if not isinstance(frame, str):
        return "a binary message"
    try:
        message = json.loads(frame)
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        return "not a JSON object with a `type`"
    if message["type"] not in _TYPES:
        return None
    try:
        MESSAGES.validate_json(frame, strict=True)
        if message["type"] == "update":
            _check_event(message["event"])
    except ValidationError as error:
        if (problem := _first(error, message["type"])) is not None:
            return problem
    except ValueError as error:
        return str(error)
    return next(_contradictions(message), None)


def _first(error: ValidationError, kind: str) -> str | None:
    """The first problem of a message, without words that are new to us where there may be new ones."""
    for each in error.errors(include_url=False, include_context=False):
        new_word = each["type"] in ("literal_error", "enum") and isinstance(each["input"], str)
        if not new_word or _OPEN.isdisjoint(each["loc"]):
            where = ".".join(str(part) for part in each["loc"] if part != kind)
            return f"`{where}`: {each['msg']}"
    return None


def _check_event(event: Json) -> None:
    """Raises ValueError if it is not one of the known events with all its fields."""
    kind = event.get("kind")
    if not isinstance(kind, str):
        raise ValueError("`event.kind`: missing, or not a string")
    if kind not in _EVENTS:
        return
    if missing := sorted(_EVENTS[kind] - set(event)):
        raise ValueError(f"`event.{missing[0]}`: Field required")
    if kind == "opened":  # its options are shown in another form than they are stored
        _OPTIONS.validate_json(json.dumps(event["options"]), strict=True)
        event = {**event, "options": {}}
    EVENTS.validate_json(json.dumps({**event, "at": 0}), strict=True)


def _contradictions(message: Json) -> Iterator[str]:
    """The contradictions in a room's state."""
    state = message.get("state")
    if state is None:
        return
    playing = state["status"] == "playing"
    if (state["to_move"] is not None) is not playing:
        yield f"`state.to_move` is {state['to_move']!r} while the status is {state['status']!r}"
    if not playing and state.get("legal_moves"):
        yield f"`state.legal_moves` is not empty while the status is {state['status']!r}"
    if playing and state.get("legal_moves") == []:
        yield "`state.legal_moves` is empty while a side is to move"
    if len(state["moves"]) != state["ply"]:
        yield f"`state.ply` is {state['ply']} and there are {len(state['moves'])} `moves`"
    if state["turn"] < state["ply"]:
        yield f"`state.turn` is {state['turn']}, less than `ply`, {state['ply']}"
    if (state["outcome"] is not None) is not (state["status"] == "over"):
        yield f"`state.outcome` is {json.dumps(state['outcome'])} while the status is {state['status']!r}"
    if len({len(row) for row in state["rows"]}) > 1:
        yield "`state.rows` are of different lengths"
