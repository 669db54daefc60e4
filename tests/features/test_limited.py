"""Every limit has a metric and a line in the log, which name whom it stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin

from gateway.test_http import fetch
from gateway.test_subscribers import shrink_kernel_buffers, slow_reader, stop_reading
from noughts.engine import BadTree
from noughts.features import classes, puzzles, tournaments
from noughts.features.class_watch import ClassWatch, Watched
from noughts.features.your_move import YourMove
from noughts.journal import FOREVER, StoredClass, TournamentRow
from noughts.journal.talk import MUTES
from noughts.protocol.class_requests import NAMES
from noughts.timing import Timing
from support.client import Client, connected, farewell, turned_away
from support.eventually import soon
from support.server import Node, running_gateway
from support.subscriber import FakeSubscriber

Attack = Callable[[Node, Client], Awaitable[str]]
"""Exceeds a limit. Returns whom the log should name."""


def by(client: Client) -> str:
    return f"{client.id} at 127.0.0.1"


async def many_messages(_: Node, ann: Client) -> str:
    for _number in range(20):
        await ann.send(type="ping")
    with suppress(ConnectionClosed):
        while (await ann.receive()).get("code") != "rate_limited":
            pass
    return by(ann)


async def many_rooms(_: Node, ann: Client) -> str:
    for _number in range(2):
        await ann.create()
    assert await ann.refused(type="create", game="tictactoe") == "room_limit"
    return by(ann)


async def many_watched(node: Node, ann: Client) -> str:
    for _ in range(2):
        await ann.create()
    async with connected(node.url, "ben") as ben:
        room = await ben.create()
        assert await ann.refused(type="watch", room=room) == "room_limit"
    return by(ann)


async def many_connections(node: Node, _: Client) -> str:
    with pytest.raises(InvalidStatus):
        await connect(node.url)
    return "127.0.0.1"


async def foreign_page(node: Node, _: Client) -> str:
    with pytest.raises(InvalidStatus):
        await connect(node.url, origin=Origin("https://example.com"))
    return "127.0.0.1"


async def many_newcomers(node: Node, _: Client) -> str:
    for number in range(20):
        async with connect(node.url) as socket:
            answer = await Client(socket).request(type="hello", protocol=1, name=f"guest-{number}")
            if answer["type"] == "error":
                assert answer["code"] == "rate_limited"
                break
    return "127.0.0.1"


async def many_pages(_: Node, ann: Client) -> str:
    for _number in range(20):
        if (await ann.request(type="player", player=ann.id))["type"] == "error":
            break
    return by(ann)


async def many_games(node: Node, _: Client) -> str:
    while (await fetch(node.url, "/games/none.jsonl")).status != 429:
        pass
    return "127.0.0.1"


async def many_boards(node: Node, _: Client) -> str:
    while (await fetch(node.url, "/embed/rooms/none.json")).status != 429:
        pass
    return "127.0.0.1"


async def many_mutes(node: Node, ann: Client) -> str:
    for number in range(MUTES):
        await node.host.journal.talk.mute(ann.id, f"p-{number}")
    async with connected(node.url, "ben") as ben:
        assert await ann.refused(type="mute", player=ben.id) == "not_allowed"
    return by(ann)


async def many_reports(node: Node, ann: Client) -> str:
    async with connected(node.url, "ben") as ben:
        room = await ann.create()
        await ben.join(room)
        report = {"type": "report", "room": room, "player": ben.id, "reason": "rude"}
        while (await ann.request(**report))["type"] == "ok":
            pass
    assert await ann.refused(**report) == "rate_limited"
    return by(ann)


async def many_calls(node: Node, ann: Client) -> str:
    calls = node.part(YourMove)
    calls.send = nothing
    calls._by_player = YourMove(node.server, per_player=(0.001, 2))._by_player
    running = asyncio.create_task(calls.run())
    for number in range(3):
        await ann.request(type="set_webhook", url=f"https://club.example/{number}")
        await soon(lambda number=number: calls.made + node.host.monitor.limited["webhook_calls"] == number + 1)  # type: ignore[misc]
    running.cancel()
    assert calls.made == 2
    return ann.id


async def nothing(*_: object) -> None: ...


async def much_chat(_: Node, ann: Client) -> str:
    room = await ann.create()
    while (await ann.request(type="chat", room=room, text="hello"))["type"] == "ok":
        pass
    return by(ann)


async def many_invitations(_: Node, ann: Client) -> str:
    room = await ann.create()
    while (await ann.request(type="invite", room=room, player="p-somebody"))["type"] == "ok":
        pass
    return by(ann)


CLUB = {
    "type": "open_tournament",
    "name": "Club",
    "format": "arena",
    "minutes": 5,
    "game": "tictactoe",
    "clock": {"per_move_s": 5},
}


async def many_tournaments(_: Node, ann: Client) -> str:
    await ann.ok(type="register")
    for _number in range(tournaments.PER_PLAYER):
        await ann.ok(**CLUB)
    assert await ann.refused(**CLUB) == "room_limit"
    return by(ann)


async def many_tournaments_of_all(node: Node, ann: Client) -> str:
    await ann.ok(type="register")
    for number in range(tournaments.IN_ALL):
        row = TournamentRow(f"t-{number}", "p-1", "open", True, b"{}")
        await node.host.journal.tournaments.append(row, 1, b"{}")
    assert await ann.refused(**CLUB) == "room_limit"
    return by(ann)


async def many_watched_tournaments(node: Node, ann: Client) -> str:
    ids = []
    for number in range(tournaments.WATCHED // tournaments.PER_PLAYER + 1):
        async with connected(node.url, f"ben-{number}") as ben:
            await ben.ok(type="register")
            ids += [(await ben.ok(**CLUB))["tournament"] for _ in range(tournaments.PER_PLAYER)]
    for tournament in ids[: tournaments.WATCHED]:
        assert (await ann.request(type="tournament", tournament=tournament, watch=True))["type"] == "tournament"
    assert await ann.refused(type="tournament", tournament=ids[-1], watch=True) == "room_limit"
    return by(ann)


async def made_class(client: Client) -> str:
    made = await client.request(type="make_class", title="B", names=["Ada"])
    return str(made["listing"]["class_id"])


async def many_classes(_: Node, ann: Client) -> str:
    await ann.ok(type="register")
    for _number in range(classes.PER_PLAYER):
        await made_class(ann)
    assert await ann.refused(type="make_class", title="B", names=["Ada"]) == "room_limit"
    return by(ann)


async def many_names(_: Node, ann: Client) -> str:
    await ann.ok(type="register")
    name = await made_class(ann)
    names = [f"{number:03}" for number in range(NAMES)]
    assert await ann.refused(type="change_class", class_id=name, add=names) == "not_allowed"
    await ann.request(type="change_class", class_id=name, add=names, remove=["Ada"])
    return by(ann)


async def many_watched_classes(_: Node, ann: Client) -> str:
    await ann.ok(type="register")
    *some, one_more = [await made_class(ann) for _number in range(classes.WATCHED + 1)]
    for name in [*some, some[0]]:
        assert (await ann.request(type="class", class_id=name, watch=True))["type"] == "class"
    assert await ann.refused(type="class", class_id=one_more, watch=True) == "room_limit"
    return by(ann)


async def many_classes_watched_by_all(node: Node, ann: Client) -> str:
    await ann.ok(type="register")
    name, watch = await made_class(ann), node.part(ClassWatch)
    for number in range(classes.WATCHED_HERE):
        other = Watched(StoredClass(f"c-{number}", 1, "p-1", "B", ("Ada",), None, None, 0))
        watch.watch(other, other.rows, FakeSubscriber())
    assert await ann.refused(type="class", class_id=name, watch=True) == "rate_limited"
    return by(ann)


async def many_class_acts(_: Node, ann: Client) -> str:
    while (await ann.request(type="join_class", class_id="nowhere", name="Ada")).get("code") != "rate_limited":
        pass
    return by(ann)


async def many_tournament_acts(_: Node, ann: Client) -> str:
    while (await ann.request(type="enter_tournament", tournament="nowhere")).get("code") != "rate_limited":
        pass
    return by(ann)


async def many_analyses(_: Node, ann: Client) -> str:
    room = await ann.create()
    while (await ann.request(type="analyse", room=room, ply=1)).get("code") != "rate_limited":
        pass
    return by(ann)


def no_such_tree(*_: object) -> asyncio.Future[bytes]:
    raise BadTree("this is no tree", 0)


async def many_traces(_: Node, ann: Client) -> str:
    while (await ann.request(type="trace", tree="?")).get("code") != "rate_limited":
        pass
    return by(ann)


async def many_puzzles(_: Node, ann: Client) -> str:
    move = {"type": "puzzle_move", "puzzle": "tictactoe/0dd0c0c4", "move": "3"}
    while (await ann.request(**move)).get("code") != "rate_limited":
        pass
    return by(ann)


async def many_puzzle_sets(node: Node, ann: Client) -> str:
    await ann.ok(type="register")
    for number in range(puzzles.SETS):
        await node.host.journal.puzzles.put_set(f"s-{number}", ann.id, "Set", ["tictactoe/0dd0c0c4"], puzzles.SETS)
    assert await ann.refused(type="make_puzzle_set", title="One more", puzzles=["tictactoe/0dd0c0c4"]) == "not_allowed"
    return by(ann)


async def a_long_message(_: Node, ann: Client) -> str:
    await ann.socket.send("x" * 2000)
    await ann.socket.wait_closed()
    assert ann.socket.close_code == 1009
    return by(ann)


async def no_hello(node: Node, _: Client) -> str:
    async with connect(node.url) as socket:
        await socket.wait_closed()
    return "127.0.0.1"


async def does_not_read(node: Node, ann: Client) -> str:
    """Let the server hold more and more for a client that does not read, until something ends it."""
    shrink_kernel_buffers(node.url)
    async with slow_reader(node.url) as slow:
        room = await ann.create()
        await slow.ok(type="watch", room=room)
        await slow.ok(type="lobby", watch=True)
        stop_reading(slow)
        entrance = node.gateway.entrance
        connections, limited = entrance.clients, node.host.monitor.limited
        async with asyncio.timeout(60):
            while entrance.clients == connections and not limited["update_backlog_bytes"]:
                await ann.create()
        await asyncio.sleep(0)
        if node.server.timing.slow_reader_s < 1:
            await soon(lambda: entrance.clients < connections)
        else:
            async with asyncio.timeout(60):
                while entrance.clients == connections:
                    with suppress(ConnectionClosed):
                        await slow.send(type="ping")
                    await asyncio.sleep(0)
        return by(slow)


async def banned_while_connected(node: Node, ann: Client) -> str:
    await node.host.journal.people.ban(ann.id, FOREVER)
    looking = asyncio.create_task(node.server.sessions.run())
    with suppress(ConnectionClosed):
        while True:
            await ann.receive()
    looking.cancel()
    return ann.id


async def banned_address(node: Node, ann: Client) -> str:
    await node.host.journal.bans.put("127.0.0.1/32", FOREVER)
    await node.server.bans.look()
    messages, code, _ = await farewell(ann)
    assert ([message["code"] for message in messages], code) == (["banned"], 1008)
    return by(ann)


async def banned_before(node: Node, ann: Client) -> str:
    await node.host.journal.people.ban(ann.id, FOREVER)
    assert await turned_away(node.url, token=ann.token) == "banned"
    return ann.id


@pytest.mark.parametrize(
    ("limit", "attack", "options"),
    [
        ("messages_per_s", many_messages, {"messages_per_s": 0.1, "burst": 5}),
        ("rooms_per_player", many_rooms, {"rooms_per_player": 2}),
        ("rooms_per_connection", many_watched, {"rooms_per_connection": 2}),
        ("connections", many_connections, {"connections": 1}),
        ("connections_per_address", many_connections, {"connections_per_address": 1}),
        ("origins", foreign_page, {}),
        ("newcomers", many_newcomers, {"burst": 5}),
        ("pages", many_pages, {}),
        ("games", many_games, {}),
        ("boards", many_boards, {"embed_sites": ["*"]}),
        ("chat", much_chat, {}),
        ("mutes", many_mutes, {}),
        ("reports", many_reports, {}),
        ("webhook_calls", many_calls, {"webhooks": True, "timing": Timing(webhooks_s=0.02)}),
        ("invitations", many_invitations, {}),
        ("tournaments_per_player", many_tournaments, {}),
        ("tournaments", many_tournaments_of_all, {}),
        ("tournaments_per_connection", many_watched_tournaments, {}),
        ("tournament_acts", many_tournament_acts, {}),
        ("classes_per_player", many_classes, {}),
        ("class_names", many_names, {"messages_per_s": 1000, "burst": 1000}),
        ("classes_per_connection", many_watched_classes, {}),
        ("classes_watched", many_classes_watched_by_all, {}),
        ("class_acts", many_class_acts, {}),
        ("analyses_per_s", many_analyses, {"analyses_per_s": 0.1}),
        ("traces_per_s", many_traces, {"traces_per_s": 0.1, "trace": no_such_tree}),
        ("puzzles", many_puzzles, {}),
        ("puzzle_sets", many_puzzle_sets, {}),
        ("message_bytes", a_long_message, {"message_bytes": 1024}),
        ("hello_s", no_hello, {"hello_s": 0.2}),
        ("update_backlog_bytes", does_not_read, {"update_backlog_bytes": 4096, "backlog_bytes": 65_536}),
        ("backlog_bytes", does_not_read, {"update_backlog_bytes": 4096, "backlog_bytes": 65_536}),
        ("slow_reader_s", does_not_read, {"update_backlog_bytes": 4096, "timing": Timing(slow_reader_s=0.1)}),
        ("bans", banned_while_connected, {"timing": Timing(registry_s=0.05)}),
        ("bans", banned_before, {}),
        ("bans", banned_address, {}),
    ],
)
async def test_a_limit_is_counted_and_logged(
    limit: str, attack: Attack, options: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    async with running_gateway(**options) as node, connected(node.url, "ann") as ann:  # type: ignore[arg-type]
        who = await attack(node, ann)
        await soon(lambda: node.host.monitor.limited[limit] > 0)
        named = f"limit {limit} stopped {who}: "
        (line, *_) = [record for record in caplog.records if record.getMessage().startswith(named)]
        fields = line.fields  # type: ignore[attr-defined]
        known = [fields[name] for name in ("player", "address") if name in fields]
        assert (fields["limit"], " at ".join(known)) == (limit, who)
        assert fields["did"].split()[0] in ("refused", "closed", "held")
