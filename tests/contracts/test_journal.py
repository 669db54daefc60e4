"""The contract of every journal, for each implementation."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.journal import FOREVER, Append, IndexRow, Journal, JournalError, Remains
from support.journals import Opener, store
from support.writes import OVER, PLAYING, THINKING, player, result, write


async def test_records_are_read_in_order_from_any_version(journal: Journal) -> None:
    await store(journal, *(write("a", version, b"%d" % version) for version in range(1, 5)))
    await store(journal, write("b", 1, b"other"))
    assert await journal.read("a") == [b"1", b"2", b"3", b"4"]
    assert await journal.read("a", since=2) == [b"3", b"4"]
    assert await journal.read("a", since=4) == []
    assert await journal.read("a", since=10**30) == []
    assert await journal.read("unknown") == []


async def test_unfinished_rooms_are_listed_private_ones_too(journal: Journal) -> None:
    await store(journal, write("a", index=replace(PLAYING, listing=b"a")), write("over", index=OVER))
    await store(journal, write("b", index=replace(PLAYING, public=False, listing=b"b")))
    assert await journal.index.unfinished(9) == [b"b", b"a"]
    assert await journal.index.unfinished(1) == [b"b"]


@pytest.mark.parametrize("record", [b"", b"\0", b"a\0b", bytes(range(256)), b"\xed\xa0\x80", b"x" * 100_000])
async def test_a_record_is_any_bytes(journal: Journal, record: bytes) -> None:
    await store(journal, write("a", 1, record, replace(PLAYING, listing=record)))
    assert await journal.read("a") == [record]
    assert await journal.index.lobby(None, 1) == [record]


@pytest.mark.parametrize("version", [-1, 0, 1, 2, 4, 2**62])
async def test_only_the_next_version_is_accepted_and_a_refusal_stores_nothing(journal: Journal, version: int) -> None:
    first = replace(PLAYING, due_at=1, listing=b"first")
    await store(journal, write("a", 1, b"one", first), write("a", 2, b"two", first))
    other = IndexRow("connect4", "p-9", "playing", True, 7, True, True, b"second")
    assert not await journal.append(write("a", version, b"refused", other, (player(1),)))
    assert await journal.read("a") == [b"one", b"two"]
    assert await journal.index.due(9, 9) == ["a"]
    assert await journal.index.due(0, 9) == []
    assert await journal.index.attended() == await journal.unleased(9) == []
    assert await journal.index.heads(["a"]) == {"a": 2}
    assert await journal.index.lobby(None, 9) == [b"first"]
    assert await journal.index.open_rooms("p-9") == 0
    assert await journal.people.find_by_token(player(1).token_hash) is None


async def put_all(journal: Journal, *writes: Append) -> list[bool | Exception]:
    """The outcomes of writes that are put at once."""
    told: dict[int, bool | Exception] = {}
    all_told = asyncio.Event()

    def done(number: int, outcome: bool | Exception) -> None:
        assert number not in told
        told[number] = outcome
        if len(told) == len(writes):
            all_told.set()

    for number, one in enumerate(writes):
        journal.put(one, partial(done, number))
    async with asyncio.timeout(60):
        await all_told.wait()
    return [told[number] for number in range(len(writes))]


async def test_done_is_called_once_in_the_loop_after_put_has_returned(journal: Journal) -> None:
    told: list[tuple[str, bool | Exception, int]] = []

    def done(room: str, outcome: bool | Exception) -> None:
        told.append((room, outcome, threading.get_ident()))

    for room in ("a", "b", "a"):
        journal.put(write(room), partial(done, room))
    assert told == []
    await store(journal, write("c"))
    await store(journal, write("d"))
    here = threading.get_ident()
    assert sorted(told) == [("a", False, here), ("a", True, here), ("b", True, here)]


async def test_what_was_stored_can_be_read_as_soon_as_done_is_called(journal: Journal) -> None:
    read: asyncio.Future[asyncio.Task[list[bytes]]] = asyncio.get_running_loop().create_future()
    journal.put(write("a"), lambda _: read.set_result(asyncio.ensure_future(journal.read("a"))))
    assert await (await read) == [b"{}"]


async def test_writes_of_a_room_are_stored_in_the_order_in_which_they_were_put(journal: Journal) -> None:
    kinds: list[IndexRow | None] = [PLAYING, None, None, THINKING, None, PLAYING, None]
    writes = [write("a", number, b"%d" % number, index) for number, index in enumerate(kinds, 1)]
    outcomes = await put_all(journal, write("b"), *writes, write("b", 2, index=None), write("a", 7), write("a", 8))
    assert outcomes == [True] * 9 + [False, True]
    assert await journal.read("a", since=6) == [b"7", b"{}"]
    assert await journal.index.heads(["a", "b"]) == {"a": 8, "b": 2}


async def test_a_callback_that_raises_does_not_harm_others(journal: Journal, caplog: pytest.LogCaptureFixture) -> None:
    def fail(_: object) -> None:
        raise ZeroDivisionError

    journal.put(write("a"), fail)
    assert await put_all(journal, write("b"), write("c")) == [True, True]
    assert await put_all(journal, write("a", 2), write("b", 2)) == [True, True]
    assert "ZeroDivisionError" in caplog.text


async def test_a_write_without_an_index_row_leaves_the_row_as_it_is(journal: Journal) -> None:
    first = replace(THINKING, due_at=5, attended=True, listing=b"a")
    await store(journal, write("a", index=first), write("b", index=replace(PLAYING, listing=b"b")))
    before = (
        await journal.index.due(9, 9),
        await journal.index.attended(),
        await journal.unleased(9),
        await journal.index.lobby(None, 9),
    )
    assert before == (["a"], ["a"], ["a"], [b"b", b"a"])
    await store(journal, *(write("a", version, b"%d" % version, None) for version in (2, 3)))
    after = (
        await journal.index.due(9, 9),
        await journal.index.attended(),
        await journal.unleased(9),
        await journal.index.lobby(None, 9),
    )
    assert after == before
    assert await journal.index.public(99) == await journal.index.heads(["a", "b"]) == {"a": 3, "b": 1}
    assert await journal.read("a", since=1) == [b"2", b"3"]
    assert not await journal.append(write("a", 3, index=None))
    assert not await journal.append(write("a", 5, index=None))
    await store(journal, write("a", 4, index=replace(first, listing=b"a4")))
    assert await journal.index.lobby(None, 9) == [b"a4", b"b"]


async def test_a_room_cannot_be_opened_without_an_index_row(journal: Journal) -> None:
    assert not await journal.append(write("a", index=None))
    await store(journal, write("a"))
    assert not await journal.append(write("a", 2, opening=write("b", index=None)))
    assert await journal.index.heads(["a", "b"]) == {"a": 1}


async def test_an_opening_is_stored_with_the_write(journal: Journal) -> None:
    await store(journal, write("a", players=(player(1), player(2))))
    opening = write("b", 1, b"opened", replace(PLAYING, listing=b"b", thinking=True), (player(3),))
    await store(journal, write("a", 2, b"ended", OVER, finished=result("a"), opening=opening))
    assert await journal.read("a") == [b"{}", b"ended"]
    assert await journal.read("b") == [b"opened"]
    assert await journal.index.lobby(None, 9) == [b"b"]
    assert await journal.unleased(9) == ["b"]
    assert await journal.people.find_by_token(player(3).token_hash) == player(3)
    await store(journal, write("a", 3, index=None, opening=write("c")), write("b", 2, index=None), write("c", 2))
    assert await journal.index.heads(["a", "b", "c"]) == {"a": 3, "b": 2, "c": 2}


@pytest.mark.parametrize("index", [None, OVER])
async def test_a_write_and_its_opening_are_both_refused_if_one_is(journal: Journal, index: IndexRow | None) -> None:
    await store(journal, write("a"), write("b"), write("x"))
    opening = write("c", 1, b"c", PLAYING, (player(3),))
    outcomes = await put_all(
        journal,
        write("x", 2, index=None),
        write("a", 3, b"late", index, (player(1),), opening=opening),
        write("a", 2, b"taken", index, (player(1),), finished=result("a"), opening=write("b", 1, b"again")),
        write("y"),
    )
    assert outcomes == [True, False, False, True]
    assert await journal.index.heads(["a", "b", "c", "x", "y"]) == {"a": 1, "b": 1, "x": 2, "y": 1}
    assert await journal.read("b") == [b"{}"]
    assert (await journal.index.public(99)).keys() == {"a", "b", "x", "y"}
    assert await journal.results.finished(limit=9) == []
    assert await journal.people.find_by_token(player(1).token_hash) is None
    await store(journal, write("a", 2, opening=opening))


async def test_of_racing_openings_of_a_room_one_is_stored(journal: Journal) -> None:
    await store(journal, *(write(f"{number}") for number in range(5)))
    openings = [write(f"{number}", 2, index=None, opening=write("next", 1, b"%d" % number)) for number in range(5)]
    outcomes = await put_all(journal, *openings)
    assert outcomes.count(True) == 1
    assert outcomes.count(False) == 4
    winner = outcomes.index(True)
    assert await journal.read("next") == [b"%d" % winner]
    assert await journal.index.heads([f"{number}" for number in range(5)]) == {
        f"{number}": 1 + (number == winner) for number in range(5)
    }


async def test_a_room_starts_with_version_1(journal: Journal) -> None:
    assert not await journal.append(write("a", 2))
    assert not await journal.append(write("a", 0))
    assert await journal.read("a") == []
    await store(journal, write("a", 1))


async def test_of_racing_writers_of_a_version_one_wins(journal: Journal) -> None:
    for version in range(1, 20):
        records = [b"%d by %d" % (version, writer) for writer in range(5)]
        won = await asyncio.gather(*(journal.append(write("a", version, record)) for record in records))
        assert sum(won) == 1
        assert await journal.read("a", since=version - 1) == [records[won.index(True)]]


async def test_concurrent_appends_to_many_rooms_all_succeed(journal: Journal) -> None:
    async def play(room: str) -> None:
        for version in range(1, 11):
            assert await journal.append(write(room, version, f"{room} {version}".encode()))

    rooms = [f"room-{number}" for number in range(60)]
    await asyncio.gather(*map(play, rooms))
    for room in rooms:
        assert await journal.read(room) == [f"{room} {version}".encode() for version in range(1, 11)]


async def test_due_rooms_come_the_earliest_first(journal: Journal) -> None:
    times = {"a": 30, "b": 10, "c": None, "d": 20}
    await store(journal, *(write(room, 1, index=replace(PLAYING, due_at=at)) for room, at in times.items()))
    assert await journal.index.due(25, 9) == ["b", "d"]
    assert await journal.index.due(30, 9) == ["b", "d", "a"]
    assert await journal.index.due(30, 2) == ["b", "d"]
    await store(journal, write("b", 2), write("a", 2, index=replace(OVER, due_at=5)))
    assert await journal.index.due(30, 9) == ["a", "d"]


async def test_rooms_that_the_operator_wants_closed_are_due_first(journal: Journal) -> None:
    for room, by in {"a": "p-1", "b": "p-1", "c": "p-2", "d": "p-1"}.items():
        row = replace(PLAYING, by=by, due_at=None if room == "b" else 10, listing=room.encode())
        await store(journal, write(room, 1, index=replace(row, status="over") if room == "d" else row))
    assert await journal.index.request_close("p-3") == []
    assert await journal.index.to_close(9) == {}
    assert sorted(await journal.index.request_close("p-1")) == [b"a", b"b"], "not those that are over"
    assert sorted(await journal.index.to_close(9)) == sorted((await journal.index.due(10, 9))[:2]) == ["a", "b"]
    await store(journal, write("a", 2, index=OVER), write("b", 2, index=OVER))
    assert await journal.index.to_close(9) == {}
    assert await journal.index.request_close("c") == [b"c"]
    assert await journal.index.to_close(9) == {"c": None}
    assert await journal.index.request_end("c", "first")
    assert await journal.index.to_close(9) == {"c": "first"}
    assert await journal.index.request_close("c") == [b"c"]
    assert await journal.index.to_close(9) == {"c": None}, "the last word counts"
    assert not await journal.index.request_end("a", "draw"), "it is over"
    assert not await journal.index.request_end("e", "draw")


async def test_attended_and_thinking_rooms_are_found_until_they_are_over(journal: Journal) -> None:
    for status in ("waiting", "playing", "over"):
        for thinking in (False, True):
            for attended in (False, True):
                index = replace(PLAYING, status=status, thinking=thinking, attended=attended)
                await store(journal, write(f"{status} {thinking} {attended}", 1, index=index))
    assert sorted(await journal.index.attended()) == [
        "playing False True",
        "playing True True",
        "waiting False True",
        "waiting True True",
    ]
    assert await journal.unleased(9) == [
        "waiting True False",
        "waiting True True",
        "playing True False",
        "playing True True",
    ]
    assert await journal.unleased(2) == ["waiting True False", "waiting True True"]


async def test_the_listings_of_rooms_are_those_of_their_rows(journal: Journal) -> None:
    await store(journal, *(write(room, index=replace(PLAYING, listing=room.encode())) for room in "abc"))
    await store(journal, write("a", 2, index=replace(OVER, listing=b"over")), write("b", 2, index=None))
    assert await journal.index.listings(["a", "b", "unknown"]) == {"a": b"over", "b": b"b"}
    assert await journal.index.listings([]) == {}


async def test_openers_take_turns_by_their_address(journal: Journal) -> None:
    """First the addresses, then the players of each; those without an address each count as one."""
    rooms = (
        [(b"crowd", "p-1")] * 4 + [(b"crowd", "p-2")] * 2 + [(b"one", "p-3"), (b"", "p-4"), (b"", "p-5"), (b"", "p-4")]
    )
    for number, (address, player_id) in enumerate(rooms):
        await store(journal, write(str(number), index=replace(THINKING, by=player_id, opener=address)))
    assert await journal.unleased(99) == ["0", "6", "7", "8", "4", "9", "1", "5", "2", "3"]
    assert await journal.unleased(4) == ["0", "6", "7", "8"]


async def test_an_address_with_many_rooms_that_wait_does_not_hold_up_others(journal: Journal) -> None:
    many = [write(f"many-{n}", index=replace(THINKING, opener=b"crowd")) for n in range(300)]
    await store(journal, *many, write("one", index=replace(THINKING, by="p-2", opener=b"one")))
    assert await journal.unleased(1) == ["many-0"]
    assert await journal.unleased(3) == ["many-0", "one", "many-1"]


async def test_rooms_that_sleep_are_not_searched_but_can_be_leased(journal: Journal) -> None:
    asleep = replace(THINKING, sleeps=True)
    await store(
        journal, write("a", index=asleep), write("b", index=THINKING), write("c", index=replace(asleep, by="p-2"))
    )
    await store(journal, write("d", index=asleep), write("d", 2, index=replace(asleep, status="over")))
    assert await journal.unleased(9) == ["b"]
    assert await journal.lease("a", 1, "node-1", 60_000)
    assert [await journal.index.open_sleepers(by) for by in ("p-1", "p-2", "p-3")] == [1, 1, 0]
    await store(journal, write("a", 2, index=THINKING))
    assert [await journal.index.open_sleepers(by) for by in ("p-1", "p-2", "p-3")] == [0, 1, 0]


async def test_the_opener_is_kept_until_the_game_is_over(journal: Journal) -> None:
    await store(journal, write("a", index=replace(PLAYING, opener=b"somewhere")), write("b"))
    assert await journal.index.opener("a") == b"somewhere"
    assert await journal.index.opener("b") == await journal.index.opener("unknown") == b""
    await store(journal, write("a", 2), write("b", 2, index=replace(PLAYING, opener=b"late")))
    assert await journal.index.opener("a") == b"somewhere", "a later row does not have it"
    assert await journal.index.opener("b") == b""
    opening = write("next", index=replace(PLAYING, opener=b"elsewhere"))
    await store(journal, write("a", 3, index=OVER, opening=opening))
    assert await journal.index.opener("a") == b""
    assert await journal.index.opener("next") == b"elsewhere"
    await store(journal, write("imported", index=replace(OVER, opener=b"x")))
    assert await journal.index.opener("imported") == b""


async def test_until_when_a_room_was_leased(journal: Journal) -> None:
    await store(journal, write("a", index=THINKING), write("b", index=THINKING))
    began = journal.now()
    assert await journal.leased_until("a", 1) == await journal.leased_until("unknown", 1) == 0
    assert await journal.lease("a", 1, "node-1", 60_000)
    until = await journal.leased_until("a", 1)
    assert began + 58_000 < until < journal.now() + 62_000
    assert await journal.leased_until("b", 1) == 0
    await store(journal, write("a", 2, index=THINKING))
    assert await journal.leased_until("a", 1) == until, "so was a later version"
    assert await journal.leased_until("a", 2) == 0
    assert await journal.lease("a", 2, "node-2", 10)
    await asyncio.sleep(0.1)
    assert 0 < await journal.leased_until("a", 2) < journal.now() + 1000


async def test_heads_are_the_last_versions_of_existing_rooms(journal: Journal) -> None:
    await store(journal, write("a"), write("a", 2, index=OVER), write("b"), write("c"))
    assert await journal.index.heads(["a", "b", "unknown"]) == {"a": 2, "b": 1}
    assert await journal.index.heads([]) == {}
    assert await journal.index.heads(["a"] * 3 + [f"no-{number}" for number in range(2000)]) == {"a": 2}


async def test_public_rooms_are_listed_until_they_are_over(journal: Journal) -> None:
    private = replace(PLAYING, public=False)
    await store(journal, write("a"), write("b", index=private), write("c"), write("c", 2), write("d", index=OVER))
    assert await journal.index.public(99) == {"a": 1, "c": 2}
    assert await journal.index.public(1) == {"c": 2}
    await store(journal, write("a", 2, index=OVER))
    assert await journal.index.public(99) == {"c": 2}


async def test_one_caller_gets_the_lease_until_the_next_version(journal: Journal) -> None:
    await store(journal, write("a", index=THINKING), write("b", index=THINKING))
    asked = await asyncio.gather(*(journal.lease("a", 1, f"node-{number}", 60_000) for number in range(9)))
    assert sum(asked) == 1
    assert await journal.unleased(9) == ["b"]
    winner, other = f"node-{asked.index(True)}", f"node-{asked.index(False)}"
    assert await journal.lease("a", 1, winner, 60_000)
    assert not await journal.lease("a", 1, other, 60_000)
    assert not await journal.append(write("a", 1))  # a refused write ends no lease
    assert await journal.unleased(9) == ["b"]
    await store(journal, write("a", 2, index=THINKING))
    assert await journal.unleased(9) == ["b", "a"]
    assert not await journal.lease("a", 1, winner, 60_000)
    assert await journal.lease("a", 2, other, 60_000)
    assert not await journal.lease("a", 2, winner, 60_000)
    assert await journal.unleased(1) == ["b"]


async def test_a_lease_ends_with_a_write_that_leaves_the_index_row(journal: Journal) -> None:
    await store(journal, write("a", index=THINKING))
    assert await journal.lease("a", 1, "node-1", 60_000)
    assert await journal.unleased(9) == []
    await store(journal, write("a", 2, index=None))
    assert await journal.unleased(9) == ["a"]
    assert not await journal.lease("a", 1, "node-1", 60_000)
    assert await journal.lease("a", 2, "node-2", 60_000)
    assert await journal.unleased(9) == []
    assert not await journal.lease("a", 2, "node-1", 60_000)


async def test_only_the_last_version_of_a_room_where_a_computer_is_to_move_can_be_leased(journal: Journal) -> None:
    over = replace(THINKING, status="over")
    await store(journal, write("a"), write("a", 2, index=THINKING), write("b"), write("c", index=over))
    for room, version in (("a", 1), ("a", 3), ("b", 1), ("c", 1), ("unknown", 1), ("unknown", 0)):
        assert not await journal.lease(room, version, "node-1", 60_000)
    assert await journal.lease("a", 2, "node-1", 60_000)


async def test_a_lease_expires_unless_it_is_renewed(journal: Journal) -> None:
    await store(journal, write("a", index=THINKING), write("b", index=THINKING))
    for room in "ab":
        assert await journal.lease(room, 1, "node-1", 300)
    assert await journal.lease("b", 1, "node-1", 60_000)
    async with asyncio.timeout(30):
        while await journal.unleased(9) != ["a"]:  # noqa: ASYNC110 # there is no event to wait for
            await asyncio.sleep(0.02)
    assert not await journal.lease("b", 1, "node-2", 60_000)
    assert await journal.lease("a", 1, "node-2", 60_000)
    assert not await journal.lease("a", 1, "node-1", 60_000)


async def test_the_lobby_lists_open_public_rooms_the_last_changed_first(journal: Journal) -> None:
    def row(name: bytes, game: str = "tictactoe", public: bool = True, status: str = "waiting") -> IndexRow:
        return replace(PLAYING, game=game, public=public, status=status, listing=name)

    await store(
        journal,
        write("a", 1, index=row(b"a")),
        write("b", 1, index=row(b"b", game="connect4")),
        write("c", 1, index=row(b"c", public=False)),
        write("d", 1, index=row(b"d")),
        write("e", 1, index=row(b"e", status="over")),
    )
    assert await journal.index.lobby(None, 9) == [b"d", b"b", b"a"]
    assert await journal.index.lobby("tictactoe", 9) == [b"d", b"a"]
    assert await journal.index.lobby("reversi", 9) == []
    await store(journal, write("a", 2, index=row(b"a2")))
    assert await journal.index.lobby(None, 9) == [b"a2", b"d", b"b"]
    assert await journal.index.lobby(None, 2) == [b"a2", b"d"]
    assert await journal.index.lobby("tictactoe", 1) == [b"a2"]
    await store(journal, write("d", 2, index=row(b"d", status="over")))
    assert await journal.index.lobby(None, 9) == [b"a2", b"b"]


async def test_a_room_can_be_looked_at_later(journal: Journal) -> None:
    for room, due_at in {"a": 5, "b": 50, "closing": 5, "moved": 6}.items():
        await store(journal, write(room, index=replace(PLAYING, due_at=due_at)))
    await store(journal, write("moved", 2, index=None))
    await journal.index.request_close("closing")
    for room in ("a", "b", "closing", "moved", "unknown"):
        await journal.index.postpone(room, 1, 10)
    assert await journal.index.due(9, 9) == ["closing", "moved"]
    await journal.index.postpone("moved", 2, 11)
    assert await journal.index.due(10, 9) == ["closing", "a"]
    assert await journal.index.due(50, 9) == ["closing", "a", "moved", "b"]


async def test_openers_share_the_places_of_the_lobby(journal: Journal) -> None:
    async def opened(name: str, address: bytes, by: str, status: str = "waiting") -> None:
        row = replace(PLAYING, by=by, opener=address, status=status, listing=name.encode())
        await store(journal, write(name, index=row))

    await opened("alone", b"one", "p-1")
    await opened("stranger", b"", "p-2", "playing")
    for number in range(5):
        await opened(f"crowd{number}", b"crowd", "p-3")
    await opened("neighbour", b"crowd", "p-4")
    for number in range(5, 9):
        await opened(f"crowd{number}", b"crowd", "p-3")

    async def listed(places: int) -> list[bytes]:
        shown = await journal.index.lobby(None, places)
        assert await journal.index.lobby(PLAYING.game, places) == shown
        return shown

    assert await listed(3) == [b"crowd8", b"stranger", b"alone"]
    assert await listed(4) == [b"crowd8", b"neighbour", b"stranger", b"alone"]
    assert await listed(5) == [b"crowd8", b"crowd7", b"neighbour", b"stranger", b"alone"]
    assert len(await listed(99)) == 12
    for number in range(40):
        await opened(f"flood{number}", b"crowd", "p-3")
    assert await listed(3) == [b"flood39", b"stranger", b"alone"]


async def test_open_rooms_are_counted_for_the_player_that_opened_them(journal: Journal) -> None:
    await store(journal, write("a"), write("b"), write("c", index=replace(PLAYING, by="p-2")))
    assert await journal.index.open_rooms("p-1") == 2
    await store(journal, write("a", 2, index=OVER))
    assert await journal.index.open_rooms("p-1") == 1
    assert await journal.index.open_rooms("p-2") == 1
    assert await journal.index.open_rooms("p-3") == 0


async def test_the_rooms_that_are_still_open_are_found_among_others(journal: Journal) -> None:
    await store(journal, write("a"), write("b"), write("c"))
    await store(journal, write("a", 2, index=OVER))
    assert sorted(await journal.index.still_open(["a", "b", "unknown"])) == ["b"]
    assert await journal.index.still_open([]) == []


async def aborted(journal: Journal, room: str, due_at: int | None) -> None:
    """A room that is over after three records."""
    await store(journal, write(room, 1, b"1"), write(room, 2, b"2", None))
    await store(journal, write(room, 3, b"3", replace(OVER, due_at=due_at, listing=room.encode())))


async def test_rooms_are_stripped_of_all_records_but_the_last_when_it_is_time(journal: Journal) -> None:
    for room, due_at in {"a": FOREVER + 5, "b": FOREVER + 50, "c": 5, "d": None, "e": FOREVER + 4}.items():
        await aborted(journal, room, due_at)
    assert await journal.index.due(FOREVER - 1, 9) == ["c"], "the others have nothing to end by time"
    assert await journal.strip(10, ["e", "unknown"], 60, 9) == 1
    assert [len(await journal.read(room)) for room in "abcde"] == [1, 3, 3, 3, 3]
    assert await journal.read("a") == [b"3"]
    assert await journal.strip(10, [], 60, 9) == 0
    assert [await journal.strip(70, [], 60, 1) for _ in range(3)] == [1, 1, 0]
    assert [len(await journal.read(room)) for room in "abcde"] == [1, 1, 3, 3, 1]


async def test_a_stripped_room_keeps_its_row_and_its_version_and_can_go_on(journal: Journal) -> None:
    await aborted(journal, "a", FOREVER + 5)
    assert await journal.index.remains("a") == Remains("p-1", "tictactoe", b"a", 1)
    await journal.strip(10, [], 60, 9)
    assert await journal.index.remains("a") == Remains("p-1", "tictactoe", b"a", 3)
    assert await journal.index.heads(["a"]) == {"a": 3}
    assert await journal.read("a", since=3) == []
    assert not await journal.append(write("a", 1))
    assert not await journal.append(write("a", 2))
    assert await journal.append(write("a", 4, b"4", None, opening=write("next")))
    assert await journal.read("a") == [b"3", b"4"]
    assert await journal.index.remains("a") == Remains("p-1", "tictactoe", b"a", 3)
    assert await journal.index.remains("unknown") is None


async def test_players_are_stored_with_the_append_and_not_changed_by_later_ones(journal: Journal) -> None:
    assert await journal.people.find_by_token(player(1).token_hash) is None
    await store(journal, write("a", 1, players=(player(1), player(2))))
    assert await journal.people.find_by_token(player(1).token_hash) == player(1)
    assert await journal.people.find_by_token(player(2).token_hash) == player(2)
    renamed = replace(player(1), name="renamed", token_hash=b"\1" * 32)
    await store(journal, write("a", 2, players=(renamed, player(3))))
    assert await journal.people.find_by_token(player(1).token_hash) == player(1)
    assert await journal.people.find_by_token(renamed.token_hash) is None
    assert await journal.people.find_by_token(player(3).token_hash) == player(3)


async def test_guests_are_forgotten_unless_they_took_a_seat(journal: Journal) -> None:
    before = journal.now()
    for number in (1, 2, 3):
        await journal.people.add_guest(player(number))
    await journal.people.add_guest(replace(player(1), name="renamed"))
    await store(journal, write("a", 1, players=(player(2), player(4))))
    await journal.people.add_guest(player(4))
    await journal.forget(before)
    assert [await journal.people.find_by_token(player(number).token_hash) for number in range(1, 5)] == list(
        map(player, range(1, 5))
    )
    await journal.forget(journal.now() + 60_000)
    found = [await journal.people.find_by_token(player(number).token_hash) for number in range(1, 5)]
    assert found == [None, player(2), None, player(4)]
    await journal.people.add_guest(player(1))
    await store(journal, write("b", 1, players=(player(3),)))
    assert await journal.people.find_by_token(player(1).token_hash) == player(1)
    assert await journal.people.find_by_token(player(3).token_hash) == player(3)


async def test_a_guest_cannot_have_the_token_of_another_player(journal: Journal) -> None:
    await journal.people.add_guest(player(1))
    thief = replace(player(2), token_hash=player(1).token_hash)
    with pytest.raises(JournalError):
        await journal.people.add_guest(thief)
    await journal.people.add_guest(player(3))
    assert await journal.people.find_by_token(player(1).token_hash) == player(1)
    assert await journal.people.find_by_token(player(3).token_hash) == player(3)


async def test_a_journal_has_a_secret_and_a_leader(journal: Journal) -> None:
    assert len(journal.secret) == 32
    assert journal.secret.count(0) < 16
    assert await journal.lead()
    assert await journal.lead()


async def test_a_write_with_the_token_of_another_player_fails_alone(journal: Journal) -> None:
    await store(journal, write("a", 1, players=(player(1),)))
    thief = replace(player(2), token_hash=player(1).token_hash)
    outcomes = await asyncio.gather(
        journal.append(write("b", 1)),
        journal.append(write("c", 1, players=(player(3), thief))),
        journal.append(write("d", 1)),
        return_exceptions=True,
    )
    assert outcomes[0] is True
    assert isinstance(outcomes[1], JournalError)
    assert outcomes[2] is True
    assert await journal.people.find_by_token(player(1).token_hash) == player(1)
    assert await journal.people.find_by_token(player(3).token_hash) is None
    assert await journal.read("c") == []
    await store(journal, write("c", 1))


async def test_cancelled_appends_do_not_harm_others(journal: Journal) -> None:
    tasks = [asyncio.create_task(journal.append(write(f"{room}", 1, b"one"))) for room in range(20)]
    await asyncio.sleep(0)
    for left in tasks[::2]:
        left.cancel()
    async with asyncio.timeout(60):
        assert await asyncio.gather(*tasks[1::2]) == [True] * 10
    await asyncio.gather(*tasks, return_exceptions=True)
    await store(journal, write("0", 2, b"two"))
    assert await journal.read("0") == [b"one", b"two"]


async def test_time_is_the_wall_clock_and_never_decreases(journal: Journal) -> None:
    assert abs(journal.now() - time.time() * 1000) < 10_000
    times = [journal.now() for _ in range(1000)]
    assert times == sorted(times)
    await asyncio.sleep(0.05)
    assert journal.now() > times[-1]


async def test_closing_finishes_waiting_writes_and_refuses_new_ones(journal: Journal) -> None:
    waiting = [asyncio.create_task(journal.append(write(f"{room}", 1))) for room in range(20)]
    await asyncio.sleep(0)
    await journal.close()
    assert await asyncio.gather(*waiting) == [True] * 20
    with pytest.raises(JournalError):
        await journal.append(write("late", 1))
    (told,) = await put_all(journal, write("late", 1))
    assert isinstance(told, JournalError)
    for late in (
        journal.read("0"),
        journal.people.add_guest(player(1)),
        journal.lease("0", 1, "node-1", 1),
        journal.lead(),
    ):
        with pytest.raises(JournalError):
            await late
    await journal.close()


indexes = st.builds(
    IndexRow,
    game=st.sampled_from(["tictactoe", "connect4"]),
    by=st.sampled_from(["p-1", "p-2"]),
    status=st.sampled_from(["waiting", "playing", "over"]),
    public=st.booleans(),
    due_at=st.none() | st.integers(0, 9),
    thinking=st.booleans(),
    attended=st.booleans(),
    listing=st.binary(max_size=4),
)
rooms = st.sampled_from("abc")
openings = st.none() | st.builds(write, rooms, st.just(1), st.binary(max_size=4), indexes)
histories = st.lists(
    st.builds(
        write, rooms, st.integers(1, 4), st.binary(max_size=4), st.none() | indexes, st.just(()), opening=openings
    ).filter(lambda one: one.opening is None or (one.version > 1 and one.opening.room != one.room)),
    max_size=25,
)


class Model:
    """The journal as a plain list of the accepted writes."""

    def __init__(self) -> None:
        self.taken: list[Append] = []

    def append(self, one: Append) -> bool:
        fits = one.version == self.versions()[one.room] + 1 and (one.version > 1 or one.index is not None)
        if fits and one.opening is not None:
            fits = self.append(one.opening)
        if fits:
            self.taken.append(one)
        return fits

    def versions(self) -> Counter[str]:
        return Counter(one.room for one in self.taken)

    def rooms(self) -> Iterator[tuple[str, IndexRow]]:
        """Each room with its row, the last changed first."""
        seen = set()
        for one in reversed(self.taken):
            if one.room not in seen and one.index is not None:
                seen.add(one.room)
                yield one.room, one.index


@pytest.mark.parametrize(
    "examples", [10, pytest.param(100, marks=pytest.mark.slow)], ids=lambda number: f"{number} examples"
)
def test_a_journal_equals_the_list_of_its_accepted_writes(opened: Opener, examples: int) -> None:
    @settings(max_examples=examples)
    @given(history=histories)
    def check(history: list[Append]) -> None:
        asyncio.run(compare(opened, history))

    check()


async def compare(opened: Opener, history: list[Append]) -> None:
    model = Model()
    async with opened() as journal:
        for one in history:
            assert await journal.append(one) == model.append(one)
        for room in "abc":
            records = [one.record for one in model.taken if one.room == room]
            assert [await journal.read(room, since) for since in range(5)] == [records[n:] for n in range(5)]
        rows = dict(model.rooms())
        for until in range(10):
            due = {room: row.due_at for room, row in rows.items() if row.due_at is not None and row.due_at <= until}
            found = await journal.index.due(until, 9)
            assert sorted(found) == sorted(due)
            assert [due[room] for room in found] == sorted(due.values())
        still = {room: row for room, row in rows.items() if row.status != "over"}
        assert sorted(await journal.index.attended()) == sorted(room for room, row in still.items() if row.attended)
        assert await journal.unleased(9) == [room for room, row in reversed(still.items()) if row.thinking]
        assert (await journal.index.public(99)).keys() == {room for room, row in still.items() if row.public}
        assert await journal.index.heads(["a", "b", "c"]) == model.versions()
        for game in (None, "tictactoe", "connect4"):
            listed = [row.listing for row in still.values() if row.public and game in (None, row.game)]
            assert await journal.index.lobby(game, 9) == listed
        for by in ("p-1", "p-2"):
            assert await journal.index.open_rooms(by) == sum(row.by == by for row in still.values())


async def test_an_outage_is_found_once_and_reported_from_then_on(journal: Journal) -> None:
    before = journal.now()
    assert await journal.beat(0) == [], "what was before the first beat is unknown"
    await asyncio.sleep(0.05)
    assert await journal.beat(10_000) == []
    since = journal.now()
    await asyncio.sleep(0.25)
    beats = await asyncio.gather(*(journal.beat(200) for _ in range(5)))  # a busy database takes tens of ms for them
    (outage,) = beats[-1]
    near_ms = 10  # the database has its own clock, which is only estimated here
    assert before - near_ms < outage.since <= since + near_ms
    assert since + 200 - near_ms < outage.until <= journal.now() + near_ms
    await asyncio.sleep(0.05)
    assert await journal.beat(10_000) == [outage]
    await asyncio.sleep(0.25)
    first, second = await journal.beat(200)
    assert first == outage
    assert outage.until < second.since < second.until


async def test_beats_and_writes_do_not_disturb_each_other(journal: Journal) -> None:
    beats = (journal.beat(10_000) for _ in range(5))
    outcomes = await asyncio.gather(*beats, *(journal.append(write(f"{room}")) for room in range(20)))
    assert outcomes[5:] == [True] * 20
