"""The controls: nodes that break a promise are found out by the runs in which others keep it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import uvloop

from faults.run import Report, Scale, run
from support.postgres import Postgres

SCALE = Scale(
    games=100, players=24, alone=0, seekers=0, spectators=48, strikes=5, longest_s=4, patience_s=100, tables=("plain",)
)
"""Far more than it takes. Most runs end with the first promise that is broken."""

DESERTED = replace(SCALE, games=24, players=48, spectators=0, tables=("deserted",))
TIMED = replace(SCALE, games=40, spectators=0, strikes=1, tables=("steady", "hasty"))
SEEKING = replace(SCALE, games=60, players=0, seekers=36, spectators=0)


def found_out(flaw: str, fault: str, directory: Path, postgres: Postgres, scale: Scale = SCALE) -> Report:
    """What came of a run in which some promise was broken."""
    program = ("-m", "faults.flaws", flaw)
    for seed in range(1, 5):  # a flaw shows when things come together in time: likely in each run, certain in none
        logs = directory / f"{seed}"
        logs.mkdir()
        report = uvloop.run(run(fault, logs, postgres, scale, seed, program=program))
        if not report.kept:
            return report
    pytest.fail(f"nobody noticed that the nodes are {flaw}")


def told(report: Report, words: str) -> bool:
    """Whether a broken promise is told in these words, among others."""
    return any(words in what for what in report.broken)


def test_nodes_that_acknowledge_before_the_commit(tmp_path: Path, postgres: Postgres) -> None:
    report = found_out("early", "node-kill", tmp_path, postgres)
    assert told(report, "where the journal does not have it")


def test_nodes_that_acknowledge_before_the_commit_is_on_the_disk(tmp_path: Path, postgres: Postgres) -> None:
    report = found_out("unsynced", "postgres-kill", tmp_path, postgres)
    assert told(report, "where the journal does not have it") or told(report, "was shown at version")


def test_nodes_that_refuse_without_a_look_into_the_journal(tmp_path: Path, postgres: Postgres) -> None:
    report = found_out("hasty", "bus-noise", tmp_path, postgres)
    assert told(report, "a false refusal")


@pytest.mark.parametrize("flaw", ["trusting", "unsealed"])
def test_nodes_that_trust_the_bus(flaw: str, tmp_path: Path, postgres: Postgres) -> None:
    report = found_out(flaw, "bus-noise", tmp_path, postgres)
    assert told(report, "one client was told")


def test_nodes_that_charge_the_players_with_their_own_absence(tmp_path: Path, postgres: Postgres) -> None:
    report = found_out("charging", "cluster-kill", tmp_path, postgres, TIMED)
    assert told(report, "nobody was there for")


def test_nodes_that_let_a_flag_fall_early(tmp_path: Path, postgres: Postgres) -> None:
    report = found_out("hurried", "none", tmp_path, postgres, TIMED)
    assert told(report, "it was not to end so")


def test_nodes_that_take_who_is_back_for_gone(tmp_path: Path, postgres: Postgres) -> None:
    report = found_out("forgetful", "none", tmp_path, postgres, DESERTED)
    assert told(report, "was there from")


def test_nodes_that_pair_who_has_been_paired(tmp_path: Path, postgres: Postgres) -> None:
    report = found_out("blind", "none", tmp_path, postgres, SEEKING)
    assert told(report, "was paired")


def test_nodes_that_count_a_game_twice(tmp_path: Path, postgres: Postgres) -> None:
    report = found_out("twice", "none", tmp_path, postgres, replace(SEEKING, games=20))
    assert told(report, "made anew from the records it is")
