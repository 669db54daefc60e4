"""Registered names, and tokens that are renewed and revoked, over real connections."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from noughts.players.tokens import token_hash
from noughts.timing import Timing
from support.client import Client, connected, farewell, turned_away
from support.eventually import soon
from support.faulty import Faulty
from support.files import bytes_in
from support.journals import MemoryJournal
from support.postgres import Postgres, database
from support.server import running_gateway, running_server

AT_ONCE = 20


async def dismissed(client: Client, code: str = "bad_token") -> None:
    """The client gets an error that answers no request, and its connection is closed."""
    (*_, error), close_code, reason = await farewell(client)
    assert ("id" in error, error["code"], close_code) == (False, code, 1008)
    assert f"{reason}." == error["message"]


@asynccontextmanager
async def gateway_over(journal: MemoryJournal) -> AsyncIterator[str]:
    """A gateway over ``journal``; its URL. All sessions must be gone at the end."""
    async with running_gateway(journal, timing=Timing(journal_retries_s=(0.01, 0.01))) as node:
        yield node.url
        await soon(lambda: node.server.sessions._sessions == {})


# --- hello


async def test_a_token_identifies_its_player() -> None:
    async with running_server() as url, connected(url, "player-1", bot=True) as one:
        async with connected(url, "another-name", token=one.token) as again:
            # The token counts, whatever else the new hello says.
            assert again.welcome["player"] == one.welcome["player"]
            assert again.token == one.token
        assert await turned_away(url, token=one.token + "x") == "bad_token"
        assert await turned_away(url, token="") == "bad_token"


async def test_new_players_from_one_address_are_limited() -> None:
    async with running_server(burst=2) as url, AsyncExitStack() as stack:
        clients = [Client(await stack.enter_async_context(connect(url))) for _ in range(6)]
        for client in clients:  # without waiting for answers, or the limit would have time to recover
            await client.send(type="hello", id="hello", protocol=1)
        answers = [await client.receive() for client in clients]
        both = list(zip(clients, answers, strict=True))
        refused = [(client, answer) for client, answer in both if answer["type"] == "error"]
        welcomed = [answer for answer in answers if answer["type"] == "welcome"]
        assert len(welcomed) >= 2
        client, refusal = refused[-1]
        assert (refusal["code"], 0 < refusal["retry_after_s"] <= 1) == ("rate_limited", True)
        token = welcomed[0]["token"]
        assert (await client.request(type="hello", protocol=1, token=token))["type"] == "welcome"


async def test_a_name_needs_a_visible_character() -> None:
    async with running_server() as url, connected(url, "player-1") as one:
        assert await turned_away(url, name="\u3164") == "bad_message"
        answer = await one.request(type="register", name="\u3164")
        assert (answer["code"], answer["message"].partition(":")[0]) == ("bad_message", "name")
        assert (await one.ok(type="register"))["player"]["name"] == "player-1"


async def test_tokens_outlive_a_restart_and_only_their_hashes_are_stored(tmp_path: Path) -> None:
    journal = str(tmp_path / "journal")
    async with running_server(journal=journal) as url:
        async with connected(url, "creator") as creator, connected(url, "joiner") as joiner:
            room = await creator.create()
            await joiner.join(room)
            async with connected(url, "watcher") as watcher:
                await watcher.ok(type="watch", room=room)
        async with connected(url, "host") as host:
            await host.create("open", "open")
    tokens = [client.token for client in (creator, joiner, watcher, host)]

    async with running_server(journal=journal) as url:
        for client, seat in ((creator, "first"), (joiner, "second"), (watcher, None), (host, None)):
            async with connected(url, token=client.token) as again:
                assert again.welcome["player"] == client.welcome["player"]
                assert (await again.ok(type="watch", room=room))["seat"] == seat

    stored = bytes_in(tmp_path)
    for token in tokens:
        assert token.encode() not in stored
        assert token_hash(token) in stored


# --- names


async def test_a_registered_name_is_shown_and_cannot_be_taken() -> None:
    async with running_server() as url, connected(url, "Ann") as ann, connected(url, "ben") as ben:
        answer = await ann.ok(type="register")
        player = {"id": ann.id, "name": "Ann", "kind": "human", "registered": True}
        assert answer["player"] == player
        room = await ann.create()
        seats = (await ben.join(room))["state"]["seats"]
        assert seats["first"] == {**player, "online": True}
        assert "registered" not in seats["second"]
        async with connected(url, token=ann.token) as again:
            assert again.welcome["player"] == player
        for name in ("Ann", "aNN", "Ａｎｎ"):  # noqa: RUF001  # full width
            assert await turned_away(url, name=name) == "name_taken"
            assert await ben.refused(type="register", name=name) == "name_taken"
        assert (await ben.ok(type="register"))["player"]["name"] == "ben"


async def test_a_player_can_choose_the_name_to_register_but_not_change_it() -> None:
    async with running_server() as url, connected(url, "player-1") as ann:
        for _ in range(2):  # the answer may have been lost
            assert (await ann.ok(type="register", name="Ann"))["player"]["name"] == "Ann"
        assert (await ann.ok(type="register", name="ANN"))["player"]["name"] == "ANN"
        assert await ann.refused(type="register", name="player-1") == "not_allowed"
        assert (await ann.ok(type="register"))["player"]["name"] == "ANN"
        async with connected(url, "player-1"), connected(url, token=ann.token) as again:
            assert again.welcome["player"] == {"id": ann.id, "name": "ANN", "kind": "human", "registered": True}


async def test_guests_with_a_name_lose_it_when_another_player_registers_it() -> None:
    async with running_server() as url, connected(url, "ann") as other, connected(url, "ann") as ann:
        room = await other.create()
        await ann.ok(type="register")
        async with connected(url, token=other.token) as again:
            assert again.welcome["player"]["name"] == f"guest-{other.id[2:6]}"
        assert await other.refused(type="register") == "name_taken"
        # Rooms keep the names of their time.
        assert (await ann.request(type="watch", room=room))["type"] == "ok"
        assert (await ann.push("room"))["state"]["seats"]["first"]["name"] == "ann"


async def test_reserved_names_cannot_be_registered() -> None:
    async with running_server() as url, connected(url, None) as guest:
        for name in (None, "minimax", "guest-zzzz", "computer:best", "P-1"):
            assert await guest.refused(type="register", name=name) == "name_taken"


CYRILLIC_A, WIDE_M = "\N{CYRILLIC SMALL LETTER A}", "\N{FULLWIDTH LATIN SMALL LETTER M}"


async def test_nobody_takes_a_name_that_looks_like_the_computers() -> None:
    async with running_server() as url, connected(url, "ann") as ann:
        for name in ("minimax", f"minim{CYRILLIC_A}x", f"{WIDE_M}inimax", "computer:perfect", "MlNIMAX"):
            assert await ann.refused(type="register", name=name) == "name_taken"
            async with connect(url, compression=None) as socket:
                error = await Client(socket).request(type="hello", protocol=1, name=name)
            assert error["code"] == "name_taken"
            words = "That name looks like the computer's. Choose another, such as my "
            assert error["message"] == f"{words}{name}, or give none."
        assert await ann.refused(type="register", name="Perfect") == "name_taken"
        for name in ("my minimax", "perfect"):  # as a level is called that plays in a league
            async with connected(url, name) as guest:
                assert guest.welcome["player"]["name"] == name


async def test_nobody_takes_a_name_that_looks_like_a_registered_one() -> None:
    async with running_server() as url, connected(url, f"{CYRILLIC_A}nn") as before, connected(url, "Ann") as ann:
        await ann.ok(type="register")
        async with connected(url, token=before.token) as again:
            assert again.welcome["player"]["name"] == f"guest-{before.id[2:6]}", "as with the same name"
        assert await before.refused(type="register", name=f"{CYRILLIC_A}nn") == "name_taken"
        async with connect(url, compression=None) as socket:
            error = await Client(socket).request(type="hello", protocol=1, name=f"{CYRILLIC_A}NN")
        assert error["code"] == "name_taken"
        suggested = error["message"].removesuffix(".").rpartition("such as ")[2]
        async with connected(url, suggested) as guest:
            assert guest.welcome["player"]["name"] == suggested


@pytest.mark.parametrize(
    ("taken", "small", "capital"), [("Tom", "\N{CYRILLIC SMALL LETTER TE}om", "\N{CYRILLIC CAPITAL LETTER TE}om")]
)
async def test_another_case_of_a_name_is_another_look(taken: str, small: str, capital: str) -> None:
    """Small letters that are no look-alikes may have capitals that are."""
    async with running_server() as url, connected(url, taken) as tom, connected(url, "ben") as ben:
        await tom.ok(type="register")
        await ben.ok(type="register", name=small)
        assert await ben.refused(type="register", name=capital) == "name_taken"
        assert (await ben.ok(type="register", name=small))["player"]["name"] == small
    async with running_server() as url, connected(url, "ben") as ben:
        await ben.ok(type="register", name="\N{CYRILLIC SMALL LETTER EM}inimax")
        assert await ben.refused(type="register", name="\N{CYRILLIC CAPITAL LETTER EM}inimax") == "name_taken"
        await ben.ok(type="register", name="\N{CYRILLIC SMALL LETTER EM}inimaX")


async def test_a_look_alike_that_was_registered_before_stays() -> None:
    journal = MemoryJournal()
    async with gateway_over(journal) as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        await ann.ok(type="register")
        await ben.ok(type="register")
        for name in (f"{CYRILLIC_A}nn", "minimax"):  # as an older version allowed
            journal.sql("UPDATE players SET name = ?1, name_key = ?1, look = NULL WHERE id = ?2", (name, ben.id))
            await journal.people.renew_looks()
            async with connected(url, token=ben.token) as again:
                assert again.welcome["player"]["name"] == name
                assert (await again.ok(type="register"))["player"]["name"] == name


async def test_a_guest_that_the_journal_has_forgotten_can_register() -> None:
    """This happens after a day without a seat."""
    journal = MemoryJournal()
    async with (
        gateway_over(journal) as url,
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


async def one_of_many_registers(*urls: str) -> None:
    async with AsyncExitStack() as stack:
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
        registered = []
        for client in clients:
            async with connected(urls[0], token=client.token) as again:
                registered.append(again.welcome["player"].get("registered", False))
        assert registered.count(True) == 1


async def test_one_of_many_concurrent_registrations_of_a_name_succeeds(tmp_path: Path) -> None:
    async with running_server(journal=str(tmp_path / "journal")) as url:
        await one_of_many_registers(url)


@pytest.mark.services
async def test_one_of_many_registrations_of_a_name_on_two_nodes_succeeds(postgres: Postgres) -> None:
    async with (
        database(postgres) as journal,
        running_server(journal=journal) as one,
        running_server(journal=journal) as two,
    ):
        await one_of_many_registers(one, two)


# --- tokens


async def test_a_renewed_token_replaces_the_old_one() -> None:
    async with (
        running_server() as url,
        connected(url) as one,
        connected(url, token=one.token) as two,
        connected(url, "player-2") as another,
    ):
        room = await one.create(key="once")
        token = (await one.ok(type="renew_token"))["token"]
        assert token != one.token
        await dismissed(two)
        assert await turned_away(url, token=one.token) == "bad_token"
        async with connected(url, token=token) as again:
            assert again.id == one.id
            assert (await again.ok(type="watch", room=room))["seat"] == "first"
            assert (await again.ok(type="create", game="tictactoe", key="once"))["room"] == room
        # The connection that renewed it goes on.
        assert (await one.ok(type="renew_token"))["token"] not in (token, one.token)
        assert (await another.request(type="ping"))["type"] == "pong"


async def test_a_revoked_token_is_refused_everywhere() -> None:
    async with running_server() as url, connected(url) as one, connected(url, token=one.token) as two:
        await one.ok(type="register", name="ann")
        await two.ok(type="sign_out", device="all")
        await dismissed(two)
        await dismissed(one)
        assert await turned_away(url, token=one.token) == "bad_token"
        assert await turned_away(url, name="ann") == "name_taken"


async def test_requests_with_a_revoked_token_are_not_carried_out() -> None:
    async with running_server() as url, connected(url) as one, connected(url, token=one.token) as two:
        async with connected(url, "player-2") as another:
            two.socket.transport.pause_reading()
            await one.ok(type="sign_out", device="all")
            # ``two`` does not know yet, and wants to open a room.
            await two.send(type="create", id="late", game="tictactoe", seats={"first": "open", "second": "open"})
            assert (await another.request(type="ping"))["type"] == "pong"  # the server has gone on
            two.socket.transport.resume_reading()
            await dismissed(two)
            assert all(message.get("id") != "late" for message in two.pushed)
        async with connected(url, "player-3") as later:
            assert (await later.ok(type="lobby"))["rooms"] == []


async def test_one_of_two_concurrent_renewals_succeeds() -> None:
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


async def test_changes_of_names_and_tokens_are_limited() -> None:
    async with running_server(burst=3) as url, connected(url) as ann:
        await ann.send(type="register", id=0, name="ann")
        for number in range(1, 6):  # without waiting for answers, or the limit would have time to recover
            await ann.send(type="renew_token", id=number)
        answers = {message["id"]: message for message in [await ann.receive() for _ in range(6)]}
        assert [answers[number]["type"] for number in range(2)] == ["ok", "ok"]
        assert (answers[5]["code"], 0 < answers[5]["retry_after_s"] <= 1.001) == ("rate_limited", True)


# --- when the journal does not answer


@pytest.mark.parametrize("faults", [["answer lost"], ["lost", "lost"], ["lost", "answer lost"]])
async def test_a_lost_answer_does_not_cost_the_token(faults: list[str]) -> None:
    journal = MemoryJournal()
    change = Faulty(journal.tokens, "renew")
    async with gateway_over(journal) as url, connected(url) as ann:
        change.faults = faults
        token = (await ann.ok(type="renew_token"))["token"]
        assert change.faults == []
        async with connected(url, token=token) as again:
            assert again.id == ann.id


async def test_a_journal_that_does_not_answer_ends_the_connection() -> None:
    journal = MemoryJournal()
    change = Faulty(journal.tokens, "renew")
    async with gateway_over(journal) as url, connected(url) as ann:
        change.faults = ["lost"] * 10
        assert await ann.refused(type="renew_token") == "overloaded"
        messages, code, _ = await farewell(ann)
        assert (messages, code) == ([], 1013)
        async with connected(url, token=ann.token) as again:
            assert again.id == ann.id


async def test_a_client_that_is_dismissed_while_it_waits_does_not_register() -> None:
    journal = MemoryJournal()
    change = Faulty(journal.tokens, "end_all")
    async with gateway_over(journal) as url:
        async with connected(url, "ann") as one, connected(url, token=one.token) as two:
            change.gate.clear()
            await one.send(type="sign_out", device="all")
            await soon(lambda: bool(change.calls))
            await two.send(type="register", id="late")
            await asyncio.sleep(0.05)  # so that it waits for the other
            change.gate.set()
            await dismissed(two)
            assert all(message.get("id") != "late" for message in two.pushed)
        found = await journal.people.find(one.id)
        assert found is not None
        assert not found.registered


# --- what is stored


async def tokens_of_many(url: str) -> list[str]:
    """The tokens of a guest, and of a player who sits down, registers, renews and revokes."""
    async with connected(url) as guest, connected(url, "player-2") as ann:
        await ann.create()
        await ann.ok(type="register")
        tokens = [guest.token, ann.token, (await ann.ok(type="renew_token"))["token"]]
        await ann.ok(type="sign_out", device="all")
    return tokens


async def test_sqlite_never_stores_a_token(tmp_path: Path) -> None:
    async with running_server(journal=str(tmp_path / "journal")) as url:
        tokens = await tokens_of_many(url)
        running = bytes_in(tmp_path)  # with the write-ahead log
    for stored in (running, bytes_in(tmp_path)):
        assert b"player-2" in stored
        assert not any(token.encode() in stored for token in tokens)


@pytest.mark.services
async def test_postgresql_never_stores_a_token(postgres: Postgres) -> None:
    import asyncpg

    async with database(postgres) as journal:
        async with running_server(journal=journal) as url:
            tokens = await tokens_of_many(url)
        connection = await asyncpg.connect(journal)
        try:
            tables = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
            rows = [
                json.dumps({key: _as_text(value) for key, value in dict(row).items()})
                for (table,) in tables
                for row in await connection.fetch(f'SELECT * FROM "{table}"')
            ]
        finally:
            await connection.close()
    assert any("player-2" in row for row in rows)
    assert not any(token in row for token in tokens for row in rows)


def _as_text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
