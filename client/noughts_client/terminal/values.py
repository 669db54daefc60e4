"""The values of the moves: in the cells of the board, in a list, and in sentences. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import replace

from wcwidth import ljust
from wcwidth import width as columns_of

from noughts.columns import printable
from noughts.games.notation import numbered
from noughts.protocol.study_messages import Analysed, MoveWorth
from noughts_client.terminal.board import CellTexts, has_column_moves, shows_names
from noughts_client.terminal.table import Table

WIDEST = 5
"""The width of a value in columns."""

IN_A_BOX = 3
"""The least width in a box, which grows with its content."""

RANKS = "123456789"
"""Replace the values in cells that are too narrow for them."""

NAMED = 6
"""The number of best moves that the summary names."""

FORESEEN = 12
"""The number of moves of the principal variation the summary shows."""


def wide(table: Table) -> CellTexts:
    """Every move's value in its cell. The cells are wide enough for most values even before these are known."""
    return _values(table, IN_A_BOX if shows_names(table) else WIDEST)


def narrow(table: Table) -> CellTexts:
    """The values where :func:`wide` does not fit: them instead of the moves' names, or in cells as narrow as they
    allow, or the :data:`RANKS` of the best moves."""
    if shows_names(table):
        return replace(_values(table, IN_A_BOX), alone=True)
    if has_column_moves(table):
        values = _values(table, IN_A_BOX)
        return replace(values, width=max(IN_A_BOX, *map(len, values.texts.values())) if values.texts else IN_A_BOX)
    if table.analysis is None:
        return CellTexts()
    texts = dict(zip(ranked(table.analysis), RANKS, strict=False))
    return CellTexts(1, texts, _proved(table.analysis))


def _values(table: Table, width: int) -> CellTexts:
    if table.analysis is None:
        return CellTexts(width)
    texts = {move: shown_value(worth) for move, worth in table.analysis["moves"].items()}
    if has_column_moves(table):  # they stand above the numbers of the columns, and must not look like these
        texts = {move: f"+{text}" if text[0].isdecimal() and text != "0" else text for move, text in texts.items()}
    return CellTexts(width, texts, _proved(table.analysis))


SIGNS = {"upper": "<=", "lower": ">=", None: "~"}


def shown_value(worth: MoveWorth) -> str:
    """A value; with ``~`` an estimate, with ``<=`` or ``>=`` a bound. Below 100,000 it is no wider than ``WIDEST``."""
    sign = "" if worth["exact"] else SIGNS[worth.get("bound")]
    number = str(worth["value"])
    if len(sign + number) > WIDEST:
        number = f"{round(worth['value'] / 1000)}k"
    return sign + number


def known_of(analysis: Analysed) -> str:
    """The knowledge of the ``best`` moves: ``proved``, ``preferred`` or ``unknown``, as in :class:`Analysed`.

    An older server does not say. Then they are proved if all values show it.
    """
    moves, best = analysis["moves"], analysis["best"]
    proved = analysis["exact"] and all(moves[move]["exact"] for move in best)
    return analysis.get("verdict") or ("proved" if proved else "preferred")


def _proved(analysis: Analysed) -> frozenset[str]:
    """The moves that are proved to be best."""
    return frozenset(analysis["best"]) if known_of(analysis) == "proved" else frozenset()


def ranked(analysis: Analysed) -> list[str]:
    """The moves, best first."""
    moves = analysis["moves"]
    return sorted(moves, key=lambda move: (move not in analysis["best"], -moves[move]["value"]))


def listed(table: Table) -> list[str]:
    """The best moves with their ranks and values, and then the range of the other values.

    If the cells show the values, only the moves that are not on the board.
    """
    if table.analysis is None or shows_names(table):
        return off_board(table)
    moves, best = table.analysis["moves"], _proved(table.analysis)
    order = ranked(table.analysis)
    entries = []
    for rank, move in zip(RANKS, order, strict=False):
        marked = f"({rank})" if move in best else f" {rank} "
        entries.append(f"{marked} {name_of(table, table.analysis, move)}: {shown_value(moves[move])}")
    if others := order[len(RANKS) :]:
        least, most = (shown_value(moves[move]) for move in (others[-1], others[0]))
        entries.append(f"{len(others)} more: {most}" + (f" to {least}" if least != most else ""))
    return entries


def name_of(table: Table, analysis: Analysed, move: str) -> str:
    """``move`` as people write it."""
    return analysis["moves"][move].get("names", [table.shown(move)])[0]


def in_columns(entries: list[str], width: int) -> list[str]:
    """Lines of ``entries``, as many side by side as fit into ``width`` columns."""
    if not entries:
        return []
    each = max(map(columns_of, entries)) + 2
    abreast = max(1, (width + 2) // each)
    rows = [entries[begin : begin + abreast] for begin in range(0, len(entries), abreast)]
    return ["".join(ljust(entry, each) for entry in row).rstrip() for row in rows]


def summary(table: Table) -> list[str]:
    """Three paragraphs: the best moves or the one that the search prefers, its principal variation, and the extent of
    the search.

    Empty if nobody is to move.
    """
    to_move = table.state["to_move"]
    if to_move is None:
        return []
    who = table.game["sides"][to_move]["name"]
    analysis = table.analysis
    if analysis is None:
        return [f"Best for {who}: searching ...", "", ""]
    first = analysis["moves"][analysis["best"][0]]
    names = first.get("names") or [table.shown(move) for move in first["line"]]
    line = [*numbered(names[:FORESEEN], analysis.get("number"), second=to_move == "second")]
    more = ["..."] if len(first["line"]) > FORESEEN else []
    known, worth = known_of(analysis), f"({shown_value(first)}), {verdict(first)}"
    if known == "proved":
        found = f"Best for {who}: {_named(table, analysis)} {worth}."
    elif known == "unknown":
        found = f"For {who} the search found no difference between {_undecided(analysis)} {worth}."
    else:
        found = f"For {who} the search prefers {name_of(table, analysis, analysis['best'][0])} {worth}."
    return [
        found,
        f"Principal variation: {printable(' '.join(line + more))}",
        _searched(analysis),
    ]


def _undecided(analysis: Analysed) -> str:
    moves = analysis["moves"].values()
    left = sum(not worth["exact"] for worth in moves)
    return "the moves" if left == len(moves) else f"the {left} moves that are not decided"


def _named(table: Table, analysis: Analysed) -> str:
    """The names of the best moves, or how many more there are."""
    best = [name_of(table, analysis, move) for move in analysis["best"]]
    if 1 < len(analysis["moves"]) == len(best):
        return "any move"
    if len(best) > NAMED:
        best = [*best[: NAMED - 1], f"and {len(best) - NAMED + 1} more"]
    return " ".join(best)


def off_board(table: Table) -> list[str]:
    """The values of moves that are not on the board, such as a voluntary pass."""
    if table.analysis is None or len(table.analysis["moves"]) == 1:
        return []
    on_board = {name for row in table.game["layout"] for name in row}
    moves = table.analysis["moves"]
    return [f"{table.shown(move)}: {shown_value(worth)}" for move, worth in moves.items() if move not in on_board]


def verdict(worth: MoveWorth) -> str:
    """A value in words."""
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
