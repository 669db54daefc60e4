"""The recipe for TLS in docs/farm.md works as written."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from support.command_aside import noughts_process
from support.farm import farm_processes
from support.programs import program

pytestmark = pytest.mark.services

TEXT = (Path(__file__).parents[2] / "docs" / "farm.md").read_text(encoding="utf-8")


def make_certificates(folder: Path) -> None:
    (commands,) = re.findall(r"^```\n(openssl .*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    subprocess.run(["sh", "-ec", commands], cwd=folder, check=True, capture_output=True)


async def test_a_farm_with_tls_takes_work_from_who_has_a_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program("openssl")
    make_certificates(tmp_path)
    (settings,) = re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    (tmp_path / "dask").mkdir()
    (tmp_path / "dask" / "farm.yaml").write_text(settings.replace("/etc/farm", str(tmp_path)))
    for name in ("one", "other"):
        (tmp_path / f"{name}.py").write_text("def choose(state):\n    return state['legal_moves'][0]\n")
    command = ("league", "one.py", "other.py", "--game", "tictactoe", "--openings", "0", "--uncontained", "--farm")
    with monkeypatch.context() as given:
        given.setenv("DASK_CONFIG", str(tmp_path / "dask"))
        async with farm_processes(tmp_path / "farm", 1, protocol="tls") as processes:
            assert processes.address.startswith("tls://")
            ended = await noughts_process(*command, processes.address, folder=tmp_path)
            assert ended.status == 0, ended.err
            assert "2 of 2 games are over" in ended.out
            ended = await noughts_process(*command, "tcp://127.0.0.1:1", folder=tmp_path)
            assert "encryption required" in ended.err
            assert len(ended.err.splitlines()) == 1, ended.err
            given.delenv("DASK_CONFIG")
            ended = await noughts_process(*command, processes.address, folder=tmp_path)
            assert (ended.status, ended.out) == (1, "")
            assert "cannot reach the scheduler" in ended.err
