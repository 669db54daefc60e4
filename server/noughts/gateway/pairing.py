"""Two who have found each other: how good each is, and the room that is opened for them. Does no I/O."""

from __future__ import annotations

import random
from collections.abc import Iterable

from noughts.gateway.identity import new_id
from noughts.gateway.table import as_player
from noughts.journal import Append, Seek, StoredRating
from noughts.projection import index_row
from noughts.protocol import to_record
from noughts.ratings import as_rated
from noughts.ratings.glicko2 import Rating
from noughts.rooms import Open, Opened, Options, decide, evolve, pool_of
from noughts.rooms.matching import Seeker


def rating_in(game: str, options: Options, ratings: Iterable[StoredRating]) -> tuple[float, float]:
    """The rating, with its deviation, that somebody with these ``ratings`` has in rooms with such options.

    That of a newcomer for who has none there, and where there are none.
    """
    if options.clock is not None:
        pool = pool_of(options.clock)
        for one in ratings:
            if (one.game, one.pool) == (game, pool):
                return one.rating, one.deviation
    start = Rating()
    return start.rating, start.deviation


def seeker(seek: Seek, options: Options) -> Seeker:
    """Who waits by ``seek`` for a room with such options, as one to be paired."""
    return Seeker(seek.player.id, seek.terms, seek.since, seek.rating if options.rated else None)


def opened_for(
    two: tuple[Seek, Seek], options: Options, ratings: Iterable[StoredRating], now: int, rng: random.Random
) -> tuple[Opened, Append]:
    """A room for ``two``, opened at ``now``, ms since the epoch, and how it is written; ``rng`` says who sits first.

    ``ratings`` has theirs, where they have any and the room has a clock. The second of the two counts as its opener.
    """
    one, other = two
    seats = [as_player(seek.player) for seek in two]
    if options.clock is not None:
        pool = pool_of(options.clock)
        seats = [as_rated(seat, other.game, pool, ratings) for seat in seats]
    rng.shuffle(seats)
    first, second = seats
    event = decide(None, Open(new_id(), other.game, other.player.id, first, second, options), now)
    assert isinstance(event, Opened)
    return event, Append(event.room, 1, to_record(event), index_row(evolve(None, event)), (one.player, other.player))
