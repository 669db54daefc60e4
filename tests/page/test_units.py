"""The pure modules of the page, by Node's own tests in client/test/."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.programs import program

pytestmark = pytest.mark.services

TESTS = Path(__file__).parents[2] / "client" / "test"


def test_the_pure_modules_of_the_page() -> None:
    files = sorted(map(str, TESTS.glob("*.test.js")))
    done = subprocess.run([program("node"), "--test", *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
