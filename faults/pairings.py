"""Audit of pairings: each seek is paired once, with the same terms, and while it is open."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from faults.clocks import SIDES, Json
from faults.game import NEAR_MS, Game

LAPSE_MS = 15_000
"""The time a seek survives the death of its node, at most."""


@dataclass
class Seek:
    """A player's seek, open from ``since`` ``until`` in ms since the epoch, and the ``room`` that it led to.

    ``waits``: when it waited, one span for each connection. ``vanished``: the player disconnected without a word.
    ``renewed_at``: when the server last confirmed the seek.
    """

    player: str
    clock: Json | None
    rated: bool
    since: float
    until: float = float("inf")
    room: str | None = None
    vanished: bool = False
    renewed_at: float = float("inf")
    waits: list[tuple[float, float]] = field(default_factory=list)

    @property
    def terms(self) -> tuple[Json | None, bool]:
        """The terms that both players share: the clock, and whether the game is rated."""
        return self.clock, self.rated


def audit_pairings(
    seeks: Iterable[Seek], games: Mapping[str, Game], longest_wait_ms: float, report: Callable[[str], None]
) -> set[str]:
    """Report wrong pairings. Returns the rooms of all pairs.

    Two players with the same terms must not both wait for longer than ``longest_wait_ms``.
    """
    by_player: defaultdict[str, list[Seek]] = defaultdict(list)
    for seek in seeks:
        by_player[seek.player].append(seek)
    led_to: Counter[int] = Counter()
    rooms: set[str] = set()
    for game in games.values():
        opened = game.records[0]
        players = [opened[side]["id"] for side in SIDES if opened[side]]
        if opened.get("previous") or len(players) < 2 or not all(player in by_player for player in players):
            continue
        rooms.add(game.room)
        for player in players:
            found = _seek_of(by_player[player], game, opened["at"])
            if found is None:
                report(f"{game.room}: {player} was paired without a seek: {opened}")
                continue
            led_to[id(found)] += 1
            if led_to[id(found)] > 1:
                report(f"{game.room}: {player} was paired twice by one seek: {found}")
            if not found.vanished and found.room != game.room:
                report(f"{game.room}: {player} was paired, but never learned it: {found}, {opened}")
            if game.terms != found.terms:
                report(f"{game.room}: {player} was paired with other terms: {found}, {opened}")
    _audit_waiting(by_player, longest_wait_ms, report)
    return rooms


def _seek_of(seeks: list[Seek], game: Game, at: float) -> Seek | None:
    """The seek that led a player to ``game``: the one that names its room, or one open at the time."""
    at_that_time: list[Seek] = []
    for seek, following in zip(seeks, [*seeks[1:], None], strict=True):
        until = seek.until
        if seek.vanished:  # its node may have died before it noticed; a later seek of the player replaces it
            until = min(until + LAPSE_MS, following.renewed_at if following else float("inf"))
        if seek.since - NEAR_MS <= at <= until + NEAR_MS:
            at_that_time.append(seek)
    led = [seek for seek in seeks if seek.room == game.room]
    open_still = [seek for seek in at_that_time if seek.room is None]
    return next(iter(led + open_still + at_that_time), None)


def _audit_waiting(by_player: Mapping[str, list[Seek]], longest_wait_ms: float, report: Callable[[str], None]) -> None:
    long: defaultdict[str, list[tuple[str, float, float]]] = defaultdict(list)
    for player, seeks in by_player.items():
        for seek in seeks:
            long[str(seek.terms)] += [(player, *wait) for wait in seek.waits if wait[1] - wait[0] > longest_wait_ms]
    for terms, waits in long.items():
        for (one, since, until), (other, other_since, other_until) in combinations(waits, 2):
            together_ms = min(until, other_until) - max(since, other_since)
            if one != other and together_ms > longest_wait_ms:
                report(f"{one} and {other} both waited for {together_ms / 1000:.1f} s for {terms}")
