"""The contract of every journal for the players, for each implementation."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from noughts.journal import FOREVER, Journal, JournalError, People, SqliteJournal, StoredPlayer
from noughts.players.names import guest_name, name_key
from support.journals import in_memory, in_sqlite, store
from support.writes import PLAYING, player, write


def token(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


async def test_a_player_is_found_by_token_and_id_and_by_a_registered_name(journal: Journal) -> None:
    people = journal.people
    assert await people.add_guest(player(1))
    assert await people.add_guest(player(2))
    assert await people.find_by_token(player(1).token_hash) == await people.find("p-1") == player(1)
    assert await people.find("player-1") is None, "the name is not registered"
    assert await people.register("p-1", "player-1")
    registered = replace(player(1), registered=True)
    assert await people.find("p-1") == await people.find("player-1") == await people.find(" PLAYER-1 ") == registered
    assert await people.find_by_token(player(1).token_hash) == registered
    assert await people.find("nobody") is await people.find_by_token(token("none")) is None


async def test_registered_and_restricted_players_are_listed_by_name(journal: Journal) -> None:
    people = journal.people
    for number in (3, 1, 2, 4):
        await people.add_guest(player(number))
    assert await people.registered(9) == await people.restricted(9) == []
    for number in (3, 1):
        assert await people.register(f"p-{number}", f"player-{number}")
    assert [each.id for each in await people.registered(9)] == ["p-1", "p-3"]
    assert [each.id for each in await people.registered(1)] == ["p-1"]
    await people.ban("p-2", FOREVER)
    await people.ban("p-4", 1)
    await people.mute("p-1", FOREVER)
    assert [each.id for each in await people.restricted(9)] == ["p-1", "p-2"]
    assert [each.id for each in await people.restricted(1)] == ["p-1"]
    assert (await people.restricted(9))[1].banned_until == FOREVER


@pytest.mark.parametrize("name", ["Strasse", "strasse", " STRASSE", "Straße", "\uff33trasse"])
async def test_a_registered_name_is_taken_in_every_spelling(journal: Journal, name: str) -> None:
    people = journal.people
    await people.add_guest(player(1))
    assert await people.register("p-1", "Strasse")
    for _ in range(2):
        assert not await people.add_guest(replace(player(2), name=name))
    assert await people.find("p-2") is await people.find_by_token(player(2).token_hash) is None
    await people.add_guest(player(3))
    assert not await people.register("p-3", name)
    assert await people.find("p-3") == player(3)
    assert await people.add_guest(replace(player(2), name="Strassen"))
    await store(journal, write("a", players=(replace(player(4), name=name), replace(player(3), name="other"))))
    assert (await people.find("p-4")) == replace(player(4), name=guest_name("p-4")), (
        "a player who sits down with it gets a guest's name"
    )
    assert (await people.find("p-3")) == player(3)
    assert await people.register("p-1", name), "its owner may change the spelling"
    assert (await people.find("Strasse")) == replace(player(1), name=name, registered=True)


async def test_players_get_a_guest_name_when_another_registers_their_name(journal: Journal) -> None:
    people = journal.people
    for number in (1, 2, 3):
        await people.add_guest(replace(player(number), name="Player"))
    await people.add_guest(replace(player(4), name="players"))
    since = journal.now()
    assert await people.register("p-2", "PLAYER")
    assert await people.find("p-2") == replace(player(2), name="PLAYER", registered=True)
    others = [replace(player(number), name=guest_name(f"p-{number}")) for number in (1, 3)]
    assert [await people.find("p-1"), await people.find("p-3")] == others
    assert await people.find("p-4") == replace(player(4), name="players")
    changed = await people.changed(since, ["p-1", "p-2", "p-3", "p-4"])
    assert {one.id: one for one in changed} == {one.id: one for one in (await people.find("PLAYER"), *others) if one}
    assert await people.add_guest(replace(player(3), name="PLAYER")), (
        "adding a stored player again succeeds with any name"
    )
    assert await people.find("p-3") == others[1]


async def test_many_players_with_a_registered_name_are_renamed_in_batches(journal: SqliteJournal) -> None:
    people = People(journal.database, journal.now, renamed_at_once=3)
    for count in (2, 3, 7):
        users = [f"p-{count}-{number}" for number in range(count)]
        for number, user in enumerate(users, 10 * count):
            name = f"Player {count}" if number % 2 else f"PLAYER {count}"
            assert await people.add_guest(StoredPlayer(user, name, "human", bytes([number])))
        owner = StoredPlayer(f"p-owner-{count}", "x", "human", token(f"owner {count}"))
        await people.add_guest(owner)
        assert await people.register(owner.id, f"player {count}")
        for user in users:
            found = await people.find(user)
            assert found is not None
            assert found.name == guest_name(user)
        assert await people.find(owner.id) == replace(owner, name=f"player {count}", registered=True)


async def test_a_player_cannot_register_a_second_name(journal: Journal) -> None:
    people = journal.people
    await people.add_guest(player(1))
    await people.add_guest(player(2))
    assert await people.register("p-1", "first")
    assert not await people.register("p-1", "second")
    assert not await people.register("p-2", "first")
    assert await people.register("p-2", "second")
    assert not await people.register("p-3", "third"), "there is no such player"
    assert (await people.find("first"), await people.find("second")) == (
        replace(player(1), name="first", registered=True),
        replace(player(2), name="second", registered=True),
    )


async def test_a_player_who_registers_many_names_at_once_gets_one(nodes: list[Journal]) -> None:
    for number in range(1, 11):
        one, names = player(number), [f"name {number}-{letter}" for letter in "abcd"]
        await nodes[0].people.add_guest(one)
        had = await asyncio.gather(*(nodes[n % 2].people.register(one.id, name) for n, name in enumerate(names)))
        assert sum(had) == 1
        found = [await nodes[0].people.find(name) for name in names]
        assert found == [
            replace(one, name=name, registered=True) if it else None for name, it in zip(names, had, strict=True)
        ]


async def test_registered_players_are_not_forgotten(journal: Journal) -> None:
    await journal.people.add_guest(player(1))
    await journal.people.add_guest(player(2))
    assert await journal.people.register("p-1", "player-1")
    await journal.people.mute("p-2", FOREVER)
    await journal.forget(journal.now() + 60_000)
    assert (await journal.people.find("p-1")) == replace(player(1), registered=True)
    assert await journal.people.find("p-2") is None
    assert [one.id for one in await journal.people.changed(0, ["p-1", "p-2"])] == ["p-1"]


async def test_after_a_change_of_token_the_old_one_is_invalid(journal: Journal) -> None:
    people, tokens = journal.people, journal.tokens
    await people.add_guest(player(1))
    await people.add_guest(player(2))
    assert not await tokens.renew("p-1", token("wrong"), token("new"))
    assert not await tokens.reset("p-3", token("new"))
    assert await people.find_by_token(token("new")) is None
    assert await tokens.renew("p-1", player(1).token_hash, token("new"))
    assert await people.find_by_token(player(1).token_hash) is None
    assert await people.find_by_token(token("new")) == player(1)
    assert not await tokens.renew("p-1", player(1).token_hash, token("newer"))
    assert await tokens.reset("p-1", token("newest"))
    assert await people.find_by_token(token("newest")) == player(1)
    with pytest.raises(JournalError):
        await tokens.reset("p-1", player(2).token_hash)
    assert await people.find_by_token(player(2).token_hash) == player(2)
    assert await people.find_by_token(token("newest")) is not None


async def test_players_are_muted_and_banned_until_a_time(journal: Journal) -> None:
    people = journal.people
    await people.add_guest(player(1))
    assert await people.mute("p-1", 5)
    assert await people.ban("p-1", FOREVER)
    assert await people.find("p-1") == replace(player(1), muted_until=5, banned_until=FOREVER)
    assert await people.ban("p-1", 0)
    assert await people.find_by_token(player(1).token_hash) == replace(player(1), muted_until=5)
    assert not await people.mute("p-2", 5)
    assert not await people.ban("p-2", 5)


async def test_changes_are_found_by_their_time(journal: Journal) -> None:
    people = journal.people
    for number in range(1, 6):
        await people.add_guest(player(number))
    ids = [f"p-{number}" for number in range(1, 7)]
    assert await people.changed(0, ids) == [], "new players have not changed"
    times = []
    for change in (
        people.register("p-1", "one"),
        journal.tokens.reset("p-2", token("new")),
        people.mute("p-3", 1),
        people.ban("p-4", 1),
    ):
        await asyncio.sleep(0.005)
        times.append(journal.now())
        assert await change
    for number, time in enumerate(times, 1):
        changed = await people.changed(time, ids)
        assert sorted(one.id for one in changed) == [f"p-{later}" for later in range(number, 5)]
        assert [one for one in changed if one != await people.find(one.id)] == []
    assert await people.changed(journal.now() + 1, ids) == []
    assert [one.id for one in await people.changed(0, ["p-5", "p-3"])] == ["p-3"], "only among these players"
    assert await people.changed(0, []) == []


async def test_one_of_many_concurrent_registrations_of_a_name_succeeds(nodes: list[Journal]) -> None:
    numbers = range(1, 21)
    people = [nodes[number % 2].people for number in numbers]
    await asyncio.gather(*(one.add_guest(player(number)) for one, number in zip(people, numbers, strict=True)))
    for name in ("first", "second", "third"):
        before = {number for number in numbers if (one := await nodes[0].people.find(f"p-{number}")) and one.registered}
        spellings = [name.upper() if number % 3 else name for number in numbers]
        had = await asyncio.gather(
            *(one.register(f"p-{n}", spelt) for one, n, spelt in zip(people, numbers, spellings, strict=True))
        )
        assert sum(had) == 1
        winner = had.index(True)
        assert winner + 1 not in before
        owner = await nodes[0].people.find(name)
        assert owner == replace(player(winner + 1), name=spellings[winner], registered=True)
        registered = [
            one for number in numbers if (one := await nodes[1].people.find(f"p-{number}")) and one.registered
        ]
        assert len({name_key(one.name) for one in registered}) == len(registered)


async def test_no_guest_keeps_a_name_that_is_registered_at_the_same_moment(nodes: list[Journal]) -> None:
    for game in range(25):
        name, owner, guests = f"name {game}", f"p-owner-{game}", [f"p-guest-{game}-{number}" for number in range(6)]
        await nodes[0].people.add_guest(StoredPlayer(owner, owner, "human", token(owner)))
        guests_with_name = [StoredPlayer(guest, name.upper(), "human", token(guest)) for guest in guests]
        register = nodes[game % 2].people.register(owner, name)
        *added, registered = await asyncio.gather(
            *(nodes[number % 2].people.add_guest(guest) for number, guest in enumerate(guests_with_name)), register
        )
        assert registered
        for was_added, guest in zip(added, guests_with_name, strict=True):
            stored = await nodes[0].people.find(guest.id)
            assert stored == (replace(guest, name=guest_name(guest.id)) if was_added else None)


async def test_one_of_many_concurrent_changes_of_a_token_succeeds(nodes: list[Journal]) -> None:
    await nodes[0].people.add_guest(player(1))
    new = [token(f"new {number}") for number in range(10)]
    changes = (nodes[n % 2].tokens.renew("p-1", player(1).token_hash, after) for n, after in enumerate(new))
    changed = await asyncio.gather(*changes)
    assert sum(changed) == 1
    held = [await nodes[0].people.find_by_token(one) for one in new]
    assert [one is not None for one in held] == changed


NAMES = st.sampled_from(["ann", "Ann", "ANN ", "ben", "BEN", "cat"])
NUMBERS = st.integers(1, 5)
TOKENS = st.integers(1, 7)


class PeopleMachine(RuleBasedStateMachine):
    """In any order of calls, no token and no registered name belongs to two players."""

    opener = staticmethod(in_memory)

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.opened = self.opener()
        self.journal = self.runner.run(self.opened.__aenter__())
        self.stored: dict[int, StoredPlayer] = {}
        self.seated: set[int] = set()
        self.rooms = 0

    def teardown(self) -> None:
        self.runner.run(self.opened.__aexit__(None, None, None))
        self.runner.close()

    def owner(self, name: str) -> int | None:
        """The owner of ``name`` in the model."""
        owners = [
            number
            for number, one in self.stored.items()
            if one.registered and one.name.strip().lower() == name.strip().lower()
        ]
        assert len(owners) <= 1
        return owners[0] if owners else None

    def held(self, token: int, but: int) -> bool:
        return any(number != but and one.token_hash == bytes([token] * 32) for number, one in self.stored.items())

    @rule(number=NUMBERS, name=NAMES, token=TOKENS)
    def add_guest(self, number: int, name: str, token: int) -> None:
        new = StoredPlayer(f"p-{number}", name, "human", bytes([token] * 32))
        adding = self.journal.people.add_guest(new)
        if number in self.stored:
            assert self.runner.run(adding)
        elif self.owner(name) is not None:
            assert not self.runner.run(adding)
        elif self.held(token, number):
            with pytest.raises(JournalError):
                self.runner.run(adding)
        else:
            assert self.runner.run(adding)
            self.stored[number] = new

    @rule(number=NUMBERS, name=NAMES)
    def register(self, number: int, name: str) -> None:
        stored = self.stored.get(number)
        another = stored is not None and stored.registered and name_key(stored.name) != name_key(name)
        may = stored is not None and not another and self.owner(name) in (None, number)
        assert self.runner.run(self.journal.people.register(f"p-{number}", name)) == may
        if may:
            for other, one in self.stored.items():
                if other != number and one.name.strip().lower() == name.strip().lower():
                    self.stored[other] = replace(one, name=guest_name(one.id))
            self.stored[number] = replace(self.stored[number], name=name, registered=True)
            self.seated.add(number)

    @rule(number=NUMBERS, before=st.none() | TOKENS, after=TOKENS)
    def change_token(self, number: int, before: int | None, after: int) -> None:
        stored = self.stored.get(number)
        known = None if before is None else bytes([before] * 32)
        tokens, new = self.journal.tokens, bytes([after] * 32)
        change = tokens.reset(f"p-{number}", new) if known is None else tokens.renew(f"p-{number}", known, new)
        if stored is None or known not in (None, stored.token_hash):
            assert not self.runner.run(change)
        elif self.held(after, number):
            with pytest.raises(JournalError):
                self.runner.run(change)
        else:
            assert self.runner.run(change)
            self.stored[number] = replace(stored, token_hash=bytes([after] * 32))

    @rule(number=NUMBERS, name=NAMES, token=TOKENS)
    def sit_down(self, number: int, name: str, token: int) -> None:
        new = StoredPlayer(f"p-{number}", name, "human", bytes([token] * 32))
        self.rooms += 1
        append = self.journal.append(write(f"room-{self.rooms}", players=(new,)))
        if number not in self.stored and self.held(token, number):
            with pytest.raises(JournalError):
                self.runner.run(append)
            return
        assert self.runner.run(append)
        if number not in self.stored:
            self.stored[number] = replace(new, name=name if self.owner(name) is None else guest_name(new.id))
        self.seated.add(number)

    @rule()
    def forget(self) -> None:
        self.runner.run(self.journal.forget(self.journal.now() + 60_000))
        self.stored = {number: one for number, one in self.stored.items() if number in self.seated}

    @invariant()
    def journal_equals_model(self) -> None:
        self.runner.run(self.compare())

    async def compare(self) -> None:
        people = self.journal.people
        assert [await people.find(f"p-{number}") for number in range(1, 6)] == [
            self.stored.get(number) for number in range(1, 6)
        ]
        holders = {one.token_hash: one for one in self.stored.values()}
        assert len(holders) == len(self.stored)
        for number in range(1, 8):
            assert await people.find_by_token(bytes([number] * 32)) == holders.get(bytes([number] * 32))
        for name in ("ann", "ben", "cat"):
            owner = self.owner(name)
            assert await people.find(name) == (None if owner is None else self.stored[owner])


class ThoroughPeopleMachine(PeopleMachine):
    opener = staticmethod(in_sqlite)


PeopleMachine.TestCase.settings = settings(max_examples=15, stateful_step_count=20)
ThoroughPeopleMachine.TestCase.settings = settings(max_examples=100, stateful_step_count=30)
TestPeople = PeopleMachine.TestCase
TestPeopleThoroughly = pytest.mark.slow(ThoroughPeopleMachine.TestCase)


async def test_the_looks_of_names_from_before_are_found_out(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks of another edition cannot be compared, as after a new version of the library."""
    for number in (1, 2, 3):
        await journal.people.add_guest(player(number))
    monkeypatch.setattr("noughts.journal.people.RENEWED_AT_ONCE", 1)
    with monkeypatch.context() as older:
        for module in ("sqlite.statements", "postgres.database", "people"):
            older.setattr(f"noughts.journal.{module}.stored_look", lambda name: f"old {name}")
        assert await journal.people.register("p-1", "Ann")
        assert await journal.people.register("p-2", "Ben")
    alike = "\N{CYRILLIC SMALL LETTER A}nn"
    assert await journal.people.add_guest(replace(player(4), name=alike)), "nothing is known of Ann's look"
    await journal.people.renew_looks()
    assert not await journal.people.add_guest(replace(player(5), name=alike))
    assert not await journal.people.register("p-3", "8en".replace("8", "\N{CYRILLIC CAPITAL LETTER VE}"))
    assert await journal.people.register("p-1", "ANN"), "the owner may write it in another way"
    await journal.people.renew_looks()


async def test_a_registered_name_may_change_its_case_unless_it_then_looks_like_another(journal: Journal) -> None:
    for number in (1, 2):
        await journal.people.add_guest(player(number))
    assert await journal.people.register("p-1", "Tom")
    small = "\N{CYRILLIC SMALL LETTER TE}om"
    assert await journal.people.register("p-2", small)
    assert not await journal.people.register("p-2", "\N{CYRILLIC CAPITAL LETTER TE}om")
    assert await journal.people.register("p-2", small)
    assert await journal.people.register("p-2", small[:-1] + "M")


async def test_of_two_names_that_look_alike_one_is_registered(nodes: list[Journal]) -> None:
    here, there = nodes
    names = {"p-1": "ann", "p-2": "\N{CYRILLIC SMALL LETTER A}nn"}
    for number, journal in ((1, here), (2, there)):
        await journal.people.add_guest(player(number))
    done = await asyncio.gather(
        *(journal.people.register(who, names[who]) for who, journal in (("p-1", here), ("p-2", there)))
    )
    assert sorted(done) == [False, True]


async def test_the_operator_gives_a_player_another_name(nodes: list[Journal]) -> None:
    people = nodes[0].people
    for number in (1, 2, 3):
        await people.add_guest(player(number))
    assert await people.register("p-1", "Ann")
    assert not await people.register("p-1", "Zoe"), "players cannot"
    assert await people.register("p-2", "Ben")
    assert not await people.rename("p-1", "BEN"), "it is somebody else's"
    assert await people.rename("p-1", "Zoe")
    assert await nodes[-1].people.find("zoe") == replace(player(1), name="Zoe", registered=True)
    assert await people.find("Ann") is None
    assert await people.register("p-3", "Ann"), "the name is free"
    assert not await people.rename("p-9", "Eve"), "there is no such player"


async def test_nothing_shows_the_name_of_a_deleted_player(nodes: list[Journal]) -> None:
    journal, other = nodes[0], nodes[-1]
    people = journal.people
    for number in (1, 2):
        await people.add_guest(player(number))
    assert await people.register("p-1", 'An\\"n')
    seat = b'{"id":"p-1","name":"An\\\\\\"n","kind":"human"}'
    others = b'{"id":"p-2","name":"Ben"}'
    listing = b'{"first":%b,"second":%b}' % (seat, others)
    index = replace(PLAYING, listing=listing, first="p-1", second="p-2")
    await store(journal, write("a", 1, b'{"player":%b}' % seat, index=index))
    await journal.acts.put("root", "rename", "p-1", "from Ann to Annabel")
    assert await people.delete("p-1")
    assert [act.detail for act in await journal.acts.about("p-1")] == [""]
    assert not await people.delete("p-1")
    assert not await people.delete("p-9")
    known = {"p-1"} if other is journal else frozenset()
    assert await other.people.look_for_deleted() == {"p-1"} - known, "another server learns of it"
    for each in (journal, other):
        assert await each.read("a") == [b'{"player":{"id":"p-1","name":"deleted player","kind":"human"}}']
        shown = b'{"first":{"id":"p-1","name":"deleted player","kind":"human"},"second":%b}' % others
        assert await each.index.unfinished(9) == await each.index.lobby(None, 9) == [shown]
        assert await each.index.listings(["a"]) == {"a": shown}
    assert await people.find("p-1") is await people.find('An\\"n') is None
    assert await people.find_by_token(player(1).token_hash) is None
    assert not await people.register("p-1", "Ann"), "a connection that has not ended yet"
    assert await people.add_guest(player(1)), "it does not come back as a guest"
    assert await people.find("p-1") is None
