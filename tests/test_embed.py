import asyncio
import os
import sys
from pathlib import Path

import pytest

import noughts.embed
from noughts.journal import JournalInUse
from noughts_client.connection import Connection
from noughts_client.terminal import join
from support.client import connected
from support.command import noughts as noughts_command
from support.ports import free_port


def test_its_settings_do_not_depend_on_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = noughts.embed.settings(journal=tmp_path / "journal")
    for name in type(own).model_fields:
        monkeypatch.setenv(f"NOUGHTS_{name.upper()}", "nonsense")
    assert noughts.embed.settings(journal=tmp_path / "journal") == own
    assert (own.host, own.port, own.bus) == ("127.0.0.1", 0, None)
    assert all(getattr(own, name) >= 10**9 for name in noughts.embed.LIMITS)


def test_it_keeps_the_limits_for_strangers_on_request_and_takes_any_setting() -> None:
    assert noughts.embed.settings(limits=True).burst == 100
    assert noughts.embed.settings(burst=7).burst == 7
    with pytest.raises(ValueError, match="brust"):
        noughts.embed.settings(brust=7)


async def test_it_serves_this_machine_on_a_free_port_and_stores_games_where_it_is_told(tmp_path: Path) -> None:
    async with noughts.embed.server() as memory, noughts.embed.server(journal=tmp_path / "games.sqlite3") as file:
        assert memory.url == f"ws://127.0.0.1:{memory.port}/ws"
        assert memory.port != file.port
        async with connected(file.url, "ann") as ann:
            room = (await ann.ok(type="create", game="tictactoe", seats={"first": "me", "second": "open"}))["room"]
        with pytest.raises(JournalInUse):
            async with noughts.embed.server(journal=tmp_path / "games.sqlite3"):
                pass
    async with noughts.embed.server(journal=tmp_path / "games.sqlite3") as file, connected(file.url, "eve") as eve:
        await eve.ok(type="watch", room=room)


async def test_its_page_is_served_on_request() -> None:
    async with noughts.embed.server(page=True) as server, Connection(server.url) as connection:
        assert connection.welcome["page"] is True
    async with noughts.embed.server() as server, Connection(server.url) as connection:
        assert "page" not in connection.welcome


async def test_a_program_without_a_log_prints_nothing() -> None:
    program = "import asyncio, logging, noughts.embed; logging.getLogger('noughts.app').warning('heard')"
    run = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await run.communicate()
    assert (run.returncode, out) == (0, b"")


def test_a_game_in_the_terminal_does_not_read_the_environment_of_another_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOUGHTS_METRICS_TOKEN_FILE", str(tmp_path / "missing"))
    monkeypatch.setattr(join, "DEFAULT_URL", f"ws://127.0.0.1:{free_port()}/ws")  # where nobody listens
    watched = noughts_command("watch", "--between", "easy", "easy", "--game", "tictactoe")
    assert (watched.status, watched.err) == (0, "")
