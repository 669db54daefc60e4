"""The soak runs, every attacker has its turn, and honest clients are served meanwhile."""

from __future__ import annotations

import pytest

from support.benchmarks import quick

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


async def test_it_runs_and_gives_sane_numbers() -> None:
    lines = await quick("soak")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("| ")]
    attacks = {row[0]: row for row in rows if len(row) == 13 and row[0] != "attack"}
    assert len(attacks) == 17
    for name, p50, p99, _, longest, requests, *_, limits in attacks.values():
        assert 0 < float(p50) <= float(p99) <= float(longest) < 60_000
        assert int(requests) > 10
        assert bool(limits) or name not in ("pings at 1 MB/s", "fragments", "watch since")
    assert [row[0] for row in rows if len(row) == 7][1:] == ["start", "1/3", "2/3", "end"]
    assert lines[-1] == "tracebacks in the server's log: 0"
