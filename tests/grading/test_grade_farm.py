"""``noughts grade --farm`` with a real scheduler and a real worker of Dask."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from grading import students
from support.command import noughts
from support.farm import farm_processes

pytestmark = pytest.mark.services


async def test_a_class_is_graded_on_a_farm_as_here(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "ada").mkdir(parents=True)
    (folder / "ada" / "search.py").write_text(students.ALSO_A_BOT)
    (folder / "ben.py").write_text("def alphabeta(position):\n    raise IndexError('no')\n")
    (folder / "cy.py").write_text("raise ValueError(5)\n")
    (folder / "dan.py").symlink_to(folder / "ben.py")

    async def graded(where: str, *options: str) -> tuple[str, dict[str, str]]:
        csv, told = tmp_path / where / "grades.csv", tmp_path / where / "told"
        words = ("grade", str(folder), "--csv", str(csv), "--details", str(told), "--uncontained", *options)
        result = await asyncio.to_thread(noughts, *words)
        assert (result.status, result.err) == (1, "")
        return csv.read_text(), {path.name: re.sub(r"\d+\.\d\d s", "", path.read_text()) for path in told.iterdir()}

    async with farm_processes(tmp_path / "farm", 1, threads=2) as processes:
        there = await graded("there", "--farm", processes.address)
    here = await graded("here")
    assert there == here
    assert "dan,0,100" in there[0]
    assert 'File "ben.py", line 2' in there[1]["ben.txt"]


def test_a_farm_that_is_not_there_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.farm.CONNECT_S", 0.5)
    (tmp_path / "a.py").write_text("")
    result = noughts("grade", str(tmp_path), "--farm", "tcp://127.0.0.1:1", "--uncontained")
    assert result.status == 2
    assert "cannot reach the scheduler tcp://127.0.0.1:1" in result.err
