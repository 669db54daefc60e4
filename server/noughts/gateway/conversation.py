"""What all the conversations of a server share, and what each knows: who speaks, and how it is answered."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from noughts.config import Settings
from noughts.gateway.analyses import Analyses
from noughts.gateway.answers import error, ok
from noughts.gateway.audience import Audience
from noughts.gateway.line import TRY_AGAIN_LATER, Line
from noughts.gateway.lobby import Lobby
from noughts.gateway.meeting import Meeting
from noughts.gateway.presence import Presence
from noughts.gateway.spectators import Spectators
from noughts.gateway.standing import Standing
from noughts.gateway.table import as_player
from noughts.gateway.talk import Talk
from noughts.host import Done, Failed, Host
from noughts.journal import StoredPlayer
from noughts.protocol import RequestId, requests, snapshot
from noughts.rooms import Player, Refused, Room

Result = Done | Refused | Failed


@dataclass(frozen=True, slots=True)
class Hall:
    """What all conversations of a server share."""

    settings: Settings
    host: Host
    audience: Audience
    spectators: Spectators
    presence: Presence
    lobby: Lobby
    analyses: Analyses
    talk: Talk
    meeting: Meeting
    standing: Standing


class Conversation(Line):
    """A client whose ``player`` is known once it is identified.

    ``rooms`` are those that the client looks at, ``joining`` those that it is about to.
    """

    def __init__(self, hall: Hall) -> None:
        super().__init__()
        self.hall = hall
        self.rooms: set[str] = set()
        self.joining: Counter[str] = Counter()
        self._player: StoredPlayer | None = None
        self._journal = hall.host.journal
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

    @abstractmethod
    def _meet(self, request: requests.Seek | requests.Unseek) -> None:
        """Find the client an opponent, or no more."""

    def _chat(self, request: requests.Chat) -> None:
        """Tell what the client says."""
        self.hall.talk.say(self, request)

    def as_player(self) -> Player:
        """The client's player as one who sits down."""
        return as_player(self.player)

    def alter(self, player: StoredPlayer) -> None:
        """``player`` is what is stored of the client's player from now on."""
        self._player = player

    def enter(self, result: Done) -> None:
        """Have the client look at the room from now on, and send it."""
        self._look_at(result)
        self.send_room(result)

    def send_room(self, result: Done) -> None:
        """Send the whole room."""
        spectators = self.hall.spectators.count(result.room)
        self.send(snapshot(result.room, self._journal.now(), spectators))
        self._knows(result.room.id, spectators)

    def send_spectators(self, room: Room) -> None:
        """Send how many watch the room, to who has not been sent all of it."""
        spectators = self.hall.spectators.count(room)
        self.send({"type": "spectators", "room": room.id, "count": spectators})
        self._knows(room.id, spectators)

    def _knows(self, room_id: str, spectators: int) -> None:  # not every client is told of changes
        """The client was told that so many watch the room."""

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

    def unknown_outcome(self, request_id: RequestId) -> None:
        """Say that the journal does not answer, and turn the client away."""
        self._refuse(request_id, Failed("overloaded", "The journal does not answer; try again later."))
