"""Games survive a file unchanged, and damaged files are refused."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from io import BytesIO
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_core import from_json

from noughts.games import GAMES, Outcome, Reason, Side
from noughts.protocol.gamefile import BadGame, RecordedGame, from_file, moves_in, recorded, to_file
from noughts.protocol.records import to_record
from noughts.rooms import Ended, Event, Joined, Opened, Options, Played, Player, Rematched
from support.games import random_game, random_records

randoms = st.builds(Random, st.integers(0, 2**32))

ONE, TWO = Player("p-1", "player-1", "human"), Player("p-2", "player-2", "bot")
OPENED = Opened(1795521600000, "room", "tictactoe", "p-1", ONE, TWO, Options())
RESIGNED = Ended(1795521601000, Side.FIRST, Outcome(Side.SECOND, Reason.RESIGNATION))


def file_of(*events: Event, **changed: object) -> bytes:
    """A file of these events with the right hash, and with the ``changed`` header fields."""
    records = [to_record(event) for event in events]
    header = {**json.loads(to_file(recorded([to_record(OPENED), to_record(RESIGNED)])).splitlines()[0])}
    lines = b"".join(record + b"\n" for record in records)
    header |= {"events": len(records), "sha256": hashlib.sha256(lines).hexdigest(), **changed}
    return json.dumps(header).encode() + b"\n" + lines


def read(file: bytes) -> list[RecordedGame]:
    return list(from_file(BytesIO(file)))


def refusal(file: bytes) -> BadGame:
    with pytest.raises(BadGame) as refused:
        read(file)
    return refused.value


@settings(max_examples=15)
@given(randoms, st.integers(1, 3))
def test_games_survive_a_file(random: Random, count: int) -> None:
    games = [recorded(random_records(random, f"room-{number}")) for number in range(count)]
    assert read(b"".join(map(to_file, games))) == games


@settings(max_examples=30)
@given(randoms, st.booleans())
def test_the_moves_on_the_board_are_found_without_the_rules(random: Random, ending: bool) -> None:
    events = random_game(random, ending=ending)
    records = [from_json(to_record(event)) for event in events]
    assert moves_in(records) == [ply.move for ply in recorded(list(map(to_record, events))).room.plies]
    assert moves_in(records[1:]) is None
    assert moves_in([]) is None


@pytest.mark.parametrize("key", GAMES)
def test_every_kind_of_game_survives_a_file(key: str) -> None:
    for seed in range(5):
        records = random_records(Random(seed), game=key)
        (again,) = read(to_file(recorded(records)))
        assert list(again.records) == records


@settings(max_examples=40)
@given(randoms, st.data())
def test_a_flipped_bit_is_found(random: Random, data: st.DataObject) -> None:
    file = bytearray(to_file(recorded(random_records(random, game="tictactoe"))))
    file[data.draw(st.integers(0, len(file) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    assert refusal(bytes(file)).line == 1


@settings(max_examples=30)
@given(randoms, st.data())
def test_a_missing_line_is_found(random: Random, data: st.DataObject) -> None:
    lines = to_file(recorded(random_records(random, game="tictactoe"))).splitlines(keepends=True)
    del lines[data.draw(st.integers(0, len(lines) - 1))]
    assert not lines or refusal(b"".join(lines)).line == 1


def test_unfinished_games_are_refused() -> None:
    games = [random_game(Random(seed), ending=False) for seed in range(30)]
    going_on = [game for game in games if not any(getattr(event, "outcome", None) for event in game)]
    assert len(going_on) > 5
    for game in going_on:
        assert "is not over" in refusal(file_of(*game)).words


def test_the_header_line() -> None:
    first, *records = to_file(recorded([to_record(OPENED), to_record(RESIGNED)])).splitlines()
    assert json.loads(first) == {
        "noughts": "game",
        "format": 1,
        "room": "room",
        "game": "tictactoe",
        "first": "player-1",
        "second": "player-2",
        "winner": "second",
        "reason": "resignation",
        "ended_at": "2026-11-24T12:00:01.000Z",
        "events": 2,
        "sha256": hashlib.sha256(b"".join(record + b"\n" for record in records)).hexdigest(),
    }
    assert records == [to_record(OPENED), to_record(RESIGNED)]


def test_unknown_header_fields_and_a_missing_last_newline_are_allowed() -> None:
    header = file_of(OPENED, RESIGNED, tournament=7)
    assert read(header) == read(file_of(OPENED, RESIGNED)) == read(header.removesuffix(b"\n"))


@pytest.mark.parametrize(
    "changed",
    [
        {"noughts": "table"},
        {"format": 2},
        {"format": None},
        {"events": 3},
        {"events": 1},
        {"events": 0},
        {"events": -1},
        {"events": True},
        {"events": 2.0},
        {"events": 10**30},
        {"sha256": None},
        {"room": "another"},
        {"game": "connect4"},
        {"first": "player-3"},
        {"second": None},
        {"winner": "first"},
        {"reason": "time"},
        {"ended_at": "2026-11-24T12:00:01.001Z"},
    ],
    ids=str,
)
def test_a_wrong_header_is_refused(changed: dict[str, Any]) -> None:
    assert refusal(file_of(OPENED, RESIGNED, **changed)).line == 1


@pytest.mark.parametrize(
    "file", [b"\n", b"{}\n", b"[]\n", b"1\n", b"\xff\0\n", b"[" * 9999, b'{"noughts":"game"}\n', b"SQLite format 3\0"]
)
def test_other_files_are_refused(file: bytes) -> None:
    assert refusal(file).line == 1


@pytest.mark.parametrize(
    ("events", "line"),
    [
        ([RESIGNED], 2),
        ([OPENED, OPENED, RESIGNED], 3),
        ([OPENED, replace(RESIGNED, at=OPENED.at - 1)], 3),
        ([OPENED, replace(RESIGNED, outcome=Outcome(Side.FIRST, Reason.RESIGNATION))], 3),
        ([OPENED, RESIGNED, RESIGNED], 4),
        ([OPENED, Played(OPENED.at, Side.FIRST, 0, "10", 0), RESIGNED], 3),
        ([OPENED, Played(OPENED.at, Side.SECOND, 0, "1", 0), RESIGNED], 3),
        ([OPENED, Joined(OPENED.at, Side.FIRST, ONE), RESIGNED], 3),
        ([OPENED, RESIGNED, Rematched(RESIGNED.at, "next")], 4),
        ([replace(OPENED, at=10**16), replace(RESIGNED, at=10**16)], 2),
        ([replace(OPENED, at=-5), RESIGNED], 2),
        ([replace(OPENED, room="a/b"), RESIGNED], 2),
        ([replace(OPENED, room="a\n"), RESIGNED], 2),
        ([replace(OPENED, previous="a\0"), RESIGNED], 2),
        ([replace(OPENED, by=""), RESIGNED], 2),
        ([replace(OPENED, first=replace(ONE, name="\x1b[2J")), RESIGNED], 2),
        ([replace(OPENED, first=replace(ONE, id="computer:hard")), RESIGNED], 2),
        ([replace(OPENED, first=replace(ONE, id="p 1")), RESIGNED], 2),
        ([replace(OPENED, first=replace(ONE, kind="computer")), RESIGNED], 2),
        ([OPENED, Played(OPENED.at, Side.FIRST, 0, "1", 0, note="\x1b[2J"), RESIGNED], 3),
    ],
)
def test_an_impossible_event_is_refused_with_its_line(events: list[Event], line: int) -> None:
    assert refusal(file_of(*events)).line == line
    good = file_of(OPENED, RESIGNED)
    assert refusal(good + file_of(*events)).line == line + 3


@pytest.mark.parametrize(
    "record", [b"", b"{}", b"[]", b"7", b"null", b'{"schema":99}', b'{"schema":1}', b'{"schema":1,"kind":7}', b"\xff"]
)
def test_an_invalid_record_is_refused_with_its_line(record: bytes) -> None:
    lines = to_record(OPENED) + b"\n" + record + b"\n"
    header = {"noughts": "game", "format": 1, "events": 2, "sha256": hashlib.sha256(lines).hexdigest()}
    assert refusal(json.dumps(header).encode() + b"\n" + lines).line == 3


def test_a_game_from_before_clocks_can_be_read() -> None:
    records = [
        b'{"schema":1,"kind":"opened","at":1000,"room":"r","game":"tictactoe","by":"p-1","first":null,"second":null,'
        b'"options":{"private":false,"waiting_ms":3600000,"sleeping_ms":2592000000},"previous":null}',
        b'{"schema":1,"kind":"joined","at":1500,"side":"first","player":{"id":"p-1","name":"player-1","kind":"human"}}',
        b'{"schema":1,"kind":"joined","at":2000,"side":"second","player":{"id":"p-2","name":"player-2","kind":"bot"}}',
        b'{"schema":1,"kind":"played","at":2812,"side":"first","turn":0,"move":"5","spent_ms":812,"outcome":null}',
        b'{"schema":1,"kind":"ended","at":3000,"side":"second",'
        b'"outcome":{"winner":"first","reason":"resignation","cells":[]}}',
    ]
    (game,) = read(to_file(recorded(records)))
    assert list(game.records) == records
