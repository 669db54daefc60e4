"""A pending seek of one of a node's clients, and the room that two seeks open. No I/O."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from noughts.engine import levels_of
from noughts.games.catalogue import game_named, key_of
from noughts.gateway.client import Subscriber
from noughts.gateway.commands import as_player
from noughts.glicko2 import Rating
from noughts.host import RoomUpdate
from noughts.journal import Append, Seek, StoredRating
from noughts.projection import index_row
from noughts.protocol.records import to_record
from noughts.protocol.room_messages import SeekEnded, SeekWaits
from noughts.ratings import as_rated
from noughts.rooms import Open, Options, Step, Unrated, decide, pool_of
from noughts.rooms.matching import Seeker


@dataclass(eq=False, slots=True)
class PendingSeek:
    """A seek of one of this node's clients.

    ``key`` is the client's own name for it; ``began`` is by the event loop's clock. ``fresh``: no round has looked at
    it yet. ``offered``: the client has heard of the computer's levels. ``withdrawn``: the client no longer wants it.
    ``opened`` is the room that this node last tried to open for it; whether that worked may be unknown.
    """

    client: Subscriber
    key: str
    seek: Seek
    options: Options
    began: float
    fresh: bool = True
    offered: bool = False
    withdrawn: bool = False
    opened: RoomUpdate | None = None

    @property
    def name(self) -> tuple[str, str]:
        """The player's id and the key, by which the journal knows the seek."""
        return self.seek.player.id, self.seek.key

    @property
    def wish(self) -> tuple[str, str]:
        """The game and the terms, which an opponent must share."""
        return self.seek.game, self.seek.terms

    def offer_computer(self, waited_s: float) -> None:
        """Tell the client once, after it has waited for so long, at which levels the computer plays."""
        if self.offered:
            return
        self.offered = True
        message: SeekWaits = {
            "type": "seek",
            "key": self.key,
            "game": key_of(self.seek.game),
            "waited_s": round(waited_s, 1),
            "computer": list(levels_of(game_named(self.seek.game))),
        }
        self.client.send(message)

    def send_ended(self) -> None:
        """Tell the client that its seek ended without its doing."""
        message: SeekEnded = {"type": "seek_ended", "key": self.key, "game": key_of(self.seek.game)}
        self.client.send(message)


def rating_for(game: str, options: Options, ratings: Iterable[StoredRating]) -> tuple[float, float]:
    """The rating and deviation, among a player's ``ratings``, that count in a room with these options.

    A newcomer's where there is none.
    """
    if options.clock is not None:
        pool = pool_of(options.clock)
        for one in ratings:
            if (one.game, one.pool) == (game, pool):
                return one.rating, one.deviation
    start = Rating()
    return start.rating, start.deviation


def as_seeker(seek: Seek, options: Options) -> Seeker:
    """``seek`` as the pairing sees it."""
    return Seeker(seek.player.id, seek.terms, seek.since, seek.rating if options.rated else None)


def open_for(
    room: str,
    seeks: tuple[Seek, Seek],
    options: Options,
    ratings: Iterable[StoredRating],
    *,
    now: int,
    rng: random.Random,
    unrated_because: Unrated | None = None,
) -> tuple[RoomUpdate, Append]:
    """The new ``room`` for two seekers, opened at ``now``, ms since the epoch, and its write.

    ``rng`` chooses who sits first. ``unrated_because`` says why a game that both wanted rated is not. ``ratings`` are
    theirs, if the room has a clock. The second of the two counts as the player who opened it.
    """
    one, other = seeks
    seats = [as_player(seek.player) for seek in seeks]
    if options.clock is not None:
        pool = pool_of(options.clock)
        seats = [as_rated(seat, other.game, pool, ratings) for seat in seats]
    rng.shuffle(seats)
    first, second = seats
    game, by = game_named(other.game), other.player.id
    step = decide(None, Open(room, game.key, by, first, second, options, unrated_because, game.setup), now)
    assert isinstance(step, Step)
    players = (one.player, other.player)
    opened = RoomUpdate(step.event, step.room, ours=True)
    return opened, Append(room, 1, to_record(step.event), index_row(step.room), players)
