"""What somebody at a terminal has typed, and what is to be done about it. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from noughts_client.terminal.table import Table, printable
from noughts_client.terminal.words import HELP_OVER, HELP_WATCHING, can_play_again, helped


@dataclass(frozen=True)
class Send:
    """Send ``request``, and leave if that is said too."""

    request: dict[str, Any]
    leave: bool = False


@dataclass(frozen=True)
class Say:
    """Answer with ``text``. ``later`` means that the entry may be right at another time."""

    text: str
    later: bool = False


@dataclass(frozen=True)
class Switch:
    """Show what each move is worth, or no longer."""


@dataclass(frozen=True)
class Leave:
    """Leave."""


def understand(table: Table, line: str) -> Send | Say | Switch | Leave:
    """What ``line`` asks for at ``table``."""
    word = line.strip().casefold()
    if word in ("q", "quit", "exit"):
        return Leave()
    if word in ("h", "help", "?"):
        return Say(helped(table))
    if word in ("v", "values"):
        return Switch()
    if table.side is None:
        return Say(HELP_WATCHING) if word else Say("")
    if table.state["status"] == "over":
        return _after_the_end(table, word)
    if word == "resign":
        if table.state["status"] == "waiting":
            return Say("The game has not begun; q leaves.")
        return Send({"type": "resign", "room": table.room})
    return _move(table, word) if word else Say("")


def _after_the_end(table: Table, word: str) -> Send | Say | Leave:
    if table.state["next"] is not None:
        return Say("The next game is about to begin.", later=True)
    if not can_play_again(table):
        return Leave()
    theirs = table.offered_by not in (None, table.side)
    if word in ("y", "yes", "rematch"):
        if table.offered_by == table.side:
            return Say("You have offered it; wait for the answer.")
        return Send({"type": "accept_rematch" if theirs else "offer_rematch", "room": table.room})
    if word in ("", "n", "no"):
        return Send({"type": "decline_rematch", "room": table.room}, leave=True) if theirs else Leave()
    return Say(HELP_OVER)


def _move(table: Table, word: str) -> Send | Say:
    state = table.state
    if state["status"] == "waiting":
        return Say("The game begins when the other seat is taken.", later=True)
    if not table.my_turn and state["to_move"] is not None:
        return Say(f"It is not your turn: {table.name(state['to_move'])} is to move.", later=True)
    move = table.shown(word)
    if move in state["legal_moves"]:
        return Send({"type": "play", "room": table.room, "turn": state["turn"], "move": move})
    legal = sorted(map(table.shown, state["legal_moves"]))
    choice = f"one of {' '.join(legal)}" if len(legal) <= 9 else f"a move like {legal[0]}"
    if len(legal) == 1:
        choice = legal[0]
    symbols = [
        symbol
        for names, row in zip(table.game["layout"], state["rows"], strict=True)
        for name, symbol in zip(names, row, strict=True)
        if name == move
    ]
    if symbols and "." not in symbols:
        return Say(f"{word} is {'taken' if len(symbols) == 1 else 'full'}.")
    if symbols:
        return Say(f"{word} cannot be played now: type {choice}.")
    return Say(f"{printable(word)!r} is no move: type {choice}, or h for help.")
