"""Players who fail again and again: they are out of the league, and all their games with them. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Iterable

from noughts.league.records import SIDES, Record

TIMES = 3
"""A player who fails so often running, each time in the same way, is disqualified."""


class Disqualified:
    """Who is disqualified after some games, which are added in the order in which they ended.

    The same way is the same kind of failure and, of exceptions, the same type. A game in which a player moves and does
    not fail ends a run of failures; one that is over before its first move does not. Nobody comes back: games under
    way at that time change nothing.
    """

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.players: dict[str, Record] = {}
        """The game with the last of the failures, by player."""
        self._running: dict[str, tuple[tuple[str, str], int]] = {}
        for record in records:
            self.add(record)

    def add(self, record: Record) -> None:
        """A game is over."""
        failure = record["failure"]
        for side in SIDES:
            player = record[side]
            if failure is not None and failure["side"] == side:
                way = failure["kind"], failure["error"]
                before, times = self._running.get(player, (way, 0))
                times = times + 1 if before == way else 1
                self._running[player] = way, times
                if times == TIMES:
                    self.players.setdefault(player, record)
            elif record["moves_timed"][side]:
                self._running.pop(player, None)

    def has(self, *players: str) -> bool:
        """Whether one of the players is disqualified."""
        return any(player in self.players for player in players)


def counting(records: Iterable[Record]) -> list[Record]:
    """The games that count: those without a player who is disqualified."""
    records = list(records)
    out = Disqualified(records)
    return [record for record in records if not out.has(record["first"], record["second"])]
