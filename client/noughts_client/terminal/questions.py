"""What is asked before a game."""

from __future__ import annotations

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


async def choose(screen: Screen, asked: str, choices: list[tuple[str, str]]) -> str:
    """The value of the choice taken from (value, label), the first if nothing is typed. Raises EOFError."""
    note = ""
    while True:
        screen.show(Page(partial(_choices, asked, choices), "[1] > ", note))
        line = (await screen.line()).strip().casefold()
        if line in ("q", "quit"):
            raise EOFError
        for number, (value, label) in enumerate(choices, 1):
            if line in (str(number), value.casefold(), label.casefold()) or (not line and number == 1):
                return value
        note = f"Type a number, 1 to {len(choices)}, or q to leave."


async def ask(screen: Screen, asked: str, note: str = "") -> str:
    """What is typed. Raises EOFError."""
    screen.show(Page(lambda width, _: text(asked, width, "bold"), "> ", note))
    return (await screen.line()).strip()


def _choices(asked: str, choices: list[tuple[str, str]], width: int, _: float) -> list[Fragments]:
    labels = [fit(f"  {number}  {label}", width) for number, (_, label) in enumerate(choices, 1)]
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


async def which_clock(screen: Screen, wanted: str | None, *, ask_for: bool) -> Control | None:
    """The clock that is wanted; none where nothing is said, and there is nothing to ask. Raises Closed, EOFError."""
    if wanted is not None:
        try:
            return time_control(wanted)
        except ValueError as error:
            raise Closed(str(error)) from error
    note = ""
    while ask_for:
        try:
            return time_control(await ask(screen, CLOCK, note))
        except ValueError as error:
            note = str(error)
    return None
