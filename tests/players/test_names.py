from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.players.names import guest_name, is_invisible, is_reserved, name_key

# The letters and marks that have Unicode's property Default_Ignorable_Code_Point.
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
def test_names_that_look_the_same_share_a_key(other: str) -> None:
    assert name_key(other) == name_key("ann lee")


@pytest.mark.parametrize("other", ["annlee", "ann-lee", "ann 1ee", "апп lee", "ann léé"])
def test_names_with_different_letters_have_different_keys(other: str) -> None:
    assert name_key(other) != name_key("ann lee")


@given(st.text(max_size=32))
def test_a_key_is_its_own_key(name: str) -> None:
    assert name_key(name_key(name)) == name_key(name)


def test_a_guest_is_named_after_the_beginning_of_its_id() -> None:
    assert guest_name("p-5xjaih7ioqcqi") == "guest-5xja"


@pytest.mark.parametrize(
    ("name", "reserved"),
    [
        ("minimax", True),
        ("computer", True),
        ("COMPUTER", True),
        ("Minimax", True),
        ("guest-abcd", True),
        ("GUEST-", True),
        ("minimax 2", True),
        ("Computer:best", True),
        ("computer\uff1aperfect", True),
        ("P-5xjaih7ioqcqi", True),
        ("guest", False),
        ("minim\u0430x", True),
        ("\uff47uest-1", True),
        ("perfect", True),
        ("easy-going", False),
        ("my minimax", False),
        ("player-1", False),
        ("mini max", False),
    ],
)
def test_names_like_the_computers_a_guests_or_an_id_are_reserved(name: str, reserved: bool) -> None:
    assert is_reserved(name) is reserved


@pytest.mark.parametrize("name", ["\u3164", "\u2800\u2800", "\u115f", "\u1160\ufe0f", "\uffa0", "\u034f"])
def test_a_name_needs_a_visible_character(name: str) -> None:
    assert is_invisible(name)
    assert not is_invisible(f"a{name}")
