from __future__ import annotations

from functools import partial

import pytest

from noughts_client.state import meant, why_no_bot

NEEDED = "A bot is a function choose(state)"


class Bot:
    def choose(self, state: object) -> str:
        return str(state)


def no_argument() -> str:
    return "5"


def two(_state: object, _depth: int) -> str:
    return "5"


@pytest.mark.parametrize("bot", [Bot().choose, lambda state: state, partial(two, _depth=3), print, str.upper])
def test_whatever_takes_a_state_is_a_bot(bot: object) -> None:
    assert why_no_bot(bot) == ""


@pytest.mark.parametrize(
    ("bot", "why"),
    [
        (Bot, ", not the class Bot: for its method, give Bot().choose."),
        (Bot(), ", not an object: give its method, as in Bot().choose."),
        (no_argument(), ", not '5': give choose itself, without calling it."),
        (no_argument, ", but no_argument() -> str cannot be called with a state alone."),
        (two, ", but two(_state: object, _depth: int) -> str cannot be called with a state alone."),
    ],
)
def test_what_is_no_bot_is_told_what_to_give(bot: object, why: str) -> None:
    assert why_no_bot(bot).replace("'object'", "object").replace("'int'", "int").replace("'str'", "str") == NEEDED + why


def test_a_function_with_another_name_and_a_class_with_a_method_are_meant() -> None:
    assert meant("choose", {"Choose": two}) == "Did you mean Choose?"
    assert meant("choose", {"Bot": Bot}) == "For the class Bot, write choose = Bot().choose below it."
    assert meant("choose", {"other": two, "chooser": 5}) == ""
