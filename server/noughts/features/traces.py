"""Traces of searches for lectures: one at a time for a player, and not too often."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from pydantic_core import to_json

from noughts.engine import BadTree, Method, Tracing
from noughts.games import IllegalMove, MalformedMove
from noughts.games.catalogue import name_of
from noughts.gateway.client import Client
from noughts.gateway.commands import game_of
from noughts.gateway.feature import Feature
from noughts.gateway.limits import TokenBuckets
from noughts.gateway.replies import BAD_COMMAND, COMPUTER_BUSY, Error, Problem, answer
from noughts.gateway.server import Server
from noughts.protocol import requests

ONE_TRACE = Error("rate_limited", "One trace at a time. Wait for the answer.")
TOO_MANY_TRACES = Error("rate_limited", "Too many traces. Wait before the next.")
TRACE_TOO_LONG = Error("not_allowed", "A trace may be too long for MQTT. Use a WebSocket.")

BURST = 20
"""The number of traces a player may request without a pause: a lecture compares four searches."""


def feature(server: Server) -> Feature:
    """The steps of searches."""
    traces = Traces(server)
    return Feature(requests={requests.Trace: traces.trace}, on_client_gone=traces.drop)


class Traces:
    """Carries out requests for traces, each in at most ``settings.analyse_s``."""

    def __init__(self, server: Server) -> None:
        self._settings = settings = server.settings
        self._costs = server.costs
        self._trace = server.computer.trace
        self._queue_s = server.timing.analysis_queue_s
        self._buckets = TokenBuckets(settings.traces_per_s, BURST)
        self._tasks: dict[str, tuple[Client, asyncio.Task[object] | None]] = {}
        self._time = server.time

    def trace(self, client: Client, request: requests.Trace) -> Coroutine[Any, Any, None]:
        """Answer with the steps of a search."""
        if not client.can_seek:
            raise Problem(TRACE_TOO_LONG)
        if (request.tree is None) == (request.game is None) or (request.tree is not None and request.moves):
            raise Problem(BAD_COMMAND, problem="tree: a trace is of either a tree, or a game with its moves")
        name = "" if request.game is None else name_of(game_of(request))
        self._costs.check_reader(client)
        player = client.player.id
        try:
            if player in self._tasks:
                raise Problem(ONE_TRACE, retry_after_s=self._settings.analyse_s)
            if wait_s := self._buckets.of(player).take(self._time()):
                raise Problem(TOO_MANY_TRACES, retry_after_s=wait_s)
        except Problem:
            client.monitor.limit("traces_per_s", client.who)
            raise
        self._tasks[player] = client, None
        return self._answer(client, request, player, name)

    def drop(self, client: Client) -> None:
        """The client is gone, so nobody waits for its trace."""
        for owner, task in list(self._tasks.values()):
            if owner is client and task is not None:
                task.cancel()

    async def _answer(self, client: Client, request: requests.Trace, player: str, game: str) -> None:
        self._tasks[player] = client, asyncio.current_task()
        try:
            # The trace is JSON already: encoding thousands of steps here would hold up the event loop.
            traced = await self._traced(request, game)
            subject = {"tree": request.tree} if request.game is None else {"game": request.game, "moves": request.moves}
            client.send_encoded(b"%b,%b" % (to_json(answer("trace", request.id, subject))[:-1], traced[1:]))
        finally:
            self._costs.settle(client)
            del self._tasks[player]

    async def _traced(self, request: requests.Trace, game: str) -> bytes:
        """The fields of the answer, as a JSON object."""
        tracing = Tracing(Method(request.search), request.strict, request.depth, request.tree)
        try:
            async with asyncio.timeout(self._queue_s + self._settings.analyse_s):
                return await self._trace(game, tuple(request.moves), tracing, self._settings.analyse_s)
        except TimeoutError:
            raise Problem(COMPUTER_BUSY, retry_after_s=self._settings.analyse_s) from None
        except BadTree as error:
            raise Problem(BAD_COMMAND, problem=f"tree: {error}") from None
        except (MalformedMove, IllegalMove) as error:
            raise Problem(BAD_COMMAND, problem=f"moves: {error}") from None
