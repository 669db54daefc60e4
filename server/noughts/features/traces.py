"""Traces of searches for lectures: one at a time for a player, and not too often."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from pydantic_core import to_json

from noughts.engine import BadTree, Method, Sampling, Tracing
from noughts.games import Game, IllegalMove, InvalidPosition, MalformedMove
from noughts.games.catalogue import begun, name_of
from noughts.games.sentences import sentence
from noughts.gateway.client import Client
from noughts.gateway.commands import game_of
from noughts.gateway.feature import Feature
from noughts.gateway.limits import TokenBuckets
from noughts.gateway.replies import BAD_COMMAND, BAD_POSITION, COMPUTER_BUSY, Error, Problem, answer
from noughts.gateway.server import Server
from noughts.protocol import study_requests

ONE_TRACE = Error("rate_limited", "One trace at a time. Wait for the answer.")
TOO_MANY_TRACES = Error("rate_limited", "Too many traces. Wait before the next.")
TRACE_TOO_LONG = Error("not_allowed", "A trace may be too long for MQTT. Use a WebSocket.")

BURST = 20
"""The number of traces a player may request without a pause: a lecture compares four searches."""


_Request = study_requests.Trace | study_requests.AskPlayouts


def feature(server: Server) -> Feature:
    """The steps of searches."""
    traces = Traces(server)
    return Feature(
        requests={study_requests.Trace: traces.trace, study_requests.AskPlayouts: traces.playouts},
        on_client_gone=traces.drop,
    )


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

    def trace(self, client: Client, request: study_requests.Trace) -> Coroutine[Any, Any, None]:
        """Answer with the steps of a search."""
        of_game = bool(request.moves or request.start)
        if (request.tree is None) == (request.game is None) or (request.tree is not None and of_game):
            raise Problem(BAD_COMMAND, problem="tree: a trace is of either a tree, or a game with its moves")
        tracing = Tracing(Method(request.search), request.strict, request.depth, request.tree)
        return self._begin(client, request, tracing)

    def playouts(self, client: Client, request: study_requests.AskPlayouts) -> Coroutine[Any, Any, None]:
        """Answer with the steps of a search by playouts."""
        return self._begin(client, request, Sampling(request.playouts, request.seed))

    def _begin(self, client: Client, request: _Request, tracing: Tracing | Sampling) -> Coroutine[Any, Any, None]:
        if not client.can_seek:
            raise Problem(TRACE_TOO_LONG)
        name = "" if request.game is None else _begun(game_of(request), request.start)
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
        return self._answer(client, request, tracing, name)

    def drop(self, client: Client) -> None:
        """The client is gone, so nobody waits for its trace."""
        for owner, task in list(self._tasks.values()):
            if owner is client and task is not None:
                task.cancel()

    async def _answer(self, client: Client, request: _Request, tracing: Tracing | Sampling, game: str) -> None:
        player = client.player.id
        self._tasks[player] = client, asyncio.current_task()
        try:
            # The trace is JSON already: encoding thousands of steps here would hold up the event loop.
            traced = await self._traced(request.moves, tracing, game)
            subject: dict[str, object] = {}
            if request.game is not None:
                start = {"start": request.start} if request.start else {}
                subject = {"game": request.game, **start, "moves": request.moves}
            elif isinstance(request, study_requests.Trace):
                subject = {"tree": request.tree}
            client.send_encoded(b"%b,%b" % (to_json(answer(request.type, request.id, subject))[:-1], traced[1:]))
        finally:
            self._costs.settle(client)
            del self._tasks[player]

    async def _traced(self, moves: list[str], tracing: Tracing | Sampling, game: str) -> bytes:
        """The fields of the answer, as a JSON object."""
        try:
            async with asyncio.timeout(self._queue_s + self._settings.analyse_s):
                return await self._trace(game, tuple(moves), tracing, self._settings.analyse_s)
        except TimeoutError:
            raise Problem(COMPUTER_BUSY, retry_after_s=self._settings.analyse_s) from None
        except BadTree as error:
            raise Problem(BAD_COMMAND, problem=f"tree: {error}") from None
        except (MalformedMove, IllegalMove) as error:
            raise Problem(BAD_COMMAND, problem=f"moves: {error}") from None


def _begun(game: Game, start: str) -> str:
    """The name of ``game`` with where it begins. Raises :class:`~noughts.gateway.replies.Problem`."""
    try:
        if start:
            game.parse(start)
    except InvalidPosition as error:
        raise Problem(BAD_POSITION, problem=sentence(str(error))) from None
    return begun(name_of(game), start)
