"""Names that are one's own, and the files that keep what proves it."""

from __future__ import annotations

import asyncio
import io
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from noughts_client.terminal.kept import write
from noughts_client.terminal.names import _path, connect_as_oneself, own_name, register
from noughts_client.terminal.sitting import Closed
from support.client import connected
from support.server import free_port, running_server


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


async def who(url: str, name: str | None = None) -> tuple[str, bool]:
    """As whom one is let in."""
    async with AsyncExitStack() as stack:
        player = (await connect_as_oneself(stack, url, name)).welcome["player"]
        return player["name"], player.get("registered", False)


def files_in(directory: Path) -> list[Path]:
    return list(directory.rglob("*.*"))


async def test_a_name_is_had_from_then_on(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with running_server() as url:
        assert await register("ann", url, None) == 0
        own = own_name(url)
        assert own is not None
        assert own.path.stat().st_mode & 0o777 == 0o600
        assert capsys.readouterr().out.splitlines() == [
            f"You are ann at {url} for good. From now on noughts play and noughts watch know that.",
            f"The proof is kept in {own.path}: whoever has it is you.",
        ]
        assert await who(url) == await who(url, "ann") == ("ann", True)
        assert await who(url, "player-1") == ("player-1", False)
        # The same again, and another way to write it.
        assert (
            await register("ann", url, None) == await register(None, url, None) == await register("Ann", url, None) == 0
        )
        assert await who(url) == ("Ann", True)
        assert own_name(url) == own._replace(name="Ann")
        assert await register("ben", url, None) == 1
        assert await who(url) == ("Ann", True)
        async with running_server() as elsewhere:
            assert (await who(elsewhere))[1] is False


async def test_two_registrations_at_the_same_time_keep_the_token_of_the_one_that_succeeds() -> None:
    for names in (("ann", "ann"), ("ann", "ben")):
        async with running_server() as url:
            statuses = await asyncio.gather(*(register(name, url, None) for name in names))
            own = own_name(url)
            assert own is not None
            assert await who(url) == (own.name, True)
            for name, status in zip(names, statuses, strict=True):
                if status != 0:  # then the name is still free
                    async with connected(url, name) as other:
                        await other.ok(type="register")


async def test_a_name_that_is_anothers_leaves_nothing_behind(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with running_server() as url, connected(url, "ann") as ann:
        await ann.ok(type="register")
        assert await register("ann", url, None) == await register("minimax", url, None) == 1
        assert await register(None, url, None) == 1
        assert capsys.readouterr().err == (
            "noughts register: That name is somebody's for good; choose another."
            " Whose it is gives its token by --token-file.\n"
            * 2
            + "noughts register: Which name? Say: noughts register NAME\n"
        )
        assert files_in(state) == []


async def test_a_name_comes_along_to_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with running_server() as url, connected(url, "ann") as ann:
        await ann.ok(type="register")
        file = tmp_path / "token"
        file.write_text(f"{ann.token}\n")
        assert await register(None, url, str(file)) == 0
        assert await who(url) == ("ann", True)
        token = (await ann.ok(type="renew_token"))["token"]
        with pytest.raises(Closed, match=r"operator for a new token, .*: noughts register --token-file FILE --url"):
            await who(url)
        assert await who(url, "player-1") == ("player-1", False)
        assert await register(None, url, str(file)) == 1
        assert capsys.readouterr().err.startswith("noughts register: That token is not known here.")
        monkeypatch.setattr("sys.stdin", io.StringIO(token))
        assert await register(None, url, "-") == 0
        assert await who(url) == ("ann", True)
        assert await register(None, url, str(tmp_path / "nowhere")) == 1
        assert capsys.readouterr().err.endswith("nowhere cannot be read: No such file or directory\n")


async def test_the_proof_of_another_name_is_not_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with running_server() as url, connected(url, "ben") as ben, connected(url, "Ann") as guest:
        assert await register("ann", url, None) == 0
        own = own_name(url)
        assert own is not None
        await ben.ok(type="register")
        file = tmp_path / "token"
        for other in (ben, guest):
            file.write_text(other.token)
            assert await register(None, url, str(file)) == 1
            assert own_name(url) == own
        who_it_is = f"You are ann at {url}, as is kept in {own.path}, and that token is ben's."
        assert who_it_is in capsys.readouterr().err
        async with connected(url, token=own.token) as again:
            file.write_text((await again.ok(type="renew_token"))["token"])
        assert await register("ben", url, str(file)) == 1, "ann is ann for good"
        assert await who(url) == ("ann", True), "by the token that is good"
        own.path.unlink()
        file.write_text(ben.token)
        assert await register(None, url, str(file)) == 0
        assert await who(url) == ("ben", True)


async def test_another_server_at_the_same_address_is_registered_with_anew() -> None:
    port = free_port()
    async with running_server(port=port) as url:
        await register("ann", url, None)
    async with running_server(port=port) as url:
        with pytest.raises(Closed, match="it is another server now"):
            await who(url)
        assert await register(None, url, None) == 0
        assert await who(url) == ("ann", True)


async def test_a_name_that_cannot_be_kept_is_not_registered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    async with running_server() as url:
        assert await register("ann", url, None) == 1
        assert capsys.readouterr().err.startswith("noughts register: The proof of the name cannot be kept: ")
        async with connected(url, "ann") as other:
            await other.ok(type="register")


def test_what_is_no_proof_is_passed_over(state: Path) -> None:
    url = "ws://192.0.2.7:8765/ws"
    assert own_name(url) is None
    write(_path(url), {"url": url, "name": "ann", "token": "token"})
    assert own_name(url) == ("ann", "token", _path(url))
    for text in ("{", "[]", f'{{"url": "{url}"}}', '{"url": "elsewhere", "name": "ann", "token": "token"}'):
        _path(url).write_text(text)
        assert own_name(url) is None
    assert {path.parent for path in files_in(state)} == {state / "noughts" / "names"}


def test_each_address_has_a_file_of_its_own() -> None:
    urls = [
        "ws://192.0.2.7/ws",
        "wss://192.0.2.7/ws",
        "ws://192.0.2.7/w/s",
        "ws://192.0.2.7/ws" + "/" * 300,
        "../../x",
        "\0",
    ]
    assert len({_path(url) for url in urls}) == len(urls)
    for url in urls:
        write(_path(url), {"url": url, "name": "ann", "token": url})
    assert [own.token for url in urls if (own := own_name(url))] == urls
