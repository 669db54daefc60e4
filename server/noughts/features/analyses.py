"""Analyses for players: one at a time each, and not too often."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Coroutine
from typing import Any

from noughts.config import Settings
from noughts.games.catalogue import name_of
from noughts.gateway.client import Client, load_room
from noughts.gateway.feature import Feature
from noughts.gateway.limits import TokenBucket
from noughts.gateway.replies import COMPUTER_BUSY, Error, Problem, answer
from noughts.gateway.server import Server
from noughts.protocol import requests
from noughts.protocol.render import analysed
from noughts.rooms import Room, may_be_analysed

ONE_ANALYSIS = Error("rate_limited", "One analysis at a time. Wait for the answer.")
TOO_MANY_ANALYSES = Error("rate_limited", "Too many analyses. Wait before the next.")
OWN_GAME = Error("not_allowed", "In a game between people the players can ask what moves are worth when it is over.")
RATED_GAME = Error("not_allowed", "A rated game cannot be analysed before it is over.")
FUTURE_PLY = Error("stale", "That ply has not been played yet. There are {plies} so far.")

BURST = 10
"""The number of analyses a player may request without a pause."""


class _Allowance:
    """The allowance of one player, over all its connections."""

    def __init__(self, settings: Settings) -> None:
        self.busy = False
        self.bucket = TokenBucket(settings.analyses_per_s, BURST)


def feature(server: Server) -> Feature:
    """The values of moves, for players and spectators."""
    analyses = Analyses(server)
    return Feature(
        requests={requests.Analyse: analyses.analyse},
        on_client_gone=analyses.drop,
        close=server.computer.stop_answering,
    )


class Analyses:
    """Carries out requests for analyses."""

    def __init__(self, server: Server) -> None:
        self._settings = server.settings
        self._host = server.host
        self._costs = server.costs
        self._analyse = server.computer.analyse
        self._queue_s = server.timing.analysis_queue_s
        self._allowances: OrderedDict[str, _Allowance] = OrderedDict()
        self._tasks: dict[Client, asyncio.Task[object]] = {}
        self._time = server.time

    def analyse(self, client: Client, request: requests.Analyse) -> Coroutine[Any, Any, None]:
        """Answer with what every move of a position is worth, as it is after the requests before this one."""
        self._costs.check_reader(client)
        try:
            allowance = self._begin(client.player.id)
        except Problem:
            client.monitor.limit("analyses_per_s", client.who, "refused an analysis")
            raise
        known = request.room in self._host.at_hand
        return self._answer(client, request, allowance, load_room(self._host, request.room, client), known=known)

    async def _answer(
        self,
        client: Client,
        request: requests.Analyse,
        allowance: _Allowance,
        loaded: asyncio.Future[Room],
        *,
        known: bool,
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks[client] = task
        try:
            room = await self._costs.loaded(client, loaded, known=known)
            client.send(answer("analysis", request.id, await self._analysis(room, client.player.id, request.ply)))
        finally:
            self._costs.settle(client)
            allowance.busy = False
            if self._tasks.get(client) is task:
                del self._tasks[client]

    def drop(self, client: Client) -> None:
        """The client is gone, so nobody waits for its analysis."""
        if task := self._tasks.get(client):
            task.cancel()

    def _begin(self, player: str) -> _Allowance:
        """Take one of the analyses that the player may have. Set ``busy`` to False when it is over."""
        allowances, now = self._allowances, self._time()
        allowance = allowances.setdefault(player, _Allowance(self._settings))
        allowances.move_to_end(player)
        while (oldest := next(iter(allowances))) != player and _is_idle(allowances[oldest], now):
            del allowances[oldest]
        if allowance.busy:
            raise Problem(ONE_ANALYSIS, retry_after_s=self._settings.analyse_s)
        if wait_s := allowance.bucket.take(now):
            raise Problem(TOO_MANY_ANALYSES, retry_after_s=wait_s)
        allowance.busy = True
        return allowance

    async def _analysis(self, room: Room, player: str, ply: int | None) -> dict[str, object]:
        """The values of the moves of ``room`` at ``ply``, now if that is None, as the fields of the answer.

        ``player`` is who asks.
        """
        if not may_be_analysed(room.status, rated=room.rated):
            raise Problem(RATED_GAME)
        if room.status == "playing" and len(room.people) == 2 and room.side_of(player) is not None:
            raise Problem(OWN_GAME)
        moves, position, to_move = room.moves, room.position, room.position.to_move
        present: dict[str, object] = {"turn": room.turn}
        if ply is not None and ply > len(moves):
            raise Problem(FUTURE_PLY, plies=len(moves))
        if ply is not None and ply < len(moves):
            # The side to move is the side that moved, whatever the rules say today.
            moves, position, to_move, present = moves[:ply], room.plies[ply].position, room.plies[ply].side, {}
        try:
            async with asyncio.timeout(self._queue_s + self._settings.analyse_s):
                analysis = await self._analyse(name_of(room.game), moves)
        except TimeoutError:
            raise Problem(COMPUTER_BUSY, retry_after_s=self._settings.analyse_s) from None
        side = None if to_move is None else to_move.value
        return {
            "room": room.id,
            "game": room.game.key,
            "ply": len(moves),
            **present,
            "to_move": side,
            **analysed(room.game, position, analysis),
        }


def _is_idle(allowance: _Allowance, now: float) -> bool:
    """True if there is nothing to remember."""
    return not allowance.busy and allowance.bucket.full_at <= now
