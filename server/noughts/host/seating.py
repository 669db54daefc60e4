"""Those who sit down, with the ratings that they have then: in rooms with a clock, the only ones with a pool."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from noughts.journal import StoredRating
from noughts.ratings import as_rated
from noughts.rooms import Command, Join, Open, Opened, Player, Room, TimeControl, pool_of

Ratings = Callable[[Sequence[str]], Awaitable[list[StoredRating]]]
"""Looks up the ratings of players, by their ids. Raises JournalError."""

Opening = TypeVar("Opening", Open, Opened)


async def with_ratings(opening: Opening, ratings: Ratings) -> Opening:
    """``opening`` with the ratings of those who sit there. Raises JournalError."""
    first, second = await _rated((opening.first, opening.second), opening.game, opening.options.clock, ratings)
    return replace(opening, first=first, second=second)


async def seated(command: Command | None, room: Room | None, ratings: Ratings) -> Command | None:
    """``command``, with the ratings of those who sit down by it. Raises JournalError."""
    match command:
        case Open() if room is None:
            return await with_ratings(command, ratings)
        case Join(player) if room is not None:
            (rated,) = await _rated((player,), room.game.key, room.options.clock, ratings)
            assert rated is not None
            return replace(command, player=rated)
        case _:
            return command


async def _rated(
    players: Sequence[Player | None], game: str, control: TimeControl | None, ratings: Ratings
) -> list[Player | None]:
    if control is None:
        return list(players)
    # Only a registered player can have one, and most who come are not.
    registered = [player.id for player in players if player is not None and player.registered]
    found = await ratings(registered) if registered else []
    return [None if player is None else as_rated(player, game, pool_of(control), found) for player in players]
