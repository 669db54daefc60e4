"""The gateway in this process, over journals that fail, and what is left of those who have gone."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin

from noughts.bus import MemoryBus
from noughts.gateway import Gateway, lobby
from noughts.gateway.session import Session
from noughts.host import Host
from noughts.journal import Append, JournalError, MemoryJournal
from support.client import Client, Json, connected
from support.server import no_analysis, running_server, settings


class Unreliable(MemoryJournal):
    """A journal whose writes and reads can be made to fail or to take their time."""

    def __init__(self) -> None:
        super().__init__()
        self.append_faults: list[str] = []
        self.failing_reads = 0
        self.slow_s = 0.0

    async def append(self, write: Append) -> bool:
        fault = self.append_faults.pop(0) if self.append_faults else "none"
        if fault == "lost":
            raise JournalError("no answer")
        stored = await super().append(write)
        if fault == "answer lost":
            raise JournalError("no answer")
        return stored

    async def read(self, room: str, since: int = 0) -> list[bytes]:
        await asyncio.sleep(self.slow_s)
        if self.failing_reads:
            self.failing_reads -= 1
            raise JournalError("no answer")
        return await super().read(room, since)

    async def lobby(self, game: str | None, limit: int) -> list[bytes]:
        rows = await super().lobby(game, limit)
        await asyncio.sleep(self.slow_s)
        return rows


@pytest.fixture(autouse=True)
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.host.retry.RETRIES_S", (0.01, 0.01))
    monkeypatch.setattr("noughts.host.sweeper.SWEEP_S", 0.05)
    monkeypatch.setattr("noughts.host.host.LOOK_AGAIN_S", 0.05)


@asynccontextmanager
async def gateway(journal: MemoryJournal, **overrides: object) -> AsyncIterator[tuple[str, Host]]:
    host = Host(journal, MemoryBus("node"))
    async with Gateway(settings(**overrides), host, no_analysis).serving() as server:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws", host


async def ask(url: str, path: str) -> tuple[int, str]:
    """Ask for ``path`` by HTTP: the status and the body."""
    host, port = url.split("/")[2].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    answer = (await reader.read()).decode()
    writer.close()
    head, _, body = answer.partition("\r\n\r\n")
    return int(head.split()[1]), body


async def rematched(url: str, ann: Client, ben: Client) -> str:
    """A game that is over, with a rematch offered; its room."""
    room = await ann.create()
    await ben.join(room)
    await ann.ok(type="resign", room=room)
    await ann.ok(type="offer_rematch", room=room)
    return room


async def carried_over(client: Client) -> str:
    """The room of the rematch, once the client is told of it."""
    while (message := await client.push("room"))["previous"] is None:
        pass
    return str(message["room"])


async def read_on(client: Client) -> list[Json]:
    """Everything until the connection ends with 1013."""
    messages: list[Json] = []
    with suppress(ConnectionClosed):
        while True:
            messages.append(await client.receive())
    assert client.socket.close_code == 1013
    return messages


async def test_nothing_is_left_of_those_who_have_gone() -> None:
    async with gateway(MemoryJournal()) as (url, host):
        async with connected(url, "ann") as ann, connected(url, "ben") as ben, connected(url, "eve") as eve:
            room = await rematched(url, ann, ben)
            await eve.ok(type="watch", room=room)
            await eve.ok(type="lobby", watch=True)
            await ben.ok(type="accept_rematch", room=room)
            following = await carried_over(eve)
            for client in (ann, ben):
                await carried_over(client)
            assert len(host) == 1, "the old room is let go of"
            for client in (ann, ben, eve):
                await client.ok(type="leave", room=following)
            await ann.request(type="ping")
            assert len(host) == 0
            await ann.create()
        await asyncio.sleep(0.1)
        assert len(host) == 0
        gc.collect()
        assert not [each for each in gc.get_objects() if isinstance(each, Session)]


async def test_an_unknown_outcome_ends_the_connection_with_1013() -> None:
    journal = Unreliable()
    async with gateway(journal) as (url, _), connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await ann.create()
        await ben.join(room)
        journal.append_faults = ["lost"] * 2 + ["answer lost"]
        assert await ann.refused(type="play", room=room, turn=0, move="5") == "overloaded"
        assert await read_on(ann) == []
        assert (await ben.push("update"))["event"]["move"] == "5", "it had arrived after all"
        async with connected(url, token=ann.token) as again:
            assert (await again.play(room, 0, "5"))["version"] == 3


async def test_in_an_outage_nobody_waits_behind_another() -> None:
    journal = Unreliable()
    async with gateway(journal) as (url, _), connected(url, "ann") as ann:
        room = await ann.create(second="computer:easy")
        journal.append_faults = ["lost"] * 100
        loop = asyncio.get_running_loop()
        since = loop.time()
        for _ in range(30):
            await ann.send(type="play", room=room, turn=0, move="5")
        assert {message["code"] for message in await read_on(ann)} == {"overloaded"}
        assert loop.time() - since < 0.3


@pytest.mark.parametrize(
    "faults",
    [
        ["answer lost"],
        ["none", "lost", "lost", "lost"],
        ["none", "answer lost"],
        ["none", "answer lost", "lost", "lost"],
    ],
)
async def test_a_rematch_is_there_for_all_whatever_the_journal_does(faults: list[str]) -> None:
    journal = Unreliable()
    async with gateway(journal) as (url, _), connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await rematched(url, ann, ben)
        journal.append_faults = faults
        await ben.send(type="accept_rematch", room=room)
        following = await carried_over(ann)
        assert await ann.refused(type="play", room=following, turn=0, move="5") == "not_your_turn"


async def test_a_room_that_cannot_be_sent_ends_the_connection() -> None:
    journal = Unreliable()
    async with gateway(journal) as (url, _), connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await rematched(url, ann, ben)
        journal.failing_reads = 3
        await ben.send(type="accept_rematch", room=room)
        assert "room" not in {message["type"] for message in await read_on(ann)}


async def test_who_comes_back_as_he_is_noted_as_gone_is_there() -> None:
    journal = Unreliable()
    async with gateway(journal, away_s=0.05) as (url, _), connected(url, "ann") as ann:
        room = await ann.create(second="computer:easy")
        await ann.ok(type="leave", room=room)
        journal.slow_s = 0.1  # the room is loaded, and meanwhile the time is up
        await ann.ok(type="watch", room=room)
        journal.slow_s = 0
        await asyncio.sleep(0.2)
        await ann.ok(type="watch", room=room)
        while (message := await ann.receive())["type"] != "room":
            pass
        assert message["state"]["seats"]["first"]["online"] is True


async def test_leave_does_not_overtake_watch() -> None:
    journal = Unreliable()
    async with gateway(journal) as (url, host), connected(url, "ann") as ann, connected(url, "eve") as eve:
        room = await ann.create()
        await ann.ok(type="leave", room=room)
        journal.slow_s = 0.05
        await eve.send(type="watch", id="w", room=room)
        await eve.send(type="leave", id="l", room=room)
        answers = [await eve.receive() for _ in range(3)]
        assert [answer.get("id", answer["type"]) for answer in answers] == ["w", "room", "l"]
        await ann.request(type="ping")
        assert len(host) == 0


async def test_the_list_comes_before_the_changes_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "CHANGES_S", 0.02)
    journal = Unreliable()
    async with gateway(journal) as (url, _), connected(url, "ann") as ann, connected(url, "eve") as eve:
        journal.slow_s = 0.2
        await eve.send(type="lobby", id="l", watch=True)
        await asyncio.sleep(0.05)
        room = await ann.create()
        assert (await eve.receive())["id"] == "l"
        assert [listed["room"] for listed in (await eve.receive())["rooms"]] == [room]


async def test_who_is_behind_in_one_room_is_not_forgotten_in_another() -> None:
    """The second falls behind while the first is being read again."""

    class Shared(Unreliable):
        shared = True

    journal = Shared()
    host = Host(journal, MemoryBus("node"))
    serving = Gateway(settings(), host, no_analysis)
    async with serving.serving() as server:
        url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws"
        async with connected(url, "ann") as ann, connected(url, "eve") as eve:
            rooms = [await ann.create() for _ in range(2)]
            for room in rooms:
                await eve.ok(type="watch", room=room)
                await eve.push("room")
            journal.slow_s = 0.4
            audience = serving.hall.audience
            audience.soft, soft = -1, audience.soft
            await ann.ok(type="abort", room=rooms[0])
            audience.soft = soft
            await asyncio.sleep(0.2)
            await ann.ok(type="abort", room=rooms[1])
            seen = [await eve.push("room") for _ in rooms]
            assert [(message["room"], message["version"]) for message in seen] == [(room, 2) for room in rooms]


async def test_who_looks_at_a_room_that_the_journal_has_lost_is_sent_to_look_anew() -> None:
    journal = MemoryJournal()
    async with gateway(journal) as (url, _), connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await ann.create()
        await ben.join(room)
        await ann.play(room, 0, "5")
        del journal._records[room][-1]
        await ben.send(type="play", room=room, turn=1, move="1")
        for client in (ann, ben):
            await read_on(client)
        async with connected(url, token=ben.token) as again:
            await again.ok(type="watch", room=room, since=3)
            assert (await again.push("room"))["version"] == 2


async def test_newcomers_from_one_address_are_bounded() -> None:
    async with (
        running_server(burst=2) as url,
        connected(url, "one") as one,
        connected(url, "two"),
        connect(url) as socket,
    ):
        third = Client(socket)
        refusal = await third.request(type="hello", protocol=1)
        assert (refusal["code"], 0 < refusal["retry_after_s"] <= 1) == ("rate_limited", True)
        assert (await third.request(type="hello", protocol=1, token=one.token))["type"] == "welcome"


async def test_no_change_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "eve") as eve:
        await eve.ok(type="lobby", watch=True)
        rooms = {await ann.create() for _ in range(150)}
        told: set[str] = set()
        while told < rooms:
            message = await eve.push("lobby")
            assert len(message["rooms"]) <= lobby.PAGE
            told |= {listed["room"] for listed in message["rooms"]}


async def test_only_the_pages_that_may_connect_do() -> None:
    async with running_server(origins=["https://example.org"]) as url:
        for origin in (Origin("https://example.org"), None):
            async with connect(url, origin=origin):
                pass
        with pytest.raises(InvalidStatus) as refused:
            await connect(url, origin=Origin("https://example.com"))
        assert refused.value.response.status_code == 403


async def test_resets_in_the_middle_of_a_handshake_leave_no_trace(caplog: pytest.LogCaptureFixture) -> None:
    async with running_server() as url:
        port = int(url.split(":")[2].split("/")[0])
        for _ in range(50):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(
                b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
            )
            writer.transport.abort()
        await asyncio.sleep(0.2)
        async with connected(url) as ann:
            assert (await ann.request(type="ping"))["type"] == "pong"
    assert caplog.records == []


async def test_behind_a_trusted_proxy_each_client_has_its_own_connections() -> None:
    async with running_server(trusted_proxies=["127.0.0.0/8"], connections_per_address=1) as url:
        async with (
            connect(url, additional_headers={"X-Forwarded-For": "203.0.113.1"}),
            connect(url, additional_headers={"X-Forwarded-For": "198.51.100.1, 203.0.113.2"}),
        ):
            with pytest.raises(InvalidStatus) as refused:
                await connect(url, additional_headers={"X-Forwarded-For": "198.51.100.2, 203.0.113.2"})
            assert refused.value.response.status_code == 429
        async with connect(url, additional_headers={"X-Forwarded-For": "203.0.113.2"}):
            pass


async def test_who_is_no_trusted_proxy_is_not_believed() -> None:
    async with (
        running_server(connections_per_address=1) as url,
        connect(url, additional_headers={"X-Forwarded-For": "203.0.113.1"}),
    ):
        with pytest.raises(InvalidStatus) as refused:
            await connect(url, additional_headers={"X-Forwarded-For": "203.0.113.2"})
        assert refused.value.response.status_code == 429


async def test_readiness_goes_and_comes_with_the_journal() -> None:
    journal = Unreliable()
    async with gateway(journal) as (url, host), connected(url) as ann:
        whole = {"ready": True, "node": "node", "journal": "ok", "bus": "none"}
        status, body = await ask(url, "/readyz")
        assert (status, json.loads(body)) == (200, whole)
        journal.append_faults = ["lost"] * 3
        assert await ann.refused(type="create", game="tictactoe") == "overloaded"
        assert not host.answering
        status, body = await ask(url, "/readyz")
        assert (status, json.loads(body)) == (503, {**whole, "ready": False, "journal": "away"})
        assert await ask(url, "/healthz") == (200, "ok\n")
        async with connected(url) as ben:
            await ben.create()
        assert (await ask(url, "/readyz"))[0] == 200


class Cluster(MemoryBus):
    """A bus whose broker can go away."""

    up = True

    @property
    def connected(self) -> bool:
        return self.up


async def test_a_node_without_its_broker_is_ready_and_says_so() -> None:
    bus = Cluster("node-7")
    node = Gateway(settings(bus="mqtt://broker"), Host(MemoryJournal(), bus), no_analysis)
    async with node.serving() as server:
        url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws"
        for up, said in ((True, "ok"), (False, "away")):
            bus.up = up
            status, body = await ask(url, "/readyz")
            assert (status, json.loads(body)) == (
                200,
                {"ready": True, "node": "node-7", "journal": "ok", "bus": said},
            )


async def test_a_draining_node_is_not_ready_and_lets_nobody_in() -> None:
    host = Host(MemoryJournal(), MemoryBus("node"))
    node = Gateway(settings(), host, no_analysis)
    async with node.serving() as server:
        url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws"
        async with connected(url) as ann:
            await ann.send(type="create", game="tictactoe")
            await node.drain()
            await ann.socket.wait_closed()
            assert ann.socket.close_code == 1012
        assert (await ask(url, "/readyz"))[0] == 503
        assert (await ask(url, "/healthz"))[0] == 200
        with pytest.raises(InvalidStatus) as refused:
            await connect(url)
        assert refused.value.response.status_code == 503
        await host.close()


async def test_a_draining_node_does_not_wait_for_clients_that_do_not_answer() -> None:
    node = Gateway(settings(hello_s=60), Host(MemoryJournal(), MemoryBus("node")), no_analysis)
    loop = asyncio.get_running_loop()
    async with node.serving() as server:
        port = server.sockets[0].getsockname()[1]
        _, half_open = await asyncio.open_connection("127.0.0.1", port)
        half_open.write(b"GET /ws HTTP/1.1\r\n")
        _, deaf = await asyncio.open_connection("127.0.0.1", port)
        deaf.write(
            b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        while not server.connections:  # noqa: ASYNC110  # nobody tells us
            await asyncio.sleep(0.01)
        for connection in server.connections:
            connection.transport.write(bytes(50_000_000))  # so that the farewell has to wait behind it
        since = loop.time()
    assert loop.time() - since < 5
    for writer in (half_open, deaf):
        writer.transport.abort()
