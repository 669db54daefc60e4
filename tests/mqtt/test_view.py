"""The public view over a real broker: what it publishes, in which order, and what it never publishes."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from noughts.bus import Appended, MemoryBus
from noughts.host import Done, Failed, Host, RoomUpdate
from noughts.journal import Append, Journal, SqliteJournal
from noughts.journal.postgres.journal import PostgresJournal
from noughts.mqtt import view
from noughts.mqtt.link import Link
from noughts.mqtt.retained import RetainedTopics
from noughts.mqtt.view import PublicView
from noughts.projection import index_row
from noughts.protocol.records import to_record
from noughts.rooms import Abort, Command, Disconnect, Join, Open, Options, Play, Player, Refused, Resign, Return
from noughts.timing import Timing
from support.broker import Broker, running_broker
from support.client import connected
from support.eventually import soon
from support.mqtt import FAST, Screen, screen
from support.postgres import Postgres, database
from support.proxy import proxied
from support.server import running_server

pytestmark = pytest.mark.services

ONE, TWO = Player("p-one", "one", "human"), Player("p-two", "two", "human")
DRAW = "123546879"


@pytest.fixture
def broker() -> Iterator[Broker]:
    with running_broker() as running:
        yield running


@dataclass
class Node:
    """A host whose public view is published while it leads."""

    host: Host
    link: Link
    view: PublicView

    async def do(self, room: str, command: Command) -> Done:
        result: asyncio.Future[Done | Refused | Failed] = asyncio.get_running_loop().create_future()
        self.host.submit(room, command, result.set_result)
        done = await result
        assert isinstance(done, Done), done
        return done

    async def open(self, room: str, *, private: bool = False) -> None:
        """Open a game of two that is about to begin."""
        await self.do(room, Open(room, "tictactoe", ONE.id, ONE, None, Options(private=private)))
        await self.do(room, Join(TWO, None))

    async def play(self, room: str, moves: str, turn: int = 0) -> int:
        """Play ``moves`` from ``turn`` on; the version afterwards."""
        for offset, move in enumerate(moves):
            player = (ONE, TWO)[(turn + offset) % 2]
            done = await self.do(room, Play(player.id, turn + offset, move))
        return done.version


@asynccontextmanager
async def node(
    broker: Broker, journal: Journal, *, name: str = "node", port: int = 0, timing: Timing = FAST
) -> AsyncIterator[Node]:
    """A node with ``journal``, closed at the end; ``port`` is another way to the broker."""
    async with Link(f"mqtt://localhost:{port or broker.port}", node=name, timing=timing) as link:
        host = Host(journal, MemoryBus(name))
        view = PublicView(host, link, timing)
        host.listen(view.on_update)
        link.on_connect.append(view.on_connect)
        link.on_disconnect.append(view.on_disconnect)
        running = asyncio.create_task(view.run())
        try:
            yield Node(host, link, view)
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
            await host.close()
            await journal.close()


@pytest.fixture
async def journal(tmp_path: Path) -> Journal:
    return await SqliteJournal.open(tmp_path / "journal")


def is_shown(seen: Screen, room: str, version: int) -> bool:
    return seen.shown(room) == version


def in_order_without_gaps(versions: list[int], until: int) -> bool:
    return versions == list(range(1, until + 1))


async def test_a_game_is_published_as_it_is_played(broker: Broker, journal: Journal) -> None:
    async with node(broker, journal) as here, screen(broker.port) as seen:
        await here.open("game")
        await seen.until(lambda: seen.shown("game") == 2)
        for turn, move in enumerate(DRAW):
            version = await here.play("game", move, turn)
            await seen.until(partial(is_shown, seen, "game", version))
        assert in_order_without_gaps(seen.events("game"), 11)
        assert seen.states("game") == sorted(set(seen.states("game")))
        kinds = [topic.rpartition("/")[2] for topic, _ in seen.received if "/rooms/" in topic]
        assert kinds[-2:] == ["events", "state"]
        published = [payload for topic, payload in seen.received if topic.endswith("/events")]
        done = await here.do("game", Join(ONE, None))
        assert published == [update.data for update in done.history]
        state = json.loads(seen.now["noughts/v1/rooms/game/state"])
        assert state["type"] == "room"
        assert state["state"] == json.loads(published[-1])["state"]
        assert not {"now", "presence"} & state.keys()


async def test_a_quick_game_is_published_from_its_first_event(broker: Broker, journal: Journal) -> None:
    async with node(broker, journal) as here, screen(broker.port) as seen:
        await seen.until(lambda: "noughts/v1/lobby" in seen.now)
        await here.open("quick")
        await here.play("quick", "14253")
        await seen.until(lambda: seen.shown("quick") == 7)
        assert in_order_without_gaps(seen.events("quick"), 7)


async def test_many_moves_give_all_events_and_few_states(broker: Broker, journal: Journal) -> None:
    timing = replace(FAST, view_publish_s=1.0, view_interval_s=1.0)
    async with node(broker, journal, timing=timing) as here, screen(broker.port) as seen:
        await seen.until(lambda: "noughts/v1/lobby" in seen.now)
        here.host.watched = lambda _: True  # so the rooms stay in memory
        read: list[str] = []
        really_read = journal.read

        async def counted(room: str, since: int = 0) -> list[bytes]:
            read.append(room)
            return await really_read(room, since)

        journal.read = counted  # type: ignore[method-assign]
        loop = asyncio.get_running_loop()
        began = loop.time()
        rooms = [f"game-{number}" for number in range(20)]
        for room in rooms:
            await here.open(room)
        for turn, move in enumerate(DRAW):
            for room in rooms:
                await here.play(room, move, turn)
        await seen.until(lambda: all(seen.shown(room) == 11 for room in rooms))
        rounds = 2 + (loop.time() - began) / timing.view_publish_s
        for room in rooms:
            assert in_order_without_gaps(seen.events(room), 11)
            assert len(seen.states(room)) <= rounds
        assert rounds < 8, "the machine was too slow for this test to show anything"
        # Each round may find one room in the journal whose update is not in memory yet.
        assert len(read) <= rounds


async def test_nothing_about_a_private_room_is_published(broker: Broker, journal: Journal) -> None:
    async with node(broker, journal) as here, screen(broker.port) as seen:
        await seen.until(lambda: "noughts/v1/lobby" in seen.now)
        await here.open("secret", private=True)
        await here.play("secret", "14253")
        await here.open("known")
        here.view.on_appended(Appended("secret", 8, b""))
        await seen.until(lambda: seen.lobby() == ["known"])
        await here.play("known", DRAW)
        await seen.until(lambda: seen.shown("known") == 11)
        assert not [topic for topic, _ in seen.received if "secret" in topic]
        assert not [payload for topic, payload in seen.received if b"secret" in payload]


async def test_the_last_state_of_a_finished_room_lingers(broker: Broker, journal: Journal) -> None:
    timing = replace(FAST, view_linger_s=3)
    async with node(broker, journal, timing=timing) as here, screen(broker.port) as seen:
        await seen.until(lambda: "noughts/v1/lobby" in seen.now)
        await here.open("game")
        done = await here.do("game", Resign(ONE.id))
        await seen.until(lambda: 3 in seen.states("game"))
        await seen.until(lambda: seen.rooms() == set())
        assert journal.now() - done.room.at >= 3000
        assert in_order_without_gaps(seen.events("game"), 3)


async def test_a_deserted_room_is_cleared_until_a_player_returns(broker: Broker, journal: Journal) -> None:
    async with node(broker, journal) as here, screen(broker.port) as seen:
        await here.open("game")
        await here.do("game", Disconnect(ONE.id))
        await seen.until(lambda: seen.shown("game") == 3)
        await here.do("game", Disconnect(TWO.id))
        await seen.until(lambda: seen.rooms() == set())
        await here.do("game", Return(TWO.id))
        await seen.until(lambda: seen.shown("game") == 5)
        assert in_order_without_gaps(seen.events("game"), 5)


async def test_the_lobby_lists_open_rooms(broker: Broker, journal: Journal) -> None:
    async with node(broker, journal) as here, screen(broker.port) as seen:
        await seen.until(lambda: seen.now.get("noughts/v1/lobby") == b'{"type":"lobby","rooms":[]}')
        await here.do("one", Open("one", "tictactoe", ONE.id, ONE, None, Options()))
        await here.open("two")
        await seen.until(lambda: seen.lobby() == ["two", "one"] and b'"playing"' in seen.now["noughts/v1/lobby"])
        listed = json.loads(seen.now["noughts/v1/lobby"])["rooms"]
        assert [room["status"] for room in listed] == ["playing", "waiting"]
        await here.do("one", Abort(ONE.id))
        await seen.until(lambda: seen.lobby() == ["two"])


async def test_forged_retained_messages_are_corrected(broker: Broker, journal: Journal) -> None:
    async with node(broker, journal) as here, screen(broker.port) as seen:
        await here.open("game")
        await here.open("secret", private=True)
        await here.play("game", "5")
        await seen.until(lambda: seen.shown("game") == 3 and "game" in seen.lobby())
        true = dict(seen.now)
        old = next(data for topic, data in seen.received if topic.endswith("game/state"))
        for topic, forged in (
            ("rooms/game/state", b'{"version":1000000}'),
            ("rooms/game/state", old),
            ("rooms/game/state", b""),
            ("rooms/nowhere/state", b'{"version":1}'),
            ("rooms/secret/state", b"not even JSON"),
            ("lobby", b"[]"),
        ):
            await seen.publish(f"noughts/v1/{topic}", forged, retain=True)
            await seen.until(partial(seen.received.__contains__, (f"noughts/v1/{topic}", forged)))
            await seen.until(lambda: seen.now == true)
            seen.received.clear()
        await here.play("game", "1", turn=1)
        await seen.until(lambda: seen.shown("game") == 4)
        assert seen.events("game") == [4]


async def test_events_during_a_broker_outage_are_published_afterwards(broker: Broker, journal: Journal) -> None:
    async with (
        proxied(f"mqtt://localhost:{broker.port}") as proxy,
        node(broker, journal, port=urlsplit(proxy.url).port or 0) as here,
        screen(broker.port) as seen,
    ):
        await here.open("game")
        await here.play("game", "12")
        await seen.until(lambda: seen.shown("game") == 4)
        proxy.refusing = True
        proxy.cut()
        await here.play("game", "35", turn=2)
        proxy.refusing = False
        await seen.until(lambda: seen.shown("game") == 6)
        await here.play("game", "46", turn=4)
        await seen.until(lambda: seen.shown("game") == 8)
        assert in_order_without_gaps(seen.events("game"), 8)


async def test_everything_is_published_again_to_a_broker_that_forgot_it(broker: Broker, journal: Journal) -> None:
    async with node(broker, journal) as here:
        async with screen(broker.port) as seen:
            await here.open("game")
            await seen.until(lambda: seen.shown("game") == 2 and seen.lobby() == ["game"])
        broker.kill()
        broker.start()
        async with screen(broker.port) as seen:
            await seen.until(lambda: seen.shown("game") == 2 and seen.lobby() == ["game"])


async def test_what_is_put_while_the_broker_is_away_is_in_doubt_until_it_is_put_again(broker: Broker) -> None:
    async with Link(f"mqtt://127.0.0.1:{broker.port}", node="a", timing=FAST) as link:
        topics = RetainedTopics(link, {"lobby": None}, lambda _topic, _payload: None, FAST)
        link.on_connect.append(topics.on_connect)
        link.on_disconnect.append(topics.on_disconnect)
        topics.open()
        await soon(lambda: link.connected)
        topics.put("lobby", b"one")
        broker.kill()
        await soon(lambda: not link.connected)
        topics.put("lobby", b"one")  # what was asked for before the broker was lost
        broker.start()
        await soon(lambda: link.connected)
        assert topics.doubtful() == ["lobby"]
        async with screen(broker.port) as seen:
            topics.put("lobby", b"one")
            await seen.until(lambda: seen.now.get("noughts/v1/lobby") == b"one")


async def test_old_values_that_a_broker_brings_back_are_corrected(tmp_path: Path, journal: Journal) -> None:
    directory = tmp_path / "broker"
    directory.mkdir()
    store, old = directory / "mosquitto.db", directory / "old.db"
    broker = Broker(directory, ["persistence true", f"persistence_location {directory}/"])
    try:
        broker.start()
        async with node(broker, journal) as here:
            async with screen(broker.port) as seen:
                for room in ("game", "gone"):
                    await here.open(room)
                    await seen.until(partial(is_shown, seen, room, 2))
            broker.stop()
            shutil.copy(store, old)
            broker.start()
            async with screen(broker.port) as seen:
                await here.play("game", "123")
                await here.do("gone", Resign(ONE.id))
                await seen.until(lambda: seen.shown("game") == 5 and seen.shown("gone") == 3)
            broker.kill()
            shutil.copy(old, store)
            await here.play("game", "5", turn=3)
            broker.start()
            async with screen(broker.port) as seen:
                await seen.until(lambda: seen.shown("game") == 6 and seen.shown("gone") == 3)
                await seen.until(lambda: seen.lobby() == ["game"])
                # The broker retained version 2, so later events may not have been published.
                assert seen.events("game") == [3, 4, 5, 6]
                assert seen.states("game")[-1] == 6
    finally:
        broker.kill()


async def test_all_retained_states_of_rooms_that_are_gone_are_cleared(broker: Broker, journal: Journal) -> None:
    async with screen(broker.port) as seen:
        for number in range(1500):
            await seen.publish(f"noughts/v1/rooms/old-{number}/state", b'{"version":7}', retain=True)
        async with node(broker, journal) as here:
            await here.open("game")
            await seen.until(lambda: seen.rooms() == {"game"})
            assert in_order_without_gaps(seen.events("game"), 2)


async def test_rooms_written_by_a_newer_server_are_left_alone(broker: Broker, journal: Journal) -> None:
    async with screen(broker.port) as seen, node(broker, journal) as here:
        await here.open("game")
        await seen.until(lambda: seen.shown("game") == 2)
        await here.open("newer")
        await seen.until(lambda: seen.shown("newer") == 2)
        done = await here.do("newer", Join(ONE, None))
        assert await journal.append(Append("newer", 3, b'{"schema":99}', index_row(done.room)))
        await seen.publish("noughts/v1/rooms/newer/state", b'{"version":3}', retain=True)
        here.view.on_appended(Appended("newer", 3, b'{"schema":99}'))
        await here.play("game", "5")
        await seen.until(lambda: seen.shown("game") == 3)
        # A room that should not be there is cleared, and the newer one is not.
        await seen.publish("noughts/v1/rooms/gone/state", b'{"version":1}', retain=True)
        await seen.until(lambda: seen.states("gone") == [1, 0])
        assert seen.shown("newer") == 3


async def test_an_event_of_another_node_is_shown_by_the_record_in_its_hint(
    broker: Broker, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with node(broker, journal) as here, screen(broker.port) as seen:
        await here.open("game")
        await seen.until(lambda: seen.shown("game") == 2)

        async def nothing() -> None:
            """The journal is not asked."""

        monkeypatch.setattr(here.view, "_compare", nothing)
        elsewhere = Host(journal, MemoryBus("other"))
        records: list[Appended] = []
        elsewhere.listen(lambda update: records.append(appended(update)))
        for turn, move in enumerate("123"):
            elsewhere.submit("game", Play((ONE, TWO)[turn % 2].id, turn, move))
            await seen.until(lambda: len(records) > turn)  # noqa: B023
        elsewhere.submit("new", Open("new", "tictactoe", ONE.id, ONE, None, Options()))
        elsewhere.submit("secret", Open("secret", "tictactoe", ONE.id, ONE, None, Options(private=True)))
        await seen.until(lambda: len(records) == 5)
        tried = counted_reads(here.view, monkeypatch)
        for hint in (records[0], records[0], records[2], *records[3:]):
            here.view.on_appended(hint)
        await seen.until(lambda: seen.shown("game") >= 3 and seen.shown("new") == 1)
        here.view.on_appended(records[1])  # by another node, which gathered it for longer
        await seen.until(lambda: seen.shown("game") == 5)
        assert in_order_without_gaps(seen.events("game"), 5)
        assert set(tried) <= {"game"}, "it is read if the gap lasts"
        tried.clear()
        assert "secret" in here.view._hidden
        assert await journal.append(Append("game", 6, records[0].record))
        here.view.on_appended(Appended("game", 7, b"the one before was lost"))
        await seen.until(lambda: "game" in tried)
        await elsewhere.close()


async def test_a_new_leader_begins_with_what_the_broker_retains(
    broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms = [f"room-{number}" for number in range(50)]
    async with screen(broker.port) as seen:
        async with node(broker, await SqliteJournal.open(tmp_path / "journal")) as old:
            for room in rooms:
                await old.open(room)
            await seen.until(lambda: all(seen.shown(room) == 2 for room in rooms))
        await seen.publish("noughts/v1/rooms/room-7/state", b'{"version":2,"forged":true}', retain=True)
        monkeypatch.setattr(view, "CHECKED_AT_ONCE", 0)
        async with node(broker, await SqliteJournal.open(tmp_path / "journal")) as new:
            tried = counted_reads(new.view, monkeypatch)
            await seen.until(lambda: len(new.view._shown) == 50)
            await new.play("room-3", "1")
            await seen.until(lambda: seen.shown("room-3") == 3)
            assert set(tried) <= {"room-3"}
            assert seen.events("room-3") == [1, 2, 3]
            monkeypatch.setattr(view, "CHECKED_AT_ONCE", 20)
            await seen.until(lambda: "forged" not in str(seen.now["noughts/v1/rooms/room-7/state"]))
            await seen.until(lambda: len(set(tried)) >= 49)


async def test_a_new_leader_shows_a_change_as_soon_as_it_knows_what_the_broker_retains(
    broker: Broker, journal: Journal
) -> None:
    slow = replace(FAST, view_interval_s=60.0)
    async with screen(broker.port) as seen, node(broker, journal, timing=slow) as leader:
        await seen.until(lambda: leader.view._leading)
        await leader.open("room-1")
        assert not leader.view._retained.settled
        await seen.until(lambda: seen.shown("room-1") == 2)


def appended(update: RoomUpdate) -> Appended:
    return Appended(update.room.id, update.room.version, to_record(update.event))


def counted_reads(view: PublicView, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The rooms that are read from now on."""
    tried: list[str] = []
    really_read = view._read

    async def counted(room_id: str) -> None:
        tried.append(room_id)
        await really_read(room_id)

    monkeypatch.setattr(view, "_read", counted)
    return tried


async def test_rooms_that_cannot_be_shown_cost_nothing(
    broker: Broker, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view, "MAX_SHOWN", 5)
    async with node(broker, journal) as here, screen(broker.port) as seen:
        await seen.until(lambda: "noughts/v1/lobby" in seen.now)
        async with screen(broker.port) as other:
            await other.publish("noughts/v1/rooms/stale/state", b'{"version":1}', retain=True)
        for number in range(5):
            await here.open(f"room-{number}")
        await seen.until(lambda: len(seen.rooms()) == 5 and "stale" not in seen.rooms())
        for number in range(5, 30):
            await here.open(f"room-{number}")
        tried = counted_reads(here.view, monkeypatch)
        await asyncio.sleep(0.5)  # as many comparisons with the journal as there are rooms shown
        assert tried == []
        assert here.view._due == {}
        assert seen.rooms() == {f"room-{number}" for number in range(5)}
        # What is shown stays up to date, and its place goes to another room once it is over.
        await here.play("room-3", "12")
        await seen.until(lambda: seen.shown("room-3") == 4)
        await here.do("room-3", Disconnect(ONE.id))
        await here.do("room-3", Disconnect(TWO.id))
        await seen.until(lambda: "room-3" not in seen.rooms() and len(seen.rooms()) == 5)


async def test_one_node_publishes_and_another_takes_over(broker: Broker, postgres: Postgres) -> None:
    async with AsyncExitStack() as stack:
        address = await stack.enter_async_context(database(postgres))
        seen = await stack.enter_async_context(screen(broker.port))
        leading = AsyncExitStack()
        first = await leading.enter_async_context(node(broker, await PostgresJournal.open(address), name="one"))
        await first.open("game")
        await seen.until(lambda: seen.shown("game") == 2)
        second = await stack.enter_async_context(node(broker, await PostgresJournal.open(address), name="two"))
        third = await stack.enter_async_context(node(broker, await PostgresJournal.open(address), name="three"))
        # Rooms of any node are published; the leader reads from the journal what it does not know.
        await second.play("game", "12")
        await third.open("other")
        await seen.until(lambda: seen.shown("game") == 4 and seen.shown("other") == 2)
        assert in_order_without_gaps(seen.events("game"), 4)
        assert seen.states("game")[-1] == 4
        await leading.aclose()
        await second.play("game", "35", turn=2)
        await third.do("other", Resign(ONE.id))
        await seen.until(lambda: seen.shown("game") == 6 and seen.shown("other") == 3)
        await seen.until(lambda: seen.lobby() == ["game"])
        # The next leader learns from the broker where the first one stopped.
        assert in_order_without_gaps(seen.events("game"), 6)
        assert in_order_without_gaps(seen.events("other"), 3)
        await third.play("game", "46879", turn=4)
        await seen.until(lambda: seen.shown("game") == 11)
        assert in_order_without_gaps(seen.events("game"), 11)


async def test_a_node_cut_off_from_the_broker_leaves_the_lead_to_another(broker: Broker, postgres: Postgres) -> None:
    async with (
        database(postgres) as address,
        screen(broker.port) as seen,
        proxied(f"mqtt://localhost:{broker.port}") as proxy,
        node(broker, await PostgresJournal.open(address), name="one", port=urlsplit(proxy.url).port or 0) as first,
    ):
        await first.open("game")
        await seen.until(lambda: seen.shown("game") == 2)
        async with node(broker, await PostgresJournal.open(address), name="two"):
            proxy.refusing = True
            proxy.cut()
            await first.play("game", "12")
            await seen.until(lambda: seen.shown("game") == 4)
            assert in_order_without_gaps(seen.events("game"), 4)


async def test_a_setting_turns_the_view_off(broker: Broker) -> None:
    quick = replace(FAST, lead_s=0.05)
    async with screen(broker.port, "noughts/#") as seen, AsyncExitStack() as stack:
        for name, shows in (("hidden", False), ("shown", True)):
            url = await stack.enter_async_context(
                running_server(timing=quick, bus=broker.url, node=name, bus_prefix=f"noughts/{name}", public_view=shows)
            )
            ann = await stack.enter_async_context(connected(url, "ann"))
            await ann.create()
        await seen.until(lambda: any(topic.startswith("noughts/shown/rooms/") for topic in seen.now))
        await seen.until(lambda: "noughts/hidden/nodes/hidden" in seen.now)
        published = {topic.split("/")[2] for topic in seen.now if topic.startswith("noughts/hidden/")}
        assert published <= {"nodes", "bus"}
