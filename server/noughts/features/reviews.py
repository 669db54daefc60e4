"""Reviews of finished games: made in the background for those who read them, and stored with the game."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, Coroutine, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from importlib.metadata import version
from itertools import islice
from typing import Any

from pydantic_core import to_json

from noughts.engine import Analysis, FinishedGame, ReviewedMove, review_move
from noughts.games import Game, Position
from noughts.games.catalogue import name_of
from noughts.gateway.address import SITE_SHARE, site_of
from noughts.gateway.client import Client, load_room
from noughts.gateway.feature import Feature, Reading
from noughts.gateway.replies import Error, Problem, answer
from noughts.gateway.server import Server
from noughts.journal import JournalError, StoredReview
from noughts.protocol import study_requests
from noughts.protocol.reviews import UNDECIDED, Budget, Verdict, finished, review_fields, reviewed_move, verdict
from noughts.rooms import Room

log = logging.getLogger(__name__)

TOO_MANY_REVIEWS = Error("rate_limited", "Another review is being made for you. Wait until it is complete.")
TOO_MANY_REVIEWS_THERE = Error("rate_limited", "Too many reviews are being made for your address. Wait.")
NOT_OVER = Error("not_allowed", "A game can be reviewed when it is over.")
OTHER_RULES = Error("not_allowed", "The game was played under other rules, so it cannot be reviewed.")
TOO_LONG_TO_REVIEW = Error("not_allowed", "The game is too long to review: {plies} moves, and {most} at most.")
CANNOT_READ_REVIEWS = Error("not_allowed", "To read a review you must stay connected. Use a WebSocket.")

MOST_PLIES = 1000
"""The greatest number of moves of a game to be reviewed. No game of the server's own has so many."""

RETRY_S = 5.0
"""The time that a client should wait who reads another review already."""


class _Review:
    """A review under way: of ``room``, for its ``readers``, the longest reading first.

    ``moves`` are the moves that are done, by ply, as JSON.
    """

    def __init__(self, room: Room) -> None:
        self.room = room
        self.readers: dict[Client, None] = {}
        self.moves: dict[int, bytes] = {}
        self.task: asyncio.Task[None] | None = None


def feature(server: Server) -> Feature:
    """Reviews of finished games."""
    reviews = Reviews(server)
    return Feature(
        requests={study_requests.AskReview: reviews.review},
        on_client_gone=reviews.drop,
        on_left=reviews.leave,
        close=reviews.close,
        readings=(Reading("reviews", "Reviews of finished games under way.", lambda: len(reviews)),),
    )


class Reviews:
    """Reviews games from the last move to the first: near the end most is proved, and there games are lost.

    A review stops when its last reader leaves.
    """

    def __init__(self, server: Server) -> None:
        self._settings = server.settings
        self._host = server.host
        self._costs = server.costs
        self._search = server.computer.review
        self._searches = server.computer.searches
        self._budget = Budget(f"noughts {version('noughts')}", server.settings.review_s)
        self._under_way: dict[str, _Review] = {}
        self._reading: dict[Client, set[_Review]] = {}
        self._students: dict[Client, str] = {}
        """The students who read a review, complete or not, and its room."""
        self._attendance = server.attendance
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """The number of reviews under way."""
        return len(self._under_way)

    def review(self, client: Client, request: study_requests.AskReview) -> Coroutine[Any, Any, None]:
        """Answer with the review as far as it is known, and send the rest as it gets done."""
        self._costs.check_reader(client)
        known = request.room in self._host.at_hand
        return self._answer(client, request, load_room(self._host, request.room, client), known=known)

    async def _answer(
        self, client: Client, request: study_requests.AskReview, loaded: asyncio.Future[Room], *, known: bool
    ) -> None:
        room = await self._costs.loaded(client, loaded, known=known)
        if room.status != "over":
            raise Problem(NOT_OVER)
        if room.stopped:
            raise Problem(OTHER_RULES)
        if len(room.plies) > MOST_PLIES:
            raise Problem(TOO_LONG_TO_REVIEW, plies=len(room.plies), most=MOST_PLIES)
        stored = await self._host.journal.results.review(room.id) if room.plies else None
        if not client.open:
            return
        budget, complete = self._budget, True
        if not room.plies:
            made = _made([], UNDECIDED)
        elif stored is not None and self._is_current(stored):
            made, budget = stored.review, Budget(stored.engine, stored.seconds)
        else:
            under_way, complete = self._read(client, room), False
            made = _made([under_way.moves[ply] for ply in sorted(under_way.moves)], UNDECIDED)
        fields = review_fields(room, budget, complete=complete)
        client.send_encoded(_with(answer("review", request.id, fields), made))
        self._costs.settle(client)
        if client.player.student:
            self._students[client] = room.id
            self._attendance.read_review(client.player.id, reads=True)

    def leave(self, client: Client, room_id: str) -> None:
        """The client no longer reads the review of a room."""
        if self._students.get(client) == room_id:
            self._close(client)
        under_way = self._under_way.get(room_id)
        if under_way is not None:
            self._unread(client, under_way)

    def drop(self, client: Client) -> None:
        """The client is gone."""
        if client in self._students:
            self._close(client)
        for under_way in list(self._reading.get(client, ())):
            self._unread(client, under_way)

    def _close(self, client: Client) -> None:
        del self._students[client]
        self._attendance.read_review(client.player.id, reads=False)

    async def close(self) -> None:
        """Give up all reviews."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _is_current(self, stored: StoredReview) -> bool:
        """True if a review made now would be no better."""
        return stored.engine == self._budget.engine and stored.seconds >= self._budget.seconds

    def _read(self, client: Client, room: Room) -> _Review:
        """Have the client read the review of ``room``, which begins unless it is under way."""
        under_way = self._under_way.get(room.id)
        if under_way is None or client not in under_way.readers:
            self._check(client, room.id)
        if under_way is None:
            self._costs.check_write(client)
            under_way = self._under_way[room.id] = _Review(room)
            task = under_way.task = asyncio.create_task(self._run(under_way))
            self._tasks.add(task)
            task.add_done_callback(partial(self._end, under_way))
        under_way.readers[client] = None
        self._reading.setdefault(client, set()).add(under_way)
        return under_way

    def _check(self, client: Client, room_id: str) -> None:
        """Raise a problem if the player or the address reads too many other reviews that are under way."""
        if not client.can_seek:
            raise Problem(CANNOT_READ_REVIEWS)
        others = [each.readers for room, each in self._under_way.items() if room != room_id]
        of_player = [any(reader.player.id == client.player.id for reader in readers) for readers in others]
        if sum(of_player) >= self._settings.reviews_per_player:
            client.monitor.limit("reviews_per_player", client.who)
            raise Problem(TOO_MANY_REVIEWS, retry_after_s=RETRY_S)
        most, site = self._settings.reviews_per_address, site_of(client.address)
        of_address = [any(reader.address == client.address for reader in readers) for readers in others]
        of_site = [any(site_of(reader.address) == site for reader in readers) for readers in others]
        if sum(of_address) >= most or sum(of_site) >= SITE_SHARE * most:
            client.monitor.limit("reviews_per_address", client.address)
            raise Problem(TOO_MANY_REVIEWS_THERE, retry_after_s=RETRY_S)

    def _unread(self, client: Client, under_way: _Review) -> None:
        under_way.readers.pop(client, None)
        reading = self._reading.get(client, set())
        reading.discard(under_way)
        if not reading:
            self._reading.pop(client, None)
        if not under_way.readers and under_way.task is not None:
            self._forget(under_way)
            under_way.task.cancel()

    def _forget(self, under_way: _Review) -> None:
        if self._under_way.get(under_way.room.id) is under_way:
            del self._under_way[under_way.room.id]

    def _end(self, under_way: _Review, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._forget(under_way)
        for reader in list(under_way.readers):
            self._unread(reader, under_way)

    async def _run(self, under_way: _Review) -> None:
        try:
            await self._review(under_way)
        except Exception:
            log.exception("a review failed")
            self._tell(under_way, [], complete=False, problem="The review failed. It has been logged.")

    async def _review(self, under_way: _Review) -> None:
        room, game = under_way.room, finished(under_way.room)
        found = []
        following = None
        async with aclosing(self._analyses(under_way, game)) as analyses:
            async for ply, analysis in analyses:
                if ply < len(game.moves):
                    found.append(review_move(game, ply, analysis, following))
                    move = await asyncio.to_thread(_encoded, found[-1], room.game, room.plies[ply].position)
                    under_way.moves[ply] = move
                    if ply:
                        self._tell(under_way, [move], complete=False)
                following = analysis
        decided = verdict(found[::-1], game)
        moves = [under_way.moves[ply] for ply in range(len(game.moves))]
        made = StoredReview(room.id, self._budget.engine, self._budget.seconds, _made(moves, decided))
        payer = next(iter(under_way.readers))
        try:
            await self._host.journal.results.put_review(made)
        except JournalError:
            pass  # it was logged, and the review can be made again
        else:
            payer.written += len(made.review)
            self._costs.settle(payer)
        self._tell(under_way, moves[:1], decided, complete=True)

    async def _analyses(self, under_way: _Review, game: FinishedGame) -> AsyncGenerator[tuple[int, Analysis], None]:
        """Search every position, the last one first, as many at a time as there are places for reviews."""
        name = name_of(game.game)
        # If the board has ended the game, there is nothing to search at its end.
        plies = iter(range(len(game.moves) - (game.to_move is None), -1, -1))
        searching: deque[tuple[int, asyncio.Future[Analysis]]] = deque()
        try:
            while True:
                for ply in islice(plies, max(0, self._searches.reviews_at_once - len(searching))):
                    reader = next(iter(under_way.readers))
                    whose = site_of(reader.address), reader.player.id
                    searching.append((ply, self._search(name, game.moves[:ply], *whose)))
                if not searching:
                    return
                ply, search = searching.popleft()
                yield ply, await search
        finally:
            for _, search in searching:
                search.cancel()

    def _tell(
        self,
        under_way: _Review,
        moves: Sequence[bytes],
        decided: Verdict = UNDECIDED,
        *,
        complete: bool,
        problem: str | None = None,
    ) -> None:
        fields: dict[str, object] = {"type": "reviewed", "room": under_way.room.id, "complete": complete}
        if problem is not None:
            fields["problem"] = problem
        encoded = _with(fields, _made(moves, decided))
        for reader in list(under_way.readers):
            if reader.open:
                reader.send_encoded(encoded)
                self._costs.settle(reader)


def _encoded(found: ReviewedMove, game: Game, position: Position) -> bytes:
    """A reviewed move as JSON. It may take milliseconds."""
    return to_json(reviewed_move(found, game, position))


def _made(moves: Sequence[bytes], decided: Verdict) -> bytes:
    """The stored form of a review: a JSON object with what decided the game and the ``moves``, which may be long."""
    return _with(decided, b'{"moves":[%b]}' % b",".join(moves))


def _with(fields: Mapping[str, object], made: bytes) -> bytes:
    """A message of ``fields`` and those of ``made``."""
    return to_json(fields)[:-1] + b"," + made[1:]
