"""Computer seats over a real host, with searches that the tests control."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

import pytest

from noughts.bus import Hub, MemoryBus
from noughts.computer import ComputerSeats
from noughts.computer.processes import SearchFailed
from noughts.host import Done, Failed, Host
from noughts.journal import Append, JournalError
from noughts.rooms import Command, Open, Options, Play, Player, Refused, Resign
from noughts.timing import Timing
from support.journals import MemoryJournal
from support.writes import THINKING, write

ANN = Player("p-ann", "ann", "human")
EASY = Player("computer:easy", "minimax", "computer")


QUICK = Timing(
    lease_s=0.2, renew_lease_s=0.02, unleased_s=0.01, search_retry_s=0.01, journal_retries_s=(0.001,), sweep_s=0.01
)


class Scripted:
    """A searcher whose answers come from the test, after the ``refusals``."""

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers
        self.asked: list[tuple[tuple[str, tuple[str, ...], str], asyncio.Future[str]]] = []
        self.more = asyncio.Event()
        self.refusals: list[Exception] = []

    def find_move(
        self,
        game: str,
        moves: tuple[str, ...],
        level: str,
        seed: int,  # noqa: ARG002
        *,
        waited_s: float = 0,  # noqa: ARG002
        longest_s: float | None = None,  # noqa: ARG002
    ) -> asyncio.Future[str]:
        if self.refusals:
            raise self.refusals.pop(0)
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.asked.append(((game, moves, level), future))
        self.more.set()
        return future


class Room:
    """A host with one room, and its computers."""

    def __init__(self, journal: MemoryJournal, pace_s: float = 0, bus: MemoryBus | None = None) -> None:
        self.searcher = Scripted()
        self.host = Host(journal, bus or MemoryBus("node"), QUICK)
        self.computers = ComputerSeats(self.host, self.searcher, pace_s, random.Random(1), QUICK)
        self.host.bus.listeners.append(self.host.on_hint)
        self.host.listen(self.computers.on_update)
        self.host.on_loaded.append(self.computers.on_loaded)

    async def do(self, command: Command | None) -> Done | Refused | Failed:
        reply: asyncio.Future[Done | Refused | Failed] = asyncio.get_running_loop().create_future()
        self.host.submit("room", command, reply.set_result)
        return await reply

    async def open(self, first: Player, second: Player) -> None:
        await self.do(Open("room", "tictactoe", "p-ann", first, second, Options()))
        await asyncio.sleep(0.01)

    async def moves(self) -> tuple[str, ...]:
        result = await self.do(None)
        assert isinstance(result, Done)
        return result.room.moves

    async def searches(self, count: int) -> None:
        """Wait until so many searches were asked for."""
        async with asyncio.timeout(10):
            while len(self.searcher.asked) < count:
                self.searcher.more.clear()
                await self.searcher.more.wait()


async def test_the_computer_plays_the_move_found() -> None:
    room = Room(MemoryJournal())
    await room.open(EASY, ANN)
    ((task, future),) = room.searcher.asked
    assert task == ("tictactoe", (), "easy")
    future.set_result("5")
    await asyncio.sleep(0.01)
    assert await room.moves() == ("5",)
    assert len(room.searcher.asked) == 1, "it is the other's turn"
    await room.do(Play("p-ann", 1, "1"))
    await room.searches(2)
    assert room.searcher.asked[1][0][1] == ("5", "1")
    await room.computers.close()


async def test_the_end_of_a_game_cancels_its_search() -> None:
    room = Room(MemoryJournal())
    await room.open(EASY, ANN)
    ((_, future),) = room.searcher.asked
    await room.do(Resign("p-ann"))
    await asyncio.sleep(0)
    assert future.cancelled()


@pytest.mark.parametrize("refusal", [SearchFailed("died"), MemoryError(), KeyError("level"), ValueError("no")])
async def test_a_search_that_cannot_start_is_retried(refusal: Exception) -> None:
    room = Room(MemoryJournal())
    room.searcher.refusals = [refusal, refusal]
    await room.open(EASY, ANN)
    await room.searches(1)
    room.searcher.asked[0][1].set_result("5")
    await asyncio.sleep(0.01)
    assert await room.moves() == ("5",)


async def test_a_search_that_fails_is_retried(caplog: pytest.LogCaptureFixture) -> None:
    room = Room(MemoryJournal())
    await room.open(EASY, ANN)
    room.searcher.asked[0][1].set_exception(MemoryError("in the worker"))
    await room.searches(2)
    assert "search failed" in caplog.text
    room.searcher.asked[1][1].set_result("5")
    await asyncio.sleep(0.01)
    assert await room.moves() == ("5",)


async def test_a_move_that_could_not_be_stored_is_searched_again() -> None:

    class Failing(MemoryJournal):
        down = False

        def put(self, write: Append, done: Callable[[bool | Exception], None]) -> None:
            if self.down:
                asyncio.get_running_loop().call_soon(done, JournalError("no answer"))
            else:
                super().put(write, done)

    journal = Failing()
    room = Room(journal)
    await room.open(EASY, ANN)
    journal.down = True
    room.searcher.asked[0][1].set_result("5")
    await asyncio.sleep(0.05)
    journal.down = False
    sweeping = asyncio.create_task(room.computers.run())
    await room.searches(2)
    room.searcher.asked[-1][1].set_result("5")
    await asyncio.sleep(0.01)
    assert await room.moves() == ("5",)
    sweeping.cancel()


async def test_two_computers_pause_between_moves() -> None:
    room = Room(MemoryJournal(), pace_s=0.1)
    await room.open(EASY, EASY)
    await asyncio.sleep(0.03)
    assert not room.searcher.asked
    await room.searches(1)


async def test_a_loaded_room_starts_a_search() -> None:
    journal = MemoryJournal()
    before = Room(journal)
    await before.open(EASY, ANN)
    await before.computers.close()
    after = Room(journal)
    after.host.refresh("room")
    await after.searches(1)
    await after.computers.close()


async def test_unreadable_rooms_do_not_hide_the_others(caplog: pytest.LogCaptureFixture) -> None:
    journal = MemoryJournal()
    for room in ("newer-1", "newer-2"):
        await journal.append(write(room, record=b'{"schema":99}', index=THINKING))
    before = Room(journal)
    await before.open(EASY, ANN)
    await before.computers.close()
    after = Room(journal)
    sweeping = asyncio.create_task(after.computers.run())
    await after.searches(1)
    await asyncio.sleep(0.1)
    assert caplog.text.count("cannot run here") == 2, "each is tried once"
    sweeping.cancel()
    await after.computers.close()


class SharedJournal(MemoryJournal):
    """A journal that several nodes have open."""

    shared = True


def nodes(journal: MemoryJournal, pace_s: float = 0) -> tuple[Room, Room]:
    """Two nodes on one journal."""
    hub = Hub()
    return Room(journal, pace_s, MemoryBus("one", hub)), Room(journal, pace_s, MemoryBus("two", hub))


async def test_one_node_searches_at_a_time() -> None:
    one, two = nodes(SharedJournal())
    await one.open(EASY, ANN)
    await two.do(None)
    sweeping = [asyncio.create_task(node.computers.run()) for node in (one, two)]
    await asyncio.sleep(0.5)  # longer than a claim that is not renewed
    assert (len(one.searcher.asked), len(two.searcher.asked)) == (1, 0)
    one.searcher.asked[0][1].set_result("5")
    await asyncio.sleep(0.05)
    assert await two.moves() == ("5",)
    for task in sweeping:
        task.cancel()


async def test_the_search_of_a_dead_node_is_taken_over_once() -> None:
    journal = SharedJournal()
    one, two = nodes(journal)
    await one.open(EASY, ANN)
    await one.computers.close()
    assert len(one.searcher.asked) == 1
    sweeping = asyncio.create_task(two.computers.run())
    await two.searches(1)
    two.searcher.asked[0][1].set_result("5")
    await asyncio.sleep(0.2)
    assert len(two.searcher.asked) == 1
    assert len(await journal.read("room")) == 2
    sweeping.cancel()


async def test_an_idle_node_searches_for_a_busy_one() -> None:
    busy, idle = nodes(SharedJournal())
    await busy.open(EASY, ANN)
    for room in ("second", "third"):
        busy.host.submit(room, Open(room, "tictactoe", "p-ann", EASY, ANN, Options()))
    await asyncio.sleep(0.01)
    assert len(busy.searcher.asked) == 1, "it has one worker"
    sweeping = asyncio.create_task(idle.computers.run())
    for number in (1, 2):
        await idle.searches(number)
        idle.searcher.asked[-1][1].set_result("5")
    await asyncio.sleep(0.05)
    busy.searcher.asked[0][1].set_result("5")
    await asyncio.sleep(0.05)
    assert (len(busy.searcher.asked), len(idle.searcher.asked)) == (1, 2), "nothing is searched twice"
    sweeping.cancel()
    for node in (busy, idle):
        await node.computers.close()


async def test_no_other_node_searches_during_the_pause_between_moves() -> None:
    one, two = nodes(SharedJournal(), pace_s=0.2)
    await one.open(EASY, EASY)
    sweeping = asyncio.create_task(two.computers.run())
    await one.searches(1)
    assert not two.searcher.asked
    sweeping.cancel()
    await one.computers.close()


async def test_closed_computer_seats_start_no_search() -> None:
    room = Room(MemoryJournal())
    await room.open(EASY, ANN)
    await room.computers.close()
    assert room.searcher.asked[0][1].cancelled()
    await room.do(None)
    await asyncio.sleep(0.02)
    assert len(room.searcher.asked) == 1
