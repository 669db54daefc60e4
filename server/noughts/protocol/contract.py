"""The contract as others see it: every message as JSON Schema, and the whole as an AsyncAPI 3.0 document. Pure.

The schemas come from the models, and what codes mean from the protocol's words. The examples come from the transcripts
of docs/protocol.md, which a test replays. ``scripts/generate.py`` writes docs/protocol.schema.json, ``FILE`` and the
tables of docs/protocol.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from noughts.protocol.messages import Message
from noughts.protocol.records import EVENTS
from noughts.protocol.requests import AnyRequest
from noughts.protocol.room_messages import RequestId
from noughts.protocol.words import CLOSES, ERRORS, PROTOCOL

FILE = Path(__file__).with_name("asyncapi.json")
"""The document as stored and served."""

REQUESTS: TypeAdapter[AnyRequest] = TypeAdapter(AnyRequest)
"""Reads every request that a client can send to a server as it is installed."""

JSON_SCHEMA = "application/schema+json;version=draft-2020-12"
MOST_EXAMPLES = 12
"""The most examples of a message: an ``update`` has nine kinds of events, an ``error`` more codes."""

Json = dict[str, Any]

MESSAGES: TypeAdapter[Message] = TypeAdapter(Message)
"""Reads what a server sends. A client does not need it, so only those who check messages load it."""

_OPTIONAL = ("cause", "unrated_because", "rules", "layout", "board")
"""The fields of events that may be absent: the cause of an outage's pause, why a game is not rated if it is, the first
version of its rules, and the board of a game as usual.
"""


def schema() -> Json:
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
        if event["properties"].pop("setup", None):  # which is among the options, with what it makes of the board
            event["properties"] |= {name: definitions["Snapshot"]["properties"][name] for name in ("layout", "board")}
        event["required"] = [name for name in event["properties"] if name not in _OPTIONAL]
    definitions["Opened"]["properties"]["options"] = {"$ref": "#/$defs/RoomOptions"}
    definitions["Update"]["properties"]["event"] = {"$ref": "#/$defs/Event"}
    plain: Json = _plain(definitions)
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


def document(text: str) -> Json:
    """The AsyncAPI document. ``text`` is that of docs/protocol.md.

    It describes the server, so its operations *receive* requests and *send* messages. See
    https://www.asyncapi.com/docs/reference/specification/v3.0.0.
    """
    definitions = schema()["$defs"]
    requests = _types(definitions, "AnyRequest")
    messages = _types(definitions, "Message")
    lines = transcript(text)
    answers = {kind: answer["type"] for kind, (answer, *_) in answers_in(lines).items()}
    pushed = [kind for kind in messages if kind not in answers.values()]
    shown = _examples(lines)
    components = {f"request.{kind}": _message(kind, of, shown[">", kind]) for kind, of in requests.items()}
    components |= {f"message.{kind}": _message(kind, of, shown["<", kind]) for kind, of in messages.items()}
    components["message.error"]["x-error-codes"] = [
        {"code": code, "when": error.when, "what_to_do": error.advice, "retry": error.retry}
        for code, error in ERRORS.items()
    ]
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Noughts",
            "version": str(PROTOCOL),
            "description": "A server for two-player board games. Every message is one text frame with one JSON object. "
            "A client sends requests, the first of which is `hello`, and each gets one answer, which repeats its `id`. "
            "In addition, the server pushes what happens in the rooms that the client watches. A client ignores types "
            "of messages and fields that it does not know. This document describes the server: it receives requests "
            "and sends messages.",
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {
            "local": {"host": "localhost:8765", "protocol": "ws", "description": "`noughts serve` on this machine."},
            "public": {
                "host": "{host}",
                "protocol": "wss",
                "description": "A server behind a proxy that adds TLS.",
                "variables": {"host": {"default": "play.example.org"}},
            },
        },
        "channels": {
            "ws": {
                "address": "/ws",
                "title": "A connection",
                "description": "A WebSocket. Requests and messages are text frames.",
                "messages": {key: {"$ref": f"#/components/messages/{key}"} for key in components},
                "bindings": {"ws": {"method": "GET", "bindingVersion": "0.1.0"}},
                "x-close-codes": [
                    {"code": code, "reason": close.when, "what_to_do": close.advice, "retry": close.retry}
                    for code, close in CLOSES.items()
                ],
            }
        },
        "operations": {kind: _request(kind, of, answers.get(kind, "ok")) for kind, of in requests.items()}
        | {
            "push": {
                "action": "send",
                "channel": {"$ref": "#/channels/ws"},
                "title": "Pushed messages",
                "summary": "What happens in rooms that the client watches, in its seeks and in the lobby; an error "
                "without an `id` when its token or its player is no longer welcome.",
                "messages": [_in_channel(f"message.{kind}") for kind in pushed],
            }
        },
        "components": {
            "messages": components,
            "schemas": {
                name: {"schemaFormat": JSON_SCHEMA, "schema": _moved(definition)}
                for name, definition in definitions.items()
                if name not in ("AnyRequest", "Message")
            },
            "correlationIds": {
                "id": {
                    "description": "An answer repeats the `id` of its request, if that had one.",
                    "location": "$message.payload#/id",
                }
            },
        },
    }


@dataclass(frozen=True)
class Line:
    """A message of a transcript: on which connections, ``>`` sent or ``<`` received, or ``!`` the connection breaks.

    With ``$`` it is a command that the operator gives.
    """

    connections: str
    kind: str
    text: str


def transcript(text: str) -> list[Line]:
    """The messages, in order. Raises ValueError for a line that is neither a message nor goes on with one."""
    lines: list[Line] = []
    for block in re.findall(r"^```text\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            start = re.fullmatch(r"([\d,]+)([<>!]) ?(.*)", line) or re.fullmatch(r"()(\$) (.*)", line)
            if start:
                lines.append(Line(start[1].replace(",", ""), start[2], start[3]))
            elif line.startswith("   ") and lines:
                last = lines.pop()
                lines.append(Line(last.connections, last.kind, last.text + line.strip()))
            else:
                raise ValueError(f"not a message: {line}")
    return lines


def _types(definitions: Mapping[str, Json], union: str) -> dict[str, Json]:
    """The types of the messages of ``union``, each with its definition."""
    found = {}
    for side in definitions[union]["oneOf"]:
        name = side["$ref"].rpartition("/")[2]
        kind = definitions[name]["properties"]["type"]
        for each in kind.get("enum") or [kind["const"]]:
            found[each] = {"name": name, "several": "enum" in kind, **definitions[name]}
    return found


def answers_in(lines: Iterable[Line]) -> dict[str, list[Json]]:
    """By the type of a request, the messages that answer it, without errors."""
    asked: dict[tuple[str, RequestId], str] = {}
    found: dict[str, list[Json]] = {}
    for line in lines:
        if line.kind == ">":
            with suppress(ValueError):
                request = REQUESTS.validate_json(line.text)
                asked[line.connections, request.id] = request.type
        elif line.kind == "<" and "id" in (message := json.loads(line.text)) and message["type"] != "error":
            kind = asked.get((line.connections, message["id"]))
            if kind is not None:
                found.setdefault(kind, []).append(message)
    return found


def _examples(lines: Iterable[Line]) -> dict[tuple[str, str], list[Json]]:
    """By direction and type: one example of each shape that the transcripts show, in which ``"..."`` is left out.

    A message that lacks a required field then is no example.
    """
    found: dict[tuple[str, str], dict[Any, Json]] = {}
    for line in lines:
        try:
            if line.kind == ">":
                REQUESTS.validate_json(line.text)
            message = _whole(json.loads(line.text))
            if line.kind == "<":
                MESSAGES.validate_python(message)
        except ValueError:  # the end of a connection, no request, or a message of which much is left out
            continue
        shape = message.get("code") or message.get("event", {}).get("kind") or frozenset(message)
        shapes = found.setdefault((line.kind, message["type"]), {})
        if len(shapes) < MOST_EXAMPLES:
            shapes.setdefault(shape, message)
    return {key: list(shapes.values()) for key, shapes in found.items()}


def _whole(value: Any) -> Any:
    """``value`` without the ``"..."`` that stands for more elements; among words of three letters it is a row."""
    if isinstance(value, dict):
        return {key: _whole(each) for key, each in value.items() if key != "..."}
    if not isinstance(value, list):
        return value
    board = bool(value) and isinstance(value[0], str) and len(value[0]) == 3
    return [_whole(each) for each in value if board or each != "..."]


def _message(kind: str, of: Json, examples: Iterable[Json]) -> Json:
    payload: Json = {"$ref": f"#/components/schemas/{of['name']}/schema"}
    if of["several"]:
        payload = {"allOf": [payload, {"properties": {"type": {"const": kind}}}]}
    message = {
        "name": kind,
        "summary": of["description"].partition("\n\n")[0].replace("\n", " ").replace("``", "`"),
        "payload": {"schemaFormat": JSON_SCHEMA, "schema": payload},
        "examples": [{"payload": example} for example in examples],
    }
    if "id" in of["properties"]:
        message["correlationId"] = {"$ref": "#/components/correlationIds/id"}
    return message


def _request(kind: str, of: Json, answer: str) -> Json:
    return {
        "action": "receive",
        "channel": {"$ref": "#/channels/ws"},
        "summary": of["description"].partition("\n\n")[0].replace("\n", " ").replace("``", "`"),
        "messages": [_in_channel(f"request.{kind}")],
        "reply": {
            "channel": {"$ref": "#/channels/ws"},
            "messages": [_in_channel(f"message.{answer}"), _in_channel("message.error")],
        },
    }


def _in_channel(message: str) -> Json:
    return {"$ref": f"#/channels/ws/messages/{message}"}


def _moved(part: Any) -> Any:
    """A part of the JSON Schema with its references as they are in this document."""
    if isinstance(part, dict):
        if "$ref" in part:
            part = {**part, "$ref": f"#/components/schemas/{part['$ref'].rpartition('/')[2]}/schema"}
        return {key: _moved(value) for key, value in part.items()}
    return [_moved(each) for each in part] if isinstance(part, list) else part
