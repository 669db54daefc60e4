"""Replays a game from a file as the updates that clients got."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from noughts.protocol.gamefile import BadGame, RecordedGame, from_file
from noughts.protocol.render import update
from noughts.protocol.room_messages import Update
from noughts.rooms import Played


@dataclass(frozen=True, slots=True)
class Step:
    """One event of a game: its update, and a bot's note on the move."""

    update: Update
    note: str | None


def replay(lines: Iterable[bytes]) -> list[Step]:
    """The :func:`steps` of the game in a file. ``lines`` are the file's lines as bytes.

    Raises :class:`~noughts.protocol.gamefile.BadGame` if the file does not hold exactly one complete and possible game.
    """
    return steps(only_game(lines))


def only_game(lines: Iterable[bytes]) -> RecordedGame:
    """The game in a file. Raises :class:`~noughts.protocol.gamefile.BadGame` as :func:`replay` does."""
    games = from_file(lines)
    game = next(games, None)
    if game is None:
        raise BadGame(1, "the file is empty")
    if next(games, None) is not None:
        raise BadGame(len(game.records) + 2, "the file holds more than one game")
    return game


def steps(game: RecordedGame) -> list[Step]:
    """The steps of a game, at least one.

    The first update's event has the key of the game, for ``noughts.protocol.render.games()``.
    """
    return [
        Step(update(event, room), event.note if isinstance(event, Played) else None)
        for event, room in zip(game.events, game.rooms, strict=True)
    ]
