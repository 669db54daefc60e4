"""The players who are connected: to this node, and to others as far as these have said so. Nothing of it is stored."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import replace

from noughts.bus import Bus, Doing, Here, Sought
from noughts.gateway.registry import SessionRegistry

HERE_S = 3.0
"""The time for which a player counts as connected to another node that has said so."""

DOING = 10_000
"""The most players of whom it is known that they ask for help or read a review; of more the first are forgotten."""


class Attendance:
    """Knows the players of this node, and hears of those of others. ``time`` is in seconds and never goes back."""

    def __init__(self, sessions: SessionRegistry, bus: Bus, time: Callable[[], float]) -> None:
        self._sessions = sessions
        self._bus = bus
        self._time = time
        self._elsewhere: dict[str, float] = {}
        self._doing: OrderedDict[str, Doing] = OrderedDict()

    def among(self, players: Iterable[str]) -> set[str]:
        """Those of ``players``, by id, who are connected."""
        now = self._time()
        self._elsewhere = {player: until for player, until in self._elsewhere.items() if until > now}
        return {player for player in players if self._sessions.has(player) or player in self._elsewhere}

    def tell(self, players: Iterable[str]) -> None:
        """Tell the other nodes which of ``players`` are connected to this one."""
        for player in players:
            if self._sessions.has(player):
                self._bus.send(Here(player, self._bus.node))
                if player in self._doing:
                    self._bus.send(self._doing[player])

    def ask(self, players: Iterable[str]) -> None:
        """Ask the other nodes for those of ``players`` who are not connected to this one; they answer soon."""
        for player in players:
            if not self._sessions.has(player):
                self._bus.send(Sought(player, self._bus.node))

    def doing(self, players: Iterable[str]) -> dict[str, Doing]:
        """Those of ``players``, by id, who ask for help or read a review, whether they are connected or not."""
        return {player: self._doing[player] for player in players if player in self._doing}

    def ask_help(self, player: str, class_id: str) -> None:
        """A player asks for help in a class, or in none any more."""
        self._do(replace(self._doing.get(player, Doing(player, "", False)), to=class_id))

    def read_review(self, player: str, *, reads: bool) -> None:
        """A player reads a review, or does so no more."""
        self._do(replace(self._doing.get(player, Doing(player, "", False)), reads=reads))

    def _do(self, doing: Doing) -> None:
        if doing != self._doing.get(doing.player, Doing(doing.player, "", False)):
            self.on_doing(doing)
            self._bus.send(doing)

    def on_doing(self, hint: Doing) -> None:
        """A player of another node begins to ask for help or to read a review, or ceases."""
        self._doing.pop(hint.player, None)
        if hint.to or hint.reads:
            self._doing[hint.player] = hint
            if len(self._doing) > DOING:
                self._doing.popitem(last=False)

    def on_here(self, hint: Here) -> None:
        """Another node has a player."""
        self._elsewhere[hint.player] = self._time() + HERE_S

    def on_sought(self, hint: Sought) -> None:
        """Another node asks for a player."""
        self.tell([hint.player])
