"""``noughts verify --farm`` with a real scheduler and a real worker of Dask."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from support.command import noughts
from support.farm import farm_processes

pytestmark = pytest.mark.services

BOT = "def choose(state):\n    return state['legal_moves'][0]\n"


async def test_a_bot_is_verified_on_a_farm_as_here(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(BOT)
    words = ("verify", str(tmp_path / "first.py"), "--json", "--uncontained")
    here = await asyncio.to_thread(noughts, *words)
    async with farm_processes(tmp_path / "farm", 1, threads=2) as processes:
        there = await asyncio.to_thread(noughts, *words, "--farm", processes.address)
        absent = ("verify", str(tmp_path / "no.py"), "--uncontained", "--farm", processes.address)
        refused = await asyncio.to_thread(noughts, *absent)
    assert (there.status, there.out, there.err) == (here.status, here.out, "")
    assert [side["verdict"] for side in json.loads(there.out)["sides"]] == ["loss", "loss"]
    assert (refused.status, refused.err) == (1, f"noughts verify: There is no file {tmp_path / 'no.py'}.\n")
