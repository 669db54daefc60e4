"""Whether seeks were paired as promised: each once, for those who wanted the same, and while they wanted it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from faults.clocks import SIDES, Json
from faults.game import NEAR_MS, Game

LAPSE_MS = 15_000
"""How long the seek of somebody lasts at most whose node has died."""


@dataclass
class Seek:
    """What a player sought, from ``since`` ``until``, ms since the epoch, and the ``room`` that it led to.

    ``waits`` is when it waited, as far as it knew, on one connection each. ``vanished``: it went away without a word.
    ``asked_again_at`` is when it was last told that it waits.
    """

    player: str
    clock: Json | None
    rated: bool
    since: float
    until: float = float("inf")
    room: str | None = None
    vanished: bool = False
    asked_again_at: float = float("inf")
    waits: list[tuple[float, float]] = field(default_factory=list)

    @property
    def wish(self) -> tuple[Json | None, bool]:
        """What both must want alike: the clock, and whether it counts."""
        return self.clock, self.rated


def judge_pairs(
    seeks: Iterable[Seek], games: Mapping[str, Game], longest_wait_ms: float, wrong: Callable[[str], None]
) -> set[str]:
    """Tell ``wrong`` what was paired wrongly, and return the rooms that pairs were brought to.

    Nobody is to wait for longer than ``longest_wait_ms`` beside somebody who wants the same.
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
                wrong(f"{game.room}: {player} was paired, and did not seek: {opened}")
                continue
            led_to[id(found)] += 1
            if led_to[id(found)] > 1:
                wrong(f"{game.room}: {player} was paired twice by one seek: {found}")
            if not found.vanished and found.room != game.room:
                wrong(f"{game.room}: {player} was paired, and never told so: {found}, {opened}")
            if game.wish != found.wish:
                wrong(f"{game.room}: {player} was paired for what it did not seek: {found}, {opened}")
    _judge_waiting(by_player, longest_wait_ms, wrong)
    return rooms


def _seek_of(seeks: list[Seek], game: Game, at: float) -> Seek | None:
    """That of a player's ``seeks`` by which it was paired in ``game``: that which led there, or one at that time."""
    at_that_time: list[Seek] = []
    for seek, following in zip(seeks, [*seeks[1:], None], strict=True):
        until = seek.until
        if seek.vanished:  # its node may have died before it noticed; another seek of the player takes its place
            until = min(until + LAPSE_MS, following.asked_again_at if following else float("inf"))
        if seek.since - NEAR_MS <= at <= until + NEAR_MS:
            at_that_time.append(seek)
    led = [seek for seek in seeks if seek.room == game.room]
    open_still = [seek for seek in at_that_time if seek.room is None]
    return next(iter(led + open_still + at_that_time), None)


def _judge_waiting(by_player: Mapping[str, list[Seek]], longest_wait_ms: float, wrong: Callable[[str], None]) -> None:
    long: defaultdict[str, list[tuple[str, float, float]]] = defaultdict(list)
    for player, seeks in by_player.items():
        for seek in seeks:
            long[str(seek.wish)] += [(player, *wait) for wait in seek.waits if wait[1] - wait[0] > longest_wait_ms]
    for wish, waits in long.items():
        for (one, since, until), (other, other_since, other_until) in combinations(waits, 2):
            together_ms = min(until, other_until) - max(since, other_since)
            if one != other and together_ms > longest_wait_ms:
                wrong(f"{one} and {other} waited beside each other for {together_ms / 1000:.1f} s for {wish}")
