"""Tokens of registered names and of seats left behind, in their files."""

from __future__ import annotations

import asyncio
import io
import os
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from noughts.journal import FOREVER, SqliteJournal
from noughts.players.tokens import code_hash
from noughts_client.terminal.credentials import (
    MAX_SEATS,
    keep_seat,
    kept_seats,
    register,
    registration_at,
    registration_path,
    sign_in,
    write,
)
from noughts_client.terminal.options import CommandError
from support.client import connected
from support.ports import free_port
from support.server import running_server


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


async def signed_in(url: str, name: str | None = None) -> tuple[str, bool]:
    """The name with which the server accepts the client, and whether it is registered."""
    async with AsyncExitStack() as stack:
        player = (await sign_in(stack, url, name)).welcome["player"]
        return player["name"], player.get("registered", False)


def files_in(directory: Path) -> list[Path]:
    return list(directory.rglob("*.*"))


async def test_a_registered_name_is_used_from_then_on(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with running_server() as url:
        assert await register("ann", url, None) == 0
        own = registration_at(url)
        assert own is not None
        assert own.path.stat().st_mode & 0o777 == 0o600
        assert capsys.readouterr().out.splitlines() == [
            f"You are registered as ann at {url}. noughts play and noughts watch will use it.",
            f"Your token is in {own.path}. Whoever has it can play as you.",
        ]
        assert await signed_in(url) == await signed_in(url, "ann") == ("ann", True)
        assert await signed_in(url, "player-1") == ("player-1", False)
        # Again, and in other letters.
        assert (
            await register("ann", url, None) == await register(None, url, None) == await register("Ann", url, None) == 0
        )
        assert await signed_in(url) == ("Ann", True)
        assert registration_at(url) == own._replace(name="Ann")
        assert await register("ben", url, None) == 1
        assert await signed_in(url) == ("Ann", True)
        async with running_server() as elsewhere:
            assert (await signed_in(elsewhere))[1] is False


async def test_two_registrations_at_the_same_time_keep_the_token_of_the_one_that_succeeds() -> None:
    for names in (("ann", "ann"), ("ann", "ben")):
        async with running_server() as url:
            statuses = await asyncio.gather(*(register(name, url, None) for name in names))
            own = registration_at(url)
            assert own is not None
            assert await signed_in(url) == (own.name, True)
            for name, status in zip(names, statuses, strict=True):
                if status != 0:  # then the name is still free
                    async with connected(url, name) as other:
                        await other.ok(type="register")


async def test_a_refused_registration_leaves_no_token_behind(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with running_server() as url, connected(url, "ann") as ann:
        await ann.ok(type="register")
        assert await register("ann", url, None) == await register("minimax", url, None) == 1
        assert await register(None, url, None) == 1
        registered, reserved, nameless = capsys.readouterr().err.splitlines()
        yours = "If it is yours, give its token with --token-file."
        assert registered.startswith("noughts register: That name is registered, or looks like one that is. ")
        assert reserved.startswith("noughts register: That name looks like the computer's. ")
        assert registered.endswith(f". {yours}")
        assert reserved.endswith(yours)
        assert nameless == "noughts register: Which name? Run: noughts register NAME"
        assert files_in(state) == []


async def test_a_token_file_brings_the_name_to_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with running_server() as url, connected(url, "ann") as ann:
        await ann.ok(type="register")
        file = tmp_path / "token"
        file.write_text(f"{ann.token}\n")
        assert await register(None, url, str(file)) == 0
        assert await signed_in(url) == ("ann", True)
        token = (await ann.ok(type="renew_token"))["token"]
        with pytest.raises(CommandError, match=r"a new token, .*: noughts register --token-file FILE --url"):
            await signed_in(url)
        assert await signed_in(url, "player-1") == ("player-1", False)
        assert await register(None, url, str(file)) == 1
        assert capsys.readouterr().err.startswith("noughts register: ")
        monkeypatch.setattr("sys.stdin", io.StringIO(token))
        assert await register(None, url, "-") == 0
        assert await signed_in(url) == ("ann", True)
        assert await register(None, url, str(tmp_path / "nowhere")) == 1
        assert capsys.readouterr().err.endswith("nowhere: No such file or directory\n")


async def test_a_kept_token_is_not_replaced_by_that_of_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with running_server() as url, connected(url, "ben") as ben, connected(url, "Ann") as guest:
        assert await register("ann", url, None) == 0
        own = registration_at(url)
        assert own is not None
        await ben.ok(type="register")
        file = tmp_path / "token"
        for other in (ben, guest):
            file.write_text(other.token)
            assert await register(None, url, str(file)) == 1
            assert registration_at(url) == own
        assert (
            f"You are ann at {url}: the token of that name is in {own.path}. This is the token of ben."
            in capsys.readouterr().err
        )
        async with connected(url, token=own.token) as again:
            file.write_text((await again.ok(type="renew_token"))["token"])
        assert await register("ben", url, str(file)) == 1, "ann is registered"
        assert await signed_in(url) == ("ann", True), "with the valid token"
        own.path.unlink()
        file.write_text(ben.token)
        assert await register(None, url, str(file)) == 0
        assert await signed_in(url) == ("ben", True)


async def test_another_server_at_the_same_address_takes_a_new_registration() -> None:
    port = free_port()
    async with running_server(port=port) as url:
        await register("ann", url, None)
    async with running_server(port=port) as url:
        with pytest.raises(CommandError, match="this is another server now"):
            await signed_in(url)
        assert await register(None, url, None) == 0
        assert await signed_in(url) == ("ann", True)


async def test_a_name_whose_token_cannot_be_kept_is_not_registered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    async with running_server() as url:
        assert await register("ann", url, None) == 1
        assert capsys.readouterr().err.startswith("noughts register: The token cannot be kept: ")
        async with connected(url, "ann") as other:
            await other.ok(type="register")


def test_files_that_are_not_registrations_are_ignored(state: Path) -> None:
    url = "ws://192.0.2.7:8765/ws"
    assert registration_at(url) is None
    write(registration_path(url), {"url": url, "name": "ann", "token": "token"})
    assert registration_at(url) == ("ann", "token", registration_path(url))
    for text in ("{", "[]", f'{{"url": "{url}"}}', '{"url": "elsewhere", "name": "ann", "token": "token"}'):
        registration_path(url).write_text(text)
        assert registration_at(url) is None
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
    assert len({registration_path(url) for url in urls}) == len(urls)
    for url in urls:
        write(registration_path(url), {"url": url, "name": "ann", "token": url})
    assert [own.token for url in urls if (own := registration_at(url))] == urls


URL, ROOM = "ws://192.0.2.7:8765/ws", "k3f9qzm2xw7ta"


def test_all_seats_of_a_room_are_kept_whatever_the_servers_address(state: Path) -> None:
    elsewhere = "ws://192.0.2.8:8765/ws"
    assert kept_seats(ROOM) == []
    keep_seat(URL, ROOM, "one")
    keep_seat(URL, ROOM, "two")
    keep_seat(elsewhere, ROOM, "three")
    keep_seat(URL, "another", "four")
    assert {(seat.token, seat.url) for seat in kept_seats(ROOM)} == {("one", URL), ("two", URL), ("three", elsewhere)}
    assert {seat.path.stat().st_mode & 0o777 for seat in kept_seats(ROOM)} == {0o600}
    for seat in kept_seats(ROOM):
        assert seat.take()
        assert not seat.take()
    assert kept_seats(ROOM) == []
    assert len(list(state.rglob("*.*"))) == 1


def test_the_oldest_seats_make_room_for_new_ones(state: Path) -> None:
    for number in range(MAX_SEATS):
        keep_seat(URL, f"room{number}", "token")
        os.utime(kept_seats(f"room{number}")[0].path, (number, number))
    keep_seat(URL, ROOM, "last")
    assert kept_seats("room0") == []
    assert kept_seats("room1") != []
    assert kept_seats(ROOM) != []
    assert len(list(state.rglob("*.*"))) == MAX_SEATS


def test_files_that_are_not_seats_are_ignored(state: Path) -> None:
    keep_seat(URL, ROOM, "token")
    for name, text in (("a", "{"), ("b", "[]"), ("c", '{"url": 1}')):
        (state / "noughts" / "seats" / f"{ROOM}.{name}.json").write_text(text)
    assert [seat.token for seat in kept_seats(ROOM)] == ["token"]


def test_no_room_id_leads_out_of_the_directory(state: Path) -> None:
    for room in ("../../x", "*", "[a-z]", "/etc/x", "x" * 1000, "\0"):
        keep_seat(URL, room, "token")
        assert [seat.token for seat in kept_seats(room)] == ["token"]
    assert {path.parent for path in state.rglob("*.json")} == {state / "noughts" / "seats"}


async def test_a_name_is_registered_by_an_invitation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "journal"
    async with running_server(journal=str(path), registration="invited") as url:
        assert await register("ann", url, None) == 1
        assert "Ask the operator for an invitation" in capsys.readouterr().err
        beside = await SqliteJournal.open(path, exclusive=False)
        await beside.passes.put(code_hash("aaaabbbb"), "", FOREVER, 1)
        await beside.close()
        assert await register("ann", url, None, "https://play.example.org/#invitation=aaaa-bbbb") == 0
        assert await signed_in(url) == ("ann", True)
        assert await register("ben", url, None, "aaaa-bbbb") == 1
