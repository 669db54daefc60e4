"""Processor time is shared fairly, work is bounded, and whoever makes the event loop late is named."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest

from noughts.gateway import work as module
from noughts.gateway.work import (
    ADDRESS_BYTES,
    ALL_BYTES,
    LEAST_BYTES,
    PLAYER_BYTES,
    SITE_BYTES,
    SLICE_S,
    TURN_S,
    Overloaded,
    Share,
    Work,
)
from support.eventually import soon


def burn(seconds: float) -> None:
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


def here() -> bool:
    return True


async def slices(number: int, done: list[str], name: str) -> None:
    """Work that gives way, and notes each of its slices."""
    for _ in range(number):
        burn(SLICE_S)
        done.append(name)
        await asyncio.sleep(0)


async def busy(work: Work) -> asyncio.Future[Any]:
    """Somebody else's work, so much that the others have to share. Cancel it."""
    share = work.share("127.0.0.9", "other")
    other = asyncio.gather(*(work.driven(share, slices(10_000, [], ""), here) for _ in range(40)))
    await soon(lambda: work.waiting > 20)
    return other


async def end(other: asyncio.Future[Any]) -> None:
    other.cancel()
    with suppress(asyncio.CancelledError):
        await other


async def in_turn(work: Work, *players: tuple[str, str], number: int = 10) -> list[str]:
    """The players in the order in which they were served, when each asks for nine pieces of work."""
    done: list[str] = []
    other = await busy(work)
    shares = [work.share(*player) for player in players]
    await asyncio.gather(*(work.driven(one, slices(number, done, one.player or ""), here) for one in shares * 9))
    await end(other)
    return done


async def test_a_player_gets_as_much_as_another() -> None:
    done = await in_turn(Work(), ("10.0.0.1", "ann"), ("10.0.0.2", "ben"))
    assert 30 <= done[:100].count("ann") <= 70


async def test_an_address_gets_as_much_as_another_however_many_players_it_has() -> None:
    crowd = [("10.0.0.1", f"p{number}") for number in range(9)]
    done = await in_turn(Work(), ("10.0.0.2", "ann"), *crowd)
    assert 30 <= done[:100].count("ann") <= 70, "about half of it, and not a tenth"


async def test_an_ipv6_network_gets_as_much_as_an_address() -> None:
    crowd = [(f"2001:db8:1:{number:x}::/64", f"p{number}") for number in range(9)]
    done = await in_turn(Work(), ("2001:db8:2::/64", "ann"), *crowd)
    assert 30 <= done[:100].count("ann") <= 70


async def test_a_client_that_has_used_little_does_not_wait_for_those_who_use_much() -> None:
    work, done = Work(), list[str]()
    crowd = [
        asyncio.create_task(work.driven(work.share(f"10.0.1.{n}", "p"), slices(50, done, "crowd"), here))
        for n in range(100)
    ]
    await soon(lambda: len(done) > 200)
    before = len(done)
    await work.driven(work.share("10.0.0.2", "ann"), slices(1, done, "ann"), here)
    assert done.index("ann") - before < 60, "it came before most of those who were waiting"
    for task in crowd:
        task.cancel()


async def test_however_much_waits_no_turn_of_the_loop_is_long() -> None:
    work = Work()
    tasks = [
        asyncio.create_task(work.driven(work.share(f"10.0.{n % 9}.1", f"p{n}"), slices(3, [], ""), here))
        for n in range(500)
    ]
    turns = 0
    while not all(task.done() for task in tasks):
        await asyncio.sleep(0)
        turns += 1
    assert turns > 500 * 3 * SLICE_S / (2 * TURN_S) / 2, "it took many turns"
    assert not work.waiting
    await soon(lambda: not work.full)


async def test_frames_come_before_other_work_of_their_player() -> None:
    work, done = Work(), list[str]()
    other = await busy(work)
    share = work.share("10.0.0.1", "ann")
    work.charge(share, 0.05)  # so that it has to wait
    task = asyncio.create_task(work.driven(share, slices(3, done, "task"), here))
    while not share.tasks:  # noqa: ASYNC110
        await asyncio.sleep(0)
    work.wait(share, lambda: done.append("frames"))
    await task
    await end(other)
    assert done[0] == "frames"


async def test_the_rest_of_the_work_of_a_client_that_is_gone_is_not_done() -> None:
    work, done, present = Work(), list[str](), [True]
    task = asyncio.create_task(work.driven(work.share("10.0.0.1", "ann"), slices(50, done, "ann"), lambda: present[0]))
    await soon(lambda: bool(done))
    present[0] = False
    await task
    assert len(done) < 50


async def test_work_that_waits_can_be_cancelled() -> None:
    work = Work()
    other = await busy(work)
    share, seen = work.share("10.0.0.1", "ann"), list[str]()

    async def patient() -> str:
        try:
            for _ in range(100):
                burn(SLICE_S)
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise
        return "done"

    task = asyncio.create_task(work.driven(share, patient(), here))
    while not share.tasks:  # noqa: ASYNC110
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await end(other)
    assert seen == ["cancelled"]
    await soon(lambda: not work.waiting)


async def test_what_the_work_returns_and_raises_comes_through() -> None:
    work = Work()

    async def answer(value: int) -> int:
        await asyncio.sleep(0.001)
        if value < 0:
            raise ValueError(value)
        async with asyncio.timeout(5):
            return await asyncio.to_thread(lambda: value)

    share = work.share("10.0.0.1", "ann")
    for other in (None, await busy(work)):
        assert await work.driven(share, answer(3), here) == 3
        with pytest.raises(ValueError, match="-1"):
            await work.driven(share, answer(-1), here)
        if other is not None:
            await end(other)


def limited() -> tuple[Work, list[tuple[str, str]]]:
    stopped: list[tuple[str, str]] = []
    return Work(lambda name, who, _did: stopped.append((name, who))), stopped


def fill(work: Work, share: Share, size: int = 2**18) -> int:
    """Hold as much as is allowed. Returns how much that is."""
    held = 0
    while True:
        try:
            work.hold(share, size)
        except Overloaded:
            return held
        held += size


def test_what_a_player_an_address_and_all_have_unfinished_is_bounded() -> None:
    work, stopped = limited()
    shares = [work.share(f"10.0.{host}.1", f"p{n}") for host in range(9) for n in range(9)]
    assert fill(work, shares[0]) == PLAYER_BYTES
    assert stopped == [("work_per_player", "p0 at 10.0.0.1")]
    assert sum(fill(work, share) for share in shares[1:9]) == ADDRESS_BYTES - PLAYER_BYTES
    assert stopped[-1] == ("work_per_address", "10.0.0.1")
    for share in shares[9:]:
        fill(work, share)
    assert stopped[-1][0] == "work"
    assert work.held == ALL_BYTES
    for share in shares:
        while share.held:
            work.release(share, 2**18)
    assert work.held == 0
    assert fill(work, shares[0]) == PLAYER_BYTES


def test_somebody_who_has_little_unfinished_is_not_refused_because_others_have_much() -> None:
    work, _ = limited()
    crowd = [work.share(f"10.0.{host}.1", f"p{n}") for host in range(8) for n in range(8)]
    for share in crowd:
        fill(work, share)
    ann = work.share("10.9.9.9", "ann")
    assert fill(work, ann, 4096) == LEAST_BYTES


def test_one_address_of_a_network_and_one_player_of_an_address_cannot_take_all_of_it() -> None:
    work, _ = limited()
    crowd = [work.share("2001:db8:1:1::/64", f"p{n}") for n in range(8)]
    assert sum(fill(work, share) for share in crowd) == ADDRESS_BYTES
    assert fill(work, work.share("2001:db8:1:2::/64", "ann"), 4096) == PLAYER_BYTES
    assert fill(work, work.share("2001:db8:1:1::/64", "ben"), 4096) == LEAST_BYTES


def test_a_network_may_have_more_unfinished_than_an_address_but_not_all() -> None:
    work, stopped = limited()
    crowd = [work.share(f"2001:db8:1:{net}::/64", f"p{n}") for net in range(4) for n in range(4)]
    assert sum(fill(work, share) for share in crowd) == SITE_BYTES
    assert stopped[-1] == ("work_per_address", "2001:db8:1:3::/64")


def test_one_request_of_somebody_with_nothing_unfinished_is_taken_however_long_it_is() -> None:
    work, _ = limited()
    ann = work.share("10.0.0.1", "ann")
    work.hold(ann, 2 * ALL_BYTES)
    with pytest.raises(Overloaded):
        work.hold(ann, 4096)


async def test_those_who_wait_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NAMED_S", 0.0)
    work, stopped = limited()
    other = await busy(work)
    ann = work.share("10.0.0.1", "ann")
    await asyncio.gather(*(work.driven(ann, slices(50, [], ""), here) for _ in range(3)))
    await end(other)
    assert ("processor_time", "10.0.0.1") in stopped


def use(work: Work, *shares: tuple[Share, float]) -> None:
    for share, seconds in shares:
        work.users.append(share)
        share.used = seconds


def test_who_made_the_loop_late_is_named_and_nobody_else() -> None:
    work, stopped = limited()
    ann, ben, cy = work.share("10.0.0.1", "ann"), work.share("10.0.0.1", "ben"), work.share("10.0.0.2", "cy")
    use(work, (ann, 0.3), (ben, 0.001), (cy, 0.002))
    assert work.busiest() == [ann], "the one at its address used next to nothing, and so did the other"
    work.tick(late=False)
    assert not stopped
    assert not work.busiest()
    use(work, (ann, 0.3), (cy, 0.002))
    work.tick(late=True)
    assert stopped == [("processor_time", "10.0.0.1")]


def test_many_who_use_a_little_each_are_to_blame_together() -> None:
    work, stopped = limited()
    crowd = [work.share(f"10.0.{n}.1", f"p{k}") for n in range(10) for k in range(60)]
    use(work, *((share, 0.001) for share in crowd), (work.share("10.9.9.9", "ann"), 0.0005))
    work.tick(late=True)
    assert len(stopped) == 10
    assert Counter(name for name, _ in stopped) == {"processor_time": 10}


def test_nobody_is_to_blame_for_a_machine_that_is_busy() -> None:
    work, stopped = limited()
    use(work, (work.share("10.0.0.1", "ann"), 0.0002))
    work.tick(late=True)
    assert not stopped


def test_a_share_is_forgotten_with_its_last_client() -> None:
    work = Work()
    share: Any = work.share("2001:db8:1:1::/64", "ann")
    assert work.share("2001:db8:1:1::/64", "ann") is share
    assert len(work._shares) == 3
    del share
    assert len(work._shares) == 0
