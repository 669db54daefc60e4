"""A seek of one of a node's clients, and what the client is told of it. Does no I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from noughts.engine import levels_of
from noughts.games import GAMES
from noughts.journal import Seek
from noughts.protocol.messages import SeekEnded, SeekWaits
from noughts.rooms import Opened, Options

if TYPE_CHECKING:
    from noughts.gateway.conversation import Conversation

OFFER_S = 10.0
"""After so long without an opponent a client is told at which levels the computer would play."""


@dataclass(eq=False, slots=True)
class Sought:
    """A seek of one of this node's clients. ``key`` is the client's own word for it, ``began`` by the loop's clock.

    ``fresh``: it has not been among those yet that this node looked at to pair them. ``offered``: the client has been
    told of the computer. ``given_up``: the client wants it no more. ``opening`` is what this node tried last to open
    for it; the outcome may be unknown.
    """

    client: Conversation
    key: str
    seek: Seek
    options: Options
    began: float
    fresh: bool = True
    offered: bool = False
    given_up: bool = False
    opening: Opened | None = None

    @property
    def name(self) -> tuple[str, str]:
        """The player and the key, as the journal knows the seek."""
        return self.seek.player.id, self.seek.key

    @property
    def wants(self) -> tuple[str, str]:
        """The game and the terms: what an opponent must want, too."""
        return self.seek.game, self.seek.terms

    def offer_computer(self, now: float) -> None:
        """Tell the client of the computer, once, when it has waited for long. ``now`` by the loop's clock."""
        waited = now - self.began
        if waited < OFFER_S or self.offered:
            return
        self.offered = True
        levels = list(levels_of(GAMES[self.seek.game]))
        message: SeekWaits = {
            "type": "seek",
            "key": self.key,
            "game": self.seek.game,
            "waited_s": round(waited, 1),
            "computer": levels,
        }
        self.client.send(message)

    def tell_ended(self) -> None:
        """Tell the client that it waits no more, through no doing of its own."""
        message: SeekEnded = {"type": "seek_ended", "key": self.key, "game": self.seek.game}
        self.client.send(message)
