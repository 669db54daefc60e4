"""Computer seats over a real host, with searches that the tests control."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from noughts.bus import Hub, MemoryBus
from noughts.computer import ComputerSeats
from noughts.computer.processes import SearchFailed
from noughts.computer.seats import FAILURES
from noughts.computer.turns import CROWDED
from noughts.engine import LEVELS, Analysis, Limits
from noughts.games import IllegalMove, Outcome, Reason
from noughts.host import Done, Failed, Host
from noughts.journal import Append, JournalError
from noughts.protocol.records import from_record
from noughts.ratings.levels import measured_s
from noughts.rooms import Command, Fail, Fischer, Open, Options, Play, Player, Refused, Resign
from noughts.rooms import room as state
from noughts.timing import Timing
from support.eventually import settle, soon
from support.journals import MemoryJournal
from support.writes import THINKING, write

ANN = Player("p-ann", "ann", "human")
EASY = Player("computer:easy", "computer", "computer")


QUICK = Timing(
    lease_s=0.2, renew_lease_s=0.02, unleased_s=0.01, search_retry_s=0.01, journal_retries_s=(0.001,), sweep_s=0.01
)


class Scripted:
    """A searcher whose answers come from the test, after the ``refusals``."""

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers
        self.levels = LEVELS
        self.hurried: list[tuple[asyncio.Future[Any], float]] = []
        self.analysed: list[tuple[tuple[str, tuple[str, ...], Limits, float], asyncio.Future[Analysis]]] = []
        self.asked: list[tuple[tuple[str, tuple[str, ...], str], asyncio.Future[str]]] = []
        self.seconds: list[float | None] = []
        self.more = asyncio.Event()
        self.refusals: list[Exception] = []
        self.here: list[bool] = []

    def find_move(
        self,
        game: str,
        moves: tuple[str, ...],
        level: str,
        seed: int,  # noqa: ARG002
        seconds: float | None = None,
        *,
        here: bool = False,
    ) -> asyncio.Future[str]:
        if self.refusals:
            raise self.refusals.pop(0)
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.asked.append(((game, moves, level), future))
        self.here.append(here)
        self.seconds.append(seconds)
        self.more.set()
        return future

    def analyse(self, game: str, moves: tuple[str, ...], limits: Limits, seconds: float) -> asyncio.Future[Analysis]:
        future: asyncio.Future[Analysis] = asyncio.get_running_loop().create_future()
        self.analysed.append(((game, moves, limits, seconds), future))
        return future

    def hurry(self, found: asyncio.Future[Any], seconds: float) -> None:
        self.hurried.append((found, seconds))


class Room:
    """A host with one room, and its computers."""

    def __init__(self, journal: MemoryJournal, pace_s: float = 0, bus: MemoryBus | None = None) -> None:
        self.searcher = Scripted()
        self.host = Host(journal, bus or MemoryBus("node"), QUICK)
        self.computers = ComputerSeats(self.host, self.searcher, pace_s, random.Random(1), QUICK)
        self.host.bus.listeners.append(self.host.on_hint)
        self.host.listen(self.computers.on_update)
        self.host.on_loaded.append(self.computers.on_loaded)
        self.host.watched = lambda _: True

    async def do(self, command: Command | None) -> Done | Refused | Failed:
        reply: asyncio.Future[Done | Refused | Failed] = asyncio.get_running_loop().create_future()
        self.host.submit("room", command, reply.set_result)
        return await reply

    async def open(self, first: Player, second: Player) -> None:
        await self.do(Open("room", "tictactoe", "p-ann", first, second, Options()))
        await settle(0.01)

    async def moves(self) -> tuple[str, ...]:
        result = await self.do(None)
        assert isinstance(result, Done)
        return result.room.moves

    async def searches(self, count: int) -> None:
        """Wait until so many searches were asked for."""
        async with asyncio.timeout(60):
            while len(self.searcher.asked) < count:
                self.searcher.more.clear()
                await self.searcher.more.wait()


async def test_the_computer_plays_the_move_found() -> None:
    room = Room(MemoryJournal())
    await room.open(EASY, ANN)
    ((task, future),) = room.searcher.asked
    assert task == ("tictactoe", (), "easy")
    future.set_result("5")
    await settle(0.01)
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
    await settle(0.01)
    assert await room.moves() == ("5",)


async def test_a_search_that_fails_is_retried(caplog: pytest.LogCaptureFixture) -> None:
    room = Room(MemoryJournal())
    await room.open(EASY, ANN)
    room.searcher.asked[0][1].set_exception(MemoryError("in the worker"))
    await room.searches(2)
    assert "search failed" in caplog.text
    room.searcher.asked[1][1].set_result("5")
    await settle(0.01)
    assert await room.moves() == ("5",)


FIFTY = "4k3/8/8/8/8/8/4P3/4K3 w - - 100 90"
"""White may claim a draw by the fifty-move rule of chess."""


async def may_claim(value: int, depth: int = 1) -> Room:
    """A room in which a computer, which is to move, may claim a draw in a position of that value by its search."""
    room = Room(MemoryJournal())
    setup = (("start", FIFTY),)
    await room.do(Open("room", "chess", "p-ann", EASY, ANN, Options(), setup=setup))
    await soon(lambda: bool(room.searcher.analysed))
    ((_, moves, limits, seconds), future) = room.searcher.analysed[0]
    assert (moves, limits) == ((), LEVELS["easy"].limits(every_move=False))
    assert seconds == pytest.approx(LEVELS["easy"].seconds / 2, rel=0.2)
    future.set_result(Analysis(value, False, {}, (), nodes=1, depth=depth, claim=True))
    await settle(0.01)
    return room


@pytest.mark.parametrize("value", [0, -1])
async def test_the_computer_claims_a_draw_by_the_rules_if_it_is_not_better(value: int) -> None:
    room = await may_claim(value)
    assert await outcome_of(room) == Outcome(None, "fifty_moves")
    assert not room.searcher.asked


@pytest.mark.parametrize(("value", "depth"), [(1, 1), (0, 0)])
async def test_the_computer_plays_on_if_it_is_better_or_has_not_found_out(value: int, depth: int) -> None:
    room = await may_claim(value, depth)
    ((_, future),) = room.searcher.asked
    future.set_result("e2e4")
    await settle(0.01)
    assert await room.moves() == ("e2e4",)
    assert len(room.searcher.analysed) == 1


async def outcome_of(room: Room) -> Outcome | None:
    result = await room.do(None)
    assert isinstance(result, Done)
    return result.room.outcome


async def test_a_game_whose_searches_all_fail_ends_without_a_result(caplog: pytest.LogCaptureFixture) -> None:
    """As with a game whose ``legal_moves`` has a move that its ``play`` refuses: no search of it ever ends."""
    room = Room(MemoryJournal())
    heard = []
    room.host.listen(lambda update: heard.append(update.room.outcome))
    await room.open(EASY, ANN)
    for failure in range(FAILURES):
        assert await outcome_of(room) is None
        await room.searches(failure + 1)
        room.searcher.asked[failure][1].set_exception(IllegalMove("cell 5 is taken"))
    await soon(lambda: heard[-1] == Outcome(None, Reason.FAULT))
    assert await outcome_of(room) == Outcome(None, Reason.FAULT)
    assert f"failed {FAILURES} times, and the game ends" in caplog.text
    await settle(0.05)
    assert len(room.searcher.asked) == FAILURES


@pytest.mark.parametrize("move", ["1", "nonsense"])
async def test_a_game_that_refuses_two_moves_of_its_searches_ends_without_a_result(
    move: str, caplog: pytest.LogCaptureFixture
) -> None:
    room = Room(MemoryJournal())
    await room.open(ANN, EASY)
    await room.do(Play(ANN.id, 0, "1"))
    await room.searches(1)
    room.searcher.asked[0][1].set_result(move)
    await room.searches(2)
    assert "waits for another" in caplog.text
    room.searcher.asked[1][1].set_result(move)
    await soon(lambda: "and ends" in caplog.text)
    assert await outcome_of(room) == Outcome(None, Reason.FAULT)
    await settle(0.05)
    assert room.searcher.here == [False, True]


async def test_a_move_that_comes_too_late_ends_no_game() -> None:
    room = Room(MemoryJournal())
    await room.open(ANN, EASY)
    await room.do(Play(ANN.id, 0, "1"))
    assert isinstance(await room.do(Fail(0)), Done)
    assert await outcome_of(room) is None
    await room.searches(1)
    room.searcher.asked[0][1].set_result("5")
    await settle(0.01)
    assert isinstance(await room.do(Fail(2)), Done)  # a person is to move
    assert await outcome_of(room) is None


async def test_a_move_that_could_not_be_stored_is_searched_again() -> None:

    class Failing(MemoryJournal):
        down = False

        def __init__(self) -> None:
            super().__init__()
            self.store, self.put = self.put, self.put_unless_down

        def put_unless_down(self, write: Append, done: Callable[[bool | Exception], None]) -> None:
            if self.down:
                asyncio.get_running_loop().call_soon(done, JournalError("no answer"))
            else:
                self.store(write, done)

    journal = Failing()
    room = Room(journal)
    await room.open(EASY, ANN)
    journal.down = True
    room.searcher.asked[0][1].set_result("5")
    await settle(0.05)
    journal.down = False
    sweeping = asyncio.create_task(room.computers.run())
    await room.searches(2)
    room.searcher.asked[-1][1].set_result("5")
    await settle(0.01)
    assert await room.moves() == ("5",)
    sweeping.cancel()


async def test_two_computers_pause_between_moves() -> None:
    room = Room(MemoryJournal(), pace_s=0.3)
    began = asyncio.get_running_loop().time()
    await room.open(EASY, EASY)
    await room.searches(1)
    assert asyncio.get_running_loop().time() - began >= 0.3


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
    await settle(0.1)
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
    await settle(0.5)  # longer than a claim that is not renewed
    assert (len(one.searcher.asked), len(two.searcher.asked)) == (1, 0)
    one.searcher.asked[0][1].set_result("5")
    await settle(0.05)
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
    await settle(0.2)
    assert len(two.searcher.asked) == 1
    assert len(await journal.read("room")) == 2
    sweeping.cancel()


async def test_an_idle_node_searches_for_a_busy_one() -> None:
    busy, idle = nodes(SharedJournal())
    await busy.open(EASY, ANN)
    for room in ("second", "third"):
        busy.host.submit(room, Open(room, "tictactoe", "p-ann", EASY, ANN, Options()))
    await settle(0.01)
    assert len(busy.searcher.asked) == 1, "it has one worker"
    sweeping = asyncio.create_task(idle.computers.run())
    for number in (1, 2):
        await idle.searches(number)
        idle.searcher.asked[-1][1].set_result("5")
    await settle(0.05)
    busy.searcher.asked[0][1].set_result("5")
    await settle(0.05)
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
    await settle(0.02)
    assert len(room.searcher.asked) == 1


# --- turns, sleep and waits


BEN = Player("p-ben", "ben", "human")
BEST = Player("computer:perfect", "computer", "computer")
FAST = Fischer(10_000, 0)


async def done(room: Room, room_id: str, command: Command | None, opener: bytes = b"") -> state.Room:
    reply: asyncio.Future[Done | Refused | Failed] = asyncio.get_running_loop().create_future()
    room.host.submit(room_id, command, reply.set_result, opener=opener)
    result = await reply
    assert isinstance(result, Done), result
    return result.room


async def table(room: Room, room_id: str, opener: bytes, *seats: Player, options: Options | None = None) -> None:
    """Open a room from ``opener``, in which a computer is to move unless ``seats`` say otherwise."""
    first, second = seats or (EASY, ANN)
    by = "p-" + opener.decode()
    await done(room, room_id, Open(room_id, "tictactoe", by, first, second, options or Options()), opener)
    await settle(0.01)


async def order(room: Room, count: int) -> list[int]:
    """Answer one search after the other. Returns which of the rooms they were for, by their number of moves."""
    found = []
    for number in range(count):
        await room.searches(number + 1)
        (_, moves, _), future = room.searcher.asked[number]
        found.append(len(moves))
        future.set_result("5" if "5" not in moves else "9")
        await settle(0.02)
    return found


async def test_a_crowd_does_not_delay_the_others() -> None:
    """One address has many tables, two players of another have one each."""
    room = Room(MemoryJournal())
    await table(room, "first", b"crowd")
    for number in range(5):
        await table(room, f"crowd-{number}", b"crowd")
    await table(room, "one", b"one", ANN, EASY)
    await done(room, "one", Play("p-ann", 0, "1"))
    await settle(0.02)
    assert room.computers.waiting == 6
    assert (await order(room, 4))[:3] == [0, 0, 1], "after the one that runs, and one more turn of the crowd"
    await room.computers.close()


async def test_tables_of_computers_come_last() -> None:
    room = Room(MemoryJournal())
    await table(room, "first", b"a")
    await table(room, "idle", b"idle", EASY, EASY)
    for number in range(3):
        await table(room, f"{number}", b"a", ANN, EASY)
        await done(room, f"{number}", Play("p-ann", 0, "1"))
    await settle(0.02)
    assert await order(room, 5) == [0, 1, 1, 1, 0]
    await room.computers.close()


async def test_a_search_that_is_not_needed_any_more_gives_its_turn_away() -> None:
    room = Room(MemoryJournal())
    await table(room, "first", b"a")
    await table(room, "second", b"b")
    await table(room, "third", b"c", ANN, EASY)
    await done(room, "third", Play("p-ann", 0, "1"))
    await settle(0.02)
    assert room.computers.waiting == 2
    await done(room, "second", Resign("p-ann"))
    await settle(0.02)
    assert room.computers.waiting == 1
    assert await order(room, 2) == [0, 1]
    assert room.computers.waiting == 0
    await room.computers.close()


async def test_a_table_of_computers_sleeps_while_nobody_watches() -> None:
    journal = MemoryJournal()
    room, watched = Room(journal), False
    room.host.watched = lambda _: watched
    sweeping = asyncio.create_task(room.computers.run())
    await table(room, "idle", b"a", EASY, EASY, options=Options(clock=FAST))
    await settle(0.2)
    assert not room.searcher.asked
    assert await journal.unleased(9) == []
    assert await journal.index.due(2**53, 9) == [], "no flag falls while it sleeps"
    watched = True
    room.host.submit("idle", None, lambda _: room.computers.on_watched("idle"))
    await room.searches(1)
    watched = False
    room.searcher.asked[0][1].set_result("5")
    await settle(0.1)
    assert len(room.searcher.asked) == 1, "it sleeps again"
    kinds = [from_record(record).kind for record in await journal.read("idle")]
    assert kinds == ["opened", "paused", "played"], "its clock did not run while it slept"
    sweeping.cancel()


async def test_nobody_searches_for_a_table_that_fell_asleep_while_it_waited() -> None:
    room, watched = Room(MemoryJournal()), True
    room.host.watched = lambda _: watched
    await table(room, "first", b"a")
    await table(room, "idle", b"b", EASY, EASY)
    watched = False
    assert await order(room, 1) == [0]
    await settle(0.05)
    assert len(room.searcher.asked) == 1
    await room.computers.close()


async def test_another_node_where_somebody_watches_goes_on_with_a_table_of_computers() -> None:
    """`run` does not find it in the journal, since it may be asleep."""
    one, two = nodes(SharedJournal())
    await one.open(EASY, EASY)
    await two.do(None)
    await settle(0.05)
    assert (len(one.searcher.asked), len(two.searcher.asked)) == (1, 0)
    sweeping = asyncio.create_task(two.computers.run())
    await settle(0.05)
    await one.computers.close()
    await two.searches(1)
    sweeping.cancel()
    await two.computers.close()


class Clock(MemoryJournal):
    """A journal whose time advances on demand."""

    def __init__(self) -> None:
        self.time = 1_000_000
        super().__init__(lambda: self.time)


async def test_the_wait_for_a_search_is_charged_to_nobody() -> None:
    journal = Clock()
    room = Room(journal)
    await room.host.heartbeat.start()
    room.host.heartbeat._busy_ms = lambda: journal.time  # it never counts as down
    await table(room, "first", b"a")
    await table(room, "timed", b"b", EASY, ANN, options=Options(clock=FAST))
    journal.time += 4000
    assert room.computers.waiting == 1
    room.searcher.asked[0][1].set_result("5")
    await room.searches(2)
    timed = await done(room, "timed", None)
    assert (timed.version, timed.moved_at) == (2, journal.time)
    assert b'"ms":4000,"cause":"queue"' in (await journal.read("timed"))[1]
    journal.time += 1000
    room.searcher.asked[1][1].set_result("5")
    await settle(0.02)
    assert b'"spent_ms":1000' in (await journal.read("timed"))[2]
    await room.computers.close()


async def test_a_search_that_starts_at_once_pauses_nothing() -> None:
    journal = Clock()
    room = Room(journal)
    await room.host.heartbeat.start()
    await table(room, "timed", b"b", EASY, ANN, options=Options(clock=FAST))
    await room.searches(1)
    room.searcher.asked[0][1].set_result("5")
    await settle(0.02)
    assert len(await journal.read("timed")) == 2
    await room.computers.close()


async def test_the_more_wait_the_shorter_is_a_search() -> None:
    room = Room(MemoryJournal())
    await table(room, "first", b"a", BEST, ANN)
    for number in range(9):
        await table(room, f"{number}", b"a", BEST, ANN)
    assert {found for found, _ in room.searcher.hurried} == {room.searcher.asked[0][1]}
    assert max(share_s for _, share_s in room.searcher.hurried) <= CROWDED / 2 * LEVELS["perfect"].seconds
    for number in range(10):
        await room.searches(number + 1)
        room.searcher.asked[number][1].set_result("5")
        await asyncio.sleep(0)
    seconds = [each for each in room.searcher.seconds if each is not None]
    assert seconds[0] > 0.99 * LEVELS["perfect"].seconds, "it was alone"
    assert max(seconds[1:6]) < 0.3
    assert seconds == [seconds[0], *sorted(seconds[1:])], "fewer wait each time"
    await room.computers.close()


async def test_a_rated_game_has_the_time_with_which_its_level_was_rated() -> None:
    room = Room(MemoryJournal())
    ann = replace(ANN, registered=True)
    await table(room, "first", b"a", BEST, ann, options=Options(clock=Fischer(600_000, 0), rated=True))
    for number in range(60):
        await table(room, f"{number}", b"a", BEST, ann, options=Options(clock=Fischer(600_000, 0), rated=True))
    (_, running), *_ = room.searcher.asked
    assert {found for found, _ in room.searcher.hurried} == {running}
    running.set_result("5")
    await room.searches(2)
    assert room.searcher.seconds[1] == measured_s("tictactoe") == 0.1
    assert measured_s("breakthrough") == 0.2
    await room.computers.close()
