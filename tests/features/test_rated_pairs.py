"""Which pairs are rated: those from different addresses, and not too often. Both hear of it before their first move."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from noughts.bus import Hub, MemoryBus
from noughts.features.matchmaking import Matchmaker
from noughts.journal import Journal
from noughts.players.ids import opener_of, origin_hash
from noughts.ratings import rate_all, recompute
from noughts.timing import Timing
from support.client import Client, Json, connected
from support.journals import MemoryJournal
from support.rated import BLITZ, rated_game
from support.server import Node, running_gateway

HOME, SCHOOL = "203.0.113.7", "198.51.100.9"
RATED: Json = {"clock": BLITZ, "rated": True}
SEEK: Json = {"type": "seek", "game": "tictactoe", **RATED}

DAY_MS = 24 * 3_600_000


class Clock:
    """The journal's time, which a test moves on."""

    def __init__(self) -> None:
        self.now = 1_700_000_000_000

    def __call__(self) -> int:
        self.now += 1
        return self.now


@asynccontextmanager
async def gateway(journal: Journal | None = None, bus: MemoryBus | None = None, **settings: Any) -> AsyncIterator[Node]:
    """A node behind a proxy that pairs its seekers."""
    timing = Timing(lobby_list_s=0, seek_round_s=0.02, seek_batch_s=0.005)
    async with running_gateway(journal, bus, timing=timing, trusted_proxies=["127.0.0.1"], **settings) as node:
        pairing = asyncio.create_task(node.part(Matchmaker).run())
        yield node
        pairing.cancel()


@asynccontextmanager
async def players(*places: tuple[Node, str]) -> AsyncIterator[list[Client]]:
    """A registered player at each node and from each address."""
    async with AsyncExitStack() as stack:
        clients = []
        for number, (node, at) in enumerate(places, 1):
            client = await stack.enter_async_context(connected(node.url, f"player {number}", at=at))
            await client.ok(type="register")
            clients.append(client)
        yield clients


async def options_of(client: Client, room: str) -> Json:
    """The options of a room as a newcomer sees them."""
    await client.ok(type="watch", room=room)
    shown: Json = await client.push("room")
    while shown["room"] != room:
        shown = await client.push("room")
    options: Json = shown["options"]
    return options


def verdict(options: Json) -> tuple[bool, str | None]:
    return options["rated"], options.get("unrated_because")


async def by_link(one: Client, other: Client) -> str:
    room = await one.create(**RATED)
    await other.ok(type="join", room=room)
    return room


async def by_seek(one: Client, other: Client) -> str:
    await one.ok(**SEEK)
    await other.ok(**SEEK)
    return str((await other.push("room"))["room"])


async def by_taking(one: Client, other: Client) -> str:
    await one.ok(**{**SEEK, "game": "connect4"})
    (seek,) = (await other.ok(type="lobby"))["seeks"]
    return str((await other.ok(type="take", seek=seek["seek"]))["room"])


async def by_rematch(one: Client, other: Client) -> str:
    """The room of a rematch after a game that was opened as rated."""
    room = await by_link(one, other)
    await one.play(room, 0, "1")
    await other.play(room, 1, "2")
    await other.ok(type="resign", room=room)
    await one.ok(type="offer_rematch", room=room)
    await other.ok(type="accept_rematch", room=room)
    while True:
        shown = await other.push("room")
        if shown["previous"] == room:
            return str(shown["room"])


WAYS = pytest.mark.parametrize("sit", [by_link, by_seek, by_taking, by_rematch])
Sit = Callable[[Client, Client], Any]


@WAYS
@pytest.mark.parametrize(
    ("one_at", "other_at", "rated"),
    [
        (HOME, HOME, False),
        (HOME, SCHOOL, True),
        ("2001:db8:5::1", "2001:db8:5:7::1", False),  # one house has all of a /48
        ("2001:db8:5::1", "2001:db8:6::1", True),
        ("192.168.1.5", "192.168.1.5", True),
        ("127.0.0.1", "127.0.0.1", True),
        ("fd00::1", "fd00::1", True),
    ],
)
async def test_two_players_of_one_public_address_are_not_rated(
    sit: Sit, one_at: str, other_at: str, rated: bool
) -> None:
    async with gateway() as node, players((node, one_at), (node, other_at)) as (one, other):
        expected = (True, None) if rated else (False, "same_address")
        room = await sit(one, other)
        for client in (one, other):
            assert verdict(await options_of(client, room)) == expected
        assert ("rated_same_address" in node.host.monitor.limited) is not rated


async def test_whoever_waits_hears_the_verdict_with_the_opponent_and_the_record_keeps_it() -> None:
    journal = MemoryJournal()
    async with gateway(journal) as node, players((node, HOME), (node, HOME)) as (one, other):
        room = await one.create(**RATED)
        assert verdict((await other.join(room))["options"]) == (False, "same_address")
        joined = (await one.push("update"))["event"]
        assert (joined["kind"], joined["unrated_because"]) == ("joined", "same_address")
        await one.play(room, 0, "1")
        await other.play(room, 1, "2")
        await one.ok(type="offer_takeback", room=room)  # as in any game that is not rated
        await other.ok(type="resign", room=room)
        await rate_all(journal)
        assert await journal.results.ratings([one.id, other.id]) == []
        assert await recompute(journal) == (1, 0)
        assert b'"unrated_because":"same_address"' in (await journal.read(room))[1]
        assert HOME.encode() not in b"".join(await journal.read(room))
        assert HOME not in str(await journal.database.fetch("SELECT * FROM origins"))


@pytest.mark.parametrize("elsewhere", [SCHOOL, "192.168.1.5", "2001:db8:5::1"])
async def test_requests_from_elsewhere_do_not_hide_an_address(elsewhere: str) -> None:
    """192.168.1.5 is as unknown to the server as a player by MQTT."""
    async with gateway() as node, players((node, HOME), (node, HOME), (node, SCHOOL)) as (one, other, third):
        room = await one.create(**RATED)
        async with connected(node.url, token=one.token, at=elsewhere) as moved:
            await moved.create(**RATED)
            assert verdict(await options_of(third, await by_link(moved, third)))[0] is (elsewhere != SCHOOL)
        await other.ok(type="join", room=room)
        assert verdict(await options_of(other, room)) == (False, "same_address")


async def test_two_players_of_a_home_with_both_kinds_of_addresses_are_not_rated() -> None:
    """One uses IPv4 and then IPv6, the other IPv6 only."""
    async with gateway() as node, players((node, HOME), (node, "2001:db8:5::2")) as (one, other):
        async with connected(node.url, token=one.token, at="2001:db8:5::1") as later:
            await later.create(**RATED)
        assert verdict(await options_of(other, await by_link(one, other))) == (False, "same_address")


async def test_a_refused_request_leaves_no_address() -> None:
    journal = MemoryJournal()
    async with gateway(journal) as node, players(*[(node, at) for at in (HOME, SCHOOL, "192.0.2.1")]) as clients:
        one, other, third = clients
        room = await by_link(one, other)
        assert await third.refused(type="join", room=room) == "seat_taken"
        assert (await journal.pairs.origins([client.id for client in clients])).keys() == {one.id, other.id}


def test_an_origin_tells_nothing_of_the_rooms_opened_there() -> None:
    assert origin_hash(b"secret", HOME) != opener_of(b"secret", HOME)


async def test_a_rematch_is_judged_by_where_its_players_are_then() -> None:
    async with gateway() as node, players((node, HOME), (node, SCHOOL)) as (one, other):
        room = await by_rematch(one, other)
        assert verdict(await options_of(one, room)) == (True, None)
        await other.ok(type="abort", room=room)
        async with connected(node.url, token=other.token, at=HOME) as moved:
            await one.ok(type="offer_rematch", room=room)
            await moved.ok(type="accept_rematch", room=room)
            again = (await one.push("room"))["room"]
            while again == room:
                again = (await one.push("room"))["room"]
            assert verdict(await options_of(moved, again)) == (False, "same_address")


async def test_a_rematch_offered_long_ago_keeps_the_verdict_of_the_game_before() -> None:
    journal = MemoryJournal(clock := Clock())
    async with gateway(journal) as node, players((node, HOME), (node, HOME)) as (one, other):
        room = await by_link(one, other)
        await other.ok(type="abort", room=room)
        await one.ok(type="offer_rematch", room=room)
        clock.now += DAY_MS + 1
        await journal.forget(clock.now)
        assert await journal.pairs.origins([one.id, other.id]) == {}
        await other.ok(type="accept_rematch", room=room)
        shown = await other.push("room")
        while shown["previous"] != room:
            shown = await other.push("room")
        assert verdict(shown["options"]) == (False, "same_address")


@pytest.mark.parametrize("sit", [by_link, by_seek, by_taking])
async def test_another_node_knows_the_address_without_a_hint(sit: Sit) -> None:
    journal = MemoryJournal()
    journal.shared = True
    async with (
        gateway(journal, MemoryBus("here", Hub())) as here,
        gateway(journal, MemoryBus("there", Hub())) as there,
        players((here, HOME), (there, HOME)) as (one, other),
    ):
        assert verdict(await options_of(other, await sit(one, other))) == (False, "same_address")


async def test_the_operator_may_have_players_of_one_address_rated() -> None:
    async with gateway(rated_same_address=True) as node, players((node, HOME), (node, HOME)) as (one, other):
        assert verdict(await options_of(one, await by_link(one, other))) == (True, None)
        assert not node.host.monitor.limited


# --- how often


@WAYS
async def test_a_pair_is_rated_only_so_often_in_a_day(sit: Sit) -> None:
    journal = MemoryJournal(clock := Clock())
    async with (
        gateway(journal, rated_games_per_pair=2) as node,
        players((node, HOME), (node, SCHOOL), (node, "192.0.2.1")) as (one, other, third),
    ):
        for first, second in ((one, other), (other, one)):
            await rated_game(first, second, "first")
        assert verdict(await options_of(one, await sit(one, other))) == (False, "pair_limit")
        assert node.host.monitor.limited["rated_games_per_pair"]
        assert verdict(await options_of(one, await by_link(third, one))) == (True, None), "another opponent"
        clock.now += DAY_MS
        assert verdict(await options_of(one, await by_link(one, other))) == (True, None), "the next day"


async def test_games_under_way_count_and_games_that_were_aborted_do_not() -> None:
    journal = MemoryJournal(clock := Clock())
    async with gateway(journal, rated_games_per_pair=2) as node, players((node, HOME), (node, SCHOOL)) as (one, other):
        rooms = [await by_link(one, other) for _ in range(3)]
        assert [verdict(await options_of(one, room))[0] for room in rooms] == [True, True, False]
        await one.ok(type="abort", room=rooms[0])
        clock.now += 30_000  # until then a node counts what it has just allowed
        rooms = [await by_link(one, other) for _ in range(2)]
        assert [verdict(await options_of(one, room))[0] for room in rooms] == [True, False]


async def test_games_that_begin_at_the_same_moment_are_counted() -> None:
    async with gateway(rated_games_per_pair=3) as node, players((node, HOME), (node, SCHOOL)) as (one, other):
        rooms = [await one.create(**RATED) for _ in range(9)]
        for room in rooms:
            await other.send(type="join", room=room)
        shown = [await other.push("room") for _ in rooms]
        assert sum(each["options"]["rated"] for each in shown) == 3


async def test_a_level_of_the_computer_is_an_opponent_like_any_other() -> None:
    async with gateway(rated_games_per_pair=1) as node, players((node, HOME)) as (one,):
        rooms = [await one.create("me", f"computer:{level}", **RATED) for level in ("easy", "easy", "hard")]
        assert [verdict(await options_of(one, room))[1] for room in rooms] == [None, "pair_limit", None]


# --- the attack


async def test_an_address_cannot_farm_ratings_with_many_accounts() -> None:
    """One address with 22 accounts: the first wins against all others, and reached the top of the leaderboard."""
    journal = MemoryJournal()
    async with gateway(journal, rated_games_per_pair=0) as node, players(*[(node, HOME)] * 22) as (first, *others):
        for other in others:
            await rated_game(first, other, "first")
        await rate_all(journal)
        board = await first.request(type="leaderboard", game="tictactoe", pool="blitz")
        assert {one["kind"] for one in board["players"]} == {"computer"}
        assert await journal.results.ratings([first.id]) == []
        assert node.host.monitor.limited["rated_same_address"] == 21
