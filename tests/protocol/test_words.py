"""The protocol's words are those of the rooms and the engine, which a client does not load."""

from __future__ import annotations

import sys
from subprocess import run
from typing import Any, get_args

import pytest

from noughts.engine import LEVELS, Method
from noughts.engine.tree import MOST_CHARACTERS, MOST_PLIES
from noughts.games import Reason
from noughts.protocol import words
from noughts.rooms import Pool, RefusalCode, Unrated


@pytest.mark.parametrize(
    ("word", "known"),
    [
        (words.LEVELS, tuple(LEVELS)),
        (get_args(words.Method), tuple(Method)),
        (get_args(words.Pool), get_args(Pool)),
        (get_args(words.Unrated), get_args(Unrated)),
        (get_args(words.RefusalCode), get_args(RefusalCode)),
        (tuple(words.ENDINGS), tuple(Reason)),
        (words.TREE_CHARACTERS, MOST_CHARACTERS),
        (words.TREE_PLIES, MOST_PLIES),
    ],
    ids=["levels", "methods", "pools", "unrated", "refusals", "reasons", "characters", "plies"],
)
def test_the_words_are_those_of_the_parts(word: Any, known: Any) -> None:
    assert word == known


def test_a_bot_loads_neither_engine_nor_rooms() -> None:
    """The import contract says the same of all modules that the kit could load."""
    code = "import sys; from noughts_client import run; print(*sorted(sys.modules))"
    loaded = run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split()
    ours = {".".join(name.split(".")[:2]) for name in loaded if name.startswith("noughts.")}
    assert ours == {"noughts.games", "noughts.protocol", "noughts.value"}
    assert {name for name in loaded if name.startswith("noughts.protocol.")} == {
        "noughts.protocol.messages",
        "noughts.protocol.words",
    }
