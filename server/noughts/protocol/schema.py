"""The protocol as a JSON Schema: ``python -m noughts.protocol.schema > docs/protocol.schema.json``."""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter

from noughts.protocol.messages import Message
from noughts.protocol.records import EVENTS
from noughts.protocol.requests import AnyRequest
from noughts.protocol.words import PROTOCOL

REQUESTS: TypeAdapter[AnyRequest] = TypeAdapter(AnyRequest)
"""Reads every request that a client can send to a server as it is installed."""

MESSAGES: TypeAdapter[Message] = TypeAdapter(Message)
"""Reads what a server sends. A client does not need it, so only those who check messages load it."""

_OPTIONAL = ("cause", "unrated_because")
"""The fields of events that may be absent: the cause of an outage's pause, and why a game is not rated if it is."""


def schema() -> dict[str, Any]:
    """One frame in either direction: ``$defs/AnyRequest`` from a client, ``$defs/Message`` to it.

    ``$defs/Event`` is the event of an update.
    """
    sides, schemas = TypeAdapter.json_schemas(
        [("AnyRequest", "validation", REQUESTS), ("Message", "validation", MESSAGES), ("Event", "validation", EVENTS)],
        title=f"The protocol of Noughts, version {PROTOCOL}",
        description="A client sends AnyRequest and receives Message; each frame holds one.",
    )
    definitions = schemas.pop("$defs")
    for (name, _), side in sides.items():
        definitions[name] = side
    for side in definitions["Event"]["oneOf"]:
        event = definitions[side["$ref"].rpartition("/")[2]]
        del event["properties"]["at"]  # an update has it beside the event, as a text
        event["properties"].pop("note", None)  # which only the record of a game has
        event["required"] = [name for name in event["properties"] if name not in _OPTIONAL]
    definitions["Opened"]["properties"]["options"] = {"$ref": "#/$defs/RoomOptions"}
    definitions["Update"]["properties"]["event"] = {"$ref": "#/$defs/Event"}
    plain: dict[str, Any] = _plain(definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schemas,
        "oneOf": [{"$ref": "#/$defs/AnyRequest"}, {"$ref": "#/$defs/Message"}],
        "$defs": plain,
    }


def _plain(part: Any) -> Any:
    """Without ``discriminator``, which is OpenAPI's and not JSON Schema's, and the titles that only repeat names."""
    if isinstance(part, dict):
        named = part.get("type") == "object" or "properties" in part
        return {
            key: {name: _plain(field) for name, field in value.items()} if key == "properties" else _plain(value)
            for key, value in part.items()
            if key != "discriminator" and (key != "title" or named)
        }
    return [_plain(each) for each in part] if isinstance(part, list) else part


if __name__ == "__main__":
    print(json.dumps(schema(), indent=2))
