"""Names for good, and tokens that are renewed and revoked, by real connections."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from noughts.bus import MemoryBus
from noughts.gateway import Gateway
from noughts.host import Host
from noughts.journal import JournalError, MemoryJournal
from noughts.journal.memory.people import MemoryPeople
from support.client import Client, Json, connected, turned_away
from support.eventually import soon
from support.files import bytes_in
from support.postgres import Postgres, database
from support.server import no_analysis, running_server, settings

AT_ONCE = 20


async def farewell(client: Client) -> tuple[list[Json], int | None, str]:
    """What a connection that is closed was still told, the code of its end, and the reason."""
    told = client.pushed
    with suppress(ConnectionClosed):
        while True:
            told.append(await client.receive())
    return told, client.socket.close_code, client.socket.close_reason or ""


async def sent_away(client: Client, code: str = "bad_token") -> None:
    """The client is told by an error that answers no request, and its connection is closed."""
    (*_, error), close_code, reason = await farewell(client)
    assert ("id" in error, error["code"], close_code) == (False, code, 1008)
    assert f"{reason}." == error["message"]


@asynccontextmanager
async def serving(journal: MemoryJournal) -> AsyncIterator[str]:
    """A gateway to ``journal``; its URL."""
    gateway = Gateway(settings(), Host(journal, MemoryBus("node")), no_analysis)
    async with gateway.serving() as server:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws"
        await soon(lambda: gateway.hall.standing._here == {})  # nothing is left of those who have gone


# --- names


async def test_a_registered_name_is_shown_and_cannot_be_had_by_another() -> None:
    async with running_server() as url, connected(url, "Ann") as ann, connected(url, "ben") as ben:
        answer = await ann.ok(type="register")
        who = {"id": ann.id, "name": "Ann", "kind": "human", "registered": True}
        assert answer["player"] == who
        room = await ann.create()
        seated = (await ben.join(room))["state"]["seats"]
        assert seated["first"] == {**who, "online": True}
        assert "registered" not in seated["second"]
        async with connected(url, token=ann.token) as again:
            assert again.welcome["player"] == who
        for name in ("Ann", "aNN", "Ａｎｎ"):  # noqa: RUF001  # full width
            assert await turned_away(url, name=name) == "name_taken"
            assert await ben.refused(type="register", name=name) == "name_taken"
        assert (await ben.ok(type="register"))["player"]["name"] == "ben"


async def test_a_name_may_be_chosen_when_it_is_registered_and_is_then_for_good() -> None:
    async with running_server() as url, connected(url, "player-1") as ann:
        for _ in range(2):  # the answer may have been lost
            assert (await ann.ok(type="register", name="Ann"))["player"]["name"] == "Ann"
        assert (await ann.ok(type="register", name="ANN"))["player"]["name"] == "ANN"
        assert await ann.refused(type="register", name="player-1") == "not_allowed"
        assert (await ann.ok(type="register"))["player"]["name"] == "ANN"
        async with connected(url, "player-1"), connected(url, token=ann.token) as again:
            assert again.welcome["player"] == {"id": ann.id, "name": "ANN", "kind": "human", "registered": True}


async def test_others_of_that_name_lose_it() -> None:
    async with running_server() as url, connected(url, "ann") as other, connected(url, "ann") as ann:
        room = await other.create()
        await ann.ok(type="register")
        async with connected(url, token=other.token) as again:
            assert again.welcome["player"]["name"] == f"guest-{other.id[2:6]}"
        assert await other.refused(type="register") == "name_taken"
        # What was is not changed.
        assert (await ann.request(type="watch", room=room))["type"] == "ok"
        assert (await ann.push("room"))["state"]["seats"]["first"]["name"] == "ann"


async def test_nobody_has_the_name_of_a_guest_or_of_the_computer_for_good() -> None:
    async with running_server() as url, connected(url, None) as guest:
        for name in (None, "minimax", "guest-zzzz", "computer:best", "P-1"):
            assert await guest.refused(type="register", name=name) == "name_taken"


async def test_a_guest_who_was_forgotten_meanwhile_may_register() -> None:
    """As after a day without a seat."""
    journal = MemoryJournal()
    async with (
        serving(journal) as url,
        connected(url, "ann") as ann,
        connected(url, "ann") as twin,
        connected(url, "ben") as ben,
    ):
        await journal.forget(journal.now() + 60_000)
        assert await journal.people.find(ann.id) is None
        assert (await ann.ok(type="register"))["player"]["registered"] is True
        assert await twin.refused(type="register") == "name_taken"
        assert (await twin.ok(type="register", name="twin"))["player"]["name"] == "twin"
        room = await ben.create()
        assert (await ann.join(room))["state"]["seats"]["second"]["registered"] is True
        async with connected(url, token=twin.token) as again:
            assert again.welcome["player"]["name"] == "twin"


@asynccontextmanager
async def nodes(journal: str) -> AsyncIterator[list[str]]:
    """Servers on one journal, two of them where it can be shared."""
    async with AsyncExitStack() as stack:
        count = 2 if journal.startswith("postgresql:") else 1
        yield [await stack.enter_async_context(running_server(journal=journal)) for _ in range(count)]


async def one_of_many_has_it(journal: str) -> None:
    async with nodes(journal) as urls, AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(connected(urls[number % len(urls)], f"player-{number}"))
            for number in range(AT_ONCE)
        ]
        names = ["ann", "Ann", "ANN"]
        answers = await asyncio.gather(
            *(client.request(type="register", name=names[number % 3]) for number, client in enumerate(clients)),
        )
        refused = [answer["code"] for answer in answers if answer["type"] == "error"]
        assert refused == ["name_taken"] * (AT_ONCE - 1)
        shown = []
        for client in clients:
            async with connected(urls[0], token=client.token) as again:
                shown.append(again.welcome["player"].get("registered", False))
        assert shown.count(True) == 1


async def test_of_many_who_want_one_name_at_once_one_has_it(tmp_path: Path) -> None:
    await one_of_many_has_it("memory")
    await one_of_many_has_it(str(tmp_path / "journal"))


async def test_of_many_on_two_nodes_one_has_it(postgres: Postgres) -> None:
    async with database(postgres) as journal:
        await one_of_many_has_it(journal)


# --- tokens


async def test_a_renewed_token_takes_the_place_of_the_old_one() -> None:
    async with (
        running_server() as url,
        connected(url) as one,
        connected(url, token=one.token) as two,
        connected(url, "player-2") as another,
    ):
        room = await one.create(key="once")
        token = (await one.ok(type="renew_token"))["token"]
        assert token != one.token
        await sent_away(two)
        assert await turned_away(url, token=one.token) == "bad_token"
        async with connected(url, token=token) as again:
            assert again.id == one.id
            assert (await again.ok(type="watch", room=room))["seat"] == "first"
            assert (await again.ok(type="create", game="tictactoe", key="once"))["room"] == room
        # Who has renewed it goes on.
        assert (await one.ok(type="renew_token"))["token"] not in (token, one.token)
        assert (await another.request(type="ping"))["type"] == "pong"


async def test_a_revoked_token_is_refused_everywhere() -> None:
    async with running_server() as url, connected(url) as one, connected(url, token=one.token) as two:
        await one.ok(type="register", name="ann")
        await two.ok(type="revoke_token")
        await sent_away(two)
        await sent_away(one)
        assert await turned_away(url, token=one.token) == "bad_token"
        assert await turned_away(url, name="ann") == "name_taken"


async def test_what_was_sent_with_a_revoked_token_is_not_carried_out() -> None:
    async with running_server() as url, connected(url) as one, connected(url, token=one.token) as two:
        async with connected(url, "player-2") as another:
            two.socket.transport.pause_reading()
            await one.ok(type="revoke_token")
            # ``two`` has not heard of it yet, and asks for a room.
            await two.send(type="create", id="late", game="tictactoe", seats={"first": "open", "second": "open"})
            assert (await another.request(type="ping"))["type"] == "pong"  # the server has gone on
            two.socket.transport.resume_reading()
            await sent_away(two)
            assert all(message.get("id") != "late" for message in two.pushed)
        async with connected(url, "player-3") as later:
            assert (await later.ok(type="lobby"))["rooms"] == []


async def test_two_renewals_at_once_leave_one_good_token() -> None:
    async with running_server() as url, connected(url) as one, connected(url, token=one.token) as two:
        await one.send(type="renew_token", id="new")
        await two.send(type="renew_token", id="new")
        tokens, closed = [], 0
        for client in (one, two):
            answer = await client.receive()
            if answer["type"] == "ok":
                tokens.append(answer["token"])
            else:
                assert answer["code"] == "bad_token"
                closed += 1
                _, code, _ = await farewell(client)
                assert code == 1008
        assert (len(tokens), closed) == (1, 1)
        async with connected(url, token=tokens[0]) as again:
            assert again.id == one.id


async def test_names_and_tokens_are_not_changed_without_end() -> None:
    async with running_server(burst=3) as url, connected(url) as ann:
        await ann.ok(type="register", name="ann")
        await ann.ok(type="renew_token")
        answer = await ann.request(type="renew_token")
        assert (answer["code"], 0 < answer["retry_after_s"] <= 1) == ("rate_limited", True)


# --- when the journal does not answer


class Unreliable(MemoryPeople):
    """Loses what it is asked, or its answers, as ``faults`` say."""

    def __init__(self, journal: MemoryJournal) -> None:
        super().__init__(journal.now, lambda: None)
        self.faults: list[str] = []
        self.slow_s = 0.0
        self.asked = 0

    async def change_token(self, player: str, before: bytes | None, after: bytes) -> bool:
        self.asked += 1
        await asyncio.sleep(self.slow_s)
        fault = self.faults.pop(0) if self.faults else "none"
        if fault == "lost":
            raise JournalError("no answer")
        done = await super().change_token(player, before, after)
        if fault == "answer lost":
            raise JournalError("no answer")
        return done


@asynccontextmanager
async def unreliable(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[str, Unreliable]]:
    monkeypatch.setattr("noughts.host.retry.RETRIES_S", (0.01, 0.01))
    journal = MemoryJournal()
    journal.people = people = Unreliable(journal)
    async with serving(journal) as url:
        yield url, people


@pytest.mark.parametrize("faults", [["answer lost"], ["lost", "lost"], ["lost", "answer lost"]])
async def test_an_answer_that_was_lost_costs_nobody_the_token(
    faults: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with unreliable(monkeypatch) as (url, people), connected(url) as ann:
        people.faults = faults
        token = (await ann.ok(type="renew_token"))["token"]
        assert people.faults == []
        async with connected(url, token=token) as again:
            assert again.id == ann.id


async def test_a_journal_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async with unreliable(monkeypatch) as (url, people), connected(url) as ann:
        people.faults = ["lost"] * 10
        assert await ann.refused(type="renew_token") == "overloaded"
        told, code, _ = await farewell(ann)
        assert (told, code) == ([], 1013)
        async with connected(url, token=ann.token) as again:
            assert again.id == ann.id


async def test_who_is_sent_away_while_waiting_does_not_register(monkeypatch: pytest.MonkeyPatch) -> None:
    async with unreliable(monkeypatch) as (url, people):
        async with connected(url, "ann") as one, connected(url, token=one.token) as two:
            people.slow_s = 0.2
            await one.send(type="revoke_token")
            await soon(lambda: people.asked > 0)
            await two.send(type="register", id="late")
            await sent_away(two)
            assert all(message.get("id") != "late" for message in two.pushed)
        found = await people.find(one.id)
        assert found is not None
        assert not found.registered


# --- what is kept


async def tokens_of_many(url: str) -> list[str]:
    """Tokens that were handed out: to a guest, who sits down, registers, and renews it, and to one who does not."""
    async with connected(url) as guest, connected(url, "player-2") as ann:
        await ann.create()
        await ann.ok(type="register")
        tokens = [guest.token, ann.token, (await ann.ok(type="renew_token"))["token"]]
        await ann.ok(type="revoke_token")
    return tokens


async def test_no_token_is_kept_in_the_clear(tmp_path: Path) -> None:
    async with running_server(journal=str(tmp_path / "journal")) as url:
        tokens = await tokens_of_many(url)
        running = bytes_in(tmp_path)  # its write-ahead log, too
    for kept in (running, bytes_in(tmp_path)):
        assert b"player-2" in kept
        assert not any(token.encode() in kept for token in tokens)


async def test_no_token_is_kept_in_the_clear_by_postgresql(postgres: Postgres) -> None:
    import asyncpg

    async with database(postgres) as journal:
        async with running_server(journal=journal) as url:
            tokens = await tokens_of_many(url)
        connection = await asyncpg.connect(journal)
        try:
            tables = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
            rows = [
                json.dumps({key: _shown(value) for key, value in dict(row).items()})
                for (table,) in tables
                for row in await connection.fetch(f'SELECT * FROM "{table}"')
            ]
        finally:
            await connection.close()
    assert any("player-2" in row for row in rows)
    assert not any(token in row for token in tokens for row in rows)


def _shown(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
