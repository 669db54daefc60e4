"""Servers that are not open to everybody: what strangers may do, and how they become players."""

from __future__ import annotations

from typing import Any

import pytest

from noughts.journal import FOREVER, SqliteJournal
from noughts.players.tokens import code_hash
from support.client import Client, connected, turned_away
from support.server import running_server

CODE = "aaaa-bbbb-cccc"
SEEK: dict[str, Any] = {"type": "seek", "game": "tictactoe"}
CREATE: dict[str, Any] = {"type": "create", "game": "tictactoe"}


async def invite(journal: SqliteJournal, uses: int = 1) -> None:
    await journal.passes.put(code_hash(CODE), "for a test", FOREVER, uses)


async def test_strangers_watch_an_invited_server_and_play_once_they_are_invited(tmp_path: Any) -> None:
    path = tmp_path / "journal"
    async with running_server(journal=str(path), registration="invited") as url:
        beside = await SqliteJournal.open(path, exclusive=False)
        await invite(beside, uses=2)
        async with connected(url, "ann") as ann, connected(url, "eve") as eve:
            for each in (ann, eve):
                assert (each.welcome["registration"], each.welcome["may"]) == ("invited", "watch")
            assert await ann.refused(type="register") == "not_invited"
            assert await ann.refused(**CREATE) == await ann.refused(**SEEK) == "not_invited"
            assert await ann.refused(type="enter", code="aaaa-bbbb-cccd") == "bad_code"
            answer = await ann.ok(type="enter", code=CODE.upper())
            assert answer["player"]["id"] == ann.id
            await ann.ok(type="enter", code=CODE)  # the answer was lost
            room = await ann.create()
            assert (await eve.ok(type="watch", room=room))["seat"] is None
            assert (await eve.ok(type="lobby"))["rooms"][0]["room"] == room
            for refused in (
                {"type": "join"},
                {"type": "chat", "text": "hi"},
                {"type": "play", "turn": 0, "move": "a1"},
            ):
                assert await eve.refused(room=room, **refused) == "not_invited"
            await ann.ok(type="register", name="Ann")
        async with connected(url, None, token=ann.token) as ann:
            assert "may" not in ann.welcome
            await ann.join(room)
        await beside.close()


async def test_a_guest_who_is_invited_may_play_after_a_restart(tmp_path: Any) -> None:
    options: dict[str, Any] = {"journal": str(tmp_path / "journal"), "registration": "invited"}
    async with running_server(**options) as url, connected(url, "ann") as ann:
        beside = await SqliteJournal.open(tmp_path / "journal", exclusive=False)
        await invite(beside)
        await beside.close()
        await ann.ok(type="enter", code=CODE)
    async with running_server(**options) as url, connected(url, None, token=ann.token) as ann:
        assert "may" not in ann.welcome
        await ann.create()
    options["registration"] = "closed"
    async with running_server(**options) as url, connected(url, None, token=ann.token) as ann:
        assert ann.welcome["may"] == "watch", "she has not registered"


async def test_a_closed_server_has_registered_players_only(tmp_path: Any) -> None:
    path = tmp_path / "journal"
    async with running_server(journal=str(path)) as url, connected(url, "ann") as ann:
        assert "registration" not in ann.welcome
        await ann.ok(type="register")
        await ann.ok(type="enter", code="any")  # nobody has to be invited
    async with (
        running_server(journal=str(path), registration="closed") as url,
        connected(url, None, token=ann.token) as ann,
        connected(url, "eve") as eve,
    ):
        assert "may" not in ann.welcome
        await ann.create()
        await ann.ok(type="register", name="ANN")
        beside = await SqliteJournal.open(path, exclusive=False)
        await invite(beside)
        await beside.close()
        assert await eve.refused(type="enter", code=CODE) == "not_invited"
        assert await eve.refused(type="register") == "not_invited"


async def test_strangers_cannot_look_where_the_operator_says_so() -> None:
    async with running_server(registration="invited", guests_watch=False) as url, connected(url, "eve") as eve:
        assert eve.welcome["may"] == "enter"
        for request in (
            {"type": "watch", "room": "a"},
            {"type": "lobby"},
            {"type": "leaderboard", "game": "tictactoe", "pool": "blitz"},
            {"type": "player", "player": "p-1"},
            {"type": "qr", "link": "http://example.org/"},
            {"type": "games"},
            {"type": "replay", "game": "tictactoe", "moves": ["a1"]},
        ):
            assert await eve.refused(**request) == "not_invited"
        assert (await eve.request(type="ping"))["type"] == "pong"


async def test_a_player_signs_in_on_another_device_where_strangers_cannot_look(tmp_path: Any) -> None:
    path = tmp_path / "journal"
    async with running_server(journal=str(path)) as url, connected(url, "ann") as ann:
        await ann.ok(type="register")
    async with running_server(journal=str(path), registration="closed", guests_watch=False) as url:
        async with connected(url, None, token=ann.token) as ann, connected(url, "new") as phone:
            code = (await ann.ok(type="add_device"))["code"]
            token = (await phone.ok(type="redeem", code=code))["token"]
        async with connected(url, None, token=token) as phone:
            assert phone.id == ann.id
            await phone.create()


async def test_guesses_of_codes_are_limited() -> None:
    async with running_server(registration="invited", codes_per_minute=2) as url, connected(url, "eve") as eve:
        codes = [await eve.refused(type="enter", code=str(n)) for n in range(4)]
        assert codes == ["bad_code", "bad_code", "rate_limited", "rate_limited"]


async def test_a_server_says_its_name_and_news_and_opens_the_games_that_it_lists() -> None:
    options: dict[str, Any] = {
        "server_name": "Ann's",
        "news": "No play on Sunday.",
        "offered_games": ["gomoku", "tictactoe"],
    }
    async with running_server(**options) as url, connected(url, "ann") as ann:
        assert ann.welcome["server"] == {"name": "Ann's", "news": "No play on Sunday."}
        assert ann.welcome["offered"] == ["gomoku", "tictactoe"]
        assert len(ann.welcome["games"]) > 2, "rooms of other games may be there"
        await ann.create()
        answer = await ann.request(type="create", game="reversi")
        assert (answer["code"], answer["message"]) == (
            "unknown_game",
            "There is no game 'reversi'. The games are gomoku and tictactoe.",
        )
        assert await ann.refused(type="seek", game="reversi") == "unknown_game"


@pytest.mark.parametrize("may", ["watch", "enter"])
async def test_nobody_is_turned_away_at_hello(may: str) -> None:
    async with running_server(registration="closed", guests_watch=may == "watch") as url:
        assert await turned_away(url, token="nobody's") == "bad_token"
        async with connected(url, "eve") as eve:
            assert isinstance(eve, Client)
            assert eve.welcome["may"] == may
