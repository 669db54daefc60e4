"""Bad input gets an error and disturbs no other client: over real sockets, on plain asyncio and on uvloop.

A game goes on during every test. Its members receive nothing, its journal does not change, and the server logs nothing
but games and limits.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import random
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from support.client import Client, Json, connected
from support.table import Served, Table, served, table

pytestmark = pytest.mark.asyncio(loop_scope="module")

LOOPS = ["asyncio", pytest.param("uvloop", marks=pytest.mark.slow)]
MESSAGE_BYTES = 16_384
EXPECTED = ("noughts.monitor", "noughts.features.game_log", "noughts.cli.process")


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=LOOPS)
async def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    async with served(request.param, tmp_path_factory.mktemp("server")) as running:
        yield running


@asynccontextmanager
async def undisturbed(server: Served, caplog: pytest.LogCaptureFixture) -> AsyncIterator[Table]:
    """A game that the block must not disturb, and a server that must log nothing but games and limits."""
    logged = logged_by(server)
    async with table(server) as game:
        yield game
        await game.unharmed()
    logged_records = [record for phase in ("setup", "call", "teardown") for record in caplog.get_records(phase)]
    warned = [record for record in logged_records if record.levelno >= logging.WARNING]
    assert [record.getMessage() for record in warned if record.name not in EXPECTED] == []
    assert logged_by(server) == logged


def logged_by(server: Served) -> list[str]:
    """The lines that a server in another process has logged, but for those of games, of limits, and of its start."""
    lines = [] if server.log is None else server.log.read_text(errors="replace").splitlines()
    return [line for line in lines if not any(f" {name}: " in line for name in EXPECTED)]


@pytest_asyncio.fixture(loop_scope="module")
async def game(server: Served, caplog: pytest.LogCaptureFixture) -> AsyncIterator[Table]:
    async with undisturbed(server, caplog) as under_way:
        yield under_way


async def closed(socket: ClientConnection) -> int | None:
    """Read until the connection is closed. Returns the close code."""
    async with asyncio.timeout(60):
        with suppress(ConnectionClosed):
            while True:
                await socket.recv()
    return socket.close_code


async def error(client: Client, frame: str) -> Json:
    """Send a frame. Returns the error; the connection stays open."""
    await client.socket.send(frame)
    answer = await client.receive()
    assert answer["type"] == "error", answer
    assert (await client.request(type="ping"))["type"] == "pong"
    return answer


# --- frames that are not requests


@pytest.mark.parametrize(
    "frame",
    [
        "",
        "hello",
        '{"type":"ping"',
        '{"type":"ping","id":NaN}',
        '{"type":"ping","id":"\\ud800"}',
        '{"type":"ping","id":"\0"}',
        "[" * 10_000,
        "[" * 8_000 + "]" * 8_000,
        '{"id":' * 2_700,
        '{"type":"ping","id":' + "9" * 10_000 + "}",
        "x" * MESSAGE_BYTES,
    ],
    ids=lambda frame: repr(frame)[:30],
)
async def test_not_json(game: Table, frame: str) -> None:
    for client in game.members:
        assert (await error(client, frame))["code"] == "bad_json"


@pytest.mark.parametrize(
    "message",
    [
        [],
        None,
        {},
        {"type": None},
        {"type": "castle"},
        {"type": "play"},
        {"type": "play", "room": "ROOM", "turn": "6", "move": "8"},
        {"type": "play", "room": "ROOM", "turn": True, "move": "8"},
        {"type": "play", "room": "ROOM", "turn": 6.0, "move": "8"},
        {"type": "play", "room": "ROOM", "turn": 6, "move": 8},
        {"type": "play", "room": "ROOM", "turn": -1, "move": "8"},
        {"type": "play", "room": "ROOM", "turn": 10**30, "move": "8"},
        {"type": "play", "room": "ROOM", "turn": 6, "move": "8" * 65},
        {"type": "play", "room": "ROOM", "turn": 6, "move": "8", "player": "p-1"},
        {"type": "play", "room": "ROOM\0", "turn": 6, "move": "8"},
        {"type": "play", "room": ["ROOM"], "turn": 6, "move": "8"},
        {"type": "resign", "room": "ROOM", "side": "second"},
        {"type": "create", "game": "tictactoe", "seats": {"first": "me", "second": "computer:godlike"}},
        {"type": "create", "game": "tictactoe", "seats": {"first": "me", "second": "me", "third": "me"}},
        {"type": "create", "game": "tictactoe", "key": "\u202e"},
        {"type": "join", "room": "ROOM", "seat": "third"},
        {"type": "watch", "room": "ROOM", "since": -1},
        {"type": "watch", "room": "ROOM", "since": "6"},
        {"type": "lobby", "watch": 1},
        {"type": "update", "room": "ROOM", "version": 9},
    ],
    ids=lambda message: json.dumps(message)[:60],
)
async def test_frames_that_are_not_requests(game: Table, message: object) -> None:
    if isinstance(message, dict):
        message = {"id": "i", **message}
    for client in game.members:
        answer = await error(client, json.dumps(message).replace("ROOM", game.room))
        assert answer["code"] == "bad_message"
        assert answer.get("id") == ("i" if isinstance(message, dict) else None)


# --- requests that are refused


@pytest.mark.parametrize(
    ("member", "turn", "move", "code"),
    [
        ("second", 6, "8", "not_your_turn"),
        ("first", 6, "0", "malformed_move"),
        ("first", 6, "10", "malformed_move"),
        ("first", 6, "a1", "malformed_move"),
        ("first", 6, "", "malformed_move"),
        ("first", 6, " 8", "malformed_move"),
        ("first", 6, "8\0", "malformed_move"),
        ("first", 6, "\u0668", "malformed_move"),
        ("first", 6, "pass", "malformed_move"),
        ("first", 6, "1", "illegal_move"),
        ("first", 6, "2", "illegal_move"),
        ("first", 0, "8", "stale"),
        ("first", 1, "2", "stale"),
        ("first", 5, "6", "stale"),
        ("second", 5, "8", "stale"),
        ("first", 7, "8", "stale"),
        ("second", 7, "8", "stale"),
        ("first", 2**53, "8", "stale"),
        ("spectator", 6, "8", "not_seated"),
        ("spectator", 0, "1", "not_seated"),
    ],
)
async def test_moves_that_are_refused(game: Table, member: str, turn: int, move: str, code: str) -> None:
    client: Client = getattr(game, member)
    answer = await client.play(game.room, turn, move)
    assert (answer["type"], answer["code"]) == ("error", code)
    legal_moves = ["7", "8", "9"] if code in ("illegal_move", "malformed_move") else None
    assert answer.get("legal_moves") == legal_moves


async def test_a_client_without_a_seat(server: Served, game: Table) -> None:
    async with connected(server.url, "stranger") as stranger:
        room = {"room": game.room}
        for kind in ("resign", "offer_rematch", "accept_rematch", "decline_rematch"):
            assert await stranger.refused(type=kind, **room) == "not_seated"
        assert await stranger.refused(type="play", turn=6, move="8", **room) == "not_seated"
        assert await stranger.refused(type="join", **room) == "seat_taken"
        assert await stranger.refused(type="join", seat="first", **room) == "seat_taken"
        await stranger.ok(type="leave", **room)
        await stranger.quiet()


async def test_requests_at_the_wrong_time(game: Table) -> None:
    for kind in ("offer_rematch", "accept_rematch", "decline_rematch"):
        assert await game.first.refused(type=kind, room=game.room) == "not_allowed"
    assert await game.first.refused(type="join", room=game.room, seat="second") == "not_allowed"
    assert await game.spectator.refused(type="join", room=game.room) == "seat_taken"


@pytest.mark.parametrize("room", ["", "ROOM-1", "aaaaaaaaaaaaa", "../journal", "' OR 1=1 --", "%00"])
async def test_unknown_rooms(game: Table, room: str) -> None:
    requests: list[Json] = [
        {"type": "watch"},
        {"type": "watch", "since": 0},
        {"type": "join"},
        {"type": "play", "turn": 0, "move": "1"},
        {"type": "resign"},
        {"type": "offer_rematch"},
        {"type": "accept_rematch"},
        {"type": "decline_rematch"},
    ]
    for request in requests:
        assert await game.second.refused(room=room, **request) == "unknown_room"
    await game.second.ok(type="leave", room=room)


async def test_unknown_games(game: Table) -> None:
    for name in ("", "shogi", "TICTACTOE", "tictactoe "):
        assert await game.first.refused(type="create", game=name) == "unknown_game"
        assert await game.first.refused(type="lobby", game=name) == "unknown_game"


async def test_one_player_in_both_seats(game: Table) -> None:
    seats = {"first": "me", "second": "me"}
    assert await game.first.refused(type="create", game="tictactoe", seats=seats) == "not_allowed"


async def test_before_the_game_and_after_it(server: Served, game: Table) -> None:
    async with connected(server.url, "one") as one, connected(server.url, "two") as two:
        room = await one.create()
        assert await one.refused(type="play", room=room, turn=0, move="5") == "not_allowed"
        assert await one.refused(type="resign", room=room) == "not_allowed"
        assert await one.refused(type="offer_rematch", room=room) == "not_allowed"
        assert await two.refused(type="play", room=room, turn=0, move="5") == "not_seated"
        await two.join(room)
        for turn, move in enumerate("14253"):
            await (two if turn % 2 else one).play(room, turn, move)
        assert await one.refused(type="play", room=room, turn=5, move="9") == "game_over"
        assert await two.refused(type="play", room=room, turn=5, move="9") == "game_over"
        assert await two.refused(type="resign", room=room) == "game_over"
        assert await game.first.refused(type="join", room=room) == "game_over"
        # A player of one room has no seat in the other.
        assert await one.refused(type="resign", room=game.room) == "not_seated"


# --- hello


async def test_hellos_that_are_refused(server: Served, game: Table) -> None:
    async with connect(server.url, compression=None) as socket:
        client = Client(socket)
        for protocol in (0, 2, -1, 10**30):
            assert await client.refused(type="hello", protocol=protocol) == "unsupported_protocol"
        for token in ("", "t", game.first.token[:-1], game.first.id):
            assert await client.refused(type="hello", protocol=1, token=token) == "bad_token"
        for name in ("", " ", "a\0b", "\x07", "a\nb", "\x7f", "\u202ename", "\u200b", "\ufeff", "n" * 33, "\u2028"):
            assert await client.refused(type="hello", protocol=1, name=name) == "bad_message", repr(name)
        assert await client.refused(type="hello", protocol=1, client="\x1b[2J") == "bad_message"
        assert (await client.request(type="hello", protocol=1))["type"] == "welcome"


async def test_a_second_hello(game: Table) -> None:
    assert await game.first.refused(type="hello", protocol=1, name="another") == "not_allowed"
    assert await game.first.refused(type="hello", protocol=1, token=game.second.token) == "not_allowed"
    assert (await game.first.ok(type="watch", room=game.room, since=len(game.before)))["seat"] == "first"
    assert (await game.first.push())["count"] == 1


@pytest.mark.parametrize("loop", LOOPS)
async def test_no_hello_in_time(loop: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with served(loop, tmp_path, hello_s=0.5) as server, undisturbed(server, caplog):
        for frames in ([], ["x"], ['{"type":"hello","protocol":2}']):
            async with connect(server.url, compression=None) as socket:
                for frame in frames:
                    await socket.send(frame)
                assert await closed(socket) == 1008
        # Connections that never become WebSockets are closed, too.
        for sent in (b"", b"GET /ws HTTP/1.1\r\nHost: x\r\n"):
            reader, writer = await raw(server.url)
            writer.write(sent)
            async with asyncio.timeout(60):
                await reader.read()
            writer.close()


# --- frames


async def test_the_longest_message(game: Table) -> None:
    frame = json.dumps({"type": "ping", "id": "i"})
    await game.first.socket.send(frame + " " * (MESSAGE_BYTES - len(frame)))
    assert (await game.first.receive())["type"] == "pong"


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (b"", 1003),
        (b'{"type":"ping"}', 1003),
        (bytes(range(256)), 1003),
        (" " * (MESSAGE_BYTES + 1), 1009),
        ([" " * MESSAGE_BYTES, " "], 1009),
        ("\N{LATIN SMALL LETTER E WITH ACUTE}" * (MESSAGE_BYTES // 2 + 1), 1009),
    ],
    ids=["empty-binary", "binary-json", "binary", "too-long", "too-long-in-two", "too-long-in-bytes"],
)
async def test_frames_that_end_the_connection(server: Served, game: Table, message: Any, code: int) -> None:
    for greeted in (False, True):
        async with connect(server.url, compression=None) as socket:
            if greeted:
                await Client(socket).request(type="hello", protocol=1)
            with suppress(ConnectionClosed):
                await socket.send(message)
            assert await closed(socket) == code


@pytest.mark.parametrize("text", [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b'{"type":"ping","id":"\x80"}'])
async def test_text_that_is_not_utf_8(server: Served, game: Table, text: bytes) -> None:
    """RFC 6455, section 8.1: such a connection must be failed; section 7.4.1 has the code."""
    async with connected(server.url) as client:
        await client.socket.send(text, text=True)
        assert await closed(client.socket) == 1007


# --- raw sockets


async def raw(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = urlsplit(url)
    return await asyncio.open_connection(parts.hostname, parts.port)


def upgrade(path: str = "/ws", **headers: str) -> bytes:
    fields = {
        "Host": "localhost",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": base64.b64encode(bytes(16)).decode(),
        "Sec-WebSocket-Version": "13",
        **headers,
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode()


def reset(writer: asyncio.StreamWriter) -> None:
    """Disconnect without closing: the other end gets a RST."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"\0",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        bytes(range(256)) * 64,
        b"GET",
        b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: webso",
        b"GET /ws HTTP/9.9\r\n\r\n",
        b"GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nUpgrade: websocket\r\n\r\n",
        b"GET /ws HTTP/1.1\r\n" + b"X: y\r\n" * 10_000 + b"\r\n",
        b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"POST /ws HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
        upgrade(**{"Sec-WebSocket-Version": "12"}),
        upgrade(**{"Sec-WebSocket-Key": "short"}),
        upgrade(**{"Content-Length": "1"}) + b"x",
        upgrade("/nothing"),
        upgrade("/ws\xa0"),
        upgrade(),
        upgrade() + b"\x81",
        upgrade() + b'\x81\x0f{"type":"ping"}',
        upgrade() + b"\x83\x80\0\0\0\0",
        upgrade() + b"\xc1\x80\0\0\0\0",
        upgrade() + b"\x09\x80\0\0\0\0",
        upgrade() + b"\x89\xfe\x00\x7e\0\0\0\0" + b"x" * 126,
        upgrade() + b"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0",
        upgrade() + b"\x80\x80\0\0\0\0",
        upgrade() + b"\x88\x81\0\0\0\0\0",
        upgrade() + b"\x88\x82\0\0\0\0\x00\x01",
        upgrade() + random.Random(1).randbytes(10_000),
    ],
    ids=lambda sent: repr(sent)[2:-1][-40:],
)
@pytest.mark.parametrize("farewell", ["none", "end", "reset"])
async def test_a_raw_socket(server: Served, game: Table, sent: bytes, farewell: str) -> None:
    reader, writer = await raw(server.url)
    writer.write(sent)
    with suppress(ConnectionError):
        await writer.drain()
        if farewell == "reset":
            reset(writer)
            return
        if farewell == "end":
            writer.write_eof()
        # Connections that stay open are closed in time, as tested above.
        with suppress(TimeoutError):
            async with asyncio.timeout(0.05):
                await reader.read()
        writer.close()
        await writer.wait_closed()


async def test_members_who_disconnect_in_the_middle_of_a_frame(server: Served, game: Table) -> None:
    async with AsyncExitStack() as stack:
        twins = [await stack.enter_async_context(connected(server.url, token=game.first.token)) for _ in range(3)]
        for twin in twins:
            await twin.ok(type="watch", room=game.room)
        for twin, cut in zip(twins, (b"\x81", b"\x81\xfe\x40", b'\x01\x85\0\0\0\0{"typ'), strict=True):
            twin.socket.transport.write(cut)
            await asyncio.sleep(0)
            twin.socket.transport.abort()


# --- plain HTTP


async def http(url: str, request: bytes) -> tuple[int, bytes]:
    """Send an HTTP request. Returns the status and body of the response."""
    reader, writer = await raw(url)
    writer.write(request)
    async with asyncio.timeout(60):
        response = await reader.read()
    writer.close()
    head, _, body = response.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200),
        ("/?x=1", 200),
        ("/healthz", 200),
        ("/readyz", 200),
        ("/ws", 426),
        ("/nothing", 404),
        ("/ws/", 404),
        ("/../../etc/passwd", 404),
    ],
)
async def test_http(server: Served, game: Table, path: str, status: int) -> None:
    assert (await http(server.url, f"GET {path} HTTP/1.1\r\nHost: localhost:1\r\n\r\n".encode()))[0] == status
    got, body = await http(server.url, f"HEAD {path} HTTP/1.1\r\nHost: localhost:1\r\n\r\n".encode())
    assert (got, body) == (status, b"")


async def test_nothing_can_be_posted(server: Served, game: Table) -> None:
    request = b"POST /healthz HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 0\r\n\r\n"
    assert (await http(server.url, request))[0] == 405


async def test_the_page_shows_how_to_connect(server: Served, game: Table) -> None:
    _, body = await http(server.url, b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n")
    assert b"ws://example.org/ws" in body
    assert (await http(server.url, b"GET / HTTP/1.1\r\n\r\n"))[0] == 200
    assert (await http(server.url, b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"))[0] == 400


# --- limits


@pytest.mark.parametrize("loop", LOOPS)
async def test_too_many_rooms(loop: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with (
        served(loop, tmp_path, rooms_per_player=3) as server,
        undisturbed(server, caplog),
        connected(server.url, "one") as one,
        connected(server.url, token=one.token) as twin,
    ):
        room, *_ = [await one.create(key=str(number)) for number in range(3)]
        assert await one.refused(type="create", game="tictactoe") == "room_limit"
        assert await twin.refused(type="create", game="tictactoe", key="new") == "room_limit"
        # Repeating a request does not count as another room.
        assert await twin.create(key="0") == room
        async with connected(server.url, "two") as two:
            await two.join(room)
            await two.create()
            await one.ok(type="resign", room=room)
        await one.create()
        assert await one.refused(type="create", game="tictactoe") == "room_limit"


@pytest.mark.parametrize("loop", LOOPS)
async def test_concurrent_requests_for_rooms_are_counted(
    loop: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        served(loop, tmp_path, rooms_per_player=3) as server,
        undisturbed(server, caplog),
        connected(server.url, "one") as one,
    ):
        for number in range(20):
            await one.send(type="create", id=number, game="tictactoe")
        answers = [message for _ in range(23) if "id" in (message := await one.receive())]
        assert sorted(answer.get("code", "ok") for answer in answers) == ["ok"] * 3 + ["room_limit"] * 17


@pytest.mark.parametrize("loop", LOOPS)
async def test_too_many_connections(loop: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with (
        served(loop, tmp_path, connections_per_address=5) as server,
        undisturbed(server, caplog),
        connected(server.url, "fourth"),
    ):
        async with connected(server.url, "fifth"):
            for _ in range(10):
                with pytest.raises(InvalidStatus) as refused:
                    await connect(server.url)
                assert refused.value.response.status_code == 429
            assert (await http(server.url, b"GET /healthz HTTP/1.1\r\n\r\n"))[0] == 200
        await asyncio.sleep(0.1)
        async with connected(server.url, "another fifth"):
            pass
