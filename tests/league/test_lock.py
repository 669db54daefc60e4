"""A league is played by one program at a time, on its own server or a live one."""

from pathlib import Path

import pytest

from noughts.league.runner import server_of
from noughts.league.state import Folder, LeagueError
from noughts_client.connection import Connection
from support.leagues import league
from support.server import running_server


async def test_the_leagues_own_server_serves_on_this_machine_alone_and_only_once(tmp_path: Path) -> None:
    folder = Folder(tmp_path, league(["a", "b"]), ())
    async with server_of(folder) as url:
        assert url.startswith("ws://127.0.0.1:")
        async with Connection(url) as connection:
            assert connection.welcome["games"]
        with pytest.raises(LeagueError, match=r"the league in .* is being played already"):
            async with server_of(folder):
                pass
    with pytest.raises(LeagueError, match="the league's server cannot start"):
        async with server_of(Folder(tmp_path / "journal.sqlite3", folder.league, ())):
            pass


async def test_a_league_on_a_live_server_is_locked_as_if_it_had_its_own(tmp_path: Path) -> None:
    async with running_server() as url:
        live = Folder(tmp_path, league(["a", "b"], server=url), ())
        async with server_of(live) as found:
            assert found == url
            for folder in (live, Folder(tmp_path, league(["a", "b"]), ())):
                with pytest.raises(LeagueError, match="is being played already"):
                    async with server_of(folder):
                        pass
        async with server_of(live):
            pass
