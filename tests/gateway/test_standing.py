"""Those who are here learn what has become of them, whoever has changed it: this node, another, or an operator."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from noughts.bus import MemoryBus
from noughts.gateway import standing
from noughts.gateway.identity import token_hash
from noughts.gateway.standing import Standing, banned
from noughts.host import Host
from noughts.journal import FOREVER, MemoryJournal, PostgresJournal, SqliteJournal, StoredPlayer
from noughts.journal.memory.people import MemoryPeople
from noughts.protocol import ErrorCode
from support.broker import Broker
from support.client import Client, connected, turned_away
from support.eventually import soon
from support.postgres import Postgres, database
from support.server import running_server

ANN = StoredPlayer("p-ann", "ann", "human", token_hash("ann's"))


class Here:
    """Somebody who is here, and keeps what comes of it."""

    def __init__(self, player: StoredPlayer = ANN) -> None:
        self.player = player
        self.dismissed: str | None = None

    def alter(self, player: StoredPlayer) -> None:
        self.player = player

    def dismiss(self, code: ErrorCode, message: str) -> None:
        assert message
        assert self.dismissed is None
        self.dismissed = code


@asynccontextmanager
async def kept_up(journal: MemoryJournal) -> AsyncIterator[Standing]:
    """A standing that looks."""
    await journal.people.add_guest(ANN)
    made = Standing(Host(journal, MemoryBus("node")))
    task = asyncio.create_task(made.keep_up())
    try:
        yield made
    finally:
        task.cancel()


@pytest.fixture
def looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standing, "LOOK_S", 0.01)


@pytest.mark.usefixtures("looks_often")
async def test_a_mute_and_a_name_are_heard_of_and_a_ban_is_the_end() -> None:
    journal = MemoryJournal()
    async with kept_up(journal) as made:
        ann, ben = Here(), Here(replace(ANN, id="p-ben"))
        made.enter(ann)
        made.enter(ben)
        await journal.people.mute(ANN.id, FOREVER)
        await soon(lambda: ann.player.muted_until == FOREVER)
        await journal.people.register(ANN.id, "Ann")
        await soon(lambda: ann.player.registered)
        assert ann.player == replace(ANN, name="Ann", registered=True, muted_until=FOREVER)
        assert ann.dismissed is None
        await journal.people.ban(ANN.id, journal.now() - 1)  # it is over
        await soon(lambda: ann.player.banned_until > 0)
        assert ann.dismissed is None
        await journal.people.ban(ANN.id, FOREVER)
        await soon(lambda: ann.dismissed == "banned")
        assert (ben.player.name, ben.dismissed) == ("ann", None)


@pytest.mark.usefixtures("looks_often")
async def test_the_journal_is_asked_after_those_alone_who_are_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standing, "ASKED_AT_ONCE", 2)
    journal = MemoryJournal()
    journal.people = people = Slow(journal)
    people.go.set()
    async with kept_up(journal) as made:
        await asyncio.sleep(0.05)
        assert people.asked == 0, "nobody is here"
        players = [StoredPlayer(f"p-{number}", "ann", "human", bytes([number])) for number in range(6)]
        for player in players:
            await people.add_guest(player)
        here = [Here(player) for player in players[:5]]
        for one in here:
            made.enter(one)
        assert await people.register("p-5", "ann")
        await soon(lambda: [one.player.name for one in here] == [f"guest-{number}" for number in range(5)])
        assert people.most == 2


class Odd(Here):
    """Somebody who cannot be told."""

    def alter(self, player: StoredPlayer) -> None:
        raise ValueError(player)


@pytest.mark.usefixtures("looks_often")
async def test_one_who_cannot_be_told_keeps_nobody_else_from_it(caplog: pytest.LogCaptureFixture) -> None:
    journal = MemoryJournal()
    async with kept_up(journal) as made:
        await journal.people.add_guest(ben := replace(ANN, id="p-ben", token_hash=token_hash("ben's")))
        odd, other = Odd(), Here(ben)
        made.enter(odd)
        made.enter(other)
        await journal.people.mute(ben.id, 5)
        await journal.people.mute(ANN.id, 5)  # so that ann comes first
        await soon(lambda: other.player.muted_until == 5)
        await soon(lambda: "p-ann" in caplog.text)
        await journal.people.ban(ben.id, FOREVER)
        await soon(lambda: other.dismissed == "banned")


@pytest.mark.usefixtures("looks_often")
async def test_a_token_that_was_taken_away_is_the_end_for_those_who_came_by_it() -> None:
    journal = MemoryJournal()
    async with kept_up(journal) as made:
        before = Here()
        made.enter(before)
        await journal.people.change_token(ANN.id, None, token_hash("another"))
        after = Here(replace(ANN, token_hash=token_hash("another")))
        made.enter(after)
        await soon(lambda: before.dismissed == "bad_token")
        await asyncio.sleep(0.05)
        assert after.dismissed is None


class Slow(MemoryPeople):
    """Answers late who has changed, when ``go`` is clear."""

    def __init__(self, journal: MemoryJournal) -> None:
        super().__init__(journal.now, lambda: None)
        self.go = asyncio.Event()
        self.asked = 0
        self.most = 0

    async def changed(self, since: int, among: Sequence[str]) -> list[StoredPlayer]:
        answer = await super().changed(since, among)
        self.asked += 1
        self.most = max(self.most, len(among))
        await self.go.wait()
        return answer


@pytest.mark.usefixtures("looks_often")
async def test_nobody_is_sent_away_for_what_was_read_before_the_token_was_renewed() -> None:
    journal = MemoryJournal()
    journal.people = people = Slow(journal)
    async with kept_up(journal) as made:
        await people.mute(ANN.id, FOREVER)  # so that the answer is about ann
        made.enter(before := Here())
        await soon(lambda: people.asked > 0)
        await people.change_token(ANN.id, None, token_hash("another"))
        ann = Here(replace(ANN, token_hash=token_hash("another"), muted_until=FOREVER))
        made.enter(ann)
        people.go.set()
        asked = people.asked
        await soon(lambda: people.asked > asked + 2)
        assert (before.dismissed, ann.dismissed) == ("bad_token", None)


@pytest.mark.usefixtures("looks_often")
async def test_a_renewal_here_waits_for_what_is_being_read() -> None:
    journal = MemoryJournal()
    journal.people = people = Slow(journal)
    async with kept_up(journal) as made:
        ann = Here()
        made.enter(ann)
        await people.mute(ANN.id, FOREVER)
        await soon(lambda: people.asked > 0)

        async def renew() -> None:
            async with made.changing:
                await people.change_token(ANN.id, None, token_hash("another"))
                ann.alter(replace(ann.player, token_hash=token_hash("another")))
                made.altered(ann.player)

        renewing = asyncio.create_task(renew())
        await asyncio.sleep(0.02)
        people.go.set()
        await renewing
        asked = people.asked
        await soon(lambda: people.asked > asked + 2)
        assert (ann.dismissed, ann.player.muted_until) == (None, FOREVER)


async def test_what_this_node_has_changed_holds_at_once() -> None:
    made = Standing(Host(MemoryJournal(), MemoryBus("node")))  # which does not look
    before, after = Here(), Here(replace(ANN, token_hash=token_hash("another")))
    made.enter(before)
    made.enter(after)
    made.altered(replace(after.player, name="Ann"))
    assert (before.dismissed, after.dismissed, after.player.name) == ("bad_token", None, "Ann")


async def test_nothing_is_left_of_those_who_have_gone() -> None:
    made = Standing(Host(MemoryJournal(), MemoryBus("node")))
    ann, twin = Here(), Here()
    for here in (ann, twin):
        made.enter(here)
    for here in (ann, ann, twin):
        made.leave(here)
    assert made._here == {}


def test_a_ban_is_told_in_words() -> None:
    assert banned(ANN, 0) is None
    assert banned(replace(ANN, banned_until=1000), 1000) is None
    assert banned(replace(ANN, banned_until=1000), 999) == (
        "You are banned from this server until 1970-01-01T00:00:01.000Z."
    )
    assert banned(replace(ANN, banned_until=FOREVER - 1), 0) == (
        "You are banned from this server until 9999-12-31T23:59:59.999Z."
    )
    for ever in (FOREVER, 2**53, 2**62):
        assert banned(replace(ANN, banned_until=ever), 0) == "You are banned from this server."


# --- over real connections


async def closed_for(client: Client) -> str:
    """Wait until the server has closed the connection; the error that it told."""
    error = await client.receive()
    await client.socket.wait_closed()
    assert (client.socket.close_code, "id" in error) == (1008, False)
    return str(error["code"])


async def beside(path: Path, change: Callable[[SqliteJournal], Awaitable[bool]]) -> None:
    """Change a journal whose server runs, as an operator's command does."""
    journal = await SqliteJournal.open(path, beside=True)
    try:
        assert await change(journal)
    finally:
        await journal.close()


async def test_a_change_from_outside_is_heard_of_soon(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    async with (
        running_server(journal=str(path)) as url,
        connected(url) as ann,
        connected(url) as ben,
        connected(url) as eve,
    ):
        soon_over = time.time_ns() // 1_000_000 + 3000
        await beside(path, lambda journal: journal.people.ban(ann.id, soon_over))
        await beside(path, lambda journal: journal.people.change_token(ben.id, None, token_hash("another")))
        since = time.monotonic()
        assert (await closed_for(ann), await closed_for(ben)) == ("banned", "bad_token")
        assert time.monotonic() - since < 10, "a second, on a machine that has time"
        if time.time_ns() // 1_000_000 < soon_over:
            assert await turned_away(url, token=ann.token) == "banned"
        async with connected(url, token="another") as again:
            assert again.id == ben.id
        assert (await eve.request(type="ping"))["type"] == "pong"
        await soon(lambda: time.time_ns() // 1_000_000 > soon_over)
        async with connected(url, token=ann.token) as again:
            assert again.id == ann.id


async def test_another_node_hears_of_it_without_a_bus(postgres: Postgres) -> None:
    async with (
        database(postgres) as journal,
        running_server(journal=journal) as one,
        running_server(journal=journal) as two,
        connected(one) as here,
        connected(two, token=here.token) as there,
    ):
        await here.ok(type="revoke_token")
        assert await closed_for(there) == "bad_token"


async def test_another_node_hears_of_it_at_once_by_the_bus(
    postgres: Postgres, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standing, "LOOK_S", 3600.0)
    shared = {"bus": broker.url, "bus_prefix": "test/standing"}
    async with (
        database(postgres) as journal,
        running_server(journal=journal, **shared) as one,
        running_server(journal=journal, **shared) as two,
        connected(one, "ann") as here,
        connected(two, token=here.token) as there,
    ):
        await asyncio.sleep(0.5)  # the nodes have found each other
        token = (await here.ok(type="renew_token"))["token"]
        assert await closed_for(there) == "bad_token"
        async with connected(two, token=token) as again:
            await here.ok(type="register", name="Ann")
            await here.ok(type="revoke_token")
            assert await closed_for(again) == "bad_token"


async def test_who_was_banned_in_the_database_is_sent_away(postgres: Postgres) -> None:
    async with database(postgres) as url, running_server(journal=url) as server, connected(server) as ann:
        operator = await PostgresJournal.open(url)
        assert await operator.people.ban(ann.id, FOREVER)
        await operator.close()
        assert await closed_for(ann) == "banned"
        assert await turned_away(server, token=ann.token) == "banned"
