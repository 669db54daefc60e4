"""No cell of a table starts a formula."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.spreadsheet import FORMULA, as_csv, cell


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        " =1",
        "\t=1",
        "\r=1",
        "\n=1",
        "\u00a0=1",
        "\uff1d1",
        "\0=1",
        "\u202e=1",
        "=cmd|' /C calc'!A0",
    ],
)
def test_a_text_that_could_start_a_formula_gets_a_quote(text: str) -> None:
    assert cell(text).startswith("'")


@pytest.mark.parametrize("text", ["Ada", "a=1", "'quoted", "", "José", "学生", 'a, "b"', "שלום"])
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert cell(text) == text


def test_numbers_stay_numbers() -> None:
    assert [cell(each) for each in (-12.5, 3, 0.1, 1e6, None)] == ["-12.5", "3", "0.1", "1000000", ""]


@given(st.lists(st.lists(st.text(), min_size=2, max_size=2), max_size=5))
def test_every_table_can_be_read_and_has_no_formula(rows: list[list[str]]) -> None:
    found = list(csv.reader(io.StringIO(as_csv(("a", "b"), rows))))
    assert len(found) == len(rows) + 1
    for row in found:
        assert len(row) == 2
        for each in row:
            assert not each.lstrip().startswith(FORMULA)
            assert not {"\t", "\r", "\n", "\0"} & set(each)
