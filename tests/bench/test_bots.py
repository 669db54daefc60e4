from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.programs import program

pytestmark = pytest.mark.services


def test_bots_are_measured_with_and_without_the_sandbox() -> None:
    program("bwrap")
    said = subprocess.run(
        [sys.executable, "-m", "bench.bots", "--quick"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.split("|")[1:3] for line in said.stdout.splitlines() if line.startswith("| ")]
    assert rows == [
        [" bot ", " run "],
        [" Python ", " alone "],
        [" Python ", " sandbox "],
        [" shell ", " alone "],
        [" shell ", " sandbox "],
    ]
