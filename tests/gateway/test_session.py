"""A session: the round trip that it measures."""

from __future__ import annotations

import asyncio
from collections import deque

from hypothesis import given
from hypothesis import strategies as st

from noughts.gateway.session import ROUND_TRIPS, Session
from noughts.timing import Timing
from support.client import connected
from support.eventually import soon
from support.proxy import proxied
from support.server import running_gateway

seconds = st.floats(0.001, 5)


@given(st.floats(0.001, 1), st.lists(seconds, min_size=1, max_size=20))
async def test_the_shortest_of_the_last_round_trips_counts(network_s: float, delays: list[float]) -> None:
    """A client can delay its answers, and the server can be late, but an answer is never too early."""
    session = Session.__new__(Session)
    session._round_trips = deque(maxlen=ROUND_TRIPS)
    for number, delay_s in enumerate(delays):
        session.on_round_trip(network_s + delay_s)
        latest = delays[max(0, number + 1 - ROUND_TRIPS) : number + 1]
        assert session.lag_ms == round((network_s + min(latest)) * 1000)


async def test_the_round_trip_is_measured_and_not_too_often() -> None:
    timing = Timing(ping_s=0.5, pong_s=0.4)
    async with running_gateway(timing=timing) as node:
        async with proxied(node.url) as proxy, connected(proxy.url) as ann:
            room = await ann.create()
            (session,) = node.server.subscribers.of(room)
            assert isinstance(session, Session)
            assert session.lag_ms == 0
            proxy.delay_s = 0.05
            session.measure_lag()
            await soon(lambda: len(session._round_trips) == 1)
            before = session.lag_ms
            assert before >= 100
            proxy.delay_s = 0.15
            session.measure_lag()  # it is too early for another ping
            await ann.request(type="ping")
            assert len(session._round_trips) == 1
            await asyncio.sleep(timing.ping_s)
            proxy.delay_s = 0.3
            session.measure_lag()
            await ann.request(type="ping")
            assert len(session._round_trips) == 1, "an answer that is too late changes nothing"
            await asyncio.sleep(timing.ping_s)
        await soon(lambda: not session.open)
        session.measure_lag()
        assert session.lag_ms == before
