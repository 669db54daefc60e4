"""Parsing of requests: valid ones are accepted, and anything else is refused and does no harm."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.engine import LEVELS
from noughts.protocol.parsing import BadRequest, id_of, parse
from noughts.protocol.words import ErrorCode

DO = ("offer", "accept", "decline")
GOOD: list[dict[str, Any]] = [
    {"type": "hello", "protocol": 1},
    {
        "type": "hello",
        "id": 1,
        "protocol": 1,
        "name": "player-1",
        "bot": True,
        "token": "t" * 43,
        "client": "noughts-py/1.0",
    },
    {"type": "hello", "protocol": 2},
    {"type": "create", "game": "tictactoe"},
    {
        "type": "create",
        "id": "c",
        "game": "tictactoe",
        "seats": {"first": "open", "second": "computer:perfect"},
        "clock": None,
        "private": True,
        "rated": True,
        "key": "k",
    },
    {"type": "create", "game": "kalah", "setup": {"pits": 2, "seeds": 3.5, "start": "B:W21"}},
    {"type": "seek", "game": "chess", "setup": {"start": ""}},
    {"type": "trace", "game": "breakthrough", "setup": {"size": 5}},
    {"type": "replay", "game": "breakthrough", "setup": {"size": 5}, "moves": []},
    {"type": "claim_draw", "id": 1, "room": "r"},
    {"type": "join", "room": "r"},
    {"type": "join", "id": 1, "room": "r", "seat": "second"},
    {"type": "invite", "id": 1, "room": "r", "player": "p-1"},
    {"type": "watch", "room": "r"},
    {"type": "watch", "id": 1, "room": "r", "since": 0},
    {"type": "leave", "id": 1, "room": "r"},
    {"type": "play", "id": 1, "room": "r", "turn": 0, "move": "5"},
    {"type": "create", "game": "tictactoe", "clock": {"initial_s": 60, "increment_s": 0.5}},
    {"type": "create", "game": "tictactoe", "clock": {"per_move_s": 3600}},
    {"type": "create", "game": "tictactoe", "clock": {"per_move_s": 1_209_600}},
    {"type": "resign", "id": 1, "room": "r"},
    *({"type": f"{do}_{what}", "id": 1, "room": "r"} for do in DO for what in ("draw", "takeback", "rematch")),
    {"type": "claim", "id": 1, "room": "r", "result": "win"},
    {"type": "claim", "room": "r", "result": "draw"},
    {"type": "games"},
    {"type": "games", "id": 1, "over": True, "after": "r"},
    {"type": "take", "id": 1, "seek": "p-1.s"},
    {"type": "review", "id": 1, "room": "r"},
    {"type": "trace", "tree": "3,12,8/2,4,6/14,5,2"},
    {"type": "puzzles", "game": "hex"},
    {"type": "puzzle", "puzzle": "hex/0a1b2c3d"},
    {
        "type": "puzzle_move",
        "id": 1,
        "puzzle": "hex/0a1b2c3d",
        "moves": ["a1"],
        "move": "b2",
        "set": "s",
    },
    {"type": "puzzle_hint", "puzzle": "hex/0a1b2c3d", "moves": [], "number": 2},
    {"type": "puzzle_proof", "puzzle": "hex/0a1b2c3d", "set": "s"},
    {"type": "make_puzzle_set", "title": "Week 1", "puzzles": ["hex/0a1b2c3d"]},
    {"type": "puzzle_set", "set": "s", "delete": True},
    {"type": "trace", "game": "tictactoe", "start": "xox/.o./..x"},
    {"type": "playouts", "game": "tictactoe", "start": "xox/.o./..x", "moves": ["4"], "playouts": 20, "seed": 7},
    {
        "type": "trace",
        "id": 1,
        "game": "tictactoe",
        "moves": ["5"],
        "search": "table",
        "strict": True,
        "depth": 20,
    },
    {
        "type": "open_tournament",
        "id": 1,
        "name": "Friday",
        "format": "swiss",
        "game": "connect4",
        "clock": {"initial_s": 60, "increment_s": 0.5},
        "rounds": 5,
        "rated": True,
        "kinds": "bots",
        "registered": True,
        "starts_in_s": 60.5,
        "first_move_s": 30,
        "most": 16,
        "key": "k",
    },
    *({"type": f"{do}_tournament", "id": 1, "tournament": "t"} for do in ("enter", "start", "pause", "resume", "end")),
    {"type": "withdraw", "tournament": "t"},
    {"type": "withdraw", "id": 1, "tournament": "t", "player": "p-1"},
    {"type": "adjudicate", "id": 1, "tournament": "t", "room": "r", "result": "draw"},
    {"type": "tournaments", "id": 1},
    {"type": "tournament", "id": 1, "tournament": "t", "watch": True, "after": 100, "results": True},
    {"type": "lobby"},
    {"type": "lobby", "id": 1, "watch": True, "game": "tictactoe"},
    {"type": "devices", "id": 1},
    {"type": "add_device", "id": 1},
    {"type": "redeem", "id": 1, "code": "abcd-efgh", "client": "noughts-py/1.0", "preview": True},
    {"type": "redeem", "code": "abcdefgh"},
    {"type": "enter", "id": 1, "code": "abcd-efgh"},
    {"type": "sign_out", "id": 1, "device": "others"},
    {"type": "recovery_code", "id": 1},
    {"type": "renew_token", "id": 1},
    {"type": "qr", "id": 1, "link": "https://example.org/rooms/r"},
    {"type": "mute", "player": "p-1", "muted": False},
    {"type": "muted"},
    {"type": "report", "room": "r", "player": "p-1", "reason": "insults"},
    {"type": "set_webhook", "url": "https://ntfy.sh/my-noughts"},
    {"type": "set_webhook", "url": None},
    {"type": "webhook"},
    {"type": "chat_history", "id": 1, "room": "abc"},
    {"type": "legal_moves", "id": 1, "room": "abc"},
    {"type": "stakes", "id": 1, "room": "abc"},
    {"type": "watch", "room": "abc", "preview": True},
    {"type": "read", "id": 1, "suffix": "pgn", "text": "1. e4 *"},
    {"type": "write", "id": 1, "suffix": "pgn", "game": "chess", "setup": {}, "start": "", "moves": ["e4"]},
    {"type": "analyse", "id": 1, "game": "tictactoe", "setup": {}, "start": "", "moves": ["5"]},
    {"type": "replay", "game": "tictactoe", "start": "", "moves": [], "since": 0, "legal": True},
    {"type": "replay", "id": 1, "game": "tictactoe", "moves": ["5", "1"]},
    {"type": "ping", "id": -(2**53)},
]

WRONG_VALUES: dict[str, list[Any]] = {
    "type": [None, 1, True, [], {}, "", "Play", "welcome", "play "],
    "id": [True, 1.0, 1.5, 2**53 + 1, -(2**53) - 1, [], {}, "i" * 65, "\0", "\u202e"],
    "protocol": [None, True, 1.0, "1", []],
    "name": [1, True, [], "", " ", " a", "a ", "n" * 33, "a\0b", "a\nb", "\x7f", "a\u202eb", "\u200bab", "a\u2028b"],
    "bot": [None, 0, 1, "true", []],
    "token": [1, True, "t" * 65, "\0", "\n"],
    "client": [1, "c" * 65, "\x1b[31m"],
    "game": [1, True, [], {}, "g" * 65, "\0"],
    "seats": [
        None,
        [],
        "me",
        {},
        {"first": "me"},
        {"first": "me", "second": None},
        {"first": "me", "second": "you"},
        {"first": "me", "second": "computer"},
        {"first": "me", "second": "computer:"},
        {"first": "me", "second": "computer:godlike"},
        {"first": "me", "second": "computer:perfect\0"},
        {"first": "me", "second": "open", "third": "open"},
    ],
    "clock": [
        False,
        0,
        {},
        {"initial_s": 60},
        {"increment_s": 1},
        {"initial_s": 0, "increment_s": 1},
        {"initial_s": 10_801, "increment_s": 0},
        {"initial_s": 60, "increment_s": -1},
        {"initial_s": 60, "increment_s": 181},
        {"initial_s": "60", "increment_s": 0},
        {"initial_s": 60, "increment_s": 0, "per_move_s": 60},
        {"initial_s": True, "increment_s": 0},
        {"per_move_s": 0.5},
        {"per_move_s": 3601},
        {"per_move_s": 86_401},
        {"per_move_s": 1_296_000},
        {"per_move_s": None},
    ],
    "result": [None, "", "loss", 1, True],
    "private": [None, 0, 1, "yes"],
    "rated": [None, 0, "false"],
    "key": [1, "k" * 65, "\0"],
    "room": [None, 1, True, [], "r" * 65, "\0", "a\u202eb"],
    "seat": [1, True, "", "third", "First", []],
    "since": [True, -1, 1.0, 2**53 + 1, "1"],
    "start": [None, 1, "x" * 501, "\0", "a\nb"],
    "legal": [None, 0, "true"],
    "suffix": [None, 1, "p" * 65],
    "turn": [None, True, -1, 0.0, 2**53 + 1, "0"],
    "move": [None, 5, True, [], "m" * 65],
    "moves": [None, "5", {}, [5], [None], ["m" * 65], ["5"] * 1001],
    "watch": [None, 0, 1, "true"],
    "code": [None, 1, [], "c" * 65, "\0"],
    "preview": [None, 0, "true"],
    "device": [None, 1, [], "d" * 65, "\u202e"],
    "link": [
        None,
        1,
        "",
        "http://",
        "javascript:alert(1)",
        "http://a b",
        "http://ä",
        "http://a\n",
        f"http://{'x' * 194}",
    ],
    "tree": [1, True, [], "\0", "3\n", "\u202e", "1" * 4001],
    "search": [None, 1, "", "mcts", "MINIMAX"],
    "strict": [None, 0, "true"],
    "depth": [True, 0, 21, -1, 1.0, "1"],
}
OPTIONAL = {
    *("id", "name", "bot", "token", "client", "seats", "clock", "private", "rated", "key", "seat", "since"),
    *("preview", "over", "after", "setup"),
}
OPTIONAL_IN = {
    "mute": {"muted"},
    "open_tournament": {"rounds", "kinds", "registered", "starts_in_s", "first_move_s", "most"},
    "withdraw": {"player"},
    "tournament": {"watch", "results"},
    "lobby": {"game", "watch"},
    "trace": {"tree", "game", "moves", "search", "strict", "depth", "start"},
    "analyse": {"room", "game", "start", "moves"},
    "playouts": {"start", "moves", "playouts", "seed"},
    "replay": {"start", "legal"},
    "puzzles": {"game"},
    "puzzle_move": {"moves", "set"},
    "puzzle_hint": {"moves", "number"},
    "puzzle_proof": {"set"},
    "puzzle_set": {"delete"},
    "write": {"start"},
}


def refused(frame: str | bytes) -> tuple[ErrorCode, int | str | None]:
    with pytest.raises(BadRequest) as error:
        parse(frame)
    assert 0 < len(error.value.message) <= 400
    return error.value.code, error.value.id


@pytest.mark.parametrize("message", GOOD, ids=lambda message: message["type"])
def test_good(message: dict[str, Any]) -> None:
    request = parse(json.dumps(message))
    assert request == parse(json.dumps(message, ensure_ascii=False).encode())
    assert request.model_dump(exclude_unset=True) == message


@pytest.mark.parametrize("field", WRONG_VALUES)
def test_wrong_values(field: str) -> None:
    messages = [message for message in GOOD if field in message]
    assert messages
    for message in messages:
        for value in WRONG_VALUES[field]:
            if message["type"] in ("lobby", "analyse") and field == "game" and value is None:
                continue
            code, request_id = refused(json.dumps({**message, field: value}))
            assert code == "bad_message", (message, value)
            assert request_id == (None if field == "id" else message.get("id"))


@pytest.mark.parametrize("message", GOOD, ids=lambda message: message["type"])
def test_unknown_and_missing_fields(message: dict[str, Any]) -> None:
    unknown = "sender" if "player" in message or message["type"] == "withdraw" else "player"
    assert refused(json.dumps({**message, unknown: "p-1"})) == ("bad_message", message.get("id"))
    for field in message.keys() - OPTIONAL - OPTIONAL_IN.get(message["type"], set()):
        less = {key: value for key, value in message.items() if key != field}
        assert refused(json.dumps(less)) == ("bad_message", message.get("id")), field


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"type": "hello", "protocol": 1, "name": "a\0"}, "name: 1 to 32 visible characters"),
        (
            {"type": "create", "game": "g", "seats": {"first": "you", "second": "me"}},
            "seats.first: a seat is 'me', 'open' or 'computer:LEVEL' with a level of perfect",
        ),
        ({"type": "chat", "room": "r", "text": " x"}, "text: 1 to 280 visible characters"),
        ({"type": "chat", "room": "r", "text": "x" * 281}, "text: 1 to 280 visible characters"),
        ({"type": "play", "room": "r", "turn": 0, "move": "1", "note": ""}, "note: 1 to 1024 bytes of UTF-8, without"),
        ({"type": "play", "room": "r", "turn": 0, "move": "1", "note": "\u00e4" * 600}, "note: at most 1024 bytes"),
        ({"type": "play", "room": "r", "turn": 0}, "move: required"),
        (
            {"type": "create", "game": "g", "clock": {"per_move_s": 0}},
            "clock: null, {initial_s, increment_s} with 1 to 10800 and 0 to 180 seconds, or {per_move_s} with 1 to",
        ),
        ({"type": "pin"}, "type: the name of a request, all of which are in /asyncapi.json. Did you mean ping?"),
        (
            {"type": "Offer_Draw"},
            "type: the name of a request, all of which are in /asyncapi.json. Did you mean offer_draw?",
        ),
        ({"type": "ping" * 2000}, "type: the name of a request, all of which are in /asyncapi.json."),
        ({"type": ["ping"]}, "type: the name of a request, all of which are in /asyncapi.json."),
        ({}, "type: the name of a request, all of which are in /asyncapi.json."),
        ({"type": "ping", "id": "i" * 65}, "id: an integer or a string of at most 64 characters"),
        ({"type": "ping", "colour": 1}, "colour: unknown field"),
        ({"type": "join", "room": "\0"}, "room: a string without control"),
    ],
)
def test_errors_are_explained(message: dict[str, Any], words: str) -> None:
    with pytest.raises(BadRequest) as error:
        parse(json.dumps(message))
    assert error.value.message.startswith(words)


@pytest.mark.parametrize(
    "setup",
    [
        *("null", "true", "[]", '"size"', '{"size":null}', '{"size":[6]}', '{"size":{"size":6}}', '{"size":true}'),
        *('{"size":1e400}', '{"a\\u0000":1}', '{"size":"\\u0000"}'),
        f'{{"size":"{"x" * 201}"}}',
        f'{{"{"x" * 65}":1}}',
        "{" + ",".join(f'"{number}":1' for number in range(17)) + "}",
    ],
)
def test_a_setup_is_a_few_numbers_and_texts(setup: str) -> None:
    for request in ('{"type":"create","game":"g"', '{"type":"replay","game":"g","moves":[]'):
        with pytest.raises(BadRequest, match="setup: an object of at most 16 options"):
            parse(f'{request},"setup":{setup}}}')


def test_every_level_can_take_a_seat() -> None:
    for level in LEVELS:
        parse(json.dumps({"type": "create", "game": "g", "seats": {"first": f"computer:{level}", "second": "open"}}))


def test_names_of_many_scripts() -> None:
    for name in ("n", "n" * 32, "Łódź 7", "玩家", "الاعب", "🤖", "O'X-(1)", "e\u0301"):
        parse(json.dumps({"type": "hello", "protocol": 1, "name": name}))


@pytest.mark.parametrize(
    "frame",
    [
        "",
        " ",
        "x",
        "{",
        '{"type":"ping"',
        '{"type":"ping"} {}',
        "{'type':'ping'}",
        '{"type":"ping",}',
        '\ufeff{"type":"ping"}',
        '{"type":"ping","id":NaN}',
        '{"type":"ping","id":Infinity}',
        '{"type":"ping","id":-Infinity}',
        '{"type":"ping","id":01}',
        '{"type":"ping","id":' + "9" * 5000 + "}",
        '{"type":"ping","id":"\\ud800"}',
        '{"type":"ping","id":"\ud800"}',
        '{"type":"ping","id":"\0"}',
        b'{"type":"ping","id":"\xff"}',
        b'{"type":"ping","id":"\xc0\x80"}',
        b'{"type":"ping","id":"\xed\xa0\x80"}',
        "[" * 10_000,
        "[" * 10_000 + "]" * 10_000,
        '{"a":' * 10_000 + "1" + "}" * 10_000,
        '{"type":"ping","id":' + "[" * 10_000 + "]" * 10_000 + "}",
    ],
    ids=lambda frame: repr(frame)[:30],
)
def test_not_json(frame: str | bytes) -> None:
    assert refused(frame) == ("bad_json", None)


@pytest.mark.parametrize("frame", ["null", "true", "1", '"ping"', "[]", '["ping"]', '[{"type":"ping"}]', "{}"])
def test_json_that_is_not_a_message(frame: str) -> None:
    assert refused(frame) == ("bad_message", None)


def test_the_last_of_two_equal_fields_counts() -> None:
    """RFC 8259 leaves open what a doubled name means; here it is the last, for the check and for the answer alike."""
    assert parse('{"type":"ping","id":1,"id":2}').id == 2
    assert refused('{"type":"nothing","id":1,"id":2}') == ("bad_message", 2)


def test_errors_do_not_repeat_the_input() -> None:
    long = "a" * 10_000
    for message in ({"type": long}, {"type": "ping", long: 1}, {"type": "join", "room": long}):
        refused(json.dumps(message))


@pytest.mark.parametrize("content", [None, 1, "id", ["id"], {}, {"id": None}, {"id": True}, {"id": 0.5}, {"id": []}])
def test_ids_that_cannot_be_repeated(content: object) -> None:
    assert id_of(content) is None


def is_taken_or_refused(frame: str | bytes) -> None:
    try:
        parse(frame)
    except BadRequest as refusal:
        error = refusal
    else:
        return
    assert error.code in ("bad_json", "bad_message")
    assert 0 < len(error.message) <= 400
    assert error.id is None or type(error.id) in (int, str)


@given(st.text(st.characters(exclude_categories=())) | st.binary())
def test_any_text_and_bytes(frame: str | bytes) -> None:
    is_taken_or_refused(frame)


texts = st.text(max_size=80)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda values: st.lists(values, max_size=4) | st.dictionaries(texts, values, max_size=4),
    max_leaves=10,
)
almost = st.builds(
    lambda message, other, gone: {k: v for k, v in {**message, **other}.items() if k not in gone},
    st.sampled_from(GOOD),
    st.dictionaries(st.sampled_from([*WRONG_VALUES]) | texts, json_values, max_size=3),
    st.sets(st.sampled_from([*WRONG_VALUES]), max_size=2),
)


@given(json_values | almost)
def test_any_json(content: object) -> None:
    is_taken_or_refused(json.dumps(content))


@given(st.sampled_from(GOOD), st.data())
def test_any_damage_to_a_good_message(message: dict[str, Any], data: st.DataObject) -> None:
    frame = json.dumps(message).encode()
    start = data.draw(st.integers(0, len(frame)))
    end = data.draw(st.integers(start, len(frame)))
    is_taken_or_refused(frame[:start] + data.draw(st.binary(max_size=4)) + frame[end:])
