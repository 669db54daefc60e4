"""``noughts export`` and ``noughts import``."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from random import Random

import pytest

from noughts.archive import import_game
from noughts.cli.archive import BATCH, SEPARATOR
from noughts.journal import SqliteJournal
from noughts.protocol.formats import written
from noughts.protocol.gamefile import RecordedGame, from_file, recorded, to_file
from noughts.protocol.movelist import move_list
from support.client import connected
from support.command import Result, noughts, noughts_aside
from support.games import random_records
from support.postgres import Postgres, database
from support.server import ServerProcess, running_server


def rooms_in(result: Result) -> list[str]:
    """The rooms of the games that were exported."""
    return [game.room.id for game in from_file(BytesIO(result.out))]


@pytest.fixture(scope="module")
def games() -> list[RecordedGame]:
    """Games with every kind of event, in the order of their ends."""
    played = (recorded(random_records(Random(seed), f"room-{seed}")) for seed in range(12))
    return sorted(played, key=lambda game: game.ended_at or 0)


@pytest.fixture(scope="module")
def stored(games: list[RecordedGame], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal with the games in it."""
    path = tmp_path_factory.mktemp("journal") / "journal"

    async def store() -> None:
        journal = await SqliteJournal.open(path)
        for game in games:
            await import_game(journal, game)
        await journal.close()

    asyncio.run(store())
    return path


def public(games: list[RecordedGame]) -> Iterator[RecordedGame]:
    """The games in public rooms."""
    return (game for game in games if not game.room.options.private)


async def test_export_beside_a_running_server_which_keeps_import_out(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    async with ServerProcess(journal, tmp_path / "log") as server:
        async with connected(server.url, "player-1") as one, connected(server.url, "player-2") as two:
            rooms = []
            for private in (False, True, False):
                rooms.append(await one.create(private=private))
                await two.join(rooms[-1])
                await two.ok(type="resign", room=rooms[-1])
            unfinished = await one.create()
            await two.ok(type="register")
            result = await noughts_aside("export", journal=journal)
            assert rooms_in(result) == (public_rooms := [rooms[0], rooms[2]])
            assert result.err == ""
            assert rooms_in(await noughts_aside("export", "--private", journal=journal)) == rooms
            assert rooms_in(await noughts_aside("export", "--room", rooms[1], journal=journal)) == [rooms[1]]
            assert rooms_in(await noughts_aside("export", "--player", "Player-2", journal=journal)) == public_rooms
            result = await noughts_aside("export", "--player", "player-3", journal=journal)
            assert result.status == 1
            assert "player-3" in result.err
            result = await noughts_aside("export", "--room", unfinished, journal=journal)
            assert (result.status, result.out) == (1, b"")
            assert "is not over" in result.err
            result = await noughts_aside("import", "-", journal=journal)
            assert result.status == 1, "import needs the journal to itself"
            assert (await two.ok(type="join", room=unfinished))["seat"] == "second"
        assert await server.stop() == 0
    assert "Traceback" not in server.output()


def test_an_import_is_complete_and_can_be_repeated(stored: Path, games: list[RecordedGame], tmp_path: Path) -> None:
    file, journal = tmp_path / "games", tmp_path / "journal"
    result = noughts("export", "--private", "--output", str(file), journal=stored)
    assert (result.status, result.out, result.err) == (0, b"", f"{len(games)} games.\n")
    assert file.read_bytes() == b"".join(map(to_file, games))
    result = noughts("import", str(file), journal=journal)
    assert (result.status, result.out) == (0, f"{len(games)} games imported.\n".encode())
    again = noughts("export", "--private", journal=journal)
    assert again.out == file.read_bytes()
    (tmp_path / "twice").write_bytes(to_file(games[0]) * 2)
    result = noughts("import", str(file), str(tmp_path / "twice"), journal=journal)
    assert result.out == f"no games imported; {len(games) + 2} games skipped, already there.\n".encode()


@pytest.mark.services
async def test_a_database_can_be_imported_into_while_nodes_run(postgres: Postgres, games: list[RecordedGame]) -> None:
    async with database(postgres) as journal, running_server(journal=journal) as url, connected(url) as eve:
        result = await noughts_aside("import", "-", journal=journal, stdin=b"".join(map(to_file, games)))
        assert result.out == f"{len(games)} games imported.\n".encode()
        result = await noughts_aside("export", "--private", journal=journal)
        assert result.out == b"".join(map(to_file, games))
        await asyncio.sleep(1.2)  # the server looks for rooms that are due, and must leave these alone
        for game in games:
            answer = await eve.ok(type="watch", room=game.room.id)
            assert answer["version"] == len(game.records)


def test_options_choose_the_games(stored: Path, games: list[RecordedGame]) -> None:
    everything = [game.room.id for game in public(games)]
    assert rooms_in(noughts("export", journal=stored)) == everything
    some = next(public(games)).room.game.key
    of_a_game = [game.room.id for game in public(games) if game.room.game.key == some]
    assert 0 < len(of_a_game) < len(everything)
    assert rooms_in(noughts("export", "--game", some, journal=stored)) == of_a_game
    of_bot = [game.room.id for game in public(games) if game.room.side_of("p-bot") is not None]
    assert rooms_in(noughts("export", "--player", "p-bot", journal=stored)) == of_bot
    assert rooms_in(noughts("export", "--since", "2026-11-17", journal=stored)) == everything
    late = [game.room.id for game in public(games) if (game.ended_at or 0) >= 1_794_960_000_000]
    assert 0 < len(late) < len(everything)
    assert rooms_in(noughts("export", "--since", "2026-11-18", journal=stored)) == late
    assert rooms_in(noughts("export", "--since", "2026-11-18T02:00+02:00", journal=stored)) == late
    result = noughts("export", "--since", "2027-01-01", journal=stored)
    assert (result.status, result.out, result.err) == (0, b"", "no games.\n")


def test_the_text_format_lists_moves(stored: Path, games: list[RecordedGame]) -> None:
    result = noughts("export", "--format", "text", journal=stored)
    lists = [b"".join(f"{line}\n".encode() for line in move_list(game)) for game in public(games)]
    assert result.out == SEPARATOR.join(lists)


def test_formats_of_other_programs_have_only_the_games_that_these_know(tmp_path: Path) -> None:
    journal, games = tmp_path / "journal", []
    for number, key in enumerate(("chess", "reversi", "gomoku", "chess")):
        games.append(recorded(random_records(Random(number), f"room-{number}", key)))
    (tmp_path / "games").write_bytes(b"".join(map(to_file, games)))
    assert noughts("import", str(tmp_path / "games"), journal=journal).status == 0
    in_pgn = b"".join(f"{line}\n".encode() for game in (games[0], games[3]) for line in written(game))
    found = noughts("export", "--private", "--format", "pgn", journal=journal)
    assert sorted(found.out.splitlines()) == sorted(in_pgn.splitlines())
    one = noughts("export", "--room", "room-2", "--format", "sgf", journal=journal)
    assert one.out.decode() == "".join(f"{line}\n" for line in written(games[2]))
    none = noughts("export", "--private", "--format", "pdn", journal=journal)
    assert (none.status, none.out, none.err) == (0, b"", "no games.\n")
    for option in (("--room", "room-1"), ("--game", "reversi", "--private")):
        refused = noughts("export", *option, "--format", "pgn", journal=journal)
        assert (refused.status, refused.err) == (1, "noughts export: pgn is not a format for Reversi\n")


TWO_GAMES = """\
[White "Ann"]
[Black "Ben"]
[Date "2024.02.29"]
[Result "1-0"]

1. e4 {[%clk 0:10:00] best by test} e5 2. Nf3 (2. f4 {a gambit} (2. Bc4)) d6 $6 3. d4 1-0

[White "Ben"]
[Black "Ann"]
[SetUp "1"]
[FEN "r3k3/8/8/8/8/8/8/4K3 b q - 3 40"]
[Result "1/2-1/2"]

40... Ra1+ (40... Kd7) 1/2-1/2
"""


def test_games_of_other_programs_are_imported_once_and_exported_again(tmp_path: Path) -> None:
    file, journal = tmp_path / "games.pgn", tmp_path / "journal"
    file.write_text(TWO_GAMES)
    result = noughts("import", str(file), journal=journal)
    assert result.out == b"2 games imported.\n"
    assert result.err == f"{file}: 2 variations were left out; only main lines are kept.\n"
    assert noughts("import", str(file), journal=journal).out.startswith(b"no games imported; 2 games skipped")
    exported = noughts("export", "--format", "pgn", journal=journal).out.decode()
    assert "1. e4 {best by test} 1... e5 2. Nf3 d6 3. d4 1-0" in exported
    assert "40... Ra1+ 1/2-1/2" in exported
    assert '[Date "2024.02.29"]' in exported
    assert '[Date "????.??.??"]' in exported
    records = noughts("export", journal=journal)
    first, second = from_file(BytesIO(records.out))
    assert first.room.first == second.room.second, "who has the same name is the same player"
    (tmp_path / "games.jsonl").write_bytes(records.out)
    again = noughts("import", str(tmp_path / "games.jsonl"), journal=tmp_path / "other")
    assert (again.status, again.out) == (0, b"2 games imported.\n")


def test_a_wrong_move_in_a_file_of_another_program_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    file.write_text(TWO_GAMES.replace("Ra1+", "Rb2"))
    result = noughts("import", str(file), journal=tmp_path / "journal")
    why = f"{file}, line 14: 'Rb2' cannot be played: no rook of yours can go to b2 now"
    assert (result.status, result.err) == (1, f"noughts import: {why}\n")


def test_an_import_names_the_line_with_a_flipped_byte(games: list[RecordedGame], tmp_path: Path) -> None:
    files = [bytearray(to_file(game)) for game in games[:2]]
    files[1][-10] ^= 1
    (tmp_path / "games").write_bytes(b"".join(files))
    line = files[0].count(b"\n") + 1
    result = noughts("import", str(tmp_path / "games"), journal=tmp_path / "journal")
    assert result.status == 1
    assert result.err.startswith(f"noughts import: {tmp_path}/games, line {line}: ")
    assert result.out == b"no games imported.\n"
    result = noughts("export", "--private", journal=tmp_path / "journal")
    assert result.out == b""


def test_an_import_stops_at_a_room_with_other_records(games: list[RecordedGame], tmp_path: Path) -> None:
    file, journal = tmp_path / "games", tmp_path / "journal"
    file.write_bytes(b"".join(map(to_file, games[:5])))
    assert noughts("import", str(file), journal=journal).status == 0
    other = to_file(recorded(random_records(Random(99), games[3].room.id)))
    file.write_bytes(to_file(games[6]) + other)
    result = noughts("import", str(file), journal=journal)
    assert result.status == 1
    assert f"there is a room {games[3].room.id} already" in result.err
    assert result.out == b"1 game imported.\n"
    assert len(rooms_in(noughts("export", "--private", journal=journal))) == 6


def test_more_games_than_one_batch(tmp_path: Path) -> None:
    count = 2 * BATCH + 5
    records = (random_records(Random(3), f"room-{number}", "tictactoe") for number in range(count))
    file = b"".join(to_file(recorded(each)) for each in records)
    (tmp_path / "games").write_bytes(file)
    result = noughts("import", str(tmp_path / "games"), journal=tmp_path / "journal")
    assert result.out == f"{count} games imported.\n".encode()
    written = noughts("export", "--private", journal=tmp_path / "journal").out
    assert sorted(written.splitlines()) == sorted(file.splitlines())


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["export", "--room", "nowhere"], (1, "noughts export: there is no room nowhere")),
        (["export", "--room", "a", "--player", "b"], (2, "not allowed with argument")),
        (["export", "--game", "shogi"], (2, "There is no game 'shogi'.")),
        (["export", "--since", "yesterday"], (2, "must be a date such as 2026-11-24")),
        (["export", "--format", "xml"], (2, "not one of ")),
        (["export", "--output", "{tmp}/no/file"], (1, "cannot write {tmp}/no/file: No such file")),
        (["export", "file"], (2, "unrecognized arguments: file")),
        (["import"], (2, "FILE")),
        (["import", "{tmp}/none"], (1, "cannot read {tmp}/none: No such file")),
        (["import", "{tmp}"], (1, "cannot read {tmp}: Is a directory")),
    ],
    ids=str,
)
def test_errors_are_reported(stored: Path, tmp_path: Path, words: list[str], expected: tuple[int, str]) -> None:
    status, error = expected
    result = noughts(*(word.format(tmp=tmp_path) for word in words), journal=stored)
    assert result.status == status
    assert error.format(tmp=tmp_path) in result.err
    assert result.out in (b"", b"no games imported.\n")


@pytest.mark.parametrize("command", [["export"], ["import", os.devnull]])
def test_unusable_journals_are_reported(command: list[str], tmp_path: Path) -> None:
    assert noughts(*command, journal="memory").status == 2
    (tmp_path / "text").write_text("not a journal " * 1000)
    result = noughts(*command, journal=tmp_path / "text")
    assert result.status == 1
    assert result.err.startswith(f"noughts {command[0]}: ")
    if command == ["export"]:
        assert noughts(*command, journal=tmp_path / "none").status == 1
        assert not (tmp_path / "none").exists()


@pytest.mark.slow
def test_a_reader_may_stop_early(stored: Path) -> None:
    command = f"{sys.executable} -m noughts export --journal={stored} --private | head -c 10"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(["/bin/sh", "-c", command], capture_output=True, env=env, check=True)
    assert ran.stdout == b'{"noughts"'
    assert ran.stderr == b""
