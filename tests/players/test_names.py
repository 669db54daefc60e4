"""What makes two names the same one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.players.names import guest_name, name_key

# Unicode's property Default_Ignorable_Code_Point, as far as it is assigned to what is a letter or a mark.
IGNORABLE = (
    0x034F,
    0x115F,
    0x1160,
    0x17B4,
    0x17B5,
    0x180B,
    0x180C,
    0x180D,
    0x180F,
    0x3164,
    0xFFA0,
    0xFE00,
    0xFE0F,
    0xE0100,
)


@pytest.mark.parametrize(
    "other",
    ["ANN LEE", "Ａｎｎ　Ｌｅｅ", "ann  lee", "ann\u00a0lee", *(f"ann lee{chr(code)}" for code in IGNORABLE)],  # noqa: RUF001
)
def test_names_that_nobody_can_tell_apart_are_one(other: str) -> None:
    assert name_key(other) == name_key("ann lee")


@pytest.mark.parametrize("other", ["annlee", "ann-lee", "ann 1ee", "апп lee", "ann léé"])
def test_names_of_other_letters_are_others(other: str) -> None:
    assert name_key(other) != name_key("ann lee")


@given(st.text(max_size=32))
def test_a_key_is_its_own(name: str) -> None:
    assert name_key(name_key(name)) == name_key(name)


def test_a_guest_is_called_by_the_beginning_of_the_id() -> None:
    assert guest_name("p-5xjaih7ioqcqi") == "guest-5xja"
