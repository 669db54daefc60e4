"""A message is judged as the published JSON Schema judges it, and as docs/protocol.md allows the protocol to grow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from noughts.conformance.messages import problem_with
from noughts.protocol.contract import FILE, schema

Json = dict[str, Any]

SCHEMA = schema()
MESSAGES: list[Json] = [
    example["payload"]
    for key, message in json.loads(FILE.read_text(encoding="utf-8"))["components"]["messages"].items()
    if key.startswith("message.")
    for example in message["examples"]
]
OF_TYPE = {
    SCHEMA["$defs"][side["$ref"].rpartition("/")[2]]["properties"]["type"]["const"]: side
    for side in SCHEMA["$defs"]["Message"]["oneOf"]
}


@cache
def validator(kind: str) -> Draft202012Validator:
    """That of a type of messages."""
    return Draft202012Validator({**OF_TYPE[kind], "$defs": SCHEMA["$defs"]})


def valid(message: Json) -> bool:
    """True if the schema of its type admits it."""
    return bool(validator(message["type"]).is_valid(message))


def spoilt(part: Any) -> Iterator[Any]:
    """``part`` with one field left out, or with a value of a type that no field has."""
    if isinstance(part, dict):
        for key, value in part.items():
            yield {other: each for other, each in part.items() if other != key}
            yield {**part, key: {"": True}}
            for changed in spoilt(value):
                yield {**part, key: changed}
    elif isinstance(part, list) and part:
        yield [{"": True}, *part[1:]]
        for changed in spoilt(part[0]):
            yield [changed, *part[1:]]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message["type"])
def test_the_schema_and_the_check_agree(message: Json) -> None:
    """On each message of docs/protocol.md, and on all that can be spoilt in one place."""
    assert valid(message)
    assert problem_with(json.dumps(message)) is None
    for wrong in spoilt(message):
        if isinstance(wrong.get("type"), str):
            assert (problem_with(json.dumps(wrong)) is None) is valid(wrong), wrong


def of_type(kind: str, **fields: Any) -> Json:
    """A message of docs/protocol.md that has these ``fields``."""
    return next(
        deepcopy(message)
        for message in MESSAGES
        if message["type"] == kind and all(message.get(name) == value for name, value in fields.items())
    )


def test_a_client_ignores_what_it_does_not_know() -> None:
    over = next(each for each in MESSAGES if each["type"] == "update" and each["state"]["outcome"])
    reviewed = next(each for each in deepcopy(MESSAGES) if each["type"] == "reviewed")
    reviewed["moves"][0]["mark"] = "brilliant"
    for message in (
        {"type": "news_of_a_later_version", "room": 1},
        {**of_type("pong"), "load": 0.5},
        {**of_type("error"), "code": "too_late"},
        {**of_type("update"), "event": {"kind": "paired", "with": 1}},
        {**over, "state": {**over["state"], "outcome": {"winner": None, "reason": "adjourned", "cells": []}}},
        reviewed,
    ):
        assert problem_with(json.dumps(message)) is None, message


@pytest.mark.parametrize(
    ("frame", "problem"),
    [
        (b"{}", "a binary message"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not a JSON object with a `type`"),
        ('{"type":1}', "not a JSON object with a `type`"),
        ('{"type":"pong"}', "`now`: Field required"),
        ('{"type":"error","code":1,"message":""}', "`code"),
    ],
)
def test_what_is_wrong_is_named(frame: str | bytes, problem: str) -> None:
    assert problem in (problem_with(frame) or "")
