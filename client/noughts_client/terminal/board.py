"""A board as rows of styled text, for any game, by its layout alone. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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

LOW = 3
"""A board of no more rows has place for the names of its moves."""

FAINT = "ansibrightblack"

BEST = "bold ansigreen"

MARKS = {"[": "]", "(": ")"}
"""What closes a mark; others look the same from both sides."""


@dataclass(frozen=True)
class Inscription:
    """What is written into the cells of moves, in place of what would stand there.

    ``texts`` are by move, and at most ``width`` columns wide; ``best`` are the moves that are marked.
    Where there are names in the cells, it stands behind these, or ``alone``.
    """

    width: int = 1
    texts: Mapping[str, str] = field(default_factory=dict)
    best: frozenset[str] = frozenset()
    alone: bool = False


@dataclass(frozen=True)
class Cell:
    """A cell: its text, how it is styled, and the marks at its sides. ``name`` stands before the text."""

    text: str
    style: str
    mark: str
    name: str = ""


def style_of(table: Table, side: SideName) -> str:
    """How what belongs to ``side`` is styled."""
    return COLOURS.get(table.game["sides"][side]["name"].casefold(), STYLES[side])


def bears_names(table: Table) -> bool:
    """Whether the moves' names stand in the cells: they do on a low board whose columns are no moves."""
    return len(table.game["layout"]) <= LOW and not has_columns(table)


def has_columns(table: Table) -> bool:
    """Whether a move is a column."""
    layout = table.game["layout"]
    return len(layout) > 1 and all(len(set(column)) == 1 for column in zip(*layout, strict=True))


def board(table: Table, inscribed: Inscription | None = None) -> list[Fragments]:
    """The board, line by line.

    Moves with short names stand in their empty cells. Where all cells of a column bear one move, it heads the
    column; where a move's name is its column and its row, both are headed, and where only some of the empty cells can
    be played, these are shown as ``+``. The last move is shown as ``[x]``, a winning line as ``*x*``.

    What is ``inscribed`` stands in the empty cells, behind the names that are there, or above the columns; of the
    best moves as ``(9)``. The board is then as wide as that may become.
    """
    layout = table.game["layout"]
    last, line = _last_move(table), _winning_cells(table)
    in_columns, names_inside = has_columns(table), bears_names(table)
    playable = _playable(table) if not names_inside and not in_columns else frozenset()
    texts = inscribed if inscribed and not in_columns else Inscription()
    rows = [
        [
            _cell(table, (r, c), names_inside, playable, "*" if (r, c) in line else "[" if (r, c) == last else " ")
            for c in range(len(row))
        ]
        for r, row in enumerate(layout)
    ]
    empty = {(r, c) for r, row in enumerate(table.state["rows"]) for c, symbol in enumerate(row) if symbol == "."}
    for r, c in empty:
        rows[r][c] = _inscribed(rows[r][c], layout[r][c], texts, names_inside)
    if names_inside:
        return _boxed(rows, _place_for(inscribed, layout) if inscribed else 0)
    heads = [name if in_columns else name.rstrip("0123456789") for name in layout[0]]
    labels = ["" if in_columns else row[0].removeprefix(heads[0]) for row in layout]
    width = inscribed.width if inscribed else 1
    lines = _headed(rows, heads, labels, table.game.get("block", 0), width)
    if inscribed and in_columns:
        above = [_inscribed(Cell("", "", " "), name, inscribed, False) for name in heads]
        lines.insert(0, _row(above, [""] * len(above), width))
    return lines


def _inscribed(cell: Cell, move: str, texts: Inscription, names_inside: bool) -> Cell:
    """``cell`` with what is inscribed in it, if anything is."""
    if move not in texts.texts:
        return cell
    style = BEST if move in texts.best else ""
    return Cell(
        texts.texts[move],
        style,
        "(" if move in texts.best else cell.mark,
        name=f"{cell.text}:" if names_inside and not texts.alone else "",
    )


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


def _place_for(inscribed: Inscription, layout: list[list[str]]) -> int:
    """How wide a box is in which that is inscribed."""
    names = 0 if inscribed.alone else max(len(f"{name}:") for row in layout for name in row)
    return names + inscribed.width


def _boxed(rows: list[list[Cell]], least: int) -> list[Fragments]:
    """Cells in boxes, ``least`` columns wide or wider."""
    width = max(least, *(len(cell.name + cell.text) for row in rows for cell in row))
    rule: Fragments = [(FAINT, "+".join(["-" * (width + 2)] * len(rows[0])))]
    lines: list[Fragments] = []
    for row in rows:
        drawn: Fragments = []
        for cell in row:
            drawn += [(FAINT, "|")] if drawn else []
            if cell.name:
                text = cell.text.rjust(width - len(cell.name))
                drawn += [(cell.style, cell.mark), (FAINT, cell.name), (cell.style, text + _closing(cell.mark))]
            else:
                drawn.append((cell.style, f"{cell.mark}{cell.text.center(width)}{_closing(cell.mark)}"))
        lines += [rule, drawn] if lines else [drawn]
    return lines


def _headed(rows: list[list[Cell]], heads: list[str], labels: list[str], block: int, width: int) -> list[Fragments]:
    """Cells of ``width`` columns below the names of their columns and behind those of their rows."""
    margin = max(map(len, labels))
    between = [" |" if block and c and c % block == 0 else "" for c in range(len(heads))]
    named = zip(between, heads, strict=True)
    head: Fragments = [
        (FAINT, " " * margin + "".join(f"{' ' * len(line)} {name.rjust(width)}" for line, name in named))
    ]
    each = "-" * (width + 1)
    rule: Fragments = [(FAINT, " " * margin + "".join(f"{'-+' if line else ''}{each}" for line in between) + "-")]
    lines: list[Fragments] = [head]
    for r, (row, label) in enumerate(zip(rows, labels, strict=True)):
        if block and r and r % block == 0:
            lines.append(rule)
        lines.append([(FAINT, label.rjust(margin)), *_row(row, between, width)])
    return [*lines, head] if len(rows) > TALL else lines


def _row(row: list[Cell], between: list[str], width: int) -> Fragments:
    """Cells of ``width`` columns side by side, with a line where one is ``between``. One column of each gap is shared
    by the marks at its sides."""
    drawn: Fragments = []
    before = " "
    for cell, line in zip(row, between, strict=True):
        if line:
            drawn += [("bold", _closing(before)), (FAINT, line[1:])]
            before = " "
        blanks = width - len(cell.text)
        if blanks > 0:
            drawn.append(("bold", _closing(before) + " " * (blanks - 1)))
            before = " "
        gap = cell.mark if cell.mark != " " else _closing(before)
        drawn += [("bold", gap), (cell.style, cell.text)]
        before = cell.mark
    drawn.append(("bold", _closing(before)))
    return drawn


def _closing(mark: str) -> str:
    return MARKS.get(mark, mark)
