"""The connected players, and what becomes of them when their name, token or rights change."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Container
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from noughts.bus import Altered, Hint
from noughts.gateway.client import check_ban
from noughts.gateway.replies import BAD_TOKEN, TOKEN_ENDED, Problem
from noughts.host import Host
from noughts.journal import JournalError, StoredPlayer
from noughts.players.tokens import token_hash
from noughts.timing import Timing

log = logging.getLogger(__name__)

OVERLAP_MS = 15_000
"""The time by which each look at the journal reaches back beyond the one before: commits take time, and clocks
differ."""

ASKED_AT_ONCE = 1000
"""The number of players one query of the journal names."""

STOPS = {"bans": "a banned player or address: `banned` and closed (1008), or HTTP 403"}


class Registered(Protocol):
    """A connection or an MQTT client that was admitted by a token. ``player`` is as it was stored at that time."""

    @property
    def player(self) -> StoredPlayer: ...

    def identify(self, player: StoredPlayer) -> None:
        """Take ``player``, as stored now, for who it is."""

    def dismiss(self, problem: Problem) -> None:
        """Turn it away, and tell it why."""

    def tell(self, message: bytes) -> None:
        """Push a message, JSON, if it can be told anything."""


class SessionRegistry:
    """Turns away players who are banned or whose token was taken away, and updates the others.

    Other nodes and operators change players too, so the journal is asked every ``timing.registry_s``. Whoever changes a
    player here holds ``changing`` until :meth:`changed` is called: what is read meanwhile may be out of date.
    """

    def __init__(self, host: Host, timing: Timing, asked_at_once: int = ASKED_AT_ONCE) -> None:
        self.changing = asyncio.Lock()
        self._journal = host.journal
        self._monitor = host.monitor
        self._bus = host.bus
        self._timing = timing
        self._asked_at_once = asked_at_once
        # Each with the number of looks that there had been when it came.
        self._sessions: dict[str, dict[Registered, int]] = {}
        self._used: set[tuple[str, bytes]] = set()
        self._looks = 0
        self._looked_at = host.journal.now()
        self._look_now = asyncio.Event()

    def add(self, session: Registered) -> None:
        """``session`` was admitted."""
        self._sessions.setdefault(session.player.id, {})[session] = self._looks
        self._used.add((session.player.id, session.player.token_hash))

    def __len__(self) -> int:
        """The number of players connected."""
        return len(self._sessions)

    def has(self, player: str) -> bool:
        """True if the player with this id is connected to this node."""
        return player in self._sessions

    def remove(self, session: Registered) -> None:
        """``session`` is gone. Removing it twice changes nothing."""
        sessions = self._sessions.get(session.player.id, {})
        if sessions.pop(session, None) is not None:
            self._used.add((session.player.id, session.player.token_hash))
        if not sessions:
            self._sessions.pop(session.player.id, None)

    def tell(self, player: str, message: bytes) -> None:
        """Push ``message``, JSON, to all of a player's connections on this node."""
        for session in self._sessions.get(player, ()):
            session.tell(message)

    def tell_all(self, message: bytes) -> None:
        """Push ``message``, JSON, to everybody who is connected to this node."""
        for sessions in self._sessions.values():
            for session in sessions:
                session.tell(message)

    def changed(self, player: StoredPlayer, held: Container[bytes] | None = None) -> None:
        """This node has stored a change of ``player``, who holds the tokens ``held`` now if any was taken away."""
        self._update(player, held, list(self._sessions.get(player.id, ())))
        self._bus.send(Altered(player.id))
        self._look_now.set()  # others may have lost their name to this player

    def on_hint(self, hint: Hint) -> None:
        """Another node has changed a player."""
        if isinstance(hint, Altered) and hint.player in self._sessions:
            self._look_now.set()

    async def run(self) -> None:
        """Look for changed players, for ever."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._timing.registry_s):
                    await self._look_now.wait()
            self._look_now.clear()
            with suppress(JournalError):
                await self._look()

    async def _look(self) -> None:
        async with self.changing:
            self._looks += 1
            now = self._journal.now()
            await self._note_use()
            changed = await self._changed_players()
            held = await self._journal.tokens.held([player.id for player in changed]) if changed else {}
            for player in changed:
                # A session that came after the question may have been read later than the answer.
                sessions = [one for one, looks in self._sessions.get(player.id, {}).items() if looks < self._looks]
                try:
                    self._update(player, held[player.id], sessions)
                except Exception:
                    log.exception("player %s: the sessions cannot be updated", player.id)
            self._looked_at = now

    async def _changed_players(self) -> list[StoredPlayer]:
        """The connected players that have changed lately. Raises JournalError."""
        players, since = sorted(self._sessions), self._looked_at - OVERLAP_MS
        chunks = (players[start : start + self._asked_at_once] for start in range(0, len(players), self._asked_at_once))
        return [player for chunk in chunks for player in await self._journal.people.changed(since, chunk)]

    async def _note_use(self) -> None:
        """Note whose tokens have been used since the last look. Raises JournalError."""
        used, self._used = sorted(self._used), set()
        for start in range(0, len(used), self._asked_at_once):
            players, hashes = zip(*used[start : start + self._asked_at_once], strict=True)
            await self._journal.tokens.note_use(players, hashes)

    def _update(self, player: StoredPlayer, held: Container[bytes] | None, sessions: list[Registered]) -> None:
        for session in sessions:
            token_hash = session.player.token_hash
            try:
                check_ban(player, self._journal.now())
                if held is not None and token_hash not in held:
                    raise Problem(TOKEN_ENDED)
            except Problem as problem:
                if problem.code == "banned":
                    self._monitor.limit("bans", player.id, "closed a connection")
                self.remove(session)
                session.dismiss(problem)
            else:
                if session.player != player:
                    session.identify(replace(player, token_hash=token_hash))


async def player_with(host: Host, token: str) -> StoredPlayer:
    """The player who has ``token``. Raises :class:`~noughts.gateway.replies.Problem` and JournalError."""
    player = await host.journal.people.find_by_token(token_hash(token))
    if player is None:
        raise Problem(BAD_TOKEN)
    try:
        check_ban(player, host.journal.now())
    except Problem:
        host.monitor.limit("bans", player.id, "refused a hello")
        raise
    return player
