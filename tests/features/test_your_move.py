"""Players learn that it is their move: by a message to all their clients, and at the URL that they have set."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from noughts.bus import Hub, MemoryBus
from noughts.features.your_move import AT_ONCE, HELLO, YourMove
from noughts.journal.webhooks import ATTEMPTS
from noughts.protocol.contract import MESSAGES
from noughts.protocol.words import DAY_S
from noughts.timing import Timing
from noughts.webhook.call import CallFailed, post
from noughts.webhook.destination import Destination
from support.client import Client, Json, connected
from support.eventually import settle, soon
from support.journals import MemoryJournal
from support.server import QUICK, Node, ServerProcess, running_gateway, running_server
from support.writes import player

THREE = {"per_move_s": 3 * DAY_S}
URL = "https://club.example/hook"


class Post:
    """Takes the place of the network: notes each call, and fails as long as ``failure`` is set."""

    def __init__(self) -> None:
        self.calls: list[tuple[Destination, Json, dict[str, str]]] = []
        self.failure: CallFailed | None = None
        self.slow = asyncio.Event()
        self.slow.set()
        self.under_way = 0

    async def __call__(self, to: Destination, body: bytes, headers: dict[str, str]) -> None:
        self.under_way += 1
        await self.slow.wait()
        self.under_way -= 1
        self.calls.append((to, json.loads(body), headers))
        if self.failure is not None:
            raise self.failure

    @property
    def bodies(self) -> list[Json]:
        return [body for _, body, _ in self.calls]


@asynccontextmanager
async def calling(
    journal: MemoryJournal | None = None, bus: MemoryBus | None = None, **options: object
) -> AsyncIterator[tuple[Node, Post]]:
    """A node that makes calls, and what stands for the network."""
    sender = Post()
    timing = Timing(webhooks_s=0.02, lobby_list_s=0)
    async with running_gateway(journal, bus, timing=timing, **{"webhooks": True, **options}) as node:  # type: ignore[arg-type]
        calls = node.part(YourMove)
        calls.send = sender
        running = asyncio.create_task(calls.run())
        yield node, sender
        running.cancel()


async def begin(ann: Client, ben: Client, moves: str = "") -> str:
    """A game of days after some moves. Ann has the first move."""
    room = await ann.create(clock=THREE)
    await ben.join(room)
    for turn, move in enumerate(moves):
        assert (await (ann, ben)[turn % 2].play(room, turn, move))["type"] == "ok"
    return room


async def test_all_clients_of_a_player_are_told_wherever_they_look() -> None:
    hub = Hub()
    journal = MemoryJournal()
    async with (
        running_gateway(journal, MemoryBus("one", hub)) as one,
        running_gateway(journal, MemoryBus("two", hub)) as two,
        connected(one.url, "ann") as ann,
        connected(one.url, "ben") as ben,
        connected(two.url, token=ben.token) as phone,
    ):
        room = await begin(ann, ben)
        await ben.ok(type="leave", room=room)
        ben.pushed.clear()
        await ann.play(room, 0, "5")
        told = await ben.push()
        MESSAGES.validate_python(told)
        assert await phone.push() == told
        seen = (told["type"], told["room"], told["game"], told["opponent"], told["side"], told["turn"])
        assert seen == ("your_move", room, "tictactoe", "ann", "second", 1)
        game = (await ben.request(type="games"))["games"][0]
        assert game["to_move"] == "second"
        assert (await ann.push("your_move"))["turn"] == 0, "the game began with her move"
        await ann.request(type="ping")
        assert "your_move" not in [one["type"] for one in ann.pushed]


async def test_games_with_other_clocks_and_against_the_computer_call_nobody() -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        for clock in (None, {"per_move_s": 3600}):
            room = await ann.create(clock=clock)
            await ben.join(room)
            await ann.play(room, 0, "5")
        alone = await ann.create(clock=THREE, second="computer:easy")
        await ann.play(alone, 0, "5")
        told = await ann.push("your_move")
        assert (told["room"], told["turn"]) == (alone, 2), "the computer has answered"
        await ben.request(type="ping")
        assert "your_move" not in [one["type"] for one in (*ann.pushed, *ben.pushed)]


async def test_a_player_is_called_at_its_url_once_for_each_turn() -> None:
    async with calling(public_url="https://play.example") as (node, sender):
        async with connected(node.url, "ann") as ann, connected(node.url, "b@n <!here>") as ben:
            told = await ann.request(type="set_webhook", url=URL)
            MESSAGES.validate_python(told)
            assert (told["url"], told["outcome"], told["secret"][:6]) == (URL, None, "whsec_")
            await soon(lambda: sender.bodies == [{"type": "hello", "player": ann.id, "text": HELLO, "content": HELLO}])
            room = await begin(ann, ben)
            await soon(lambda: len(sender.calls) == 2)
            await ann.play(room, 0, "5")
            await ben.play(room, 1, "1")
            await soon(lambda: len(sender.calls) == 3)
            await settle(0.1)
        to, body, headers = sender.calls[-1]
        assert (to.netloc, to.path) == ("club.example", "/hook")
        assert (body["type"], body["player"], body["room"], body["turn"]) == ("your_move", ann.id, room, 2)
        assert body["link"] == f"https://play.example/rooms/{room}"
        assert (
            body["text"]
            == body["content"]
            == (
                f"Your move in Tic-tac-toe against bn here, until {body['deadline']}. https://play.example/rooms/{room}"
            )
        ), "no word of a name may be a command to a chat"
        assert headers["webhook-id"] == f"{room}-4-{ann.id}"
        assert [body["turn"] for body in sender.bodies[1:]] == [0, 2]
        async with connected(node.url, token=ann.token) as ann:
            shown = await ann.request(type="webhook")
            assert (shown["outcome"], shown["tried_at"] is None) == ("told", False)
            assert (await ann.request(type="set_webhook", url=None))["url"] is None
            await ann.play(room, 2, "3")


async def test_a_call_that_fails_is_made_again_and_given_up_in_the_end(caplog: pytest.LogCaptureFixture) -> None:
    journal = MemoryJournal()
    async with calling(journal) as (node, sender), connected(node.url, "ann") as ann, connected(node.url, "ben") as ben:
        await ann.request(type="set_webhook", url=URL)
        await soon(lambda: len(sender.calls) == 1)
        sender.failure = CallFailed("it was refused (500)")
        await begin(ann, ben)
        for attempt in range(1, ATTEMPTS + 1):
            await soon(lambda attempt=attempt: len(sender.calls) == 1 + attempt)  # type: ignore[misc]
            await soon(lambda attempt=attempt: node.part(YourMove).failed == attempt)  # type: ignore[misc]
            await settle(0.05)
            journal.sql("UPDATE notices SET due_at = 0")
        await settle(0.1)
        assert len(sender.calls) == 1 + ATTEMPTS
        assert len({headers["webhook-id"] for _, _, headers in sender.calls[1:]}) == 1
        assert journal.sql("SELECT count(*) FROM notices").fetchone() == (0,)
        assert (await ann.request(type="webhook"))["outcome"] == "it was refused (500)"
        assert node.part(YourMove).given_up == 1
        assert f"player {ann.id} is not told by webhook: it was refused (500), after {ATTEMPTS} calls" in caplog.text
        assert "club.example" not in caplog.text, "a URL may contain a secret"


async def test_a_receiver_that_is_gone_is_called_no_more() -> None:
    async with calling() as (node, sender), connected(node.url, "ann") as ann:
        sender.failure = CallFailed("it was refused (410)", gone=True)
        await ann.request(type="set_webhook", url=URL)
        await soon(lambda: len(sender.calls) == 1)
        await settle(0.05)
        assert (await ann.request(type="webhook"))["url"] is None


async def test_a_player_who_has_moved_meanwhile_is_not_told() -> None:
    journal = MemoryJournal()
    async with calling(journal) as (node, sender), connected(node.url, "ann") as ann, connected(node.url, "ben") as ben:
        await ann.request(type="set_webhook", url=URL)
        await soon(lambda: len(sender.calls) == 1)
        sender.failure = CallFailed("the connection failed")
        room = await begin(ann, ben)
        await soon(lambda: len(sender.calls) == 2)
        await settle(0.05)
        sender.failure = None
        await ann.play(room, 0, "5")
        journal.sql("UPDATE notices SET due_at = 0")
        await settle(0.2)
        assert len(sender.calls) == 2
        assert journal.sql("SELECT count(*) FROM notices").fetchone() == (0,)


async def test_what_was_stored_before_a_node_died_is_called_by_the_next() -> None:
    """The first node has stored the move, and dies before it can make the call."""
    journal = MemoryJournal()
    async with (
        running_gateway(journal, webhooks=True) as dies,
        connected(dies.url, "ann") as ann,
        connected(dies.url, "ben") as ben,
    ):
        await ann.request(type="set_webhook", url=URL)
        room = await begin(ann, ben)
    async with calling(journal) as (_, sender):
        await soon(lambda: len(sender.calls) == 2)
        assert {body.get("room") for body in sender.bodies} == {None, room}


async def test_two_nodes_make_each_call_once() -> None:
    journal, hub = MemoryJournal(), Hub()
    async with (
        calling(journal, MemoryBus("one", hub)) as (one, sender),
        calling(journal, MemoryBus("two", hub)) as (_, other),
        connected(one.url, "ann") as ann,
        connected(one.url, "ben") as ben,
    ):
        await ann.request(type="set_webhook", url=URL)
        for _ in range(5):
            await begin(ann, ben)
        await soon(lambda: len(sender.calls) + len(other.calls) == 6)
        await settle(0.1)
        ids = [headers["webhook-id"] for _, _, headers in (*sender.calls, *other.calls)]
        assert len(set(ids)) == len(ids) == 6


async def test_a_slow_receiver_delays_its_own_player_alone_and_calls_are_few_at_once() -> None:
    async with calling() as (node, sender), connected(node.url, "ann") as ann, connected(node.url, "ben") as ben:
        sender.slow.clear()
        await ann.request(type="set_webhook", url=URL)
        await soon(lambda: sender.under_way == 1)
        await begin(ann, ben)
        await settle(0.1)
        assert sender.under_way == 1, "one call at a time for a player"
        await ben.request(type="set_webhook", url=URL)
        await soon(lambda: sender.under_way == 2)
        for number in range(AT_ONCE):
            await node.host.journal.people.add_guest(player(number))
            await node.host.journal.webhooks.set(f"p-{number}", f"https://club-{number}.example/", b"secret")
        await soon(lambda: sender.under_way == AT_ONCE)
        await settle(0.1)
        assert sender.under_way == AT_ONCE
        sender.slow.set()
        await soon(lambda: len(sender.calls) == AT_ONCE + 3)


async def test_a_server_that_stops_waits_for_no_receiver() -> None:
    journal = MemoryJournal()
    async with calling(journal) as (node, sender), connected(node.url, "ann") as ann:
        sender.slow.clear()
        await ann.request(type="set_webhook", url=URL)
        await soon(lambda: sender.under_way == 1)
        async with asyncio.timeout(5):
            await node.part(YourMove).close()
        assert journal.sql("SELECT attempts FROM notices").fetchone() == (1,), "the next server makes the call"


async def test_webhooks_are_off_unless_the_operator_allows_them() -> None:
    async with running_server(timing=QUICK) as url, connected(url, "ann") as ann:
        assert "webhooks" not in ann.welcome
        assert await ann.refused(type="set_webhook", url=URL) == "not_allowed"
        assert (await ann.request(type="set_webhook", url=None))["url"] is None, "what was set before can be taken back"
    async with running_server(webhooks=True) as url, connected(url, "ann") as ann:
        assert ann.welcome["webhooks"] is True
        for wrong in ("http://club.example/", "https://ann:pw@club.example/", "https://club.example:22/"):
            assert await ann.refused(type="set_webhook", url=wrong) == "not_allowed"
        assert await ann.refused(type="set_webhook", url="https://club.example/\r\nX: y") == "bad_message"
    async with running_server(webhooks=True, webhooks_http=True) as url, connected(url, "ann") as ann:
        assert (await ann.request(type="set_webhook", url="http://club.example/"))["type"] == "webhook"


async def test_the_server_itself_calls_no_private_address() -> None:
    """With the real network: a receiver on this machine hears nothing, and the player learns why."""
    reached = asyncio.Event()

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.set()
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    async with listening, calling(webhooks_http=True) as (node, _), connected(node.url, "ann") as ann:
        node.part(YourMove).send = post
        for calls, host in enumerate(("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "127.1"), 1):
            await ann.request(type="set_webhook", url=f"http://{host}:{port}/")
            await soon(lambda: node.part(YourMove).failed == calls)  # noqa: B023
            assert (await ann.request(type="webhook"))["outcome"] == "its address is not a public one"
        assert not reached.is_set()


async def test_a_host_gets_so_many_calls(caplog: pytest.LogCaptureFixture) -> None:
    """So nobody can turn the server against somebody else's address."""
    journal = MemoryJournal()
    async with calling(journal) as (node, sender):
        calls = node.part(YourMove)
        calls._by_host = YourMove(node.server, per_host=(0.001, 3))._by_host
        for number in range(6):
            await journal.people.add_guest(player(number))
            await journal.webhooks.set(f"p-{number}", f"https://{'Victim' if number % 2 else 'victim'}.example/", b"s")
        await journal.people.add_guest(player(9))
        await journal.webhooks.set("p-9", URL, b"s")
        await soon(lambda: len(sender.calls) == 4)
        await settle(0.1)
        assert sorted(to.host.lower() for to, _, _ in sender.calls) == ["club.example", *["victim.example"] * 3]
        assert node.host.monitor.limited["webhook_calls"] == 3
        assert "limit webhook_calls stopped p-" in caplog.text
        assert journal.sql("SELECT count(*), max(attempts) FROM notices").fetchone() == (3, 0), "they are made later"


@pytest.mark.slow
async def test_a_player_is_told_although_the_server_was_killed_during_the_call(tmp_path: Path) -> None:
    heard: list[Json] = []
    answers = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(int(line[16:]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length: "))
            heard.append(json.loads(await reader.readexactly(length)))
            await answers.wait()
            writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    program, allowed = ("-m", "support.near_webhooks"), {"webhooks": True, "webhooks_http": True}
    async with listening, ServerProcess(tmp_path / "journal", tmp_path / "log", program, **allowed) as server:
        async with connected(server.url, "ann") as ann, connected(server.url, "ben") as ben:
            answers.set()
            await ben.request(type="set_webhook", url=f"http://127.0.0.1:{port}/hook")
            await soon(lambda: [one["type"] for one in heard] == ["hello"])
            answers.clear()
            room = await begin(ann, ben, "5")
            await soon(lambda: len(heard) == 2)
            await server.kill()
        answers.set()
        await server.start()
        await soon(lambda: len(heard) == 3)
        assert [(one["room"], one["turn"]) for one in heard[1:]] == [(room, 1)] * 2, "at least once"
        await settle(2)
        assert len(heard) == 3
