"""The benchmark of connections and of games that are given up runs, with and without a file for the journal."""

from __future__ import annotations

import pytest

from support.benchmarks import pins_to_two_cores, quick

pytestmark = [pytest.mark.slow, pins_to_two_cores]


async def test_it_runs_and_gives_sane_numbers() -> None:
    rows = [row.strip("| ").split(" | ") for row in await quick("meeting") if row.startswith("| noughts")]
    assert [row[0] for row in rows] == ["noughts", "noughts, in memory"]
    for _, games, connections in rows:
        assert 10 < float(games.split()[0]) < 100_000
        assert 10 < float(connections.split()[0]) < 100_000
