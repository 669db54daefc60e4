"""The model of many games reads all of its figures."""

from __future__ import annotations

import pytest

from bench.nodes.model import Stored, farmed, figure, measured, parts, table

SECTION = ["## Other", "| a | 1 |", "## Wanted", "| what | n |", "|---|---|", "| a | x |", "| ab | 1,234.5 (1 to 2) |"]


def test_a_figure_is_the_first_number_of_its_row() -> None:
    assert figure("Wanted", "a", 1, lines=SECTION) == 1234.5
    with pytest.raises(LookupError, match="no number in column 1 of 'b'"):
        figure("Wanted", "b", 1, lines=SECTION)


def test_every_part_has_a_figure_and_the_first_to_break_comes_first() -> None:
    found = parts(Stored(60.0, 150.0))
    assert [part.most for part in found] == sorted(part.most for part in found)
    assert all(1_000 < part.most < 10_000_000 for part in found)
    assert len(list(table(found))) == len(found) + 1
    assert "| 19.8 h | 60 min |" in "".join(farmed())


async def test_a_room_is_measured() -> None:
    stored = await measured(3, 4)
    assert 2 < stored.kib < 200
    assert 50 < stored.event_bytes < 500
