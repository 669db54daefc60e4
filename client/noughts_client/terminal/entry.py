"""What somebody at a terminal has typed, and what is to be done about it. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from noughts_client.terminal.help import HELP_OVER, HELP_WATCHING, helped
from noughts_client.terminal.table import Table, printable
from noughts_client.terminal.words import can_play_again


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
    """Leave, and look for another opponent if that is said too."""

    seek: bool = False


Action = Send | Say | Switch | Leave


def understand(table: Table, line: str) -> Action:
    """What ``line`` asks for at ``table``.

    A word that is both a move and a command is the move; with ``/`` before it, it is the command.
    """
    line = line.strip()
    if line.startswith("'"):
        return _talk(table, line[1:])
    if table.side is not None and table.state["status"] == "playing" and _is_a_move(table, line):
        return _move(table, line)
    word = line.casefold().removeprefix("/")
    if word.split(maxsplit=1)[:1] == ["say"]:
        return _talk(table, line.removeprefix("/")[len("say") :])
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
    return _command(table, word) or (_move(table, line) if line else Say(""))


def _talk(table: Table, words: str) -> Send | Say:
    words = words.strip()
    if not words:
        return Say("Type ' and then what you want to say.")
    return Send({"type": "chat", "room": table.room, "text": words})


_COMMANDS: dict[str, dict[str, str]] = {
    "draw": {"type": "offer_draw"},
    "takeback": {"type": "offer_takeback"},
    "abort": {"type": "abort"},
    "resign": {"type": "resign"},
    "claim": {"type": "claim", "result": "win"},
    "claim win": {"type": "claim", "result": "win"},
    "claim draw": {"type": "claim", "result": "draw"},
}


def _command(table: Table, word: str) -> Send | Say | None:
    """What is asked for while the game is not over; None when ``word`` is no command."""
    if word in _COMMANDS:
        if table.state["status"] == "waiting":
            return Say("The game has not begun; q leaves.")
        return Send({**_COMMANDS[word], "room": table.room})
    answer = {"y": "accept", "yes": "accept", "n": "decline", "no": "decline"}.get(word, word)
    if answer in ("accept", "decline"):
        offer = table.offered_to_me
        if offer is None:
            return Say("Nothing has been offered to you.")
        return Send({"type": f"{answer}_{offer['offer']}", "room": table.room})
    return None


def _after_the_end(table: Table, word: str) -> Send | Say | Leave:
    if table.state["next"] is not None:
        return Say("The next game is about to begin.", later=True)
    seek = table.sought is not None and word in ("s", "seek")
    if not can_play_again(table):
        return Leave(seek=seek)
    theirs = table.offered_by not in (None, table.side)
    if word in ("y", "yes", "rematch", "accept"):
        if table.offered_by == table.side:
            return Say("You have offered it; wait for the answer.")
        return Send({"type": "accept_rematch" if theirs else "offer_rematch", "room": table.room})
    if seek:
        return Leave(seek=True)
    if word in ("", "n", "no", "decline"):
        return Send({"type": "decline_rematch", "room": table.room}, leave=True) if theirs else Leave()
    return Say(HELP_OVER)


def _matches(table: Table, typed: str, names: Iterable[str]) -> list[str]:
    """The moves among ``names`` that ``typed`` can mean: the one written exactly so, else those that differ in case."""
    move = table.shown(typed)
    distinct = dict.fromkeys(names)
    return [move] if move in distinct else [name for name in distinct if name.casefold() == move.casefold()]


def _cells(table: Table) -> list[str]:
    return [name for names in table.game["layout"] for name in names]


def _is_a_move(table: Table, typed: str) -> bool:
    return bool(_matches(table, typed, [*table.state["legal_moves"], *_cells(table)]))


def _move(table: Table, typed: str) -> Send | Say:
    state = table.state
    if state["status"] == "waiting":
        return Say("The game begins when the other seat is taken.", later=True)
    if not table.my_turn and state["to_move"] is not None:
        return Say(f"It is not your turn: {table.name(state['to_move'])} is to move.", later=True)
    moves = _matches(table, typed, state["legal_moves"])
    if len(moves) > 1:
        return Say(f"{typed} could be {' or '.join(sorted(moves))}: type it with its capitals.")
    if moves:
        return Send({"type": "play", "room": table.room, "turn": state["turn"], "move": moves[0]})
    legal = sorted(map(table.shown, state["legal_moves"]))
    choice = f"one of {' '.join(legal)}" if len(legal) <= 9 else f"a move like {legal[0]}"
    if len(legal) == 1:
        choice = legal[0]
    cells = _matches(table, typed, _cells(table))
    symbols = [
        symbol
        for names, row in zip(table.game["layout"], state["rows"], strict=True)
        for name, symbol in zip(names, row, strict=True)
        if name in cells
    ]
    if symbols and "." not in symbols:
        return Say(f"{typed} is {'taken' if len(symbols) == 1 else 'full'}.")
    if symbols:
        return Say(f"{typed} cannot be played now: type {choice}.")
    return Say(f"{printable(typed)!r} is not a move: type {choice}, or h for help.")
