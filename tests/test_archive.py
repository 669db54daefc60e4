"""``noughts export`` and ``noughts import`` as they are typed."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from random import Random

import pytest

from noughts.archive import BETWEEN, BUNDLE
from noughts.cli import main
from noughts.journal import SqliteJournal
from noughts.protocol.gamefile import RecordedGame, from_file, recorded, to_file
from noughts.records.importer import import_game
from noughts.records.movelist import move_list
from support.client import connected
from support.games import random_records
from support.postgres import Postgres, database
from support.rated import registered
from support.server import ServerProcess, running_server


@dataclass(frozen=True)
class Said:
    """What a command came to, and what it said."""

    status: int
    out: bytes
    err: str

    @property
    def rooms(self) -> list[str]:
        """The rooms of the games that were written."""
        return [game.room.id for game in from_file(BytesIO(self.out))]


async def noughts(*words: str, journal: Path | str, given: bytes = b"") -> Said:
    """Run a command in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "noughts", *words, f"--journal={journal}"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NOUGHTS_LOG_LEVEL": "INFO"},
    )
    out, err = await asyncio.wait_for(process.communicate(given), 60)
    assert process.returncode is not None
    assert b"Traceback" not in err
    return Said(process.returncode, out, err.decode())


@pytest.fixture
def typed(capfdbinary: pytest.CaptureFixture[bytes]) -> Callable[..., Said]:
    """Runs a command in this process, which is quicker."""

    def run(*words: str, journal: Path | str) -> Said:
        with pytest.raises(SystemExit) as end:
            main([*words, f"--journal={journal}"])
        out, err = capfdbinary.readouterr()
        assert isinstance(end.value.code, int)
        return Said(end.value.code, out, err.decode())

    return run


@pytest.fixture(scope="module")
def games() -> list[RecordedGame]:
    """Games with all sorts of things in them, in the order of their ends."""
    played = (recorded(random_records(Random(seed), f"room-{seed}")) for seed in range(12))
    return sorted(played, key=lambda game: game.ended_at or 0)


@pytest.fixture(scope="module")
def kept(games: list[RecordedGame], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal with the games in it."""
    path = tmp_path_factory.mktemp("journal") / "journal"

    async def keep() -> None:
        journal = await SqliteJournal.open(path)
        for game in games:
            await import_game(journal, game)
        await journal.close()

    asyncio.run(keep())
    return path


def public(games: list[RecordedGame]) -> Iterator[RecordedGame]:
    return (game for game in games if not game.room.options.private)


async def test_the_games_of_a_server_that_runs(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    async with ServerProcess(journal, tmp_path / "log") as server:
        async with connected(server.url, "player-1") as one, connected(server.url, "player-2") as two:
            rooms = []
            for private in (False, True, False):
                rooms.append(await one.create(private=private))
                await two.join(rooms[-1])
                await two.ok(type="resign", room=rooms[-1])
            going_on = await one.create()
            said = await noughts("export", journal=journal)
            assert said.rooms == [rooms[0], rooms[2]]
            assert said.err == ""
            assert (await noughts("export", "--private", journal=journal)).rooms == rooms
            assert (await noughts("export", "--room", rooms[1], journal=journal)).rooms == [rooms[1]]
            said = await noughts("export", "--room", going_on, journal=journal)
            assert (said.status, said.out) == (1, b"")
            assert "is not over" in said.err
            said = await noughts("import", "-", journal=journal)
            assert said.status == 1, "that takes the journal for itself"
            assert (await two.ok(type="join", room=going_on))["seat"] == "second"
        assert await server.stop() == 0
    assert "Traceback" not in server.output()


def test_into_an_empty_journal_and_once_more(
    typed: Callable[..., Said], kept: Path, games: list[RecordedGame], tmp_path: Path
) -> None:
    file, journal = tmp_path / "games", tmp_path / "journal"
    said = typed("export", "--private", "--output", str(file), journal=kept)
    assert (said.status, said.out, said.err) == (0, b"", f"{len(games)} games.\n")
    assert file.read_bytes() == b"".join(map(to_file, games))
    said = typed("import", str(file), journal=journal)
    assert (said.status, said.out) == (0, f"{len(games)} games taken in.\n".encode())
    again = typed("export", "--private", journal=journal)
    assert again.out == file.read_bytes()
    (tmp_path / "twice").write_bytes(to_file(games[0]) * 2)
    said = typed("import", str(file), str(tmp_path / "twice"), journal=journal)
    assert said.out == f"no games taken in; {len(games) + 2} games passed over, there already.\n".encode()


async def test_with_a_database_beside_nodes_that_run(postgres: Postgres, games: list[RecordedGame]) -> None:
    async with database(postgres) as journal, running_server(journal=journal) as url, connected(url) as eve:
        said = await noughts("import", "-", journal=journal, given=b"".join(map(to_file, games)))
        assert said.out == f"{len(games)} games taken in.\n".encode()
        said = await noughts("export", "--private", journal=journal)
        assert said.out == b"".join(map(to_file, games))
        await asyncio.sleep(1.2)  # a sweep
        for game in games:
            answer = await eve.ok(type="watch", room=game.room.id)
            assert answer["version"] == len(game.records)


def test_games_are_chosen(typed: Callable[..., Said], kept: Path, games: list[RecordedGame]) -> None:
    everything = [game.room.id for game in public(games)]
    assert typed("export", journal=kept).rooms == everything
    of_a_kind = [game.room.id for game in public(games) if game.room.game.key == "ultimate"]
    assert 0 < len(of_a_kind) < len(everything)
    assert typed("export", "--game", "ultimate", journal=kept).rooms == of_a_kind
    by_bot = [game.room.id for game in public(games) if game.room.side_of("p-bot") is not None]
    assert typed("export", "--player", "p-bot", journal=kept).rooms == by_bot
    assert typed("export", "--since", "2026-11-17", journal=kept).rooms == everything
    late = [game.room.id for game in public(games) if (game.ended_at or 0) >= 1_794_960_000_000]
    assert 0 < len(late) < len(everything)
    assert typed("export", "--since", "2026-11-18", journal=kept).rooms == late
    assert typed("export", "--since", "2026-11-18T02:00+02:00", journal=kept).rooms == late
    said = typed("export", "--since", "2027-01-01", journal=kept)
    assert (said.status, said.out, said.err) == (0, b"", "no games.\n")


async def test_a_player_is_found_by_a_registered_name(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(ServerProcess(tmp_path / "journal", tmp_path / "log"))
        one, two = await stack.enter_async_context(registered(server.url, server.url))
        room = await one.create()
        await two.join(room)
        await one.ok(type="resign", room=room)
        assert (await noughts("export", "--player", "Player-2", journal=tmp_path / "journal")).rooms == [room]
        said = await noughts("export", "--player", "player-3", journal=tmp_path / "journal")
        assert said.status == 1
        assert "player-3" in said.err


def test_as_text(typed: Callable[..., Said], kept: Path, games: list[RecordedGame]) -> None:
    said = typed("export", "--format", "text", journal=kept)
    lists = [b"".join(f"{line}\n".encode() for line in move_list(game)) for game in public(games)]
    assert said.out == BETWEEN.join(lists)


def test_a_flipped_byte_is_refused_by_its_line(
    typed: Callable[..., Said], games: list[RecordedGame], tmp_path: Path
) -> None:
    files = [bytearray(to_file(game)) for game in games[:2]]
    files[1][-10] ^= 1
    (tmp_path / "games").write_bytes(b"".join(files))
    line = files[0].count(b"\n") + 1
    said = typed("import", str(tmp_path / "games"), journal=tmp_path / "journal")
    assert said.status == 1
    assert said.err.startswith(f"noughts import: {tmp_path}/games, line {line}: ")
    assert said.out == b"no games taken in.\n"
    said = typed("export", "--private", journal=tmp_path / "journal")
    assert said.out == b""


def test_what_differs_is_refused_and_what_was_before_it_is_there(
    typed: Callable[..., Said], games: list[RecordedGame], tmp_path: Path
) -> None:
    file, journal = tmp_path / "games", tmp_path / "journal"
    file.write_bytes(b"".join(map(to_file, games[:5])))
    assert typed("import", str(file), journal=journal).status == 0
    other = to_file(recorded(random_records(Random(99), games[3].room.id)))
    file.write_bytes(to_file(games[6]) + other)
    said = typed("import", str(file), journal=journal)
    assert said.status == 1
    assert f"there is a room {games[3].room.id} already" in said.err
    assert said.out == b"1 game taken in.\n"
    assert len(typed("export", "--private", journal=journal).rooms) == 6


def test_more_games_than_a_bundle(typed: Callable[..., Said], tmp_path: Path) -> None:
    count = 2 * BUNDLE + 5
    records = (random_records(Random(3), f"room-{number}", "tictactoe") for number in range(count))
    file = b"".join(to_file(recorded(each)) for each in records)
    (tmp_path / "games").write_bytes(file)
    said = typed("import", str(tmp_path / "games"), journal=tmp_path / "journal")
    assert said.out == f"{count} games taken in.\n".encode()
    written = typed("export", "--private", journal=tmp_path / "journal").out
    assert sorted(written.splitlines()) == sorted(file.splitlines())


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["export", "--room", "nowhere"], (1, "noughts export: there is no room nowhere")),
        (["export", "--room", "a", "--player", "b"], (2, "not allowed with argument")),
        (["export", "--game", "chess"], (2, "invalid choice: 'chess'")),
        (["export", "--since", "yesterday"], (2, "it is a date such as 2026-11-24")),
        (["export", "--format", "pgn"], (2, "invalid choice")),
        (["export", "--output", "{tmp}/no/file"], (1, "cannot write {tmp}/no/file: No such file")),
        (["export", "file"], (2, "unrecognized arguments: file")),
        (["import"], (2, "FILE")),
        (["import", "{tmp}/none"], (1, "cannot read {tmp}/none: No such file")),
        (["import", "{tmp}"], (1, "cannot read {tmp}: Is a directory")),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_said(
    typed: Callable[..., Said], kept: Path, tmp_path: Path, words: list[str], expected: tuple[int, str]
) -> None:
    status, complaint = expected
    said = typed(*(word.format(tmp=tmp_path) for word in words), journal=kept)
    assert said.status == status
    assert complaint.format(tmp=tmp_path) in said.err
    assert said.out in (b"", b"no games taken in.\n")


@pytest.mark.parametrize("command", [["export"], ["import", os.devnull]])
def test_journals_that_cannot_be_had(typed: Callable[..., Said], command: list[str], tmp_path: Path) -> None:
    assert typed(*command, journal="memory").status == 2
    (tmp_path / "text").write_text("no journal " * 1000)
    said = typed(*command, journal=tmp_path / "text")
    assert said.status == 1
    assert said.err.startswith(f"noughts {command[0]}: ")
    if command == ["export"]:
        assert typed(*command, journal=tmp_path / "none").status == 1
        assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("command", [["export"], ["import", os.devnull]])
def test_each_says_by_its_own_name_what_is_wrong_with_the_settings(
    typed: Callable[..., Said], command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOUGHTS_PORT", "none")
    said = typed(*command, journal=tmp_path / "journal")
    assert said.status == 2
    assert said.err.startswith(f"noughts {command[0]}: --port: ")


def test_whoever_has_read_enough_may_go(kept: Path) -> None:
    command = f"{sys.executable} -m noughts export --journal={kept} --private | head -c 10"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(["/bin/sh", "-c", command], capture_output=True, env=env, check=True)
    assert ran.stdout == b'{"noughts"'
    assert ran.stderr == b""
