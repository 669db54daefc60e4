"""Which subscriber gets which update, and slow readers: first without sockets, then over real ones."""

from __future__ import annotations

import asyncio
import os
import socket
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from noughts.gateway.subscribers import Subscribers
from noughts.host import RoomUpdate
from noughts.rooms import Command, Join, Play, Player
from noughts.timing import Timing
from support.client import Client, Json, connected
from support.eventually import soon
from support.rooms import ANN, after, event_of, opened
from support.server import running_gateway, running_server
from support.subscriber import FakeSubscriber
from support.table import served

PROMPT_S = 30.0
"""Others must be served within this time; a server that waited for the slow reader would take half a minute."""

REQUESTS = 1200
"""The number of requests for 8 KB sent by a client that does not read the answers."""

LOOPS = ["asyncio", pytest.param("uvloop", marks=pytest.mark.slow)]


class Room:
    """A room of two players with its subscribers. ``resent`` are the rooms that slow readers were sent whole."""

    def __init__(self) -> None:
        self.room = opened()
        self.subscribers = Subscribers()
        self.resent: list[FakeSubscriber] = []
        self.subscribers.resend = self._resend  # type: ignore[assignment]
        self.moves = iter("152346789")

    def _resend(self, subscriber: FakeSubscriber, room_id: str) -> None:
        subscriber.behind.discard(room_id)
        self.resent.append(subscriber)

    def watched_by(self, *names: str) -> list[FakeSubscriber]:
        watching = [FakeSubscriber(name) for name in names]
        for subscriber in watching:
            self.subscribers.add(self.room.id, [subscriber])
        return watching

    def update(self, command: Command) -> RoomUpdate:
        event = event_of(self.room, command, 2000)
        self.room = after(self.room, command, now=2000)
        update = RoomUpdate(event, self.room, ours=True)
        self.subscribers.on_update(update)
        return update

    def play(self) -> RoomUpdate:
        assert self.room.to_move is not None
        player = self.room.seat(self.room.to_move)
        assert player is not None
        return self.update(Play(player.id, self.room.turn, next(self.moves)))


async def test_an_update_is_encoded_once_for_all_subscribers() -> None:
    room = Room()
    watching = room.watched_by("eve", "fay", "gus")
    update = room.play()
    assert [subscriber.frames for subscriber in watching] == [[update.data]] * 3
    assert len({id(subscriber.raw) for subscriber in watching}) == 1


async def test_an_update_without_legal_moves_is_encoded_once_for_all_who_do_without() -> None:
    room = Room()
    watching = room.watched_by("eve", "fay", "gus", "hal")
    for subscriber in watching[2:]:
        subscriber.legal_moves = False
    update = room.play()
    assert [subscriber.frames for subscriber in watching] == [[update.data]] * 2 + [[update.short]] * 2
    assert len({id(subscriber.raw) for subscriber in watching}) == 2


async def test_an_update_that_nobody_wants_is_not_encoded() -> None:
    room = Room()
    (watching,) = room.watched_by("eve")
    assert room.play()._short is None
    watching.legal_moves = False
    assert room.play()._data is None


async def test_a_slow_reader_gets_the_whole_room_instead_of_the_updates() -> None:
    room = Room()
    eve, slow = room.watched_by("eve", "slow")
    slow.paused = True
    room.play()
    room.play()
    assert (len(eve.frames), slow.frames, room.resent) == (2, [], [])
    slow.paused = False
    room.subscribers.catch_up(slow)
    assert room.resent == [slow]
    room.play()
    assert (len(eve.frames), len(slow.frames)) == (3, 1)


async def test_a_slow_reader_gets_no_update_before_the_whole_room() -> None:
    room = Room()
    (slow,) = room.watched_by("slow")
    room.subscribers.resend = lambda _subscriber, _room: None  # it is still being loaded
    slow.paused = True
    room.play()
    slow.paused = False
    room.subscribers.catch_up(slow)
    room.play()
    assert (slow.frames, slow.behind) == ([], {room.room.id})


async def test_a_slow_reader_misses_counts() -> None:
    room = Room()
    eve, slow = room.watched_by("eve", "slow")
    slow.paused = True
    assert room.subscribers.send_spectators(room.room.id, 2)
    assert (len(eve.frames), slow.frames, slow.behind) == (1, [], {room.room.id})


async def test_a_client_that_joins_gets_no_update_of_it() -> None:
    room = Room()
    room.room = opened(second=None)
    eve, ben, other = room.watched_by("eve", "ben", "ben")
    other.player = ben.player
    ben.joining[room.room.id] += 1
    room.update(Join(Player(ben.player.id, "ben", "human")))
    assert [len(each.frames) for each in (eve, ben, other)] == [1, 0, 1]


async def test_whoever_watches_is_a_player_or_a_spectator() -> None:
    room = Room()
    eve, ann = room.watched_by("eve", "ann")
    room.subscribers.remove(room.room.id, ann)
    ann.player = type(ann.player)(ANN.id, "ann", "human", b"")
    room.subscribers.add(room.room.id, [ann])
    assert room.subscribers.spectators(room.room) == 1
    assert room.subscribers.side(room.room, players=True) == [ann]
    assert room.subscribers.side(room.room, players=False) == [eve]


def test_a_silent_connection_does_not_count() -> None:
    room = Room()
    (phone,), laptop = room.watched_by("ann"), FakeSubscriber("ann")
    laptop.player, player = phone.player, phone.player.id
    room.subscribers.add(room.room.id, [laptop])
    room.subscribers.mute(phone, silent=True)
    assert room.subscribers.connections_of(player, room.room.id) == 1
    room.subscribers.mute(laptop, silent=True)
    assert room.subscribers.connections_of(player, room.room.id) == 0
    room.subscribers.remove(room.room.id, phone)
    room.subscribers.mute(laptop, silent=False)
    assert room.subscribers.connections_of(player, room.room.id) == 1
    room.subscribers.remove(room.room.id, laptop)
    room.subscribers.add(room.room.id, [phone])  # its answer comes while it is silent
    assert room.subscribers.connections_of(player, room.room.id) == 0
    room.subscribers.remove_all(room.room.id)
    assert room.subscribers.connections_of(player, room.room.id) == 0


async def test_nothing_remains_of_subscribers_that_left() -> None:
    room = Room()
    watching = room.watched_by("eve", "fay")
    for subscriber in (*watching, *watching):
        room.subscribers.remove(room.room.id, subscriber)
    assert not room.subscribers.is_watched(room.room.id)
    assert (room.subscribers._rooms, room.subscribers._players) == ({}, {})


# --- over real sockets


@asynccontextmanager
async def slow_reader(url: str, token: str | None = None) -> AsyncIterator[Client]:
    """A client with hardly any buffers of its own, so that what it does not read stays with the server."""
    where = urlsplit(url)
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    narrow.setblocking(False)
    await asyncio.get_running_loop().sock_connect(narrow, (where.hostname, where.port))
    async with connect(url, sock=narrow, compression=None, max_queue=None, ping_interval=None, close_timeout=1) as end:
        client = Client(end)
        client.welcome = await client.request(type="hello", protocol=1, name="slow", token=token, games=False)
        yield client


def stop_reading(client: Client) -> None:
    client.socket.transport.pause_reading()


def read_again(client: Client) -> None:
    client.socket.transport.resume_reading()


async def drawn_game(one: Client, two: Client) -> str:
    """A room with a history of 8 KB, which one short request asks for."""
    room = await one.create()
    await two.join(room)
    for turn, move in enumerate("123546879"):
        await (two if turn % 2 else one).play(room, turn, move)
    await drop_pushed(one, two)
    return room


async def clog(client: Client, room: str) -> None:
    """Stop reading, and request what would be 9 MB, if the server did not stop when nobody reads it."""
    stop_reading(client)
    for _ in range(REQUESTS):
        await client.send(type="watch", room=room, since=0)


async def flood(client: Client) -> None:
    """Stop reading, and send 10,000 pings, whose answers have 1.3 MB, or as many as the server waits for."""
    stop_reading(client)
    with suppress(ConnectionClosed):
        for number in range(10_000):
            await client.send(type="ping", id=f"{number:064}")


async def until_all_is_received(client: Client, other: Client) -> None:
    """Wait until the server has received everything that ``client``, which does not read, has sent."""
    await client.send(type="create", game="tictactoe")
    async with asyncio.timeout(PROMPT_S):
        while not any(room["seats"]["first"]["id"] == client.id for room in await lobby_of(other)):
            pass


async def lobby_of(client: Client) -> list[Json]:
    rooms: list[Json] = (await client.ok(type="lobby"))["rooms"]
    return rooms


async def drop_pushed(*clients: Client) -> None:
    """Drop everything that was pushed until now."""
    for client in clients:
        await client.request(type="ping")
        client.pushed.clear()


async def play_promptly(players: tuple[Client, Client], others: list[Client], room: str, moves: str) -> None:
    """Play ``moves``. All other clients must receive each at once."""
    for turn, move in enumerate(moves):
        async with asyncio.timeout(PROMPT_S):
            assert (await players[turn % 2].play(room, turn, move))["type"] == "ok"
            for client in (*players, *others):
                assert (await client.push("update"))["event"]["move"] == move


async def until_version(client: Client, rooms: list[str], version: int) -> None:
    """Wait until the client has got the update of each room to ``version``."""
    missing = set(rooms)
    while missing:
        message = await client.push("update")
        if message["version"] == version:
            missing.remove(message["room"])


@pytest.mark.parametrize("loop", LOOPS)
async def test_a_slow_reader_gets_all_answers_and_then_the_room(loop: str, tmp_path: Path) -> None:
    async with (
        served(loop, tmp_path, backlog_bytes=64 * 2**20) as server,
        connected(server.url, "one") as one,
        connected(server.url, "two") as two,
        connected(server.url, "other") as other,
        slow_reader(server.url) as slow,
    ):
        long = await drawn_game(one, two)
        room = await one.create()
        await two.join(room)
        for client in (other, slow):
            await client.ok(type="watch", room=room)
        await drop_pushed(one, two, other, slow)
        await clog(slow, long)
        await until_all_is_received(slow, one)
        await play_promptly((one, two), [other], room, "5192")
        read_again(slow)
        answers, replayed, shown = 0, 0, dict[str, Json]()
        while not shown.keys() >= {long, room}:
            message = await slow.push()
            answers += message["type"] == "ok" and message["room"] == long
            replayed += message["type"] == "update"
            if message["type"] == "room":
                assert shown.setdefault(message["room"], message) is message
        # It gets every answer, and then the newest state instead of the updates. The rest of its requests for a history
        # is answered by one room.
        assert answers == REQUESTS
        assert replayed < 11 * REQUESTS / 4
        assert shown[room]["version"] == 6
        assert shown[room]["state"]["moves"] == list("5192")
        assert shown[long]["state"]["status"] == "over"
        await slow.request(type="ping")
        assert [message["type"] for message in slow.pushed if message.get("room") in (long, room)] == []
        slow.pushed.clear()
        # From then on it gets updates like the others.
        await slow.quiet()
        await one.play(room, 4, "3")
        assert (await slow.push())["event"]["move"] == "3"


@pytest.mark.parametrize("loop", LOOPS)
async def test_a_client_that_does_not_read_is_cut_off(loop: str, tmp_path: Path) -> None:
    async with (
        served(loop, tmp_path, backlog_bytes=65_536, away_s=0.2) as server,
        connected(server.url, "one") as one,
        connected(server.url, "other") as other,
        slow_reader(server.url) as slow,
    ):
        room = await one.create()
        await slow.join(room)
        await other.ok(type="watch", room=room)
        await drop_pushed(one, other)
        await flood(slow)
        for client in (one, other):
            async with asyncio.timeout(PROMPT_S):
                assert (await client.push("update"))["event"] == {"kind": "disconnected", "side": "second"}
                assert (await client.request(type="ping"))["type"] == "pong"
        read_again(slow)
        with suppress(ConnectionClosed):
            while True:
                await slow.receive()
        assert slow.socket.close_code == 1006
        # The seat is kept.
        async with connected(server.url, token=slow.token) as again:
            assert (await again.ok(type="watch", room=room))["seat"] == "second"
            assert (await one.push("update"))["event"]["kind"] == "returned"


@pytest.mark.slow
@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
async def test_a_slow_reader_of_many_rooms_gets_the_end_of_each(loop: str, tmp_path: Path) -> None:
    async with (
        served(loop, tmp_path, backlog_bytes=64 * 2**20) as server,
        connected(server.url, "one") as one,
        connected(server.url, "two") as two,
        slow_reader(server.url) as slow,
    ):
        long = await drawn_game(one, two)
        rooms = [await one.create() for _ in range(50)]
        for room in rooms:
            await two.join(room)
            await slow.ok(type="watch", room=room)
        await drop_pushed(one, two, slow)
        stop_reading(slow)
        for turn, move in enumerate("123546879"):
            if turn == 3:
                await clog(slow, long)
                await until_all_is_received(slow, one)
            for room in rooms:
                await (two if turn % 2 else one).send(type="play", room=room, turn=turn, move=move)
            async with asyncio.timeout(PROMPT_S):
                await asyncio.gather(*(until_version(client, rooms, turn + 3) for client in (one, two)))
        read_again(slow)
        received: dict[str, list[tuple[str, int]]] = {room: [] for room in rooms}
        while not all(messages and messages[-1][1] == 11 for messages in received.values()):
            message = await slow.push()
            if message.get("room") in received:
                received[message["room"]].append((message["type"], message["version"]))
        for messages in received.values():
            assert messages == [("update", 3), ("update", 4), ("update", 5), ("room", 11)]
        await slow.quiet()


async def test_a_client_with_much_unread_is_refused_what_it_would_not_read() -> None:
    async with (
        running_gateway(timing=Timing(lobby_list_s=60), update_backlog_bytes=4096) as node,
        connected(node.url, "one") as one,
    ):
        shrink_kernel_buffers(node.url)
        for _ in range(30):
            await one.create()
        await one.ok(type="lobby")
        async with slow_reader(node.url) as slow:
            stop_reading(slow)
            for number in range(100):
                await slow.send(type="lobby", id=number)
            await soon(lambda: node.host.monitor.limited["update_backlog_bytes"] > 50)
            read_again(slow)
            answers = [await slow.receive() for _ in range(100)]
            codes = Counter((answer["type"], answer.get("code"), answer.get("retry_after_s")) for answer in answers)
            assert codes.keys() == {("ok", None, None), ("error", "rate_limited", 1.0)}


async def test_a_client_that_does_not_read_the_lobby_is_told_how_much_it_missed() -> None:
    timing = Timing(lobby_changes_s=0.01)
    async with running_server(update_backlog_bytes=4096, timing=timing) as url, connected(url, "one") as one:
        shrink_kernel_buffers(url)
        async with slow_reader(url) as slow:
            await slow.ok(type="lobby", watch=True)
            stop_reading(slow)
            rooms = {await one.create() for _ in range(300)}
            read_again(slow)
            seen: set[str] = set()
            missed = 0
            while len(seen) + missed < len(rooms):
                message = await slow.push("lobby")
                seen |= {shown["room"] for shown in message["rooms"]}
                missed += message.get("missed", 0)
            assert missed > 100
            last = await one.create()
            assert [shown["room"] for shown in (await slow.push("lobby"))["rooms"]] == [last]


def shrink_kernel_buffers(url: str) -> None:
    """Give the connections that a server in this process accepts from now on a small buffer in the kernel."""
    port = urlsplit(url).port
    for name in os.listdir("/dev/fd"):
        with suppress(OSError), socket.fromfd(int(name), socket.AF_INET, socket.SOCK_STREAM) as end:
            if end.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) and end.getsockname()[1] == port:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
