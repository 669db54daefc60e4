"""Gomoku on 15x15: five or more in a row, or by other rules exactly five, or Renju. Pure; does no I/O.

The cells, and so the moves, are ``a1`` to ``o15``, a1 at the top left. With the opening swap2 see
:mod:`noughts.games.swap2`, and for the moves that Renju forbids :mod:`noughts.games.renju`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from noughts.games import swap2
from noughts.games.base import Board, Game, Option, RecordFormat, Style
from noughts.games.grid import coordinates
from noughts.games.mnk import LinePosition, Rule, mnk
from noughts.games.threats import REACH, UNIT, Threats, heuristic

SIZE, LENGTH = 15, 5


def variant(options: Mapping[str, Any]) -> Game:
    """Gomoku with another rule or opening."""
    game = GOMOKU if options["rule"] == "freestyle" else gomoku(options["rule"])
    if options["opening"] == "free":
        return game
    start = game.start
    assert isinstance(start, LinePosition)
    return replace(
        game,
        start=swap2.Swap2Position(start),
        parse=swap2.parser(start.on),
        rules=(*swap2.RULES, *game.rules[1:]),
        heuristic=swap2.heuristic(Threats(game.layout, LENGTH, REACH, start.on.rule), UNIT),
    )


def gomoku(rule: Rule) -> Game:
    """Gomoku by this rule."""
    return replace(
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
            example="h8 h9 i9 j10 j8 i8 h10 g11 g9 g10",
            heuristic=heuristic(coordinates(SIZE, SIZE), LENGTH, rule=rule),
            rule=rule,
        ),
        options=(
            Option("rule", "Rule", "freestyle", ("freestyle", "standard", "renju")),
            Option("opening", "Opening", "free", ("free", "swap2")),
        ),
        variant=variant,
    )


GOMOKU = gomoku("freestyle")
