"""Questions to the user."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import partial

from noughts.columns import printable
from noughts.games.sentences import level_name
from noughts_client.terminal.screen import Page, Screen
from noughts_client.terminal.text import LEAVE, Fragments, fit, wrap

OTHER_ROWS = 4
"""The rows of a window that a list of choices cannot have: for the question, the input and a notice."""

FEWEST = 9
"""The least number of choices listed. In a low window the arrow keys scroll to them."""


async def choose(screen: Screen, question: str, choices: list[tuple[str, str]]) -> str:
    """The value of one of the choices (value, label), the first one if nothing is typed. Raises EOFError.

    A choice is typed as its number, its value, or its label up to the first comma.
    If there are more than fit the window, the last ones are listed, or those with the typed text in their label.
    """
    notice, listed = "", list(enumerate(choices, 1))
    while True:
        fitting = max(FEWEST, shutil.get_terminal_size().lines - OTHER_ROWS)
        shown = listed[-fitting:]
        more = f" (the last {fitting} of {len(listed)}: type a word to find others)" if len(listed) > fitting else ""
        screen.show(Page(partial(_body, question + more, shown), f"[{listed[0][0]}] > ", notice))
        line = (await screen.line()).strip().casefold()
        if line in LEAVE:
            raise EOFError
        for number, (value, label) in enumerate(choices, 1):
            names = (str(number), value.casefold(), label.casefold(), label.casefold().partition(",")[0])
            if line in names or (not line and number == listed[0][0]):
                return value
        found = [(number, choice) for number, choice in enumerate(choices, 1) if line in choice[1].casefold()]
        if len(choices) > fitting and found:
            notice, listed = f"With {printable(line)!r}:", found
        else:
            notice = f"Type a number from 1 to {len(choices)} or a name, or q to leave."


async def choose_level(screen: Screen, levels: Sequence[str]) -> str:
    """One of a game's levels, the strongest first; Enter chooses the weakest. Raises EOFError."""
    return await choose(screen, "How strong?", [(level, level_name(level)) for level in reversed(levels)])


async def ask(screen: Screen, question: str, notice: str = "") -> str:
    """The typed answer. Raises EOFError, also for q, which leaves every prompt."""
    screen.show(Page(lambda width, _: wrap(question, width, "bold"), "> ", notice))
    line = (await screen.line()).strip()
    if line.casefold() in LEAVE:
        raise EOFError
    return line


def _body(question: str, choices: list[tuple[int, tuple[str, str]]], width: int, _: float) -> list[Fragments]:
    margin = len(str(choices[-1][0]))
    labels = [fit(f"  {number:>{margin}}  {label}", width) for number, (_, label) in choices]
    return wrap(question, width, "bold") + [[("", label)] for label in labels]
