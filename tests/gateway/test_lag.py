"""How long the way to a client is, by pings over real sockets."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

from noughts.gateway import lag as lag_module
from noughts.gateway.lag import Lag, smoothed
from support.eventually import soon
from support.proxy import proxied

times = st.floats(0, 10)


@given(times, times)
def test_the_mean_lies_between_what_was_and_what_is(before: float, sample: float) -> None:
    assert smoothed(None, sample) == sample
    low, high = sorted((before, sample))
    assert low - 1e-9 <= smoothed(before, sample) <= high + 1e-9


def test_what_is_measured_again_and_again_is_what_counts_in_the_end() -> None:
    seconds = [0.05]
    for _ in range(20):
        seconds.append(smoothed(seconds[-1], 0.3))
    assert all(before < after for before, after in pairwise(seconds))
    assert seconds[4] > 0.2
    assert abs(seconds[-1] - 0.3) < 0.01


async def test_it_is_measured_there_and_back_and_not_too_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lag_module, "PING_S", 0.2)
    met: asyncio.Future[ServerConnection] = asyncio.get_running_loop().create_future()

    async def meet(connection: ServerConnection) -> None:
        met.set_result(connection)
        await connection.wait_closed()

    async with serve(meet, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with proxied(f"ws://127.0.0.1:{port}/") as proxy, connect(proxy.url):
            lag = Lag(await met)
            assert (lag.ms, lag.due) == (0, True)
            proxy.delay_s = 0.1
            measuring = asyncio.create_task(lag.measure())
            await asyncio.sleep(0.02)
            assert not lag.due
            await measuring
            assert 200 <= lag.ms < 400
            await soon(lambda: lag.due)
            proxy.frozen = True
            monkeypatch.setattr(lag_module, "PONG_S", 0.1)
            before = lag.ms
            await lag.measure()
            assert lag.ms == before, "who does not answer tells nothing"
        await soon(lambda: lag.due)
        await lag.measure()  # the connection is gone
        assert lag.ms == before
