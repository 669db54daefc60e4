"""The number of rooms each player and each address has open, so that nobody opens too many."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from noughts.config import Settings
from noughts.gateway import replies
from noughts.gateway.address import SITE_SHARE, site_of
from noughts.gateway.client import Client
from noughts.gateway.limits import KEYS
from noughts.gateway.replies import Problem, counted
from noughts.host import Host, RoomUpdate
from noughts.rooms import Opened

KNOWN_S = 60.0
"""The time a player's count holds on a node that is alone. It follows what this node does; a failed write can make it
wrong."""

FRESH_S = 1.0
"""The time it holds where other nodes open and end rooms too, and before a player is refused."""

ROOMS = 100_000
"""Of how many open rooms the address is remembered."""

PER_PLAYER, PER_ADDRESS = "rooms_per_player", "rooms_per_address"


class _Player:
    """A player's count of open rooms, and how many more it is about to open, from ``address``.

    ``opened`` counts the rooms that this node has opened for the player. The journal was asked at ``asked_at``.
    ``shares`` are the address, and the site if that is another, each with how many rooms it may have open.
    """

    __slots__ = ("address", "asked_at", "id", "opened", "reserved", "rooms", "shares", "turn", "users")

    def __init__(self, player_id: str) -> None:
        self.id = player_id
        self.address = ""
        self.shares: tuple[tuple[str, int], ...] = ()
        self.rooms = self.opened = self.reserved = self.users = 0
        self.asked_at = float("-inf")
        self.turn = asyncio.Lock()


class OpenRooms:
    """Counts rooms as this node opens and ends them.

    The journal, which knows the rooms of all nodes, is asked for a player's count when that is not known or old. It
    does not know addresses: each node counts the rooms that were opened through it. Nodes that act at the same moment
    may together allow as many rooms as each of them would.
    """

    def __init__(self, host: Host, settings: Settings, time: Callable[[], float]) -> None:
        self._host = host
        self._per_player = settings.rooms_per_player
        self._per_address = settings.rooms_per_address
        self._known_s = FRESH_S if host.journal.shared else KNOWN_S
        self._time = time
        self._players: OrderedDict[str, _Player] = OrderedDict()
        self._shares_of: OrderedDict[str, tuple[tuple[str, int], ...]] = OrderedDict()
        self._rooms: dict[str, set[str]] = {}
        self._reserved: dict[str, int] = {}
        self._compared_at: dict[str, float] = {}

    @asynccontextmanager
    async def opening(self, client: Client) -> AsyncIterator[str | None]:
        """Within the block the client's player may open a room: None, or the limit that forbids it.

        The blocks of a player come one after the other, whichever connections it uses. Raises JournalError.
        """
        player = self._of(client)
        player.users += 1
        try:
            async with player.turn:
                self._place(player, client.address)
                if self._is_old(player, self._known_s) or (
                    self._limit(player) == PER_PLAYER and self._is_old(player, FRESH_S)
                ):
                    await self._ask(player)
                if self._limit(player) == PER_ADDRESS:
                    await self._compare(site_of(player.address))
                limit = self._limit(player)
                release = self._reserve(player) if limit is None else None
                try:
                    yield limit
                finally:
                    if release is not None:
                        release()
        finally:
            player.users -= 1

    def reserve(self, client: Client) -> Callable[[], None] | None:
        """As :meth:`opening`, without waiting: what ends the block, or None if the journal must be asked first."""
        player = self._of(client)
        self._place(player, client.address)
        if self._is_old(player, self._known_s) or self._limit(player) is not None:
            return None
        return self._reserve(player)

    def refusal(self, client: Client, limit: str) -> Problem:
        """The error for a client that has reached ``limit``."""
        if limit == PER_PLAYER:
            client.monitor.limit(limit, client.who, "refused to open a room")
            return Problem(replies.OPENED_TOO_MANY, rooms=counted(self._per_player, "unfinished room"))
        client.monitor.limit(limit, client.address, "refused to open a room")
        return Problem(replies.ADDRESS_OPENED_TOO_MANY)

    def on_update(self, update: RoomUpdate) -> None:
        """Count a room that was opened, or has ended."""
        room = update.room
        player = self._players.get(room.by)
        if not isinstance(update.event, Opened):
            if player is not None and player.rooms:
                player.rooms -= 1
            self._forget(room.id)
        elif player is not None and update.ours:
            player.rooms += 1
            player.opened += 1
            self._shares_of[room.id] = player.shares
            for key, _ in player.shares:
                self._rooms.setdefault(key, set()).add(room.id)
            if len(self._shares_of) > ROOMS:
                self._forget(next(iter(self._shares_of)))

    def _of(self, client: Client) -> _Player:
        player_id = client.player.id
        player = self._players.pop(player_id, None) or _Player(player_id)
        self._players[player_id] = player
        if len(self._players) > KEYS:
            oldest = next(iter(self._players.values()))
            if not oldest.users and not oldest.reserved:
                del self._players[oldest.id]
        return player

    def _limit(self, player: _Player) -> str | None:
        """The limit that forbids the player another room, as far as is known here."""
        if player.rooms + player.reserved >= self._per_player:
            return PER_PLAYER
        for key, most in player.shares:
            if len(self._rooms.get(key, ())) + self._reserved.get(key, 0) >= most:
                return PER_ADDRESS
        return None

    def _place(self, player: _Player, address: str) -> None:
        """The player opens its next room from ``address``."""
        if player.address == address:
            return
        player.address, site = address, site_of(address)
        player.shares = ((address, self._per_address),)
        if site != address:
            player.shares += ((site, SITE_SHARE * self._per_address),)

    def _reserve(self, player: _Player) -> Callable[[], None]:
        shares, reserved = player.shares, self._reserved
        player.reserved += 1
        for key, _ in shares:
            reserved[key] = reserved.get(key, 0) + 1

        def release() -> None:
            player.reserved -= 1
            for key, _ in shares:
                reserved[key] -= 1
                if not reserved[key]:
                    del reserved[key]

        return release

    def _is_old(self, player: _Player, after_s: float) -> bool:
        return self._time() - player.asked_at >= after_s

    async def _ask(self, player: _Player) -> None:
        """Ask the journal for the player's count. What is opened meanwhile may be counted twice until the next time."""
        now, opened = self._time(), player.opened
        rooms = await self._host.retry.once(self._host.journal.index.open_rooms(player.id))
        player.rooms = rooms + player.opened - opened
        player.asked_at = now

    async def _compare(self, site: str) -> None:
        """Forget the rooms of ``site`` that another node has ended."""
        now = self._time()
        if now - self._compared_at.get(site, float("-inf")) < FRESH_S:
            return
        self._compared_at[site] = now
        rooms = list(self._rooms.get(site, ()))
        still_open = set(await self._host.retry.once(self._host.journal.index.still_open(rooms)))
        for room_id in rooms:
            if room_id not in still_open:
                self._forget(room_id)

    def _forget(self, room_id: str) -> None:
        for key, _ in self._shares_of.pop(room_id, ()):
            rooms = self._rooms[key]
            rooms.discard(room_id)
            if not rooms:
                del self._rooms[key]
                self._compared_at.pop(key, None)
