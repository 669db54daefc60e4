"""What a journal is: rooms as numbered records and an index of them, with the players, results and seeks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from noughts.journal.people import People
from noughts.journal.results import Results
from noughts.journal.seeks import Seeks
from noughts.journal.values import Append, Outage


class Journal(Protocol):
    """Durable, ordered storage. Every method but ``now`` may wait, none blocks the event loop.

    The journal is the referee: of all who write version n of a room exactly one succeeds. All methods that wait raise
    :class:`JournalError` when the storage does not answer.
    ``shared``: other servers may write to the same storage.
    ``secret``: 32 random bytes, the same for all servers that ever use this storage, and known to them alone.
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

    def put(self, write: Append, done: Callable[[bool | Exception], None]) -> None:
        """Store ``write`` whole and durably, then call ``done`` with True.

        ``done`` is called once, in the event loop, after ``put`` has returned: with False, and nothing is stored,
        unless ``write.version`` is the room's last version plus one and the room of ``write.opening`` is new; with a
        :class:`JournalError` when the outcome is unknown. A stored write ends any lease of the room, whether it writes
        the index row or not. Writes of a room may be put without waiting: they are stored in their order.
        """

    async def append(self, write: Append) -> bool:
        """Put ``write``, and wait for the outcome. Raises :class:`JournalError` when it is unknown."""

    async def read(self, room: str, since: int = 0) -> list[bytes]:
        """The records of ``room`` with a version greater than ``since``, in order; [] for an unknown room."""

    async def heads(self, rooms: Sequence[str]) -> dict[str, int]:
        """The last version of each of ``rooms`` that exists."""

    async def due(self, until: int, limit: int) -> list[str]:
        """At most ``limit`` rooms whose ``due_at`` is at or before ``until``, the earliest first."""

    async def attended(self) -> list[str]:
        """The rooms that are ``attended`` and not over."""

    async def unleased(self, limit: int) -> list[str]:
        """At most ``limit`` rooms ``thinking``, not over and leased by nobody, the longest unchanged row first."""

    async def lease(self, room: str, version: int, by: str, for_ms: int) -> bool:
        """Lease the computer's move in ``room`` after ``version`` for ``for_ms`` from now on; whether that succeeded.

        It succeeds if ``version`` is the room's last, a computer is to move, and nobody else holds a lease: one of
        several concurrent callers gets it. The holder may renew it. A lease ends by time or with the room's next
        version, and need not survive a restart of the storage.
        """

    async def lobby(self, game: str | None, limit: int) -> list[bytes]:
        """The ``listing`` of at most ``limit`` public rooms that are not over, the last changed row first."""

    async def public(self) -> dict[str, int]:
        """The last version of each public room that is not over."""

    async def open_rooms(self, by: str) -> int:
        """How many rooms that ``by`` opened are not over."""

    async def forget(self, before: int) -> None:
        """Drop the guests who were added before that time, ms since the epoch, and never took a seat or registered.

        Seeks that expired before that time are dropped too, and guests with other seeks are kept.
        """

    async def beat(self, gap_ms: int) -> list[Outage]:
        """Note that a server is alive now. Returns the recent outages, the earliest first.

        If the last such note of any server is more than ``gap_ms`` old, the time between is an outage; one of the
        servers that come after it stores it, durably, for ``OUTAGES_MS``.
        """

    async def lead(self) -> bool:
        """Whether this server is the leader; it becomes so if nobody is. Of those who share the storage at most one is.

        Leadership lasts until the journal is closed, the connection to the storage is lost, or for some seconds
        without a call: call it each second.
        """

    async def close(self) -> None:
        """Finish the writes under way and release the storage. Calling it twice does no harm."""
