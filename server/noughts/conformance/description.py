"""The description that a game gives of itself, and what is wrong with it whatever is played. Pure; does no I/O."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import get_args

from noughts.games import SEAM, Game, Reason, Side
from noughts.games.base import Shape


def wrong_in_description(game: Game) -> Iterator[str]:
    """The faults, for clients, of the layout, board, pieces, options and endings, a sentence each."""
    yield from _of_layout(game)
    yield from _of_words(game)
    yield from _of_options(game)


def _of_layout(game: Game) -> Iterator[str]:
    grid, board = game.cells or game.layout, game.board
    if not game.layout or not all(game.layout) or len({len(row) for row in game.layout}) != 1:
        yield "the rows of the layout must have the same length, 1 or more"
    if game.cells is not None and [len(row) for row in game.cells] != [len(row) for row in game.layout]:
        yield "cells must have as many rows and columns as the layout"
    counts = Counter(name for row in grid for name in row if name)
    if twice := [name for name, count in counts.items() if count > 1]:
        yield f"two cells have the name {twice[0]!r}; where a move is a column, name the cells in `cells`"
    if board.shape not in get_args(Shape):
        yield f"board.shape is {board.shape!r}; it must be one of {', '.join(get_args(Shape))}"
    if unknown := [name for line in board.lines for name in line if name not in counts]:
        yield f"board.lines has {unknown[0]!r}, which is not a cell"
    if board.shape == "pits" and game.counts is None:
        yield "a board of pits needs counts, which say what is in each pit"
    if board.shape == "edges":
        for r, row in enumerate(game.layout):
            for c, name in enumerate(row):
                if bool(name) is (r % 2 == c % 2 == 0):
                    dot = "is a dot and must have no name" if name else "is an edge or a box and needs a name"
                    yield f"on a board of edges the place in row {r}, column {c}, counted from 0, {dot}"
                    return


def _of_words(game: Game) -> Iterator[str]:
    if not 1 <= game.seam <= SEAM:
        yield f"seam is {game.seam}; this Noughts knows 1 to {SEAM}"
    if not game.title or not game.first.name or not game.second.name:
        yield "the game and both sides need a name"
    if game.first.name == game.second.name or game.first.symbol == game.second.symbol:
        yield "the two sides must have different names and symbols"
    symbols = [game.first.symbol, game.second.symbol, *(piece.symbol for piece in game.pieces)]
    if bad := [symbol for symbol in symbols if len(symbol) != 1 or symbol in ". "]:
        yield f"the symbol {bad[0]!r} must be one character, and neither a dot nor a blank"
    if len({piece.symbol for piece in game.pieces}) < len(game.pieces):
        yield "two pieces have the same symbol"
    for piece in game.pieces:
        if not piece.name or len(piece.glyph) != 1:
            yield f"the piece {piece.symbol!r} needs a name, and a glyph of one character"
    if bad := [text for text in game.rules if not isinstance(text, str) or not text.strip()]:
        yield f"rules must be paragraphs of text, not {bad[0]!r}"
    for key, how in game.endings:
        if key in set(Reason) or not re.fullmatch("[a-z][a-z0-9_]*", key):
            yield f"the ending {key!r} must be in small letters, and not be a Reason"
        if not how.strip() or how.endswith("."):
            yield f"the words of the ending {key!r} must go on after 'won', as in 'by checkmate', without a full stop"
    if not game.options and game.start.to_move is Side.SECOND:
        yield "the side that begins must be `first`"


def _of_options(game: Game) -> Iterator[str]:
    if game.options and game.variant is None:
        yield "it has options, and no variant that sets them up"
    if len({option.key for option in game.options}) < len(game.options):
        yield "two options have the same key"
    for option in game.options:
        if option.choices and option.default not in option.choices:
            yield f"the default of the option {option.key!r}, {option.default!r}, is not one of its choices"
        if len({str(choice) for choice in option.choices}) < len(option.choices):
            yield f"two choices of the option {option.key!r} are written alike"
