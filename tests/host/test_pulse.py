"""A loop that is late, and a process that was stopped."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from noughts.host.pulse import BACK_MS, NEVER, Pulse
from noughts.journal.steady_clock import system_time
from support.eventually import soon
from support.scripts import start


@asynccontextmanager
async def beating() -> AsyncIterator[Pulse]:
    pulse = Pulse(system_time)
    assert (pulse.busy_ms, pulse.check_at, pulse.lost_since(0)) == (0, NEVER, 0)
    running = asyncio.create_task(pulse.run())
    ticked = asyncio.Event()
    pulse.on_tick = ticked.set
    await ticked.wait()
    yield pulse
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert pulse.check_at == NEVER


async def test_a_busy_loop_is_late() -> None:
    async with beating() as pulse:
        before, began = pulse.busy_ms, system_time()
        time.sleep(0.6)  # noqa: ASYNC251
        assert pulse.check_at < system_time()
        assert 400 <= pulse.busy_ms - before <= 5000, "before anything else has run"
        assert 400 <= pulse.lost_since(began) <= 5000
        await asyncio.sleep(0.3)
        assert 400 <= pulse.busy_ms - before <= 5000
        assert pulse.check_at == 0, "for a while, moves may have lost time"
        assert 400 <= pulse.lost_since(began) <= 5000
        assert pulse.lost_since(system_time()) == 0


@pytest.mark.slow
@pytest.mark.smoke
async def test_little_is_given_back() -> None:
    async with beating() as pulse:
        began = system_time()
        for _ in range(3):
            time.sleep(1)  # noqa: ASYNC251
            await asyncio.sleep(0.15)
        assert pulse.busy_ms >= 2500
        assert pulse.lost_since(began) == BACK_MS
        assert pulse.lost_since(system_time() - 500) <= 500, "never more than has passed"


STOPPED = """
import asyncio, json, time
from noughts.host.pulse import Pulse
from noughts.journal.steady_clock import system_time

async def main():
    pulse = Pulse(system_time)
    asyncio.create_task(pulse.run())
    await asyncio.sleep(0.5)
    began, since = time.monotonic(), system_time()
    print("ready", flush=True)
    while time.monotonic() - began < 2.5:
        await asyncio.sleep(0.05)
    print(json.dumps([pulse.busy_ms, pulse.lost_since(since)]), flush=True)

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.smoke
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="stops a process")
async def test_a_stopped_process_was_not_busy() -> None:
    with start(STOPPED) as process:
        assert process.stdout
        await asyncio.to_thread(process.stdout.readline)
        os.kill(process.pid, signal.SIGSTOP)
        await asyncio.sleep(3)
        os.kill(process.pid, signal.SIGCONT)
        busy_ms, lost_ms = json.loads(await asyncio.to_thread(process.stdout.readline))
    assert busy_ms < 1500
    assert lost_ms < 1500


@pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="cannot tell what one thread uses")
async def test_a_loop_that_keeps_the_thread_from_running_was_not_stopped() -> None:
    """As on a machine with too few processors, where the thread does not get the interpreter back in time."""
    async with beating() as pulse:
        before, interval = pulse.busy_ms, sys.getswitchinterval()
        sys.setswitchinterval(1000)
        try:
            until = time.thread_time() + 1.6
            while time.thread_time() < until:
                pass
            assert pulse.busy_ms - before >= 1200
        finally:
            sys.setswitchinterval(interval)
        await asyncio.sleep(0.3)
        assert pulse.busy_ms - before >= 1200


async def test_all_the_time_counts_in_which_the_loop_was_late() -> None:
    async with beating() as pulse:
        before = pulse.late_s
        time.sleep(0.3)  # noqa: ASYNC251
        assert pulse.late_s - before >= 0.1
        await asyncio.sleep(0.15)
        assert pulse.late_s - before >= 0.1


async def test_the_thread_ends_with_the_task() -> None:
    import threading

    # Threads of earlier tests' servers may end meanwhile.
    before = set(threading.enumerate())
    async with beating():
        (thread,) = (thread for thread in threading.enumerate() if thread.name == "pulse" and thread not in before)
    await soon(lambda: not thread.is_alive())
