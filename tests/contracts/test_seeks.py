"""The contract of every journal for seeks, for each implementation."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from noughts.journal import Append, Journal, JournalError, Seek, UnknownPlayer
from support.journals import in_memory, in_sqlite, store
from support.writes import player, seek, write

MINUTE = 60_000


async def seekers(journal: Journal, *numbers: int) -> int:
    """Store these players and a seek of each; until when they wait."""
    until = journal.now() + MINUTE
    for number in numbers:
        await journal.people.add_guest(player(number))
        assert await journal.seeks.put(seek(number, since=number), until) is None
    return until


async def waiting(journal: Journal, terms: str = "terms") -> list[str]:
    found = await journal.seeks.waiting("tictactoe", terms, journal.now(), 1000)
    return [one.player.id for one in found]


def room_for(one: Seek, other: Seek, room: str = "room") -> Append:
    return write(room, 1, b"opened", players=(one.player, other.player))


async def test_a_seek_waits_until_it_is_withdrawn(journal: Journal) -> None:
    seeks = journal.seeks
    await seekers(journal, 1, 2)
    assert await seeks.waiting("tictactoe", "terms", journal.now(), 9) == [seek(1, since=1), seek(2, since=2)]
    assert not await seeks.withdraw("p-3")
    assert await seeks.withdraw("p-1")
    assert not await seeks.withdraw("p-1")
    assert await waiting(journal) == ["p-2"]


async def test_seeks_on_the_same_terms_are_found_the_longest_waiting_first(journal: Journal) -> None:
    seeks, until = journal.seeks, journal.now() + MINUTE
    for number, since in ((1, 30), (2, 10), (3, 20), (4, 5), (5, 1)):
        await journal.people.add_guest(player(number))
        one = seek(number, terms="others" if number == 4 else "terms", since=since)
        await seeks.put(replace(one, game="connect4") if number == 5 else one, until)
    assert await waiting(journal) == ["p-2", "p-3", "p-1"]
    assert await waiting(journal, "others") == ["p-4"]
    found = await seeks.waiting("tictactoe", "terms", journal.now(), 2)
    assert [one.player.id for one in found] == ["p-2", "p-3"]
    assert await seeks.waiting("tictactoe", "terms", until, 9) == []
    assert await seeks.waiting("reversi", "terms", journal.now(), 9) == []


async def test_a_seek_has_its_player_as_stored_now(journal: Journal) -> None:
    await seekers(journal, 1)
    assert await journal.people.register("p-1", "renamed")
    (found,) = await journal.seeks.waiting("tictactoe", "terms", journal.now(), 9)
    assert found == replace(seek(1, since=1), player=replace(player(1), name="renamed", registered=True))


async def test_a_seek_expires_unless_it_is_renewed(journal: Journal) -> None:
    seeks = journal.seeks
    until = await seekers(journal, 1, 2, 3)
    past = journal.now() - 1
    asked = [("p-1", "key"), ("p-2", "other"), ("p-4", "key"), ("p-3", "key")]
    assert await seeks.renew(asked, past) == {"p-1": None, "p-3": None}
    assert await waiting(journal) == ["p-2"]
    assert not await seeks.pair(seek(1), seek(2), room_for(seek(1), seek(2)))
    assert await journal.read("room") == []
    assert await seeks.renew([("p-1", "key")], until) == {"p-1": None}
    assert await waiting(journal) == ["p-1", "p-2"]
    assert await seeks.put(seek(3, since=7), until) is None
    (kept,) = [one for one in await seeks.waiting("tictactoe", "terms", journal.now(), 9) if one.player == player(3)]
    assert kept == seek(3, since=3), "it is the seek that was there"
    assert await seeks.renew([], until) == {}


async def test_a_new_seek_replaces_the_players_other_one(journal: Journal) -> None:
    seeks = journal.seeks
    until = await seekers(journal, 1, 2)
    other = replace(seek(1, "other", terms="others", since=9), game="connect4", rating=1700.5, deviation=80.25)
    assert await seeks.put(other, until) is None
    assert await waiting(journal) == ["p-2"]
    assert await seeks.waiting("connect4", "others", journal.now(), 9) == [other]
    assert await seeks.renew([("p-1", "key"), ("p-1", "other")], until) == {"p-1": None}
    assert not await seeks.pair(seek(1), seek(2), room_for(seek(1), seek(2)))
    assert await seeks.pair(other, seek(2), room_for(other, seek(2)))
    assert await seeks.put(seek(1, "third"), until) is None, "a paired player may seek again"
    assert await waiting(journal) == ["p-1"]


async def test_two_players_are_paired_and_both_can_ask_for_their_room(journal: Journal) -> None:
    seeks = journal.seeks
    until = await seekers(journal, 1, 2, 3)
    assert await seeks.pair(seek(2), seek(1), room_for(seek(2), seek(1)))
    assert await journal.read("room") == [b"opened"]
    assert await waiting(journal) == ["p-3"]
    for number in (1, 2):
        assert await seeks.put(seek(number), until) == "room"
        assert not await seeks.withdraw(f"p-{number}")
    assert await seeks.renew([(f"p-{number}", "key") for number in (1, 2, 3)], until) == {
        "p-1": "room",
        "p-2": "room",
        "p-3": None,
    }
    assert not await seeks.pair(seek(1), seek(3), room_for(seek(1), seek(3), "second"))
    assert not await seeks.pair(seek(2), seek(1), room_for(seek(2), seek(1)))
    assert await journal.read("second") == []
    await store(journal, write("room", 2))
    await journal.forget(journal.now() + MINUTE)
    assert await journal.people.find("p-1") == player(1), "the room keeps its players"


async def test_a_pairing_is_stored_as_a_whole_or_not_at_all(journal: Journal) -> None:
    seeks = journal.seeks
    await seekers(journal, 1, 2)
    await store(journal, write("taken"))
    thief = replace(player(3), token_hash=player(1).token_hash)
    assert not await seeks.pair(seek(1), seek(2), room_for(seek(1), seek(2), "taken"))
    assert not await seeks.pair(seek(1), seek(1), room_for(seek(1), seek(1)))
    assert not await seeks.pair(seek(1), seek(3), room_for(seek(1), seek(3)))
    assert not await seeks.pair(seek(1), seek(2), write("taken", 2))
    assert not await seeks.pair(seek(1), seek(2), write("room", 2))
    with pytest.raises(JournalError):
        await seeks.pair(seek(1), seek(2), write("room", players=(thief,)))
    assert await waiting(journal) == ["p-1", "p-2"]
    assert await journal.index.heads(["room", "taken"]) == {"taken": 1}
    assert await seeks.withdraw("p-2")
    assert not await seeks.pair(seek(1), seek(2), room_for(seek(1), seek(2)))
    assert await waiting(journal) == ["p-1"]
    assert await journal.index.heads(["room"]) == {}


async def test_an_unknown_player_cannot_seek(journal: Journal) -> None:
    with pytest.raises(UnknownPlayer):
        await journal.seeks.put(seek(1), journal.now() + MINUTE)
    assert await waiting(journal) == []
    await seekers(journal, 1)


async def test_expired_seeks_are_forgotten_and_their_players_too(journal: Journal) -> None:
    seeks = journal.seeks
    until = await seekers(journal, 1, 2, 3, 4)
    assert await seeks.pair(seek(3), seek(4), room_for(seek(3), seek(4)))
    await seeks.renew([("p-1", "key")], until + 2 * MINUTE)
    await journal.forget(until + MINUTE)
    assert await waiting(journal) == ["p-1"]
    assert await seeks.renew([(f"p-{number}", "key") for number in range(1, 5)], until) == {
        "p-1": None,
        "p-3": "room",
        "p-4": "room",
    }
    found = [await journal.people.find(f"p-{number}") for number in (1, 2, 3)]
    assert found == [player(1), None, player(3)], "a waiting player is not forgotten"


async def test_expired_seeks_can_be_forgotten_sooner_than_players(journal: Journal) -> None:
    seeks = journal.seeks
    until = await seekers(journal, 1, 2, 3, 4)
    assert await seeks.pair(seek(3), seek(4), room_for(seek(3), seek(4)))
    await seeks.renew([("p-1", "key")], until + 1)
    await seeks.forget(until + 1)
    asked = [(f"p-{number}", "key") for number in range(1, 5)]
    assert await seeks.renew(asked, until) == {"p-1": None, "p-3": "room", "p-4": "room"}
    assert await journal.people.find("p-2") == player(2), "a new guest is not forgotten"


async def test_banned_players_do_not_wait(journal: Journal) -> None:
    await seekers(journal, 1, 2, 3)
    now = journal.now()
    assert await journal.people.ban("p-1", now + MINUTE)
    assert await journal.people.ban("p-2", now)
    assert await waiting(journal) == ["p-2", "p-3"]
    (found,) = await journal.seeks.waiting("tictactoe", "terms", now, 1)
    assert found.player.id == "p-2", "a banned player does not count towards the limit"


async def test_seeks_that_came_or_were_paired_since_a_time_are_found(journal: Journal) -> None:
    seeks, began = journal.seeks, journal.now()
    until = await seekers(journal, 1, 2)
    for number in (3, 4, 5):
        await journal.people.add_guest(player(number))
    assert await seeks.changed(began) == []  # these came in 1970
    late = replace(seek(3, "late", terms="others", since=began), game="reversi")
    assert await seeks.put(late, until) is None
    assert await seeks.changed(began) == [("p-3", "late", "reversi", "others", False)]
    assert await seeks.changed(began + 1) == []
    assert await seeks.pair(seek(1), seek(2), room_for(seek(1), seek(2)))
    assert await seeks.withdraw("p-3")
    paired = [("p-1", "key", "tictactoe", "terms", True), ("p-2", "key", "tictactoe", "terms", True)]
    assert sorted(await seeks.changed(began)) == paired
    assert await seeks.changed(journal.now() + MINUTE) == []


async def test_open_seeks_of_all_terms_are_listed_the_last_first_and_found_by_their_player(journal: Journal) -> None:
    seeks, until = journal.seeks, journal.now() + MINUTE
    await seekers(journal, 1, 2, 3, 4, 5)
    other = replace(seek(2, "other", terms="others", since=9), game="connect4")
    await seeks.put(other, until)
    await seeks.renew([("p-3", "key")], 0)
    assert await journal.people.ban("p-4", until)
    now = journal.now()
    assert await seeks.open(now, 9) == [other, seek(5, since=5), seek(1, since=1)]
    assert await seeks.open(now, 2) == [other, seek(5, since=5)]
    assert await seeks.open(until, 9) == []
    assert await seeks.find("p-2", now) == other
    assert [await seeks.find(f"p-{number}", now) for number in (3, 4, 6)] == [None, None, None]
    assert await seeks.pair(other, seek(5), room_for(other, seek(5)))
    assert await seeks.open(now, 9) == [seek(1, since=1)]
    assert await seeks.find("p-5", now) is None


@pytest.mark.parametrize("seed", range(3))
async def test_concurrent_servers_pair_each_player_once(nodes: list[Journal], seed: int) -> None:
    """Two servers pair the same players at once, in any order, while seeks are renewed and withdrawn."""
    rng, numbers = random.Random(seed), range(1, 15)
    until = await seekers(nodes[0], *numbers)
    keys = [(f"p-{number}", "key") for number in numbers]
    attempts = [(one, other, node) for one, other in combinations(numbers, 2) for node in (0, 1)]
    rng.shuffle(attempts)
    shuffled = [(one, other) if rng.random() < 0.5 else (other, one) for one, other, _ in attempts]

    async def pair(one: int, other: int, node: int) -> bool:
        write = room_for(seek(one), seek(other), f"{one}-{other}-{node}")
        return await nodes[node].seeks.pair(seek(one), seek(other), write)

    async def renew(node: int) -> None:
        for _ in range(10):
            await nodes[node].seeks.renew(rng.sample(keys, len(keys)), until)

    pairing = (pair(one, other, node) for (one, other), (_, _, node) in zip(shuffled, attempts, strict=True))
    withdrawing = (nodes[n % 2].seeks.withdraw(f"p-{n}") for n in (1, 2))
    *paired, withdrawn_1, withdrawn_2, _, _ = await asyncio.gather(*pairing, *withdrawing, renew(0), renew(1))
    rooms = {
        f"{one}-{other}-{node}": (one, other)
        for (one, other), (_, _, node), had in zip(shuffled, attempts, paired, strict=True)
        if had
    }
    seated = Counter(number for two in rooms.values() for number in two)
    assert max(seated.values()) == 1
    every = [f"{one}-{other}-{node}" for (one, other), (_, _, node) in zip(shuffled, attempts, strict=True)]
    assert await nodes[0].index.heads(every) == dict.fromkeys(rooms, 1)
    became = await nodes[1].seeks.renew(keys, until)
    for number in numbers:
        withdrawn = (number == 1 and withdrawn_1) or (number == 2 and withdrawn_2)
        in_room = [room for room, two in rooms.items() if number in two]
        assert len(in_room) == seated[number]
        assert became.get(f"p-{number}", "gone") == ("gone" if withdrawn else in_room[0] if in_room else None)
        assert not (withdrawn and in_room)
    assert len([number for number in numbers if became.get(f"p-{number}", "") is None]) <= 1, "at most one is left over"


NUMBERS = st.integers(1, 5)
KEYS = st.sampled_from(["key", "other"])
Kept = tuple[str, bool, str | None]
"""A seek's key, whether it still has time, and the room that it was paired in."""


class SeeksMachine(RuleBasedStateMachine):
    """In any order of calls, no seat is taken twice and no player is paired twice."""

    opener = staticmethod(in_memory)

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.opened = self.opener()
        self.journal = self.runner.run(self.opened.__aenter__())
        self.seeks: dict[int, Kept] = {}
        self.rooms: dict[str, tuple[int, int]] = {}
        self.begun = 0
        for number in range(1, 6):
            self.runner.run(self.journal.people.add_guest(player(number)))

    def teardown(self) -> None:
        self.runner.run(self.opened.__aexit__(None, None, None))
        self.runner.close()

    def until(self, lasting: bool) -> int:
        return self.journal.now() + (60 * MINUTE if lasting else -1)

    def waits(self, number: int, key: str) -> bool:
        return self.seeks.get(number) == (key, True, None)

    @rule(number=NUMBERS, key=KEYS, lasting=st.booleans())
    def put(self, number: int, key: str, lasting: bool) -> None:
        before = self.seeks.get(number)
        room = before[2] if before is not None and before[0] == key else None
        assert self.runner.run(self.journal.seeks.put(seek(number, key), self.until(lasting))) == room
        self.seeks[number] = (key, lasting, room)

    @rule(number=NUMBERS)
    def withdraw(self, number: int) -> None:
        before = self.seeks.get(number)
        may = before is not None and before[2] is None
        assert self.runner.run(self.journal.seeks.withdraw(f"p-{number}")) == may
        if may:
            del self.seeks[number]

    @rule(asked=st.lists(st.tuples(NUMBERS, KEYS), max_size=4, unique_by=lambda one: one[0]), lasting=st.booleans())
    def renew(self, asked: list[tuple[int, str]], lasting: bool) -> None:
        keys = [(f"p-{number}", key) for number, key in asked]
        became = self.runner.run(self.journal.seeks.renew(keys, self.until(lasting)))
        there = [number for number, key in asked if number in self.seeks and self.seeks[number][0] == key]
        assert became == {f"p-{number}": self.seeks[number][2] for number in there}
        for number in there:
            key, _, room = self.seeks[number]
            self.seeks[number] = (key, lasting, room)

    @rule(one=NUMBERS, other=NUMBERS, keys=st.tuples(KEYS, KEYS), room=st.sampled_from(["a", "b", "c", "new"]))
    def pair(self, one: int, other: int, keys: tuple[str, str], room: str) -> None:
        if room == "new":
            self.begun += 1
            room = f"room-{self.begun}"
        two = seek(one, keys[0]), seek(other, keys[1])
        may = one != other and self.waits(one, keys[0]) and self.waits(other, keys[1]) and room not in self.rooms
        assert self.runner.run(self.journal.seeks.pair(*two, room_for(*two, room))) == may
        if may:
            self.rooms[room] = (one, other)
            for number in (one, other):
                self.seeks[number] = (self.seeks[number][0], True, room)

    @rule()
    def forget(self) -> None:
        self.runner.run(self.journal.forget(self.journal.now() + 30 * MINUTE))
        self.seeks = {number: kept for number, kept in self.seeks.items() if kept[1] or kept[2]}
        for number in range(1, 6):
            self.runner.run(self.journal.people.add_guest(player(number)))  # the others were forgotten too

    @invariant()
    def journal_equals_model(self) -> None:
        found = sorted(self.runner.run(waiting(self.journal)))
        assert found == [
            f"p-{number}" for number in range(1, 6) if self.seeks.get(number, ("", False, ""))[1:] == (True, None)
        ]
        rooms = [*self.rooms, "a", "b", "c"]
        assert self.runner.run(self.journal.index.heads(rooms)) == dict.fromkeys(self.rooms, 1)
        in_rooms = Counter(kept[2] for kept in self.seeks.values() if kept[2] is not None)
        assert max(in_rooms.values(), default=0) <= 2


class ThoroughSeeksMachine(SeeksMachine):
    opener = staticmethod(in_sqlite)


SeeksMachine.TestCase.settings = settings(max_examples=15, stateful_step_count=20)
ThoroughSeeksMachine.TestCase.settings = settings(max_examples=100, stateful_step_count=30)
TestSeeks = SeeksMachine.TestCase
TestSeeksThoroughly = pytest.mark.slow(ThoroughSeeksMachine.TestCase)
