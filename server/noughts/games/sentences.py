"""Sentences about games that all commands say in the same words. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TypeVar

from noughts.games.base import IllegalMove, MalformedMove, Position

Refusal = TypeVar("Refusal", MalformedMove, IllegalMove)

SHOWN = 20
"""The number of moves a sentence lists."""


POSITION_HAS = (
    "A position has legal_moves, play(move), to_move, outcome, rows, ply and text; only play is a function. "
    "A position never changes: play(move) returns the next one. outcome is None, or has the winner."
)
"""A hint for people who look for something else in a position."""


def sentence(text: str) -> str:
    """``text`` with a capital letter and a full stop: what a game says of a move or a position has neither."""
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."


def listed(moves: Sequence[str]) -> str:
    """Such as ``a1, a2, a3 and 12 more``; ``none`` without any."""
    more = len(moves) - SHOWN
    return (", ".join(moves[:SHOWN]) or "none") + (f" and {more} more" if more > 0 else "")


def refused(error: Refusal, move: object, position: Position) -> Refusal:
    """``error``, with a note on ``move`` for a traceback: what it was, and which moves are legal in ``position``."""
    legal = position.legal_moves
    form = f", not a string: write {str(move)!r}" if str(move) in legal else ""
    error.add_note(f"The move was {move!r:.80}{form}. Legal moves: {listed(legal)}.")
    return error


def no_such_game(key: str, games: Iterable[str]) -> str:
    """That none of ``games`` has that key, and which was perhaps meant."""
    return f"There is no game {key!r}.{meant(key, games)} The games are {_all(games)}."


STRONGEST = "best"
"""The name of the strongest level of every game. Where a game is solved, the protocol calls it ``perfect``."""


def level_name(level: str) -> str:
    """The name that people use for a level of the protocol."""
    return STRONGEST if level == "perfect" else level


def level_of(name: str, levels: Sequence[str]) -> str | None:
    """The one of a game's ``levels``, the strongest first, that ``name`` means; None if there is none."""
    return levels[0] if name == STRONGEST and levels else name if name in levels else None


def no_such_level(title: str, level: str, levels: Sequence[str]) -> str:
    """That the computer does not play the game ``title`` at that level. Its ``levels`` begin with the strongest."""
    names = _all([f"{level_name(levels[0])} (the strongest)", *levels[1:]])
    return f"{title} has no level {level!r}.{meant(level, levels)} Its levels are {names}."


def meant(name: str, names: Iterable[str]) -> str:
    """The question whether the most similar of ``names`` was meant, after a blank; empty if none is similar."""
    close = get_close_matches(name.casefold(), names, n=1)
    return f" Did you mean {close[0]}?" if close else ""


def _all(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
