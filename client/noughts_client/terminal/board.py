"""A board as rows of styled text, for any game, by its layout alone. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import dataclass

from noughts.protocol.messages import SideName
from noughts_client.terminal.table import Table

Fragments = list[tuple[str, str]]

STYLES: dict[SideName, str] = {"first": "bold ansired", "second": "bold ansicyan"}
COLOURS = {"red": "bold ansired", "yellow": "bold ansiyellow"}
"""Sides that are called by a colour; black and white are not to be seen on every terminal."""

PLAYABLE = "+"
"""Stands in an empty cell that can be played where not all of them can."""

TALL = 10
"""A board of more rows is headed below too: it may be higher than the window, and is then moved."""

FAINT = "ansibrightblack"


@dataclass(frozen=True)
class Cell:
    """A cell: its text, how it is styled, and the marks at its sides."""

    text: str
    style: str
    mark: str


def style_of(table: Table, side: SideName) -> str:
    """How what belongs to ``side`` is styled."""
    return COLOURS.get(table.game["sides"][side]["name"].casefold(), STYLES[side])


def board(table: Table) -> list[Fragments]:
    """The board, line by line.

    Moves with short names stand in their empty cells. Where all cells of a column bear one move, it heads the
    column; where a move's name is its column and its row, both are headed, and where only some of the empty cells can
    be played, these are shown as ``+``. The last move is shown as ``[x]``, a winning line as ``*x*``.
    """
    layout = table.game["layout"]
    last, line = _last_move(table), _winning_cells(table)
    in_columns = len(layout) > 1 and all(len(set(column)) == 1 for column in zip(*layout, strict=True))
    by_coordinates = len(layout) > 3
    names_inside = not in_columns and not by_coordinates
    playable = _playable(table) if by_coordinates and not in_columns else frozenset()
    rows = [
        [
            _cell(table, (r, c), names_inside, playable, "*" if (r, c) in line else "[" if (r, c) == last else " ")
            for c in range(len(row))
        ]
        for r, row in enumerate(layout)
    ]
    if names_inside:
        return _boxed(rows)
    heads = [name if in_columns else name.rstrip("0123456789") for name in layout[0]]
    labels = ["" if in_columns else row[0].removeprefix(heads[0]) for row in layout]
    return _headed(rows, heads, labels, table.game.get("block", 0))


def _playable(table: Table) -> frozenset[str]:
    """The moves that lead to an empty cell, unless every empty cell can be played."""
    empty = {
        name
        for names, row in zip(table.game["layout"], table.state["rows"], strict=True)
        for name, symbol in zip(names, row, strict=True)
        if symbol == "."
    }
    legal = empty & set(table.state["legal_moves"])
    return frozenset(legal if legal != empty else ())


def _cell(table: Table, place: tuple[int, int], names_inside: bool, playable: frozenset[str], mark: str) -> Cell:
    r, c = place
    symbol = table.state["rows"][r][c]
    for side in STYLES:
        if symbol == table.game["sides"][side]["symbol"]:
            style = style_of(table, side)
            return Cell(symbol, f"{style} reverse" if mark == "*" else style, mark)
    name = table.game["layout"][r][c]
    if name in playable:
        return Cell(PLAYABLE, "", mark)
    return Cell(table.shown(name) if names_inside else symbol, FAINT, mark)


def _last_move(table: Table) -> tuple[int, int] | None:
    """The cell of the last move. Where several bear its name, the topmost taken one: pieces pile up."""
    moves = table.state["moves"]
    for r, c in _named(table.game["layout"], moves[-1]) if moves else []:
        if table.state["rows"][r][c] != ".":
            return (r, c)
    return None


def _winning_cells(table: Table) -> set[tuple[int, int]]:
    outcome = table.state["outcome"]
    names = table.game.get("cells", table.game["layout"])
    return {place for cell in outcome["cells"] for place in _named(names, cell)} if outcome else set()


def _named(names: list[list[str]], wanted: str) -> list[tuple[int, int]]:
    """The places of a name, from the top."""
    return [(r, c) for r, row in enumerate(names) for c, name in enumerate(row) if name == wanted]


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


def _headed(rows: list[list[Cell]], heads: list[str], labels: list[str], block: int) -> list[Fragments]:
    margin = max(map(len, labels))
    between = [" |" if block and c and c % block == 0 else "" for c in range(len(heads))]
    head: Fragments = [
        (FAINT, " " * margin + "".join(f"{' ' * len(b)} {name}" for b, name in zip(between, heads, strict=True)))
    ]
    rule: Fragments = [(FAINT, " " * margin + "".join(f"{'-+' if b else ''}--" for b in between) + "-")]
    lines: list[Fragments] = [head]
    for r, (row, label) in enumerate(zip(rows, labels, strict=True)):
        if block and r and r % block == 0:
            lines.append(rule)
        drawn: Fragments = [(FAINT, label.rjust(margin))]
        before = " "
        for cell, line in zip(row, between, strict=True):
            if line:
                drawn += [("bold", _closing(before)), (FAINT, line[1:])]
                before = " "
            gap = cell.mark if cell.mark != " " else _closing(before)
            drawn += [("bold", gap), (cell.style, cell.text)]
            before = cell.mark
        drawn.append(("bold", _closing(before)))
        lines.append(drawn)
    return [*lines, head] if len(rows) > TALL else lines


def _closing(mark: str) -> str:
    return "]" if mark == "[" else mark
