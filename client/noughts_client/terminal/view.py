"""A table as text, styled and plain. Pure; does no I/O."""

from __future__ import annotations

from itertools import zip_longest

from prompt_toolkit.utils import get_cwidth

from noughts.protocol.messages import SideName
from noughts_client.terminal.board import BEST, Fragments, board, style_of
from noughts_client.terminal.table import Table, printable
from noughts_client.terminal.values import in_columns, listed, narrow, off_board, summary, wide
from noughts_client.terminal.words import status

MARGIN = "  "

BESIDE = 16
"""How many columns it takes to put words beside the board."""


def view(table: Table, width: int) -> list[Fragments]:
    """The table, but for its note: lines of (style, text) in prompt_toolkit's terms.

    No line is wider than ``width`` columns, unless the board is.
    """
    lines: list[Fragments] = [
        *text(f"{table.game['title']}, room {table.room}", width, "bold"),
        seat(table, "first", width),
        seat(table, "second", width),
        [],
        *(_explained(table, width) if table.values else _indented(board(table))),
        [],
    ]
    if table.invitation and table.state["status"] == "waiting":
        lines += text("Your opponent joins with", width) + text(table.invitation, width, "bold")
    if not table.connected:
        lines += text("The connection is lost. Trying again ...", width, "bold ansiyellow")
    return lines + text(status(table), width, "bold")


def _explained(table: Table, width: int) -> list[Fragments]:
    """The board with what each move is worth, and words about it, beside the board or else below."""
    drawn, entries = _indented(board(table, wide(table))), off_board(table)
    if _columns(drawn) > width:
        drawn, entries = _indented(board(table, narrow(table))), listed(table)
    room = width - _columns(drawn) - 2 * len(MARGIN)
    beside = room >= BESIDE
    space = room if beside else width
    told = [line for words in summary(table) for line in text(words, space) or [[]]]
    told += [[("", fit(printable(entry), space))] for entry in in_columns(entries, space)]
    if told:
        told[0] = [(BEST, words) for _, words in told[0]]
    if not beside:
        return [*drawn, [], *told]
    full = _columns(drawn) + 2 * len(MARGIN)
    return [
        [*left, ("", " " * (full - _columns([left]))), *right] if right else left
        for left, right in zip_longest(drawn, told, fillvalue=Fragments())
    ]


def _indented(lines: list[Fragments]) -> list[Fragments]:
    return [[("", MARGIN), *line] for line in lines]


def _columns(lines: list[Fragments]) -> int:
    """How wide ``lines`` are."""
    return max(sum(get_cwidth(part) for _, part in line) for line in lines)


def squeezed(lines: list[Fragments], height: int, back: int = 0) -> list[Fragments]:
    """``lines`` in at most ``height``: without the empty ones if need be, and then without the first ones, or, gone
    ``back`` by so many, with some of these in place of the last."""
    if len(lines) > height:
        lines = [line for line in lines if line]
    begin = max(0, len(lines) - height - back)
    return lines[begin : begin + height]


def joined(lines: list[Fragments]) -> Fragments:
    """Lines as one text."""
    return [part for line in lines for part in [*line, ("", "\n")]]


def plain(lines: list[Fragments]) -> str:
    """The text alone, without blanks at the ends of lines."""
    return "\n".join("".join(part for _, part in line).rstrip() for line in lines)


def seat(table: Table, side: SideName, width: int) -> Fragments:
    """The line that says who plays ``side``, with a mark when it is to move."""
    style = table.game["sides"][side]
    called = style["symbol"] if style["name"].casefold() == style["symbol"] else f"{style['symbol']} {style['name']}"
    head = f"{'>' if table.state['to_move'] == side else ' '} {called}  "
    taken = table.state["seats"][side]
    if taken is None:
        return [("", fit(f"{head}(open)", width))]
    about = []
    if taken["id"] == table.me:
        about.append("you")
    elif taken["kind"] == "computer":
        about.append(f"computer, {printable(taken['id'].partition(':')[2])}")
    elif taken["kind"] == "bot":
        about.append("bot")
    if not taken["online"]:
        about.append("away")
    tail = f" ({', '.join(about)})" if about else ""
    name = fit(printable(taken["name"]), max(1, width - get_cwidth(head) - get_cwidth(tail)))
    return [(style_of(table, side), fit(head, width)), ("", fit(name + tail, max(0, width - get_cwidth(head))))]


def text(words: str, width: int, style: str = "") -> list[Fragments]:
    """``words`` as lines of at most ``width`` columns; a longer word is broken."""
    lines: list[str] = []
    for word in printable(words).split():
        if lines and get_cwidth(lines[-1]) + 1 + get_cwidth(word) <= width:
            lines[-1] += f" {word}"
            continue
        rest = word
        while rest:
            part = head(rest, width) or rest[0]
            lines.append(part)
            rest = rest[len(part) :]
    return [[(style, line)] for line in lines]


def fit(words: str, width: int) -> str:
    """``words`` cut to ``width`` columns, with a sign where something is left out."""
    return words if get_cwidth(words) <= width else (head(words, width - 1) + "~")[: max(0, width)]


def head(words: str, width: int) -> str:
    """As much of ``words`` as fits into ``width`` columns."""
    columns = 0
    for index, character in enumerate(words):
        columns += get_cwidth(character)
        if columns > width:
            return words[:index]
    return words
