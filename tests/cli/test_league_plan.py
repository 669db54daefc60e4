"""A league is refused before it takes any time, and tells how far it is with its openings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from noughts.cli.league import containment_of, planned
from noughts_client.bots import sandbox
from support.command import noughts

TERMS: dict[str, Any] = {"game": "tictactoe", "seed": 1, "folder": Path("none")}
BOT = "def choose(state):\n    return state['legal_moves'][0]\n"


@pytest.fixture
def without_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No program is found, in a process that has not tried yet what it can contain."""
    sandbox.probe.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    yield
    sandbox.probe.cache_clear()


@pytest.mark.usefixtures("without_bubblewrap")
@pytest.mark.parametrize(
    "argv", [("league", "one.py", "two.py", "--game=reversi"), ("class", "roster.csv", "in", "--game=reversi")]
)
def test_bots_that_cannot_be_contained_are_refused_before_any_work(
    argv: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    for file in ("one.py", "two.py", "in/ada.py", "in/bob.py"):
        (tmp_path / file).write_text(BOT)
    (tmp_path / "roster.csv").write_text("student,name\nada,Ada\nbob,Bob\n")
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.iterdir())
    result = noughts(*argv)
    assert result.status == 1
    assert result.err.startswith(f"noughts {argv[0]}: Other people's bots cannot be contained here.")
    assert result.err.count("\n") == 1
    assert set(tmp_path.iterdir()) == before


@pytest.mark.usefixtures("without_bubblewrap")
def test_levels_of_the_computer_need_no_sandbox() -> None:
    league = planned(["computer:easy", "computer:perfect"], uncontained=False, rounds=1, **TERMS)
    assert containment_of(league, uncontained=False) is None


def test_choosing_openings_tells_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    planned(["computer:easy", "computer:perfect"], uncontained=False, rounds=7, **TERMS)
    assert capsys.readouterr().err == "Choosing openings ...\n5 of at most 7 openings are chosen.\n"


@pytest.mark.parametrize(("clock", "told"), [("30+0.3", "The clock 30+0.3 is 30 minutes"), ("30s+0.3", "Choosing")])
def test_a_clock_of_minutes_is_explained_first(clock: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    planned(["computer:easy", "computer:perfect"], uncontained=False, rounds=1, clock=clock, **TERMS)
    assert capsys.readouterr().err.startswith(told)


def test_without_openings_nothing_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    planned(["computer:easy", "computer:perfect"], uncontained=False, rounds=7, plies=0, **TERMS)
    assert capsys.readouterr().err == ""
