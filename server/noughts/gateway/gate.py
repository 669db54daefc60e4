"""One client's conversation: requests in, answers out, whatever carries them."""

from __future__ import annotations

import asyncio
import logging
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from pydantic_core import from_json

from noughts import protocol
from noughts.config import Settings
from noughts.engine import levels_of
from noughts.games import GAMES
from noughts.gateway import identity
from noughts.gateway.analyses import Analyses, Asked, Unexplained
from noughts.gateway.answers import answer, error, ok, welcome
from noughts.gateway.audience import Audience
from noughts.gateway.identity import new_id, room_id_for
from noughts.gateway.limits import TokenBucket
from noughts.gateway.line import TRY_AGAIN_LATER, Line
from noughts.gateway.lobby import Lobby
from noughts.gateway.presence import Presence
from noughts.gateway.table import options_of, table_command
from noughts.host import Done, Failed, Host
from noughts.journal import JournalError, StoredPlayer
from noughts.protocol import AnyRequest, BadRequest, RequestId, requests, snapshot, timestamp
from noughts.rooms import (
    Join,
    Open,
    Play,
    Player,
    Refused,
    Room,
)

log = logging.getLogger(__name__)

Result = Done | Refused | Failed

NEWCOMERS_PER_S = 1.0
"""How many may come as somebody new from one address, on average; at once as many as a burst of messages."""


@dataclass(frozen=True, slots=True)
class Hall:
    """What all conversations of a server share."""

    settings: Settings
    host: Host
    audience: Audience
    presence: Presence
    lobby: Lobby
    analyses: Analyses


class Gate(Line):
    """The server's end of a conversation. Nothing here waits for the client, and nothing raises for what it sends.

    ``rooms`` are those that the client looks at, ``joining`` those that it is about to. ``newcomers`` bounds how many
    come as somebody new from where the client is: each is stored.
    """

    def __init__(self, hall: Hall, newcomers: TokenBucket) -> None:
        super().__init__()
        self.hall = hall
        self._newcomers = newcomers
        self.rooms: set[str] = set()
        self.joining: Counter[str] = Counter()
        self._player: StoredPlayer | None = None
        self._journal = hall.host.journal
        self._creating = asyncio.Lock()
        self._opened_at_most = hall.settings.rooms_per_player
        self._bucket = TokenBucket(hall.settings.messages_per_s, hall.settings.burst)
        self._asked: Asked | None = None
        self._time = asyncio.get_running_loop().time

    @property
    def identified(self) -> bool:
        """Whether the client has said hello."""
        return self._player is not None

    @property
    def player(self) -> StoredPlayer:
        """Whom the client speaks for, once identified."""
        assert self._player is not None
        return self._player

    def _lag_ms(self) -> int:
        """How long a message to the client and its answer are on their way; 0 where that is not known."""
        return 0

    def _measure_lag(self) -> None:  # not every way to a client can be measured
        """Find out how long that is now, for the next move."""

    @abstractmethod
    def _look_at(self, result: Done) -> None:
        """The client looks at the room from now on; doing so twice changes nothing."""

    @abstractmethod
    def _look_away(self, room_id: str) -> bool:
        """The client looks at the room no more. True when it did so until now."""

    @abstractmethod
    def _follow_lobby(self, request: requests.Lobby) -> None:
        """Tell the client of changes to the lobby, or no more, as it wishes."""

    async def greet(self, frame: str | bytes) -> None:
        """Take a frame of a client that has not been identified: only ``hello`` will do."""
        request = self._parse(frame)
        if isinstance(request, requests.Hello):
            await self._hello(request)
        elif request is not None:
            self.send(error(request.id, "not_identified", "Say hello first."))

    def receive(self, frame: str | bytes, arrived: int | None = None) -> None:
        """Take a frame of an identified client. What comes of it is sent, now or when it is done.

        ``arrived`` is when it came, by the journal's time; None for now.
        """
        request = self._parse(frame)
        host = self.hall.host
        match request:
            case None:
                pass
            case requests.Play():
                self._play(request, arrived)
            case requests.TableRequest(type="offer_rematch" | "accept_rematch"):
                self.spawn(self._rematch(request))
            case requests.TableRequest() | requests.Claim():
                self._at_table(request)
            case requests.Join():
                self._join(request)
            case requests.Watch():
                host.submit(request.room, None, self._watched(request))
            case requests.Leave():
                # In its turn, or it would overtake the ``watch`` before it.
                host.after(request.room, lambda: self._left(request))
            case requests.Create():
                self.spawn(self._create(request))
            case requests.Lobby():
                self.spawn(self._lobby(request))
            case requests.Analyse():
                self._analyse(request)
            case requests.Hello():
                self.send(error(request.id, "not_allowed", "You have said hello already."))
            case requests.Ping():
                now = timestamp(self._journal.now())
                self.send(answer("pong", request.id, {"now": now}))

    def _parse(self, frame: str | bytes) -> AnyRequest | None:
        """The request in ``frame``; None where the answer was an error already."""
        wait = self._bucket.take(self._time())
        if wait:
            self._flooded(frame, wait)
            return None
        try:
            return protocol.parse(frame)
        except BadRequest as bad:
            self.send(error(bad.id, bad.code, bad.message))
            return None

    # --- hello

    async def _hello(self, request: requests.Hello) -> None:
        if request.protocol != protocol.PROTOCOL:
            text = f"This server speaks protocol {protocol.PROTOCOL}."
            self.send(error(request.id, "unsupported_protocol", text))
            return
        if request.token is not None:
            token, player = request.token, await self._find(request.token, request.id)
        elif wait := self._newcomers.take(self._time()):
            text = "Too many come from there as somebody new; say hello with a token, or wait."
            self.send(error(request.id, "rate_limited", text, retry_after_s=round(wait, 3)))
            return
        else:
            try:
                player, token = await identity.welcome(self._journal, request.name, bot=request.bot)
            except JournalError:
                self._unknown_outcome(request.id)
                return
        if player is None:
            return
        self._player = player
        now = self._journal.now()
        self.send(welcome(request.id, player, token, self.hall.settings, now))

    async def _find(self, token: str, request_id: RequestId) -> StoredPlayer | None:
        """Who holds ``token``; None where the answer was an error already."""
        try:
            player = await identity.find(self._journal, token)
        except JournalError:
            self._unknown_outcome(request_id)
            return None
        if player is None:
            text = "That token is not known here. Say hello without one to come as somebody new."
            self.send(error(request_id, "bad_token", text))
        return player

    # --- rooms

    def _looks_at_too_many(self, another: str) -> bool:
        looked_at = self.rooms | self.joining.keys()
        return another not in looked_at and len(looked_at) >= self.hall.settings.rooms_per_connection

    def _refuse_another_room(self, request_id: RequestId) -> None:
        self.send(error(request_id, "room_limit", f"You look at {len(self.rooms)} rooms; leave some first."))

    async def _create(self, request: requests.Create) -> None:
        if refusal := _no_such_computer(request):
            self.send(error(request.id, "not_allowed", refusal))
            return
        # One after the other, or many sent at once would all find room for one more.
        async with self._creating:
            key = request.key
            room_id = new_id() if key is None else room_id_for(self.player.token_hash, key)
            if self._looks_at_too_many(room_id):
                self._refuse_another_room(request.id)
                return
            try:
                # A key may stand for a room that is there already.
                may = await self._may_open_another() or (key is not None and await self._journal.read(room_id))
            except JournalError:
                self._unknown_outcome(request.id)
                return
            if not may:
                self._refuse_to_open_more(request.id)
                return
            await self._open(request, room_id)

    async def _may_open_another(self) -> bool:
        """Whether the player may have one more open room. The journal is asked only where it could be one too many."""
        most = self.hall.settings.rooms_per_player
        if self._opened_at_most >= most:
            self._opened_at_most = await self._journal.open_rooms(self.player.id)
        self._opened_at_most += 1
        return self._opened_at_most <= most

    def _refuse_to_open_more(self, request_id: RequestId) -> None:
        text = f"You have {self.hall.settings.rooms_per_player} rooms that are not over; end some first."
        self.send(error(request_id, "room_limit", text))

    async def _rematch(self, request: requests.TableRequest) -> None:
        """A rematch opens a room, too."""
        try:
            may = await self._may_open_another()
        except JournalError:
            self._unknown_outcome(request.id)
            return
        room = self.hall.host.room(request.room)
        if may or (room is not None and room.next is not None):  # what was agreed to needs no other room
            self._at_table(request)
        else:
            self._refuse_to_open_more(request.id)

    def _play(self, request: requests.Play, arrived: int | None) -> None:
        arrived = self._journal.now() if arrived is None else arrived
        command = Play(self.player.id, request.turn, request.move, arrived, self._lag_ms())
        answer = self._version_or_error(request.id)

        def reply(result: Result) -> None:
            answer(result)
            if isinstance(result, Done) and result.room.clocks is not None:
                self._measure_lag()

        self.hall.host.submit(request.room, command, reply)

    def _at_table(self, request: requests.TableRequest | requests.Claim) -> None:
        self.hall.host.submit(request.room, table_command(request, self.player.id), self._version_or_error(request.id))

    async def _open(self, request: requests.Create, room_id: str) -> None:
        settings = self.hall.settings
        first, second = self._seat(request.seats.first), self._seat(request.seats.second)
        command = Open(room_id, request.game, self.player.id, first, second, options_of(request, settings))
        seated = (self.player,) if self._as_player() in (first, second) else ()
        self.joining[room_id] += 1
        entered = self._entered(request.id, room_id)
        opened = asyncio.Event()

        def reply(result: Result) -> None:
            opened.set()
            entered(result)

        self.hall.host.submit(room_id, command, reply, seated)
        await opened.wait()

    def _join(self, request: requests.Join) -> None:
        if self._looks_at_too_many(request.room):
            self._refuse_another_room(request.id)
            return
        self.joining[request.room] += 1
        command = Join(self._as_player(), request.seat)
        self.hall.host.submit(request.room, command, self._entered(request.id, request.room), (self.player,))

    def _entered(self, request_id: RequestId, room_id: str) -> Callable[[Result], None]:
        """The reply to ``create`` and ``join``: the answer, then the room."""

        def reply(result: Result) -> None:
            self.joining[room_id] -= 1
            if not self.joining[room_id]:
                del self.joining[room_id]
            if not isinstance(result, Done):
                self._refuse(request_id, result)
            elif self.open:
                side = result.room.side_of(self.player.id)
                self.send(ok(request_id, room=room_id, seat=None if side is None else side.value))
                self._look_at(result)
                self.send_room(result)

        return reply

    def _watched(self, request: requests.Watch) -> Callable[[Result], None]:
        """The reply to ``watch``: the answer, then the missed updates or the room."""

        def reply(result: Result) -> None:
            if not isinstance(result, Done):
                self._refuse(request.id, result)
            elif self._looks_at_too_many(request.room):
                self._refuse_another_room(request.id)
            elif self.open:
                side = result.room.side_of(self.player.id)
                seat = None if side is None else side.value
                self.send(ok(request.id, room=result.room.id, seat=seat, version=result.room.version))
                self._look_at(result)
                missed = None if request.since is None else result.since(request.since)
                if missed is None:
                    self.send_room(result)
                else:
                    for happening in missed:
                        self.send_bytes(happening.data)

        return reply

    def _left(self, request: requests.Leave) -> None:
        self._leave(request.room)
        self.send(ok(request.id))

    def send_room(self, result: Done) -> None:
        """Send the whole room."""
        spectators = self.hall.audience.spectators(result.room)
        self.send(snapshot(result.room, self._journal.now(), spectators))

    def _leave(self, room_id: str) -> None:
        if self._look_away(room_id):
            room = self.hall.host.room(room_id)
            if room is not None:
                self.hall.presence.left(room, self.player.id)
            self.hall.host.release(room_id)

    def _as_player(self) -> Player:
        player = self.player
        return Player(player.id, player.name, "bot" if player.kind == "bot" else "human")

    def _seat(self, wish: str) -> Player | None:
        if wish == "me":
            return self._as_player()
        if wish == "open":
            return None
        return Player(wish, "minimax", "computer")

    # --- the lobby

    async def _lobby(self, request: requests.Lobby) -> None:
        lobby = self.hall.lobby
        if request.game is not None and request.game not in GAMES:
            self.send(error(request.id, "unknown_game", f"There is no game called {request.game!r} here."))
            return
        if not self.open:
            return
        self._follow_lobby(request)
        try:
            with lobby.listed(self):
                self.send(ok(request.id, rooms=await lobby.rooms(request.game)))
        except JournalError:
            self._unknown_outcome(request.id)

    # --- analyses

    def _analyse(self, request: requests.Analyse) -> None:
        try:
            asked = self._asked = self.hall.analyses.begin(self.player.id, self._time())
        except Unexplained as refusal:
            self._leave_unexplained(request.id, refusal)
            return

        def reply(result: Result) -> None:
            if isinstance(result, Done) and not asked.dropped:
                self.spawn(self._explain(request, asked, result.room))
                return
            asked.end()
            if not isinstance(result, Done):
                self._refuse(request.id, result)

        self.hall.host.submit(request.room, None, reply)

    async def _explain(self, request: requests.Analyse, asked: Asked, room: Room) -> None:
        try:
            if not asked.dropped:  # since the room was had
                self.send(answer("analysis", request.id, await asked.explain(room, request.ply)))
        except Unexplained as refusal:
            self._leave_unexplained(request.id, refusal)
        except Exception:
            log.exception("room %s: an analysis failed", room.id)
            self.send(error(request.id, "internal", "The server made a mistake; it was noted."))
        finally:
            asked.end()

    def _leave_unexplained(self, request_id: RequestId, refusal: Unexplained) -> None:
        self.send(error(request_id, refusal.code, refusal.message, retry_after_s=refusal.retry_after_s))

    # --- answers

    def _version_or_error(self, request_id: RequestId) -> Callable[[Result], None]:
        def reply(result: Result) -> None:
            if isinstance(result, Done):
                self.send(ok(request_id, version=result.version))
            else:
                self._refuse(request_id, result)

        return reply

    def _refuse(self, request_id: RequestId, result: Refused | Failed) -> None:
        legal_moves = result.legal_moves if isinstance(result, Refused) else None
        self.send(error(request_id, result.code, result.message, legal_moves=legal_moves))
        if result.code == "overloaded":
            self.close(TRY_AGAIN_LATER, "try again later")

    def _unknown_outcome(self, request_id: RequestId) -> None:
        self._refuse(request_id, Failed("overloaded", "The journal does not answer; try again later."))

    def _flooded(self, frame: str | bytes, wait: float) -> None:
        if self._bucket.refusals > 2 * self._bucket.burst:
            self.close(1008, "too many messages")
            return
        try:
            request_id = requests.id_of(from_json(frame))
        except ValueError:
            request_id = None
        text = "Too many messages; wait before the next."
        self.send(error(request_id, "rate_limited", text, retry_after_s=round(wait, 3)))


def _no_such_computer(request: requests.Create) -> str:
    """Why the computer does not take the seats that it is to take, empty where it does."""
    game = GAMES.get(request.game)
    if game is None:
        return ""
    levels = levels_of(game)
    for wish in (request.seats.first, request.seats.second):
        kind, _, level = wish.partition(":")
        if kind == "computer" and level not in levels:
            return f"The computer does not play {game.title} at {level}, but at {', '.join(levels)}."
    return ""
