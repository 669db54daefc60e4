"""The fits take the same options, and never replace weights with worse ones."""

from __future__ import annotations

import datetime
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench import weights as fitting
from bench.matches.stockfish import found

ROOT = Path(__file__).parents[2]
GAMES = ["reversi", "gomoku", "ultimate", "chess"]


def run(game: str, *options: str) -> int:
    pytest.importorskip("numba")
    if game == "chess" and found() is None:
        pytest.skip("Stockfish is not installed")
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


@pytest.mark.slow
@pytest.mark.smoke
def test_the_cells_of_gomoku_are_fitted_to_a_program_on_the_path(tmp_path: Path) -> None:
    """By a program that speaks as Rapfi does."""
    pytest.importorskip("numba")
    brain, file = tmp_path / "pbrain-rapfi", tmp_path / "new.json"
    brain.write_text(f"#!{sys.executable}\n{Path(__file__).with_name('brain.py').read_text(encoding='utf-8')}", "utf-8")
    brain.chmod(0o755)
    command = [sys.executable, "-m", "bench.gomoku.cells", "--games", "10", "--out", str(file)]
    path = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run(command, cwd=ROOT, env=path, check=True, timeout=300)
    stored = json.loads((ROOT / "server/noughts/engine/gomoku/weights.json").read_text(encoding="utf-8"))
    new = json.loads(file.read_text(encoding="utf-8"))
    assert new["provenance"]["cells"]["command"] == "python -m bench.gomoku.cells --games 10 --seed 1"
    stages = len(stored["weights"]) // 2
    assert new["weights"][stages:] == stored["weights"][stages:]
    assert new["weights"][:stages] != stored["weights"][:stages]
    assert [len(row) for row in new["cells"]] == [len(row) for row in stored["cells"]]
    assert new["cells"] != stored["cells"]


@pytest.mark.parametrize("options", [["--games", "9"], ["--out", "/nowhere/at/all.json"], ["60000", "1"]])
def test_bad_options_are_refused_before_any_game(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        fitting.asked("reversi", None, options, games=10)
    assert ended.value.code == 2
    assert "error:" in capsys.readouterr().err
