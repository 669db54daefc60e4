"""All games, by key, and by name with what was chosen for a room, such as the size of the board.

Importing this does no I/O. The first look at all games is one for those of other packages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from urllib.parse import parse_qsl, urlencode

from noughts.games.base import Game, Option, Position
from noughts.games.breakthrough import BREAKTHROUGH
from noughts.games.chess import CHESS
from noughts.games.connect4 import CONNECT4
from noughts.games.dots import DOTS
from noughts.games.draughts import DRAUGHTS
from noughts.games.go import GO
from noughts.games.gomoku import GOMOKU
from noughts.games.hex import HEX
from noughts.games.installed import Games
from noughts.games.kalah import KALAH
from noughts.games.morris import MORRIS
from noughts.games.reversi import REVERSI
from noughts.games.sentences import no_such_game, sentence
from noughts.games.tictactoe import TICTACTOE
from noughts.games.ultimate import ULTIMATE

OWN = (
    *(TICTACTOE, CONNECT4, REVERSI, GOMOKU, ULTIMATE),
    *(GO, HEX, CHESS, DRAUGHTS, BREAKTHROUGH, MORRIS, KALAH, DOTS),
)
GAMES = Games(OWN)
"""All games by key: those of this package and those of installed packages."""

Choice = str | int | float
Setup = tuple[tuple[str, Choice], ...]
"""The choices, by option, in the order of the game's options. A default is left out."""

TEXT_CHARACTERS = 200
"""The greatest length of the text of an option without choices."""


class UnknownGame(LookupError):
    """No game has that key. The text is a sentence."""


class BadSetup(ValueError):
    """The game cannot be set up like that. The text is a sentence."""


def set_up(key: str, setup: Iterable[tuple[str, Choice]] = ()) -> Game:
    """The game ``key`` with ``setup``, the same object for equal ones. Raises UnknownGame and BadSetup."""
    game = GAMES.get(key)
    if game is None:
        raise UnknownGame(no_such_game(key, GAMES))
    wanted = dict(setup)
    chosen = _chosen(game, wanted) if wanted else ()
    return _variant(game, chosen) if chosen else game


def name_of(game: Game) -> str:
    """The key of ``game``, and after a question mark what was chosen: ``breakthrough?size=6``."""
    return named(game.key, game.setup)


def named(key: str, setup: Iterable[tuple[str, Choice]]) -> str:
    """The :func:`name_of` the game ``key`` with ``setup``."""
    chosen = urlencode(tuple(setup))
    return f"{key}?{chosen}" if chosen else key


def key_of(name: str) -> str:
    """The key in the name of a game."""
    return name.partition("?")[0]


def parts_of(name: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The key in the name of a game, and what is chosen there, as text. The game need not be installed."""
    key, _, chosen = name.partition("?")
    return key, tuple(parse_qsl(chosen, keep_blank_values=True)) if chosen else ()


def game_named(name: str) -> Game:
    """The game that has this :func:`name_of`. Raises UnknownGame and BadSetup."""
    return set_up(*parts_of(name))


def begun(name: str, start: str) -> str:
    """The name of a game, and after a hash sign the text of the position that its moves begin from, if there is one."""
    return f"{name}#{start}" if start else name


def begin(name: str) -> tuple[Game, Position]:
    """The game and the first position of what :func:`begun` gave. Raises UnknownGame, BadSetup and InvalidPosition."""
    named, _, start = name.partition("#")
    game = game_named(named)
    return game, game.parse(start) if start else game.start


def full_title(game: Game) -> str:
    """Its title and what was chosen, such as ``Breakthrough, Size of the board: 6``."""
    titles = {option.key: option.title for option in game.options}
    return ", ".join((game.title, *(f"{titles[key]}: {choice}" for key, choice in game.setup)))


def _chosen(game: Game, wanted: Mapping[str, Choice]) -> Setup:
    """The part ``wanted`` of ``game`` that is no default. A choice may be its text, as in a name."""
    known = {option.key: option for option in game.options}
    if unknown := [key for key in wanted if key not in known]:
        has = f"Its options are {', '.join(known)}." if known else "It has no options."
        raise BadSetup(f"{game.title} has no option {unknown[0]!r:.50}. {has}")
    chosen = [(option, _choice(game, option, wanted.get(option.key, option.default))) for option in game.options]
    return tuple([(option.key, choice) for option, choice in chosen if choice != option.default])


@lru_cache(maxsize=1024)
def _variant(game: Game, setup: Setup) -> Game:
    assert game.variant is not None
    try:
        variant = game.variant({option.key: option.default for option in game.options} | dict(setup))
        return replace(variant, setup=setup, example="")  # which is of the usual game
    except ValueError as error:
        raise BadSetup(sentence(str(error))) from None


def _choice(game: Game, option: Option, value: Choice) -> Choice:
    if not option.choices:
        text = str(value)
        if len(text) > TEXT_CHARACTERS:
            raise BadSetup(f"{option.title}: at most {TEXT_CHARACTERS} characters.")
        return text
    for choice in option.choices:
        if str(choice) == str(value):
            return choice
    raise BadSetup(f"{game.title}: {option.title} is one of {', '.join(map(str, option.choices))}.")
