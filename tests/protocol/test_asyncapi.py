"""The AsyncAPI document is current, valid by the official schema, and agrees with docs/protocol.md."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

from pydantic import TypeAdapter

from noughts.gateway.replies import CloseCode
from noughts.protocol.contract import FILE, JSON_SCHEMA, MESSAGES, REQUESTS
from noughts.protocol.words import ErrorCode
from support.doc_tables import table

TEXT = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
OFFICIAL = Path(__file__).with_name("asyncapi")
DOCUMENT: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))


def test_the_official_schema_is_as_published() -> None:
    for line in (OFFICIAL / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split()
        assert hashlib.sha256((OFFICIAL / name).read_bytes()).hexdigest() == digest


def test_the_official_schema_finds_no_fault_but_in_what_is_spoilt(tmp_path: Path) -> None:
    spoilers: dict[str, Callable[[Any], object]] = {
        "action": lambda it: it["operations"]["play"].update(action="answer"),
        "payload": lambda it: it["components"]["messages"]["message.ok"].update(payloads={}),
        "channel": lambda it: it["channels"]["ws"].pop("messages") and it["channels"]["ws"].update(message={}),
    }
    for name, spoil in spoilers.items():
        spoilt = json.loads(FILE.read_text(encoding="utf-8"))
        spoil(spoilt)
        (tmp_path / name).with_suffix(".json").write_text(json.dumps(spoilt))
    done = subprocess.run(
        [
            *(sys.executable, "-m", "check_jsonschema", "-v", "--output-format", "json"),
            *("--schemafile", str(OFFICIAL / "3.0.0.json"), str(FILE), *map(str, sorted(tmp_path.iterdir()))),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    found = json.loads(done.stdout)
    assert (done.stderr, found["parse_errors"], found["successes"]) == ("", [], [str(FILE)])
    assert {Path(each["filename"]).stem for each in found["errors"]} == set(spoilers), found


def at(pointer: str) -> Any:
    """The target of a reference within the document."""
    part: Any = DOCUMENT
    for name in pointer.removeprefix("#/").split("/"):
        part = part[name]
    return part


def test_every_reference_leads_somewhere() -> None:
    references = set(re.findall(r'"\$ref": "([^"]+)"', FILE.read_text(encoding="utf-8")))
    assert len(references) > 100
    for reference in references:
        assert isinstance(at(reference), dict), reference
        assert "schemaFormat" not in at(reference), "a schema refers to another, not to its wrapper"


def test_every_type_of_message_is_there_with_its_examples() -> None:
    messages = DOCUMENT["components"]["messages"]
    adapters: dict[str, TypeAdapter[Any]] = {"request": REQUESTS, "message": MESSAGES}
    for side, adapter in adapters.items():
        types = set(adapter.json_schema()["discriminator"]["mapping"])
        assert {key for key in messages if key.startswith(side)} == {f"{side}.{kind}" for kind in types}
    for key, message in messages.items():
        side, _, kind = key.partition(".")
        assert message["payload"]["schemaFormat"] == JSON_SCHEMA
        assert message["examples"], key
        for example in message["examples"]:
            assert example["payload"]["type"] == kind
            adapters[side].validate_json(json.dumps(example["payload"]), strict=True)


def boards(part: Any) -> Iterator[Any]:
    if isinstance(part, dict):
        yield from ([part["rows"]] if "rows" in part else [])
        part = list(part.values())
    for each in part if isinstance(part, list) else []:
        yield from boards(each)


def test_the_examples_are_whole() -> None:
    """Shortened parts of the transcripts, "...", are left out, and the empty rows of a board are not."""
    messages = DOCUMENT["components"]["messages"]
    shown = [example["payload"] for message in messages.values() for example in message["examples"]]
    rows = [board for board in boards(shown) if board and isinstance(board[0], str) and len(board[0]) == 3]
    assert len(rows) > 10
    assert {len(board) for board in rows} == {3}
    assert all(game["key"] == "tictactoe" for game in messages["message.welcome"]["examples"][0]["payload"]["games"])


def test_what_is_pushed_is_in_the_table() -> None:
    operations = DOCUMENT["operations"]
    assert operations["analyse"]["reply"]["messages"][0]["$ref"] == "#/channels/ws/messages/message.analysis"
    pushed = {each["$ref"].rpartition(".")[2] for each in operations["push"]["messages"]}
    assert pushed == set(table(TEXT, "## Pushed messages")) - {"id"}


def test_the_codes_are_explained() -> None:
    codes = {each["code"] for each in at("#/components/messages/message.error")["x-error-codes"]}
    assert codes == {code for side in get_args(ErrorCode) for code in get_args(side)}
    closes = {each["code"] for each in at("#/channels/ws")["x-close-codes"]}
    assert closes >= {int(code) for code in CloseCode}
