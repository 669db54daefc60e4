"""Whatever players do at several nodes at once, and whatever the journal says to it: nobody is paired twice, nobody is
forgotten, and everybody gets one answer to each request."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from pydantic_core import from_json

from noughts.bus import Hub, MemoryBus
from noughts.gateway import Gateway, rounds
from noughts.gateway.entering import Entering
from noughts.gateway.meeting import Meeting
from noughts.host import Done, Host
from noughts.journal import Append, JournalError, MemoryJournal, Seek, StoredPlayer
from noughts.journal.seeks import Seeks
from noughts.protocol import from_record, requests
from noughts.rooms import Opened
from support.client import Json
from support.server import no_analysis, settings

T = TypeVar("T")

NODES = 3
PLAYERS = 5


class Journal(MemoryJournal):
    """A journal of several nodes, at a time that is put ahead by hand."""

    shared = True

    def __init__(self) -> None:
        self.time = 1_000_000
        super().__init__(lambda: self.time)


class Unsteady:
    """Seeks that take their time, and fail as often as they are told to, before they act or after.

    It knows which seeks there were, and that each is paired once.
    """

    def __init__(self, seeks: Seeks, rng: random.Random) -> None:
        self.faults = 0
        self.paired: Counter[int] = Counter()
        self._seeks = seeks
        self._rng = rng
        self._current: dict[str, tuple[str, int]] = {}  # of each player the key, and a number that no other seek has
        self._numbers = iter(range(10**9))

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

    async def pair(self, one: Seek, other: Seek, write: Append) -> bool:
        async def pair() -> bool:
            done = await self._seeks.pair(one, other, write)
            if done:
                assert (one.game, one.terms) == (other.game, other.terms)
                self.paired.update(self._current[seek.player.id][1] for seek in (one, other))
            return done

        return await self._do(pair)

    async def _do(self, act: Callable[[], Awaitable[T]]) -> T:
        fault = self.faults > 0 and self._rng.choice(["before", "after", None])
        self.faults -= bool(fault)
        await self._pause()
        if fault == "before":
            raise JournalError("no answer")
        done = await act()
        await self._pause()
        if fault == "after":
            raise JournalError("no answer")
        return done

    async def _pause(self) -> None:
        for _ in range(self._rng.randrange(4)):
            await asyncio.sleep(0)


class Player(Entering):
    """A client without a socket: what it is sent is in ``sent``."""

    def __init__(self, gateway: Gateway, player: StoredPlayer) -> None:
        super().__init__(gateway.hall)
        self._player = player
        self.meeting: Meeting = gateway.hall.meeting
        self.sent: list[Json] = []
        self.asked = 0
        self.seeks = False

    def send_bytes(self, message: bytes) -> None:
        assert self.open
        self.sent.append(from_json(message))
        if self.sent[-1]["type"] == "room":
            self.seeks = False

    def close(self, _code: int, _reason: str) -> None:
        self.go()

    def go(self) -> None:
        """The connection is no more."""
        self.drop()
        self.meeting.gone(self)

    def _look_at(self, result: Done) -> None:
        self.rooms.add(result.room.id)

    def _look_away(self, room_id: str) -> bool:
        raise NotImplementedError

    def _follow_lobby(self, request: requests.Lobby) -> None:
        raise NotImplementedError

    def _meet(self, request: requests.Seek | requests.Unseek) -> None:
        self.asked += 1
        self.seeks = isinstance(request, requests.Seek)
        self.spawn(self._in_turn(request))

    async def _in_turn(self, request: requests.Seek | requests.Unseek) -> None:
        async with self._creating:
            if not self.open:
                return
            if isinstance(request, requests.Seek):
                assert await self.meeting.seek(self, request, may_open=True)
            else:
                await self.meeting.unseek(self, request)


class Meetings(RuleBasedStateMachine):
    """Players come to any node, seek, seek no more and go, while the nodes look who can be paired."""

    @initialize(seed=st.integers(0, 2**32))
    def begin(self, seed: int) -> None:
        self.runner = asyncio.Runner()
        self.journal = Journal()
        self.seeks = Unsteady(self.journal.seeks, random.Random(seed))
        self.journal.seeks = self.seeks  # type: ignore[assignment]
        self.clients: list[Player] = []
        self.runner.run(self._begin())

    async def _begin(self) -> None:
        hub = Hub()
        self.nodes = [
            Gateway(settings(), Host(self.journal, MemoryBus(f"node-{number}", hub)), no_analysis)
            for number in range(NODES)
        ]
        self.looking = [asyncio.create_task(node.hall.meeting.keep_up()) for node in self.nodes]
        self.players = [
            StoredPlayer(f"p-{number}", f"player-{number}", "human", bytes([number]) * 32) for number in range(PLAYERS)
        ]
        for number, player in enumerate(self.players):
            assert await self.journal.people.add_guest(player)
            for node in (number, number + 1):
                self.clients.append(Player(self.nodes[node % NODES], player))

    def later(self, steps: int) -> None:
        """Let what was begun go on for some steps."""

        async def step() -> None:
            for _ in range(steps):
                await asyncio.sleep(0)

        self.runner.run(step())

    @property
    def there(self) -> list[Player]:
        return [client for client in self.clients if client.open]

    @rule(player=st.integers(0, PLAYERS - 1), node=st.integers(0, NODES - 1))
    def come(self, player: int, node: int) -> None:
        async def come() -> None:
            self.clients.append(Player(self.nodes[node], self.players[player]))

        self.runner.run(come())

    @precondition(lambda self: self.there)
    @rule(data=st.data(), steps=st.integers(0, 60))
    def go(self, data: st.DataObject, steps: int) -> None:
        client = data.draw(st.sampled_from(self.there))

        async def go() -> None:
            client.go()

        self.runner.run(go())
        self.later(steps)

    @precondition(lambda self: self.there)
    @rule(data=st.data(), slow=st.booleans(), key=st.integers(0, 5), steps=st.integers(0, 60))
    def seek(self, data: st.DataObject, slow: bool, key: int, steps: int) -> None:
        clock = {"per_move_s": 9} if slow else None
        for client in data.draw(st.lists(st.sampled_from(self.there), min_size=1, max_size=6, unique=True)):
            self._ask(client, steps, type="seek", game="tictactoe", clock=clock, key=str(key))

    @precondition(lambda self: self.there)
    @rule(data=st.data(), steps=st.integers(0, 60))
    def unseek(self, data: st.DataObject, steps: int) -> None:
        self._ask(data.draw(st.sampled_from(self.there)), steps, type="unseek")

    def _ask(self, client: Player, steps: int, **message: Any) -> None:
        async def ask() -> None:
            request = requests.REQUESTS.validate_python({"id": client.asked, **message})
            assert isinstance(request, requests.Seek | requests.Unseek)
            client._meet(request)

        self.runner.run(ask())
        self.later(steps)

    @rule(steps=st.integers(50, 500))
    def go_on(self, steps: int) -> None:
        self.later(steps)

    @rule(seconds=st.integers(1, 20))
    def wait(self, seconds: int) -> None:
        self.journal.time += seconds * 1000

    @rule(faults=st.integers(1, 3))
    def fail(self, faults: int) -> None:
        self.seeks.faults = faults

    @invariant()
    def nobody_is_paired_twice(self) -> None:
        assert set(self.seeks.paired.values()) <= {1}
        for room, records in self.journal._records.items():
            opened = from_record(records[0])
            assert isinstance(opened, Opened)
            assert opened.first is not None
            assert opened.second is not None
            assert opened.first.id != opened.second.id
            assert opened.room == room

    def teardown(self) -> None:
        if not hasattr(self, "runner"):
            return
        with self.runner:
            self.seeks.faults = 0
            self.runner.run(self._settle())
        self.nobody_is_paired_twice()
        sought = [found for node in self.nodes for found in node.hall.meeting._sought.values()]
        # One seek, two connections: both are there, on two nodes, and both will be brought to the room.
        waiting = Counter(terms for terms, _ in {(found.seek.terms, found.name) for found in sought})
        assert set(waiting.values()) <= {1}, "two wait who could play each other"
        assert all(found.client.open for found in sought)
        of_player = Counter(client.player.id for client in self.clients if client.asked)
        for client in self.there:
            answers = [message["id"] for message in client.sent if "id" in message]
            assert sorted(answers) == list(range(client.asked))
            for message in client.sent:
                assert message["type"] != "room" or client.player.id in str(message["state"]["seats"])
            if of_player[client.player.id] == 1 and client.seeks:
                assert client in [found.client for found in sought], "a seek was forgotten"

    async def _settle(self) -> None:
        while tasks := [task for client in self.clients for task in client._tasks]:
            await asyncio.wait(tasks)
        for seconds in (20, 1):
            self.journal.time += seconds * 1000
            for _ in range(500):
                await asyncio.sleep(0)
        for task in self.looking:
            task.cancel()
        for node in self.nodes:
            await node.hall.meeting.close()
            await node.hall.host.close()
            node.hall.presence.close()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.host.retry.RETRIES_S", (0.0, 0.0))
    monkeypatch.setattr(rounds, "ROUND_S", 0)
    monkeypatch.setattr(rounds, "GATHER_S", 0)


TestMeetings = Meetings.TestCase
TestMeetings.settings = hypothesis_settings(max_examples=100, stateful_step_count=40, deadline=None)
