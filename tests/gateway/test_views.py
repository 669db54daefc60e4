"""Messages about rematches, lost rooms and rooms that cannot be sent."""

from __future__ import annotations

import pytest

from noughts.gateway.session import Session
from noughts.timing import Timing
from support.client import Client, connected, farewell
from support.faulty import Faulty, FaultyPut
from support.journals import MemoryJournal
from support.server import running_gateway

QUICK = Timing(journal_retries_s=(0.01, 0.01), sweep_s=0.05, room_recheck_s=0.05)


async def offered_rematch(ann: Client, ben: Client) -> str:
    """A room whose game is over, and in which ann offers a rematch."""
    room = await ann.create()
    await ben.join(room)
    await ann.ok(type="resign", room=room)
    await ann.ok(type="offer_rematch", room=room)
    return room


async def test_a_rematch_follows_its_agreement_and_leaves_no_trace_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async with (
        running_gateway(MemoryJournal(), timing=QUICK) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "ben") as ben,
    ):
        room = await offered_rematch(ann, ben)
        await ben.send(type="accept_rematch", id=1, room=room)
        kinds = ["", ""]
        while kinds[-1] != "room":
            kinds.append((await ben.receive())["type"])
        assert kinds[-3:] == ["update", "ok", "room"]
        assert node.host.room(room) is None, "nobody watches the old room any more"
    assert not caplog.records


@pytest.mark.parametrize(
    "faults",
    [["answer lost"], ["lost", "answer lost"], ["answer lost", "lost"]],
)
async def test_all_clients_enter_the_rematch_even_if_the_journal_fails(faults: list[str]) -> None:
    journal = MemoryJournal()
    append = FaultyPut(journal).faulty
    async with (
        running_gateway(journal, timing=QUICK) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "ben") as ben,
    ):
        room = await offered_rematch(ann, ben)
        append.faults = faults
        await ben.send(type="accept_rematch", room=room)
        while (message := await ann.push("room"))["previous"] is None:
            pass
        assert await ann.refused(type="play", room=message["room"], turn=0, move="5") == "not_your_turn"


async def test_a_rematch_that_cannot_be_read_ends_the_connection() -> None:
    journal = MemoryJournal()
    append, read = FaultyPut(journal).faulty, Faulty(journal, "read")
    async with (
        running_gateway(journal, timing=QUICK) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "ben") as ben,
    ):
        room = await offered_rematch(ann, ben)
        ann.pushed.clear()
        append.faults = ["answer lost"]  # so the node reads what became of it: the room, the opening, the next room
        read.faults = ["none", "none", "lost", "lost", "lost"]
        await ben.send(type="accept_rematch", room=room)
        messages, close_code, reason = await farewell(ann)
        assert (close_code, reason) == (1013, "room unavailable")
        assert "room" not in {message["type"] for message in messages}


async def test_watchers_of_a_room_that_the_journal_has_lost_must_reconnect() -> None:
    journal = MemoryJournal()
    async with (
        running_gateway(journal, timing=QUICK) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "ben") as ben,
    ):
        room = await ann.create()
        await ben.join(room)
        await ann.play(room, 0, "5")
        journal.set_records(room, journal.records()[room][:-1])
        await ben.send(type="play", room=room, turn=1, move="1")
        for client in (ann, ben):
            assert (await farewell(client))[1] == 1013
        async with connected(node.url, token=ben.token) as again:
            await again.ok(type="watch", room=room, since=3)
            assert (await again.push("room"))["version"] == 2


async def test_a_slow_reader_is_sent_each_room_that_it_is_behind_in() -> None:
    """The second room changes while the first is being read again."""
    journal = MemoryJournal()
    journal.shared = True  # so that a room is read again before it is sent
    read = Faulty(journal, "read")
    async with (
        running_gateway(journal, timing=QUICK) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "eve") as eve,
    ):
        rooms = [await ann.create() for _ in range(2)]
        for room in rooms:
            await eve.ok(type="watch", room=room)
            await eve.push("room")
        read.slow_s = 0.4
        sessions = node.server.subscribers.of(rooms[0])
        slow = next(each for each in sessions if isinstance(each, Session) and each.player.id == eve.id)
        slow.on_pause()
        await ann.ok(type="abort", room=rooms[0])
        slow.on_resume()
        await ann.ok(type="abort", room=rooms[1])  # while the first room is read
        received = [await eve.push() for _ in rooms]
        assert {(message["type"], message["room"]) for message in received} == {
            ("update", rooms[1]),
            ("room", rooms[0]),
        }
        assert {message["version"] for message in received} == {2}
