"""Boards that are more than rows of cells: points on lines, edges and boxes, pits. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Callable

from noughts.games.paths import cells_of
from noughts.protocol.messages import SideName
from noughts_client.terminal.table import Table
from noughts_client.terminal.text import Fragments

FAINT = "ansibrightblack"
STEP = 4
"""The columns from one place to the next."""

Style = Callable[[Table, SideName], str]


def is_drawn(table: Table) -> bool:
    """Whether the board is drawn here: on others the cells lie side by side."""
    board = table.game.get("board")
    return board is not None and (board["shape"] in ("edges", "pits") or bool(board.get("lines")))


def drawn_board(table: Table, style_of: Style) -> list[Fragments]:
    """The board, line by line. The cells of the last move and of the end are shown reversed."""
    board = table.game["board"]
    if board["shape"] == "pits":
        return _pits(table, style_of)
    heads, labels = edges_of(table.game["layout"])
    margin = max(map(len, labels)) + 1
    head: Fragments = [(FAINT, " " * margin + "".join(name.ljust(STEP) for name in heads).rstrip())]
    lines = _edges(table, style_of) if board["shape"] == "edges" else _points(table, board["lines"], style_of)
    sides = [label for each in labels for label in (each, "")] if board["shape"] == "points" else labels
    return [head, *([(FAINT, f"{label:>{margin - 1}} "), *line] for label, line in zip(sides, lines, strict=False))]


def piece_of(table: Table, symbol: str) -> tuple[str, SideName | None]:
    """The character for what ``symbol`` stands for, and the side that it belongs to, if any."""
    piece = table.game.get("pieces", {}).get(symbol)
    if piece is not None:
        return piece["glyph"], piece["side"]
    sides: tuple[SideName, SideName] = ("first", "second")
    return symbol, next((side for side in sides if table.game["sides"][side]["symbol"] == symbol), None)


def edges_of(layout: list[list[str]]) -> tuple[list[str], list[str]]:
    """The names of the columns and of the rows, where the name of a cell joins both; else they are empty."""
    columns = [next((name.rstrip("0123456789") for name in column if name), "") for column in zip(*layout, strict=True)]
    rows = [next((name.removeprefix(columns[c]) for c, name in enumerate(row) if name), "") for row in layout]
    if all(name in ("", columns[c] + rows[r]) for r, row in enumerate(layout) for c, name in enumerate(row)):
        return columns, rows
    return [""] * len(columns), [""] * len(rows)


def _marked(table: Table) -> set[str]:
    """The cells of the last move, or those that show how the game ended."""
    outcome, moves = table.state["outcome"], table.state["moves"]
    if outcome is not None and outcome["cells"]:
        return set(outcome["cells"])
    names = {name for row in table.game["layout"] for name in row}
    return set(cells_of(moves[-1], names)[0]) if moves else set()


def _content(table: Table, place: tuple[int, int], style_of: Style, empty: str) -> tuple[str, str]:
    """The style of a cell, and its one character."""
    r, c = place
    glyph, side = piece_of(table, table.state["rows"][r][c])
    style = FAINT if glyph == "." else "" if side is None else style_of(table, side)
    if table.game["layout"][r][c] in _marked(table):
        style = f"{style} reverse".strip()
    return style, empty if glyph == "." else glyph


def _edges(table: Table, style_of: Style) -> list[Fragments]:
    lines: list[Fragments] = []
    for r, row in enumerate(table.state["rows"]):
        line: Fragments = []
        for c in range(len(row)):
            if r % 2 == c % 2 == 0:
                line.append((FAINT, "+"))
                continue
            style, text = _content(table, (r, c), style_of, " ")
            wide = text * (2 * STEP - 1) if r % 2 == 0 else text.center(2 * STEP - 1)
            line.append((style, wide if c % 2 else text))
        lines.append(line)
    return lines


def _points(table: Table, joined: list[list[str]], style_of: Style) -> list[Fragments]:
    layout = table.game["layout"]
    places = {name: (r, c) for r, row in enumerate(layout) for c, name in enumerate(row) if name}
    canvas = [[("", " ")] * (STEP * (len(layout[0]) - 1) + 1) for _ in range(2 * len(layout) - 1)]
    for one, other in joined:
        (top, left), (bottom, right) = sorted((places[one], places[other]))
        for x in range(STEP * left + 1, STEP * right):
            canvas[2 * top][x] = (FAINT, "─")
        for y in range(2 * top + 1, 2 * bottom):
            canvas[y][STEP * left] = (FAINT, "│")
    for r, c in places.values():
        canvas[2 * r][STEP * c] = _content(table, (r, c), style_of, "·")
    return [list(line) for line in canvas]


def _pits(table: Table, style_of: Style) -> list[Fragments]:
    """The counts of the pits, with their names above and below, and a store on a line of its own between."""
    layout, counts, marked = table.game["layout"], table.state["counts"], _marked(table)
    alone = [c for c, column in enumerate(zip(*layout, strict=True)) if sum(map(bool, column)) == 1]
    half = len(layout) // 2
    lines: list[Fragments] = []
    for r, row in enumerate(layout):
        names: Fragments = [(FAINT, "".join(f"{'' if c in alone else name:>{STEP}}" for c, name in enumerate(row)))]
        line: Fragments = []
        for c, name in enumerate(row):
            _, side = piece_of(table, table.state["rows"][r][c])
            style = "" if side is None else style_of(table, side)
            text = "" if c in alone or not name else str(counts[r][c])
            line += [("", " " * (STEP - len(text))), (f"{style} reverse" if name in marked else style, text)]
        lines += [names, line] if r < half else [line, names]
        if r == half - 1:
            stores: Fragments = []
            for c in range(len(row)):
                place = next((at for at in range(len(layout)) if layout[at][c]), 0)
                text = str(counts[place][c]) if c in alone else ""
                side = "second" if place < half else "first"
                stores.append((style_of(table, side) if text else "", f"{text:>{STEP}}"))
            lines.append(stores)
    return lines
