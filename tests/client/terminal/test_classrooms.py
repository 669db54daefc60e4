"""``noughts classroom`` against a real server, and bots that are handed in to a class."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from noughts.cli.classroom import class_id, names_in
from noughts.cli.commands import parse
from noughts_client import RequestError, run_async
from noughts_client.terminal.classrooms import act, changed, classes, games, joined, made, shown, simul
from noughts_client.terminal.credentials import register
from support.client import connected
from support.eventually import soon
from support.server import QUICK, running_server

FAST = replace(QUICK, classes_s=0.05)


def quiet(_: str) -> None:
    """Print nothing."""


def test_the_names_are_those_of_a_roster_or_lines() -> None:
    assert names_in("student,name\nada,Ada L.\nben,\n") == ["Ada L.", "ben"]
    assert names_in("\ufeffAda  L.\n\n Ben \n") == ["Ada L.", "Ben"]
    with pytest.raises(ValueError, match="twice"):
        names_in("student\nada\nADA\n")
    assert class_id("https://example.org/classes/abc") == "abc"
    with pytest.raises(argparse.ArgumentTypeError):
        class_id("a b")


async def seen(capsys: pytest.CaptureFixture[str], words: str) -> None:
    """Wait until something is printed."""
    await soon(lambda: words in capsys.readouterr().out)


async def test_a_class_is_made_joined_followed_and_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with running_server(timing=FAST) as url:
        assert await classes(url) == 1
        assert "You have no name" in capsys.readouterr().err
        await register("tea", url, None)
        capsys.readouterr()
        assert await classes(url) == 0
        assert capsys.readouterr().out.startswith("You have no class.")
        roster = tmp_path / "names.txt"
        roster.write_text("Ada\nBen\n", encoding="utf-8")
        options = parse(["classroom", "make", "Class B", str(roster), "--url", url])
        assert await asyncio.to_thread(options["command"], options) == 0
        name = capsys.readouterr().out.split()[1]
        following = asyncio.create_task(shown(url, name, follow=True))
        async with connected(url, "x") as ada, connected(url, "y") as ben:
            await ada.request(type="join_class", class_id=name, name="Ada")
            await seen(capsys, "1 here.")
            room = await ada.create()
            await seen(capsys, "waits for an opponent")
            await ben.join(room)
            await seen(capsys, "plays y")
            await ben.ok(type="resign", room=room)
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
            assert await games(url, name, "Ada") == 0
            assert capsys.readouterr().out.split()[2:5] == ["won", "tictactoe", room]
            assert await simul(url, {"type": "simul", "class_id": name, "game": "tictactoe"}) == 0
            assert capsys.readouterr().out.startswith("noughts play ")
            assert (await ada.push("simul_game"))["opponent"]["name"] == "tea"
        assert await changed(url, name, {"add": ["Cleo"], "remove": ["Ben"]}) == 0
        assert "Class B: 2 students, by tea" in capsys.readouterr().out
        assert await act(url, {"type": "leave_class", "class_id": name, "name": "Ben"}) == 1
        assert "no such name" in capsys.readouterr().err
        joining = asyncio.create_task(joined(url, name, "Cleo"))
        await seen(capsys, "You are Cleo in Class B.")
        joining.cancel()
        await asyncio.gather(joining, return_exceptions=True)
        assert await made(url, "C", ["Ada", "ada"]) == 1
        assert "there twice" in capsys.readouterr().err
        assert await act(url, {"type": "delete_class", "class_id": name}) == 0
        assert await shown(url, name, follow=False) == 1


async def test_a_bot_is_handed_in_and_plays(capsys: pytest.CaptureFixture[str]) -> None:
    async with running_server() as url, connected(url, "tea") as tea:
        await tea.ok(type="register")
        made = await tea.request(type="make_class", title="Class B", names=["Ada"])
        name = made["listing"]["class_id"]

        def bot(state: object) -> str:
            return str(state["legal_moves"][0])  # type: ignore[index]

        for count in (1, 2):
            told: list[str] = []
            await run_async(bot, url, name="a", class_id=name, class_name="Ada", tell=told.append)
            assert told[0] == "Handed in to Class B"
            row = (await tea.request(type="class", class_id=name))["students"][0]["bot"]
            assert row["won"] + row["drawn"] + row["lost"] == count, "also of the one before"
        with pytest.raises(RequestError, match="no such name"):
            await run_async(bot, url, class_id=name, class_name="Eve", tell=quiet)
    options = parse(["bot", "my_bot.py", "--class", "c"])
    with pytest.raises(SystemExit):
        options["command"](options)
    assert "--class and --as go together" in capsys.readouterr().err
