"""The game, position and moves that somebody names in words."""

from __future__ import annotations

import re

from noughts.games import Game, IllegalMove, InvalidPosition, MalformedMove, Position
from noughts.games.catalogue import BadSetup, UnknownGame, game_named
from noughts.games.sentences import sentence


class BadRequest(ValueError):
    """The game or the position does not exist. The message is for the user."""


def game_of(key: str) -> Game:
    """The game with that key, or with that name, such as ``breakthrough?size=6``. Raises :class:`BadRequest`."""
    try:
        return game_named(key)
    except UnknownGame as error:
        hint = " For a tree of leaves: noughts tree --leaves LEAVES" if set(key) & set(",/(") else ""
        raise BadRequest(f"{error}{hint}") from None
    except BadSetup as error:
        raise BadRequest(str(error)) from None


def position_of(game: Game, text: str, moves: str | None) -> Position:
    """The position after ``moves`` from the position in ``text``, or from the start if ``text`` is empty.

    Raises :class:`BadRequest`.
    """
    try:
        position = game.parse(text.strip()) if text.strip() else game.start
    except InvalidPosition as error:
        raise BadRequest(sentence(str(error))) from None
    number = 0
    for word in _words(moves or ""):
        steps = split(game, word)
        for move in steps:
            number += 1
            try:
                position = position.play(game.meant(position, move))
            except (MalformedMove, IllegalMove) as error:
                read = len(steps) > 1 and isinstance(error, MalformedMove)
                how = f' ("{word}" was read as the moves {", ".join(steps)})' if read else ""
                raise BadRequest(f"Move {number}, {move}: {error}{how}.") from None
    return position


def split(game: Game, moves: str) -> list[str]:
    """The moves in a text, separated by commas or spaces, or by nothing if all moves of the game are one character."""
    words = _words(moves)
    if all(len(name) == 1 for row in game.layout for name in row):
        return [move for word in words for move in word]
    return words


def _words(moves: str) -> list[str]:
    return [word for word in re.split(r"[\s,]+", moves) if word]
