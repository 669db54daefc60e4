"""The conversation over a WebSocket, which is told what happens in the rooms that it looks at."""

from __future__ import annotations

from websockets.asyncio.connection import broadcast
from websockets.asyncio.server import ServerConnection

from noughts.gateway.answers import error
from noughts.gateway.conversation import Hall
from noughts.gateway.gate import Gate
from noughts.gateway.lag import Lag
from noughts.gateway.limits import TokenBucket
from noughts.host import Done
from noughts.journal import JournalError
from noughts.protocol import ErrorCode, requests


class Session(Gate):
    """The server's end of one connection. A client that has more than ``backlog_bytes`` unread is cut.

    ``behind`` are the rooms of which it gets no more updates until it has read what it was sent.
    """

    def __init__(self, hall: Hall, connection: ServerConnection, newcomers: TokenBucket, pages: TokenBucket) -> None:
        super().__init__(hall, newcomers, pages)
        self.connection = connection
        self.transport = connection.transport
        self.behind: set[str] = set()
        self._lag = Lag(connection)
        self._backlog = hall.settings.backlog_bytes

    def closed(self) -> None:
        """The connection is gone: stop looking at rooms."""
        self.drop()
        if self._asked is not None:
            self._asked.drop()
        if self.identified:
            self.hall.standing.leave(self)
            self.hall.meeting.gone(self)
        self.hall.lobby.unwatch(self)
        for room_id in list(self.rooms):
            self._leave(room_id)

    def send_bytes(self, message: bytes) -> None:
        broadcast((self.connection,), message, text=True)
        self.cut_if_clogged()

    def cut_if_clogged(self) -> None:
        """Cut a connection that has too much unsent."""
        if self.transport.get_write_buffer_size() > self._backlog:
            self.cut()

    def cut(self) -> None:
        """End the connection at once: the client does not read, so that it would not see a close frame either."""
        self.open = False
        self.transport.abort()

    def close(self, code: int, reason: str) -> None:
        if self.open:
            self.open = False
            self.spawn(self.connection.close(code, reason))

    def dismiss(self, code: ErrorCode, message: str) -> None:
        """The player is not let in any more, and ``message`` says why."""
        if self.open:
            self.send(error(None, code, message))
            self.close(1008, message.rstrip("."))

    def _lag_ms(self) -> int:
        return self._lag.ms

    def _measure_lag(self) -> None:
        if self.open and self._lag.due:
            self.spawn(self._lag.measure())

    def _look_at(self, result: Done) -> None:
        self.behind.discard(result.room.id)
        self.hall.audience.add(result.room.id, self)
        self.hall.presence.arrived(result.room, self.player.id)
        if result.room.clocks is not None and result.room.side_of(self.player.id) is not None:
            self._measure_lag()

    def _knows(self, room_id: str, spectators: int) -> None:
        self.hall.audience.knows(room_id, self, spectators)

    def _look_away(self, room_id: str) -> bool:
        return self.hall.audience.remove(room_id, self)

    def _follow_lobby(self, request: requests.Lobby) -> None:
        if request.watch:
            self.hall.lobby.watch(self, request.game)
        else:
            self.hall.lobby.unwatch(self)

    def _meet(self, request: requests.Seek | requests.Unseek) -> None:
        self.spawn(self._seek(request) if isinstance(request, requests.Seek) else self._unseek(request))

    async def _seek(self, request: requests.Seek) -> None:
        """A seek opens a room one day, in which the client is to be."""
        async with self._creating:
            if self._looks_at_too_many(""):
                self._refuse_another_room(request.id)
                return
            try:
                may_open = await self._may_open_another()
            except JournalError:
                self.unknown_outcome(request.id)
                return
            if not await self.hall.meeting.seek(self, request, may_open=may_open):
                self._refuse_to_open_more(request.id)

    async def _unseek(self, request: requests.Unseek) -> None:
        async with self._creating:  # after the seek that was sent before it
            await self.hall.meeting.unseek(self, request)
