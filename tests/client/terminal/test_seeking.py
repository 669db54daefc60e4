"""Looking for an opponent, as somebody at a terminal has it who is there twice."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from noughts_client.terminal.credentials import register, registration_at
from support.client import connected
from support.server import running_server
from support.terminal import Terminal


async def test_a_seek_elsewhere_ends_this_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    async with running_server() as url:
        assert await register("player-1", url, None) == 0
        own = registration_at(url)
        assert own is not None
        seek = ("play", "--against=anybody", f"--url={url}", "--game=tictactoe", "--clock=none")
        with Terminal(*seek) as terminal:
            await asyncio.to_thread(terminal.see, "Looking for an opponent: Tic-tac-toe", " ... 1 s")
            async with connected(url, token=own.token) as elsewhere:
                await elsewhere.ok(type="seek", game="connect4")
                await asyncio.to_thread(terminal.see, "You are looking for an opponent elsewhere.")
                assert await asyncio.to_thread(terminal.end) == 1
