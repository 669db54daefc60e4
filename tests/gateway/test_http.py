from __future__ import annotations

import asyncio
import csv
import io
import json
import platform
import re
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from io import BytesIO
from random import Random
from typing import Any

import pytest

from noughts.archive import import_game
from noughts.bus import MemoryBus
from noughts.gateway import http
from noughts.gateway.costs import Costs
from noughts.host import Host
from noughts.journal import TournamentRow
from noughts.protocol.formats import written
from noughts.protocol.gamefile import from_file, recorded, to_file
from noughts.protocol.movelist import move_list
from noughts.protocol.replay import replay
from noughts.protocol.tournament_records import to_record
from noughts.protocol.words import PROTOCOL
from noughts.tournaments.events import DRAWN
from support.client import Client, connected
from support.eventually import soon
from support.faulty import Faulty
from support.games import random_records
from support.journals import MemoryJournal
from support.server import running_gateway, running_server, settings
from support.tournaments import Played, terms


@dataclass(frozen=True)
class Page:
    """An HTTP response."""

    status: int
    headers: dict[str, str]
    body: bytes


async def fetch(url: str, path: str, method: str = "GET", **headers: str) -> Page:
    """The answer to a request."""
    host, port = url.split("/")[2].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", *(f"{name}: {value}" for name, value in headers.items())]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    async with asyncio.timeout(20):
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    first, *fields = head.decode().split("\r\n")
    return Page(int(first.split()[1]), dict(field.split(": ", 1) for field in fields), body)


async def played(one: Client, two: Client, **more: Any) -> str:
    """The room of a game that is over."""
    room = await one.create(**more)
    await two.join(room)
    for turn, move in enumerate("152"):
        await (two if turn % 2 else one).ok(type="play", room=room, turn=turn, move=move)
    await two.ok(type="resign", room=room)
    return room


async def test_a_finished_game_can_be_downloaded_with_its_room_id() -> None:
    async with running_server() as url, connected(url, "player-1") as one, connected(url, "bot-1", bot=True) as two:
        for private in (False, True):
            room = await played(one, two, private=private)
            page = await fetch(url, f"/games/{room}.jsonl")
            assert page.status == 200
            assert page.headers["Content-Type"] == "application/jsonl"
            assert page.headers["Content-Disposition"] == f'attachment; filename="noughts-{room}.jsonl"'
            assert page.headers["Content-Length"] == str(len(page.body))
            (game,) = from_file(BytesIO(page.body))
            assert game.room.id == room
            assert game.room.options.private is private
            async with connected(url) as eve:
                await eve.ok(type="watch", room=room, since=0)
                updates = [await eve.push("update") for _ in game.records]
            assert [step.update for step in replay(BytesIO(page.body))] == updates
            text = await fetch(url, f"/games/{room}.txt?x=1")
            assert (text.status, text.headers["Content-Type"]) == (200, "text/plain; charset=utf-8")
            assert "Content-Disposition" not in text.headers
            assert text.body.decode() == "".join(f"{line}\n" for line in move_list(game))
            assert "bot-1, a bot" in text.body.decode()


async def test_the_version_is_shown() -> None:
    async with running_server() as url:
        page = await fetch(url, "/version")
        assert (page.status, page.headers["Content-Type"]) == (200, "application/json")
        assert json.loads(page.body) == {
            "version": version("noughts"),
            "protocol": str(PROTOCOL),
            "python": platform.python_version(),
        }


@pytest.mark.parametrize(
    ("trusted", "headers", "scheme"),
    [
        (True, {"X-Forwarded-Proto": "https"}, "wss"),
        (True, {"X-Forwarded-Proto": "http"}, "ws"),
        (True, {}, "ws"),
        (False, {"X-Forwarded-Proto": "https"}, "ws"),
    ],
)
async def test_the_address_to_connect_to_has_the_scheme_that_the_client_came_by(
    trusted: bool, headers: dict[str, str], scheme: str
) -> None:
    async with running_server(trusted_proxies=["127.0.0.1"] if trusted else []) as url:
        page = await fetch(url, "/", **headers)
        assert re.findall(r"(wss?)://127\.0\.0\.1/ws", page.body.decode()) == [scheme] * 2


async def test_head_has_the_length() -> None:
    journal = MemoryJournal()
    await import_game(journal, game := recorded(random_records(Random(1))))
    async with running_gateway(journal) as node:
        for path, length in (("/games/room.jsonl", len(to_file(game))), ("/games/another.jsonl", None)):
            page = await fetch(node.url, path, "HEAD")
            assert page.body == b""
            assert page.status == (404 if length is None else 200)
            assert length is None or page.headers["Content-Length"] == str(length)
        assert (await fetch(node.url, "/games/room.jsonl", "POST")).status == 405


@pytest.mark.parametrize(("key", "suffix"), [("chess", "pgn"), ("draughts", "pdn"), ("gomoku", "sgf")])
async def test_a_game_can_be_downloaded_in_the_format_of_other_programs(key: str, suffix: str) -> None:
    journal = MemoryJournal()
    await import_game(journal, game := recorded(random_records(Random(3), "room", key)))
    await import_game(journal, recorded(random_records(Random(1), "other", "reversi")))
    async with running_gateway(journal, trusted_proxies=["127.0.0.1"]) as node:
        page = await fetch(node.url, f"/games/room.{suffix}")
        assert (page.status, page.headers["Content-Type"]) == (200, "text/plain; charset=utf-8")
        assert page.headers["Content-Disposition"] == f'attachment; filename="noughts-room.{suffix}"'
        assert page.body.decode() == "".join(f"{line}\n" for line in written(game))
        other = await fetch(node.url, f"/games/other.{suffix}")
        assert (other.status, other.body) == (404, b"There are no records of Reversi with that suffix.\n")
        nowhere = await fetch(node.url, f"/games/nowhere.{suffix}")
        assert nowhere.body == (await fetch(node.url, "/games/nowhere.jsonl")).body
        pages = [await fetch(node.url, f"/games/room.{suffix}") for _ in range(http.GAMES_AT_ONCE + 5)]
        assert 429 in {page.status for page in pages}


async def test_an_unfinished_game_looks_like_none() -> None:
    async with running_server() as url, connected(url, "player-1") as one, connected(url, "player-2") as two:
        room = await one.create()
        nowhere = await fetch(url, "/games/nowhere.jsonl")
        assert nowhere.status == 404
        for kind in ("jsonl", "txt", "pgn", "sgf"):
            assert (await fetch(url, f"/games/{room}.{kind}")).body == nowhere.body
        await two.join(room)
        assert (await fetch(url, f"/games/{room}.txt")).status == 404
        await one.ok(type="abort", room=room)
        assert "closed before it began" in (await fetch(url, f"/games/{room}.txt")).body.decode()


@pytest.mark.parametrize(
    "path",
    [
        "/games/",
        "/games/room",
        "/games/room.json",
        "/games/.jsonl",
        "/games/room.jsonl/",
        "/games//room.jsonl",
        "/games/../games/room.jsonl",
        "/games/ro%6fm.jsonl",
        "/games/%00.jsonl",
        f"/games/{'r' * 65}.jsonl",
    ],
)
async def test_other_paths_are_not_found(path: str) -> None:
    journal = MemoryJournal()
    await import_game(journal, recorded(random_records(Random(1))))
    async with running_gateway(journal) as node:
        assert (await fetch(node.url, "/games/room.jsonl")).status == 200
        assert (await fetch(node.url, path)).status == 404


async def test_downloads_are_limited_by_address() -> None:
    journal = MemoryJournal()
    await import_game(journal, recorded(random_records(Random(1))))
    async with running_gateway(journal, trusted_proxies=["127.0.0.1"]) as node:
        pages = [await fetch(node.url, "/games/room.txt") for _ in range(http.GAMES_AT_ONCE + 20)]
        refused = [page for page in pages if page.status == 429]
        assert {page.status for page in pages} == {200, 429}
        assert all(page.status == 200 for page in pages[: http.GAMES_AT_ONCE])
        assert {page.headers["Retry-After"] for page in refused} == {"1"}
        elsewhere = {"X-Forwarded-For": "198.51.100.7"}
        assert (await fetch(node.url, "/games/room.txt", **elsewhere)).status == 200
        assert (await fetch(node.url, "/healthz")).status == 200


async def test_downloads_are_charged_to_the_address_by_their_length() -> None:
    journal = MemoryJournal()
    await import_game(journal, recorded(random_records(Random(1))))
    async with running_gateway(journal, answer_bytes_per_address=1024) as node:
        pages = [await fetch(node.url, "/games/room.jsonl") for _ in range(15)]  # fewer than may be requested at once
        assert (pages[0].status, pages[-1].status) == (200, 429)
        assert int(pages[-1].headers["Retry-After"]) > 0
        assert node.host.monitor.limited.keys() == {"answer_bytes_per_address"}


async def test_only_so_many_games_are_replayed_at_once() -> None:
    journal = MemoryJournal()
    await import_game(journal, recorded(random_records(Random(1))))
    read = Faulty(journal, "read")
    async with running_gateway(journal) as node:
        read.gate.clear()
        pages = [asyncio.create_task(fetch(node.url, "/games/room.txt")) for _ in range(12)]
        await soon(lambda: len(read.calls) == http.GAMES_UNDER_WAY)
        await asyncio.sleep(0.1)
        assert len(read.calls) == http.GAMES_UNDER_WAY
        read.gate.set()
        assert [(await page).status for page in pages] == [200] * 12


async def test_a_room_whose_first_records_were_deleted_has_no_record() -> None:
    journal = MemoryJournal()
    await import_game(journal, recorded(random_records(Random(1))))
    journal.set_records("room", journal.records()["room"][-1:])
    async with running_gateway(journal) as node:
        assert (await fetch(node.url, "/games/room.jsonl")).status == 404


async def test_a_download_without_the_journal_is_answered_with_retry_after(caplog: pytest.LogCaptureFixture) -> None:
    journal = MemoryJournal()
    await import_game(journal, recorded(random_records(Random(1))))
    read = Faulty(journal, "read")
    async with running_gateway(journal) as node:
        read.faults = ["lost"]
        page = await fetch(node.url, "/games/room.jsonl")
        assert (page.status, page.headers["Retry-After"]) == (503, "2")
        assert (await fetch(node.url, "/games/room.jsonl")).status == 200
    assert not caplog.records


async def test_a_game_of_a_newer_server_is_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    journal = MemoryJournal()
    await import_game(journal, recorded(random_records(Random(1))))
    journal.set_records("room", [*journal.records()["room"][:-1], b'{"schema":99}'])
    async with running_gateway(journal) as node:
        assert (await fetch(node.url, "/games/room.jsonl")).status == 501
    assert [record.levelname for record in caplog.records] == ["WARNING"]


async def test_other_tasks_run_while_a_long_game_is_rendered() -> None:
    journal = MemoryJournal()
    seed = max(range(20), key=lambda seed: len(random_records(Random(seed), game="gomoku")))
    game = recorded(random_records(Random(seed), game="gomoku"))
    await import_game(journal, game)
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    host = Host(journal, MemoryBus("node"))
    site = http.Site(settings(), host, Costs(settings(), host.monitor, lambda: 0.0), b"{}")
    counting = asyncio.create_task(count())
    await asyncio.sleep(0)
    page = await site._file("127.0.0.1", journal.read("room"), partial(http._page, "room", "txt"))
    counting.cancel()
    assert page.status_code == 200
    assert turns > 3


@pytest.mark.parametrize(
    ("kind", "media", "beginning"),
    [
        ("json", "application/json", b'{\n "tournament": {\n  "tournament": "t-1",'),
        ("csv", "text/csv; charset=utf-8", b"place,number,player,id,points,won"),
        ("games.csv", "text/csv; charset=utf-8", b"round,first,second,points_first,points_second,how,room\n1,"),
        ("trf", "text/plain; charset=utf-8", b"012 Test\n"),
    ],
)
async def test_a_tournament_can_be_downloaded_in_several_forms(kind: str, media: str, beginning: bytes) -> None:
    journal = MemoryJournal()
    tournament = Played(terms(private=True), "ABCD")
    tournament.pair()
    tournament.play(lambda _: DRAWN)
    row = TournamentRow("t-1", "p-teacher", "running", False, b"{}")
    for number, event in enumerate(tournament.events, 1):
        assert await journal.tournaments.append(row, number, to_record(event))
    async with running_gateway(journal) as node:
        page = await fetch(node.url, f"/tournaments/t-1.{kind}")
        assert (page.status, page.headers["Content-Type"]) == (200, media)
        assert page.headers["Content-Disposition"] == f'attachment; filename="noughts-t-1.{kind}"'
        assert page.body.startswith(beginning)
        assert (await fetch(node.url, f"/tournaments/t-2.{kind}")).status == 404
        pages = [await fetch(node.url, f"/tournaments/t-1.{kind}") for _ in range(http.GAMES_AT_ONCE + 5)]
        assert 429 in {page.status for page in pages}
    if kind == "json":
        assert len(json.loads(page.body)["games"]) == 2
    if kind == "csv":
        rows = list(csv.DictReader(io.StringIO(page.body.decode())))
        assert [(row["points"], row["round_1"][-1]) for row in rows] == [("0.5", "½")] * 4


async def test_the_file_of_a_tournament_has_the_moves_of_the_last_games(monkeypatch: pytest.MonkeyPatch) -> None:
    journal = MemoryJournal()
    tournament = Played(terms(), "ABCDEF")
    rooms = [game.room for game in tournament.pair()]
    tournament.play(lambda _: DRAWN)
    tournament.pair()
    row = TournamentRow("t-1", "p-teacher", "running", False, b"{}")
    for number, event in enumerate(tournament.events, 1):
        assert await journal.tournaments.append(row, number, to_record(event))
    games = [recorded(random_records(Random(seed), room)) for seed, room in enumerate(rooms[1:])]  # the first has gone
    for game in games:
        await import_game(journal, game)
    moves = [[ply.move for ply in game.room.plies] for game in games]
    async with running_gateway(journal) as node:

        async def file() -> list[list[str] | None]:
            page = await fetch(node.url, "/tournaments/t-1.json")
            return [game.get("moves") for game in json.loads(page.body)["games"]]

        assert await file() == [None, *moves, None, None, None], "those of the second round go on"
        monkeypatch.setattr(http, "EVENTS", len(games[-1].records))
        assert await file() == [None, None, moves[-1], None, None, None]


async def test_a_page_may_be_longer_than_a_backlog() -> None:
    journal = MemoryJournal()
    tournament = Played(terms(), [f"player {number}" for number in range(60)])
    for _ in range(40):
        tournament.pair()
        tournament.play(lambda _: DRAWN)
    row = TournamentRow("t-1", "p-teacher", "running", False, b"{}")
    for number, event in enumerate(tournament.events, 1):
        assert await journal.tournaments.append(row, number, to_record(event))
    async with running_gateway(journal, backlog_bytes=65_536) as node:
        page = await fetch(node.url, "/tournaments/t-1.json")
    assert len(page.body) == int(page.headers["Content-Length"]) > 500_000


async def test_a_downloaded_game_can_be_imported() -> None:
    async with running_server() as url, connected(url, "player-1") as one, connected(url, "player-2") as two:
        room = await played(one, two, clock={"initial_s": 60, "increment_s": 1})
        body = (await fetch(url, f"/games/{room}.jsonl")).body
    (game,) = from_file(BytesIO(body))
    assert json.loads(body.splitlines()[0])["winner"] == "first"
    journal = MemoryJournal()
    assert await import_game(journal, game)
    async with running_gateway(journal) as node, connected(node.url) as eve:
        assert (await fetch(node.url, f"/games/{room}.jsonl")).body == body
        await eve.ok(type="watch", room=room)
        snapshot = await eve.push("room")
        assert snapshot["state"]["outcome"]["reason"] == "resignation"
        assert snapshot["state"]["moves"] == ["1", "5", "2"]


async def answered(url: str, request: bytes) -> bytes:
    """All that the server sends in answer to what is sent in one packet."""
    host, port = url.split("/")[2].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request)
    async with asyncio.timeout(20):
        answer = await reader.read()
    writer.close()
    return answer


GET = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (GET + b"Content-Length: 5\r\n\r\nhello", 200),
        (GET + b"content-length:5\r\n\r\n", 200),
        (GET + b"Content-Length: 0\r\n\r\n", 200),
        (GET + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 200),
        (GET + b"Content-Length: 100000\r\n\r\n" + bytes(100_000), 200),
        (GET + b"\r\n" + GET + b"\r\n", 200),
        (GET + b"\r\n" + 3000 * (GET + b"\r\n"), 200),
        (b"POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", 405),
        (b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\n\r\n", 414),
        (GET + b"X: " + b"x" * 20_000 + b"\r\n\r\n", 431),
        (GET + 200 * (b"X: " + b"x" * 200 + b"\r\n") + b"\r\n", 431),
        (GET + 100 * (b"X: " + b"x" * 200 + b"\r\n") + b"\r\n", 200),
    ],
)
async def test_requests_with_a_body_or_others_behind_them_get_one_answer(
    request_: bytes, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with running_gateway() as node:
        answer = await answered(node.url, request_)
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 %d " % status)
        assert b"\r\nConnection: close" in head
        assert status != 200 or body == b"ok\n"
        assert answer.count(b"HTTP/1.1") == 1
    assert not caplog.records


async def test_a_request_may_come_in_pieces() -> None:
    async with running_gateway() as node:
        host, port = node.url.split("/")[2].split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        for byte in GET + b"Content-Length: 1\r\n\r\nx" + GET:
            writer.write(bytes((byte,)))
            await asyncio.sleep(0.001)
        assert (await reader.read()).startswith(b"HTTP/1.1 200 ")
        writer.close()


async def test_a_request_for_a_websocket_has_no_body() -> None:
    async with running_gateway() as node:
        request = (
            b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nContent-Length: 5\r\n\r\nhello"
        )
        assert (await answered(node.url, request)).startswith(b"HTTP/1.1 400 ")


async def test_requests_are_limited_by_address() -> None:
    async with running_gateway(http_per_s=0.001, http_per_address=3, trusted_proxies=["127.0.0.1"]) as node:
        pages = [await fetch(node.url, "/healthz") for _ in range(5)]
        assert [page.status for page in pages] == [200] * 3 + [429] * 2
        assert int(pages[-1].headers["Retry-After"]) >= 1
        assert (await fetch(node.url, "/healthz", **{"X-Forwarded-For": "198.51.100.7"})).status == 200
        assert node.host.monitor.limited == {"http_per_s": 2}
        async with connected(node.url):
            pass
