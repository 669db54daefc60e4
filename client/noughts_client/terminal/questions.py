"""What is asked before a game."""

from __future__ import annotations

import shutil
from functools import partial

from noughts.protocol.messages import GameInfo, SideName
from noughts_client.control import Control, time_control
from noughts_client.terminal.board import Fragments
from noughts_client.terminal.screen import Page, Screen
from noughts_client.terminal.sitting import Closed
from noughts_client.terminal.table import SIDES, printable
from noughts_client.terminal.view import fit, text

OPPONENTS = [
    ("computer", "the computer"),
    ("friend", "a friend, by invitation"),
    ("anybody", "anybody"),
    ("room", "whoever has sent me the id of a room"),
]

CLOCK = "With a clock? 3+2 is 3 minutes and 2 s more with each move, 10/move is 10 s a move. (Enter for none)"


AROUND = 4
"""How many lines of a window are needed around the choices: for the question, the entry and a note."""

FEW = 9
"""So many choices are listed in any window, where the arrow keys lead to them."""


async def choose(screen: Screen, asked: str, choices: list[tuple[str, str]]) -> str:
    """The value of the choice taken from (value, label), the first if nothing is typed.

    Of more choices than fit the window the last are listed, or those with what is typed in their label. Raises
    EOFError.
    """
    note, listed = "", list(enumerate(choices, 1))
    while True:
        fitting = max(FEW, shutil.get_terminal_size().lines - AROUND)
        shown = listed[-fitting:]
        more = f" (the last {fitting} of {len(listed)}: type a word to find others)" if len(listed) > fitting else ""
        screen.show(Page(partial(_choices, asked + more, shown), f"[{listed[0][0]}] > ", note))
        line = (await screen.line()).strip().casefold()
        if line in ("q", "quit"):
            raise EOFError
        for number, (value, label) in enumerate(choices, 1):
            if line in (str(number), value.casefold(), label.casefold()) or (not line and number == listed[0][0]):
                return value
        found = [(number, choice) for number, choice in enumerate(choices, 1) if line in choice[1].casefold()]
        if len(choices) > fitting and found:
            note, listed = f"With {printable(line)!r}:", found
        else:
            note = f"Type a number, 1 to {len(choices)}, or q to leave."


async def ask(screen: Screen, asked: str, note: str = "") -> str:
    """What is typed. Raises EOFError."""
    screen.show(Page(lambda width, _: text(asked, width, "bold"), "> ", note))
    return (await screen.line()).strip()


def _choices(asked: str, choices: list[tuple[int, tuple[str, str]]], width: int, _: float) -> list[Fragments]:
    margin = len(str(choices[-1][0]))
    labels = [fit(f"  {number:>{margin}}  {label}", width) for number, (_, label) in choices]
    return text(asked, width, "bold") + [[("", label)] for label in labels]


async def which_game(known: list[GameInfo], screen: Screen, wanted: str | None, *, ask: bool) -> GameInfo:
    """The game that is wanted; the first where none is, and there is nothing to ``ask``. Raises Closed, EOFError."""
    games = {game["key"]: game for game in known}
    if wanted is None and ask and len(games) > 1:
        wanted = await choose(screen, "Which game?", [(key, game["title"]) for key, game in games.items()])
    if wanted is None:
        wanted = next(iter(games))
    if wanted not in games:
        raise Closed(f"There is no game {printable(wanted)!r} here, but {', '.join(games)}.")
    return games[wanted]


async def which_side(screen: Screen, game: GameInfo, wanted: str | None) -> SideName | None:
    """The side to take, None for either. Raises Closed, EOFError."""
    names = {side: game["sides"][side]["name"] for side in SIDES}
    if wanted is None:
        choices = [("first", f"{names['first']}, who begins"), ("second", names["second"]), ("random", "either")]
        wanted = await choose(screen, "Which side do you take?", choices)
    for side in SIDES:
        if wanted.casefold() in (side, names[side].casefold()):
            return side
    if wanted != "random":
        raise Closed(f"There is no side {printable(wanted)!r}, but {', '.join(names.values())}, random.")
    return None


def clock_of(wanted: str | None) -> Control | None:
    """The clock that was said. Raises Closed."""
    try:
        return time_control(wanted or "")
    except ValueError as error:
        raise Closed(str(error)) from error


async def which_clock(screen: Screen, wanted: str | None, *, ask_for: bool) -> Control | None:
    """The clock that is wanted; none where nothing is said, and there is nothing to ask. Raises Closed, EOFError."""
    if wanted is not None:
        return clock_of(wanted)
    note = ""
    while ask_for:
        try:
            return time_control(await ask(screen, CLOCK, note))
        except ValueError as error:
            note = str(error)
    return None
