"""The formats of other programs: the suffixes of their files, and writing and reading games in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath
from typing import BinaryIO

from noughts.games import GAMES, Game
from noughts.protocol import pgn, sgf
from noughts.protocol.gamefile import BadGame, RecordedGame, from_file
from noughts.protocol.scoresheet import Scoresheet, play_through

MAX_BYTES = 16 * 1024 * 1024
"""The largest file that is read: some ten thousand games."""

READERS: dict[str, Callable[[bytes, str], Iterator[Scoresheet]]] = {"pgn": pgn.scoresheets, "sgf": sgf.scoresheets}

SYNTAX_OF = {game.record.suffix: game.record.syntax for game in GAMES.values() if game.record is not None}
"""By the suffix of a file, the syntax of what is in it."""


def suffix_in(path: PurePath) -> str:
    """The suffix of a file's name, in lower case and without the dot."""
    return path.suffix[1:].lower()


def suffix_of(game: Game) -> str | None:
    """The suffix of files with ``game``, None if no other program reads it."""
    return None if game.record is None else game.record.suffix


def written(game: RecordedGame, moves: Sequence[str] = ()) -> Iterator[str]:
    """The lines of a finished game that has a suffix, without line ends.

    In PGN and PDN also the variations in ``moves``, those of the game and others in brackets. Raises
    :class:`~noughts.protocol.gamefile.BadGame` for bad ones.
    """
    assert game.room.game.record is not None
    if game.room.game.record.syntax == "sgf":
        return sgf.written(game)
    return pgn.written(game, pgn.variations_of(game.room.game, moves)) if {"(", ")"} & set(moves) else pgn.written(game)


def scoresheets(file: BinaryIO, suffix: str) -> Iterator[Scoresheet]:
    """The games in a file with one of the suffixes. Raises :class:`~noughts.protocol.gamefile.BadGame`, OSError."""
    data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise BadGame(1, f"the file has more than {MAX_BYTES // 1024**2} MiB")
    return READERS[SYNTAX_OF[suffix]](data, suffix)


def games(file: BinaryIO, suffix: str) -> Iterator[RecordedGame]:
    """The games in a file of our own or with one of the suffixes.

    Raises :class:`~noughts.protocol.gamefile.BadGame`, OSError.
    """
    return map(play_through, scoresheets(file, suffix)) if suffix in SYNTAX_OF else from_file(file)
