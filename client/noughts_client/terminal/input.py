"""A line typed at a table, and what it asks for. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from noughts.columns import printable
from noughts_client.terminal.status import can_play_again
from noughts_client.terminal.table import Table
from noughts_client.terminal.text import LEAVE

HELP = (
    "Type a move to play it. 'draw' offers a draw, 'takeback' asks to take your move back; y and n answer an offer, "
    "and n withdraws your own. 'abort' closes the game before each side has moved, 'resign' gives it up, 'claim' ends "
    "it when your opponent has left, or as a draw where the rules let you. To chat, type ' before your message. 'mute' "
    "hides what your opponent says, 'unmute' ends that, and 'report' with a reason tells the operator. 'values' shows "
    "what each move is worth. q leaves, the arrow keys scroll. If a move has the name of a command, type / before the "
    "command."
)
HELP_TOURNAMENT = "In a tournament whoever aborts the game loses its point."
HELP_WATCHING = (
    "You are watching. 'values' shows what each move is worth. To chat with the other spectators, type ' before your "
    "message. q leaves."
)
HELP_VALUES = (
    "Values are for the side to move: above 0 it wins, below 0 it loses, 0 is a draw, ~ is an estimate. Moves that are "
    "proved best are in ( ). 'values' hides them."
)
HELP_WAITING = "The game begins when somebody takes the other seat. q closes the room and leaves."
HELP_OVER = "The game is over: y plays again, n leaves. To chat, type ' before your message."
HELP_SEEK = " s looks for another opponent."
HELP_NO_REMATCH = "The game is over, and there is no rematch. Enter leaves."


@dataclass(frozen=True)
class Send:
    """Send ``request``, and then leave if ``leave`` is set. ``done`` is shown once it is carried out."""

    request: dict[str, Any]
    leave: bool = False
    done: str = ""


@dataclass(frozen=True)
class Say:
    """Show ``text``. ``later`` means that the same line may become valid."""

    text: str
    later: bool = False


@dataclass(frozen=True)
class Ask:
    """Ask whether to resign or to abort, which ``request`` does."""

    request: dict[str, Any]


@dataclass(frozen=True)
class Help:
    """Show the rules of the game and what can be typed."""


@dataclass(frozen=True)
class ToggleValues:
    """Show or hide what each move is worth."""


@dataclass(frozen=True)
class Leave:
    """Leave, and then look for another opponent if ``seek`` is set."""

    seek: bool = False


Action = Send | Say | Ask | Help | ToggleValues | Leave


def parse(table: Table, line: str) -> Action:
    """The action that ``line`` asks for.

    A word that is both a move and a command is the move; with ``/`` before it, it is the command.
    """
    line = line.strip()
    if line.startswith("'"):
        return _chat(table, line[1:])
    if table.helping and line.casefold() in ("", *LEAVE):
        return Say("")
    if table.resigning and line.casefold() in ("", "y", "yes", "n", "no"):
        if line.casefold() in ("y", "yes"):
            return Send({"type": table.resigning, "room": table.room})
        return Say("You play on.")
    if table.side is not None and table.state["status"] == "playing" and _is_a_move(table, line):
        return _move(table, line)
    word = line.casefold().removeprefix("/")
    if word.split(maxsplit=1)[:1] == ["say"]:
        return _chat(table, line.removeprefix("/")[len("say") :])
    if (manners := _manners(table, line.removeprefix("/"))) is not None:
        return manners
    if word in (*LEAVE, "exit"):
        return Leave()
    if word in ("h", "help", "?", "rules"):
        return Help()
    if word in ("v", "values"):
        return ToggleValues()
    if table.side is None:
        return Say(HELP_WATCHING) if word else Say("")
    if table.state["status"] == "over":
        return _after_the_end(table, word)
    return _command(table, word) or (_move(table, line) if line else Say(""))


def help_text(table: Table) -> list[str]:
    """All that can be typed now, in paragraphs."""
    values = [HELP_VALUES] if table.values and table.state["to_move"] is not None else []
    if table.side is None:
        return [HELP_WATCHING, *values]
    match table.state["status"]:
        case "waiting":
            return [HELP_WAITING]
        case "over":
            return [(HELP_OVER if can_play_again(table) else HELP_NO_REMATCH) + (HELP_SEEK if table.seek else "")]
        case _:
            return [HELP, *([HELP_TOURNAMENT] if "tournament" in table.options else []), *values]


def _chat(table: Table, text: str) -> Send | Say:
    text = text.strip()
    if not text:
        return Say("To chat, type ' before your message.")
    return Send({"type": "chat", "room": table.room, "text": text})


def _manners(table: Table, line: str) -> Send | Say | None:
    """The action about an opponent who misbehaves; None if the line asks for no such thing."""
    opponent = table.opponent
    if opponent is None or opponent["kind"] == "computer":
        return None
    word, _, reason = line.partition(" ")
    player, name = opponent["id"], printable(opponent["name"])
    match word.casefold(), bool(reason.strip()):
        case "mute", False:
            done = f"You see nothing more of what {name} says, also in other games. 'unmute' ends that."
            return Send({"type": "mute", "player": player}, done=done)
        case "unmute", False:
            return Send({"type": "mute", "player": player, "muted": False}, done=f"You see what {name} says again.")
        case "report", False:
            return Say("Type the reason, too: report REASON.")
        case "report", True:
            reported = {"type": "report", "room": table.room, "player": player, "reason": reason.strip()}
            return Send(reported, done=f"You have reported {name} to the server's operator.")
    return None


_COMMANDS: dict[str, dict[str, str]] = {
    "draw": {"type": "offer_draw"},
    "takeback": {"type": "offer_takeback"},
    "abort": {"type": "abort"},
    "claim": {"type": "claim", "result": "win"},
    "claim win": {"type": "claim", "result": "win"},
    "claim draw": {"type": "claim", "result": "draw"},
}


def _command(table: Table, word: str) -> Send | Ask | Say | None:
    """The action for a command of a player before the end; None if ``word`` is not one."""
    if word in _COMMANDS or word == "resign":
        if table.state["status"] == "waiting":
            return Say("The game has not begun. q leaves.")
        if word == "resign" or (word == "abort" and "tournament" in table.options):
            return Ask({"type": word, "room": table.room})
        by_rule = word in ("claim", "claim draw") and table.my_turn and "claim_draw" in table.state
        return Send({**({"type": "claim_draw"} if by_rule else _COMMANDS[word]), "room": table.room})
    answer = {"y": "accept", "yes": "accept", "n": "decline", "no": "decline"}.get(word, word)
    if answer in ("accept", "decline"):
        offers = table.state["offers"][-1:] if answer == "decline" and table.side else []  # one's own can be withdrawn
        offer = table.offer_to_me or (offers[0] if offers else None)
        if offer is None:
            return Say("There is no offer to answer.")
        return Send({"type": f"{answer}_{offer['offer']}", "room": table.room})
    return None


def _after_the_end(table: Table, word: str) -> Send | Say | Leave:
    if table.state["next"] is not None:
        return Say("The next game is about to begin.", later=True)
    seek = table.seek is not None and word in ("s", "seek")
    if not can_play_again(table):
        return Leave(seek=seek)
    offered_to_me = table.rematch_offered_by not in (None, table.side)
    if word in ("y", "yes", "rematch", "accept"):
        if table.rematch_offered_by == table.side:
            return Say("You have offered a rematch. Wait for the answer.")
        return Send({"type": "accept_rematch" if offered_to_me else "offer_rematch", "room": table.room})
    if seek:
        return Leave(seek=True)
    if word in ("", "n", "no", "decline"):
        offered = table.rematch_offered_by is not None
        return Send({"type": "decline_rematch", "room": table.room}, leave=True) if offered else Leave()
    return Say(HELP_OVER)


def _matches(table: Table, typed: str, names: Iterable[str]) -> list[str]:
    """The moves among ``names`` that ``typed`` can mean: the exact one, or else those that differ only in case."""
    move = table.shown(typed)
    distinct = dict.fromkeys(names)
    return [move] if move in distinct else [name for name in distinct if name.casefold() == move.casefold()]


def _cells(table: Table) -> list[str]:
    return [name for names in table.game["layout"] for name in names]


def _is_a_move(table: Table, typed: str) -> bool:
    return bool(_matches(table, typed, [*table.state["legal_moves"], *filter(None, _cells(table))]))


def _move(table: Table, typed: str) -> Send | Say:
    """The action for a move. What is a cell but no legal move is sent too: the server says why it is refused."""
    state = table.state
    if state["status"] == "waiting":
        return Say("The game begins when somebody takes the other seat.", later=True)
    if not table.my_turn and state["to_move"] is not None:
        return Say(f"It is not your turn: {table.name(state['to_move'])} to move.", later=True)
    if not table.moves_are_cells:  # the game reads what is typed, and says what is wrong
        return Send({"type": "play", "room": table.room, "turn": state["turn"], "move": typed.strip()})
    moves = _matches(table, typed, state["legal_moves"])
    if len(moves) > 1:
        return Say(f"{typed} could be {' or '.join(sorted(moves))}: type it with the same capitals.")
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
    if symbols and "." not in symbols and "counts" not in state:  # a pit is never taken: the server says what is wrong
        return Say(f"{typed} is {'taken' if len(symbols) == 1 else 'full'}.")
    if len(set(cells)) == 1:
        return Send({"type": "play", "room": table.room, "turn": state["turn"], "move": cells[0]})
    return Say(f"{printable(typed)!r} is not a move: type {choice}, or h for help.")
