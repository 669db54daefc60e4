"""Reviews, put together from what a real server sends."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from features.test_reviews import Engine, over
from noughts.protocol.study_messages import Review
from noughts_client.connection import Connection
from noughts_client.handshake import RequestError, backoff
from noughts_client.reviews import ReviewFailed, whole_review
from support.client import connected
from support.eventually import soon
from support.proxy import proxied
from support.server import running_gateway


async def test_a_review_is_whole_again_after_a_lost_connection() -> None:
    engine = Engine()
    async with (
        running_gateway(review=engine.review) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "bob") as bob,
        proxied(node.url) as proxy,
        Connection(proxy.url, delays=lambda: backoff(Random(1))) as connection,
    ):
        room = await over(ann, bob)
        told: list[Review] = []
        reading = asyncio.create_task(whole_review(connection, room, told.append))
        for count in (1, 2):
            await engine.requested(count)
            engine.answer()
        await engine.requested(3)
        await soon(lambda: len(told) == 3)
        proxy.cut()
        await engine.requested(4)  # it begins again, since nobody read it
        engine.at_once = True
        engine.answer()
        review = await asyncio.wait_for(reading, 30)
        assert (review["complete"], review["decisive"]) == (True, 1)
        assert [move["ply"] for move in review["moves"]] == list(range(7))
        assert [len(one["moves"]) for one in told[:3]] == [0, 1, 2]


async def test_a_refused_review_and_a_failed_one_raise() -> None:
    engine = Engine()
    async with (
        running_gateway(review=engine.review) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "bob") as bob,
        Connection(node.url) as connection,
    ):
        with pytest.raises(RequestError, match="when it is over"):
            await whole_review(connection, await ann.create(), lambda _: None)
        room = await over(ann, bob)
        reading = asyncio.create_task(whole_review(connection, room, lambda _: None))
        await engine.requested(1)
        engine.waiting[-1].set_exception(RuntimeError("broken"))
        with pytest.raises(ReviewFailed, match="The review failed"):
            await asyncio.wait_for(reading, 30)
