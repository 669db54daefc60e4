"""The contract of every journal for players' tokens and codes, for each implementation."""

from __future__ import annotations

import asyncio
import hashlib

import pytest

from noughts.journal import Journal, JournalError, SqliteJournal, Tokens
from noughts.journal.tokens import JOIN_MS, USED_MS
from support.journals import store
from support.writes import player, write

LIMIT = 3


def hashed(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


FIRST = player(1).token_hash


async def labels(journal: Journal, who: str = "p-1") -> set[str]:
    return {token.label for token in await journal.tokens.of(who)}


class Clocked:
    """The tokens of a journal by another clock, which goes by ``pass_ms``."""

    def __init__(self, journal: SqliteJournal) -> None:
        self.now = journal.now()
        self.tokens = Tokens(journal.database, lambda: self.now)

    def pass_ms(self, ms: int) -> None:
        self.now += ms


async def add(journal: Journal, *names: str) -> None:
    """Give player 1 a token for each of these names, which are their labels too."""
    await journal.people.add_guest(player(1), "first")
    for name in names:
        assert await journal.tokens.put_code("p-1", FIRST, "join", hashed(f"code for {name}"))
        assert await journal.tokens.redeem(hashed(f"code for {name}"), hashed(name), name, 99)


async def test_a_player_may_hold_several_tokens(journal: Journal) -> None:
    await add(journal, "phone", "laptop")
    await journal.people.add_guest(player(2), "another")
    for token in (FIRST, hashed("phone"), hashed("laptop")):
        found = await journal.people.find_by_token(token)
        assert found == player(1)
        assert found is not None
        assert found.token_hash == token
    assert await labels(journal) == {"first", "phone", "laptop"}
    assert await journal.tokens.held(["p-1", "p-2", "p-3"]) == {
        "p-1": {FIRST, hashed("phone"), hashed("laptop")},
        "p-2": {player(2).token_hash},
        "p-3": set(),
    }
    assert await journal.tokens.of("p-3") == []


async def test_one_token_or_all_but_one_or_all_end(journal: Journal) -> None:
    await add(journal, "phone", "laptop", "tablet")
    tokens, since = journal.tokens, journal.now()
    await tokens.end("p-1", FIRST, hashed("phone"))
    assert await labels(journal) == {"first", "laptop", "tablet"}
    assert await journal.people.find_by_token(hashed("phone")) is None
    assert [one.id for one in await journal.people.changed(since, ["p-1", "p-2"])] == ["p-1"]
    await tokens.end_all("p-1", hashed("laptop"), hashed("laptop"))
    assert await labels(journal) == {"laptop"}
    await tokens.end_all("p-1", hashed("laptop"))
    assert await labels(journal) == set()


async def test_whoever_lost_the_token_changes_nothing_with_it(journal: Journal) -> None:
    await add(journal, "thief")
    tokens, thief = journal.tokens, hashed("thief")
    assert await tokens.put_code("p-1", FIRST, "recovery", hashed("mine"))
    await tokens.end("p-1", FIRST, thief)
    await tokens.end("p-1", thief, FIRST)
    await tokens.end_all("p-1", thief)
    await tokens.end_all("p-1", thief, thief)
    assert not await tokens.put_code("p-1", thief, "recovery", hashed("stolen"))
    assert not await tokens.put_code("p-2", thief, "join", hashed("stolen"))
    assert not await tokens.renew("p-1", thief, hashed("new"))
    assert await labels(journal) == {"first"}
    assert await tokens.find_by_code(hashed("mine")) == player(1)
    assert await tokens.find_by_code(hashed("stolen")) is None


async def test_a_code_for_a_device_is_valid_once_for_minutes_and_until_the_next(journal: SqliteJournal) -> None:
    await add(journal)
    clock = Clocked(journal)
    tokens = clock.tokens
    assert await tokens.put_code("p-1", FIRST, "join", hashed("a"))
    assert await tokens.put_code("p-1", FIRST, "join", hashed("b"))
    assert await tokens.find_by_code(hashed("a")) is None
    assert not await tokens.redeem(hashed("a"), hashed("phone"), "phone", LIMIT)
    clock.pass_ms(JOIN_MS - 1)
    assert await tokens.find_by_code(hashed("b")) == player(1)
    assert await tokens.redeem(hashed("b"), hashed("phone"), "phone", LIMIT)
    assert await tokens.redeem(hashed("b"), hashed("phone"), "phone", LIMIT), "the same attempt, repeated"
    assert not await tokens.redeem(hashed("b"), hashed("tablet"), "tablet", LIMIT)
    assert await tokens.put_code("p-1", FIRST, "join", hashed("c"))
    clock.pass_ms(JOIN_MS)
    assert await tokens.find_by_code(hashed("c")) is None
    assert not await tokens.redeem(hashed("c"), hashed("tablet"), "tablet", LIMIT)
    assert await labels(journal) == {"first", "phone"}


async def test_a_device_too_many_is_refused_and_keeps_the_code(journal: Journal) -> None:
    await add(journal, "second", "third")
    tokens = journal.tokens
    assert await tokens.put_code("p-1", FIRST, "join", hashed("code"))
    assert not await tokens.redeem(hashed("code"), hashed("fourth"), "fourth", LIMIT)
    assert await tokens.find_by_code(hashed("code")) == player(1)
    await tokens.renew("p-1", hashed("third"), hashed("renewed"))
    assert not await tokens.redeem(hashed("code"), hashed("fourth"), "fourth", LIMIT)
    assert await tokens.redeem(hashed("code"), hashed("fourth"), "fourth", LIMIT + 1)


async def test_a_recovery_code_works_until_it_is_replaced_and_makes_room(journal: SqliteJournal) -> None:
    await add(journal)
    clock = Clocked(journal)
    tokens = clock.tokens
    assert await tokens.recovery_made("p-1") is None
    assert await tokens.put_code("p-1", FIRST, "recovery", hashed("old"))
    assert await tokens.recovery_made("p-1") == clock.now
    for name in ("second", "third", "fourth", "fifth"):
        clock.pass_ms(100 * JOIN_MS)
        assert await tokens.redeem(hashed("old"), hashed(name), name, LIMIT)
    assert await labels(journal) == {"third", "fourth", "fifth"}, "the longest unused have made room"
    assert await tokens.put_code("p-1", hashed("fifth"), "recovery", hashed("new"))
    assert not await tokens.redeem(hashed("old"), hashed("sixth"), "sixth", LIMIT)
    await tokens.end_all("p-1", hashed("fifth"))
    assert await tokens.redeem(hashed("new"), hashed("sixth"), "sixth", LIMIT), "it is for that moment"
    assert await tokens.reset("p-1", hashed("operator"), "operator")
    assert await tokens.find_by_code(hashed("new")) is None
    assert await labels(journal) == {"operator"}


async def test_signing_out_a_device_ends_the_code_for_another(journal: Journal) -> None:
    await add(journal, "phone", "thief")
    tokens = journal.tokens
    assert await tokens.put_code("p-1", hashed("thief"), "join", hashed("code"))
    await tokens.end("p-1", FIRST, hashed("thief"))
    assert await tokens.find_by_code(hashed("code")) is None
    assert await tokens.put_code("p-1", FIRST, "join", hashed("code"))
    await tokens.end_all("p-1", hashed("phone"), hashed("phone"))
    assert await tokens.find_by_code(hashed("code")) is None


async def test_the_last_use_is_noted_by_the_hour(journal: SqliteJournal) -> None:
    await add(journal, "phone")
    before = {token.label: token.used for token in await journal.tokens.of("p-1")}
    clock = Clocked(journal)
    clock.pass_ms(USED_MS - 60_000)
    await clock.tokens.note_use(["p-1"], [FIRST])
    assert {token.label: token.used for token in await journal.tokens.of("p-1")} == before
    clock.pass_ms(60_000)
    await clock.tokens.note_use(["p-1"], [FIRST])
    assert [(token.label, token.used) for token in await journal.tokens.of("p-1")] == [
        ("first", clock.now),
        ("phone", before["phone"]),
    ]


async def test_tokens_and_codes_go_with_their_player(journal: Journal) -> None:
    await add(journal, "phone")
    assert await journal.tokens.put_code("p-1", FIRST, "recovery", hashed("code"))
    await journal.forget(journal.now() + 60_000)
    assert await journal.tokens.of("p-1") == []
    assert await journal.tokens.find_by_code(hashed("code")) is None
    assert await journal.people.add_guest(player(1))
    assert await labels(journal) == {""}


async def test_a_player_without_a_token_gets_none_by_taking_a_seat(journal: Journal) -> None:
    await add(journal)
    assert await journal.tokens.reset("p-1")
    assert await journal.people.add_guest(player(1))
    await store(journal, write("a", players=(player(1),)))
    assert await journal.people.find_by_token(FIRST) is None


async def test_a_code_belongs_to_one_player(journal: Journal) -> None:
    await add(journal)
    await journal.people.add_guest(player(2))
    assert await journal.tokens.put_code("p-1", FIRST, "recovery", hashed("code"))
    with pytest.raises(JournalError):
        await journal.tokens.put_code("p-2", player(2).token_hash, "recovery", hashed("code"))
    assert await journal.tokens.find_by_code(hashed("code")) == player(1)


async def test_one_of_many_concurrent_redemptions_succeeds(nodes: list[Journal]) -> None:
    await nodes[0].people.add_guest(player(1))
    for number in range(5):
        assert await nodes[0].tokens.put_code("p-1", FIRST, "join", hashed(f"code {number}"))
        new = [hashed(f"{number} {n}") for n in range(6)]
        redeemed = await asyncio.gather(
            *(
                nodes[n % 2].tokens.redeem(hashed(f"code {number}"), token, str(number), 99)
                for n, token in enumerate(new)
            )
        )
        assert sum(redeemed) == 1
    assert len(await nodes[1].tokens.of("p-1")) == 6


async def test_concurrent_recoveries_stay_within_the_limit(nodes: list[Journal]) -> None:
    await nodes[0].people.add_guest(player(1))
    assert await nodes[0].tokens.put_code("p-1", FIRST, "recovery", hashed("code"))
    new = [hashed(str(n)) for n in range(10)]
    redeemed = await asyncio.gather(
        *(nodes[n % 2].tokens.redeem(hashed("code"), token, "", LIMIT) for n, token in enumerate(new))
    )
    assert all(redeemed)
    assert len(await nodes[0].tokens.of("p-1")) == LIMIT
