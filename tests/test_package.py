"""The contents of the source distribution."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_the_sources_are_packed_whole() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("it is only known in a checkout what belongs to the sources")
    run = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=True)
    tracked = {name.partition("/")[0] for name in run.stdout.splitlines()}
    packed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    included = {name.removeprefix("/") for name in packed["sdist"]["include"]}
    hidden = {name for name in tracked if name.startswith(".")}
    assert tracked - hidden - included == {"pyproject.toml"}  # which is packed in any case
    assert included <= tracked
