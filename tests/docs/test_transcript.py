"""docs/protocol.md is true: its transcripts happen as printed, and its tables are complete."""

from __future__ import annotations

import json
import re
import shlex
from contextlib import AsyncExitStack, nullcontext, suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest
from pydantic import ValidationError
from websockets.asyncio.client import connect

from noughts.config import Settings
from noughts.journal import SqliteJournal
from noughts.protocol.contract import MESSAGES, REQUESTS, transcript
from noughts.protocol.messages import Limits
from noughts.protocol.parsing import BadRequest, parse
from noughts.protocol.room_messages import State
from noughts.protocol.words import ErrorCode
from noughts.rooms import Event
from noughts.timing import Timing
from support.client import Client
from support.doc_tables import table
from support.server import running_server

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "protocol.md").read_text(encoding="utf-8")

# What differs from run to run, by its form: rooms, players, seeks, tokens, devices and codes one to one, times from one
# to one or more.
PLAYER = "p-[a-z2-7]{13}"
IDS = [
    re.compile(form)
    for form in (
        "[a-z2-7]{13}",
        PLAYER,
        rf"{PLAYER}\.[a-z2-7]{{13}}",
        "[A-Za-z0-9_-]{43}",
        "[a-z2-7]{16}",
        "([a-z2-7]{4}-){5}[a-z2-7]{4}",
    )
]
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@dataclass
class Names:
    """The values in this run of the names in the document."""

    actual: dict[str, str] = field(default_factory=dict)

    def same(self, printed: Any, got: Any) -> bool:
        """True if ``got`` matches the printed message, except for names and durations."""
        match printed:
            case {"...": "...", **printed}:
                return (
                    isinstance(got, dict)
                    and len(got) > len(printed)
                    and printed.keys() <= got.keys()
                    and self.same(printed, {key: got[key] for key in printed})
                )
            case dict():
                return (
                    isinstance(got, dict)
                    and printed.keys() == got.keys()
                    and all(self._same_field(key, printed[key], got[key]) for key in printed)
                )
            case [*printed, "..."]:
                return isinstance(got, list) and len(got) > len(printed) and self.same(printed, got[: len(printed)])
            case list():
                return (
                    isinstance(got, list)
                    and len(printed) == len(got)
                    and all(self.same(*pair) for pair in zip(printed, got, strict=True))
                )
            case str():
                return isinstance(got, str) and self._same_text(printed, got)
            case _:
                return type(printed) is type(got) and bool(printed == got)

    def _same_field(self, key: str, printed: Any, got: Any) -> bool:
        if key.endswith("_ms"):
            return isinstance(got, int) and got >= 0
        if key in ("nodes", "seconds", "waited_s") and not isinstance(
            printed, list
        ):  # the machine's, and the present engine's
            return type(got) is type(printed) and got > 0
        if key in ("day", "today"):
            return type(got) is type(printed) and len(got) == len(printed)
        if key == "engine":
            return isinstance(got, str) and got.startswith("noughts ")
        if key == "name" and printed.startswith("guest-"):
            return isinstance(got, str) and re.fullmatch("guest-[a-z2-7]{4}", got) is not None
        return self.same(printed, got)

    def _same_text(self, printed: str, got: str) -> bool:
        if TIME.fullmatch(printed):
            return TIME.fullmatch(got) is not None and self.actual.setdefault(printed, got) == got
        if not any(form.fullmatch(printed) and form.fullmatch(got) for form in IDS):
            return printed == got
        if printed not in self.actual and got not in self.actual.values():
            self.actual[printed] = got
        return self.actual.get(printed) == got

    def in_this_run(self, text: str) -> str:
        """``text`` with the names of this run."""
        for printed, got in sorted(
            self.actual.items(), key=lambda two: -len(two[0])
        ):  # a seek's begins with its player's
            text = text.replace(printed, got)
        return text


async def test_the_transcript_happens_as_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Random, "shuffle", lambda *_: None)  # the first seeker gets the first seat
    names = Names()
    clients: dict[str, Client] = {}
    limits = {name: Settings.model_fields[name].default for name in Limits.__annotations__}
    journal = SqliteJournal.in_memory()
    monkeypatch.setattr("noughts.opening.SqliteJournal.in_memory", lambda: journal)
    async with running_server(timing=Timing(seek_offer_s=0.5), review_s=60, **limits) as url, AsyncExitStack() as stack:
        for line in transcript(TEXT):
            if line.kind == "$":
                *command, kind, text = shlex.split(line.text)
                assert command == ["noughts", "admin"]  # which cannot reach a journal in memory
                await journal.acts.put("operator", kind, detail=text)
            elif line.kind == "!":
                clients.pop(line.connections).socket.transport.abort()
            elif line.kind == ">":
                if line.connections not in clients:
                    socket = await stack.enter_async_context(connect(url, compression=None))
                    clients[line.connections] = Client(socket)
                await clients[line.connections].socket.send(names.in_this_run(line.text))
            else:
                printed = json.loads(line.text)
                received = [await clients[connection].socket.recv() for connection in line.connections]
                assert len(set(received)) == 1
                got = json.loads(received[0])
                assert names.same(printed, got), f"printed: {line.text}\ngot: {received[0]!r}"
        for client in clients.values():
            await client.quiet()


def test_printed_messages_are_valid() -> None:
    """Those that the server sends have no field that is not in the schema, either."""
    lines = transcript(TEXT)
    for number, line in enumerate(lines):
        if line.kind == "<":
            message = json.loads(re.sub(r',?"\.\.\."(:"\.\.\.")?(?=[]}])', "", line.text))
            with suppress(ValidationError) if '"...":"..."' in line.text else nullcontext():
                assert MESSAGES.validate_python(message, strict=True) == message
        elif line.kind == ">" and (code := refusal(line.text)) is not None:
            answer = next(after for after in lines[number + 1 :] if line.connections in after.connections)
            assert json.loads(answer.text)["code"] == code


def refusal(frame: str) -> ErrorCode | None:
    """The error for a frame that is not a request."""
    try:
        parse(frame)
    except BadRequest as error:
        return error.code
    return None


def types(union: dict[str, Any]) -> set[str]:
    return set(union["discriminator"]["mapping"])


def test_every_kind_of_message_is_shown() -> None:
    shown: dict[str, set[str]] = {"<": set(), ">": set(), "!": set(), "$": set()}
    for line in transcript(TEXT):
        with_type = re.match(r'\{"type":"(\w+)"', line.text)
        if with_type:
            shown[line.kind].add(with_type[1])
    assert shown[">"] == types(REQUESTS.json_schema())
    assert shown["<"] == types(MESSAGES.json_schema())


def test_the_tables_kept_by_hand_are_complete() -> None:
    assert set(table(TEXT, "| field of `state`")) == set(State.__annotations__)
    events = {event.__dataclass_fields__["kind"].default: event for event in get_args(Event)}
    documented = table(TEXT, "| `event.kind`")
    assert set(documented) == set(events)
    for kind, event in events.items():
        assert all(
            f"`{each.name}`" in documented[kind][1] for each in fields(event) if each.name not in ("at", "kind", "note")
        )
    limits = table(TEXT, "## Limits")
    assert set(limits) == set(Limits.__annotations__)
    for name, row in limits.items():
        assert str(Settings.model_fields[name].default).removesuffix(".0") in row[1]


@pytest.mark.parametrize(
    ("printed", "got"),
    [
        ('{"a":1}', '{"a":1,"b":2}'),
        ('{"a":1,"b":2}', '{"a":1}'),
        ('{"a":1}', '{"a":true}'),
        ('{"a":null}', '{"a":0}'),
        ('["5","1"]', '["1","5"]'),
        ('["5","..."]', '["5"]'),
        ('{"a":1,"...":"..."}', '{"a":1}'),
        ('{"a":1,"...":"..."}', '{"b":1,"c":1}'),
        ('{"a":1,"...":"..."}', '{"a":2,"b":1}'),
        ('["5","..."]', '["1","5"]'),
        ('{"room":"aaaaaaaaaaaaa"}', '{"room":"room"}'),
        ('["aaaaaaaaaaaaa","aaaaaaaaaaaaa"]', '["bbbbbbbbbbbbb","ccccccccccccc"]'),
        ('["aaaaaaaaaaaaa","ddddddddddddd"]', '["bbbbbbbbbbbbb","bbbbbbbbbbbbb"]'),
        ('{"spent_ms":1}', '{"spent_ms":-1}'),
        ('{"nodes":1}', '{"nodes":0}'),
        ('{"seconds":0.1}', '{"seconds":"0.1"}'),
        ('{"at":"2026-11-20T12:00:05.104Z"}', '{"at":"2026-11-20T12:00:05Z"}'),
    ],
)
def test_the_comparison_names_the_difference(printed: str, got: str) -> None:
    assert not Names().same(json.loads(printed), json.loads(got))
    assert Names().same(json.loads(printed), json.loads(printed))


def test_a_list_may_go_on() -> None:
    assert Names().same(["5", "..."], ["5", "1", "2"])
    assert Names().same({"a": 1, "...": "..."}, {"a": 1, "b": 2})


def test_names_are_taken_over() -> None:
    names = Names()
    assert names.same(["aaaaaaaaaaaaa", "p-aaaaaaaaaaaaa"], ["bbbbbbbbbbbbb", "p-ccccccccccccc"])
    assert names.in_this_run('{"room":"aaaaaaaaaaaaa"}') == '{"room":"bbbbbbbbbbbbb"}'
