"""A solution in words and as JSON. Pure; does no I/O."""

from __future__ import annotations

import textwrap
from typing import Any

from noughts.engine import MoveValue
from noughts.explain.board import board
from noughts.explain.drawing import plies, side_name
from noughts.explain.solve import Solution
from noughts.games import Outcome

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
        "moves": {
            name: {"value": move.value, "distance": move.distance, "line": list(move.line), "exact": move.exact}
            for name, move in analysis.moves.items()
        },
        "nodes": solution.nodes,
        "seconds": round(solution.seconds, 6),
    }


def in_words(solution: Solution, width: int) -> str:
    """The board, the moves, and what it took, in lines of ``width`` where that can be."""
    game, position, analysis = solution.game, solution.position, solution.analysis
    lines = [game.title, "", *(f"  {line}".rstrip() for line in board(game, position.rows)), ""]
    if position.outcome is not None:
        return "\n".join([*lines, _ended(solution, position.outcome)])
    assert position.to_move is not None
    lines += [f"{side_name(game, position.to_move)} to move, value {_value(analysis.value, analysis.exact)}", ""]
    lines += _table(solution, width)
    lines += ["", *_wrapped(f"Best: {', '.join(analysis.best)}", width)]
    if any(not move.exact for move in analysis.moves.values()):
        why = "The search was stopped" if solution.stopped else "The search ended"
        lines += _wrapped(f"{why} after {plies(analysis.depth)}: what is marked ~ is an estimate or a bound.", width)
    searched = [
        f"{METHODS[name]} {'was not let finish' if count is None else f'{count:,}'}"
        for name, count in solution.nodes.items()
    ]
    if not analysis.nodes:
        searched = ["none, the answer is in the table of openings"]
    return "\n".join([*lines, f"Nodes: {', '.join(searched)}", f"Time: {solution.seconds:.3g} s"])


def _table(solution: Solution, width: int) -> list[str]:
    """A line a move, in board order; long principal variations go on below their beginning."""
    analysis = solution.analysis
    rows = [["", "move", "value", "result", "plies"]]
    for name, move in analysis.moves.items():
        distance = "" if move.distance is None else str(move.distance)
        mark = "*" if name in analysis.best else ""
        rows.append([mark, name, _value(move.value, move.exact), _result(move), distance])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    aligned = [
        "  ".join(
            cell.rjust(space) if index in {2, 4} else cell.ljust(space)
            for index, (cell, space) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    lines = [f"{aligned[0]}  line"]
    for row, move in zip(aligned[1:], analysis.moves.values(), strict=True):
        beginning = f"{row}  "
        lines += textwrap.wrap(
            " ".join(move.line),
            max(width, len(beginning) + 20),
            initial_indent=beginning,
            subsequent_indent=" " * len(beginning),
        )
    return lines


def _value(value: int, exact: bool) -> str:
    return f"{value}" if exact else f"~{value}"


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
