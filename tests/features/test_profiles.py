from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest

from noughts.games import GAMES
from noughts.games.mnk import mnk
from noughts.journal import GameResult, SqliteJournal
from noughts.protocol.contract import MESSAGES
from support.client import Client, Json, connected
from support.rated import rated_game, registered
from support.server import running_server


async def request(client: Client, **fields: object) -> Json:
    """The answer, which must be a message of the protocol."""
    answer = await client.request(**fields)
    MESSAGES.validate_python(answer)
    return answer


async def profile_of(client: Client, player: str, games: int) -> Json:
    """The profile of a player, once this many games are rated."""
    async with asyncio.timeout(30):
        while True:
            page = await request(client, type="player", player=player)
            if sum(rating["games"] for rating in page["ratings"]) == games:
                return page
            await asyncio.sleep(0.6)  # or the limit would be reached


@asynccontextmanager
async def two_players() -> AsyncIterator[tuple[Client, Client]]:
    async with running_server() as url, registered(url, url) as (one, other):
        yield one, other


async def test_a_rated_game_changes_both_ratings_and_is_on_both_profiles() -> None:
    async with two_players() as (one, other):
        room = await rated_game(one, other, "first")
        page = await profile_of(one, one.id, 1)
        rating = {"game": "tictactoe", "pool": "blitz", "rating": 1662, "deviation": 290}
        assert page["player"] == {"id": one.id, "name": "player-1", "kind": "human", "registered": True}
        assert page["ratings"] == [{**rating, "provisional": True, "games": 1}]
        assert page["record"] == [{"game": "tictactoe", "won": 1, "drawn": 0, "lost": 0}]
        (game,) = page["games"]
        assert page["since"] == game["ended_at"]
        assert (game["room"], game["game"], game["rated"]) == (room, "tictactoe", True)
        assert game["outcome"] == {"winner": "first", "reason": "resignation", "cells": []}
        assert [game["seats"][side]["name"] for side in ("first", "second")] == ["player-1", "player-2"]
        (course,) = page["course"]
        assert (course["game"], course["pool"]) == ("tictactoe", "blitz")
        assert course["points"] == [{"at": game["ended_at"], "rating": 1662}]

        assert "best" not in page, "nobody knew how strong the other is"

        lost = await profile_of(other, "PLAYER-2", 1)
        assert (lost["player"]["id"], lost["ratings"][0]["rating"]) == (other.id, 1338)
        assert lost["record"] == [{"game": "tictactoe", "won": 0, "drawn": 0, "lost": 1}]


async def test_each_game_and_pool_has_its_own_rating_which_the_seat_shows() -> None:
    async with two_players() as (one, other):
        await rated_game(one, other, "second")
        await rated_game(one, other, "first", clock={"initial_s": 60, "increment_s": 0})
        await rated_game(one, other, "draw", game="connect4")
        ratings = (await profile_of(one, one.id, 3))["ratings"]
        assert [(one["game"], one["pool"], one["rating"]) for one in ratings] == [
            ("connect4", "blitz", 1500),
            ("tictactoe", "bullet", 1662),
            ("tictactoe", "blitz", 1338),
        ]
        room = await one.create(clock={"initial_s": 300, "increment_s": 0})
        seats = (await other.join(room))["state"]["seats"]
        assert (seats["first"]["rating"], seats["first"]["provisional"]) == (1338, True)
        assert (seats["second"]["rating"], seats["second"]["provisional"]) == (1662, True)
        (listed,) = (await one.ok(type="lobby"))["rooms"][:1]
        assert {side: listed["seats"][side]["rating"] for side in ("first", "second")} == {
            "first": 1338,
            "second": 1662,
        }
        unknown = await one.create(clock={"per_move_s": 3600})
        assert "rating" not in (await other.join(unknown))["state"]["seats"]["first"], "there is none in that pool"
        untimed = await one.create()
        assert "rating" not in (await other.join(untimed))["state"]["seats"]["first"]


async def test_a_rematch_shows_the_new_ratings() -> None:
    async with two_players() as (one, other):
        clock = {"initial_s": 300, "increment_s": 0}
        room = await one.create(clock=clock, rated=True)
        assert "rating" not in (await other.join(room))["state"]["seats"]["first"]
        for turn, move in enumerate("14253"):
            await (other if turn % 2 else one).ok(type="play", room=room, turn=turn, move=move)
        await profile_of(one, one.id, 1)
        await one.ok(type="offer_rematch", room=room)
        await other.ok(type="accept_rematch", room=room)
        again = await other.push("room")
        while again["room"] == room:
            again = await other.push("room")
        assert again["options"] == {"private": False, "rated": True, "clock": clock}
        assert [again["state"]["seats"][side]["rating"] for side in ("first", "second")] == [1338, 1662]


async def test_the_stakes_of_a_rated_game_are_told_to_anybody_and_only_before_its_end() -> None:
    async with two_players() as (one, other):
        nothing = {"first": None, "second": None}

        async def asked(room: str, client: Client = one) -> Json:
            answer = await request(client, type="stakes", room=room)
            assert answer["room"] == room
            return {side: answer[side] for side in ("first", "second")}

        await rated_game(one, other, "first")
        await profile_of(one, one.id, 1)
        clock = {"initial_s": 300, "increment_s": 0}
        room = await one.create(clock=clock, rated=True)
        assert await asked(room) == nothing, "nobody sits opposite yet"
        await other.join(room)
        told = await asked(room, other)
        assert told["first"]["win"] == -told["second"]["loss"] > 0
        assert told["first"]["win"] < -told["first"]["loss"], "who is stronger has more to lose"
        assert await asked(await one.create(clock=clock)) == nothing, "not rated"
        for turn, move in enumerate("14253"):
            await (other if turn % 2 else one).ok(type="play", room=room, turn=turn, move=move)
        assert await asked(room) == nothing
        assert await one.refused(type="stakes", room="nowhere") == "unknown_room"


async def test_private_rooms_are_not_on_profiles() -> None:
    async with two_players() as (one, other):
        room = await one.create(private=True)
        await other.join(room)
        for turn, move in enumerate("12"):
            await (other if turn else one).ok(type="play", room=room, turn=turn, move=move)
        await one.ok(type="resign", room=room)
        page = await request(one, type="player", player=one.id)
        assert [page[part] for part in ("ratings", "record", "games", "course")] == [[], [], [], []]
        assert "since" not in page


async def test_a_game_against_the_computer_changes_only_the_players_rating() -> None:
    async with two_players() as (one, _):
        clock = {"initial_s": 300, "increment_s": 0}
        room = await one.create("me", "computer:easy", clock=clock, rated=True)
        await one.ok(type="play", room=room, turn=0, move="5")
        while (await one.push("update"))["state"]["ply"] < 2:
            pass
        await one.ok(type="resign", room=room)
        (rating,) = (await profile_of(one, one.id, 1))["ratings"]
        assert rating["rating"] < 1400
        board = await request(one, type="leaderboard", game="tictactoe")
        easy = board["players"][-1]
        shown = {"id": "computer:easy", "name": "computer", "kind": "computer", "rating": 1310, "deviation": 50}
        assert easy == {**shown, "fixed": True}
        assert (await one.push("update"))["state"]["seats"]["second"]["rating"] == 1310


async def test_levels_that_were_not_measured_say_so_and_come_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "four", mnk("four", "Four in a row", 5, 5, 4))
    async with running_server() as url, connected(url) as guest:
        board = await request(guest, type="leaderboard", game="four")
        assert [player["measured"] for player in board["players"]] == [False] * 4


async def test_an_unknown_player_has_no_profile() -> None:
    async with running_server() as url, connected(url) as guest:
        assert await guest.refused(type="player", player="player-9") == "unknown_player"
        assert await guest.refused(type="player", player="computer:hard") == "unknown_player"
        page = await request(guest, type="player", player=guest.id)
        assert page["player"] == {"id": guest.id, "name": "player-1", "kind": "human"}
        assert await guest.refused(type="player", player="player-1") == "unknown_player", (
            "a name that is not registered"
        )
        assert await guest.refused(type="leaderboard", game="shogi") == "unknown_game"
        assert await guest.refused(type="leaderboard", game="tictactoe", pool="fast") == "bad_message"


async def test_the_leaderboard_has_the_best_first_and_no_provisional_ratings(tmp_path: Path) -> None:
    file = tmp_path / "journal.db"
    async with running_server(journal=str(file)) as url, registered(url, url, url) as (one, other, third):
        board = await request(one, type="leaderboard", game="tictactoe", pool="rapid")
        assert (board["game"], board["pool"]) == ("tictactoe", "rapid")
        assert [player["kind"] for player in board["players"]] == ["computer"] * 4
        assert [player["rating"] for player in board["players"]] == [1780, 1630, 1500, 1310]

        journal = await SqliteJournal.open(file, exclusive=False)
        await journal.results.replace(
            {(game := against(one, ("perfect", "hard"), number, None)).room: game for number in range(30)}
        )
        await journal.results.replace(
            {(game := against(other, ("medium", "easy"), number, None)).room: game for number in range(30)}
        )
        await journal.results.replace(
            {(game := against(third, ("perfect", "hard"), number, "first")).room: game for number in range(3)}
        )
        await journal.close()
        await profile_of(one, other.id, 30)
        (rating,) = (await profile_of(one, third.id, 3))["ratings"]
        assert rating["provisional"]
        assert rating["rating"] > 1780, "a newcomer rises fast, but is not listed yet"
        board = await request(one, type="leaderboard", game="tictactoe", pool="rapid")
        assert [player["id"] for player in board["players"]] == [
            "computer:perfect",
            one.id,
            "computer:hard",
            "computer:medium",
            other.id,
            "computer:easy",
        ]
        shown = board["players"][1]
        (rating,) = (await profile_of(one, one.id, 30))["ratings"]
        assert shown == {
            "id": one.id,
            "name": "player-1",
            "kind": "human",
            "registered": True,
            "games": 30,
            "rating": rating["rating"],
            "deviation": rating["deviation"],
        }
        assert 60 < shown["deviation"] < 110


def against(player: Client, levels: tuple[str, str], number: int, winner: Literal["first"] | None) -> GameResult:
    """A rated game of the player, who moves first, against one of two levels of the computer."""
    return GameResult(
        room=f"{player.id}-{number}",
        game="tictactoe",
        first=player.id,
        second=f"computer:{levels[number % 2]}",
        winner=winner,
        reason="line",
        public=True,
        pool="rapid",
        ended_at=number,
    )


@pytest.mark.parametrize("kind", ["player", "leaderboard"])
async def test_profiles_and_leaderboards_are_limited_by_address(kind: str) -> None:
    async with running_server() as url, connected(url) as client:
        fields = {"player": {"player": client.id}, "leaderboard": {"game": "tictactoe"}}[kind]

        async def request_many(client: Client) -> list[Json]:
            for number in range(15):  # without waiting for answers, or the limit would have time to recover
                await client.send(type=kind, id=number, **fields)
            return sorted([await client.receive() for _ in range(15)], key=lambda answer: int(answer["id"]))

        answers = await request_many(client)
        assert [answer["type"] for answer in answers[:10]] == [kind] * 10
        refused = [answer for answer in answers if answer["type"] == "error"]
        assert refused
        assert {answer["code"] for answer in refused} == {"rate_limited"}
        assert all(0 < answer["retry_after_s"] <= 0.5 for answer in refused)
        async with connected(url) as other:  # from the same address
            assert sum(answer["type"] == kind for answer in await request_many(other)) < 10
