"""A session: the round trip that it measures."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

from noughts.gateway.limits import TokenBucket
from noughts.gateway.session import Session, smoothed
from noughts.gateway.tasks import Tasks
from noughts.timing import Timing
from support.proxy import proxied
from support.server import settings

times = st.floats(0, 10)


@given(times, times)
def test_the_mean_lies_between_the_old_mean_and_the_sample(before: float, sample: float) -> None:
    assert smoothed(None, sample) == sample
    low, high = sorted((before, sample))
    assert low - 1e-9 <= smoothed(before, sample) <= high + 1e-9


def test_the_mean_follows_a_change() -> None:
    seconds = [0.05]
    for _ in range(20):
        seconds.append(smoothed(seconds[-1], 0.3))
    assert all(before < after for before, after in pairwise(seconds))
    assert seconds[4] > 0.2
    assert abs(seconds[-1] - 0.3) < 0.01


async def test_the_round_trip_is_measured_and_not_too_often() -> None:
    accepted: asyncio.Future[ServerConnection] = asyncio.get_running_loop().create_future()

    async def accept(connection: ServerConnection) -> None:
        accepted.set_result(connection)
        await connection.wait_closed()

    tasks, limit = Tasks(), TokenBucket(1, 1)
    timing = Timing(ping_s=0.5, pong_s=0.4)
    async with serve(accept, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with proxied(f"ws://127.0.0.1:{port}/") as proxy, connect(proxy.url, close_timeout=0.1):
            session = Session(await accepted, settings(), tasks, newcomers=limit, pages=limit, timing=timing)
            assert session.lag_ms == 0
            proxy.delay_s = 0.05
            session.measure_lag()
            await tasks.close()
            before = session.lag_ms
            assert before >= 100
            proxy.delay_s = 0.2
            session.measure_lag()
            await tasks.close()
            assert session.lag_ms == before, "it is too early for another ping"
            await asyncio.sleep(timing.ping_s)
            proxy.frozen = True
            session.measure_lag()
            await tasks.close()
            assert session.lag_ms == before, "a client that does not answer changes nothing"
        await asyncio.sleep(timing.ping_s)
        session.measure_lag()  # the connection is gone
        await tasks.close()
        assert session.lag_ms == before
