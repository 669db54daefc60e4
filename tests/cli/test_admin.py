"""``noughts admin``, on a journal that a server is using and on one that none is."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from gateway.test_http import fetch
from noughts.journal import SqliteJournal
from support.client import Client, connected, turned_away
from support.command import Result, noughts, noughts_aside
from support.eventually import soon
from support.files import bytes_in
from support.postgres import Postgres, database
from support.server import running_server
from support.writes import OVER, write

TAKEN = "is taken or reserved, or looks like one that is"


async def admin(*words: str, journal: Path | str) -> str:
    """The output of ``noughts admin`` beside a running server; it must succeed."""
    result = await noughts_aside("admin", *words, journal=journal)
    assert result.status == 0, result.err
    return result.out.decode()


async def code_of_close(client: Client) -> str:
    """The code of the error after which the server closes the connection."""
    error = await client.receive()
    await client.socket.wait_closed()
    assert client.socket.close_code == 1008
    return str(error["code"])


async def test_a_running_server_notices_changes(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    async with running_server(journal=str(journal)) as url:
        token = (await admin("bot", "bot-1", journal=journal)).removesuffix("\n")
        async with connected(url, token=token) as bot, connected(url, "ann") as ann:
            assert bot.welcome["player"] == {"id": bot.id, "name": "bot-1", "kind": "bot", "registered": True}
            assert await turned_away(url, name="BOT-1") == "name_taken"
            await ann.ok(type="register")
            room = await ann.create()
            await admin("revoke", "ann", journal=journal)
            assert await code_of_close(ann) == "bad_token"
            assert await turned_away(url, token=ann.token) == "bad_token"
            await admin("ban", bot.id, "--for", "1h", journal=journal)
            assert await code_of_close(bot) == "banned"
            assert await turned_away(url, token=token) == "banned"
        await admin("unban", "bot-1", journal=journal)
        async with connected(url, token=token) as bot:
            await bot.join(room)
        new = (await admin("token", "Ann", journal=journal)).removesuffix("\n")
        async with connected(url, token=new) as again:
            assert (await again.ok(type="watch", room=room))["seat"] == "first"
    stored = bytes_in(tmp_path)
    assert not any(each.encode() in stored for each in (token, new, ann.token))


async def test_banned_addresses_are_turned_away_until_the_ban_is_lifted(tmp_path: Path) -> None:
    journal = tmp_path / "journal"

    async def client(url: str, address: str) -> Client:
        socket = await connect(url, additional_headers={"X-Forwarded-For": address})
        await Client(socket).request(type="hello", protocol=1)
        return Client(socket)

    async def refusal(url: str, address: str) -> str:
        with pytest.raises(InvalidStatus) as refused:
            await client(url, address)
        assert refused.value.response.status_code == 403
        return bytes(refused.value.response.body or b"").decode()

    async with running_server(journal=str(journal), trusted_proxies=["127.0.0.1"]) as url:
        ann, ben = await client(url, "203.0.113.9"), await client(url, "2001:db8:1:2::7")
        said = await admin("ban", "203.0.113.0/24", "--for", "1h", journal=journal)
        assert said.startswith("203.0.113.0/24 is banned until 20")
        assert await code_of_close(ann) == "banned"
        assert (await refusal(url, "203.0.113.200")).startswith("Your address is banned from this server until 20")
        assert (await ben.request(type="ping"))["type"] == "pong"
        await admin("ban", "2001:db8:1:2::7", journal=journal)
        assert await code_of_close(ben) == "banned"
    async with running_server(journal=str(journal), trusted_proxies=["127.0.0.1"]) as url:
        assert await refusal(url, "2001:db8:1:2::8") == "Your address is banned from this server.\n"
        statuses = [await fetch(url, path, **{"X-Forwarded-For": "203.0.113.9"}) for path in ("/healthz", "/version")]
        assert [page.status for page in statuses] == [200, 403]
        bans = [line.split()[:2] for line in (await admin("list", "bans", journal=journal)).splitlines()]
        assert bans == [["2001:db8:1:2::/64", "banned"], ["203.0.113.0/24", "banned"]]
        result = await noughts_aside("admin", "unban", "203.0.113.9", journal=journal)
        assert "203.0.113.9/32 is not banned itself" in result.err
        assert await admin("unban", "203.0.113.0/24", journal=journal) == "203.0.113.0/24 is no longer banned.\n"
        async with asyncio.timeout(60):
            while True:
                try:
                    again = await client(url, "203.0.113.9")
                    break
                except InvalidStatus:
                    await asyncio.sleep(0.05)
        await again.socket.close()


@pytest.mark.services
async def test_a_server_with_a_database_notices_changes(postgres: Postgres) -> None:
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
                await asyncio.sleep(1.1)  # chat is limited to one message a second
            assert answer["code"] == "not_allowed"
            assert "muted" in answer["message"]
            await admin("ban", "bot-1", journal=journal)
            bot.pushed.clear()
            assert await code_of_close(bot) == "banned"
            assert "banned      forever" in await admin("player", bot.id, journal=journal)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A journal that no server is using."""

    async def create() -> None:
        await (await SqliteJournal.open(tmp_path / "journal")).close()

    asyncio.run(create())
    return tmp_path / "journal"


def run(*words: str, journal: Path, status: int = 0) -> Result:
    """Run ``noughts admin``, which must end with ``status``."""
    result = noughts("admin", *words, journal=journal)
    assert result.status == status, result.err
    return result


def test_the_stored_data_of_a_player_is_shown(journal: Path) -> None:
    created = run("bot", "bot-1", journal=journal)
    assert re.fullmatch(rb"[A-Za-z0-9_-]{43}\n", created.out)  # nothing else, so that it can be redirected to a file
    player = re.findall(r"p-[a-z2-7]{13}", created.err)[0]
    muted = run("mute", "bot-1", "--for", "2d", journal=journal).out.decode()
    assert re.fullmatch(rf"bot-1 \({player}\) is muted until 20\S+Z\.\n", muted)
    assert run("ban", player, journal=journal).out.decode() == f"bot-1 ({player}) is banned forever.\n"
    assert re.fullmatch(
        rf"id +{player}\nname +bot-1, registered\nkind +bot\nmuted +until 20\S+Z\nbanned +forever\n"
        r"invited +no\ndevices +1\nopen rooms +0\n",
        run("player", "BOT-1", journal=journal).out.decode(),
    )
    for word, restricted in (("unban", "banned"), ("unmute", "muted")):
        lifted = run(word, "bot-1", journal=journal).out.decode()
        assert lifted == f"bot-1 ({player}) is no longer {restricted}.\n"
        again = run(word, "bot-1", journal=journal, status=1).err
        assert again == f"noughts admin: bot-1 ({player}) is not {restricted}; see noughts admin list bans\n"
    assert re.search(r"muted +no\nbanned +no\n", run("player", player, journal=journal).out.decode())


@pytest.mark.parametrize(
    ("network", "own"),
    [("127.0.0.1", True), ("127.0.0.0/8", True), ("0.0.0.0/1", True), ("::1", True), ("203.0.113.9", False)],
)
def test_a_ban_of_the_own_machine_is_warned_of(network: str, own: bool, journal: Path) -> None:
    result = run("ban", network, journal=journal)
    assert b"is banned forever.\n" in result.out
    assert ("addresses of the server's own machine" in result.err) is own


def test_a_time_past_the_calendar_means_forever(journal: Path) -> None:
    run("bot", "bot-1", journal=journal)
    run("ban", "bot-1", "--for", "999999w", journal=journal)
    run("mute", "bot-1", "--for", "999999w", journal=journal)
    assert re.search(r"muted +forever\nbanned +forever\n", run("player", "bot-1", journal=journal).out.decode())


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["ban", "0.0.0.0/0"], "0.0.0.0/0 is everybody"),
        (["ban", "nobody"], "no player has the id or registered name 'nobody'"),
        (["bot", "Minimax"], f"the name Minimax {TAKEN}"),
        (["bot", "guest-ab12"], f"the name guest-ab12 {TAKEN}"),
        (["bot", "Deleted Player"], f"the name Deleted Player {TAKEN}"),
        (["rename", "nobody", "Ann"], "no player has the id or registered name 'nobody'"),
        (["delete", "nobody", "--yes"], "no player has the id or registered name 'nobody'"),
        (["adjudicate", "room", "draw"], "no game is under way in the room 'room'; see noughts admin list games"),
        (["uninvite", "x"], "there is no such invitation that can be used; see noughts admin list invitations"),
    ],
)
def test_a_failure_is_reported_in_one_line(words: list[str], error: str, journal: Path) -> None:
    assert run(*words, journal=journal, status=1).err == f"noughts admin: {error}\n"


def test_nothing_is_recomputed_from_records_of_a_newer_version(journal: Path) -> None:
    async def write_a_newer_room() -> None:
        opened = await SqliteJournal.open(journal)
        assert await opened.append(write("room", 1, b'{"schema":99,"kind":"opened"}', OVER))
        await opened.close()

    assert run("recompute", journal=journal).out == b"Recomputed 0 results and the ratings of 0 rated games.\n"
    asyncio.run(write_a_newer_room())
    assert run("recompute", journal=journal, status=1).err.startswith("noughts admin: nothing was changed: room ")


def test_a_name_can_be_given_only_once(journal: Path) -> None:
    run("bot", "bot-1", journal=journal)
    assert run("bot", "BOT-1", journal=journal, status=1).err == f"noughts admin: the name BOT-1 {TAKEN}\n"


def test_no_journal_is_created(tmp_path: Path) -> None:
    assert run("bot", "bot-1", journal=tmp_path / "none", status=1).err.startswith("noughts admin: ")
    assert list(tmp_path.iterdir()) == []
    assert run("bot", "bot-1", journal=Path("memory"), status=1).err.startswith("noughts admin: ")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ([], "noughts admin: error: the following arguments are required: ACTION"),
        (["bot"], "noughts admin bot: error: the following arguments are required: NAME"),
        (["list"], "noughts admin list: error: the following arguments are required: players|bans|games|inv"),
        (["list", "ban"], "|reports|acts: not one of players, bans, games, invitations, reports, acts"),
        (["announce", "a\nb"], "argument TEXT: an announcement is a line of 1 to 280 visible characters"),
        (["invite", "--uses", "0"], "argument --uses: must be a whole number"),
        (["bot", " a"], "noughts admin bot: error: argument NAME: a name has 1 to 32 visible characters"),
        (["bot", "\u3164"], "noughts admin bot: error: argument NAME: a name has 1 to 32 visible characters"),
        (["ban", "ann", "--for", "2"], "noughts admin ban: error: argument --for: must be a time such as 30m"),
        (["ban", "ann", "--for", "0d"], "noughts admin ban: error: argument --for: must be a time such as 30m"),
        (["unban", "ann", "--for", "1d"], "noughts admin unban: error: unrecognized arguments: --for 1d"),
        (["ban", "ann", "--port", "1"], "noughts admin ban: error: unrecognized arguments: --port 1"),
    ],
)
def test_wrong_usage_is_reported_by_the_action(words: list[str], error: str) -> None:
    result = noughts("admin", *words)
    assert result.status == 2
    assert result.err.startswith("usage: noughts admin ")
    assert error in result.err


async def test_reports_are_listed_and_shown_with_their_chat(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    async with running_server(journal=str(journal)) as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        nobody = await noughts_aside("admin", "list", "reports", journal=journal)
        assert (nobody.out, nobody.err) == (b"", "No player has been reported.\n")
        room = await ann.create()
        await ben.join(room)
        await ben.ok(type="chat", room=room, text="you fool")
        await ann.ok(type="report", room=room, player=ben.id, reason="insults")
        listed = await admin("list", "reports", journal=journal)
        assert re.fullmatch(rf"1  \S+Z  {room}  ben \({ben.id}\)  by ann \({ann.id}\)  insults\n", listed)
        shown = await admin("report", "1", journal=journal)
        assert shown.startswith(f"player  ben ({ben.id})\nroom    {room}, ")
        assert re.search(rf"\n\n\S+Z  ben \({ben.id}\)  you fool\n$", shown)
        missing = await noughts_aside("admin", "report", "2", journal=journal)
        assert missing.err == "noughts admin: there is no report 2; see noughts admin list reports\n"


async def test_players_bans_and_games_are_listed(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    async with running_server(journal=str(journal)) as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        await ann.ok(type="register")
        room = await ann.create(private=True)
        await ben.join(room)
        waiting = await ben.create()
        await admin("bot", "bot-1", journal=journal)
        players = await admin("list", "players", journal=journal)
        assert re.fullmatch(rf"{ann.id}  human  ann\np-\w+  bot    bot-1\n", players)
        nobody = await noughts_aside("admin", "list", "bans", journal=journal)
        assert (nobody.out, nobody.err) == (b"", "Nobody is banned or muted now.\n")
        games = await admin("list", "games", journal=journal)
        assert re.fullmatch(
            rf"{waiting}  \w{{8}}  tictactoe  waiting  public   ben \({ben.id}\) against nobody\n"
            rf"{room}  \w{{8}}  tictactoe  playing  private  ann \({ann.id}\) against ben \({ben.id}\)\n",
            games,
        )
        await admin("mute", "bot-1", "--for", "1h", journal=journal)
        await admin("ban", "ann", journal=journal)
        await admin("ban", ben.id, "--for", "1d", journal=journal)
        bans = [line.split() for line in (await admin("list", "bans", journal=journal)).splitlines()]
        assert [(line[0], line[1], line[-1]) for line in bans] == [
            (ann.id, "banned", "ann"),
            (ben.id, "banned", "ben"),
            (bans[2][0], "muted", "bot-1"),
        ]
        first = await noughts_aside("admin", "list", "players", "--limit", "1", journal=journal)
        assert first.out.decode() == players.splitlines(keepends=True)[0]
        assert first.err == "There are more than 1; --limit N shows N.\n"


async def test_leftover_rooms_are_closed_by_the_running_server(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    async with running_server(journal=str(journal)) as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        await ann.ok(type="register")
        waiting, begun, other = await ann.create(), await ann.create(), await ben.create()
        await ben.join(begun)
        for turn, (player, move) in enumerate([(ann, "1"), (ben, "2")]):
            assert (await player.play(begun, turn, move))["type"] == "ok"
        closed = await admin("close-rooms", "Ann", journal=journal)
        assert {line.split()[0] for line in closed.splitlines()} == {waiting, begun}
        for room, reason in ((waiting, "aborted"), (begun, "abandonment")):
            outcome = await ended(ann, room)
            assert (outcome["winner"], outcome["reason"]) == (None, reason)
        assert "open rooms  0" in await admin("player", "ann", journal=journal)
        assert (await admin("close-rooms", other, journal=journal)).startswith(other)
        assert (await ended(ben, other))["reason"] == "aborted"
        refused = await noughts_aside("admin", "close-rooms", "ann", journal=journal)
        assert refused.status == 1
        assert refused.err.startswith("noughts admin: no room that is not over has the id 'ann', or was opened by")


async def ended(client: Client, room: str) -> Any:
    """The outcome with which the server closes ``room``, which the client watches."""
    async with asyncio.timeout(60):
        while True:
            update = await client.push("update")
            if update["room"] == room and update["event"]["kind"] == "ended":
                return update["state"]["outcome"]


async def test_a_class_gets_a_bot_and_a_file_for_each_student(tmp_path: Path) -> None:
    journal, folder, roster = tmp_path / "journal", tmp_path / "tokens", tmp_path / "roster.csv"
    roster.write_text("student,name\nada,Ada Lovelace\nminimax,A name that is reserved\nben,Ben\n")
    async with running_server(journal=str(journal)) as url:
        result = await noughts_aside("admin", "class", str(roster), str(folder), journal=journal)
        assert result.status == 1
        assert result.err.count("taken or reserved") == 1
        assert result.out.decode().startswith(f"Created 2 bots in the journal {journal}, ")
        tokens = dict(line.split() for line in (folder / "tokens.txt").read_text().splitlines())
        assert [*tokens] == ["ada", "ben"]
        assert tokens["ada"] in (folder / "ada.txt").read_text()
        assert tokens["ada"] not in (folder / "ben.txt").read_text()
        assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
        async with connected(url, token=tokens["ada"]) as bot:
            assert bot.welcome["player"]["name"] == "ada"
            assert bot.welcome["player"]["registered"]
        again = await noughts_aside("admin", "class", str(roster), str(folder), journal=journal)
        assert "has tokens already. For another journal, name another folder" in again.err


@pytest.mark.parametrize("text", [None, "no columns\n"])
async def test_a_class_needs_a_roster(tmp_path: Path, text: str | None) -> None:
    roster = tmp_path / "roster.csv"
    if text is not None:
        roster.write_text(text)
    async with running_server(journal=str(tmp_path / "journal")):
        result = await noughts_aside("admin", "class", str(roster), str(tmp_path / "t"), journal=tmp_path / "journal")
    assert result.status == 1
    assert len(result.err.splitlines()) == 1
    assert not (tmp_path / "t").exists()


async def test_a_renamed_player_is_called_so_at_once(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    async with running_server(journal=str(journal)) as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        await ann.ok(type="register")
        await ben.ok(type="register")
        said = await admin("rename", "ann", "Zoe", journal=journal)
        assert said.startswith(f"ann ({ann.id}) is Zoe now, and owns that name.")
        async with asyncio.timeout(60):  # until the server has noticed, "ann" is not hers to register
            while True:
                if (await ann.request(type="register"))["type"] == "ok":
                    break
                await asyncio.sleep(0.05)
        assert (await ann.join(await ben.create()))["state"]["seats"]["second"]["name"] == "Zoe"
        refused = await noughts_aside("admin", "rename", "Zoe", "BEN", journal=journal)
        assert refused.err == f"noughts admin: the name BEN {TAKEN}\n"
        refused = await noughts_aside("admin", "rename", "Zoe", "minimax", journal=journal)
        assert refused.err == f"noughts admin: the name minimax {TAKEN}\n"


@pytest.mark.parametrize(
    ("words", "winner"), [("second", "second"), ("X", "first"), ("BEN", "second"), ("draw", None), ("p-", "first")]
)
async def test_the_operator_decides_a_game(words: str, winner: str | None, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    async with running_server(journal=str(journal)) as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room, waiting = await ann.create(), await ann.create()
        await ben.join(room)
        for turn, (player, move) in enumerate([(ann, "1"), (ben, "2")]):
            assert (await player.play(room, turn, move))["type"] == "ok"
        result = await noughts_aside("admin", "adjudicate", waiting, "draw", journal=journal)
        assert result.err.startswith("noughts admin: no game is under way in the room")
        result = await noughts_aside("admin", "adjudicate", room, "zoe", journal=journal)
        assert result.err == "noughts admin: 'zoe' is neither player; say first, second or draw\n"
        assert room in await admin("adjudicate", room, ann.id if words == "p-" else words, journal=journal)
        assert await ended(ben, room) == {"winner": winner, "reason": "adjudication", "cells": []}
        tally = (await ann.request(type="player", player=ann.id))["record"]
        results = {"first": "won", "second": "lost", None: "drawn"}
        assert tally == [{"game": "tictactoe", "won": 0, "drawn": 0, "lost": 0, results[winner]: 1}]


async def test_everybody_hears_an_announcement_and_who_comes_soon_after(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    async with running_server(journal=str(journal)) as url, connected(url, "ann") as ann:
        assert "announcement" not in ann.welcome
        await admin("announce", "We restart at 8 pm.", journal=journal)
        told = await ann.push("announcement")
        assert told["text"] == "We restart at 8 pm."
        async with connected(url, "ben") as ben:
            assert ben.welcome["announcement"] == {"text": told["text"], "at": told["at"]}
    async with running_server(journal=str(journal)) as url, connected(url, "ann") as ann:
        assert ann.welcome["announcement"]["text"] == "We restart at 8 pm.", "after a restart, too"
        await ann.quiet()


async def test_an_invitation_lets_so_many_players_in_until_it_is_ended(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    async with running_server(journal=str(journal), registration="invited") as url:
        code = (await admin("invite", "the chess club", "--uses", "2", "--for", "1d", journal=journal)).strip()
        assert re.fullmatch("([a-z2-7]{4}-){5}[a-z2-7]{4}", code)
        async with connected(url, "ann") as ann, connected(url, "eve") as eve:
            await ann.ok(type="enter", code=code)
            await ann.create()
            listed = await admin("list", "invitations", journal=journal)
            assert re.fullmatch(r"[a-z2-7]{16}  1 of 2 used  until 20\S+Z  the chess club\n", listed)
            assert "invited     yes" in await admin("player", ann.id, journal=journal)
            await admin("uninvite", listed.split()[0], journal=journal)
            assert await eve.refused(type="enter", code=code) == "bad_code"
            await ann.create()
        stored = bytes_in(tmp_path)
        assert code.encode() not in stored


def test_an_invitation_is_a_link_where_the_servers_address_is_known(
    journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOUGHTS_PUBLIC_URL", "https://play.example.org/")
    assert re.fullmatch(rb"https://play\.example\.org/#invitation=[a-z2-7-]{29}\n", run("invite", journal=journal).out)


async def test_a_deleted_players_name_is_shown_nowhere(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    async with (
        running_server(journal=str(journal)) as url,
        connected(url, "Annabel") as ann,
        connected(url, "ben") as ben,
        connected(url, "eve") as eve,
    ):
        await ann.ok(type="register")
        over, begun, waiting = await ann.create(), await ben.create(), await ann.create()
        await ben.join(over)
        await ann.join(begun)
        assert (await ben.request(type="resign", room=over))["type"] == "ok"
        assert (await ben.play(begun, 0, "1"))["type"] == "ok"
        await ann.ok(type="chat", room=over, text="Well played")
        await eve.ok(type="watch", room=begun)
        asked = await noughts_aside("admin", "delete", "annabel", journal=journal)
        assert asked.status == 1
        assert asked.err.startswith("noughts admin: nothing was changed: --yes deletes Annabel")
        said = await admin("delete", "annabel", "--yes", journal=journal)
        assert said.startswith(f"{ann.id} is deleted: the name, tokens, ratings and seeks. The opponent wins the game")
        error = await ann.push("error")
        assert error["code"] == "bad_token"
        outcome = await ended(ben, begun)
        assert outcome == {"winner": "first", "reason": "adjudication", "cells": []}
        room = await eve.push("room")
        while "deleted player" not in str(room):  # the first is from before
            room = await eve.push("room")
        seen = [
            room,
            (await eve.ok(type="watch", room=over)),
            await eve.push("room"),
            await ben.request(type="games", over=True),
            await ben.request(type="player", player=ben.id),
            await eve.ok(type="lobby"),
            await eve.ok(type="watch", room=waiting),
            await eve.push("room"),
        ]
        assert "Annabel" not in str(seen)
        assert str(seen).count("deleted player") >= 5
        for kind in ("jsonl", "txt"):
            page = await fetch(url, f"/games/{over}.{kind}")
            assert b"Annabel" not in page.body
            assert b"deleted player" in page.body
        assert await ben.refused(type="player", player=ann.id) == "unknown_player"
        assert await turned_away(url, token=ann.token) == "bad_token"
        assert await turned_away(url, name="minimax") == "name_taken"
        async with connected(url, "Annabel") as other:  # the name is free
            await other.ok(type="register")
    async with running_server(journal=str(journal)) as url, connected(url, "ben") as ben:
        await ben.ok(type="watch", room=over)
        assert (await ben.push("room"))["state"]["seats"]["first"]["name"] == "deleted player"
    exported = await noughts_aside("export", journal=journal)
    assert b"Annabel" not in exported.out
    assert exported.out.count(b"deleted player") >= 2
    assert b"Annabel" in bytes_in(tmp_path), "the records are as they were"


async def test_all_that_is_stored_about_a_player_is_exported(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    async with running_server(journal=str(journal)) as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        await ann.ok(type="register")
        over, begun = await ann.create(private=True), await ben.create()
        await ben.join(over)
        await ann.join(begun)
        assert (await ben.request(type="resign", room=over))["type"] == "ok"
        await ann.ok(type="chat", room=over, text="Well played")
        await admin("mute", "ann", "--for", "1h", journal=journal)
        data = json.loads(await admin("export", "ann", journal=journal))
        assert data["player"]["id"] == ann.id
        assert data["player"]["muted_until"] > "20"
        assert [len(data["devices"]), data["ratings"]] == [1, []]
        assert [each["kind"] for each in data["acts"]] == ["mute"]
        assert [each["text"] for each in data["chat"]] == ["Well played"]
        assert [(each["room"], each["records"][-1]["kind"]) for each in data["games"]] == [(over, "ended")]
        assert [(each["room"], each["records"][-1]["kind"]) for each in data["unfinished"]] == [(begun, "joined")]
        assert ann.token not in str(data)
        acts = (await admin("list", "acts", journal=journal)).splitlines()
        assert [line.split()[2:4] for line in acts] == [["export", ann.id], ["mute", ann.id]]


async def test_a_running_server_logs_what_the_operator_does(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "noughts.gateway.operator")
    journal = tmp_path / "journal"
    async with running_server(journal=str(journal)):
        await admin("ban", "203.0.113.0/24", journal=journal)
        await soon(lambda: any("ban 203.0.113.0/24 forever" in line for line in caplog.messages))
    assert caplog.messages[-1].startswith("operator ")


@pytest.mark.services
async def test_any_node_carries_on_from_what_the_operator_does(postgres: Postgres) -> None:
    async with (
        database(postgres) as journal,
        running_server(journal=journal) as one,
        running_server(journal=journal) as two,
        connected(one, "Annabel") as ann,
        connected(two, "ben") as ben,
    ):
        await ann.ok(type="register")
        room, other = await ann.create(), await ben.create()
        await ben.join(room)
        await ann.join(other)
        await admin("announce", "Hello", journal=journal)
        assert (await ann.push("announcement"))["text"] == (await ben.push("announcement"))["text"] == "Hello"
        await admin("adjudicate", room, "draw", journal=journal)
        assert (await ended(ben, room))["reason"] == "adjudication"
        await admin("delete", "annabel", "--yes", journal=journal)
        assert (await ended(ben, other))["winner"] == "first"
        async with asyncio.timeout(60):
            while True:  # the news of either may come first
                await ben.ok(type="watch", room=other)
                if (await ben.push("room"))["state"]["seats"]["second"]["name"] == "deleted player":
                    break
                await asyncio.sleep(0.1)
        assert "deleted player" in str(await ben.request(type="games", over=True))
        assert (await admin("list", "acts", journal=journal)).count("\n") == 3
