"""``noughts tournament`` against a real server, and bots in tournaments."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from noughts_client import BotState, Connection, run_async
from noughts_client.terminal.credentials import register
from noughts_client.terminal.tournaments import (
    act,
    adjudicated,
    exported,
    info_lines,
    list_lines,
    opened,
    shown,
    tournament_id,
    tournaments,
)
from support.client import Client, connected
from support.proxy import proxied
from support.server import QUICK, running_server

FAST = replace(QUICK, tournaments_s=0.05, round_break_s=0, standings_s=0.05)
TERMS: dict[str, Any] = {
    "name": "Friday",
    "format": "round_robin",
    "game": "tictactoe",
    "clock": {"initial_s": 60, "increment_s": 0},
    "rounds": 2,
}


def lowest(state: BotState) -> str:
    return str(min(state["legal_moves"]))


async def until_entered(teacher: Client, tournament: str, count: int) -> None:
    """Wait until so many players have entered."""
    shown = await teacher.request(type="tournament", tournament=tournament, watch=True)
    while shown["tournament"]["players"] < count:
        shown = await teacher.push("tournament")
    await teacher.request(type="tournament", tournament=tournament)


def quiet(_: str) -> None:
    """Print nothing."""


async def test_it_is_opened_entered_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    async with running_server(timing=FAST) as url:
        assert await tournaments(url) == 0
        assert capsys.readouterr().out.startswith("There is no tournament.")
        assert await opened(url, TERMS) == 1
        assert "You have no name" in capsys.readouterr().err
        assert await register("ann", url, None) == 0
        capsys.readouterr()
        assert await opened(url, {**TERMS, "format": "swiss", "rounds": 0}) == 1
        assert capsys.readouterr().err == "noughts tournament: Say how many rounds.\n"
        assert await opened(url, TERMS) == 0
        tournament = capsys.readouterr().out.split()[1]
        entering = asyncio.create_task(act(url, "enter", tournament))
        async with connected(url, "ben") as ben:
            await ben.ok(type="enter_tournament", tournament=tournament)
            await until_entered(ben, tournament, 2)
            assert await act(url, "start", tournament) == 0
            room = (await ben.push("tournament_game"))["room"]
            assert await shown(url, tournament, follow=False, cross=True) == 0
            out = capsys.readouterr().out
            assert "Friday: round robin, tictactoe, 2 players\nRound 1 of 2.\n" in out
            assert f"Playing now:\nann - ben  {room}" in out or f"Playing now:\nben - ann  {room}" in out
            assert "a*" in out
            assert f"noughts play {room}" in out
            assert await adjudicated(url, tournament, room, "draw") == 0
            assert await act(url, "end", tournament) == 0
        async with asyncio.timeout(20):
            assert await entering == 0
        assert "Over." in capsys.readouterr().out
        assert await exported(url, tournament, "csv") == 0
        assert capsys.readouterr().out.splitlines()[1].startswith("1,")
        assert await exported(url, "nowhere", "trf") == 1
        assert capsys.readouterr().err == "noughts tournament: There is no tournament with that id.\n"
        assert await tournaments(url) == 0
        assert capsys.readouterr().out.split()[0] == "finished"


async def test_bots_play_a_tournament_to_its_end_and_follow_it() -> None:
    async with running_server(timing=FAST) as url, connected(url, "teacher") as teacher:
        await teacher.ok(type="register")
        tournament = (await teacher.ok(type="open_tournament", **TERMS))["tournament"]
        bots = [
            asyncio.create_task(run_async(lowest, url, name=name, tournament=tournament, tell=quiet))
            for name in ("one", "two", "three")
        ]
        await until_entered(teacher, tournament, 3)
        following = asyncio.create_task(shown(url, tournament, follow=True, cross=False))
        await teacher.ok(type="start_tournament", tournament=tournament)
        async with asyncio.timeout(20):
            results = await asyncio.gather(*bots)
            assert await following == 0
        assert [len(each) for each in results] == [4, 4, 4]
        end = await teacher.request(type="tournament", tournament=tournament)
        assert sum(row["won"] for row in end["standings"]) == sum(each.count("won") for each in results)


@pytest.mark.slow
@pytest.mark.smoke
async def test_a_bot_whose_connection_was_lost_learns_of_the_game_that_it_missed() -> None:
    async with running_server(timing=FAST) as url, proxied(url) as proxy, connected(url, "teacher") as teacher:
        await teacher.ok(type="register")
        tournament = (await teacher.ok(type="open_tournament", **{**TERMS, "rounds": 1}))["tournament"]
        await teacher.ok(type="enter_tournament", tournament=tournament)
        bot = asyncio.create_task(run_async(lowest, proxy.url, name="bot", tournament=tournament, tell=quiet))
        await until_entered(teacher, tournament, 2)
        proxy.cut()
        await teacher.ok(type="start_tournament", tournament=tournament)
        room = (await teacher.push("tournament_game"))["room"]
        await teacher.ok(type="watch", room=room)
        side = (await teacher.push("room"))["state"]["seats"]["first"]["name"]
        if side == "teacher":
            await teacher.ok(type="play", room=room, turn=0, move="5")
        while (await teacher.push("update"))["event"]["kind"] != "played" or side == "teacher":
            side = ""
        await teacher.ok(type="resign", room=room)
        async with asyncio.timeout(20):
            assert await bot == ["won"]


async def test_a_bot_that_may_not_enter_is_told_so() -> None:
    async with running_server() as url, connected(url, "teacher") as teacher:
        await teacher.ok(type="register")
        tournament = (await teacher.ok(type="open_tournament", **TERMS, kinds="people"))["tournament"]
        with pytest.raises(Exception, match="Bots cannot enter"):
            await run_async(lowest, url, tournament=tournament, tell=quiet)


def test_an_id_may_be_a_link() -> None:
    assert tournament_id("abc") == tournament_id("https://example.org/tournaments/abc") == "abc"
    with pytest.raises(ValueError, match="not the id"):
        tournament_id("a b")


def test_standings_are_a_table() -> None:
    ann, bot = {"id": "1", "name": "ann", "kind": "human"}, {"id": "2", "name": "bot", "kind": "bot"}
    row: dict[str, Any] = {"place": 1, "number": 1, "won": 1, "drawn": 0, "lost": 0, "wins": 1}
    info: Any = {
        "type": "tournament",
        "tournament": {
            "tournament": "t",
            "name": "Friday",
            "by": ann,
            "format": "swiss",
            "game": "connect4",
            "players": 2,
            "status": "running",
            "round": 2,
            "rounds": 5,
        },
        "version": 9,
        "paused": True,
        "standings": [
            {
                **row,
                "player": ann,
                "points": 1.5,
                "buchholz": 2.5,
                "results": [{"opponent": 2, "side": "first", "points": 1.0, "played": False}],
            },
            {
                **row,
                "place": 2,
                "number": 2,
                "player": bot,
                "points": 0.0,
                "buchholz": 1,
                "withdrawn": "left",
                "results": [],
            },
        ],
        "games": [],
    }
    assert info_lines(info) == [
        "Friday: Swiss, connect4, 2 players",
        "Round 2 of 5, paused.",
        "",
        "    no.  player             points  Buchholz  1",
        "1.    1  ann                   1.5       2.5  2a+",
        "2.    2  bot, a bot (left)       0         1",
    ]
    assert list_lines([])[0].startswith("There is no tournament.")


async def test_a_connection_yields_what_tournaments_push() -> None:
    async with running_server() as url, Connection(url, name="ann") as ann, connected(url, "teacher") as teacher:
        await teacher.ok(type="register")
        tournament = (await teacher.ok(type="open_tournament", **TERMS))["tournament"]
        await ann.request({"type": "tournament", "tournament": tournament, "watch": True})
        await teacher.ok(type="enter_tournament", tournament=tournament)
        message = await anext(ann)
        assert message["type"] == "tournament"
        assert message["tournament"]["players"] == 1
