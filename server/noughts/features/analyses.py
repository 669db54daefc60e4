"""Analyses for players: one at a time each, and not too often."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Coroutine
from typing import Any

from pydantic_core import from_json

from noughts.config import Settings
from noughts.engine import Analysis
from noughts.games import Game, Side
from noughts.games.catalogue import begun, name_of
from noughts.gateway.client import Client, load_room
from noughts.gateway.commands import game_of, played
from noughts.gateway.costs import LOAD_BYTES
from noughts.gateway.feature import Feature
from noughts.gateway.http import in_slices
from noughts.gateway.limits import TokenBucket
from noughts.gateway.replies import BAD_COMMAND, COMPUTER_BUSY, Error, Problem, answer
from noughts.gateway.server import Server
from noughts.protocol import study_requests
from noughts.protocol.render import analysed
from noughts.rooms import Room, may_be_analysed

ONE_ANALYSIS = Error("rate_limited", "One analysis at a time. Wait for the answer.")
TOO_MANY_ANALYSES = Error("rate_limited", "Too many analyses. Wait before the next.")
BAD_SUBJECT = "room: an analysis is of either a room, or a game with its moves"
PLAYS_IT = Error("not_allowed", "You play {title}, in a game in which nobody may get help. Ask when it is over.")
OWN_GAME = Error("not_allowed", "In a game between people the players can ask what moves are worth when it is over.")
RATED_GAME = Error("not_allowed", "A rated game cannot be analysed before it is over.")
FUTURE_PLY = Error("stale", "That ply has not been played yet. There are {plies} so far.")

BURST = 10
"""The number of analyses a player may request without a pause."""

PAGE = 100
"""The number of unfinished games read at a time, to see whether a player may get help."""


class _Allowance:
    """The allowance of one player, over all its connections."""

    def __init__(self, settings: Settings) -> None:
        self.busy = False
        self.bucket = TokenBucket(settings.analyses_per_s, BURST)


def feature(server: Server) -> Feature:
    """The values of moves, for players and spectators."""
    analyses = Analyses(server)
    return Feature(
        requests={study_requests.Analyse: analyses.analyse},
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

    def analyse(self, client: Client, request: study_requests.Analyse) -> Coroutine[Any, Any, None]:
        """Answer with what every move of a position is worth, as it is after the requests before this one."""
        self._costs.check_reader(client)
        of_game = (request.game, request.moves, request.start, request.setup)
        if request.room is None and (request.game is None or request.ply is not None):
            raise Problem(BAD_COMMAND, problem=BAD_SUBJECT)
        if request.room is not None and any(of_game):
            raise Problem(BAD_COMMAND, problem=BAD_SUBJECT)
        game = None if request.room is not None else game_of(request)
        try:
            allowance = self._begin(client.player.id)
        except Problem:
            client.monitor.limit("analyses_per_s", client.who, "refused an analysis")
            raise
        if game is not None:
            return self._answer(client, request, allowance, self._of_moves(client, request, game))
        assert request.room is not None
        known = request.room in self._host.at_hand
        loaded = self._costs.loaded(client, load_room(self._host, request.room, client), known=known)
        return self._answer(client, request, allowance, self._of_room(client, request.ply, loaded))

    async def _answer(
        self,
        client: Client,
        request: study_requests.Analyse,
        allowance: _Allowance,
        found: Awaitable[dict[str, object]],
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks[client] = task
        try:
            client.send(answer("analysis", request.id, await found))
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

    async def _of_moves(self, client: Client, request: study_requests.Analyse, game: Game) -> dict[str, object]:
        """The values of the moves of ``game`` after the moves of ``request``, as the fields of the answer."""
        self._costs.charge_list(client)
        if await self._may_not_get_help(client.player.id, game.key):
            raise Problem(PLAYS_IT, title=game.title)
        client.cost += LOAD_BYTES * len(request.moves)
        self._costs.settle(client)
        line = await in_slices(played(game, request))
        moves, (_, position) = tuple([move for move, _ in line if move is not None]), line[-1]
        analysis = await self._searched(begun(name_of(game), request.start), moves)
        return _told("", game, len(moves), position.to_move, analysed(game, position, analysis))

    async def _may_not_get_help(self, player: str, game: str) -> bool:
        """True while ``player`` plays a game of the same kind that is rated, or against a person or bot: what is asked
        about could be its position, or one that comes next.
        """
        after = None
        while rows := await self._host.journal.games.unfinished(player, after, PAGE):
            for after, row in rows:  # noqa: B007 - the last is where the next page begins
                listed = from_json(row)
                people = [seat for seat in listed["seats"].values() if seat is not None and seat["kind"] != "computer"]
                secret = listed["status"] == "playing" and (listed["options"]["rated"] or len(people) == 2)
                if secret and listed["game"] == game:
                    return True
        return False

    async def _of_room(self, client: Client, ply: int | None, loaded: Awaitable[Room]) -> dict[str, object]:
        """The values of the moves of a room at ``ply``, now if that is None, as the fields of the answer."""
        room, player = await loaded, client.player.id
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
        analysis = await self._searched(name_of(room.game), moves)
        return _told(room.id, room.game, len(moves), to_move, present | analysed(room.game, position, analysis))

    async def _searched(self, game: str, moves: tuple[str, ...]) -> Analysis:
        try:
            async with asyncio.timeout(self._queue_s + self._settings.analyse_s):
                return await self._analyse(game, moves)
        except TimeoutError:
            raise Problem(COMPUTER_BUSY, retry_after_s=self._settings.analyse_s) from None


def _told(room: str, game: Game, ply: int, to_move: Side | None, values: dict[str, object]) -> dict[str, object]:
    """The fields of the answer."""
    side = None if to_move is None else to_move.value
    return {"room": room, "game": game.key, "ply": ply, "to_move": side, **values}


def _is_idle(allowance: _Allowance, now: float) -> bool:
    """True if there is nothing to remember."""
    return not allowance.busy and allowance.bucket.full_at <= now
