"""The package for Gradescope, run as there, without user namespaces, but for its folder."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from support.programs import program

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="it is a shell script")]

PACKAGE = Path(__file__).parents[2] / "examples/gradescope"


async def graded(folder: Path, files: dict[str, str]) -> Any:
    """The results of a submission."""
    (folder / "submission").mkdir()
    for name, text in files.items():
        (folder / "submission" / name).write_text(text)
    bin_folder = folder / "venv/bin"
    bin_folder.mkdir(parents=True)
    (bin_folder / "noughts").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m noughts "$@"\n')
    (bin_folder / "noughts").chmod(0o755)
    settings = {"AUTOGRADER": str(folder), "GAME": "tictactoe", "ROUNDS": "1", "OPPONENTS": "easy medium"}
    # Neither a user namespace nor a capability that makes other namespaces is left.
    container = (program("bwrap"), "--dev-bind", "/", "/", "--unshare-user", "--disable-userns", "--cap-drop", "ALL")
    script = await asyncio.create_subprocess_exec(*container, PACKAGE / "run_autograder", env=os.environ | settings)
    assert await script.wait() == 0
    return json.loads((folder / "results/results.json").read_text())


async def test_a_bot_gets_points_and_a_place(tmp_path: Path) -> None:
    files = {"bot.py": "def choose(state):\n    return state['legal_moves'][0]\n", "other.py": "syntax error"}
    found = await graded(tmp_path, files)
    assert [(each["name"], each["max_score"]) for each in found["tests"]] == [
        ("against easy", 2),
        ("against medium", 2),
    ]
    assert found["leaderboard"][1] == {"name": "failures", "value": 0, "order": "asc"}


async def test_without_a_bot_there_are_results_too(tmp_path: Path) -> None:
    assert await graded(tmp_path, {"readme.txt": "later"}) == {
        "score": 0,
        "output": "There is no Python file in the submission.\n",
    }


def test_the_scripts_are_what_gradescope_starts() -> None:
    for name in ("setup.sh", "run_autograder"):
        assert os.access(PACKAGE / name, os.X_OK)
        assert (PACKAGE / name).read_text().startswith("#!/usr/bin/env bash\n")
