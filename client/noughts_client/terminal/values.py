"""What each move is worth, as it is shown to whoever has asked for it. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import replace

from prompt_toolkit.utils import get_cwidth

from noughts.protocol.messages import Analysed, MoveWorth
from noughts_client.terminal.board import Inscription, bears_names
from noughts_client.terminal.table import Table

WIDEST = 5
"""How many columns there are for a value."""

IN_A_BOX = 3
"""How many there are for it in a box at least, which grows with what is in it."""

RANKS = "123456789"
"""What stands for a move's value in a cell that is too narrow for it."""

NAMED = 6
"""So many best moves at most are called by their names."""

FORESEEN = 12
"""So many moves of a principal variation are shown."""


def wide(table: Table) -> Inscription:
    """Every move's value in its cell; the cells are wide enough for most even before the values are known."""
    return _values(table, IN_A_BOX if bears_names(table) else WIDEST)


def narrow(table: Table) -> Inscription:
    """What has place where that has not: the values in place of the moves' names, or of the best few moves, by
    :data:`RANKS`, which one is best, second, and so on."""
    if bears_names(table):
        return replace(_values(table, IN_A_BOX), alone=True)
    if table.analysis is None:
        return Inscription()
    texts = dict(zip(ranked(table.analysis), RANKS, strict=False))
    return Inscription(1, texts, frozenset(table.analysis["best"]))


def _values(table: Table, width: int) -> Inscription:
    if table.analysis is None:
        return Inscription(width)
    texts = {move: shown_value(worth) for move, worth in table.analysis["moves"].items()}
    return Inscription(width, texts, frozenset(table.analysis["best"]))


SIGNS = {"upper": "<=", "lower": ">=", None: "~"}


def shown_value(worth: MoveWorth) -> str:
    """A value; with ``~`` an estimate, with ``<=`` or ``>=`` a bound. Below 100,000 it is no wider than ``WIDEST``."""
    sign = "" if worth["exact"] else SIGNS[worth.get("bound")]
    number = str(worth["value"])
    if len(sign + number) > WIDEST:
        number = f"{round(worth['value'] / 1000)}k"
    return sign + number


def ranked(analysis: Analysed) -> list[str]:
    """The moves, the best first."""
    moves = analysis["moves"]
    return sorted(moves, key=lambda move: (move not in analysis["best"], -moves[move]["value"]))


def listed(table: Table) -> list[str]:
    """The best few moves with their values, by the ranks that stand in the cells; then what the others are worth.

    Only moves that lie nowhere on the board are told where the values stand in the cells.
    """
    if table.analysis is None or bears_names(table):
        return off_board(table)
    moves, best = table.analysis["moves"], table.analysis["best"]
    order = ranked(table.analysis)
    entries = []
    for rank, move in zip(RANKS, order, strict=False):
        marked = f"({rank})" if move in best else f" {rank} "
        entries.append(f"{marked} {table.shown(move)}: {shown_value(moves[move])}")
    if others := order[len(RANKS) :]:
        least, most = (shown_value(moves[move]) for move in (others[-1], others[0]))
        entries.append(f"{len(others)} more: {most}" + (f" to {least}" if least != most else ""))
    return entries


def in_columns(entries: list[str], width: int) -> list[str]:
    """``entries`` side by side, as many as fit into ``width`` columns."""
    if not entries:
        return []
    each = max(map(get_cwidth, entries)) + 2
    abreast = max(1, (width + 2) // each)
    rows = [entries[begin : begin + abreast] for begin in range(0, len(entries), abreast)]
    return ["".join(entry.ljust(each) for entry in row).rstrip() for row in rows]


def summary(table: Table) -> list[str]:
    """The best moves, the principal variation of the first of them, and how far was searched; each one line or more.

    Nothing where nobody is to move.
    """
    to_move = table.state["to_move"]
    if to_move is None:
        return []
    who = table.game["sides"][to_move]["name"]
    analysis = table.analysis
    if analysis is None:
        return [f"Best for {who}: searching ...", "", ""]
    first = analysis["moves"][analysis["best"][0]]
    line = [table.shown(move) for move in first["line"][:FORESEEN]]
    more = ["..."] if len(first["line"]) > FORESEEN else []
    return [
        f"Best for {who}: {_named(table, analysis)} ({shown_value(first)}), {verdict(first)}.",
        f"Principal variation: {' '.join(line + more)}",
        _searched(analysis),
    ]


def _named(table: Table, analysis: Analysed) -> str:
    """The best moves, as far as there is place for their names."""
    best = [table.shown(move) for move in analysis["best"]]
    if 1 < len(analysis["moves"]) == len(best):
        return "any move"
    if len(best) > NAMED:
        best = [*best[: NAMED - 1], f"and {len(best) - NAMED + 1} more"]
    return " ".join(best)


def off_board(table: Table) -> list[str]:
    """The values of moves that lie nowhere on the board, such as a pass that is a choice."""
    if table.analysis is None or len(table.analysis["moves"]) == 1:
        return []
    on_board = {name for row in table.game["layout"] for name in row}
    moves = table.analysis["moves"]
    return [f"{table.shown(move)}: {shown_value(worth)}" for move, worth in moves.items() if move not in on_board]


def verdict(worth: MoveWorth) -> str:
    """What a value means."""
    if not worth["exact"]:
        return {"upper": "an upper bound", "lower": "a lower bound", None: "an estimate"}[worth.get("bound")]
    value, distance = worth["value"], worth["distance"]
    kind = "a win" if value > 0 else "a loss" if value < 0 else "a draw"
    if distance is None:
        return kind
    return f"{kind} in {distance} {'ply' if distance == 1 else 'plies'}"


def _searched(analysis: Analysed) -> str:
    nodes, seconds = analysis["nodes"], analysis["seconds"]
    if nodes == 0 and analysis["exact"]:
        return "Known from the opening table."
    took = f"{seconds:.2f} s" if seconds >= 0.01 else "less than 0.01 s"
    return f"{nodes:,} {'node' if nodes == 1 else 'nodes'}, depth {analysis['depth']}, {took}."
