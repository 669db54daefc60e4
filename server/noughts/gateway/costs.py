"""The cost of clients, in bytes: of answers, and in the journal. A player or an address that costs too much has to
wait.

Each client keeps two plain numbers, ``cost`` and ``written``, to which its requests only add. They are charged to its
player and its address afterwards, so a request that would cost much asks first whether enough is left.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from noughts.config import Settings
from noughts.gateway import replies
from noughts.gateway.client import Client, Purse
from noughts.gateway.limits import TokenBucket, TokenBuckets
from noughts.gateway.replies import Problem
from noughts.monitor import Monitor
from noughts.rooms import Room

ANSWERS_S = 20.0
"""The seconds' worth of answers that a client may get at once: after a reconnect it asks for all its rooms."""

DAY_S = 86_400.0

LOAD_BYTES = 512
"""The cost of each event when a room is read from the journal and replayed: sending so many bytes takes as long."""

LOAD_EVENTS = 2
"""Reading any room costs as much as this many events, even if it does not exist."""

SEEK_BYTES = 8192
"""The cost of ``seek`` and ``unseek``: each is a write of the journal, and has the matchmaker look."""

LIST_BYTES = 8192
"""The cost of a list of a player's games: some reads of the journal's index."""

CATCH_UP_S = 1.0
"""The time the server tells a slow reader to wait."""


class _Budgets:
    """So many bytes a second for each player and each address, of which ``seconds`` worth may be spent at once."""

    def __init__(
        self, name: str, did: str, monitor: Monitor, *, per_player: float, per_address: float, seconds: float
    ) -> None:
        self._player_limit, self._address_limit = f"{name}_per_player", f"{name}_per_address"
        self._players = TokenBuckets(per_player, per_player * seconds)
        self._addresses = TokenBuckets(per_address, per_address * seconds)
        self._did = did
        self._monitor = monitor

    def of(self, player: str, address: str) -> tuple[TokenBucket, TokenBucket]:
        """The budgets of a player and an address."""
        return self._players.of(player), self.of_address(address)

    def of_address(self, address: str) -> TokenBucket:
        return self._addresses.of(address)

    def wait(self, client: Client, budgets: tuple[TokenBucket, TokenBucket], now: float) -> float:
        """The seconds that ``client`` must wait before it may spend more of its ``budgets``; 0 for not at all."""
        of_player, of_address = budgets
        if wait := of_player.overdrawn(now):
            self._monitor.limit(self._player_limit, client.player.id, self._did)
            return wait
        return self.address_wait(client.address, of_address, now)

    def address_wait(self, address: str, budget: TokenBucket, now: float) -> float:
        if wait := budget.overdrawn(now):
            self._monitor.limit(self._address_limit, address, self._did)
        return wait


class Costs:
    """The budgets of players and addresses on this node. ``time`` is in seconds and never goes back."""

    def __init__(self, settings: Settings, monitor: Monitor, time: Callable[[], float]) -> None:
        self._answers = _Budgets(
            "answer_bytes",
            "refused a request for more",
            monitor,
            per_player=settings.answer_bytes_per_player,
            per_address=settings.answer_bytes_per_address,
            seconds=ANSWERS_S,
        )
        self._writes = _Budgets(
            "daily_bytes",
            "refused to store more",
            monitor,
            per_player=settings.daily_bytes_per_player / DAY_S,
            per_address=settings.daily_bytes_per_address / DAY_S,
            seconds=DAY_S,
        )
        self._time = time

    def purse(self, player: str, address: str) -> Purse:
        """The budgets from which the clients of a player at an address spend. Keep it for as long as one is there."""
        return Purse(self._answers.of(player, address), self._writes.of(player, address))

    def settle(self, client: Client) -> None:
        """Charge what ``client`` has cost since it was last settled."""
        cost, written, purse, now = client.cost, client.written, client.purse, self._time()
        if cost:
            client.cost = 0
            for budget in purse.answers:
                budget.spend(now, cost)
        if written:
            client.written = 0
            for budget in purse.writes:
                budget.spend(now, written)

    def check(self, client: Client) -> None:
        """Raise :class:`~noughts.gateway.replies.Problem` if ``client`` has had too many bytes of answers lately."""
        self.settle(client)
        if wait_s := self._answers.wait(client, client.purse.answers, self._time()):
            raise Problem(replies.TOO_MANY_ANSWERS, retry_after_s=wait_s)

    def check_reader(self, client: Client) -> None:
        """As :meth:`check`, and also if the client does not read what it was sent."""
        if client.subscriber.paused:
            client.monitor.limit("update_backlog_bytes", client.who, "refused a request for more")
            raise Problem(replies.READS_TOO_SLOWLY, retry_after_s=CATCH_UP_S)
        self.check(client)

    def check_write(self, client: Client) -> None:
        """Raise :class:`~noughts.gateway.replies.Problem` if ``client`` has had too much written to the journal."""
        if wait_s := self._write_wait(client):
            raise Problem(replies.WRITES_TOO_MUCH, retry_after_s=wait_s)

    def may_write(self, client: Client) -> bool:
        """True if :meth:`check_write` allows more."""
        return not self._write_wait(client)

    async def loaded(self, client: Client, room: Awaitable[Room], *, known: bool) -> Room:
        """The room once it is there. Unless it was ``known``, ``client`` pays for reading it, even if there is none."""
        found = None
        try:
            found = await room
        finally:
            if not known:
                self.charge_load(client, found)
        return found

    def charge_load(self, client: Client, room: Room | None) -> None:
        """Charge ``client`` for ``room``, which had to be read from the journal; None if there is no such room."""
        client.cost += LOAD_BYTES * (LOAD_EVENTS + (0 if room is None else room.version))
        self.settle(client)

    def charge_seek(self, client: Client) -> None:
        """Charge ``client`` for a ``seek`` or ``unseek``."""
        client.cost += SEEK_BYTES
        self.settle(client)

    def charge_list(self, client: Client) -> None:
        """Charge ``client`` for a list of its player's games."""
        client.cost += LIST_BYTES
        self.settle(client)

    def page_wait(self, address: str) -> float:
        """The seconds that ``address`` must wait before it may be sent another page by HTTP; 0 for not at all."""
        return self._answers.address_wait(address, self._answers.of_address(address), self._time())

    def charge_page(self, address: str, size: int, events: int) -> None:
        """Charge ``address`` for a page of ``size`` bytes, made of ``events`` events of a game."""
        self._answers.of_address(address).spend(self._time(), size + LOAD_BYTES * (LOAD_EVENTS + events))

    def _write_wait(self, client: Client) -> float:
        self.settle(client)
        return self._writes.wait(client, client.purse.writes, self._time())
