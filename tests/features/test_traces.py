from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from noughts.engine import Method, Sampling, Tracing, as_object, sampled_object, trace_game, trace_playouts, trace_tree
from noughts.features.traces import BURST
from noughts.games import GAMES
from noughts.protocol.contract import MESSAGES
from support import eventually
from support.client import Client, Json, connected
from support.server import running_gateway, running_server

FIGURE = "3,12,8/2,4,6/14,5,2"


async def traced(client: Client, **what: Any) -> Json:
    """The answer to ``trace``, which must be a message of the protocol."""
    answer = await client.request(type="trace", **what)
    assert answer["type"] == "trace", answer
    MESSAGES.validate_python(answer, strict=True)
    del answer["id"]
    return answer


class Tracer:
    """Leaves each trace to the test."""

    def __init__(self) -> None:
        self.requests: list[asyncio.Future[bytes]] = []

    def trace(self, *_: object) -> asyncio.Future[bytes]:
        future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.requests.append(future)
        return future

    async def requested(self, count: int) -> None:
        await eventually.soon(lambda: len(self.requests) >= count)


FOUND = json.dumps(as_object(trace_tree(Tracing(tree="3,5")))).encode()


def instant(*_: object) -> asyncio.Future[bytes]:
    """Answers at once, without a search."""
    future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
    future.set_result(FOUND)
    return future


async def test_a_trace_is_the_engines() -> None:
    game = GAMES["tictactoe"]
    position = game.start
    for move in "12359":
        position = position.play(move)
    async with running_server() as url, connected(url) as ann:
        assert await traced(ann, tree=FIGURE) == {
            "type": "trace",
            "tree": FIGURE,
            **as_object(trace_tree(Tracing(tree=FIGURE))),
        }
        found = await traced(ann, game="tictactoe", moves=list("12359"), search="ordered", strict=True, depth=3)
        assert found == {
            "type": "trace",
            "game": "tictactoe",
            "moves": list("12359"),
            **as_object(trace_game(game, position, Tracing(Method.ORDERED, True, 3))),
        }
        for wrong, message in (
            ({"tree": "3,x"}, "tree: character 3: there is no complete node 'x' to the left of this"),
            ({"game": "tictactoe", "moves": ["5", "5"]}, "moves: cell 5 is taken"),
            ({"game": "tictactoe", "moves": ["z"]}, "moves: a move is a cell, 1 to 9"),
        ):
            answer = await ann.request(type="trace", **wrong)
            assert (answer["code"], answer["message"]) == ("bad_message", message)
        assert (await traced(ann, tree="7"))["value"] == 7, "a refused trace is over"


async def test_a_trace_may_be_of_playouts_and_from_a_position() -> None:
    game, start = GAMES["tictactoe"], "xox/.o./..x"
    position = game.parse(start).play("4")
    async with running_server() as url, connected(url) as ann:
        subject = {"game": "tictactoe", "start": start, "moves": ["4"]}
        trace = trace_game(game, position, Tracing(Method.MINIMAX))
        assert await traced(ann, **subject, search="minimax") == {"type": "trace", **subject, **as_object(trace)}
        sampled = await ann.request(type="playouts", **subject, playouts=20, seed=7)
        MESSAGES.validate_python(sampled, strict=True)
        steps = sampled_object(trace_playouts(game, position, Sampling(20, 7)))
        del sampled["id"]
        assert sampled == {"type": "playouts", **subject, **steps}
        refused = await ann.request(type="playouts", game="tictactoe", start="xxx/.../...")
        assert refused["code"] == "not_allowed"
        assert refused["message"].startswith("As x begins, there are as many x as o")


async def test_a_long_search_is_stopped_and_says_so() -> None:
    async with running_server(analyse_s=0.2) as url, connected(url) as ann:
        found = await traced(ann, game="reversi", depth=12)
        assert found["value"] is None
        assert len(found["steps"]) == min(5000, found["total"])
        assert "The search was stopped" in found["notes"][0]
        assert (await traced(ann, tree="7"))["value"] == 7


async def test_impossible_requests_are_refused() -> None:
    async with running_gateway(trace=instant) as node, connected(node.url) as ann:
        for wrong in (
            {},
            {"tree": "7", "game": "tictactoe"},
            {"tree": "7", "moves": ["5"]},
            {"tree": "7", "depth": 0},
            {"tree": "7", "depth": 21},
            {"tree": "7", "depth": True},
            {"tree": "7", "search": "mcts"},
            {"tree": "7", "start": "xox/.o./..x"},
            {"tree": "7", "strict": 1},
            {"tree": "7\n"},
            {"tree": "7" * 4001},
            {"game": "tictactoe", "moves": "5"},
            {"game": "tictactoe", "moves": ["5"] * 501},
            {"game": "tictactoe", "moves": ["5" * 65]},
        ):
            assert await ann.refused(type="trace", **wrong) == "bad_message", wrong
        for wrong in ({}, {"game": "tictactoe", "playouts": 201}, {"game": "tictactoe", "seed": -1}):
            assert await ann.refused(type="playouts", **wrong) == "bad_message", wrong
        for kind in ("trace", "playouts"):
            assert await ann.refused(type=kind, game="shogi") == "unknown_game"
        await traced(ann, tree="3,5")


async def test_a_player_has_one_trace_at_a_time() -> None:
    tracer = Tracer()
    async with (
        running_gateway(trace=tracer.trace, analyse_s=3) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, None, token=ann.token) as again,
        connected(node.url, "bob") as bob,
    ):
        await ann.send(type="trace", id="first", tree="3,5")
        await tracer.requested(1)
        for client in (ann, again):
            refusal = await client.request(type="trace", tree="3,5")
            assert (refusal["code"], refusal["retry_after_s"]) == ("rate_limited", 3)
        await bob.send(type="trace", id="his", tree="3,5")
        await tracer.requested(2)
        tracer.requests[0].set_result(FOUND)
        assert (await ann.receive())["id"] == "first"
        await again.send(type="trace", id="second", tree="3,5")
        await tracer.requested(3)


async def test_the_traces_of_a_player_are_limited() -> None:
    async with (
        running_gateway(trace=instant, traces_per_s=0.01) as node,
        connected(node.url) as ann,
        connected(node.url) as bob,
    ):
        for _ in range(BURST):
            await traced(ann, tree="3,5")
        refusal = await ann.request(type="trace", tree="3,5")
        assert refusal["code"] == "rate_limited"
        assert 90 < refusal["retry_after_s"] <= 100
        await traced(bob, tree="3,5")


async def test_a_client_that_disconnects_leaves_no_search_behind() -> None:
    tracer = Tracer()
    async with running_gateway(trace=tracer.trace, analyse_s=600) as node:
        async with connected(node.url) as ann:
            await ann.send(type="trace", id=1, tree="3,5")
            await tracer.requested(1)
        await eventually.soon(tracer.requests[0].cancelled)
        async with connected(node.url, None, token=ann.token) as again:
            await again.send(type="trace", id=1, tree="3,5")
            await tracer.requested(2)


@pytest.mark.parametrize("budget", ["answer_bytes_per_player", "answer_bytes_per_address"])
async def test_traces_are_charged_as_answers(budget: str) -> None:
    async with running_gateway(trace=instant, **{budget: 1024}) as node, connected(node.url) as ann:  # type: ignore[arg-type]
        for _ in range(100):
            answer = await ann.request(type="trace", tree="3,5")
            if answer["type"] == "error":
                break
        assert answer["code"] == "rate_limited"
        assert node.host.monitor.limited[budget]
