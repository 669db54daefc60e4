"""Names that look alike have the same look."""

from __future__ import annotations

import unicodedata

import pytest
from confusable_homoglyphs.utils import load
from hypothesis import given
from hypothesis import strategies as st

from noughts.players.looks import edition, look, skeleton, stored_look


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("minimax", "minim\N{CYRILLIC SMALL LETTER A}x"),
        ("minimax", "MINIMAX"),
        ("minimax", "M\N{CYRILLIC CAPITAL LETTER BYELORUSSIAN-UKRAINIAN I}NIMAX"),
        ("minimax", "MlNlMAX"),
        ("minimax", "m\N{LATIN SMALL LETTER DOTLESS I}nimax"),
        ("minimax", "minirnax"),
        ("minimax", "\N{FULLWIDTH LATIN SMALL LETTER M}inimax"),
        ("minimax", "\N{MATHEMATICAL BOLD SMALL M}inimax"),
        ("computer:perfect", "computer\N{MODIFIER LETTER COLON}perfect"),
        ("bob", "\N{CYRILLIC CAPITAL LETTER VE}ob"),
        ("lucy", "Iucy"),
        ("lucy", "1ucy"),
        ("Ann Lee", "ann\N{NO-BREAK SPACE} lee"),
        ("Ann Lee", "a\N{HANGUL FILLER}nn lee"),
        ("zo\N{LATIN SMALL LETTER E WITH DIAERESIS}", "zoe\N{COMBINING DIAERESIS}"),
        ("\N{GREEK SMALL LETTER OMICRON}lga", "olga"),
        ("team0", "teamO"),
    ],
)
def test_names_that_look_alike(one: str, other: str) -> None:
    assert look(one) == look(other)
    assert stored_look(one) == stored_look(other)


@pytest.mark.parametrize("other", ["ben", "anne", "\N{LATIN SMALL LETTER A WITH ACUTE}nn", "an n", "ann2", "ana", ""])
def test_names_that_do_not(other: str) -> None:
    assert look("ann") != look(other)


@given(st.text(max_size=32))
def test_a_skeleton_is_its_own_skeleton(text: str) -> None:
    assert skeleton(skeleton(text)) == skeleton(text)


def test_what_the_librarys_table_calls_alike_has_the_same_skeleton() -> None:
    """Letters that the algorithm takes apart before it looks into the table are left out."""
    for key, others in load("confusables.json").items():
        alike = {text.replace("\u200e", "") for text in (key, *(other["c"] for other in others))}
        whole = [text for text in alike if len(text) == 1 and unicodedata.is_normalized("NFD", text)]
        assert len(set(map(skeleton, whole))) <= 1, whole


def test_looks_of_different_data_are_never_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    before = stored_look("ann")
    assert before == f"{edition()} ann"
    monkeypatch.setattr("noughts.players.looks._RULES", 2)
    edition.cache_clear()
    try:
        assert stored_look("ann") != before
    finally:
        monkeypatch.undo()
        edition.cache_clear()
