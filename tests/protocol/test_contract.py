"""Clients of the last release can talk to this server.

``published.json`` is the protocol's JSON Schema as of the last release. A release takes the new one:
``cp docs/protocol.schema.json tests/protocol/published.json``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from noughts.protocol.contract import schema
from support.contract import breaks

Json = dict[str, Any]

PUBLISHED: Json = json.loads(Path(__file__).with_name("published.json").read_text(encoding="utf-8"))


def test_a_client_of_the_last_release_still_works() -> None:
    """If this fails, a change would break clients that exist. docs/protocol.md says what may change."""
    assert breaks(PUBLISHED, schema()) == []


def fields(definitions: Json, name: str) -> Json:
    found: Json = definitions[name]["properties"]
    return found


def drop(union: str, name: str) -> Callable[[Json], None]:
    def spoil(it: Json) -> None:
        it[union]["oneOf"] = [side for side in it[union]["oneOf"] if not side["$ref"].endswith(f"/{name}")]

    return spoil


def add(union: str, name: str, field: str, value: str) -> Callable[[Json], None]:
    def extend(it: Json) -> None:
        it[name] = {"type": "object", "required": [field], "properties": {field: {"const": value, "type": "string"}}}
        it[union]["oneOf"].append({"$ref": f"#/$defs/{name}"})

    return extend


BREAKING: list[tuple[Callable[[Json], object], str]] = [
    # What a client sends.
    (drop("AnyRequest", "Claim"), "claim: no such request any more"),
    (lambda it: fields(it, "TableRequest")["type"]["enum"].remove("resign"), "resign: no such request any more"),
    (lambda it: fields(it, "Play").pop("note"), "play.note: gone"),
    (lambda it: it["Play"]["required"].append("note"), "play.note: now required"),
    (lambda it: fields(it, "Play")["move"].update(maxLength=32), "play.move: maxLength is narrower"),
    (lambda it: fields(it, "Play")["turn"].update(minimum=1), "play.turn: minimum is narrower"),
    (lambda it: fields(it, "Play")["turn"].update(exclusiveMaximum=9), "play.turn: exclusiveMaximum is narrower"),
    (lambda it: fields(it, "Chat")["text"].update(pattern="^[a-z]+$"), "chat.text: another pattern"),
    (lambda it: fields(it, "Play")["move"].update(pattern="^[a-z]+$"), "play.move: another pattern"),
    (lambda it: fields(it, "Claim")["result"]["enum"].remove("draw"), "claim.result: no longer accepts draw"),
    (lambda it: fields(it, "Play")["move"].update(enum=["1"]), "play.move: no longer accepts any string"),
    (lambda it: fields(it, "Play").update(turn={"type": "string"}), "play.turn: no longer accepts integer"),
    (lambda it: fields(it, "Watch")["since"]["anyOf"].pop(), "watch.since: no longer accepts null"),
    (lambda it: fields(it, "Create")["clock"]["anyOf"].pop(0), "create.clock.initial_s: gone"),
    (lambda it: it["Method"]["enum"].remove("table"), "trace.search: no longer accepts table"),
    (lambda it: fields(it, "Seek")["rated"].update(default=True), "seek.rated: another default"),
    (lambda it: fields(it, "Replay")["moves"]["items"].update(maxLength=1), "replay.moves[]: maxLength is narrower"),
    (lambda it: fields(it, "Replay")["moves"].update(maxItems=1), "replay.moves: maxItems is narrower"),
    (lambda it: fields(it, "Seats").pop("second"), "create.seats.second: gone"),
    # What it receives.
    (drop("Message", "SeekEnded"), "seek_ended: no such message any more"),
    (drop("Event", "Played"), "update.event: no played any more"),
    (lambda it: fields(it, "Pong").pop("now"), "pong.now: gone"),
    (lambda it: fields(it, "Error").pop("legal_moves"), "error.legal_moves: gone"),
    (lambda it: it["Pong"]["required"].remove("now"), "pong.now: may now be absent"),
    (lambda it: fields(it, "Spectators").update(count={"type": "string"}), "spectators.count: may now be string"),
    (lambda it: fields(it, "Spectators").update(count={"type": "number"}), "spectators.count: may now be number"),
    (
        lambda it: fields(it, "Spectators").update(count={"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        "spectators.count: may now be null",
    ),
    (lambda it: fields(it, "State")["status"]["enum"].append("paused"), "room.state.status: may now be paused"),
    (lambda it: fields(it, "State").update(status={"type": "string"}), "room.state.status: may now be any string"),
    (lambda it: fields(it, "Played").pop("spent_ms"), "update.event.spent_ms: gone"),
    (lambda it: it["Played"]["required"].remove("outcome"), "update.event.outcome: may now be absent"),
    (lambda it: fields(it, "MoveWorth").pop("value"), "analysis.moves{}.value: gone"),
    (lambda it: fields(it, "StyleInfo").pop("symbol"), "welcome.games[].sides.first.symbol: gone"),
    (
        lambda it: fields(it, "Snapshot")["layout"]["items"].update(items={"type": "integer"}),
        "room.layout[][]: may now be integer",
    ),
]


@pytest.mark.parametrize(("spoil", "expected"), BREAKING)
def test_a_breaking_change_is_found(spoil: Callable[[Json], object], expected: str) -> None:
    changed = deepcopy(PUBLISHED)
    spoil(changed["$defs"])
    assert expected in breaks(PUBLISHED, changed)


GROWTH: list[Callable[[Json], object]] = [
    lambda it: it["Ping"].pop("description"),
    add("AnyRequest", "Adjourn", "type", "adjourn"),
    add("Message", "Notice", "type", "notice"),
    add("Event", "Paired", "kind", "paired"),
    lambda it: fields(it, "TableRequest")["type"]["enum"].append("offer_swap"),
    lambda it: fields(it, "Play").update(premove={"type": "boolean", "default": False}),
    lambda it: it["Play"]["required"].remove("turn"),
    lambda it: fields(it, "Play")["move"].update(maxLength=128),
    lambda it: fields(it, "Chat")["text"].pop("pattern"),
    lambda it: fields(it, "Claim")["result"]["enum"].append("loss"),
    lambda it: fields(it, "Play").update(turn={"anyOf": [{"type": "number"}, {"type": "null"}]}),
    lambda it: it["Play"].update(additionalProperties=True),
    lambda it: fields(it, "Pong").update(load={"type": "number"}),
    lambda it: it["Pong"]["required"].append("id"),
    lambda it: fields(it, "Error")["code"]["anyOf"][1]["enum"].append("too_late"),
    lambda it: fields(it, "ReviewedMoveInfo")["mark"]["enum"].append("brilliant"),
    lambda it: it["Reason"]["enum"].append("agreed"),
    lambda it: fields(it, "Trace" + "d").update(value={"type": "integer"}),
    lambda it: fields(it, "OfferInfo")["offer"]["enum"].remove("takeback"),
    lambda it: it["Played"].update(title="Moved", description="Another text."),
]


@pytest.mark.parametrize("grow", GROWTH)
def test_the_protocol_may_grow(grow: Callable[[Json], object]) -> None:
    changed = deepcopy(PUBLISHED)
    grow(changed["$defs"])
    assert breaks(PUBLISHED, changed) == []
