"""The fits take the same options, and never replace weights with worse ones."""

from __future__ import annotations

import datetime
import importlib
import json
from pathlib import Path

import pytest

from bench import weights as fitting

ROOT = Path(__file__).parents[2]
GAMES = ["reversi", "gomoku", "ultimate"]


def run(game: str, *options: str) -> int:
    pytest.importorskip("numba")
    status = importlib.import_module(f"bench.{game}.fit").main(options)
    assert isinstance(status, int)
    return status


def kept(asked: fitting.Asked, before: float | None, after: float) -> int:
    losses = {"log loss": (0.5, 0.5), "another": (before, after)}
    return fitting.keep(asked, losses, {"games": 10}, unit=90, features=["1", "moves"], weights=[[3, -4]])


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> fitting.Asked:
    """Options of a fit that writes to a source tree of the test's own."""
    monkeypatch.setattr(fitting, "ENGINES", tmp_path)
    (tmp_path / "reversi").mkdir()
    return fitting.asked("reversi", None, [], games=10)


def test_weights_that_are_worse_are_not_kept(asked: fitting.Asked, capsys: pytest.CaptureFixture[str]) -> None:
    assert kept(asked, 0.6, 0.6001) == 1
    assert not asked.replaced.exists()
    printed = capsys.readouterr()
    assert "another on games held back: 0.6 before, 0.6001 after" in printed.out
    assert "worse" in printed.err
    assert str(asked.replaced) in printed.err


@pytest.mark.parametrize("before", [0.6001, 0.6, None])
def test_weights_that_are_no_worse_are_kept(
    asked: fitting.Asked, before: float | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kept(asked, before, 0.6) == 0
    printed = capsys.readouterr()
    assert str(asked.replaced) in printed.out
    assert printed.err == ""
    written = json.loads(asked.replaced.read_text(encoding="utf-8"))
    assert written["weights"] == [[3, -4]]
    assert written["provenance"]["command"] == "python -m bench.reversi.fit --games 10 --seed 1"
    found = fitting.rows_of(asked.replaced, ["1", "moves"])
    assert found is not None
    assert found.tolist() == [[3, -4]]
    assert fitting.rows_of(asked.replaced, ["1", "corners"]) is None


def test_out_writes_the_weights_even_if_they_are_worse(
    asked: fitting.Asked, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = tmp_path / "new.json"
    aside = fitting.asked("reversi", None, ["--out", str(elsewhere)], games=10)
    assert kept(aside, 0.6, 0.6001) == 0
    assert json.loads(elsewhere.read_text(encoding="utf-8"))["weights"] == [[3, -4]]
    assert not asked.replaced.exists()
    printed = capsys.readouterr()
    assert "worse" in printed.err
    assert str(elsewhere) in printed.out


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_without_options_the_command_is_the_one_in_the_stored_weights(game: str) -> None:
    pytest.importorskip("numba")
    asked = importlib.import_module(f"bench.{game}.fit").options([])
    assert asked.replaced == ROOT / "server" / "noughts" / "engine" / game / "weights.json"
    provenance = json.loads(asked.replaced.read_text(encoding="utf-8"))["provenance"]
    assert provenance["command"] == asked.command
    assert datetime.datetime.strptime(provenance["date"], "%B %Y")


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_it_learns_from_few_games(game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, replaced = tmp_path / "new.json", ROOT / "server" / "noughts" / "engine" / game / "weights.json"
    before = replaced.read_bytes()
    assert run(game, "--games", "10", "--seed", "3", "--out", str(file)) == 0
    assert replaced.read_bytes() == before
    old, new = json.loads(before), json.loads(file.read_text(encoding="utf-8"))
    assert new["provenance"].keys() == old["provenance"].keys()
    assert new["provenance"]["command"].startswith(f"python -m bench.{game}.fit --games 10 ")
    assert (new["features"], new["unit"]) == (old["features"], old["unit"])
    assert [len(row) for row in new["weights"]] == [len(row) for row in old["weights"]]
    assert new["weights"] != old["weights"]
    assert str(file) in capsys.readouterr().out


@pytest.mark.parametrize("options", [["--games", "9"], ["--out", "/nowhere/at/all.json"], ["60000", "1"]])
def test_bad_options_are_refused_before_any_game(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        fitting.asked("reversi", None, options, games=10)
    assert ended.value.code == 2
    assert "error:" in capsys.readouterr().err
