"""The readings of what a search returned: as a value, a move, or a pair of them. Pure; does no I/O."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any, Literal, get_args

Reading = Literal["(value, move)", "(move, value)", "move", "value"]
"""The ways to read what a search returned, those first that are preferred when several fit everywhere."""

READINGS: tuple[Reading, ...] = get_args(Reading)

Moves = list[str] | str | None
"""Several best moves, a single one, or none named."""

VALUES = ("score", "value", "eval", "evaluation", "utility", "best_score", "bestscore")
MOVES = ("move", "index", "position", "action", "best_move", "bestmove", "moves", "cell")


class NoReading(Exception):
    """The function returned no answer. The text says why to the student."""


def readings(
    said: Any, move: Callable[[Any], str | None], example: object = "5"
) -> dict[Reading, tuple[float | None, Moves]]:
    """All ways to read what a search returned. ``move`` names the move that something means, None if it means none.

    ``example`` is a move for the error. Raises :class:`NoReading` if there is none.
    """
    found: dict[Reading, tuple[float | None, Moves]] = {}
    if isinstance(said, dict):
        folded = {str(key).casefold(): each for key, each in said.items()}
        value, moves = (next((folded[key] for key in keys if key in folded), None) for keys in (VALUES, MOVES))
        said = (value, moves) if value is not None else said
    if (name := move(said)) is not None:
        found["move"] = None, name
    elif isinstance(said, list | set | frozenset) and said and (names := _moves(said, move)) is not _NO_MOVES:
        found["move"] = None, names
    if is_value(said):
        found["value"] = float(said), None
    pairs: list[Any] = []
    if isinstance(said, tuple | list) and len(said) == 3:  # a value, and the row and column of a move
        pairs = [
            pair
            for pair, at in (((said[0], tuple(said[1:])), said[1:]), ((tuple(said[:2]), said[2]), said[:2]))
            if move(tuple(at)) is not None
        ]
    elif isinstance(said, tuple | list) and len(said) == 2:
        pairs = [said]
    for first, second in pairs:
        if is_value(first) and (moves := _moves(second, move)) is not _NO_MOVES:
            found["(value, move)"] = float(first), moves
        if is_value(second) and (moves := _moves(first, move)) is not _NO_MOVES:
            found["(move, value)"] = float(second), moves
    if not found:
        shown = f"{said!r:.200}"
        if len(pairs) == 1 and any(map(is_value, said)):
            raise NoReading(f"It returned {shown}, but no part of it is a move, such as {example!r}.")
        raise NoReading(f"It returned {shown}, but must return a number, a move, or both, such as {example!r}.")
    return found


_NO_MOVES = "no moves"


def _moves(said: Any, move: Callable[[Any], str | None]) -> Moves:
    if said is None:
        return None
    if isinstance(said, str) or move(said) is not None:
        return move(said) or _NO_MOVES
    if not isinstance(said, Iterable):
        return _NO_MOVES
    names = [move(each) for each in said]
    return [each for each in names if each is not None] if None not in names else _NO_MOVES


def is_value(said: Any) -> bool:
    """True if it is a number that can be a value."""
    return isinstance(said, Real) and not isinstance(said, bool) and math.isfinite(said)
