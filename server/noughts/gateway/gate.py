"""One client's conversation: requests in, answers out, whatever carries them."""

from __future__ import annotations

import logging

from pydantic_core import from_json

from noughts import protocol
from noughts.games import GAMES
from noughts.gateway import identity
from noughts.gateway.account import change_account
from noughts.gateway.analyses import Asked, Unexplained
from noughts.gateway.answers import answer, error, ok, welcome
from noughts.gateway.conversation import Hall, Result
from noughts.gateway.entering import Entering
from noughts.gateway.limits import TokenBucket
from noughts.gateway.pages import leaderboard, player_page
from noughts.gateway.standing import banned
from noughts.host import Done
from noughts.journal import JournalError, StoredPlayer
from noughts.protocol import AnyRequest, BadRequest, RequestId, requests, timestamp
from noughts.rooms import Room

log = logging.getLogger(__name__)

NEWCOMERS_PER_S = 1.0
"""How many may come as somebody new from one address, on average; at once as many as a burst of messages."""


class Gate(Entering):
    """The server's end of a conversation. Nothing here waits for the client, and nothing raises for what it sends.

    ``newcomers`` bounds how many come as somebody new from where the client is, and change who they are: it is stored.
    ``pages`` bounds how many pages are asked for from there.
    """

    def __init__(self, hall: Hall, newcomers: TokenBucket, pages: TokenBucket) -> None:
        super().__init__(hall)
        self._newcomers = newcomers
        self._bucket = TokenBucket(hall.settings.messages_per_s, hall.settings.burst)
        self._asked: Asked | None = None
        self._pages = pages

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
            case requests.Chat():
                self._chat(request)
            case requests.Seek() | requests.Unseek():
                self._meet(request)
            case requests.Lobby():
                self.spawn(self._lobby(request))
            case requests.AboutPlayer() | requests.Leaderboard():
                self._look_up(request)
            case requests.Register() | requests.RenewToken() | requests.RevokeToken():
                self._change_account(request)
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
        if request.token is None:
            came = await self._welcome(request)
        else:
            player = await self._find(request.token, request.id)
            came = None if player is None else (player, request.token)
        if came is not None:
            self._player, token = came
            self.send(welcome(request.id, self._player, token, self.hall.settings, self._journal.now()))

    async def _welcome(self, request: requests.Hello) -> tuple[StoredPlayer, str] | None:
        """Somebody new and the token; None where the answer was an error already."""
        if request.name is not None and identity.shows_nothing(request.name):
            self.send(error(request.id, "bad_message", identity.NO_NAME))
            return None
        if wait := self._newcomers.take(self._time()):
            text = "Too many come from there as somebody new; say hello with a token, or wait."
            self.send(error(request.id, "rate_limited", text, retry_after_s=round(wait, 3)))
            return None
        try:
            came = await identity.welcome(self._journal, request.name, bot=request.bot)
        except JournalError:
            self.unknown_outcome(request.id)
            return None
        if came is None:
            text = "That name is somebody's for good: say hello with its token, or choose another."
            self.send(error(request.id, "name_taken", text))
        return came

    async def _find(self, token: str, request_id: RequestId) -> StoredPlayer | None:
        """Who holds ``token``; None where the answer was an error already."""
        try:
            player = await identity.find(self._journal, token)
        except JournalError:
            self.unknown_outcome(request_id)
            return None
        if player is None:
            text = "That token is not known here. Say hello without one to come as somebody new."
            self.send(error(request_id, "bad_token", text))
        elif ban := banned(player, self._journal.now()):
            self.send(error(request_id, "banned", ban))
            return None
        return player

    # --- its own name and token

    def _change_account(self, request: requests.Register | requests.RenewToken | requests.RevokeToken) -> None:
        """Each such change is stored, as newcomers are, and counts among them."""
        if wait := self._newcomers.take(self._time()):
            text = "Too many names and tokens are changed from there; wait."
            self.send(error(request.id, "rate_limited", text, retry_after_s=round(wait, 3)))
        else:
            self.spawn(change_account(self, request))

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
            self.unknown_outcome(request.id)

    # --- players

    def _look_up(self, request: requests.AboutPlayer | requests.Leaderboard) -> None:
        if wait := self._pages.take(self._time()):
            text = "Too many pages are asked for from there; wait before the next."
            self.send(error(request.id, "rate_limited", text, retry_after_s=round(wait, 3)))
        elif isinstance(request, requests.AboutPlayer):
            self.spawn(player_page(self, request))
        else:
            self.spawn(leaderboard(self, request))

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

    def _flooded(self, frame: str | bytes, wait: float) -> None:
        if self._bucket.refusals > 2 * self._bucket.burst:
            self.close(1008, "too many messages")
            return
        try:
            request_id = protocol.id_of(from_json(frame))
        except ValueError:
            request_id = None
        text = "Too many messages; wait before the next."
        self.send(error(request_id, "rate_limited", text, retry_after_s=round(wait, 3)))
