"""The costs of requests, charged to clients: over real sockets, with limits that a few requests reach."""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from contextlib import AbstractAsyncContextManager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from noughts.games import GAMES
from noughts.gateway.client import load_room
from noughts.journal import Journal
from support.client import Client, Json, connected
from support.journals import MemoryJournal
from support.server import Node, running_gateway


def limited(journal: Journal | None, **limits: Any) -> AbstractAsyncContextManager[Node]:
    """A gateway with a limit that is named by a parameter."""
    return running_gateway(journal, **limits)


async def long_game(node: Node, one: Client, two: Client) -> str:
    """A game of Gomoku of 60 moves that only ``two`` watches."""
    room: str = (await one.ok(type="create", game="gomoku", seats={"first": "me", "second": "open"}))["room"]
    await two.join(room)
    cells = [cell for row in GAMES["gomoku"].layout for cell in row]
    for turn, move in enumerate([*cells[:60:2], *cells[1:60:2]]):
        answer = await (two if turn % 2 else one).play(room, turn, move)
        if answer["type"] != "ok":
            break
    await one.ok(type="leave", room=room)
    one.pushed.clear()
    return room


async def refusals(client: Client, number: int, **request: object) -> list[Json]:
    """The errors among the answers to ``number`` equal requests."""
    answers = [await client.request(**request) for _ in range(number)]
    client.pushed.clear()
    return [answer for answer in answers if answer["type"] == "error"]


def limits_hit(node: Node) -> Counter[str]:
    return node.host.monitor.limited


@pytest.mark.parametrize("limit", ["answer_bytes_per_player", "answer_bytes_per_address"])
async def test_a_history_is_charged_by_its_bytes_and_others_are_not_refused(limit: str) -> None:
    async with (
        limited(None, **{limit: 4096}) as node,
        connected(node.url, "one") as one,
        connected(node.url, "two") as two,
    ):
        room = await long_game(node, one, two)
        assert not limits_hit(node)
        refused = await refusals(one, 10, type="watch", room=room, since=1)
        assert len(refused) >= 7
        assert {error["code"] for error in refused} == {"rate_limited"}
        assert all(error["retry_after_s"] > 0 for error in refused)
        assert limits_hit(node) == {limit: len(refused)}
        other = await two.request(type="watch", room=room)
        assert other["type"] == ("ok" if limit.endswith("player") else "error"), "they share an address"
        # Moves and pings go on.
        assert (await one.request(type="ping"))["type"] == "pong"
        assert (await two.request(type="resign", room=room))["type"] == "ok"


async def test_what_is_charged_does_not_depend_on_the_connection() -> None:
    async with (
        running_gateway(answer_bytes_per_player=4096) as node,
        connected(node.url, "one") as one,
        connected(node.url, "two") as two,
    ):
        room = await long_game(node, one, two)
        await refusals(one, 5, type="watch", room=room, since=1)
        async with connected(node.url, token=one.token) as twin:
            assert await twin.refused(type="watch", room=room, since=1) == "rate_limited"


async def test_a_client_may_go_on_after_the_wait() -> None:
    async with running_gateway(answer_bytes_per_player=20_000) as node, connected(node.url, "one") as one:
        for _ in range(30):
            await one.create()
        while (answer := await one.request(type="lobby"))["type"] == "ok":
            pass
        await asyncio.sleep(answer["retry_after_s"])
        await one.ok(type="lobby")


@pytest.mark.parametrize("request_type", ["watch", "play", "resign", "claim", "analyse", "join", "invite"])
async def test_reading_a_room_from_the_journal_is_charged_even_if_the_request_is_refused(request_type: str) -> None:
    requests: dict[str, Json] = {"play": {"turn": 0, "move": "5"}, "claim": {"result": "win"}}
    requests["invite"] = {"player": "p-1"}
    more = requests.get(request_type, {})
    async with (
        running_gateway(answer_bytes_per_player=1024) as node,
        connected(node.url, "one", games=False) as one,
        connected(node.url, "two") as two,
    ):
        for number in range(50):
            answer = await one.request(type=request_type, room=f"room-{number}", **more)
            assert answer["type"] == "error"
            if answer["code"] == "rate_limited":
                break
        assert 10 < number < 25  # 20 kB at 1 KiB each
        if request_type != "analyse":
            assert limits_hit(node) == {"answer_bytes_per_player": 1}
        room = await two.create()
        assert (await two.request(type="play", room=room, turn=0, move="5"))["code"] == "not_allowed", "it is in memory"


async def test_a_room_in_memory_costs_nothing_to_play_in() -> None:
    async with (
        running_gateway(answer_bytes_per_player=1024) as node,
        connected(node.url, "one") as one,
        connected(node.url, "two") as two,
    ):
        room = await one.create()
        await two.join(room)
        await refusals(one, 50, type="watch", room="unknown")
        assert await one.refused(type="watch", room=room) == "rate_limited"
        for turn, move in enumerate("5152346"):
            answer = await (two if turn % 2 else one).play(room, turn, move)
            assert answer.get("code") in (None, "illegal_move", "stale", "not_your_turn")
        assert (await one.play(room, 0, "5"))["type"] == "ok"


async def test_a_list_is_charged_by_its_bytes() -> None:
    async with running_gateway(answer_bytes_per_player=4096) as node, connected(node.url, "one") as one:
        for _ in range(40):
            await one.create()
        assert await refusals(one, 9, type="lobby")
        assert limits_hit(node).keys() == {"answer_bytes_per_player"}


async def test_pages_are_refused_to_a_client_that_has_had_too_much() -> None:
    pages: list[Json] = [
        {"type": "lobby"},
        {"type": "player", "player": "nobody"},
        {"type": "leaderboard", "game": "tictactoe"},
    ]
    async with running_gateway(answer_bytes_per_player=1024) as node, connected(node.url, "one") as one:
        await refusals(one, 30, type="watch", room="unknown")
        for page in pages:
            assert await one.refused(**page) == "rate_limited"


async def test_seeks_are_charged_as_what_they_cost() -> None:
    async with running_gateway(answer_bytes_per_player=8192) as node, connected(node.url, "one", games=False) as one:
        outcomes = []
        for number in range(15):
            outcomes.append((await one.request(type="seek", game="tictactoe", key=str(number)))["type"])
            outcomes.append((await one.request(type="unseek"))["type"])
        assert 19 <= outcomes.index("error") < 25  # 160 kB at 8 KiB each


# --- what is written


async def write_until_refused(client: Client, *requests: Json) -> int:
    """Repeat the requests until one is refused. Returns how many were carried out."""
    for count in range(1000):
        answer = await client.request(**requests[count % len(requests)])
        client.pushed.clear()
        if answer["type"] == "error":
            assert (answer["code"], answer["retry_after_s"] > 0) == ("rate_limited", True)
            return count
    raise AssertionError("nothing is limited")


@pytest.mark.parametrize("limit", ["daily_bytes_per_player", "daily_bytes_per_address"])
async def test_after_too_much_was_written_no_more_games_begin_but_those_under_way_go_on(limit: str) -> None:
    journal = MemoryJournal()
    async with (
        limited(journal, **{limit: 20_000}) as node,
        connected(node.url, "one", bot=True) as one,
        connected(node.url, "two") as two,
    ):
        room = await one.create()
        await two.join(room)
        over = await one.create()
        await two.join(over)
        await two.ok(type="resign", room=over)
        await one.play(room, 0, "5")
        await two.play(room, 1, "1")
        one.pushed.clear()
        opened = await write_until_refused(one, {"type": "create", "game": "tictactoe"})
        written = sum(len(record) for records in journal.records().values() for record in records)
        assert 15_000 < written < 25_000
        assert opened > 20
        refused: list[Json] = [
            {"type": "create", "game": "tictactoe"},
            {"type": "seek", "game": "tictactoe"},
            {"type": "join", "room": over},
            {"type": "offer_draw", "room": room},
            {"type": "offer_takeback", "room": room},
            {"type": "offer_rematch", "room": over},
            {"type": "accept_rematch", "room": over},
        ]
        for request in refused:
            assert await one.refused(**request) == "rate_limited", request
        assert limits_hit(node).keys() == {limit}
        assert limits_hit(node)[limit] == len(refused) + 1
        if limit.endswith("player"):
            await two.ok(type="offer_draw", room=room)
            await one.ok(type="decline_draw", room=room)
        # Nobody loses a game by this, but a bot's words are not stored any more.
        await one.ok(type="play", room=room, turn=2, move="3", note="a note")
        assert b"a note" not in b"".join(journal.records()[room])
        assert await one.refused(type="chat", room=room, text="hello") == "rate_limited"
        await one.ok(type="resign", room=room)


async def test_moves_count_as_written_on_every_connection() -> None:
    create = {"type": "create", "game": "tictactoe"}
    async with (
        running_gateway(daily_bytes_per_player=4000) as node,
        connected(node.url, "one") as one,
        connected(node.url, "two") as two,
        connected(node.url, "idle") as idle,
    ):
        room = await one.create()
        await two.join(room)
        for turn, move in enumerate("123546879"):
            await (two if turn % 2 else one).play(room, turn, move)
        await idle.create()
        async with connected(node.url, token=one.token) as twin:
            await one.ok(type="create", game="tictactoe")
            await idle.ok(type="create", game="tictactoe")
            assert await write_until_refused(twin, create) < await write_until_refused(idle, create) - 1


async def test_a_computers_moves_count_as_those_of_who_opened_the_room() -> None:
    async with (
        running_gateway(daily_bytes_per_player=200_000, computer_rooms_per_player=99) as node,
        connected(node.url, "one") as one,
    ):
        seats = {"first": "computer:easy", "second": "computer:easy"}
        assert await write_until_refused(one, {"type": "create", "game": "gomoku", "seats": seats}) < 6


async def test_a_missing_room_that_nobody_waits_for_any_more_is_no_error_of_the_server() -> None:
    errors: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context))
    async with running_gateway() as node:
        loaded = load_room(node.host, "missing", cast(Any, SimpleNamespace(address="127.0.0.1")))
        await asyncio.wait({loaded})
        del loaded
        gc.collect()
    assert errors == []
