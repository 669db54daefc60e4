"""A board as rows of styled text, for any game, by its layout alone. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import dataclass

from noughts.protocol.messages import SideName
from noughts_client.terminal.table import Table

Fragments = list[tuple[str, str]]

STYLES: dict[SideName, str] = {"first": "bold ansired", "second": "bold ansicyan"}
FAINT = "ansibrightblack"


@dataclass(frozen=True)
class Cell:
    """A cell: its text, how it is styled, and the marks at its sides."""

    text: str
    style: str
    mark: str


def board(table: Table) -> list[Fragments]:
    """The board, line by line.

    Moves with short names stand in their empty cells. Where all cells of a column bear one move, it heads the
    column; where a move's name is its column and its row, both are headed. The last move is shown as ``[x]``,
    a winning line as ``*x*``.
    """
    layout = table.game["layout"]
    last, line = _last_move(table), _winning_cells(table)
    in_columns = len(layout) > 1 and all(len(set(column)) == 1 for column in zip(*layout, strict=True))
    by_coordinates = len(layout) > 3
    names_inside = not in_columns and not by_coordinates
    rows = [
        [_cell(table, r, c, names_inside, "*" if (r, c) in line else "[" if (r, c) == last else " ") for c in columns]
        for r, columns in enumerate([range(len(row)) for row in layout])
    ]
    if names_inside:
        return _boxed(rows)
    heads = [name if in_columns else name.rstrip("0123456789") for name in layout[0]]
    labels = ["" if in_columns else row[0].removeprefix(heads[0]) for row in layout]
    return _headed(rows, heads, labels)


def _cell(table: Table, r: int, c: int, names_inside: bool, mark: str) -> Cell:
    symbol = table.state["rows"][r][c]
    for side, style in STYLES.items():
        if symbol == table.game["sides"][side]["symbol"]:
            return Cell(symbol, f"{style} reverse" if mark == "*" else style, mark)
    name = table.shown(table.game["layout"][r][c])
    return Cell(name if names_inside else symbol, FAINT, mark)


def _last_move(table: Table) -> tuple[int, int] | None:
    """The cell of the last move. Where several bear its name, the topmost taken one: pieces pile up."""
    moves = table.state["moves"]
    return _taken(table, moves[-1]) if moves else None


def _winning_cells(table: Table) -> set[tuple[int, int]]:
    outcome = table.state["outcome"]
    return {cell for move in outcome["cells"] if (cell := _taken(table, move))} if outcome else set()


def _taken(table: Table, move: str) -> tuple[int, int] | None:
    for r, row in enumerate(table.game["layout"]):
        for c, name in enumerate(row):
            if name == move and table.state["rows"][r][c] != ".":
                return (r, c)
    return None


def _boxed(rows: list[list[Cell]]) -> list[Fragments]:
    width = max(len(cell.text) for row in rows for cell in row)
    rule: Fragments = [(FAINT, "+".join(["-" * (width + 2)] * len(rows[0])))]
    lines: list[Fragments] = []
    for row in rows:
        drawn: Fragments = []
        for cell in row:
            drawn += [(FAINT, "|")] if drawn else []
            end = "]" if cell.mark == "[" else cell.mark
            drawn.append((cell.style, f"{cell.mark}{cell.text.center(width)}{end}"))
        lines += [rule, drawn] if lines else [drawn]
    return lines


def _headed(rows: list[list[Cell]], heads: list[str], labels: list[str]) -> list[Fragments]:
    margin = max(map(len, labels))
    head: Fragments = [(FAINT, " " * margin + "".join(f" {name}" for name in heads))]
    lines: list[Fragments] = [head]
    for row, label in zip(rows, labels, strict=True):
        drawn: Fragments = [(FAINT, label.rjust(margin))]
        before = " "
        for cell in row:
            gap = cell.mark if cell.mark != " " else "]" if before == "[" else before
            drawn += [("bold", gap), (cell.style, cell.text)]
            before = cell.mark
        drawn.append(("bold", "]" if before == "[" else before))
        lines.append(drawn)
    return lines
