"""A game from a file as what a client is told while one is played: an update for each event."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from noughts.protocol.gamefile import BadGame, from_file
from noughts.protocol.messages import Update
from noughts.protocol.render import update
from noughts.rooms import Played


@dataclass(frozen=True, slots=True)
class Step:
    """One event of a game that is over: its update, as it was told, and what a bot noted beside its move."""

    update: Update
    note: str | None


def replay(lines: Iterable[bytes]) -> list[Step]:
    """The steps of the game in a file of records, from its opening on; at least one.

    ``lines`` are the file's, as it gives them when it is opened for bytes. What each move is worth, or who sits
    where, is in the updates; the game itself is ``noughts.protocol.games()``'s of the key in the first one's event.
    Raises :class:`~noughts.protocol.gamefile.BadGame` for a file that holds another number of games than one, and for
    a game that is not whole or cannot have happened.
    """
    games = from_file(lines)
    game = next(games, None)
    if game is None:
        raise BadGame(1, "the file is empty")
    if next(games, None) is not None:
        raise BadGame(len(game.records) + 2, "the file holds more than one game")
    return [
        Step(update(event, room), event.note if isinstance(event, Played) else None)
        for event, room in zip(game.events, game.rooms, strict=True)
    ]
