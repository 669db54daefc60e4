"""Games on a cluster whose parts are killed, frozen and disturbed. ``scripts/faults`` runs them at any size."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
import uvloop

from faults.faults import FAULTS, Fault
from faults.run import Report, Scale, recoveries_s, run
from faults.target import Target
from support.postgres import Postgres

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SEED = 20261121
FULL = Scale(timeout_s=400)
SMALL = Scale(games=60, players=24, solo=4, seekers=12, spectators=40, strikes=2, longest_s=6, timeout_s=300)
SMALLEST = Scale(games=16, players=12, solo=1, seekers=6, spectators=8, strikes=1, longest_s=3, timeout_s=200)

SMOKE = 13
"""The number of faults that CI tries in a day, all of them within four days."""


def today(place: int) -> bool:
    """True if CI tries the fault at this place today."""
    return (place - datetime.now(UTC).toordinal() * SMOKE) % len(FAULTS) < SMOKE


def play(fault: str, scale: Scale, directory: Path, postgres: Postgres) -> Report:
    """A run in which every promise was kept."""
    report = uvloop.run(run(fault, directory, postgres, scale, SEED))
    assert report.kept, "\n".join(report.broken)
    assert report.strikes >= (scale.strikes if fault != "none" else 0)
    assert report.games >= scale.games
    assert report.moves >= 5 * report.games
    assert report.paired > 0
    assert report.rated > 0
    return report


@pytest.mark.parametrize(
    "fault",
    [pytest.param(name, marks=[pytest.mark.smoke] * today(place)) for place, name in enumerate(FAULTS)],
)
def test_every_promise_is_kept_at_the_smallest_size(fault: str, tmp_path: Path, postgres: Postgres) -> None:
    play(fault, SMALLEST, tmp_path, postgres)


@pytest.mark.parametrize("fault", sorted(FAULTS.keys() - {"none"}))
def test_every_promise_is_kept(fault: str, tmp_path: Path, postgres: Postgres) -> None:
    report = play(fault, SMALL, tmp_path, postgres)
    assert {"stale", "not_your_turn", "illegal_move"} <= set(report.refusals)
    if fault in ("node-kill", "node-stop"):
        assert report.reconnects > SMALL.players


def test_500_games_without_a_fault_where_opponents_never_share_a_node(tmp_path: Path, postgres: Postgres) -> None:
    report = play("none", FULL, tmp_path, postgres)
    assert report.reconnects == 0
    assert report.deliveries > 5 * report.moves


@asynccontextmanager
async def idle(target: Target) -> AsyncIterator[None]:
    """Nothing is broken after all."""
    yield


def test_a_fault_that_breaks_nothing_is_reported(
    tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FAULTS, "idle", Fault(idle, lasts=False))
    report = uvloop.run(run("idle", tmp_path, postgres, SMALLEST, SEED))
    assert report.broken == ["the fault has broken nothing"]


def test_a_strike_has_recovered_from_when_nothing_waits_any_more() -> None:
    strikes = [(10.0, 12.0), (20.0, 22.0), (30.0, 31.0)]
    waits = [(9.0, 11.0), (11.0, 12.5), (9.5, 13.0), (12.5, 19.0), (21.0, 33.0)]
    assert recoveries_s(strikes, waits) == [1.0, 8.0, 2.0]
    assert recoveries_s([], waits) == []
