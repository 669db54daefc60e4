"""A session: the round trip that it measures."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.gateway.session import Session, smoothed
from noughts.timing import Timing
from support.client import connected
from support.eventually import soon
from support.proxy import proxied
from support.server import running_gateway

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


@pytest.mark.parametrize("public", [False, True])
async def test_the_round_trip_is_measured_and_not_too_often(public: bool) -> None:
    timing = Timing(ping_s=0.5, pong_s=0.4)
    async with running_gateway(timing=timing, public=public) as node:
        async with proxied(node.url) as proxy, connected(proxy.url) as ann:
            room = await ann.create()
            (session,) = node.services.subscribers.of(room)
            assert isinstance(session, Session)
            assert session.lag_ms == 0
            proxy.delay_s = 0.05
            session.measure_lag()
            await soon(lambda: session.lag_ms >= 100)
            before = session.lag_ms
            proxy.delay_s = 0.15
            session.measure_lag()  # it is too early for another ping
            await ann.request(type="ping")
            assert session.lag_ms == before
            await asyncio.sleep(timing.ping_s)
            proxy.delay_s = 0.3
            session.measure_lag()
            await ann.request(type="ping")
            assert session.lag_ms == before, "an answer that is too late changes nothing"
            await asyncio.sleep(timing.ping_s)
        await soon(lambda: not session.open)
        session.measure_lag()
        assert session.lag_ms == before
