"""The open seeks of all nodes, as the lobby lists them."""

from __future__ import annotations

from typing import NamedTuple, cast

from pydantic_core import to_json

from noughts.games.catalogue import BadSetup, UnknownGame, game_named
from noughts.gateway.replies import player_info
from noughts.glicko2 import Rating
from noughts.journal import Journal, Seek
from noughts.players.ids import seek_id
from noughts.protocol.render import time_control, timestamp
from noughts.protocol.room_messages import Seeker, SeekInfo
from noughts.ratings import provisional
from noughts.rooms.matching import read_terms

LISTED = 100
"""The greatest number of seeks listed, the last to come first."""


class OpenSeek(NamedTuple):
    """A seek as JSON, and the key of its game."""

    game: str
    listing: bytes


class OpenSeeks:
    """``listed`` are the open seeks by their ids, as they were when the journal was last asked.

    The journal is the only one who knows the seeks of all nodes, and when they end. Nobody asks it unless somebody
    looks at the lobby.
    """

    def __init__(self, journal: Journal) -> None:
        self.listed: dict[str, OpenSeek] = {}
        self._journal = journal

    def of_game(self, game: str | None) -> bytes:
        """The seeks for one game, or all, as the elements of a JSON array."""
        return b",".join(one.listing for one in self.listed.values() if game in (None, one.game))

    async def refresh(self) -> tuple[dict[str, OpenSeek], dict[str, OpenSeek]]:
        """Ask the journal. Returns the seeks that are new, and those that are gone. Raises JournalError."""
        seeks = await self._journal.seeks.open(self._journal.now(), LISTED)
        now = dict(shown for seek in seeks if (shown := _listing(self._journal.secret, seek)) is not None)
        before, self.listed = self.listed, now
        new = {name: one for name, one in now.items() if before.get(name) != one}
        return new, {name: one for name, one in before.items() if name not in now}


def _listing(secret: bytes, seek: Seek) -> tuple[str, OpenSeek] | None:
    """The id of a seek and what is shown of it; None if it is not open to others."""
    terms = read_terms(seek.terms)
    try:
        game = game_named(seek.game)
    except (UnknownGame, BadSetup):
        return None  # another node knows it
    if terms is None:
        return None
    clock, rated = terms
    player = cast(Seeker, player_info(seek.player))
    if rated and seek.deviation < Rating().deviation:
        player["rating"] = round(seek.rating)
        if provisional(seek.deviation):
            player["provisional"] = True
    name = seek_id(secret, seek.player.id, seek.key)
    shown: SeekInfo = {
        "seek": name,
        "player": player,
        "game": game.key,
        "clock": time_control(clock),
        "rated": rated,
        "since": timestamp(seek.since),
    }
    if game.setup:
        shown["setup"] = dict(game.setup)
    return name, OpenSeek(game.key, to_json(shown))
