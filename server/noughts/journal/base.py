"""What a journal is: rooms as numbered records and an index of them; the players, results and seeks beside them.

The journal is the referee: of all who write version n of a room exactly one succeeds. It knows nothing of
games or messages; a record is bytes to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from noughts.journal.people import People, StoredPlayer
from noughts.journal.results import GameResult, Results
from noughts.journal.seeks import Seeks

SECRET_BYTES = 32


class JournalError(Exception):
    """The journal did not answer. The outcome of a write is unknown: read before writing again."""


class JournalInUse(Exception):
    """Another server has this journal open."""


@dataclass(frozen=True, slots=True)
class IndexRow:
    """A room's row in the index, written with each record, so that nobody reads journals to find rooms.

    ``game``: the key of the game. ``by``: the id of the player who opened the room.
    ``status``: ``waiting``, ``playing`` or ``over``. ``public``: whether strangers are to find the room.
    ``due_at``: when the room must next be looked at by time, ms since the epoch, or None.
    ``thinking``: a computer is to move. ``attended``: some player's seat counts as online.
    ``listing``: what the lobby shows of the room, JSON.
    """

    game: str
    by: str
    status: str
    public: bool
    due_at: int | None
    thinking: bool
    attended: bool
    listing: bytes


@dataclass(frozen=True, slots=True)
class Append:
    """One write: ``record`` becomes version ``version`` (1 or more) of ``room``, with its index row and players.

    ``players`` take a seat with it: they are stored in the same transaction and then kept for good. Those who are
    stored already are left as they are; who is not, and bears another's registered name, is stored under that of a
    guest, and nobody as registered. ``finished`` is there when the record ends a game with a result; it is stored
    in the same transaction, too.
    """

    room: str
    version: int
    record: bytes
    index: IndexRow
    players: tuple[StoredPlayer, ...] = ()
    finished: GameResult | None = None


@dataclass(frozen=True, slots=True)
class Outage:
    """From ``since`` until ``until``, ms since the epoch, no server was known to be alive."""

    since: int
    until: int


OUTAGES_MS = 7 * 86_400_000
"""How long an outage is told of after its end."""


class Journal(Protocol):
    """Durable, ordered storage. Every method but ``now`` may wait, none blocks the event loop.

    All that wait raise :class:`JournalError` when the storage does not answer.
    ``shared``: other servers may write to the same storage.
    ``secret``: 32 random bytes, the same for all servers that ever use this storage, and known to them alone.
    ``people``, ``results`` and ``seeks`` are kept in the same storage.
    """

    shared: bool
    secret: bytes

    @property
    def people(self) -> People: ...

    @property
    def results(self) -> Results: ...

    @property
    def seeks(self) -> Seeks: ...

    def now(self) -> int:
        """The journal's time, ms since the epoch; never decreases."""

    async def append(self, write: Append) -> bool:
        """Store ``write`` whole and durably, then return True.

        Return False, with nothing stored, unless ``write.version`` is the room's last version plus one.
        Raises :class:`JournalError` when the outcome is unknown. Any claim on the room ends with it.
        """

    async def read(self, room: str, since: int = 0) -> list[bytes]:
        """The records of ``room`` with a version greater than ``since``, in order; [] for an unknown room."""

    async def heads(self, rooms: Sequence[str]) -> dict[str, int]:
        """The last version of each of ``rooms`` that is there."""

    async def due(self, until: int, limit: int) -> list[str]:
        """At most ``limit`` rooms whose ``due_at`` is at or before ``until``, the earliest first."""

    async def attended(self) -> list[str]:
        """The rooms that are ``attended`` and not over."""

    async def unleased(self, limit: int) -> list[str]:
        """At most ``limit`` rooms ``thinking``, not over and claimed by nobody, the longest unchanged first."""

    async def lease(self, room: str, version: int, by: str, for_ms: int) -> bool:
        """Claim the computer's move in ``room`` after ``version`` for ``for_ms`` from now on; whether that was granted.

        It is while ``version`` is the room's last, a computer is to move, and nobody else has a claim that lasts:
        of all who ask at once one has it. Who has it may claim again, to make it last. It ends by time or by the
        room's next version, and need not survive the storage's restart.
        """

    async def lobby(self, game: str | None, limit: int) -> list[bytes]:
        """The ``listing`` of at most ``limit`` public rooms that are not over, the last changed first."""

    async def public(self) -> dict[str, int]:
        """The last version of each public room that is not over."""

    async def open_rooms(self, by: str) -> int:
        """How many rooms that ``by`` opened are not over."""

    async def forget(self, before: int) -> None:
        """Drop who was greeted before that time, ms since the epoch, and never took a seat nor registered.

        Seeks that have not been kept since then are dropped too.
        """

    async def beat(self, gap_ms: int) -> list[Outage]:
        """Note that a server is alive now; the outages that ended lately, the earliest first.

        Where the last such note, by whichever server, is more than ``gap_ms`` old, the time between is an outage, and
        of all servers that come after it one finds it so. It is kept for ``OUTAGES_MS``, durably.
        """

    async def lead(self) -> bool:
        """Whether this server leads, asking to if nobody does. Of all who share the storage at most one does.

        Who leads does so until its journal is closed, its connection to the storage is lost, or it has not asked for
        some seconds: ask each second.
        """

    async def close(self) -> None:
        """Finish the writes under way and let go of the storage. Calling it twice does no harm."""
