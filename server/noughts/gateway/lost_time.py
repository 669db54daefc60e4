"""The time that a late event loop costs the clients, and which of them made it late.

A late loop reads moves late. The side to move gets that time back, unless its player is one of those who kept the
server busy: otherwise a flood would be a way to gain time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from ipaddress import ip_network

from noughts.gateway.client import Client
from noughts.gateway.work import Share, Work
from noughts.host import Host

BLAMED = 10_000
"""The number of players and addresses remembered."""


class LostTime:
    """The clients that lost time because the event loop of ``host`` was late.

    ``clients`` are those of this node; ``work`` knows whose processor time it was.
    """

    def __init__(self, host: Host, work: Work) -> None:
        self.clients: set[Client] = set()
        self._host = host
        self._work = work
        self._blamed: OrderedDict[str, int] = OrderedDict()  # when last, by the journal's time
        self._examined = -1

    def on_tick(self) -> None:
        """Note who sends much, or has kept the loop busy, if it is late."""
        late = self._host.pulse.is_late
        if late:
            self._examine()
        self._work.tick(late=late)

    def of(self, client: Client, room_id: str) -> int:
        """The number of ms to give back for a move of ``client`` now."""
        host = self._host
        room = host.room(room_id)
        if room is None or room.clocks is None or not (lost := host.pulse.lost_since(room.moved_at)):
            return 0
        self._examine()
        since = room.moved_at
        if client.is_loud or any(self._blamed.get(key, 0) >= since for key in _names(client.player.id, client.address)):
            return 0
        return lost

    def _examine(self) -> None:
        """Note who is loud, once a tick."""
        if self._examined == self._work.ticks:
            return
        self._examined = self._work.ticks
        self._blame(client.share for client in self.clients if client.is_loud)
        self._blame(self._work.busiest())

    def _blame(self, shares: Iterable[Share]) -> None:
        now = self._host.journal.now()
        for share in shares:
            for key in _names(share.player or "", share.address):
                self._blamed[key] = now
                self._blamed.move_to_end(key)
        while len(self._blamed) > BLAMED:
            self._blamed.popitem(last=False)


def _names(player: str, address: str) -> list[str]:
    """The player, and its address unless many may share that: in a private network, or where it is not known."""
    names = [player] if player else []
    try:
        shared = ip_network(address).is_private
    except ValueError:
        shared = True
    return names if shared else [*names, address]
