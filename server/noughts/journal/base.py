"""The contract of a journal: rooms as numbered records and an index of them, with the players, results and seeks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from noughts.journal.acts import Acts
from noughts.journal.bans import Bans
from noughts.journal.classes import Classes
from noughts.journal.games import Games
from noughts.journal.index import Index
from noughts.journal.pairs import Pairs
from noughts.journal.passes import Passes
from noughts.journal.people import People
from noughts.journal.puzzles import Puzzles
from noughts.journal.results import Results
from noughts.journal.seeks import Seeks
from noughts.journal.talk import Talk
from noughts.journal.tokens import Tokens
from noughts.journal.tournaments import Tournaments
from noughts.journal.values import Append, Outage
from noughts.journal.webhooks import Webhooks


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
    def trouble(self) -> str | None:
        """The reason why no more should be entrusted to the storage, in words for the operator and without paths; None
        if sound.

        If what is stored may be lost, every other method fails from then on.
        """

    @property
    def clock_jumps(self) -> int:
        """The number of times that the clock was set, or the machine slept, since the journal was opened."""

    @property
    def index(self) -> Index: ...

    @property
    def people(self) -> People: ...

    @property
    def tokens(self) -> Tokens: ...

    @property
    def bans(self) -> Bans: ...

    @property
    def passes(self) -> Passes: ...

    @property
    def acts(self) -> Acts: ...

    @property
    def results(self) -> Results: ...

    @property
    def puzzles(self) -> Puzzles: ...

    @property
    def classes(self) -> Classes: ...

    @property
    def games(self) -> Games: ...

    @property
    def seeks(self) -> Seeks: ...

    @property
    def pairs(self) -> Pairs: ...

    @property
    def talk(self) -> Talk: ...

    @property
    def tournaments(self) -> Tournaments: ...

    @property
    def webhooks(self) -> Webhooks: ...

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

    async def unleased(self, limit: int) -> list[str]:
        """At most ``limit`` rooms ``thinking``, not over, not asleep and leased by nobody.

        The openers take turns, and those of the same address share its turns; otherwise the longest unchanged row comes
        first. Without an address, each opener counts as one.
        """

    async def lease(self, room: str, version: int, by: str, for_ms: int) -> bool:
        """Lease the computer's move in ``room`` after ``version`` for ``for_ms`` from now on; whether that succeeded.

        It succeeds if ``version`` is the room's last, a computer is to move, and nobody else holds a lease: one of
        several concurrent callers gets it. The holder may renew it. A lease ends by time or with the room's next
        version, and need not survive a restart of the storage.
        """

    async def leased_until(self, room: str, version: int) -> int:
        """Until when somebody leases or leased the computer's move in ``room`` after ``version`` or a later version.

        In ms since the epoch; 0 if nobody did. A lease that ended long ago may be forgotten.
        """

    async def strip(self, until: int, kept: Sequence[str], kept_until: int, limit: int) -> int:
        """Delete chat and all records but the last of up to ``limit`` rooms, whose ``due_at`` allows it by ``until``.

        It is put off until ``kept_until`` for those of ``kept``. Times are in ms since the epoch. Returns the number of
        rooms. A room's last version, and what may follow it, stay as they are.
        """

    async def forget(self, before: int) -> None:
        """Drop the guests who were added before that time, ms since the epoch, and never took a seat or registered.

        Seeks that expired before that time are dropped too, and guests with other seeks are kept; and the origins that
        were noted before then, of players who do not wait for an opponent; and the mutes of guests who are gone.
        """

    async def beat(self, gap_ms: int) -> list[Outage]:
        """Note that a server is alive now. Returns the recent outages, the earliest first.

        If the last such note of any server is more than ``gap_ms`` old, the time between is an outage; one of the
        servers that come after it stores it, durably. It counts as recent for ``OUTAGES_MS``.
        """

    async def outages(self, since: int) -> list[Outage]:
        """All known outages that ended after ``since``, ms since the epoch, the earliest first."""

    async def lead(self) -> bool:
        """True if this server is the leader; it becomes so if nobody is. Of those who share the storage at most one is.

        Leadership lasts until the journal is closed, the connection to the storage is lost, or for some seconds
        without a call: call it each second.
        """

    async def check(self) -> None:
        """Look for damage in all that is stored, which may take minutes; ``trouble`` then has what was found."""

    async def close(self) -> None:
        """Finish the writes under way and release the storage. Calling it twice does no harm."""
