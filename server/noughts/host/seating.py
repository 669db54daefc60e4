"""The ratings of players who take a seat. Only rooms with a clock have a rating pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from noughts.journal import StoredRating
from noughts.ratings import as_rated
from noughts.rooms import AcceptRematch, Command, Join, OfferRematch, Open, Opened, Player, Room, TimeControl, pool_of

Opening = TypeVar("Opening", Open, Opened)


def registered_players(room: Room | None, command: Command) -> list[str]:
    """The players whose ratings ``command`` needs, by their ids. Others have none, and most players are guests."""
    players: tuple[Player | None, ...]
    if isinstance(command, Open):
        if room is not None or command.options.clock is None:
            return []
        players = (command.first, command.second)
    elif room is None or room.options.clock is None:
        return []
    elif isinstance(command, Join):
        players = (command.player,)
    elif isinstance(command, OfferRematch | AcceptRematch):
        players = (room.first, room.second)
    else:
        return []
    return [player.id for player in players if player is not None and player.registered]


def with_ratings(opening: Opening, ratings: Sequence[StoredRating]) -> Opening:
    """``opening`` with the ratings of its players."""
    control = opening.options.clock
    if control is None:
        return opening
    first, second = (_rated(player, opening.game, control, ratings) for player in (opening.first, opening.second))
    return replace(opening, first=first, second=second)


def join_with_rating(join: Join, room: Room, ratings: Sequence[StoredRating]) -> Join:
    """``join`` with the rating of its player."""
    control = room.options.clock
    if control is None:
        return join
    player = _rated(join.player, room.game.key, control, ratings)
    assert player is not None
    return replace(join, player=player)


def _rated(player: Player | None, game: str, control: TimeControl, ratings: Sequence[StoredRating]) -> Player | None:
    return None if player is None else as_rated(player, game, pool_of(control), ratings)
