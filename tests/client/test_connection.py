import asyncio
import itertools
import json
import random
import re
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from noughts.protocol.contract import FILE as CONTRACT
from noughts_client import Connection, ConnectionLost, RequestError
from support.client import Client, connected
from support.eventually import soon
from support.ports import free_port
from support.proxy import Proxy, proxied
from support.server import running_gateway, running_server

Json = dict[str, Any]

OPERATIONS = json.loads(CONTRACT.read_bytes())["operations"]
PUSHED = {each["$ref"].rpartition(".")[2] for each in OPERATIONS["push"]["messages"]}

WHOLE_GAME = "123546879"  # a draw
PATIENCE_S = 20


def at_once() -> Iterator[float]:
    return itertools.repeat(0.01)


def through(proxy: Proxy, **options: Any) -> Connection:
    return Connection(proxy.url, delays=at_once, **options)


async def take(connection: Connection, kind: str, **fields: Any) -> Json:
    """The next pushed message of a kind and with these fields; those before it are dropped."""
    async with asyncio.timeout(PATIENCE_S):
        async for message in connection:
            content: Json = dict(message)
            if content["type"] == kind and fields.items() <= content.items():
                return content
    raise AssertionError(f"no {kind} arrived")


async def play_games(url: str, started: "asyncio.Future[str]", games: int, pause_s: float) -> list[str]:
    """Two players play games that end in draws, each the rematch of the last. Returns the rooms."""
    async with connected(url) as one, connected(url) as other:
        room = await one.create()
        await other.join(room)
        rooms = [room]
        started.set_result(room)
        first, second = one, other
        for game in range(games):
            for turn, move in enumerate(WHOLE_GAME):
                await asyncio.sleep(pause_s)
                assert (await (second if turn % 2 else first).play(room, turn, move))["type"] == "ok"
            if game < games - 1:
                await one.ok(type="offer_rematch", room=room)
                await other.ok(type="accept_rematch", room=room)
                room = await next_room(one, room)
                rooms.append(room)
                first, second = second, first
        return rooms


async def next_room(client: Client, room: str) -> str:
    while True:
        message = await client.push("room")
        if message["previous"] == room:
            return str(message["room"])


@pytest.mark.parametrize("seed", range(4))
async def test_no_update_is_lost_or_repeated_wherever_the_connection_breaks(seed: int) -> None:
    rng = random.Random(seed)
    async with running_server() as url, proxied(url) as proxy, through(proxy) as connection:
        started: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        playing = asyncio.create_task(play_games(url, started, games=3, pause_s=0.02))
        await connection.request({"type": "watch", "room": await started})
        versions: dict[str, list[int]] = {}
        cuts = 0
        async with asyncio.timeout(PATIENCE_S):
            async for message in connection:
                if proxy.cut_after is None:
                    proxy.cut_after = rng.randrange(6000)
                if message["type"] == "connection":
                    cuts += message["state"] == "lost"
                elif message["type"] == "room":
                    assert message["room"] not in versions or versions[message["room"]] == [message["version"]]
                    versions[message["room"]] = [message["version"]]
                elif message["type"] == "update":
                    versions[message["room"]].append(message["version"])
                if message["type"] not in ("room", "update"):
                    continue
                if len(versions) == 3 and message["state"]["outcome"]:
                    break
        rooms = await playing
    assert cuts >= 2
    assert list(versions) == rooms
    for room in rooms:
        assert versions[room] == list(range(versions[room][0], versions[room][-1] + 1))
    # opened, joined, nine moves, offered, rematched; a rematch has no joined, and the last no rematch
    assert [versions[room][-1] for room in rooms] == [13, 12, 10]


async def test_rate_limited_requests_are_sent_again() -> None:
    async with running_server(messages_per_s=100, burst=20) as url, Connection(url) as connection:
        loop = asyncio.get_running_loop()
        since = loop.time()
        answers = await asyncio.gather(*(connection.request({"type": "ping"}) for _ in range(55)))
        assert len(answers) == 55
        assert 0.3 < loop.time() - since < PATIENCE_S


@pytest.mark.parametrize("told", [True, False])
async def test_a_request_that_is_put_off_for_long_does_not_wait_in_silence(
    told: bool, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[str] = []
    async with running_server(daily_bytes_per_player=1024) as url, Connection(url) as connection:
        if told:
            connection.on_delay = heard.append
        create = {"type": "create", "game": "tictactoe"}
        asking = asyncio.gather(*(connection.request(create) for _ in range(10)))
        await soon(lambda: any("Trying again" in line for line in (heard if told else caplog.messages)))
        asking.cancel()
    sentence = next(line for line in (heard if told else caplog.messages) if "Trying again" in line)
    assert re.fullmatch(r"You or others at .* had too much stored today\. Wait\. Trying again in \d+ h\.", sentence)


async def test_a_request_that_is_put_off_for_too_long_is_refused() -> None:
    create = {"type": "create", "game": "tictactoe"}
    async with running_server(daily_bytes_per_player=1024) as url, Connection(url) as connection:
        connection.patience_s = 10
        async with asyncio.timeout(PATIENCE_S):
            requests = (connection.request(create) for _ in range(10))
            answers = await asyncio.gather(*requests, return_exceptions=True)
    refused = [answer for answer in answers if isinstance(answer, RequestError)]
    assert 0 < len(refused) < 10
    assert re.search(r" too much stored today\. Wait\. Try again in \d+ h\.$", refused[0].sentence)


async def test_more_rooms_than_the_rate_limit_allows_are_all_resumed() -> None:
    async with (
        running_server(messages_per_s=200, burst=30) as url,
        proxied(url) as proxy,
        through(proxy) as connection,
    ):
        rooms = {(await connection.request({"type": "create", "game": "tictactoe"}))["room"] for _ in range(80)}
        proxy.cut()
        await take(connection, "connection", state="restored")
        for room in rooms:
            await connection.request({"type": "abort", "room": room})
        closed: set[str] = set()
        async with asyncio.timeout(PATIENCE_S):
            while closed < rooms:
                message = await anext(connection)
                assert message["type"] in ("room", "update", "spectators")
                if message["type"] == "update" and message["event"]["kind"] == "ended":
                    closed.add(message["room"])


async def test_a_move_whose_answer_was_lost_is_played_once() -> None:
    async with running_server() as url, proxied(url) as proxy, through(proxy) as me, connected(url) as other:
        answer = await me.request({"type": "create", "game": "tictactoe", "private": True})
        room = answer["room"]
        await other.join(room)
        await take(me, "update", version=2)
        proxy.cut_after = 0
        taken = await me.request({"type": "play", "room": room, "turn": 0, "move": "5"})
        assert taken.get("version") == 3
        assert proxy.accepted == 2
        update = await take(me, "update")
        assert (update["version"], update["state"]["moves"]) == (3, ["5"])
        await other.play(room, 1, "1")
        assert (await take(me, "update"))["version"] == 4


async def test_a_request_that_never_arrived_is_sent_again() -> None:
    async with running_server() as url, proxied(url) as proxy, through(proxy, ping_s=0.2) as me:
        proxy.frozen = True
        creating = asyncio.create_task(me.request({"type": "create", "game": "tictactoe"}))
        assert (await take(me, "connection"))["state"] == "lost"  # noticed by the keepalive
        proxy.frozen = False
        proxy.cut()
        await creating
        assert (await take(me, "connection"))["state"] == "restored"
        assert (await take(me, "room"))["version"] == 1


async def test_a_create_whose_answer_was_lost_makes_one_room() -> None:
    async with running_server() as url, proxied(url) as proxy, through(proxy) as me:
        proxy.cut_after = 0
        answer = await me.request({"type": "create", "game": "tictactoe"})
        assert proxy.accepted == 2
        lobby = await me.request({"type": "lobby"})
        assert [listing["room"] for listing in lobby["rooms"]] == [answer["room"]]
        second = await me.request({"type": "create", "game": "tictactoe"})
        assert second != answer


async def test_a_seek_whose_answer_was_lost_is_one_seek() -> None:
    async with running_server() as url, proxied(url) as proxy, through(proxy) as me, connected(url) as other:
        proxy.cut_after = 0
        assert (await me.request({"type": "seek", "game": "tictactoe"}))["type"] == "ok"
        assert proxy.accepted == 2
        await other.ok(type="seek", game="tictactoe")
        room = await take(me, "room")
        assert (await other.push("room"))["room"] == room["room"]
        await me.request({"type": "abort", "room": room["room"]})


async def test_chat_and_spectator_counts_are_passed_on() -> None:
    async with running_server() as url, Connection(url) as me, connected(url) as other, connected(url) as watcher:
        room = (await me.request({"type": "create", "game": "tictactoe"}))["room"]
        await other.join(room)
        await other.ok(type="chat", room=room, text="hello")
        line = await take(me, "chat")
        assert (line["name"], line["text"], line["to"]) == ("player-1", "hello", "players")
        await watcher.ok(type="watch", room=room)
        assert (await take(me, "spectators"))["count"] == 1
        await me.request({"type": "chat", "room": room, "text": "hello, too"})
        assert (await take(me, "chat"))["text"] == "hello, too"


@pytest.mark.parametrize("kind", sorted(PUSHED - {"room", "update", "error"}))
async def test_whatever_the_server_pushes_is_passed_on(kind: str) -> None:
    async with running_gateway() as node, Connection(node.url) as me:
        node.server.sessions.tell_all(json.dumps({"type": kind}).encode())
        assert await take(me, kind) == {"type": kind}


async def test_a_request_that_is_not_safe_to_repeat_raises_connection_lost() -> None:
    async with running_server() as url, proxied(url) as proxy, through(proxy) as me:
        seats = {"first": "me", "second": "computer:easy"}
        answer = await me.request({"type": "create", "game": "tictactoe", "seats": seats})
        proxy.cut_after = 0
        with pytest.raises(ConnectionLost):
            await me.request({"type": "resign", "room": answer["room"]})
        update = await take(me, "update")
        assert update["state"]["outcome"]["reason"] == "resignation"
        await me.request({"type": "ping"})


async def test_a_client_that_was_away_follows_the_rematch() -> None:
    async with running_server() as url, proxied(url) as proxy, through(proxy) as me, connected(url) as other:
        answer = await me.request({"type": "create", "game": "tictactoe"})
        await other.join(answer["room"])
        await me.request({"type": "resign", "room": answer["room"]})
        await me.request({"type": "offer_rematch", "room": answer["room"]})
        proxy.refusing = True
        proxy.cut()
        await other.ok(type="accept_rematch", room=answer["room"])
        rematch = await next_room(other, answer["room"])
        await other.play(rematch, 0, "5")
        proxy.refusing = False
        assert (await take(me, "update", version=5))["event"] == {"kind": "rematched", "next": rematch}
        snapshot = await take(me, "room")
        assert (snapshot["room"], snapshot["state"]["moves"]) == (rematch, ["5"])
        await me.request({"type": "play", "room": rematch, "turn": 1, "move": "1"})
        assert (await take(me, "update"))["state"]["moves"] == ["5", "1"]


async def test_a_spectator_that_was_away_for_a_whole_game_follows_the_rematch_after_it() -> None:
    async with (
        running_server() as url,
        proxied(url) as proxy,
        through(proxy) as me,
        connected(url) as one,
        connected(url) as other,
    ):
        room = await one.create()
        await other.join(room)
        await me.request({"type": "watch", "room": room})
        proxy.refusing = True
        proxy.cut()
        rooms = [room]
        for _ in range(3):
            await one.ok(type="resign", room=rooms[-1])
            await one.ok(type="offer_rematch", room=rooms[-1])
            await other.ok(type="accept_rematch", room=rooms[-1])
            rooms.append(await next_room(one, rooms[-1]))
        proxy.refusing = False
        await take(me, "connection", state="restored")
        assert [(await take(me, "room"))["room"] for _ in rooms[1:]] == rooms[1:]
        await one.ok(type="resign", room=rooms[-1])
        assert (await take(me, "update"))["room"] == rooms[-1]
        await me.request({"type": "watch", "room": rooms[1]})
        assert (await take(me, "room"))["room"] == rooms[1]
        await me.request({"type": "ping"})
        await one.ok(type="offer_rematch", room=rooms[-1])
        while (message := await anext(me))["type"] == "spectators":
            pass
        assert message["type"] == "update", "an older room that is asked for is shown as it is"


async def test_the_connection_may_break_between_the_end_and_the_rematch() -> None:
    async with running_server() as url, proxied(url) as proxy, through(proxy) as me, connected(url) as other:
        length = 0
        for attempt in (1, 2):
            answer = await me.request({"type": "create", "game": "tictactoe"})
            await other.join(answer["room"])
            await me.request({"type": "resign", "room": answer["room"]})
            await me.request({"type": "offer_rematch", "room": answer["room"]})
            if attempt == 2:
                proxy.cut_after = length  # the update of the first attempt was as long
            await other.ok(type="accept_rematch", room=answer["room"])
            update = await take(me, "update", version=5)
            length = len(json.dumps(update, separators=(",", ":"))) + 4
            assert (await take(me, "room"))["room"] == update["event"]["next"]
        assert proxy.accepted == 2


async def test_a_second_watch_repeats_no_update() -> None:
    async with running_server() as url, Connection(url) as me, connected(url) as other:
        answer = await me.request({"type": "create", "game": "tictactoe"})
        await other.join(answer["room"])
        await take(me, "update", version=2)
        await me.request({"type": "watch", "room": answer["room"], "since": 0})
        await me.request({"type": "resign", "room": answer["room"]})
        assert (await take(me, "update"))["version"] == 3


async def test_clients_come_back_to_a_restarted_server(tmp_path: Path) -> None:
    where: dict[str, Any] = {"journal": str(tmp_path / "journal.sqlite3"), "port": free_port()}
    async with AsyncExitStack() as stack:
        async with running_server(**where) as url:
            me = await stack.enter_async_context(Connection(url, name="player-1", delays=at_once))
            answer = await me.request({"type": "create", "game": "tictactoe"})
            player = me.welcome["player"]
        async with running_server(**where) as url, connected(url) as other:
            assert (await take(me, "connection"))["state"] == "lost"
            assert (await take(me, "connection"))["state"] == "restored"
            assert me.welcome["player"] == player
            await other.join(answer["room"])
            assert (await take(me, "update"))["version"] == 2


async def test_a_client_names_its_newest_room_when_it_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several nodes behind a balancer, all who are in a room may come back to one."""
    paths: list[str] = []
    async with running_gateway() as node, proxied(node.url) as proxy:
        respond = node.gateway._respond

        async def noted(connection: Any, request: Any) -> Any:
            paths.append(request.path)
            return await respond(connection, request)

        monkeypatch.setattr(node.gateway, "_respond", noted)
        async with Connection(proxy.url, delays=at_once) as me:
            rooms = [(await me.request({"type": "create", "game": "tictactoe"}))["room"] for _ in range(3)]
            await me.request({"type": "leave", "room": rooms[2]})
            proxy.cut()
            await soon(lambda: len(paths) == 2)
            await me.request({"type": "ping"})
    assert paths == ["/ws", f"/ws?room={rooms[1]}"]


async def test_a_restarted_server_without_its_journal_accepts_spectators_but_not_players() -> None:
    port = free_port()
    async with AsyncExitStack() as stack:
        async with running_server(port=port) as url:
            player = await stack.enter_async_context(Connection(url, delays=at_once))
            guest = await stack.enter_async_context(Connection(url, delays=at_once))
            answer = await player.request({"type": "create", "game": "tictactoe"})
            await guest.request({"type": "watch", "room": answer["room"]})
        async with running_server(port=port):
            gone = await take(guest, "gone")
            assert (gone["room"], gone["code"]) == (answer["room"], "unknown_room")
            await guest.request({"type": "create", "game": "tictactoe"})
            with pytest.raises(RequestError, match="bad_token"):
                await take(player, "gone")


async def test_a_client_closed_for_flooding_does_not_reconnect() -> None:
    async with (
        running_server(burst=2, messages_per_s=0.01) as url,
        proxied(url) as proxy,
        through(proxy) as connection,
    ):
        ping = {"type": "ping"}
        answers = await asyncio.gather(*(connection.request(ping) for _ in range(10)), return_exceptions=True)
        assert sum(isinstance(answer, ConnectionLost) for answer in answers) >= 8
        with pytest.raises(ConnectionLost, match="The server closed the connection: "):
            await take(connection, "room")
        with pytest.raises(ConnectionLost):
            await connection.request(ping)
        assert proxy.accepted == 1


async def test_a_refused_move_raises_an_error_with_the_legal_moves() -> None:
    async with running_server() as url, Connection(url) as connection:
        seats = {"first": "me", "second": "computer:easy"}
        answer = await connection.request({"type": "create", "game": "tictactoe", "seats": seats})
        with pytest.raises(RequestError) as refusal:
            await connection.request({"type": "play", "room": answer["room"], "turn": 0, "move": "10"})
        assert refusal.value.code == "malformed_move"
        assert refusal.value.legal_moves == list("123456789")


async def test_positions_are_analysed_now_and_at_an_earlier_ply() -> None:
    async with running_server(analyses_per_s=4) as url, Connection(url) as connection:
        room = (await connection.request({"type": "create", "game": "tictactoe"}))["room"]
        asked = [connection.analyse(room), connection.analyse(room, 0)]  # the second waits for the first
        for analysed in await asyncio.gather(*asked):
            assert (analysed["room"], analysed["ply"], analysed["value"], len(analysed["moves"])) == (room, 0, 0, 9)
        with pytest.raises(RequestError) as refusal:
            await connection.analyse(room, 1)
        assert refusal.value.code == "stale"


async def test_closing_ends_the_iteration_and_pending_requests() -> None:
    async with running_server() as url, proxied(url) as proxy:
        async with through(proxy) as connection:
            proxy.frozen = True
            asking = asyncio.create_task(connection.request({"type": "ping"}))
            await asyncio.sleep(0)
        with pytest.raises(ConnectionLost):
            await asking
        assert [message async for message in connection] == []


async def test_a_registered_player_reconnects_with_the_renewed_token() -> None:
    async with running_server() as url, proxied(url) as proxy, through(proxy, name="ann") as connection:
        answer = await connection.request({"type": "register"})
        assert connection.welcome["player"] == answer["player"]
        assert answer["player"]["registered"] is True
        await connection.request({"type": "renew_token"})
        proxy.cut()
        await take(connection, "connection", state="restored")
        assert connection.welcome["player"] == answer["player"]


async def test_a_client_with_a_revoked_token_learns_why_it_was_closed() -> None:
    async with running_server() as url, Connection(url, name="ann", delays=at_once) as connection:
        async with connected(url, token=connection.welcome["token"]) as twin:
            await twin.ok(type="sign_out", device="all")
        with pytest.raises(ConnectionLost, match="The server closed the connection: "):
            await take(connection, "room")
        with pytest.raises(ConnectionLost):
            await connection.request({"type": "ping"})


async def test_a_registered_player_does_not_come_back_as_a_guest() -> None:
    async with running_server() as url, proxied(url) as proxy, through(proxy, name="ann") as connection:
        await connection.request({"type": "register"})
        proxy.refusing = True
        proxy.cut()
        async with connected(url, token=connection.welcome["token"]) as twin:
            await twin.ok(type="sign_out", device="all")
        proxy.refusing = False
        with pytest.raises(RequestError, match="bad_token"):
            await take(connection, "connection", state="restored")


async def test_an_open_seek_is_found_and_taken() -> None:
    async with running_server() as url, Connection(url, name="ann") as ann, Connection(url, name="bob") as bob:
        await ann.request({"type": "seek", "game": "gomoku"})
        assert await ann.open_seeks() == []
        (found,) = await bob.open_seeks("gomoku")
        assert (found["player"]["name"], found["clock"]) == ("ann", None)
        room = await bob.take(found["seek"])
        for one in (ann, bob):
            message = await anext(one)
            assert message["type"] == "room"
            assert message["room"] == room
        with pytest.raises(RequestError, match="unknown_seek"):
            await bob.take(found["seek"].replace(".", ".x"))
