"""Games on a cluster whose parts die, freeze and lie. ``scripts/faults`` does the same at any size."""

from __future__ import annotations

from pathlib import Path

import pytest
import uvloop

from faults.faults import FAULTS
from faults.run import Report, Scale, run
from support.postgres import Postgres

SEED = 20261121
FULL = Scale(patience_s=150)
SMALL = Scale(games=60, players=24, alone=4, seekers=12, spectators=40, strikes=2, longest_s=6, patience_s=150)
"""As much as the time of a test run allows while something is broken."""


def played(fault: str, scale: Scale, directory: Path, postgres: Postgres) -> Report:
    """What came of a run in which every promise was kept."""
    report = uvloop.run(run(fault, directory, postgres, scale, SEED))
    assert report.kept, "\n".join(report.broken)
    assert report.games >= scale.games
    assert report.moves >= 5 * report.games
    assert report.met > 0
    assert report.rated > 0
    assert {"stale", "not_your_turn", "illegal_move"} <= set(report.refusals)
    return report


def test_500_games_on_three_nodes_where_opponents_never_share_one(tmp_path: Path, postgres: Postgres) -> None:
    report = played("none", FULL, tmp_path, postgres)
    assert report.reconnects == 0
    assert report.deliveries > 5 * report.moves


@pytest.mark.parametrize("fault", sorted(FAULTS.keys() - {"none"}))
def test_every_promise_is_kept_through(fault: str, tmp_path: Path, postgres: Postgres) -> None:
    report = played(fault, SMALL, tmp_path, postgres)
    assert report.strikes >= SMALL.strikes
    if fault in ("node-kill", "node-stop"):
        assert report.reconnects > SMALL.players
