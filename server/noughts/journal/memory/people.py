"""The players, in plain dictionaries."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Container, Sequence
from dataclasses import replace

from noughts.journal.base import JournalError
from noughts.journal.people import StoredPlayer
from noughts.players.names import guest_name, name_key

_AT_ONCE = 100
"""How many are renamed before others have their turn: the event loop waits for no more."""


class MemoryPeople:
    """A :class:`~noughts.journal.people.People`; ``now`` gives ms since the epoch, ``check_open`` may raise."""

    def __init__(self, now: Callable[[], int], check_open: Callable[[], None]) -> None:
        self._now = now
        self._check_open = check_open
        self._players: dict[str, StoredPlayer] = {}
        self._tokens: dict[bytes, str] = {}
        self._bearers: dict[str, set[str]] = {}  # by the key of their name
        self._owners: dict[str, str] = {}  # of registered names, by their key
        self._greeted: dict[str, int] = {}  # when, of those who never took a seat
        self._changed: dict[str, int] = {}  # when

    async def add_guest(self, player: StoredPlayer) -> bool:
        self._check_open()
        if player.id in self._players:
            return True
        if name_key(player.name) in self._owners:
            return False
        self.check_tokens((player,))
        self._put(replace(player, registered=False))
        self._greeted[player.id] = self._now()
        return True

    async def find_by_token(self, token_hash: bytes) -> StoredPlayer | None:
        self._check_open()
        return self.stored(self._tokens.get(token_hash, ""))

    async def find(self, who: str) -> StoredPlayer | None:
        self._check_open()
        return self.stored(who) or self.stored(self._owners.get(name_key(who), ""))

    async def register(self, player: str, name: str) -> bool:
        self._check_open()
        key = name_key(name)
        stored = self._players.get(player)
        if stored is None or self._owners.get(key, player) != player:
            return False
        if stored.registered and name_key(stored.name) != key:
            return False
        self._change(replace(stored, name=name, registered=True))
        self._greeted.pop(player, None)
        for count, other in enumerate(self._bearers[key] - {player}, 1):
            if other in self._bearers.get(key, ()):
                self._change(replace(self._players[other], name=guest_name(other)))
            if count % _AT_ONCE == 0:
                await asyncio.sleep(0)
        return True

    async def change_token(self, player: str, before: bytes | None, after: bytes) -> bool:
        self._check_open()
        stored = self.stored(player)
        if stored is None or before not in (None, stored.token_hash):
            return False
        if self._tokens.get(after, player) != player:
            raise JournalError("a token belongs to one player")
        self._change(replace(stored, token_hash=after))
        return True

    async def mute(self, player: str, until: int) -> bool:
        self._check_open()
        stored = self.stored(player)
        if stored is not None:
            self._change(replace(stored, muted_until=until))
        return stored is not None

    async def ban(self, player: str, until: int) -> bool:
        self._check_open()
        stored = self.stored(player)
        if stored is not None:
            self._change(replace(stored, banned_until=until))
        return stored is not None

    async def changed(self, since: int, among: Sequence[str]) -> list[StoredPlayer]:
        self._check_open()
        return [self._players[player] for player in among if self._changed.get(player, -1) >= since]

    def stored(self, player: str) -> StoredPlayer | None:
        """The player with that id."""
        return self._players.get(player)

    def check_tokens(self, players: Sequence[StoredPlayer]) -> None:
        """Raise :class:`JournalError` when these cannot be seated, for one has the token of another."""
        new = {player.id: player.token_hash for player in reversed(players) if player.id not in self._players}
        if len(set(new.values())) < len(new) or any(token_hash in self._tokens for token_hash in new.values()):
            raise JournalError("a token belongs to one player")

    def seat(self, players: Sequence[StoredPlayer]) -> None:
        """Keep these for good, as they are stored or else as they are given."""
        for player in players:
            if player.id not in self._players:
                taken = name_key(player.name) in self._owners
                self._put(replace(player, name=guest_name(player.id) if taken else player.name, registered=False))
            self._greeted.pop(player.id, None)

    def forget(self, before: int, but: Container[str]) -> None:
        """Drop who was greeted before that time, never took a seat, and is not among ``but``."""
        for player in [player for player, at in self._greeted.items() if at < before and player not in but]:
            del self._greeted[player]
            self._changed.pop(player, None)
            self._drop(player)

    def _change(self, player: StoredPlayer) -> None:
        self._drop(player.id)
        self._put(player)
        self._changed[player.id] = self._now()

    def _put(self, player: StoredPlayer) -> None:
        key = name_key(player.name)
        self._players[player.id] = player
        self._tokens[player.token_hash] = player.id
        self._bearers.setdefault(key, set()).add(player.id)
        if player.registered:
            self._owners[key] = player.id

    def _drop(self, player: str) -> None:
        stored = self._players.pop(player)
        key = name_key(stored.name)
        del self._tokens[stored.token_hash]
        self._bearers[key].remove(player)
        if not self._bearers[key]:
            del self._bearers[key]
        if stored.registered:
            del self._owners[key]
