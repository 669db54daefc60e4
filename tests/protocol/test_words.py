"""The protocol's words are those of the rooms and the engine, which a client does not load."""

from __future__ import annotations

import sys
from subprocess import run
from typing import Any, get_args

import pytest

from noughts.engine import LEVELS, MOST_ITERATIONS, Method
from noughts.engine.review import Mark
from noughts.engine.tree import MOST_CHARACTERS, MOST_PLIES
from noughts.games import Reason
from noughts.gateway.replies import CloseCode
from noughts.protocol import words
from noughts.rooms import Pool, RefusalCode, Unrated


@pytest.mark.parametrize(
    ("word", "known"),
    [
        (words.LEVELS, tuple(LEVELS)),
        (get_args(words.Method), tuple(Method)),
        (get_args(words.Pool), get_args(Pool)),
        (get_args(words.Unrated), get_args(Unrated)),
        (tuple(words.UNRATED), get_args(Unrated)),
        (get_args(words.ReviewMark), tuple(Mark)),
        (tuple(words.MARKS), tuple(Mark)),
        (sorted(words.ERRORS), sorted(code for part in get_args(words.ErrorCode) for code in get_args(part))),
        (get_args(words.RefusalCode), get_args(RefusalCode)),
        (tuple(words.ENDINGS), tuple(Reason)),
        (words.TREE_CHARACTERS, MOST_CHARACTERS),
        (words.TREE_PLIES, MOST_PLIES),
        (words.TRACED_PLAYOUTS, MOST_ITERATIONS),
    ],
    ids=[
        *("levels", "methods", "pools", "unrated", "words of unrated", "marks", "words of marks", "errors", "refusals"),
        *("reasons", "characters", "plies", "playouts"),
    ],
)
def test_the_words_are_those_of_the_parts(word: Any, known: Any) -> None:
    assert word == known


def test_every_code_with_which_a_connection_closes_has_a_meaning() -> None:
    """The library closes with 1002, 1007 and 1009, and clients note 1006 themselves."""
    assert set(words.CLOSES) == {int(code) for code in CloseCode} | {1002, 1006, 1007, 1009}


@pytest.mark.parametrize(
    ("who_won", "reason", "sentence"),
    [
        ("You won", "line", "You won by a full row."),
        ("You lost", "time", "You lost on time."),
        ("Ann won", "abandonment", "Ann won by abandonment."),
        (None, "draw", "Draw."),
        (None, "agreement", "Draw by agreement."),
        (None, "abandonment", "Both players left, and the game was closed."),
        (None, "aborted", "The game was closed before it began."),
        ("Ann won", "checkmate", "Ann won by checkmate."),
        (None, "stalemate", "Draw by stalemate."),
    ],
)
def test_the_end_of_a_game_is_a_sentence(who_won: str | None, reason: str, sentence: str) -> None:
    """A reason that only a newer server knows is one, too."""
    assert words.ended(who_won, reason) == sentence


@pytest.mark.parametrize(
    ("who_won", "count", "sentence"),
    [("Ann won", 3, "with three in a row"), ("You lost", 5, "by a full row"), ("You won", 7, "by a full row")],
)
def test_a_row_is_told_by_its_length(who_won: str, count: int, sentence: str) -> None:
    assert words.ended(who_won, "line", cells=["a1"] * count) == f"{who_won} {sentence}."


@pytest.mark.parametrize(
    ("who_won", "reason", "sentence"),
    [
        ("Ann won", "line", "Ann won with three boards in a row."),
        ("You lost", "line", "You lost to three boards in a row."),
        ("Ann won", "count", "Ann won 51 to 13."),
        ("You lost", "count", "You lost 13 to 51."),
        (None, "count", "Draw 51 to 13."),
        ("Ann won", "time", "Ann won on time."),
    ],
)
def test_a_line_of_boards_and_a_count_have_words_of_their_own(who_won: str | None, reason: str, sentence: str) -> None:
    told = words.ended(
        who_won, reason, lost=who_won == "You lost", cells=["a1"] * 9, boards=reason == "line", score=[13, 51]
    )
    assert told == sentence


def test_the_words_of_a_server_come_before_our_own() -> None:
    theirs: words.Words = {**words.WORDS, "endings": {"checkmate": {"how": "by mate", "board": True}}}
    assert words.ended("Ann won", "checkmate", theirs) == "Ann won by mate."
    assert not words.has_result(None, "aborted")
    assert words.has_result(None, "draw")
    assert words.has_result("first", "abandonment")


def test_a_bot_loads_neither_engine_nor_rooms() -> None:
    """The import contract says the same of all modules that the kit could load."""
    code = "import sys; from noughts_client import run; print(*sorted(sys.modules))"
    loaded = run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split()
    ours = {".".join(name.split(".")[:2]) for name in loaded if name.startswith("noughts.")}
    assert ours == {"noughts.games", "noughts.protocol", "noughts.value"}
    assert {name for name in loaded if name.startswith("noughts.protocol.")} == {
        *(f"noughts.protocol.{of}messages" for of in ("", "class_", "player_", "room_", "study_", "tournament_")),
        "noughts.protocol.words",
    }
