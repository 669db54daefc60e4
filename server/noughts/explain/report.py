"""A solution in words and as JSON. Pure; does no I/O."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from noughts.engine import Analysis, Bound, MoveValue
from noughts.explain.drawing import plies, side_name
from noughts.explain.solve import Solution
from noughts.games import Outcome
from noughts.games.board import board

MOST_ROWS = 20
"""Moves that are told in words: with the board, about a screen."""

METHODS = {"minimax": "minimax", "alphabeta": "alpha-beta", "kernel": "compiled search"}


def as_object(solution: Solution) -> dict[str, Any]:
    """The solution as docs/solving.md describes it."""
    analysis = solution.analysis
    return {
        "game": solution.game.key,
        "position": solution.position.text,
        "to_move": solution.position.to_move,
        "value": analysis.value,
        "best": list(analysis.best),
        "moves": {name: _move(move) for name, move in analysis.moves.items()},
        "nodes": solution.nodes,
        "seconds": round(solution.seconds, 6),
    }


def _move(move: MoveValue) -> dict[str, Any]:
    shown = {"value": move.value, "distance": move.distance, "line": list(move.line), "exact": move.exact}
    return shown if move.bound is None else {**shown, "bound": move.bound}


def in_words(solution: Solution, width: int, *, every_move: bool = False) -> str:
    """The board, the moves, and what it took, in lines of ``width`` where that can be.

    Where there are more than :data:`MOST_ROWS` moves, only the best of them are told, unless ``every_move``.
    """
    game, position, analysis = solution.game, solution.position, solution.analysis
    lines = [game.title, "", *(f"  {line}".rstrip() for line in board(game, position.rows)), ""]
    if position.outcome is not None:
        return "\n".join([*lines, _ended(solution, position.outcome)])
    assert position.to_move is not None
    lines += [f"{side_name(game, position.to_move)} to move, value {_root_value(analysis)}", ""]
    shown = list(analysis.moves)
    left_out: list[str] = []
    if len(shown) > MOST_ROWS and not every_move:
        shown.sort(key=lambda name: _rank(analysis, name), reverse=True)
        shown, left_out = shown[:MOST_ROWS], shown[MOST_ROWS:]
    lines += _table(analysis, shown, width)
    if left_out:
        most, least = (_value(analysis.moves[name]) for name in (left_out[0], left_out[-1]))
        between = f"of {most}" if most == least else f"from {most} to {least}"
        lines += _wrapped(f"and {len(left_out)} more, {between} (--all shows them)", width)
    lines += ["", *_wrapped(f"Best: {', '.join(analysis.best)}", width)]
    lines += _wrapped(" ".join(_what_is_inexact(solution)), width)
    searched = [
        f"{METHODS[name]} {'was not let finish' if count is None else f'{count:,}'}"
        for name, count in solution.nodes.items()
    ]
    if not analysis.nodes:
        searched = ["none, the answer is in the table of openings"]
    return "\n".join([*lines, f"Nodes: {', '.join(searched)}", f"Time: {solution.seconds:.3g} s"])


def _what_is_inexact(solution: Solution) -> list[str]:
    """The sentences that explain the signs before values that are not exact; none if all are exact."""
    game, analysis = solution.game, solution.analysis
    inexact = [move for move in analysis.moves.values() if not move.exact]
    if not inexact:
        return []
    why = "The search was stopped" if solution.stopped else "The search ended"
    estimated = any(move.bound is None for move in inexact)
    said = [f"{why} after {plies(analysis.depth)}." if estimated else f"{why} before every value was known."]
    if any(move.bound is not None for move in inexact):
        said.append("<= and >= mark bounds.")
    if estimated:
        said.append("~ marks an estimate.")
        if game.heuristic is not None:
            said.append(f"With an estimate of {game.heuristic.unit}, expect to win ten games out of eleven.")
    return said


def _rank(analysis: Analysis, name: str) -> tuple[bool, int, int]:
    """Greater for better moves. What is sure comes before and after any estimate, as it may be told in other units."""
    move = analysis.moves[name]
    sure = (move.value > 0) - (move.value < 0) if move.exact else 0
    return name in analysis.best, sure, move.value


def _table(analysis: Analysis, shown: Sequence[str], width: int) -> list[str]:
    """A line a move; long principal variations go on below their beginning."""
    moves = [(name, analysis.moves[name]) for name in shown]
    rows = [["", "move", "value", "result", "plies"]]
    for name, move in moves:
        distance = "" if move.distance is None else str(move.distance)
        mark = "*" if name in analysis.best else ""
        rows.append([mark, name, _value(move), _result(move), distance])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    aligned = [
        "  ".join(
            cell.rjust(space) if index in {2, 4} else cell.ljust(space)
            for index, (cell, space) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    lines = [f"{aligned[0]}  line"]
    for row, (_, move) in zip(aligned[1:], moves, strict=True):
        first, *rest = _evenly(" ".join(move.line), max(width - len(row) - 2, 20))
        lines += [f"{row}  {first}", *(" " * (len(row) + 2) + part for part in rest)]
    return lines


def _evenly(words: str, width: int) -> list[str]:
    """In as few lines as can be, of about one length, so that no single move stands in the last."""
    lines = textwrap.wrap(words, width) or [""]
    while len(lines) > 1 and len(narrower := textwrap.wrap(words, width - 1)) == len(lines):
        lines, width = narrower, width - 1
    return lines


def _root_value(analysis: Analysis) -> str:
    return str(analysis.value) if analysis.exact else _value(analysis.moves[analysis.best[0]])


SIGNS = {Bound.UPPER: "<=", Bound.LOWER: ">=", None: "~"}


def _value(move: MoveValue) -> str:
    return str(move.value) if move.exact else f"{SIGNS[move.bound]}{move.value}"


def _result(move: MoveValue) -> str:
    if not move.exact:
        return ""
    return "win" if move.value > 0 else "loss" if move.value < 0 else "draw"


def _ended(solution: Solution, outcome: Outcome) -> str:
    if outcome.winner is None:
        return "The game is over: a draw."
    won = f"The game is over: {side_name(solution.game, outcome.winner)} has won"
    return f"{won} with {', '.join(outcome.cells)}." if outcome.cells else f"{won}."


def _wrapped(words: str, width: int) -> list[str]:
    return textwrap.wrap(words, width, subsequent_indent="  ")
