"""The public rooms as a numbered list, which follows what becomes of them. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from noughts.protocol.messages import GameInfo, Listing
from noughts_client.control import as_written
from noughts_client.terminal.board import Fragments
from noughts_client.terminal.table import SIDES, called, rating
from noughts_client.terminal.view import fit
from noughts_client.terminal.words import how_it_ended

MOST = 100
"""So many rooms are listed."""

ORDER = ("waiting", "playing", "over")


@dataclass(frozen=True)
class Lobby:
    """Listings by their numbers: a room keeps its number, so that nobody picks another than the one they read.

    ``seats_only`` leaves out the rooms in which nobody can sit down.
    """

    games: tuple[GameInfo, ...]
    seats_only: bool = False
    rooms: tuple[tuple[int, Listing], ...] = ()
    highest: int = 0

    def then(self, listings: Iterable[Listing]) -> Lobby:
        """The lobby with the newest state of some rooms; new ones are listed above the others of their kind."""
        news = {listing["room"]: listing for listing in listings}
        numbers = {listing["room"]: number for number, listing in self.rooms}
        known = [(number, news.get(listing["room"], listing)) for number, listing in self.rooms]
        unknown = [listing for room, listing in news.items() if room not in numbers and self._wanted(listing)]
        fresh = list(enumerate(sorted(unknown, key=_kind), self.highest + 1))
        rooms = sorted(
            [(number, listing) for number, listing in fresh + known if self._wanted(listing)],
            key=lambda entry: _kind(entry[1]),
        )
        return replace(self, rooms=tuple(rooms[:MOST]), highest=self.highest + len(fresh))

    def anew(self, listings: Iterable[Listing]) -> Lobby:
        """The lobby with these rooms alone, each by the number that it had."""
        whole = list(listings)
        there = {listing["room"] for listing in whole}
        kept = tuple(entry for entry in self.rooms if entry[1]["room"] in there)
        return replace(self, rooms=kept).then(whole)

    def numbered(self, line: str) -> Listing | None:
        """The room that ``line`` is the number of; the first for nothing typed."""
        if not line:
            return self.rooms[0][1] if self.rooms else None
        return next((listing for number, listing in self.rooms if str(number) == line), None)

    def lines(self, width: int, most: int) -> list[Fragments]:
        """The first ``most`` rooms, a line each."""
        shown = self.rooms[:most]
        margin = len(str(max((number for number, _ in shown), default=1)))
        return [[("", fit(f"  {n:>{margin}}  {self.described(listing)}", width))] for n, listing in shown]

    def described(self, listing: Listing) -> str:
        """Who plays what, how, and how far they are."""
        title = next((game["title"] for game in self.games if game["key"] == listing["game"]), listing["game"])
        seats = [listing["seats"][side] for side in SIDES]
        names = " - ".join(
            called(seat) + rating(seat) + ("" if seat["online"] else " (away)") if seat else "(open)" for seat in seats
        )
        options = listing["options"]
        clock = [as_written(options["clock"])] if options["clock"] else []
        rated = ["rated"] if options["rated"] else []
        state = how_it_ended(listing) if "outcome" in listing else listing["status"]
        return ", ".join([names, title, *clock, *rated, state])

    def _wanted(self, listing: Listing) -> bool:
        if self.seats_only:
            return listing["status"] == "waiting" and None in listing["seats"].values()
        return listing["status"] != "over" or "outcome" in listing


def _kind(listing: Listing) -> int:
    return ORDER.index(listing["status"])
