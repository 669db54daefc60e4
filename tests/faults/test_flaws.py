"""Controls: the fault runner detects nodes that break a promise, in the same runs that the others pass."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import uvloop

from faults.run import Report, Scale, run
from support.postgres import Postgres

pytestmark = pytest.mark.slow

SCALE = Scale(
    games=100, players=24, solo=0, seekers=0, spectators=48, strikes=5, longest_s=4, timeout_s=100, tables=("plain",)
)
"""Far more than necessary. Most runs end with the first broken promise."""

DESERTED = replace(SCALE, games=24, players=48, spectators=0, tables=("deserted",))
TIMED = replace(SCALE, games=40, spectators=0, strikes=1, tables=("slow", "fast"))
SEEKING = replace(SCALE, games=60, players=0, seekers=36, spectators=0)


@pytest.mark.parametrize(
    ("flaw", "fault", "scale", "messages"),
    [
        ("early-acknowledgement", "node-kill", SCALE, ["the journal does not have it"]),
        ("unsynced-commit", "failover", SCALE, ["the journal does not have it", "was shown as"]),
        ("unsynced-commit", "postgres-kill", SCALE, ["the journal does not have it", "was shown as"]),
        ("unread-refusal", "bus-noise", SCALE, ["a false refusal"]),
        ("unchecked-version", "bus-noise", SCALE, ["one client received"]),
        ("unchecked-signature", "bus-noise", SCALE, ["one client received"]),
        ("charged-outage", "cluster-kill", TIMED, ["an outage of"]),
        ("early-flag", "none", TIMED, ["wrong ending"]),
        ("ignored-return", "none", DESERTED, ["was connected"]),
        ("double-pairing", "none", SEEKING, ["was paired"]),
        ("double-rating", "none", replace(SEEKING, games=20), ["but recomputed it is"]),
    ],
)
def test_a_flaw_is_detected(
    flaw: str, fault: str, scale: Scale, messages: list[str], *, tmp_path: Path, postgres: Postgres
) -> None:
    report = first_broken(flaw, fault, scale, tmp_path, postgres)
    assert [broken for broken in report.broken if any(message in broken for message in messages)], report.broken


def first_broken(flaw: str, fault: str, scale: Scale, directory: Path, postgres: Postgres) -> Report:
    """The first report with a broken promise. A flaw shows up in most runs, but in none for certain."""
    program = ("-m", "faults.flaws", flaw)
    for seed in range(1, 5):
        logs = directory / f"{seed}"
        logs.mkdir()
        report = uvloop.run(run(fault, logs, postgres, scale, seed, program=program))
        if not report.kept:
            return report
    pytest.fail(f"the flaw {flaw} was not detected")
