"""A table as lines of text, styled and plain. Pure; does no I/O."""

from __future__ import annotations

from itertools import zip_longest

from prompt_toolkit.utils import get_cwidth

from noughts.columns import printable
from noughts.games.sentences import level_name
from noughts.protocol.room_messages import SideName
from noughts_client.terminal import clocks
from noughts_client.terminal.board import BEST, board, has_column_moves, has_room_for_values, style_of
from noughts_client.terminal.clocks import left_ms, since_epoch
from noughts_client.terminal.input import help_text
from noughts_client.terminal.status import remarks, status
from noughts_client.terminal.table import SIDES, Table, display_rating, setup_in_words
from noughts_client.terminal.text import Fragments, columns_of, cut, fit, wrap
from noughts_client.terminal.values import in_columns, listed, narrow, off_board, summary, wide
from noughts_client.time_control import format_time_control

MARGIN = "  "

BESIDE = 16
"""The least number of columns for text beside the board."""


def view(table: Table, width: int, local_ms: float, *, compact: bool = False) -> list[Fragments]:
    """The table at ``local_ms`` of the local steady clock, without its notice and chat, line by line.

    No line is wider than ``width`` columns, unless the board is. In a ``compact`` view, for a window that has no room
    for the first lines, the clocks follow the status as well.
    """
    lines: list[Fragments] = [
        *wrap(title(table), width, "bold"),
        seat(table, "first", width, local_ms),
        seat(table, "second", width, local_ms),
        [],
        *(_with_values(table, width) if table.values else _indented(board(table))),
        [],
    ]
    if table.invitation and table.state["status"] == "waiting":
        if table.link:
            lines += wrap("Your opponent joins in a browser with", width) + wrap(table.link, width, "bold")
        where = "or in a terminal with" if table.link else "Your opponent joins with"
        lines += wrap(where, width) + wrap(table.invitation, width, "bold")
    if not table.connected:
        lines += wrap("The connection is lost. Reconnecting ...", width, "bold ansiyellow")
    lines += wrap(" ".join([status(table), *(_short_clocks(table, local_ms) if compact else [])]), width, "bold")
    for sentence in remarks(table, local_ms):
        lines += wrap(sentence, width)
    return lines


def help_view(table: Table, width: int, _: float) -> list[Fragments]:
    """The rules of the game and what can be typed, line by line."""
    lines = wrap(table.game["title"], width, "bold")
    for paragraph in table.game.get("rules", []):
        lines += [*wrap(paragraph, width), []]
    lines += wrap("What to type", width, "bold")
    for paragraph in help_text(table):
        lines += [*wrap(paragraph, width), []]
    return lines[:-1]


def changes_in(table: Table, local_ms: float) -> float | None:
    """The ms until the view changes with time alone; None if it does not."""
    clock, now = table.state["clock"], table.server_ms(local_ms)
    waits = []
    if clock is not None and clock["running"] is not None and clock["since"] is not None:
        begins_in = since_epoch(clock["since"]) - now
        waits.append(begins_in if begins_in > 0 else clocks.changes_in(left_ms(clock, clock["running"], now)))
    claimable_in = table.claimable_in_ms(local_ms)
    if claimable_in is not None and claimable_in > 0:
        waits.append(claimable_in % 1000 or 1000)  # whole seconds, rounded up
    return min((wait for wait in waits if wait is not None), default=None)


def title(table: Table) -> str:
    """The game, its options and the number of spectators."""
    parts = [f"{table.game['title']}, room {table.room}"]
    parts += setup_in_words(table.game, table.options.get("setup", {}))
    if table.options["clock"] is not None:
        parts.append(format_time_control(table.options["clock"]))
    if table.options["rated"]:
        parts.append("rated")
    if table.spectators:
        parts.append(f"{table.spectators} watching")
    return ", ".join(parts)


def chat(table: Table) -> list[str]:
    """The last chat lines, each with its author."""
    return [f"{'you' if line['id'] == table.me else line['name']}: {line['text']}" for line in table.chat]


def _with_values(table: Table, width: int) -> list[Fragments]:
    """The board with the value of each move, and the explanation beside it, or below if there is no room."""
    if not has_room_for_values(table):
        return _beside(_indented(board(table)), summary(table), listed(table), width)
    drawn, entries = _indented(board(table, wide(table))), off_board(table)
    if columns_of(drawn) > width:
        drawn = _indented(board(table, narrow(table)))
        if not has_column_moves(table):
            entries = listed(table)
        elif columns_of(drawn) > width:
            drawn, entries = _indented(board(table)), listed(table)
    return _beside(drawn, summary(table), entries, width)


def _beside(drawn: list[Fragments], told: list[str], entries: list[str], width: int) -> list[Fragments]:
    """A board, and beside it, or below if there is no room, what is ``told``, and the ``entries`` of a list."""
    room = width - columns_of(drawn) - 2 * len(MARGIN)
    beside = room >= BESIDE
    space = room if beside else width
    lines = [line for paragraph in told for line in wrap(paragraph, space) or [[]]]
    lines += [[("", fit(printable(entry), space))] for entry in in_columns(entries, space)]
    if lines:
        lines[0] = [(BEST, words) for _, words in lines[0]]
    if not beside:
        return [*drawn, [], *lines]
    full = columns_of(drawn) + 2 * len(MARGIN)
    return [
        [*left, ("", " " * (full - columns_of([left]))), *right] if right else left
        for left, right in zip_longest(drawn, lines, fillvalue=Fragments())
    ]


def _indented(lines: list[Fragments]) -> list[Fragments]:
    return [[("", MARGIN), *line] for line in lines]


def seat(table: Table, side: SideName, width: int, local_ms: float) -> Fragments:
    """The line with the player of ``side`` and the time left, marked ``>`` if that side is to move.

    A running clock is shown in ``[ ]``.
    """
    names = {each: _side(table, each) for each in SIDES}
    padding = max(map(get_cwidth, names.values())) - get_cwidth(names[side]) if table.state["clock"] else 0
    start = f"{'>' if table.state['to_move'] == side else ' '} {names[side]}  {' ' * padding}"
    parts: Fragments = [(style_of(table, side), fit(start, width)), *_time(table, side, local_ms)]
    player = table.state["seats"][side]
    if player is None:
        return cut([*parts, ("", "(open)")], width)
    about = []
    if player["id"] == table.me:
        about.append("you")
    elif player["kind"] == "computer":
        about.append(printable(level_name(player["id"].partition(":")[2])))
    elif player["kind"] == "bot":
        about.append("bot")
    if not player["online"]:
        about.append("away")
    end = display_rating(player) + (f" ({', '.join(about)})" if about else "")
    room = width - columns_of([parts])
    name = fit(printable(player["name"]), max(room - get_cwidth(end), room // 2))
    return cut([*parts, ("", name + end)], width)


def _side(table: Table, side: SideName) -> str:
    """A side's symbol, its name if that is different, its score, and what it has beside the board."""
    info = table.game["sides"][side]
    alike = info["name"].casefold() == info["symbol"]
    name = info["name"] if "pieces" in table.game else info["symbol"] if alike else f"{info['symbol']} {info['name']}"
    if "score" in table.state:
        name += f" {table.state['score'][SIDES.index(side)]}"
    held = table.state["held"][side] if "held" in table.state else {}
    pieces = table.game.get("pieces", {})
    own = info["symbol"]
    beside = [
        f"{n} {pieces[symbol]['name'] if symbol in pieces else 'to place' if symbol == own else 'captured'}"
        for symbol, n in held.items()
        if n
    ]
    return ", ".join([name, *beside])


def _time(table: Table, side: SideName, local_ms: float) -> Fragments:
    """The time left for ``side``, padded to the width of the other side's."""
    clock, now = table.state["clock"], table.server_ms(local_ms)
    if clock is None:
        return []
    left = {each: clocks.display(left_ms(clock, each, now)) for each in SIDES}
    width = max(map(len, left.values()))
    if clock["running"] != side or not clocks.runs(clock, now):
        return [("", f" {left[side].rjust(width)}   ")]
    style = "bold ansired" if left_ms(clock, side, now) < clocks.TENTHS_MS else "bold"
    return [(style, f"[{left[side]}]".rjust(width + 2)), ("", "  ")]


def _short_clocks(table: Table, local_ms: float) -> list[str]:
    """Both clocks, each after its side's symbol."""
    times = {side: "".join(words for _, words in _time(table, side, local_ms)).strip() for side in SIDES}
    return [f"{table.game['sides'][side]['symbol']} {time}" for side, time in times.items() if time]
