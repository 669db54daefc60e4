from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from noughts.bus import Hub, MemoryBus, Said
from noughts.features.chat import Chat
from noughts.journal import FOREVER, JournalError
from noughts.journal.talk import Talk
from noughts.protocol.contract import MESSAGES
from noughts.timing import Timing
from support.broker import Broker
from support.client import Client, Json, connected
from support.eventually import settle
from support.journals import MemoryJournal
from support.postgres import Postgres, database
from support.server import Node, running_gateway, running_server

QUICK = Timing(spectators_s=0.01)


@asynccontextmanager
async def table(url: str, other: str | None = None) -> AsyncIterator[tuple[str, Client, Client, Client, Client]]:
    """A room with two players and two spectators. The second of each is connected to ``other``, if given."""
    async with (
        connected(url, "ann") as ann,
        connected(other or url, "ben") as ben,
        connected(url, "eve") as eve,
        connected(other or url, "fay") as fay,
    ):
        room = await ann.create()
        await ben.join(room)
        for spectator in (eve, fay):
            await spectator.ok(type="watch", room=room)
        await asyncio.gather(*(until_spectators(client, 2) for client in (ann, ben, eve, fay)))
        yield room, ann, ben, eve, fay


async def until_spectators(client: Client, spectators: int) -> None:
    """Wait until the client has been sent this number, and drop what came before."""
    while True:
        message = await client.push()
        count = message["presence"]["spectators"] if message["type"] == "room" else message.get("count")
        if count == spectators:
            client.pushed.clear()
            return


async def say(client: Client, room: str, text: str) -> Json:
    return await client.request(type="chat", room=room, text=text)


async def lines(client: Client) -> list[tuple[str, str, str]]:
    """The lines that the client has got since the last call: who said what to which side."""
    assert (await client.request(type="ping"))["type"] == "pong"
    messages, client.pushed = client.pushed, []
    assert {message["type"] for message in messages} <= {"chat"}
    return [(message["name"], message["text"], message["to"]) for message in messages]


async def test_players_talk_to_players_and_spectators_to_spectators() -> None:
    async with (
        running_server(timing=QUICK) as url,
        table(url) as (room, ann, ben, eve, fay),
        connected(url) as elsewhere,
    ):
        answer = await say(ann, room, "good luck")
        assert (answer["type"], set(answer)) == ("ok", {"type", "id"})
        line = ann.pushed[0]
        assert set(line) == {"type", "room", "id", "name", "text", "at", "to"}
        assert (line["type"], line["room"], line["id"]) == ("chat", room, ann.id)
        assert (await say(fay, room, "who plays?"))["type"] == "ok"
        assert await lines(ann) == await lines(ben) == [("ann", "good luck", "players")]
        assert await lines(eve) == await lines(fay) == [("fay", "who plays?", "spectators")]
        assert await lines(elsewhere) == []
        # Chat is not part of the room's history.
        await eve.ok(type="watch", room=room, since=0)
        assert [(await eve.push())["type"] for _ in range(3)] == ["update", "update", "spectators"]
        await eve.quiet()


async def history(client: Client, room: str) -> list[tuple[str, str, str]]:
    """The lines that the server keeps for this client: speaker, text, side."""
    answer = await client.request(type="chat_history", room=room)
    MESSAGES.validate_python(answer)
    return [(line["name"], line["text"], line["to"]) for line in answer["lines"]]


async def test_the_last_lines_are_there_for_whoever_comes_back() -> None:
    async with (
        running_server(timing=QUICK) as url,
        table(url) as (room, ann, ben, eve, fay),
        connected(url, token=ann.token) as again,
    ):
        assert await again.refused(type="chat_history", room=room) == "not_allowed"
        await say(ann, room, "good luck")
        await say(ben, room, "thanks")
        await say(eve, room, "who plays?")
        await again.send(type="watch", id="w", room=room)
        lines_of_players = [("ann", "good luck", "players"), ("ben", "thanks", "players")]
        assert await history(again, room) == await history(ben, room) == lines_of_players
        assert await history(fay, room) == [("eve", "who plays?", "spectators")]
        assert await fay.refused(type="chat_history", room="nowhere") == "not_allowed"


async def test_chat_is_there_after_a_restart(tmp_path: Path) -> None:
    journal = str(tmp_path / "journal")
    async with running_server(timing=QUICK, journal=journal) as url, table(url) as (room, ann, ben, eve, _):
        await say(ann, room, "good luck")
        await say(ben, room, "thanks")
        await say(eve, room, "who plays?")
        token = ben.token
    async with running_server(journal=journal) as url, connected(url, None, token=token) as ben:
        await ben.ok(type="watch", room=room)
        assert await history(ben, room) == [("ann", "good luck", "players"), ("ben", "thanks", "players")]


class StuckJournal(MemoryJournal):
    """A journal that fails to store chat."""

    def __init__(self) -> None:
        super().__init__()
        self.talk = Stuck(self.database, self.now)


class Stuck(Talk):
    async def put(self, *_: object, **__: object) -> None:
        raise JournalError("no answer")


async def test_nobody_hears_a_line_that_is_not_stored() -> None:
    async with running_gateway(StuckJournal(), timing=QUICK) as node, table(node.url) as (room, ann, ben, *_):
        assert (await say(ann, room, "hello"))["code"] == "overloaded"
        assert await lines(ben) == []


async def test_a_muted_player_is_not_heard_on_any_device_and_after_a_return() -> None:
    async with running_server(timing=QUICK) as url, table(url) as (room, ann, ben, eve, fay):
        await say(ben, room, "before")
        await ann.ok(type="mute", player=ben.id)
        await say(ben, room, "rude")
        await say(ann, room, "hello")
        assert await lines(ann) == [("ben", "before", "players"), ("ann", "hello", "players")]
        assert [text for _, text, _ in await lines(ben)] == ["before", "rude", "hello"]
        async with connected(url, token=ann.token) as again:
            await again.ok(type="watch", room=room)
            assert await history(again, room) == [("ann", "hello", "players")]
            answer = await again.request(type="muted")
            MESSAGES.validate_python(answer)
            assert answer["players"] == [{"id": ben.id, "name": "ben", "kind": "human"}]
            await again.ok(type="mute", player=ben.id, muted=False)
            assert (await again.request(type="muted"))["players"] == []
        await ben.ok(type="register", name="Benjamin")
        await ann.ok(type="mute", player="benjamin")
        assert len((await ann.request(type="muted"))["players"]) == 1
        await ann.ok(type="mute", player="Benjamin", muted=False)
        assert (await ann.request(type="muted"))["players"] == []
        await say(ben, room, "sorry")
        assert [text for _, text, _ in await lines(ann)][-1] == "sorry"
        await fay.ok(type="mute", player=eve.id)
        await say(eve, room, "rude, too")
        assert await lines(fay) == []
        assert await ann.refused(type="mute", player=ann.id) == "not_allowed"
        assert await ann.refused(type="mute", player="p-nobody") == "unknown_player"


async def test_a_player_who_is_muted_is_not_heard_from_another_node() -> None:
    hub = Hub()
    other = MemoryBus("other", hub)
    async with running_gateway(bus=MemoryBus("node", hub)) as node, connected(node.url, "ann") as ann:
        async with connected(node.url, "cid") as cid:
            room = await ann.create()
            await ann.ok(type="mute", player=cid.id)
        for player in (cid.id, "p"):
            line = {"type": "chat", "room": room, "id": player, "name": "x", "text": player, "to": "players"}
            other.send(Said(room, json.dumps(line).encode()))
        assert (await ann.push("chat"))["text"] == "p"


async def test_a_report_reaches_the_log_and_the_operators_list(caplog: pytest.LogCaptureFixture) -> None:
    journal = MemoryJournal()
    async with running_gateway(journal, timing=QUICK) as node, table(node.url) as (room, ann, ben, eve, fay):
        await say(ben, room, "you fool")
        await say(eve, room, "we watch")
        await ann.ok(type="report", room=room, player=ben.id, reason="He insults me.")
        (report,) = await journal.talk.reports(10)
        assert (report.room, report.player, report.reporter, report.reason) == (room, ben.id, ann.id, "He insults me.")
        assert [line["text"] for line in json.loads(report.lines)] == ["you fool"], "what the reporter could see"
        assert f"report 1: player {ann.id} reports player {ben.id}" in caplog.text
        assert "insults" not in caplog.text
        assert room not in caplog.text, "its id lets anybody in who reads the log"
        await fay.ok(type="report", room=room, player=eve.id, reason="spam")
        refused = [
            await client.refused(type="report", room=room, player=player, reason="x")
            for client, player in ((ann, ann.id), (ann, fay.id), (ann, "p-nobody"))
        ]
        assert refused == ["not_allowed", "not_allowed", "unknown_player"]
        assert await ann.refused(type="report", room="nowhere", player=ben.id, reason="x") == "not_allowed"


async def test_a_preview_is_no_spectator_and_has_no_chat() -> None:
    async with (
        running_server(timing=QUICK) as url,
        table(url) as (room, ann, ben, eve, fay),
        connected(url, "gus") as gus,
    ):
        await gus.ok(type="watch", room=room, preview=True)
        assert (await gus.push("room"))["presence"]["spectators"] == 2
        await say(eve, room, "who plays?")
        assert await lines(fay) == [("eve", "who plays?", "spectators")]
        assert await lines(gus) == []
        assert await gus.refused(type="chat", room=room, text="hello") == "not_allowed"
        assert await gus.refused(type="chat_history", room=room) == "not_allowed"
        await ann.play(room, 0, "5")
        assert (await gus.push("update"))["state"]["moves"] == ["5"]
        # A rematch takes it along as it was.
        await ben.ok(type="resign", room=room)
        await ann.ok(type="offer_rematch", room=room)
        await ben.ok(type="accept_rematch", room=room)
        after = await gus.push("room")
        assert (after["previous"], after["presence"]["spectators"]) == (room, 2)
        await gus.ok(type="watch", room=after["room"])
        await until_spectators(eve, 3)
        await gus.ok(type="watch", room=after["room"], preview=True)  # a spectator stays one
        assert (await say(gus, after["room"], "hello"))["type"] == "ok"
        await gus.ok(type="leave", room=after["room"])
        await until_spectators(eve, 2)


async def test_a_player_who_only_previews_the_game_is_away() -> None:
    async with (
        running_server(timing=QUICK, away_s=0.05) as url,
        connected(url, "ann") as ann,
        connected(url, "ben") as ben,
    ):
        room = await ann.create()
        await ben.join(room)
        await ben.ok(type="watch", room=room, preview=True)
        async with connected(url, token=ben.token) as also_ben:
            await also_ben.ok(type="watch", room=room, preview=True)
            await ben.ok(type="leave", room=room)
            await until_kind(ann, "disconnected")
            await also_ben.ok(type="watch", room=room)
            await until_kind(ann, "returned")


async def until_kind(client: Client, kind: str) -> None:
    while (await client.push("update"))["event"]["kind"] != kind:
        pass


async def test_the_side_depends_on_the_seat_at_that_time() -> None:
    async with running_server(timing=QUICK) as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await ann.create()
        await ben.ok(type="watch", room=room)
        await until_spectators(ann, 1)
        await until_spectators(ben, 1)
        await say(ben, room, "may I?")
        assert (await lines(ben), await lines(ann)) == ([("ben", "may I?", "spectators")], [])
        async with connected(url, token=ann.token) as also_ann:
            await also_ann.ok(type="watch", room=room)
            await also_ann.push("room")
            await ben.join(room)
            await ann.push("update")
            await also_ann.push("update")
            for client in (ann, also_ann):
                await until_spectators(client, 0)
            await say(also_ann, room, "welcome")
            expected = [("ann", "welcome", "players")]
            assert [await lines(client) for client in (ann, also_ann, ben)] == [expected] * 3


async def test_only_watchers_can_chat_also_after_the_game() -> None:
    async with running_server(timing=QUICK) as url, table(url) as (room, ann, ben, eve, _):
        await ann.ok(type="resign", room=room)
        for client in (ann, ben, eve):
            await client.push("update")
        assert (await say(ben, room, "well played"))["type"] == "ok"
        assert await lines(ann) == [("ben", "well played", "players")]
        await ann.ok(type="leave", room=room)
        assert await ann.refused(type="chat", room=room, text="still here") == "not_allowed"
        assert await ann.refused(type="chat", room="nowhere", text="hello") == "not_allowed"
        assert await lines(ben) == [("ben", "well played", "players")]


async def test_a_line_right_after_watch_is_delivered(tmp_path: Path) -> None:
    """It is delivered although the room is still being loaded."""
    async with (
        running_server(journal=str(tmp_path / "journal")) as url,
        connected(url, "ann") as ann,
        connected(url, "eve") as eve,
    ):
        room = await ann.create()
        await ann.ok(type="leave", room=room)
        await eve.send(type="watch", id="w", room=room)
        await eve.send(type="chat", id="c", room=room, text="hello")
        messages = [await eve.receive() for _ in range(4)]
        assert [message.get("id", message["type"]) for message in messages] == ["w", "room", eve.id, "c"]


@pytest.mark.parametrize("text", ["", " hello", "a\nb", "\u202eolleh", "\0", "x" * 281, 7])
async def test_a_line_is_visible_text_of_some_length(text: object) -> None:
    async with running_server() as url, connected(url) as ann:
        room = await ann.create()
        assert await ann.refused(type="chat", room=room, text=text) == "bad_message"


def limit(node: Node, **limits: tuple[float, int]) -> None:
    """Give the chat of ``node`` other limits, each a rate per second and a burst."""
    chat, other = node.part(Chat), Chat(node.server, **limits)
    chat._by_player, chat._by_room = other._by_player, other._by_room


async def test_a_player_can_say_five_lines_at_once() -> None:
    async with (
        running_gateway(timing=QUICK) as node,
        table(node.url) as (room, ann, ben, *_),
        connected(node.url, token=ann.token) as also_ann,
    ):
        limit(node, per_player=(0.001, 5))
        await also_ann.ok(type="watch", room=room)
        for number in range(5):
            assert (await say((ann, also_ann)[number % 2], room, f"{number}"))["type"] == "ok"
        for client in (ann, also_ann):
            refusal = await say(client, room, "5")
            assert (refusal["code"], 990 < refusal["retry_after_s"] <= 1000) == ("rate_limited", True)
        assert [text for _, text, _ in await lines(ben)] == list("01234")
        assert (await say(ben, room, "my turn"))["type"] == "ok"


async def test_the_spectators_of_a_room_share_a_limit() -> None:
    """Each of their lines goes to all of them. Players are not affected."""
    async with running_gateway(timing=QUICK) as node, table(node.url) as (room, ann, _, eve, fay):
        limit(node, per_room=(0.001, 3))
        another = await ann.create()
        await eve.ok(type="watch", room=another)
        for number in range(3):
            assert (await say((eve, fay)[number % 2], room, f"{number}"))["type"] == "ok"
        assert [(await say(client, room, "3"))["code"] for client in (eve, fay)] == ["rate_limited"] * 2
        assert (await say(ann, room, "hello"))["type"] == "ok"
        assert (await say(eve, another, "hello"))["type"] == "ok"


async def test_a_muted_player_learns_until_when() -> None:
    journal = MemoryJournal()
    async with running_gateway(journal, timing=QUICK) as node, table(node.url) as (room, ann, ben, *_):
        now = journal.now()
        for until, words in ((now + 3_600_000, "muted until 20"), (FOREVER, "muted permanently.")):
            await journal.people.mute(ann.id, until)
            async with connected(node.url, token=ann.token) as again:
                await again.ok(type="watch", room=room)
                refusal = await say(again, room, "hello")
                assert (refusal["code"], words in refusal["message"]) == ("not_allowed", True)
        await journal.people.mute(ann.id, now)
        async with connected(node.url, token=ann.token) as again:
            await again.ok(type="watch", room=room)
            await again.ok(type="chat", room=room, text="hello again")
        assert await lines(ben) == [("ann", "hello again", "players")]


async def test_a_line_that_comes_twice_by_the_bus_is_delivered_once() -> None:
    hub = Hub()
    other = MemoryBus("other", hub)
    lines_sent: list[Said] = []
    other.listeners.append(lambda hint: lines_sent.append(hint) if isinstance(hint, Said) else None)
    async with (
        running_gateway(bus=MemoryBus("node", hub), timing=QUICK) as node,
        table(node.url) as (room, ann, ben, *_),
    ):
        other.follow(room)
        for _ in range(2):
            await ann.ok(type="chat", room=room, text="ha")
        assert await lines(ben) == [("ann", "ha", "players")] * 2
        assert lines_sent[0] != lines_sent[1]
        for _ in range(2):
            other.send(Said(room, b'{"type":"chat","id":"p","name":"cid","text":"ho","to":"players"}'))
        await settle(0.05)
        assert await lines(ben) == [("cid", "ho", "players")]


@pytest.mark.services
async def test_lines_reach_other_nodes(broker: Broker, postgres: Postgres) -> None:
    prefix = f"tests/{secrets.token_hex(8)}"
    async with (
        database(postgres) as journal,
        running_server(journal=journal, bus=broker.url, bus_prefix=prefix) as one,
        running_server(journal=journal, bus=broker.url, bus_prefix=prefix) as two,
        table(one, two) as (room, ann, ben, eve, fay),
    ):
        await ann.ok(type="chat", room=room, text="from one")
        await ben.ok(type="chat", room=room, text="from two")
        await eve.ok(type="chat", room=room, text="we watch")
        await fay.ok(type="chat", room=room, text="we too")
        received: dict[Client, set[tuple[str, str, str]]] = {client: set() for client in (ann, ben, eve, fay)}
        for client, got in received.items():
            while len(got) < 2:
                message = await client.push("chat")
                got.add((message["name"], message["text"], message["to"]))
        assert received[ann] == received[ben] == {("ann", "from one", "players"), ("ben", "from two", "players")}
        assert received[eve] == received[fay] == {("eve", "we watch", "spectators"), ("fay", "we too", "spectators")}
        for client, heard in received.items():
            assert await lines(client) == []
            assert set(await history(client, room)) == heard, "each node remembers what all have heard"


@pytest.mark.services
async def test_without_a_bus_a_line_stays_on_its_node(postgres: Postgres) -> None:
    async with (
        database(postgres) as journal,
        running_server(journal=journal) as one,
        running_server(journal=journal) as two,
        connected(one, "ann") as ann,
        connected(two, "ben") as ben,
    ):
        room = await ann.create()
        await ben.join(room)
        await ann.push("update")
        await ann.ok(type="chat", room=room, text="hello")
        assert (await lines(ann), await lines(ben)) == ([("ann", "hello", "players")], [])
