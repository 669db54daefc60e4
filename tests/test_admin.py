"""``noughts admin`` as it is typed, on journals of servers that run and of those that do not."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

from noughts.cli import main
from noughts.journal import SqliteJournal
from support.client import Client, connected, turned_away
from support.files import bytes_in
from support.postgres import Postgres, database
from support.server import ServerProcess, running_server
from support.writes import OVER, write


async def admin(*words: str, journal: Path | str) -> str:
    """Run ``noughts admin`` in a process of its own, which must succeed; what it says on stdout."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "noughts", "admin", *words, f"--journal={journal}"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    said, complaint = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0, complaint
    return said.decode()


async def closed_for(client: Client) -> str:
    """Wait until the server has closed the connection; the error that it told."""
    error = await client.receive()
    await client.socket.wait_closed()
    assert client.socket.close_code == 1008
    return str(error["code"])


async def test_beside_a_server_that_runs(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    async with ServerProcess(journal, tmp_path / "log") as server:
        token = (await admin("bot", "bot-1", journal=journal)).removesuffix("\n")
        async with connected(server.url, token=token) as bot, connected(server.url, "ann") as ann:
            assert bot.welcome["player"] == {"id": bot.id, "name": "bot-1", "kind": "bot", "registered": True}
            assert await turned_away(server.url, name="BOT-1") == "name_taken"
            await ann.ok(type="register")
            room = await ann.create()
            await admin("revoke", "ann", journal=journal)
            assert await closed_for(ann) == "bad_token"
            assert await turned_away(server.url, token=ann.token) == "bad_token"
            await admin("ban", bot.id, "--for", "1h", journal=journal)
            assert await closed_for(bot) == "banned"
            assert await turned_away(server.url, token=token) == "banned"
        await admin("unban", "bot-1", journal=journal)
        async with connected(server.url, token=token) as bot:
            await bot.join(room)
        new = (await admin("token", "Ann", journal=journal)).removesuffix("\n")
        async with connected(server.url, token=new) as again:
            assert (await again.ok(type="watch", room=room))["seat"] == "first"
        assert await server.stop() == 0
        assert "Traceback" not in server.output()
    kept = bytes_in(tmp_path)
    assert not any(each.encode() in kept for each in (token, new, ann.token))


async def test_with_a_database(postgres: Postgres) -> None:
    async with database(postgres) as journal, running_server(journal=journal) as url:
        token = (await admin("bot", "bot-1", journal=journal)).removesuffix("\n")
        async with connected(url, token=token) as bot:
            room = await bot.create()
            await bot.ok(type="chat", room=room, text="hello")
            await admin("mute", "bot-1", journal=journal)
            for _ in range(20):
                answer = await bot.request(type="chat", room=room, text="hello")
                if answer["type"] == "error":
                    break
                await asyncio.sleep(1.1)  # or it would be told to wait
            assert (answer["code"], answer["message"]) == ("not_allowed", "You are muted for good.")
            await admin("ban", "bot-1", journal=journal)
            bot.pushed.clear()
            assert await closed_for(bot) == "banned"
            assert "banned      for good" in await admin("player", bot.id, journal=journal)


@pytest.fixture
async def journal(tmp_path: Path) -> str:
    """A journal whose server does not run."""
    path = tmp_path / "journal"
    await (await SqliteJournal.open(path)).close()
    return str(path)


def status(*words: str) -> int:
    """The exit status of ``noughts admin`` in this process."""
    with pytest.raises(SystemExit) as ended:
        main(["admin", *words])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_what_is_kept_of_a_player_is_told(journal: str, capsys: pytest.CaptureFixture[str]) -> None:
    where = f"--journal={journal}"
    assert status("bot", "bot-1", where) == 0
    told = capsys.readouterr()
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}\n", told.out)  # so that it can be led into a file
    player = re.findall(r"p-[a-z2-7]{13}", told.err)[0]
    assert status("mute", "bot-1", "--for", "2d", where) == 0
    assert re.fullmatch(rf"bot-1 \({player}\) may not chat until 20\S+Z\.\n", capsys.readouterr().out)
    assert status("ban", player, where) == 0
    assert capsys.readouterr().out == f"bot-1 ({player}) is banned for good.\n"
    assert status("player", "BOT-1", where) == 0
    shown = capsys.readouterr().out
    assert re.fullmatch(
        rf"id +{player}\nname +bot-1, registered\nkind +bot\nmuted +until 20\S+Z\nbanned +for good\nopen rooms +0\n",
        shown,
    )
    assert status("unban", "bot-1", where) == status("unmute", "bot-1", where) == 0
    capsys.readouterr()
    assert status("player", player, where) == 0
    assert re.search(r"muted +no\nbanned +no\n", capsys.readouterr().out)


def test_what_no_calendar_can_tell_is_for_good(journal: str, capsys: pytest.CaptureFixture[str]) -> None:
    where = f"--journal={journal}"
    assert status("bot", "bot-1", where) == 0
    assert status("ban", "bot-1", "--for", "999999w", where) == status("mute", "bot-1", "--for", "999999w", where) == 0
    assert status("player", "bot-1", where) == 0
    assert re.search(r"muted +for good\nbanned +for good\n", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ban", "nobody"], "there is no player of the id or registered name 'nobody'"),
        (["bot", "Minimax"], "the name Minimax is another's, or could be the computer's, a guest's or an id"),
        (["bot", "guest-ab12"], "the name guest-ab12 is another's, or could be the computer's, a guest's or an id"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_line(
    words: list[str], said: str, journal: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(*words, f"--journal={journal}") == 1
    assert capsys.readouterr().err == f"noughts admin: {said}\n"


def test_ratings_are_not_made_anew_of_what_is_not_known_here(journal: str, capsys: pytest.CaptureFixture[str]) -> None:
    async def write_a_newer_room() -> None:
        opened = await SqliteJournal.open(Path(journal))
        assert await opened.append(write("room", 1, b'{"schema":99,"kind":"opened"}', OVER))
        await opened.close()

    assert status("recompute", f"--journal={journal}") == 0
    assert capsys.readouterr().out == "There are 0 results, and the ratings are those of 0 rated games.\n"
    asyncio.run(write_a_newer_room())
    assert status("recompute", f"--journal={journal}") == 1
    said = "noughts admin: nothing was changed: room room cannot be read: the room was written by a newer server\n"
    assert capsys.readouterr().err == said


def test_a_name_is_given_once(journal: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("bot", "bot-1", f"--journal={journal}") == 0
    assert status("bot", "BOT-1", f"--journal={journal}") == 1
    assert capsys.readouterr().err.endswith(
        "noughts admin: the name BOT-1 is another's, or could be the computer's, a guest's or an id\n"
    )


def test_without_a_journal_nothing_is_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("bot", "bot-1", f"--journal={tmp_path / 'journal'}") == 1
    assert capsys.readouterr().err.startswith("noughts admin: there is no journal at ")
    assert list(tmp_path.iterdir()) == []
    assert status("bot", "bot-1", "--journal=memory") == 1
    assert "is its server's alone" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "noughts admin: error: the following arguments are required: ACTION"),
        (["bot"], "noughts admin bot: error: the following arguments are required: NAME"),
        (["bot", " a"], "noughts admin bot: error: argument NAME: a name has 1 to 32 characters"),
        (["bot", "\u3164"], "noughts admin bot: error: argument NAME: a name has 1 to 32 characters"),
        (["ban", "ann", "--for", "2"], "noughts admin ban: error: argument --for: not a time such as 30m"),
        (["ban", "ann", "--for", "0d"], "noughts admin ban: error: argument --for: not a time such as 30m"),
        (["unban", "ann", "--for", "1d"], "noughts admin unban: error: unrecognized arguments: --for 1d"),
        (["ban", "ann", "--port", "1"], "noughts admin ban: error: unrecognized arguments: --port 1"),
    ],
)
def test_bad_usage_is_told_by_the_action(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(*words) == 2
    told = capsys.readouterr().err
    assert told.startswith("usage: noughts admin ")
    assert said in told
