"""The game and the position that somebody asks about. Pure; does no I/O."""

from __future__ import annotations

import re

from noughts.games import GAMES, Game, IllegalMove, InvalidPosition, MalformedMove, Position


class BadRequest(ValueError):
    """There is no such game, or no such position. The message is for who asked."""


def game_of(key: str) -> Game:
    """The game of that key. Raises :class:`BadRequest`."""
    game = GAMES.get(key)
    if game is None:
        raise BadRequest(f"there is no game {key!r}, there are {', '.join(GAMES)}")
    return game


def position_of(game: Game, text: str, moves: str | None) -> Position:
    """The position after ``moves`` from the one that ``text`` describes, nothing for the start of the game.

    Raises :class:`BadRequest`.
    """
    try:
        position = game.parse(text.strip()) if text.strip() else game.start
    except InvalidPosition as error:
        raise BadRequest(str(error)) from None
    number = 0
    for word in _words(moves or ""):
        steps = split(game, word)
        for move in steps:
            number += 1
            try:
                position = position.play(move)
            except (MalformedMove, IllegalMove) as error:
                read = len(steps) > 1 and isinstance(error, MalformedMove)
                how = f' ("{word}" was read as the moves {", ".join(steps)})' if read else ""
                raise BadRequest(f"move {number}, {move}: {error}{how}") from None
    return position


def split(game: Game, moves: str) -> list[str]:
    """The moves in a text, with commas or spaces between them, or with nothing where each is one character."""
    words = _words(moves)
    if all(len(name) == 1 for row in game.layout for name in row):
        return [move for word in words for move in word]
    return words


def _words(moves: str) -> list[str]:
    return [word for word in re.split(r"[\s,]+", moves) if word]
