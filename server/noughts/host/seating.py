"""The players who take a seat: their ratings, and with whom they play. Only rooms with a clock have a rating pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from noughts.journal import StoredRating
from noughts.ratings import as_rated
from noughts.rooms import (
    AcceptRematch,
    Command,
    Join,
    Joined,
    NoChange,
    OfferRematch,
    Open,
    Opened,
    Player,
    Refused,
    Rematched,
    Room,
    TimeControl,
    decide,
    evolve,
    pool_of,
    rematch_of,
)

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
    elif isinstance(command, (OfferRematch, AcceptRematch)):
        players = (room.first, room.second)
    else:
        return []
    return [player.id for player in players if player is not None and player.registered]


Begun = tuple[str, tuple[str, str]]
"""A room whose seats are both taken, and the ids of its players."""


def rated_request(room: Room | None, command: Command, now: int) -> tuple[str, Begun | None] | None:
    """The id of the player who asks for a rated game with ``command``, and the game if that begins now.

    None where nobody does, or the command changes nothing or is refused: then its sender will hear why.
    """
    match command:
        case Open() if room is None and command.options.rated:
            player = command.by
            if player not in [seat.id for seat in (command.first, command.second) if seat is not None]:
                return None
        case Join() if room is not None and room.options.rated:
            player = command.player.id
        case OfferRematch() | AcceptRematch() if room is not None and room.options.rated:
            player = command.player
        case _:
            return None
    try:
        step = decide(room, command, now)
    except Refused:
        return None
    if isinstance(step, NoChange):
        return None
    if not isinstance(step.event, Opened | Joined | Rematched):
        return player, None
    after = step.room
    if isinstance(step.event, Rematched):
        after = evolve(None, rematch_of(after, now))
    if after.first is None or after.second is None:
        return player, None
    return player, (after.id, (after.first.id, after.second.id))


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
