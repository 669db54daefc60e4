"""Who is here, and how they stand: names, tokens and rights may change while somebody is connected."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Protocol

from noughts.bus import Altered, Hint
from noughts.host import Host
from noughts.journal import FOREVER, JournalError, StoredPlayer
from noughts.protocol import ErrorCode, timestamp

log = logging.getLogger(__name__)

LOOK_S = 1.0
"""How often the journal is asked who has changed: other nodes change players, and so do operators."""

OVERLAP_MS = 15_000
"""How long before it was asked last a change may bear its time and still be news: commits take time, clocks differ."""

ASKED_AT_ONCE = 1000
"""After how many of those here the journal is asked in one question."""

GONE = "This token is no longer good: it was renewed or revoked."


class Known(Protocol):
    """Somebody who was let in by a token: a connection, or a device.

    ``player`` is as it was stored then, or when it changed last; its hash is that of the token.
    """

    @property
    def player(self) -> StoredPlayer:
        """Who it is."""

    def alter(self, player: StoredPlayer) -> None:
        """``player`` is what is stored of the same player now."""

    def dismiss(self, code: ErrorCode, message: str) -> None:
        """Hear this one no more, and tell it why."""


class Standing:
    """Sends away whose token was renewed or revoked, and who is banned; gives the others their new names and rights.

    Whoever changes a player holds ``changing`` until that is told to ``altered``: what is read of the journal meanwhile
    may be older.
    """

    def __init__(self, host: Host) -> None:
        self.changing = asyncio.Lock()
        self._journal = host.journal
        self._bus = host.bus
        self._here: dict[str, dict[Known, int]] = {}  # with how often the journal had been asked when each came
        self._looks = 0
        self._looked_at = host.journal.now()
        self._look_now = asyncio.Event()
        host.bus.listeners.append(self.hear)

    def enter(self, known: Known) -> None:
        """``known`` has been let in."""
        self._here.setdefault(known.player.id, {})[known] = self._looks

    def leave(self, known: Known) -> None:
        """``known`` is gone; twice does no harm."""
        here = self._here.get(known.player.id, {})
        here.pop(known, None)
        if not here:
            self._here.pop(known.player.id, None)

    def altered(self, player: StoredPlayer) -> None:
        """This node has stored ``player`` anew."""
        self._judge(player, list(self._here.get(player.id, ())))
        self._bus.send(Altered(player.id))
        self._look_now.set()  # others may have had to give up their name for it

    def hear(self, message: Hint) -> None:
        """Another node has changed a player."""
        if isinstance(message, Altered) and message.player in self._here:
            self._look_now.set()

    async def keep_up(self) -> None:
        """Find out who has changed, for ever."""
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._look_now.wait(), LOOK_S)
            self._look_now.clear()
            with suppress(JournalError):
                await self._look()

    async def _look(self) -> None:
        async with self.changing:
            self._looks += 1
            now = self._journal.now()
            for player in await self._changed():
                # Who has come since the question may have been read later than the answer.
                before = [known for known, looks in self._here.get(player.id, {}).items() if looks < self._looks]
                try:
                    self._judge(player, before)
                except Exception:
                    log.exception("player %s: what has become of it cannot be told", player.id)
            self._looked_at = now

    async def _changed(self) -> list[StoredPlayer]:
        """Who of those here has changed lately. Raises JournalError."""
        here, since, people = sorted(self._here), self._looked_at - OVERLAP_MS, self._journal.people
        asked = (here[begin : begin + ASKED_AT_ONCE] for begin in range(0, len(here), ASKED_AT_ONCE))
        return [player for those in asked for player in await people.changed(since, those)]

    def _judge(self, player: StoredPlayer, here: list[Known]) -> None:
        ban = banned(player, self._journal.now())
        for known in here:
            if ban is not None:
                self.leave(known)
                known.dismiss("banned", ban)
            elif known.player.token_hash != player.token_hash:
                self.leave(known)
                known.dismiss("bad_token", GONE)
            elif known.player != player:
                known.alter(player)


def banned(player: StoredPlayer, now: int) -> str | None:
    """In words, that the player is banned at ``now``, ms since the epoch; None for who is not."""
    if player.banned_until <= now:
        return None
    until = "" if player.banned_until >= FOREVER else f" until {timestamp(player.banned_until)}"
    return f"You are banned from this server{until}."
