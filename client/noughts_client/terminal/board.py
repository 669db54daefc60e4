"""Draws the board of any game from its layout alone, as lines of styled text. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from noughts.games.board import labels, lies_side_by_side, numbered, shaped
from noughts.games.paths import cells_of
from noughts.protocol.room_messages import SideName
from noughts_client.terminal.table import SIDES, Table, turned
from noughts_client.terminal.text import Fragments

STYLES: dict[SideName, str] = {"first": "bold ansired", "second": "bold ansicyan"}
COLOURS = {"red": "bold ansired", "yellow": "bold ansiyellow"}
"""Styles of sides named after a colour. Black and white are left out: one of them is the terminal's background."""

PLAYABLE = "+"
"""Marks the legal cells where not every empty cell is legal."""

TALL = 10
"""A board with more rows has its column names below as well: it may be higher than the window, and scrolls."""

LOW = 3
"""A board with at most so many rows shows the names of its moves in the cells."""

FAINT = "ansibrightblack"

BEST = "bold ansigreen"

MARKS = {"[": "]", "(": ")"}
"""The closing half of a mark. Other marks are the same on both sides."""


@dataclass(frozen=True)
class CellTexts:
    """Texts to show in the cells of moves instead of the usual content.

    ``texts`` are by move, and at most ``width`` columns wide; ``best`` are the moves to mark. Where the cells show the
    moves' names, a text follows the name, or replaces it if ``alone``.
    """

    width: int = 1
    texts: Mapping[str, str] = field(default_factory=dict)
    best: frozenset[str] = frozenset()
    alone: bool = False


@dataclass(frozen=True)
class Cell:
    """A cell: its text, its style, and the mark at both sides. ``name`` precedes the text."""

    text: str
    style: str
    mark: str
    name: str = ""


def style_of(table: Table, side: SideName) -> str:
    """The style for the pieces and the name of ``side``."""
    return COLOURS.get(table.game["sides"][side]["name"].casefold(), STYLES[side])


def shape_of(table: Table) -> str:
    """The shape in which the cells lie, one of the shapes of :class:`noughts.games.Board`."""
    return table.game["board"]["shape"] if "board" in table.game else "squares"


def shows_names(table: Table) -> bool:
    """True if the cells show the moves' names: on a low board whose moves are not columns."""
    return len(table.game["layout"]) <= LOW and not has_column_moves(table) and shape_of(table) == "squares"


def has_room_for_values(table: Table) -> bool:
    """True if the cells can show what their moves are worth: a move is a cell or column, and cells lie side by side."""
    return table.moves_are_cells and _lies_side_by_side(table)


def _lies_side_by_side(table: Table) -> bool:
    ground = table.game.get("board")
    return ground is None or lies_side_by_side(ground["shape"], ground.get("lines", []))


def has_column_moves(table: Table) -> bool:
    """True if a move is a column."""
    layout = table.game["layout"]
    return len(layout) > 1 and all(len(set(column)) == 1 for column in zip(*layout, strict=True))


def board(table: Table, cell_texts: CellTexts | None = None) -> list[Fragments]:
    """The board, line by line.

    On a low board, empty cells show the names of their moves. If each column is one move, the move's name is above the
    column. Otherwise a move is named after its column and its row, these names are at the edges, and ``+`` marks the
    legal cells if not all empty ones are. The last move is shown as ``[x]``, a winning line as ``*x*``.

    ``cell_texts`` are shown in the empty cells, after the names if these are shown, or above the columns; those of the
    best moves as ``(9)``. The board is as wide as the longest of them may become.
    """
    table = turned(table)
    if not _lies_side_by_side(table):
        return _shaped(table)
    layout = table.game["layout"]
    last, line = _last_move(table), _winning_cells(table)
    column_moves, names_inside = has_column_moves(table), shows_names(table)
    playable = _playable(table) if not names_inside and not column_moves else frozenset()
    texts = cell_texts if cell_texts and not column_moves else CellTexts()
    rows = [
        [
            _cell(table, (r, c), names_inside, playable, "*" if (r, c) in line else "[" if (r, c) in last else " ")
            for c in range(len(row))
        ]
        for r, row in enumerate(layout)
    ]
    empty = {(r, c) for r, row in enumerate(table.state["rows"]) for c, symbol in enumerate(row) if symbol == "."}
    for r, c in empty:
        rows[r][c] = _with_text(rows[r][c], layout[r][c], texts, names_inside)
    if names_inside:
        return _boxed(rows, _box_width(cell_texts, layout) if cell_texts else 0)
    heads, names = labels(layout) or ([""] * len(layout[0]), [""] * len(layout))
    width = cell_texts.width if cell_texts else 1
    if not any(heads):  # the names of the cells say nothing of columns and rows
        width = max(width, *(len(cell.name + cell.text) for row in rows for cell in row))
    lines = _headed(rows, (heads, names), _edge_styles(table), table.game.get("block", 0), width)
    if shape_of(table) == "hexagons":
        lines = [[("", " " * max(0, r)), *line] for r, line in enumerate(lines, -1)]
    if cell_texts and column_moves:
        above = [_with_text(Cell("", "", " "), name, cell_texts, False) for name in heads]
        lines.insert(0, _row(above, [""] * len(above), width))
    return lines


def _edge_styles(table: Table) -> tuple[str, str]:
    """The styles of the names above and beside the board, which have the colours of the sides that own these edges."""
    owners = table.game["board"].get("borders") if "board" in table.game else None
    above, beside = [style_of(table, owner) for owner in owners] if owners else [FAINT, FAINT]
    return above, beside


def _shaped(table: Table) -> list[Fragments]:
    """A board with lines, dots or stores between its cells. Those of the last move or of the end are shown reversed."""
    state, ground = table.state, table.game["board"]
    shown = [[piece_of(table, symbol)[0] for symbol in row] for row in state["rows"]]
    counted = "counts" in state
    drawn = shaped(
        ground["shape"],
        ground.get("lines", []),
        table.game["layout"],
        numbered(state["rows"], state["counts"]) if counted else shown,
    )
    marked = _winning_cells(table) or _last_move(table)

    def style(cell: tuple[int, int] | None) -> str:
        if cell is None:
            return FAINT
        symbol = state["rows"][cell[0]][cell[1]]
        side = piece_of(table, symbol)[1]
        own = FAINT if symbol == "." else "" if side is None else style_of(table, side)
        return f"{own} reverse".strip() if cell in marked else own

    return [[(style(part.cell), part.text) for part in line] for line in drawn]


def piece_of(table: Table, symbol: str) -> tuple[str, SideName | None]:
    """The character for what ``symbol`` stands for, and the side that it belongs to, if any."""
    piece = table.game.get("pieces", {}).get(symbol)
    if piece is not None:
        return piece["glyph"], piece["side"]
    return symbol, next((side for side in SIDES if table.game["sides"][side]["symbol"] == symbol), None)


def _with_text(cell: Cell, move: str, texts: CellTexts, names_inside: bool) -> Cell:
    """``cell`` with the text of its move, if there is one."""
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
    """The legal cells, unless every empty cell is legal."""
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
    symbol, name = table.state["rows"][r][c], table.game["layout"][r][c]
    glyph, side = piece_of(table, symbol)
    # Where not all cells of a row have names, as in draughts, moves are written with the numbers of the cells.
    number = name.ljust(2) if name.isdecimal() and "" in table.game["layout"][r] else ""
    if side is not None:
        style = style_of(table, side)
        return Cell(glyph, f"{style} reverse" if mark == "*" else style, mark, number)
    if name in playable:
        return Cell(PLAYABLE, "", mark)
    if number and symbol == ".":
        return Cell(" ", FAINT, mark, number)
    return Cell(table.shown(name) if names_inside else glyph, FAINT, mark)


def _last_move(table: Table) -> set[tuple[int, int]]:
    """The cells of the last move. If several cells have its name, the topmost taken one: pieces pile up."""
    moves, layout = table.state["moves"], table.game["layout"]
    if not moves:
        return set()
    if has_column_moves(table):
        return set([(r, c) for r, c in _named(layout, moves[-1]) if table.state["rows"][r][c] != "."][:1])
    way, _ = cells_of(moves[-1], {name for row in layout for name in row})
    return {place for name in way for place in _named(layout, name)}


def _winning_cells(table: Table) -> set[tuple[int, int]]:
    outcome = table.state["outcome"]
    names = table.game.get("cells", table.game["layout"])
    return {place for cell in outcome["cells"] for place in _named(names, cell)} if outcome else set()


def _named(names: list[list[str]], wanted: str) -> list[tuple[int, int]]:
    """The cells with a name, from the top."""
    return [(r, c) for r, row in enumerate(names) for c, name in enumerate(row) if name == wanted]


def _box_width(cell_texts: CellTexts, layout: list[list[str]]) -> int:
    """The width of a box with a name and a text."""
    names = 0 if cell_texts.alone else max(len(f"{name}:") for row in layout for name in row)
    return names + cell_texts.width


def _boxed(rows: list[list[Cell]], least: int) -> list[Fragments]:
    """Cells in boxes at least ``least`` columns wide."""
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


def _headed(
    rows: list[list[Cell]], names: tuple[list[str], list[str]], styles: tuple[str, str], block: int, width: int
) -> list[Fragments]:
    """Cells of ``width`` columns, with the ``names`` of columns above and of rows at the left, in these ``styles``."""
    (heads, labels), (above, beside) = names, styles
    margin = max(map(len, labels))
    between = [" |" if block and c and c % block == 0 else "" for c in range(len(heads))]
    named = zip(between, heads, strict=True)
    head: Fragments = [
        (above, " " * margin + "".join(f"{' ' * len(line)} {name.rjust(width)}" for line, name in named))
    ]
    each = "-" * (width + 1)
    rule: Fragments = [(FAINT, " " * margin + "".join(f"{'-+' if line else ''}{each}" for line in between) + "-")]
    lines: list[Fragments] = [head] if any(heads) else []
    for r, (row, label) in enumerate(zip(rows, labels, strict=True)):
        if block and r and r % block == 0:
            lines.append(rule)
        lines.append([(beside, label.rjust(margin)), *_row(row, between, width)])
    return [*lines, head] if len(rows) > TALL else lines


def _row(row: list[Cell], between: list[str], width: int) -> Fragments:
    """Cells of ``width`` columns side by side, with a vertical line where ``between`` has one.

    The marks of two neighbours share one column.
    """
    drawn: Fragments = []
    before = " "
    for cell, line in zip(row, between, strict=True):
        if line:
            drawn += [("bold", _closing(before)), (FAINT, line[1:])]
            before = " "
        blanks = width - len(cell.name + cell.text)
        if blanks > 0:
            drawn.append(("bold", _closing(before) + " " * (blanks - 1)))
            before = " "
        gap = cell.mark if cell.mark != " " else _closing(before)
        drawn += [("bold", gap), (FAINT, cell.name), (cell.style, cell.text)]
        before = cell.mark
    drawn.append(("bold", _closing(before)))
    return drawn


def _closing(mark: str) -> str:
    return MARKS.get(mark, mark)
