"""Questions to the user."""

from __future__ import annotations

from typing import Any, cast

import pytest

from noughts_client.terminal.prompts import ask, choose
from noughts_client.terminal.screen import PlainScreen

SIDES = [("first", "Red, moves first"), ("second", "Yellow"), ("random", "random")]


class Typed(PlainScreen):
    """A screen on which these lines were typed."""

    def __init__(self, *lines: str) -> None:
        super().__init__()
        self._thread = cast(Any, "not needed")
        for line in lines:
            self.lines.add(line)


@pytest.mark.parametrize(
    ("line", "chosen"),
    [
        ("", "first"),
        ("2", "second"),
        ("RED", "first"),
        ("yellow", "second"),
        ("second", "second"),
        ("Red, Moves first", "first"),
    ],
)
async def test_a_choice_is_typed_as_its_number_or_its_name(line: str, chosen: str) -> None:
    assert await choose(Typed("4", "green", line), "Which side?", SIDES) == chosen


@pytest.mark.parametrize("line", ["q", " Q ", "quit"])
async def test_q_leaves_every_question(line: str) -> None:
    with pytest.raises(EOFError):
        await ask(Typed(line), "What is your name?")
    with pytest.raises(EOFError):
        await choose(Typed(line), "Which side?", SIDES)
