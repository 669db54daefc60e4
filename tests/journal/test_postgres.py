import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from importlib import resources
from pathlib import Path

import asyncpg
import pytest

from noughts.journal import Append, JournalError, StoredPlayer
from noughts.journal.postgres import append as appending
from noughts.journal.postgres import schema, writer
from noughts.journal.postgres.connect import SESSION, Address, Connection
from noughts.journal.postgres.journal import PostgresJournal
from noughts.journal.queries import UNFINISHED
from noughts.opening import open_journal
from noughts.players.names import guest_name
from support.eventually import soon
from support.ports import free_port
from support.postgres import GUARDED, Postgres, database, programs
from support.rated_before import RATED_BEFORE, keeps_ratings_and_order
from support.usage import everything, use_all
from support.writes import OVER, PLAYING, THINKING, player, result, write

pytestmark = pytest.mark.services

THIEF = replace(player(2), token_hash=player(1).token_hash)


@pytest.fixture
async def url(postgres: Postgres) -> AsyncIterator[str]:
    async with database(postgres) as url:
        yield url


@pytest.fixture
async def journal(url: str) -> AsyncIterator[PostgresJournal]:
    journal = await PostgresJournal.open(url)
    yield journal
    await journal.close()


@pytest.fixture
async def admin(url: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(url)
    yield connection
    await connection.close()


def test_the_migrations_are_numbered_from_1_and_name_the_schemas_that_can_read_them() -> None:
    names = sorted(file.name for file in (resources.files("noughts.journal.postgres") / "migrations").iterdir())
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))
    assert all(re.fullmatch(r"\d{4}_\w+\.sql", name) for name in names)
    for number, script in enumerate(schema.migrations(), 1):
        match = re.match(r"-- readable from (\d+)\n", script)
        assert match
        assert 1 <= int(match[1]) <= number


async def test_servers_that_start_at_once_create_the_tables_once_and_share_a_secret(url: str) -> None:
    journals = await asyncio.gather(*(PostgresJournal.open(url) for _ in range(4)))
    assert len({journal.secret for journal in journals}) == 1
    taken = await asyncio.gather(*(journal.append(write("a", 1)) for journal in journals))
    assert sorted(taken) == [False, False, False, True]
    await asyncio.gather(*(journal.close() for journal in journals))
    reopened = await PostgresJournal.open(url)
    assert reopened.secret == journals[0].secret
    await reopened.close()


async def test_a_newer_schema_is_refused_unless_it_is_compatible(url: str, admin: Connection) -> None:
    await (await PostgresJournal.open(url)).close()
    await admin.execute("UPDATE schema_version SET version = 999")
    await (await PostgresJournal.open(url)).close()
    await admin.execute("UPDATE schema_version SET readable_from = 998")
    with pytest.raises(JournalError, match=r"newer version.* 999 .* 998"):
        await PostgresJournal.open(url)
    assert await admin.fetchval("SELECT version FROM schema_version") == 999


async def test_a_migration_is_done_as_a_whole_or_not_at_all(
    url: str, admin: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = schema.migrations()
    good = "-- readable from 1\nCREATE TABLE added (x integer);"
    bad = "-- readable from 2\nCREATE TABLE half (x integer); SELECT nonsense;"
    monkeypatch.setattr(schema, "migrations", lambda: [*first, good, bad])
    with pytest.raises(JournalError, match="nonsense"):
        await PostgresJournal.open(url)
    stored = await admin.fetchrow("SELECT version, readable_from FROM schema_version")
    assert tuple(stored or ()) == (len(first) + 1, 10)
    assert await admin.fetchval("SELECT to_regclass('half')") is None
    monkeypatch.setattr(schema, "migrations", lambda: [*first, good])
    await (await PostgresJournal.open(url)).close()


OLD = """
INSERT INTO rooms (room, version, changed, game, opened_by, status, public, thinking, attended, listing)
VALUES ('a', 2, 7, 'tictactoe', 'p-1', 'playing', TRUE, FALSE, FALSE, '{}');
INSERT INTO records SELECT number, 1, '1'::bytea FROM rooms UNION ALL SELECT number, 2, '2'::bytea FROM rooms;
INSERT INTO players VALUES ('p-1', 'Player', 'human', '\\x01', TRUE, NULL), ('p-2', 'PLAYER', 'bot', '\\x02', FALSE, 1);
"""


async def test_an_old_journal_is_migrated_and_older_servers_are_refused(
    url: str, admin: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = schema.migrations()
    monkeypatch.setattr(schema, "migrations", lambda: newest[:2])
    await schema.migrate(admin)
    await admin.execute(OLD)
    monkeypatch.setattr(schema, "migrations", lambda: newest)
    journal = await PostgresJournal.open(url)
    assert await journal.read("a") == [b"1", b"2"]
    assert await journal.append(write("a", 3, index=OVER, players=(player(4),), finished=result("a")))
    assert await journal.results.just_finished(None, -1, 9) == [b"{}"]
    assert await journal.people.changed(0, ["p-1"]) == []
    assert await journal.people.find_by_token(b"\1") == StoredPlayer("p-1", "Player", "human", b"\1")
    assert [(token.hash, token.used) for token in await journal.tokens.of("p-2")] == [(b"\2", 0)]
    assert await journal.people.register("p-1", "Player")
    assert await journal.people.find("p-2") == StoredPlayer("p-2", guest_name("p-2"), "bot", b"\2")
    assert await journal.people.find("player") == StoredPlayer("p-1", "Player", "human", b"\1", registered=True)
    assert await journal.people.register("p-2", "second")
    await journal.forget(2)
    assert await journal.people.find("second") == StoredPlayer("p-2", "second", "bot", b"\2", registered=True)
    monkeypatch.setattr(schema, "migrations", lambda: newest[:2])
    with pytest.raises(JournalError, match="newer version"):
        await PostgresJournal.open(url)
    await journal.close()


async def test_a_starting_server_waits_for_the_database(postgres: Postgres, url: str) -> None:
    postgres.stop()
    opening = asyncio.create_task(PostgresJournal.open(url))
    await asyncio.sleep(0.5)
    assert not opening.done()
    await asyncio.to_thread(postgres.start)
    async with asyncio.timeout(30):
        await (await opening).close()


async def test_errors_do_not_contain_the_password() -> None:
    port = free_port()
    cases = {
        f"postgresql://noughts:secret@127.0.0.1:{port}/games": rf"127\.0\.0\.1:{port}/games.* within 1 s",
        "postgresql://noughts:sec:ret@host:se@cret/games": r"postgresql://USER@HOST/DATABASE",
        "mysql://noughts:secret@host/games": r"postgresql://USER@HOST/DATABASE",
        "postgresql://noughts:secret@127.0.0.1/games?sslmode=secret": "something is wrong with its address",
    }
    for url, words in cases.items():
        with pytest.raises(JournalError, match=words) as caught:
            await PostgresJournal.open(url, patience_s=1)
        assert "cret" not in str(caught.value)


async def test_the_primary_is_found_among_several_hosts(postgres: Postgres, url: str) -> None:
    name = url.rsplit("/", 1)[1]
    hosts = f"127.0.0.1:{free_port()},127.0.0.1:{postgres.port}"
    journal = await PostgresJournal.open(f"postgresql://noughts@{hosts}/{name}?target_session_attrs=primary")
    assert await journal.append(write("a"))
    await journal.close()
    standby = f"postgresql://noughts@{hosts}/{name}?target_session_attrs=standby"
    with pytest.raises(JournalError, match="within 1 s"):
        await PostgresJournal.open(standby, patience_s=1)


async def test_a_password_is_used_where_the_database_wants_one(postgres: Postgres, url: str, admin: Connection) -> None:
    name = url.rsplit("/", 1)[1]
    await admin.execute(
        f"DROP ROLE IF EXISTS {GUARDED}; CREATE ROLE {GUARDED} LOGIN SUPERUSER PASSWORD 'right and proper'"
    )
    guarded = postgres.url(name, GUARDED)
    journal = await open_journal(guarded, "right and proper")
    assert await journal.append(write("a"))
    await journal.close()
    for password in ("wrong and improper", None):
        with pytest.raises(JournalError, match="password") as caught:
            await open_journal(guarded, password)
        assert "improper" not in str(caught.value)
    with pytest.raises(JournalError, match="does not exist"):
        await open_journal(postgres.url("nowhere"))


async def test_each_version_is_accepted_from_one_of_racing_servers(url: str) -> None:
    journals = [await PostgresJournal.open(url) for _ in range(3)]
    rooms, versions = [f"room-{number}" for number in range(40)], 15

    async def play(journal: PostgresJournal, server: int, room: str) -> list[int]:
        won = []
        while (version := len(await journal.read(room)) + 1) <= versions:
            # The same players sit down everywhere at once.
            players = (player(version), player(version + 1))
            if await journal.append(write(room, version, b"%d" % server, players=players)):
                won.append(version)
        return won

    won = await asyncio.gather(
        *(play(journal, server, room) for server, journal in enumerate(journals) for room in rooms)
    )
    for number, room in enumerate(rooms):
        by_server = won[number :: len(rooms)]
        assert sorted(version for versions in by_server for version in versions) == list(range(1, versions + 1))
        records = await journals[0].read(room)
        for server, taken in enumerate(by_server):
            assert all(records[version - 1] == b"%d" % server for version in taken)
    await asyncio.gather(*(journal.close() for journal in journals))


async def test_waiting_writes_share_a_commit(journal: PostgresJournal, admin: Connection) -> None:
    taken = await asyncio.gather(*(journal.append(write(f"room-{number}", 1)) for number in range(300)))
    assert taken == [True] * 300
    assert await admin.fetchval("SELECT count(DISTINCT xmin::text) FROM records") <= 3


async def test_a_few_writes_wait_for_the_commit_under_way_but_not_for_long(
    journal: PostgresJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[list[str]] = []
    stuck, really_put = asyncio.Event(), appending.put

    async def slow_put(connection: Connection, writes: Sequence[Append]) -> set[str]:
        batches.append([one.room for one in writes])
        if batches[-1] == ["stuck"]:
            await stuck.wait()
        return await really_put(connection, writes)

    async def append(room: str) -> asyncio.Task[bool]:
        task = asyncio.create_task(journal.append(write(room)))
        await asyncio.sleep(0.001)  # a turn of the loop for each
        return task

    monkeypatch.setattr(writer, "put", slow_put)
    monkeypatch.setattr(writer, "GATHER_S", 1)
    first = await append("stuck")
    await soon(lambda: batches == [["stuck"]])
    tasks = [await append(room) for room in "cab"]
    assert batches == [["stuck"]]
    assert await asyncio.gather(*tasks) == [True] * 3
    assert batches == [["stuck"], ["a", "b", "c"]], "after a while they do not wait for a session that is frozen"
    many = [asyncio.create_task(journal.append(write(f"many-{number}"))) for number in range(writer.WIDE)]
    await soon(lambda: len(batches) == 3)
    assert len(batches[2]) == writer.WIDE
    assert await asyncio.gather(*many) == [True] * writer.WIDE
    stuck.set()
    assert await first


@pytest.mark.parametrize(
    "bad",
    [
        write("\ud800", 1),
        write("x\0", 1),
        write("x", 1, index=replace(PLAYING, due_at=2**80)),
        write("x", 1, index=replace(PLAYING, listing=None)),  # type: ignore[arg-type] # what types do not stop
        write("x", 1, players=(THIEF,)),
    ],
)
async def test_a_row_that_cannot_be_stored_does_not_fail_the_others(journal: PostgresJournal, bad: Append) -> None:
    assert await journal.append(write("old", 1, players=(player(1),)))
    writes = [write("a", 1), write("old", 1), write("a", 2, players=(player(3),)), bad, write("b", 1)]
    outcomes = await asyncio.gather(*map(journal.append, writes), return_exceptions=True)
    assert [*outcomes[:3], outcomes[4]] == [True, False, True, True]
    assert isinstance(outcomes[3], JournalError)
    assert not re.search(r"token_hash\)=|row contains|\('", str(outcomes[3]))  # its words may be logged
    assert await journal.read("a") == [b"{}", b"{}"]
    assert await journal.read("x") == []
    assert await journal.people.find_by_token(player(3).token_hash) == player(3)


async def test_only_the_room_that_another_session_has_locked_waits(journal: PostgresJournal, admin: Connection) -> None:
    rooms = [f"room-{number}" for number in range(20)]
    await asyncio.gather(*(journal.append(write(room)) for room in rooms))
    async with admin.transaction():
        await admin.execute("SELECT FROM rooms WHERE room = 'room-7' FOR UPDATE")
        held = asyncio.create_task(journal.append(write("room-7", 2)))
        for version in range(2, 12):
            others = (journal.append(write(room, version)) for room in rooms if room != "room-7")
            async with asyncio.timeout(20):
                assert all(await asyncio.gather(*others))
        assert not held.done()
        assert await journal.read("room-7") == [b"{}"]
    async with asyncio.timeout(20):
        assert await held
    async with admin.transaction():
        await admin.execute("SELECT FROM rooms WHERE room = 'room-7' FOR UPDATE")
        with pytest.raises(JournalError):
            async with asyncio.timeout(30):
                await journal.append(write("room-7", 3))
    assert await journal.append(write("room-7", 3))


async def test_writes_of_a_locked_room_are_stored_in_their_order(journal: PostgresJournal, admin: Connection) -> None:
    assert await journal.append(write("a"))
    async with admin.transaction():
        await admin.execute("SELECT FROM rooms WHERE room = 'a' FOR NO KEY UPDATE")
        writing = [asyncio.create_task(journal.append(one)) for one in (write("a", 2), Append("a", 3, b"a move"))]
        await asyncio.sleep(0.2)  # the second could overtake now
    assert await asyncio.gather(*writing) == [True, True]


async def test_servers_share_leases_and_guests(url: str, journal: PostgresJournal) -> None:
    other = await PostgresJournal.open(url)
    await journal.append(write("a", index=THINKING))
    asked = [node.lease("a", 1, f"node-{number}", 60_000) for number, node in enumerate([journal, other] * 5)]
    assert sum(await asyncio.gather(*asked)) == 1
    assert await journal.unleased(9) == await other.unleased(9) == []
    assert await other.append(write("a", 2, index=THINKING))
    assert await journal.unleased(9) == ["a"]
    await asyncio.gather(*(node.people.add_guest(player(1)) for node in [journal, other] * 5))
    assert await other.people.find_by_token(player(1).token_hash) == player(1)
    await other.close()


async def test_servers_use_the_clock_of_the_database(url: str, journal: PostgresJournal, admin: Connection) -> None:
    other = await PostgresJournal.open(url)
    database_time = await admin.fetchval("SELECT extract(epoch FROM clock_timestamp()) * 1000")
    assert abs(journal.now() - float(database_time)) < 1000
    assert abs(other.now() - journal.now()) < 1000
    # A clock that was wrong is set right by the next measurement, and does not go back meanwhile.
    clock = other._clock
    clock._ahead -= 3_600_000
    await clock.measure(admin)
    assert abs(other.now() - journal.now()) < 1000
    clock._ahead += 3_600_000
    ahead = other.now()
    await clock.measure(admin)
    assert other.now() == ahead
    await other.close()


async def test_each_database_has_one_leader_until_it_closes(postgres: Postgres, url: str) -> None:
    async with AsyncExitStack() as stack:
        elsewhere = await PostgresJournal.open(await stack.enter_async_context(database(postgres)))
        first, second, third = [await PostgresJournal.open(url) for _ in range(3)]
        assert await first.lead()
        assert await elsewhere.lead()
        assert not await second.lead()
        assert await first.lead()
        await asyncio.gather(*(first.lead() for _ in range(5)))  # asked often, it is let go of at once all the same
        await first.close()
        assert await second.lead()
        assert not await third.lead()
        await asyncio.gather(second.close(), third.close(), elsewhere.close())


async def test_a_backup_made_during_writes_is_a_journal(
    postgres: Postgres, url: str, journal: PostgresJournal, tmp_path: Path
) -> None:
    async def program(name: str, *arguments: str) -> None:
        process = await asyncio.create_subprocess_exec(programs() / name, *arguments)
        assert await process.wait() == 0

    assert await journal.append(write("a", players=(player(1),)))
    writing = asyncio.gather(*(journal.append(write(f"room-{number}")) for number in range(200)))
    await program("pg_dump", "--format=custom", f"--file={tmp_path / 'copy'}", url)
    await writing
    async with database(postgres) as empty:
        await program("pg_restore", "--no-owner", "--exit-on-error", f"--dbname={empty}", str(tmp_path / "copy"))
        restored = await PostgresJournal.open(empty)
        assert restored.secret == journal.secret
        assert await restored.read("a") == [b"{}"]
        assert await restored.people.find_by_token(player(1).token_hash) == player(1)
        assert await restored.append(write("a", 2))
        assert await restored.append(write("new"))
        await restored.close()


# Enough rows that the plan matters; the planner must know that there are many.
FILL = """
INSERT INTO players (id, name, name_key, kind, seated, greeted, registered, changed)
SELECT 'q-' || i, 'many-' || i, 'many-' || i, 'human', i % 2 = 0, i, i % 9 = 0, CASE WHEN i % 9 = 0 THEN i END
FROM generate_series(1, 5000) AS i;
INSERT INTO tokens (hash, player, label, added, used)
SELECT sha256((i + 10000 * n)::text::bytea), 'q-' || i, '', i, i
FROM generate_series(1, 5000) AS i, generate_series(1, 2) AS n;
INSERT INTO codes (player, purpose, hash, made)
SELECT 'q-' || i, purpose, sha256((i::text || purpose)::bytea), i
FROM generate_series(1, 2000) AS i, unnest(ARRAY['join', 'recovery']) AS purpose;
INSERT INTO rooms (room, changed, game, opened_by, status, public, thinking, attended, listing)
SELECT 'r-' || i, i, 'tictactoe', 'q-' || i, CASE WHEN i % 20 = 0 THEN 'playing' ELSE 'over' END,
    TRUE, FALSE, FALSE, ''
FROM generate_series(1, 5000) AS i;
INSERT INTO records SELECT number, version, '' FROM rooms, generate_series(1, 5) AS version WHERE room LIKE 'r-%';
INSERT INTO results
SELECT 'r-' || i, 'tictactoe', 'q-' || i % 97, 'q-' || i % 89, 'first', 'line', TRUE, 'blitz', i,
    CASE WHEN i < 4990 THEN i + 10 END
FROM generate_series(1, 5000) AS i;
INSERT INTO rating_history SELECT 'q-' || i % 97, 'tictactoe', 'blitz', i, i, 1500
FROM generate_series(1, 5000) AS i;
INSERT INTO ratings SELECT 'q-' || i, 'tictactoe', 'blitz', 1500 + i % 300, 60, 0.06, 1
FROM generate_series(1, 2000) AS i;
INSERT INTO seeks
SELECT 'q-' || i, 'key', 'tictactoe', 'terms', 1500, 60, i, i, CASE WHEN i % 2 = 0 THEN 'r-' || i END,
    CASE WHEN i % 2 = 0 THEN i END
FROM generate_series(1, 2000) AS i;
ANALYZE;
"""


async def test_every_query_finds_its_rows_by_an_index(
    url: str, admin: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries: set[str] = set()
    connect = Address.connect

    async def listen(self: Address, **session: str) -> Connection:
        connection = await connect(self, **session)
        connection.add_query_logger(lambda record: queries.add(record.query))
        return connection

    await (await PostgresJournal.open(url)).close()
    monkeypatch.setattr(Address, "connect", listen)
    journal = await PostgresJournal.open(url)
    queries.clear()
    assert await journal.append(write("a", 1, players=(player(1),)))
    assert await journal.append(write("a", 2))
    assert await journal.append(Append("a", 3, b"a move"))
    await use_all(journal)
    await everything(journal)
    await journal.close()
    await admin.execute(FILL)
    connection = await asyncpg.connect(url, server_settings=SESSION)
    planned = [sql for sql in queries if re.match(r"\s*(SELECT|WITH (?!RECURSIVE)|INSERT|UPDATE|DELETE)", sql)]
    assert len(planned) >= 50
    unaided: list[str] = []
    for number, sql in enumerate(planned):
        parameters = len(set(re.findall(r"\$\d+", sql)))
        values = ", ".join(["NULL"] * parameters)
        await connection.execute(f"PREPARE query_{number} AS {sql}")
        plan = await connection.fetch(f"EXPLAIN EXECUTE query_{number}" + (f" ({values})" if parameters else ""))
        steps = [step for (step,) in plan]
        # What is limited is not sorted first; what is left of it may be. Those who wait for a search are sorted, and so
        # are the operator's unfinished games, a player's few tokens, and the games that are rated together.
        limit = next((place for place, step in enumerate(steps) if "Limit" in step), len(steps))
        scans = [step for step in steps if "Seq Scan" in step and "rated_until" not in step]  # which has one row
        may_sort = sql == UNFINISHED or any(word in sql for word in ("AS address_turn", "tokens", "WITH batch"))
        sorted_first = [] if may_sort else steps[limit:]
        scans += [step for step in sorted_first if re.search(r"-> +Sort|Incremental Sort", step)]
        unaided += [f"{sql}: {step}" for step in scans]
    await connection.close()
    assert unaided == []


async def test_games_rated_by_an_older_version_keep_their_ratings_and_order(
    url: str, admin: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = schema.migrations()
    monkeypatch.setattr(schema, "migrations", lambda: newest[:5])
    await schema.migrate(admin)
    await admin.execute(RATED_BEFORE)
    monkeypatch.setattr(schema, "migrations", lambda: newest)
    journal = await PostgresJournal.open(url)
    await keeps_ratings_and_order(journal)
    await journal.close()
