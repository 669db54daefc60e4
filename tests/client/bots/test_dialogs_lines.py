from __future__ import annotations

import json

import pytest
from pydantic import TypeAdapter

from noughts.protocol.fields import Note
from noughts_client.bots.dialogs import NotAnAnswer, Raised, read_answer
from noughts_client.state import BotState
from support.bots import state_after


def test_a_turn_is_one_line_with_documented_fields() -> None:
    state = state_after("5", "1")
    state.deadline = 101.5
    line = state.to_line(now=100)
    assert "\n" not in line
    assert json.loads(line) == {
        "game": "tictactoe",
        "room": "r",
        "side": "first",
        "symbol": "x",
        "turn": 2,
        "ply": 2,
        "legal_moves": ["2", "3", "4", "6", "7", "8", "9"],
        "rows": ["o..", ".x.", "..."],
        "moves": ["5", "1"],
        "to_move": "first",
        "seats": {"first": None, "second": None},
        "clock": None,
        "time_ms": 1500,
    }


def test_a_turn_can_be_read_back_as_a_state() -> None:
    state = state_after("5")
    read = BotState.from_line(json.loads(state.to_line()))
    assert (read.game, read.room, read.side, read.symbol, read.deadline) == ("tictactoe", "r", "second", "o", None)
    assert read.position == state.position


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("4", ("4", "")),
        ("  d3\r", ("d3", "")),
        ('"4"', ("4", "")),
        ('{"move": "4"}', ("4", "")),
        ('{"move": "4", "note": "+0.3", "depth": 9}', ("4", "+0.3")),
        ('{"move": "4", "note": null}', ("4", "")),
        ('{"move": "\\ud800", "note": "\\udfff"}', ("?", "?")),
        (f'{{"move": "4", "note": "{"ü" * 600}"}}', ("4", "ü" * 512)),
        (json.dumps({"move": "4", "note": "a\0b\x1bc\u202ed\u2028e\ud800\tf\n"}), ("4", "a?b?c?d?e?\tf\n")),
        ('{"error": {"type": "KeyError", "message": "4", "traceback": "..."}}', Raised("KeyError", "4", "...")),
    ],
)
def test_an_answer_is_a_move_with_or_without_a_note(line: str, answer: tuple[str, str] | Raised) -> None:
    assert read_answer(line) == answer


def test_the_server_takes_every_note_that_is_read() -> None:
    for code in (*range(0x300), *range(0x2000, 0x2100), 0xD800, 0xE000, 0xFFFE, 0x10FFFF):
        answer = read_answer(json.dumps({"move": "4", "note": chr(code)}))
        assert isinstance(answer, tuple)
        TypeAdapter(Note).validate_python(answer[1])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "is not a move"),
        ("I play 4", "is not a move"),
        ("x" * 65, "is not a move"),
        ("\x1b[2J", "is not a move"),
        ('{"move": "4"', "is not JSON"),
        ('{"move":' * 10_000, "is not JSON"),
        ('{"move": 4}', 'has no "move" that is a string'),
        ('{"column": "4"}', 'has no "move" that is a string'),
        ('{"move": "4", "note": 3}', "has a note that is not a string"),
        ('{"error": "broken"}', 'has no "move" that is a string'),
    ],
)
def test_anything_else_is_unreadable(line: str, why: str) -> None:
    with pytest.raises(NotAnAnswer) as caught:
        read_answer(line)
    assert str(caught.value) == why
