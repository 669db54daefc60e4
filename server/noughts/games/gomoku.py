"""Gomoku, freestyle: five or more in a row on 15x15. Pure; does no I/O.

The cells, and so the moves, are ``a1`` to ``o15``, a1 at the top left. With the opening swap2 see
:mod:`noughts.games.swap2`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from noughts.games import swap2
from noughts.games.base import Board, Game, Option, RecordFormat, Style
from noughts.games.grid import coordinates
from noughts.games.mnk import LinePosition, mnk
from noughts.games.threats import REACH, UNIT, Threats, heuristic

SIZE, LENGTH = 15, 5


def variant(options: Mapping[str, Any]) -> Game:
    """Gomoku with another opening rule."""
    if options["opening"] == "free":
        return GOMOKU
    start = GOMOKU.start
    assert isinstance(start, LinePosition)
    return replace(
        GOMOKU,
        start=swap2.Swap2Position(start),
        parse=swap2.parser(start.on),
        rules=(*swap2.RULES, *GOMOKU.rules[1:]),
        heuristic=swap2.heuristic(Threats(GOMOKU.layout, LENGTH, REACH), UNIT),
    )


GOMOKU = replace(
    mnk(
        "gomoku",
        "Gomoku",
        SIZE,
        SIZE,
        LENGTH,
        first=Style("Black", "b"),
        second=Style("White", "w"),
        hint="Three in a row with both ends open, or four with one, must be answered at once.",
        ground=Board("points", "wood"),
        record=RecordFormat("sgf", "sgf", "4"),
        heuristic=heuristic(coordinates(SIZE, SIZE), LENGTH),
    ),
    options=(Option("opening", "Opening", "free", ("free", "swap2")),),
    variant=variant,
)
