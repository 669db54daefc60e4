from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from noughts.bus import MemoryBus
from noughts.gateway.client import check_ban
from noughts.gateway.registry import SessionRegistry
from noughts.gateway.replies import Problem
from noughts.host import Host
from noughts.journal import FOREVER, Journal, SqliteJournal, StoredPlayer
from noughts.journal.postgres.journal import PostgresJournal
from noughts.players.tokens import token_hash
from noughts.timing import Timing
from support.broker import Broker
from support.client import Client, connected, turned_away
from support.eventually import soon
from support.faulty import Faulty
from support.journals import MemoryJournal
from support.postgres import Postgres, database
from support.server import running_server

ANN = StoredPlayer("p-ann", "ann", "human", token_hash("ann's"))
OFTEN = Timing(registry_s=0.01)


class FakeSession:
    """A session that records what happens to it."""

    def __init__(self, player: StoredPlayer = ANN) -> None:
        self.player = player
        self.dismissed: str | None = None
        self.told: list[bytes] = []

    def identify(self, player: StoredPlayer) -> None:
        self.player = player

    def dismiss(self, problem: Problem) -> None:
        assert problem.message
        assert self.dismissed is None
        self.dismissed = problem.code

    def tell(self, message: bytes) -> None:
        self.told.append(message)


def registry_over(journal: Journal, **sizes: int) -> SessionRegistry:
    return SessionRegistry(Host(journal, MemoryBus("node")), OFTEN, **sizes)


@asynccontextmanager
async def running_registry(journal: Journal, **sizes: int) -> AsyncIterator[SessionRegistry]:
    """A registry that asks the journal often. Ann is stored."""
    await journal.people.add_guest(ANN)
    registry = registry_over(journal, **sizes)
    task = asyncio.create_task(registry.run())
    try:
        yield registry
    finally:
        task.cancel()


async def test_all_sessions_of_a_player_are_told() -> None:
    registry = registry_over(MemoryJournal())
    ann, also_ann, ben = FakeSession(), FakeSession(), FakeSession(replace(ANN, id="p-ben"))
    for session in (ann, also_ann, ben):
        registry.add(session)
    registry.remove(also_ann)
    registry.tell(ANN.id, b"{}")
    registry.tell("p-nobody", b"{}")
    assert (ann.told, also_ann.told, ben.told) == ([b"{}"], [], [])


async def test_names_and_mutes_reach_the_session_and_a_ban_ends_it() -> None:
    journal = MemoryJournal()
    async with running_registry(journal) as registry:
        ann, ben = FakeSession(), FakeSession(replace(ANN, id="p-ben"))
        registry.add(ann)
        registry.add(ben)
        await journal.people.mute(ANN.id, FOREVER)
        await soon(lambda: ann.player.muted_until == FOREVER)
        await journal.people.register(ANN.id, "Ann")
        await soon(lambda: ann.player.registered)
        assert ann.player == replace(ANN, name="Ann", registered=True, muted_until=FOREVER)
        await journal.people.ban(ANN.id, journal.now() - 1)  # which has ended
        await soon(lambda: ann.player.banned_until > 0)
        assert ann.dismissed is None
        await journal.people.ban(ANN.id, FOREVER)
        await soon(lambda: ann.dismissed == "banned")
        assert (ben.player.name, ben.dismissed) == ("ann", None)


async def test_only_connected_players_are_asked_for_and_few_at_a_time() -> None:
    journal = MemoryJournal()
    changed = Faulty(journal.people, "changed")
    async with running_registry(journal, asked_at_once=2) as registry:
        looks = registry._looks
        await soon(lambda: registry._looks > looks + 2)
        assert changed.calls == [], "no player is connected"
        players = [StoredPlayer(f"p-{number}", "ann", "human", bytes([number])) for number in range(6)]
        for player in players:
            await journal.people.add_guest(player)
        sessions = [FakeSession(player) for player in players[:5]]
        for session in sessions:
            registry.add(session)
        assert await journal.people.register("p-5", "ann")
        await soon(lambda: [session.player.name for session in sessions] == [f"guest-{n}" for n in range(5)])
        assert max(len(players) for _, players in changed.calls) == 2


class BrokenSession(FakeSession):
    """A session that cannot be updated."""

    def identify(self, player: StoredPlayer) -> None:
        raise ValueError(player)


async def test_a_session_that_fails_does_not_affect_others(caplog: pytest.LogCaptureFixture) -> None:
    journal = MemoryJournal()
    async with running_registry(journal) as registry:
        await journal.people.add_guest(ben := replace(ANN, id="p-ben", token_hash=token_hash("ben's")))
        broken, other = BrokenSession(), FakeSession(ben)
        registry.add(broken)
        registry.add(other)
        await journal.people.mute(ben.id, 5)
        await journal.people.mute(ANN.id, 5)  # so that ann comes first
        await soon(lambda: other.player.muted_until == 5)
        await soon(lambda: "p-ann" in caplog.text)
        await journal.people.ban(ben.id, FOREVER)
        await soon(lambda: other.dismissed == "banned")


async def test_a_changed_token_ends_the_sessions_of_the_old_one() -> None:
    journal = MemoryJournal()
    async with running_registry(journal) as registry:
        registry.add(before := FakeSession())
        await journal.tokens.reset(ANN.id, token_hash("another"))
        registry.add(after := FakeSession(replace(ANN, token_hash=token_hash("another"))))
        await soon(lambda: before.dismissed == "bad_token")
        looks = registry._looks
        await soon(lambda: registry._looks > looks + 2)
        assert after.dismissed is None


async def test_a_late_answer_does_not_dismiss_a_session_that_came_after_the_question() -> None:
    journal = MemoryJournal()
    async with running_registry(journal) as registry:
        changed = LateAnswer(journal)
        await journal.people.mute(ANN.id, FOREVER)  # so that the answer names ann
        registry.add(before := FakeSession())
        await changed.asked.wait()
        await journal.tokens.reset(ANN.id, token_hash("another"))
        ann = FakeSession(replace(ANN, token_hash=token_hash("another"), muted_until=FOREVER))
        registry.add(ann)
        changed.go_on.set()
        looks = registry._looks
        await soon(lambda: registry._looks > looks + 2)
        assert (before.dismissed, ann.dismissed) == ("bad_token", None)


class LateAnswer:
    """Reads at once which players have changed, and holds the answer back until ``go_on`` is set."""

    def __init__(self, journal: Journal) -> None:
        self.asked = asyncio.Event()
        self.go_on = asyncio.Event()
        real = journal.people.changed

        async def changed(since: int, among: list[str]) -> list[StoredPlayer]:
            answer = await real(since, among)
            self.asked.set()
            await self.go_on.wait()
            return answer

        setattr(journal.people, "changed", changed)  # noqa: B010  # a method, as far as types go


async def test_a_renewal_on_this_node_waits_for_the_answer_under_way() -> None:
    journal = MemoryJournal()
    async with running_registry(journal) as registry:
        changed = LateAnswer(journal)
        registry.add(ann := FakeSession())
        await journal.people.mute(ANN.id, FOREVER)
        await changed.asked.wait()

        async def renew() -> None:
            async with registry.changing:
                await journal.tokens.reset(ANN.id, token_hash("another"))
                ann.identify(replace(ann.player, token_hash=token_hash("another")))
                registry.changed(ann.player)

        renewing = asyncio.create_task(renew())
        await asyncio.sleep(0.02)
        assert not renewing.done()
        changed.go_on.set()
        await renewing
        looks = registry._looks
        await soon(lambda: registry._looks > looks + 2)
        assert (ann.dismissed, ann.player.muted_until) == (None, FOREVER)


async def test_a_change_on_this_node_takes_effect_at_once() -> None:
    registry = registry_over(MemoryJournal())  # which does not run
    before, after = FakeSession(), FakeSession(replace(ANN, token_hash=token_hash("another")))
    registry.add(before)
    registry.add(after)
    registry.changed(replace(after.player, name="Ann"), {after.player.token_hash})
    assert (before.dismissed, after.dismissed, after.player.name) == ("bad_token", None, "Ann")


async def test_nothing_remains_of_removed_sessions() -> None:
    registry = registry_over(MemoryJournal())
    ann, twin = FakeSession(), FakeSession()
    for session in (ann, twin):
        registry.add(session)
    for session in (ann, ann, twin):
        registry.remove(session)
    assert registry._sessions == {}


@pytest.mark.parametrize(
    ("until", "now", "message"),
    [
        (0, 0, None),
        (1000, 1000, None),
        (1000, 999, "You are banned from this server until 1970-01-01T00:00:01.000Z."),
        (FOREVER - 1, 0, "You are banned from this server until 9999-12-31T23:59:59.999Z."),
        (FOREVER, 0, "You are banned from this server."),
        (2**53, 0, "You are banned from this server."),
    ],
)
def test_the_message_of_a_ban_has_its_end(until: int, now: int, message: str | None) -> None:
    player = replace(ANN, banned_until=until)
    if message is None:
        check_ban(player, now)
    else:
        with pytest.raises(Problem) as problem:
            check_ban(player, now)
        assert (problem.value.code, problem.value.message) == ("banned", message)


# --- over real connections


async def closed_with(client: Client) -> str:
    """Wait until the server has closed the connection. Returns the code of the error that it sent."""
    error = await client.receive()
    await client.socket.wait_closed()
    assert (client.socket.close_code, "id" in error) == (1008, False)
    return str(error["code"])


async def change_beside_the_server(path: Path, change: Callable[[SqliteJournal], Awaitable[bool]]) -> None:
    """Change a journal whose server runs, as an operator's command does."""
    journal = await SqliteJournal.open(path, exclusive=False)
    try:
        assert await change(journal)
    finally:
        await journal.close()


async def test_an_operators_change_takes_effect_soon(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    async with (
        running_server(journal=str(path), timing=OFTEN) as url,
        connected(url) as ann,
        connected(url) as ben,
        connected(url) as eve,
    ):
        await change_beside_the_server(path, lambda journal: journal.people.ban(ann.id, FOREVER))
        another = token_hash("another")
        await change_beside_the_server(path, lambda journal: journal.tokens.reset(ben.id, another))
        assert (await closed_with(ann), await closed_with(ben)) == ("banned", "bad_token")
        assert await turned_away(url, token=ann.token) == "banned"
        async with connected(url, token="another") as again:
            assert again.id == ben.id
        assert (await eve.request(type="ping"))["type"] == "pong"
        await change_beside_the_server(path, lambda journal: journal.people.ban(ann.id, 0))
        async with connected(url, token=ann.token) as again:
            assert again.id == ann.id


@pytest.mark.services
async def test_a_change_reaches_other_nodes_without_a_bus(postgres: Postgres) -> None:
    async with (
        database(postgres) as journal,
        running_server(journal=journal) as one,
        running_server(journal=journal) as two,
        connected(one) as here,
        connected(two, token=here.token) as there,
    ):
        await here.ok(type="sign_out", device="all")
        assert await closed_with(there) == "bad_token"


@pytest.mark.services
async def test_a_change_reaches_other_nodes_at_once_by_the_bus(postgres: Postgres, broker: Broker) -> None:
    shared = {"bus": broker.url, "bus_prefix": "test/registry"}
    never = Timing(registry_s=3600)
    async with (
        database(postgres) as journal,
        running_server(journal=journal, timing=never, **shared) as one,
        running_server(journal=journal, timing=never, **shared) as two,
        connected(one, "ann") as here,
        connected(two, token=here.token) as there,
    ):
        await asyncio.sleep(0.5)  # until the nodes have found each other
        token = (await here.ok(type="renew_token"))["token"]
        assert await closed_with(there) == "bad_token"
        async with connected(two, token=token) as again:
            await here.ok(type="register", name="Ann")
            await here.ok(type="sign_out", device="all")
            assert await closed_with(again) == "bad_token"


@pytest.mark.services
async def test_a_ban_in_postgresql_ends_the_session(postgres: Postgres) -> None:
    async with database(postgres) as url, running_server(journal=url) as server, connected(server) as ann:
        operator = await PostgresJournal.open(url)
        assert await operator.people.ban(ann.id, FOREVER)
        await operator.close()
        assert await closed_with(ann) == "banned"
        assert await turned_away(server, token=ann.token) == "banned"
