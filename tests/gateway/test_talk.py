"""What is said in a room, by whom, to whom, how often; by real sockets, on one node and on two."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from noughts.bus import Hub, MemoryBus, Said
from noughts.engine import Analysis
from noughts.gateway import Gateway, talk
from noughts.host import Host
from noughts.journal import FOREVER, MemoryJournal
from support.broker import Broker
from support.client import Client, Json, connected
from support.postgres import Postgres, database
from support.server import running_server, settings


def no_analysis(game: str, moves: tuple[str, ...]) -> asyncio.Future[Analysis]:
    raise AssertionError("nobody asks for any here")


@asynccontextmanager
async def gateway() -> AsyncIterator[tuple[str, Gateway, MemoryJournal]]:
    journal = MemoryJournal()
    node = Gateway(settings(), Host(journal, MemoryBus("node")), no_analysis)
    async with node.serving() as server:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws", node, journal


@asynccontextmanager
async def table(url: str, other: str | None = None) -> AsyncIterator[tuple[str, Client, Client, Client, Client]]:
    """A room with two players and two spectators, the second of each by ``other`` where that is given."""
    async with (
        connected(url, "ann") as ann,
        connected(other or url, "ben") as ben,
        connected(url, "eve") as eve,
        connected(other or url, "fay") as fay,
    ):
        room = await ann.create()
        await ben.join(room)
        for spectator in (eve, fay):
            await spectator.ok(type="watch", room=room)
        await asyncio.gather(*(told_of(client, 2) for client in (ann, ben, eve, fay)))
        yield room, ann, ben, eve, fay


async def told_of(client: Client, spectators: int) -> None:
    """Wait until the client has been told of so many, and drop what came before."""
    while True:
        message = await client.push()
        count = message["presence"]["spectators"] if message["type"] == "room" else message.get("count")
        if count == spectators:
            client.pushed.clear()
            return


async def say(client: Client, room: str, text: str) -> Json:
    return await client.request(type="chat", room=room, text=text)


async def lines(client: Client) -> list[tuple[str, str, str]]:
    """What the client has been told until now: by whom, what, to whom."""
    assert (await client.request(type="ping"))["type"] == "pong"
    told, client.pushed = client.pushed, []
    assert {message["type"] for message in told} <= {"chat"}
    return [(message["name"], message["text"], message["to"]) for message in told]


async def test_players_speak_to_players_and_spectators_to_spectators() -> None:
    async with running_server() as url, table(url) as (room, ann, ben, eve, fay), connected(url) as elsewhere:
        answer = await say(ann, room, "good luck")
        assert (answer["type"], set(answer)) == ("ok", {"type", "id"})
        line = ann.pushed[0]
        assert set(line) == {"type", "room", "id", "name", "text", "at", "to"}
        assert (line["type"], line["room"], line["id"]) == ("chat", room, ann.id)
        assert (await say(fay, room, "who plays?"))["type"] == "ok"
        assert await lines(ann) == await lines(ben) == [("ann", "good luck", "players")]
        assert await lines(eve) == await lines(fay) == [("fay", "who plays?", "spectators")]
        assert await lines(elsewhere) == []
        # Neither has a version, nor is it told later.
        await eve.ok(type="watch", room=room, since=0)
        assert [message["version"] for message in eve.pushed] == []
        assert [(await eve.push())["type"] for _ in range(3)] == ["update", "update", "spectators"]
        await eve.quiet()


async def test_it_goes_by_the_seat_that_one_has_when_one_speaks() -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await ann.create()
        await ben.ok(type="watch", room=room)
        await told_of(ann, 1)
        await told_of(ben, 1)
        await say(ben, room, "may I?")
        assert (await lines(ben), await lines(ann)) == ([("ben", "may I?", "spectators")], [])
        async with connected(url, token=ann.token) as also_ann:
            await also_ann.ok(type="watch", room=room)
            await also_ann.push("room")
            await ben.join(room)
            await ann.push("update")
            await also_ann.push("update")
            for client in (ann, also_ann):
                await told_of(client, 0)
            await say(also_ann, room, "welcome")
            told = [("ann", "welcome", "players")]
            assert [await lines(client) for client in (ann, also_ann, ben)] == [told] * 3


async def test_one_may_speak_while_one_looks_also_when_the_game_is_over() -> None:
    async with running_server() as url, table(url) as (room, ann, ben, eve, _):
        await ann.ok(type="resign", room=room)
        for client in (ann, ben, eve):
            await client.push("update")
        assert (await say(ben, room, "well played"))["type"] == "ok"
        assert await lines(ann) == [("ben", "well played", "players")]
        await ann.ok(type="leave", room=room)
        assert await ann.refused(type="chat", room=room, text="still here") == "not_allowed"
        assert await ann.refused(type="chat", room="nowhere", text="hello") == "not_allowed"
        assert await lines(ben) == [("ben", "well played", "players")]


async def test_what_is_said_right_after_asking_to_look_is_said(tmp_path: Path) -> None:
    """Though the room is still being read."""
    async with (
        running_server(journal=str(tmp_path / "journal")) as url,
        connected(url, "ann") as ann,
        connected(url, "eve") as eve,
    ):
        room = await ann.create()
        await ann.ok(type="leave", room=room)
        await eve.send(type="watch", id="w", room=room)
        await eve.send(type="chat", id="c", room=room, text="hello")
        told = [await eve.receive() for _ in range(4)]
        assert [message.get("id", message["type"]) for message in told] == ["w", "room", eve.id, "c"]


@pytest.mark.parametrize("text", ["", " hello", "a\nb", "\u202eolleh", "\0", "x" * 281, 7])
async def test_a_line_is_one_that_can_be_shown(text: object) -> None:
    async with running_server() as url, connected(url) as ann:
        room = await ann.create()
        assert await ann.refused(type="chat", room=room, text=text) == "bad_message"


async def test_a_player_says_five_lines_at_once_and_then_has_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talk, "LINES_PER_S", 0.001)
    async with running_server() as url, table(url) as (room, ann, ben, *_), connected(url, token=ann.token) as also_ann:
        await also_ann.ok(type="watch", room=room)
        for number in range(5):
            assert (await say((ann, also_ann)[number % 2], room, f"{number}"))["type"] == "ok"
        for client in (ann, also_ann):
            refusal = await say(client, room, "5")
            assert (refusal["code"], 990 < refusal["retry_after_s"] <= 1000) == ("rate_limited", True)
        assert [text for _, text, _ in await lines(ben)] == list("01234")
        assert (await say(ben, room, "my turn"))["type"] == "ok"


async def test_a_crowd_does_not_drown_the_node(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line of a spectator goes to all of them; so together they have a limit too, which players do not share."""
    monkeypatch.setattr(talk, "CROWD_PER_S", 0.001)
    monkeypatch.setattr(talk, "CROWD_AT_ONCE", 3)
    async with running_server() as url, table(url) as (room, ann, _, eve, fay):
        another = await ann.create()
        await eve.ok(type="watch", room=another)
        for number in range(3):
            assert (await say((eve, fay)[number % 2], room, f"{number}"))["type"] == "ok"
        assert [(await say(client, room, "3"))["code"] for client in (eve, fay)] == ["rate_limited"] * 2
        assert (await say(ann, room, "hello"))["type"] == "ok"
        assert (await say(eve, another, "hello"))["type"] == "ok"


async def test_who_is_muted_is_told_until_when() -> None:
    async with gateway() as (url, _, journal), table(url) as (room, ann, ben, *_):
        now = journal.now()
        for until, words in ((now + 3_600_000, " until 20"), (FOREVER, " for good.")):
            await journal.people.mute(ann.id, until)
            async with connected(url, token=ann.token) as again:
                await again.ok(type="watch", room=room)
                refusal = await say(again, room, "hello")
                assert (refusal["code"], words in refusal["message"]) == ("not_allowed", True)
        await journal.people.mute(ann.id, now)
        async with connected(url, token=ann.token) as again:
            await again.ok(type="watch", room=room)
            await again.ok(type="chat", room=room, text="hello again")
        assert await lines(ben) == [("ann", "hello again", "players")]


async def test_who_reads_slowly_is_not_told_and_holds_nobody_up() -> None:
    async with gateway() as (url, node, _), table(url) as (room, ann, ben, eve, fay):
        audience = node.hall.audience
        audience.soft, soft = -1, audience.soft
        await ann.ok(type="chat", room=room, text="lost")
        audience.soft = soft
        await ann.ok(type="chat", room=room, text="hello")
        assert await lines(ben) == await lines(ann) == [("ann", "hello", "players")]
        # Who is behind in a room gets it anew, and until then no lines.
        audience.soft = -1
        await ann.play(room, 0, "5")
        audience.soft = soft
        await eve.ok(type="chat", room=room, text="lost too")
        assert (await fay.push("room"))["version"] == 3
        await fay.quiet()


async def test_lines_go_from_node_to_node(broker: Broker, postgres: Postgres) -> None:
    prefix = f"tests/{secrets.token_hex(8)}"
    async with (
        database(postgres) as journal,
        running_server(journal=journal, bus=broker.url, bus_prefix=prefix) as one,
        running_server(journal=journal, bus=broker.url, bus_prefix=prefix) as two,
        table(one, two) as (room, ann, ben, eve, fay),
    ):
        await ann.ok(type="chat", room=room, text="from one")
        await ben.ok(type="chat", room=room, text="from two")
        await eve.ok(type="chat", room=room, text="we watch")
        await fay.ok(type="chat", room=room, text="we too")
        heard: dict[Client, set[tuple[str, str, str]]] = {client: set() for client in (ann, ben, eve, fay)}
        for client, said in heard.items():
            while len(said) < 2:
                message = await client.push("chat")
                said.add((message["name"], message["text"], message["to"]))
        assert heard[ann] == heard[ben] == {("ann", "from one", "players"), ("ben", "from two", "players")}
        assert heard[eve] == heard[fay] == {("eve", "we watch", "spectators"), ("fay", "we too", "spectators")}
        for client in heard:
            assert await lines(client) == []


async def test_a_line_that_comes_twice_by_the_bus_is_told_once() -> None:
    hub = Hub()
    other = MemoryBus("other", hub)
    node = Gateway(settings(), Host(MemoryJournal(), MemoryBus("node", hub)), no_analysis)
    async with node.serving() as server:
        url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws"
        said: list[Said] = []
        other.listeners.append(lambda message: said.append(message) if isinstance(message, Said) else None)
        async with table(url) as (room, ann, ben, *_):
            other.follow(room)
            for _ in range(2):
                await ann.ok(type="chat", room=room, text="ha")
            assert await lines(ben) == [("ann", "ha", "players")] * 2
            assert said[0] != said[1]
            for _ in range(2):
                other.send(Said(room, b'{"type":"chat","name":"cid","text":"ho","to":"players"}'))
            await asyncio.sleep(0)
            assert await lines(ben) == [("cid", "ho", "players")]


async def test_without_a_bus_a_line_stays_on_its_node(postgres: Postgres) -> None:
    async with (
        database(postgres) as journal,
        running_server(journal=journal) as one,
        running_server(journal=journal) as two,
        connected(one, "ann") as ann,
        connected(two, "ben") as ben,
    ):
        room = await ann.create()
        await ben.join(room)
        await ann.push("update")
        await ann.ok(type="chat", room=room, text="hello")
        assert (await lines(ann), await lines(ben)) == ([("ann", "hello", "players")], [])
