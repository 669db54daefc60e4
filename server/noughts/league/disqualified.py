"""Players who fail again and again: they are out of the league, and all their games with them. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Iterable

from noughts.league.records import SIDES, LeagueRecord, Record, Side, other

TIMES = 3
"""A player who fails so often running, each time in the same way, is disqualified."""

OPPONENTS = 2
"""A run of failures after a move counts only against so many opponents, or as many as the player has: one opponent may
know a position in which the player fails."""


class Disqualified:
    """The players of ``league`` that are disqualified after some games, which are added in the order of their ends.

    The same way is the same kind of failure and, of exceptions, the same type. The failures must be against
    :data:`OPPONENTS`, or the last :data:`TIMES` of them before the player's first move. A game in which a player moves
    and does not fail ends a run, and so does a loss on time after a move, which a busy machine may cause. A game that
    is over before the player's first move does not. Nobody comes back: games under way at that time change nothing.
    Levels of the computer are never disqualified: their failures are the league's own.
    """

    def __init__(self, league: LeagueRecord, records: Iterable[Record] = ()) -> None:
        self.players: dict[str, Record] = {}
        """The game with the last of the failures, by player."""
        count, met = len(league["players"]), set(league["opponents"])
        self._needed = {
            player["name"]: min(OPPONENTS, count - len(met) if player["name"] in met else len(met) or count - 1)
            for player in league["players"]
            if not player["spec"].startswith("computer:")
        }
        self._runs: dict[str, tuple[tuple[str, str], list[tuple[str, bool]]]] = {}
        """The way of a run of failures and, of each of them, the opponent and whether the player had moved."""
        for record in records:
            self.add(record)

    def add(self, record: Record) -> None:
        """A game is over."""
        failure = record["failure"]
        for side in SIDES:
            player, moved = record[side], _moved(record, side)
            if player not in self._needed:
                continue
            if failure is None or failure["side"] != side or (failure["kind"] == "time" and moved):
                if moved:
                    self._runs.pop(player, None)
                continue
            way = failure["kind"], failure["error"]
            before, run = self._runs.get(player, (way, []))
            run = [*(run if before == way else []), (record[other(side)], moved)]
            self._runs[player] = way, run
            opponents = {opponent for opponent, _ in run}
            never_moved = not any(had_moved for _, had_moved in run[-TIMES:])
            if len(run) >= TIMES and (never_moved or len(opponents) >= self._needed[player]):
                self.players.setdefault(player, record)

    def has(self, *players: str) -> bool:
        """True if one of the players is disqualified."""
        return any(player in self.players for player in players)


def _moved(record: Record, side: Side) -> bool:
    """True if a player made a move; the turn in which its time ran out is none."""
    failure = record["failure"]
    late = failure is not None and failure["side"] == side and failure["kind"] == "time"
    return record["moves_timed"][side] > late


def counting(league: LeagueRecord, records: Iterable[Record]) -> tuple[list[str], list[Record]]:
    """The players of a league who are not disqualified, and the games that count: those between them."""
    records = list(records)
    out = Disqualified(league, records)
    return (
        [player["name"] for player in league["players"] if not out.has(player["name"])],
        [record for record in records if not out.has(record["first"], record["second"])],
    )
