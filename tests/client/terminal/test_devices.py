"""``noughts devices``, against real servers."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from noughts_client.terminal.credentials import register, registration_at
from noughts_client.terminal.devices import code_of, devices, page_of
from support.client import connected
from support.server import running_server


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


async def test_another_machine_joins_with_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with running_server() as url:
        assert await register("ann", url, None) == 0
        assert await devices("add", None, url) == 0
        link = re.findall(r"http://\S+#join=\S+", capsys.readouterr().out)[0]
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another machine"))
        assert await devices("list", None, url) == 1
        assert "noughts devices join CODE" in capsys.readouterr().err
        assert await devices("join", link, None) == 0
        assert capsys.readouterr().out == f"You are ann at {url}. noughts play and noughts watch will use it.\n"
        assert await devices("list", None, url) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == "ann is signed in on:"
        assert sum("this device" in line for line in lines) == 1
        assert len(lines) == 4
        assert await devices("join", link, None) == 1
        assert capsys.readouterr().err == (
            "noughts devices: This code does not work: it was mistyped, has been used or replaced, or is too old.\n"
        )
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        mine = registration_at(url)
        assert mine is not None
        assert await devices("out", "others", url) == 0
        async with connected(url, None, token=mine.token) as again:
            assert len((await again.request(type="devices"))["devices"]) == 1


async def test_the_last_device_is_not_signed_out_without_a_recovery_code(capsys: pytest.CaptureFixture[str]) -> None:
    async with running_server() as url:
        assert await register("ann", url, None) == 0
        for device in ("this", "all"):
            assert await devices("out", device, url) == 1
            assert "noughts devices recovery" in capsys.readouterr().err
        assert await devices("recovery", None, url) == 0
        code = re.findall(r"(?:[a-z2-7]{4}-){5}[a-z2-7]{4}", capsys.readouterr().out)[0]
        assert await devices("out", "this", url) == 0
        assert registration_at(url) is None
        assert await devices("join", code.upper(), url) == 0
        own = registration_at(url)
        assert own is not None
        assert own.name == "ann"


async def test_a_code_does_not_replace_the_token_of_another_name(capsys: pytest.CaptureFixture[str]) -> None:
    async with running_server() as url, connected(url, "ben") as ben:
        assert await register("ann", url, None) == 0
        code = (await ben.ok(type="add_device"))["code"]
        assert await devices("join", code, url) == 1
        assert "You are ann at" in capsys.readouterr().err
        assert await devices("out", "none", url) == 1
        assert "No single device has the id 'none'" in capsys.readouterr().err
        await ben.ok(type="redeem", code=code, preview=True)  # it has not been used


@pytest.mark.parametrize(("action", "what"), [("join", None), ("out", None), ("add", "x"), ("list", "x")])
async def test_some_actions_need_a_code_or_a_device(action: str, what: str | None) -> None:
    assert await devices(action, what, "ws://127.0.0.1:1/ws") == 1


@pytest.mark.parametrize("url", ["ws://127.0.0.1:8765/ws", "wss://noughts.example.org/ws", "ws://[::1]:8765/ws"])
def test_a_link_leads_back_to_its_server(url: str) -> None:
    assert code_of(page_of(url, "abc")) == (url, "abc")
    assert code_of(" abcd-efgh ") == (None, "abcd-efgh")


async def test_on_a_terminal_what_to_do_with_the_code_comes_after_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_server() as url:
        assert await register("ann", url, None) == 0
        capsys.readouterr()
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setenv("COLUMNS", "80")
        assert await devices("add", None, url) == 0
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) < 24, "the link and the code are on the screen together"
        last_of_code = max(number for number, line in enumerate(lines) if "\x1b[0m" in line)
        assert " ".join(lines[last_of_code + 1 :]).startswith("Within five minutes, scan")
        assert any("#join=" in line for line in lines[last_of_code:])
