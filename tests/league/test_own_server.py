from pathlib import Path

import pytest

from noughts.league.own_server import LIMITS, alone, own_server, settings_for
from noughts.league.state import JOURNAL, LeagueError
from noughts_client.connection import Connection


def test_its_settings_do_not_depend_on_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = settings_for(tmp_path / "journal")
    for name in type(own).model_fields:
        monkeypatch.setenv(f"NOUGHTS_{name.upper()}", "nonsense")
    assert settings_for(tmp_path / "journal") == own
    assert (own.host, own.port, own.bus, own.workers) == ("127.0.0.1", 0, None, 1)
    assert all(getattr(own, name) >= 10**9 for name in LIMITS)


async def test_a_league_on_a_live_server_is_locked_as_if_it_had_its_own(tmp_path: Path) -> None:
    journal = tmp_path / "league" / JOURNAL
    journal.parent.mkdir()
    with alone(journal):
        with pytest.raises(LeagueError, match=r"the league in .*league is being played already"), alone(journal):
            pass
        with pytest.raises(LeagueError, match="is being played already"):
            async with own_server(journal):
                pass
    with alone(journal):
        pass


async def test_it_serves_on_this_machine_alone_and_only_once(tmp_path: Path) -> None:
    async with own_server(tmp_path / "journal") as url:
        assert url.startswith("ws://127.0.0.1:")
        async with Connection(url) as connection:
            assert connection.welcome["games"]
        with pytest.raises(LeagueError, match="is being played already"):
            async with own_server(tmp_path / "journal"):
                pass
    with pytest.raises(LeagueError, match="the league's server cannot start"):
        async with own_server(tmp_path / "journal" / "in a file"):
            pass
