"""Players seek at several nodes at once, over a journal that fails: no player is paired twice or forgotten, and
each request gets one answer."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from noughts.bus import Hub, MemoryBus
from noughts.features.matchmaking import Matchmaker
from noughts.gateway.client import Subscriber
from noughts.gateway.limits import TokenBucket
from noughts.gateway.replies import CloseCode
from noughts.gateway.server import Server
from noughts.host import Host
from noughts.journal import Append, JournalError, Seek, StoredPlayer
from noughts.journal.seeks import Seeks
from noughts.protocol.records import from_record
from noughts.rooms import Opened, Room
from noughts.timing import Timing
from support.client import Json
from support.journals import MemoryJournal
from support.server import part_of, server_over

T = TypeVar("T")

NODES = 3
PLAYERS = 5
TIMING = Timing(journal_retries_s=(0.0, 0.0), seek_round_s=0, seek_batch_s=0)


class Journal(MemoryJournal):
    """A journal that several nodes share, whose time stands still unless the test changes it."""

    shared = True

    def __init__(self) -> None:
        self.time = 1_000_000
        super().__init__(lambda: self.time)


class Unsteady:
    """Seeks that answer late, and fail as often as ``faults`` says, before they act or after.

    ``paired`` counts how often each seek was paired.
    """

    def __init__(self, seeks: Seeks, rng: random.Random) -> None:
        self.faults = 0
        self.paired: Counter[int] = Counter()
        self._seeks = seeks
        self._rng = rng
        self._current: dict[str, tuple[str, int]] = {}  # each player's key, and a unique number
        self._numbers = iter(range(10**9))
        self._one_at_a_time = asyncio.Lock()

    async def put(self, seek: Seek, until: int) -> str | None:
        async def put() -> str | None:
            player = seek.player.id
            if self._current.get(player, ("", 0))[0] != seek.key:
                self._current[player] = (seek.key, next(self._numbers))
            return await self._seeks.put(seek, until)

        return await self._do(put)

    async def withdraw(self, player: str) -> bool:
        async def withdraw() -> bool:
            done = await self._seeks.withdraw(player)
            if done:
                del self._current[player]
            return done

        return await self._do(withdraw)

    async def renew(self, seeks: Any, until: int) -> dict[str, str | None]:
        return await self._do(lambda: self._seeks.renew(seeks, until))

    async def waiting(self, game: str, terms: str, now: int, limit: int) -> list[Seek]:
        return await self._do(lambda: self._seeks.waiting(game, terms, now, limit))

    async def changed(self, since: int) -> list[tuple[str, str, str, str, bool]]:
        return await self._do(lambda: self._seeks.changed(since))

    async def pair(self, one: Seek, other: Seek, write: Append) -> bool:
        async def pair() -> bool:
            done = await self._seeks.pair(one, other, write)
            if done:
                assert (one.game, one.terms) == (other.game, other.terms)
                opened = from_record(write.record)
                assert isinstance(opened, Opened)
                assert opened.first is not None
                assert opened.second is not None
                assert {opened.first.id, opened.second.id} == {one.player.id, other.player.id}
                assert one.player.id != other.player.id
                self.paired.update(self._current[seek.player.id][1] for seek in (one, other))
            return done

        return await self._do(pair)

    async def _do(self, act: Callable[[], Awaitable[T]]) -> T:
        fault = self.faults > 0 and self._rng.choice(["before", "after", None])
        self.faults -= bool(fault)
        await self._pause()
        if fault == "before":
            raise JournalError("no answer")
        async with self._one_at_a_time:  # or what is noted here would differ from what is stored
            done = await act()
        await self._pause()
        if fault == "after":
            raise JournalError("no answer")
        return done

    async def _pause(self) -> None:
        for _ in range(self._rng.randrange(4)):
            await asyncio.sleep(0)


class Player:
    """A :class:`~noughts.gateway.client.Client` without a socket. What it is sent is in ``sent``."""

    address = "127.0.0.1"
    can_seek = True
    is_loud = False
    legal_moves = True
    connected = False
    paused = False
    silent = False
    arrived_at = None
    lag_ms = 0
    identified = True

    def __init__(self, server: Server, player: StoredPlayer) -> None:
        self.player = player
        self.who = player.id
        self.monitor = server.host.monitor
        self.open = True
        self.rooms: set[str] = set()
        self.joining: Counter[str] = Counter()
        self.behind: set[str] = set()
        self.messages = TokenBucket(10_000, 10_000)
        self.share = server.work.share(self.address, player.id)
        self.purse = server.costs.purse(player.id, self.address)
        self.cost = self.written = 0
        self.sent: list[Json] = []
        self.requests = 0
        self.seeks = False
        self._server = server

    @property
    def subscriber(self) -> Subscriber:
        return self

    @property
    def answered(self) -> bool:
        """True if it has an answer to each request."""
        return sum("id" in message for message in self.sent) == self.requests

    def request(self, **message: Any) -> None:
        self.seeks = message["type"] == "seek"
        frame, dispatcher = json.dumps({"id": self.requests, **message}), self._server.dispatcher
        dispatcher.dispatch(self, dispatcher.parse(self, frame), len(frame))
        self.requests += 1

    def identify(self, player: StoredPlayer) -> None:
        self.player = player

    def send(self, message: Mapping[str, Any]) -> None:
        if self.open:
            self.sent.append(dict(message))
            if message["type"] == "room":
                self.seeks = False

    def send_encoded(self, message: bytes) -> None:
        self.send(json.loads(message))

    def close(self, code: CloseCode, reason: str) -> None:  # noqa: ARG002
        """The connection has ended."""
        self.open = False
        self._server.gone(self)

    def measure_lag(self) -> None: ...

    def push(self, frame: bytes) -> None: ...

    def on_watch(self, room: Room) -> None: ...


class Matchmaking(RuleBasedStateMachine):
    """Players connect to any node, seek, unseek and disconnect, while the nodes pair them."""

    @initialize(seed=st.integers(0, 2**32))
    def begin(self, seed: int) -> None:
        self.runner = asyncio.Runner()
        self.journal = Journal()
        # All clocks stand still too, or what happens would depend on how fast the machine is, and not repeat itself.
        self.runner.get_loop().time = lambda: self.journal.time / 1000  # type: ignore[method-assign]
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr("noughts.gateway.work.perf_counter", lambda: 0.0)
        self.seeks = Unsteady(self.journal.seeks, random.Random(seed))
        self.journal.seeks = self.seeks  # type: ignore[assignment]
        self.clients: list[Player] = []
        self.runner.run(self._begin())

    async def _begin(self) -> None:
        hub = Hub()
        self.nodes = []
        for number in range(NODES):
            host = Host(self.journal, MemoryBus(f"node-{number}", hub), TIMING)
            self.nodes.append(server_over(host, timing=TIMING))
        self.running = [asyncio.create_task(part_of(node, Matchmaker).run()) for node in self.nodes]
        self.players = [
            StoredPlayer(f"p-{number}", f"player-{number}", "human", bytes([number]) * 32) for number in range(PLAYERS)
        ]
        for number, player in enumerate(self.players):
            assert await self.journal.people.add_guest(player)
            for node in (number, number + 1):
                self.clients.append(Player(self.nodes[node % NODES], player))

    def proceed(self, steps: int) -> None:
        """Let the event loop run for so many steps."""

        async def step() -> None:
            for _ in range(steps):
                await asyncio.sleep(0)

        self.runner.run(step())

    @property
    def connected(self) -> list[Player]:
        return [client for client in self.clients if client.open]

    @rule(player=st.integers(0, PLAYERS - 1), node=st.integers(0, NODES - 1))
    def connect(self, player: int, node: int) -> None:
        async def connect() -> None:
            self.clients.append(Player(self.nodes[node], self.players[player]))

        self.runner.run(connect())

    @precondition(lambda self: self.connected)
    @rule(data=st.data(), steps=st.integers(0, 60))
    def disconnect(self, data: st.DataObject, steps: int) -> None:
        client = data.draw(st.sampled_from(self.connected))

        async def disconnect() -> None:
            client.close(CloseCode.INTERNAL, "gone")

        self.runner.run(disconnect())
        self.proceed(steps)

    @precondition(lambda self: self.connected)
    @rule(data=st.data(), slow=st.booleans(), key=st.integers(0, 5), steps=st.integers(0, 60))
    def seek(self, data: st.DataObject, slow: bool, key: int, steps: int) -> None:
        clock = {"per_move_s": 9} if slow else None
        for client in data.draw(st.lists(st.sampled_from(self.connected), min_size=1, max_size=6, unique=True)):
            self._request(client, steps, type="seek", game="tictactoe", clock=clock, key=str(key))

    @precondition(lambda self: self.connected)
    @rule(data=st.data(), steps=st.integers(0, 60))
    def unseek(self, data: st.DataObject, steps: int) -> None:
        self._request(data.draw(st.sampled_from(self.connected)), steps, type="unseek")

    def _request(self, client: Player, steps: int, **message: Any) -> None:
        async def request() -> None:
            client.request(**message)

        self.runner.run(request())
        self.proceed(steps)

    @rule(steps=st.integers(50, 500))
    def run_on(self, steps: int) -> None:
        self.proceed(steps)

    @rule(seconds=st.integers(1, 20))
    def wait(self, seconds: int) -> None:
        self.journal.time += seconds * 1000

    @rule(faults=st.integers(1, 3))
    def fail(self, faults: int) -> None:
        self.seeks.faults = faults

    @invariant()
    def no_player_is_paired_twice(self) -> None:
        assert set(self.seeks.paired.values()) <= {1}

    def teardown(self) -> None:
        if not hasattr(self, "runner"):
            return
        with self.runner:
            self.seeks.faults = 0
            self.runner.run(self._settle())
        self.patch.undo()
        self.no_player_is_paired_twice()
        pending = [seek for node in self.nodes for seek in part_of(node, Matchmaker)._seeks.values()]
        # One seek may be pending for two connections on two nodes, which will both enter the room.
        waiting = Counter(terms for terms, _ in {(seek.seek.terms, seek.name) for seek in pending})
        assert set(waiting.values()) <= {1}, "two who could play each other both wait"
        assert all(seek.client.open for seek in pending)
        of_player = Counter(client.player.id for client in self.clients if client.requests)
        for client in self.connected:
            answers = [message["id"] for message in client.sent if "id" in message]
            assert sorted(answers) == list(range(client.requests))
            for message in client.sent:
                assert message["type"] != "room" or client.player.id in str(message["state"]["seats"])
            if of_player[client.player.id] == 1 and client.seeks:
                assert client in [seek.client for seek in pending], "a seek was forgotten"

    async def _settle(self) -> None:
        async with asyncio.timeout(30):
            while not all(client.answered for client in self.connected):  # noqa: ASYNC110
                await asyncio.sleep(0)
        for seconds in (20, 1):
            self.journal.time += seconds * 1000
            for _ in range(5000):
                await asyncio.sleep(0)
        for task in self.running:
            task.cancel()
        for node in self.nodes:
            await node.tasks.close()
            await node.host.close()
            node.presence.close()


TestMatchmaking = Matchmaking.TestCase
TestMatchmaking.settings = hypothesis_settings(max_examples=10, stateful_step_count=30)


@pytest.mark.slow
class TestMatchmakingAtLength(Matchmaking.TestCase):  # type: ignore[misc,valid-type]
    settings = hypothesis_settings(max_examples=100, stateful_step_count=40)
