"""Looks up the ratings of players who take a seat. Only rooms with a clock have a rating pool."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from noughts.journal import StoredRating
from noughts.ratings import as_rated
from noughts.rooms import Join, Open, Opened, Player, Room, TimeControl, pool_of

Ratings = Callable[[Sequence[str]], Awaitable[list[StoredRating]]]
"""Looks up the ratings of players, by their ids. Raises JournalError."""

Opening = TypeVar("Opening", Open, Opened)


async def with_ratings(opening: Opening, ratings: Ratings) -> Opening:
    """``opening`` with the ratings of its players. Raises JournalError."""
    first, second = await _rated((opening.first, opening.second), opening.game, opening.options.clock, ratings)
    return replace(opening, first=first, second=second)


async def join_with_rating(join: Join, room: Room, ratings: Ratings) -> Join:
    """``join`` with the rating of its player. Raises JournalError."""
    (player,) = await _rated((join.player,), room.game.key, room.options.clock, ratings)
    assert player is not None
    return replace(join, player=player)


async def _rated(
    players: Sequence[Player | None], game: str, control: TimeControl | None, ratings: Ratings
) -> list[Player | None]:
    if control is None:
        return list(players)
    # Only registered players can have a rating, and most players are guests.
    registered = [player.id for player in players if player is not None and player.registered]
    found = await ratings(registered) if registered else []
    return [None if player is None else as_rated(player, game, pool_of(control), found) for player in players]
