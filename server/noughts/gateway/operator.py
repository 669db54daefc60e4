"""The operator's acts, by ``noughts admin``, as a running server hears of them: from the journal, a second later."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from pydantic_core import to_json

from noughts.gateway.registry import SessionRegistry
from noughts.host import Host
from noughts.journal import Act, JournalError
from noughts.protocol.messages import Announcement, AnnouncementInfo
from noughts.protocol.render import timestamp
from noughts.timing import Timing

log = logging.getLogger(__name__)

READ_AT_ONCE = 40
"""The number of acts that are read before other tasks have their turn."""

SHOWN_MS = 600_000
"""The time for which an announcement is shown to those who come after it."""


class Operator:
    """Reads the operator's acts every ``timing.registry_s``, logs them, and carries on from there.

    ``on_deleted`` is called with the ids of players who are deleted, until it has nothing left to do: returns True.
    """

    def __init__(self, host: Host, sessions: SessionRegistry, timing: Timing) -> None:
        self.on_deleted: Callable[[frozenset[str]], bool] = lambda _: True
        self._host = host
        self._journal = host.journal
        self._sessions = sessions
        self._timing = timing
        self._revision = 0
        self._announced: tuple[int, AnnouncementInfo] | None = None
        self._deleted: frozenset[str] = frozenset()

    @property
    def announcement(self) -> AnnouncementInfo | None:
        """The last announcement, if it is not old."""
        if self._announced is None or self._announced[0] + SHOWN_MS <= self._journal.now():
            return None
        return self._announced[1]

    async def start(self) -> None:
        """Begin after what has been done already. Raises JournalError."""
        self._revision = await self._journal.acts.revision()
        for act in await self._journal.acts.last(1, "announce"):
            self._announced = act.at, _told(act)

    async def run(self) -> None:
        """Look for acts, for ever."""
        while True:
            await asyncio.sleep(self._timing.registry_s)
            with suppress(JournalError):
                await self.look()

    async def look(self) -> None:
        """Carry on from what has been done since the last look. Raises JournalError."""
        more, deletes = True, False
        while more:
            acts = await self._journal.acts.since(self._revision, READ_AT_ONCE)
            for act in acts:
                self._revision = act.revision
                log.info("operator %s: %s", act.who, " ".join(filter(None, (act.kind, act.subject, act.detail))))
                deletes = deletes or act.kind == "delete"
                if act.kind == "announce":
                    self._announce(act)
            more = len(acts) == READ_AT_ONCE
            await asyncio.sleep(0)  # a journal in memory never waits, and other tasks need their turn
        if deletes:
            self._deleted |= await self._journal.people.look_for_deleted()
        if self._deleted and self.on_deleted(self._deleted):
            self._deleted = frozenset()

    def _announce(self, act: Act) -> None:
        told = _told(act)
        self._announced = act.at, told
        message: Announcement = {"type": "announcement", **told}
        self._sessions.tell_all(to_json(message))


def _told(act: Act) -> AnnouncementInfo:
    return {"text": act.detail, "at": timestamp(act.at)}
