"""A table as text, styled and plain. Pure; does no I/O."""

from __future__ import annotations

from itertools import zip_longest

from prompt_toolkit.utils import get_cwidth

from noughts.protocol.messages import SideName
from noughts_client.control import as_written
from noughts_client.terminal import clocks
from noughts_client.terminal.board import BEST, Fragments, board, style_of
from noughts_client.terminal.clocks import left_ms, since_epoch
from noughts_client.terminal.table import SIDES, Table, printable, rating
from noughts_client.terminal.values import in_columns, listed, narrow, off_board, summary, wide
from noughts_client.terminal.words import standing, status

MARGIN = "  "

BESIDE = 16
"""How many columns it takes to put words beside the board."""


def view(table: Table, width: int, here_ms: float, *, low: bool = False) -> list[Fragments]:
    """The table at ``here_ms`` of the steady clock here, but for its note and the chat: lines of (style, text) in
    prompt_toolkit's terms.

    No line is wider than ``width`` columns, unless the board is. In a ``low`` window, which has no place for the first
    lines, the clocks are told at the end, too.
    """
    lines: list[Fragments] = [
        *text(title(table), width, "bold"),
        seat(table, "first", width, here_ms),
        seat(table, "second", width, here_ms),
        [],
        *(_explained(table, width) if table.values else _indented(board(table))),
        [],
    ]
    if table.invitation and table.state["status"] == "waiting":
        lines += text("Your opponent joins with", width) + text(table.invitation, width, "bold")
    if not table.connected:
        lines += text("The connection is lost. Trying again ...", width, "bold ansiyellow")
    lines += text(" ".join([status(table), *(_clocks(table, here_ms) if low else [])]), width, "bold")
    for words in standing(table, here_ms):
        lines += text(words, width)
    return lines


def changes_in(table: Table, here_ms: float) -> float | None:
    """After how many ms the view is another by the mere course of time; None when it is not."""
    clock, now = table.state["clock"], table.now(here_ms)
    waits = []
    if clock is not None and clock["running"] is not None and clock["since"] is not None:
        begins_in = since_epoch(clock["since"]) - now
        waits.append(begins_in if begins_in > 0 else clocks.changes_in(left_ms(clock, clock["running"], now)))
    away_ms = table.away_ms(here_ms)
    if away_ms is not None and away_ms > 0:
        waits.append(away_ms % 1000 or 1000)  # whole seconds, rounded up
    return min((wait for wait in waits if wait is not None), default=None)


def title(table: Table) -> str:
    """What is played, where and how, and before how many."""
    about = [f"{table.game['title']}, room {table.room}"]
    if table.options["clock"] is not None:
        about.append(as_written(table.options["clock"]))
    if table.options["rated"]:
        about.append("rated")
    if table.spectators:
        about.append(f"{table.spectators} watching")
    return ", ".join(about)


def talk(table: Table) -> list[str]:
    """What was said last, line by line, with who has said it."""
    return [f"{'you' if line['id'] == table.me else line['name']}: {line['text']}" for line in table.chat]


def latest(said: list[str], width: int, rows: int) -> list[Fragments]:
    """As many of the last lines that were ``said`` as fit, each whole; of the very last its beginning if need be, as
    that says who has said it."""
    shown: list[Fragments] = []
    for line in reversed(said):
        wrapped = text(line, width, "italic")
        if len(shown) + len(wrapped) > rows:
            break
        shown = wrapped + shown
    if said and rows > 0 and not shown:
        *shown, (last,) = text(said[-1], width, "italic")[:rows]
        shown += [[(last[0], fit(f"{last[1]} ...", width))]]
    return shown


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


def seat(table: Table, side: SideName, width: int, here_ms: float) -> Fragments:
    """The line that says who plays ``side`` and what is left on its clock, with a mark when it is to move.

    A clock that runs stands in ``[ ]``.
    """
    names = {each: _side(table, each) for each in SIDES}
    padding = max(map(get_cwidth, names.values())) - get_cwidth(names[side]) if table.state["clock"] else 0
    head = f"{'>' if table.state['to_move'] == side else ' '} {names[side]}  {' ' * padding}"
    parts: Fragments = [(style_of(table, side), fit(head, width)), *_time(table, side, here_ms)]
    taken = table.state["seats"][side]
    if taken is None:
        return _cut([*parts, ("", "(open)")], width)
    about = []
    if taken["id"] == table.me:
        about.append("you")
    elif taken["kind"] == "computer":
        about.append(f"computer, {printable(taken['id'].partition(':')[2])}")
    elif taken["kind"] == "bot":
        about.append("bot")
    if not taken["online"]:
        about.append("away")
    tail = rating(taken) + (f" ({', '.join(about)})" if about else "")
    room = width - _columns([parts])
    name = fit(printable(taken["name"]), max(room - get_cwidth(tail), room // 2))
    return _cut([*parts, ("", name + tail)], width)


def _side(table: Table, side: SideName) -> str:
    """A side's symbol and name, as far as they differ."""
    style = table.game["sides"][side]
    return style["symbol"] if style["name"].casefold() == style["symbol"] else f"{style['symbol']} {style['name']}"


def _time(table: Table, side: SideName, here_ms: float) -> Fragments:
    """What is left on the clock of ``side``, as wide as that of the other."""
    clock, now = table.state["clock"], table.now(here_ms)
    if clock is None:
        return []
    left = {each: clocks.shown(left_ms(clock, each, now)) for each in SIDES}
    width = max(map(len, left.values()))
    if clock["running"] != side or not clocks.runs(clock, now):
        return [("", f" {left[side].rjust(width)}   ")]
    style = "bold ansired" if left_ms(clock, side, now) < clocks.TENTHS_MS else "bold"
    return [(style, f"[{left[side]}]".rjust(width + 2)), ("", "  ")]


def _clocks(table: Table, here_ms: float) -> list[str]:
    """Both clocks in a few words each."""
    times = {side: "".join(words for _, words in _time(table, side, here_ms)).strip() for side in SIDES}
    return [f"{table.game['sides'][side]['symbol']} {time}" for side, time in times.items() if time]


def _cut(line: Fragments, width: int) -> Fragments:
    """``line`` in ``width`` columns."""
    cut: Fragments = []
    for style, words in line:
        part = fit(words, width)
        cut.append((style, part))
        width -= get_cwidth(part)
        if part != words or width <= 0:
            break
    return cut


def text(words: str, width: int, style: str = "") -> list[Fragments]:
    """``words`` as lines of at most ``width`` columns. A longer word is broken, and so is one of wide characters:
    Chinese has no blanks."""
    lines: list[str] = []
    for word in printable(words).split():
        columns = get_cwidth(word)
        space = width - get_cwidth(lines[-1]) - 1 if lines else 0
        if lines and columns <= space:
            lines[-1] += f" {word}"
            continue
        rest = word
        if (columns > width or columns > len(word)) and (part := head(word, space)):
            lines[-1] += f" {part}"
            rest = word[len(part) :]
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
