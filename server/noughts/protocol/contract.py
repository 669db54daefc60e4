"""The protocol as an AsyncAPI 3.0 document.

``python -m noughts.protocol.contract docs/protocol.md > server/noughts/protocol/asyncapi.json``

The schemas come from the models. The examples, and what the codes of errors and of closing mean, come from the
transcripts and tables of docs/protocol.md, which tests hold true. The document describes the server, so its operations
*receive* requests and *send* messages. See https://www.asyncapi.com/docs/reference/specification/v3.0.0.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from noughts.protocol.parsing import REQUESTS
from noughts.protocol.schema import schema
from noughts.protocol.transcript import table, transcript
from noughts.protocol.words import PROTOCOL

FILE = Path(__file__).with_name("asyncapi.json")
"""The document as stored and served."""

ANSWERS = {
    "hello": "welcome",
    "devices": "devices",
    "qr": "qr",
    "games": "games",
    "analyse": "analysis",
    "review": "review",
    "trace": "trace",
    "replay": "replay",
    "chat_history": "chat_history",
    "player": "player",
    "leaderboard": "leaderboard",
    "ping": "pong",
}
"""The type of the answer to each type of request; every other request gets ``ok``, and any may get ``error``."""

JSON_SCHEMA = "application/schema+json;version=draft-2020-12"
MOST_EXAMPLES = 12
"""The most examples of a message: an ``update`` has nine kinds of events, an ``error`` more codes."""

Json = dict[str, Any]


def document(text: str) -> Json:
    """The AsyncAPI document. ``text`` is that of docs/protocol.md."""
    definitions = schema()["$defs"]
    requests = _types(definitions, "AnyRequest")
    messages = _types(definitions, "Message")
    answers = {"ok", *ANSWERS.values()}
    pushed = [kind for kind in messages if kind not in answers]
    shown = _examples(text)
    errors = table(text, "## Errors")
    closes = table(text, "| close code")
    components = {f"request.{kind}": _message(kind, of, shown[">", kind]) for kind, of in requests.items()}
    components |= {f"message.{kind}": _message(kind, of, shown["<", kind]) for kind, of in messages.items()}
    components["message.error"]["x-error-codes"] = [
        {"code": code, "when": when, "what_to_do": advice} for code, (_, when, advice) in errors.items()
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
                    {"code": int(code), "reason": reason, "what_to_do": advice}
                    for code, (_, reason, advice) in closes.items()
                ],
            }
        },
        "operations": {kind: _request(kind, of) for kind, of in requests.items()}
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


def _types(definitions: Mapping[str, Json], union: str) -> dict[str, Json]:
    """The types of the messages of ``union``, each with its definition."""
    found = {}
    for side in definitions[union]["oneOf"]:
        name = side["$ref"].rpartition("/")[2]
        kind = definitions[name]["properties"]["type"]
        for each in kind.get("enum") or [kind["const"]]:
            found[each] = {"name": name, "several": "enum" in kind, **definitions[name]}
    return found


def _examples(text: str) -> dict[tuple[str, str], list[Json]]:
    """By direction and type: one example of each shape that the transcripts show, in which ``"..."`` is left out."""
    found: dict[tuple[str, str], dict[Any, Json]] = {}
    for line in transcript(text):
        try:
            if line.kind == ">":
                REQUESTS.validate_json(line.text)
            message = _whole(json.loads(line.text))
        except ValueError:  # the end of a connection, or a frame that is shown because it is no request
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


def _request(kind: str, of: Json) -> Json:
    return {
        "action": "receive",
        "channel": {"$ref": "#/channels/ws"},
        "summary": of["description"].partition("\n\n")[0].replace("\n", " ").replace("``", "`"),
        "messages": [_in_channel(f"request.{kind}")],
        "reply": {
            "channel": {"$ref": "#/channels/ws"},
            "messages": [_in_channel(f"message.{ANSWERS.get(kind, 'ok')}"), _in_channel("message.error")],
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


if __name__ == "__main__":
    print(json.dumps(document(Path(sys.argv[1]).read_text(encoding="utf-8")), indent=1))
