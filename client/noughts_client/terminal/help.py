"""What somebody at a terminal can type, in words. Pure; does no I/O."""

from __future__ import annotations

from noughts_client.terminal.table import Table
from noughts_client.terminal.words import can_play_again

HELP = (
    "Type a move to play it; 'draw', 'takeback' to offer or ask for it, 'accept' or 'decline' (y, n) to answer; "
    "'abort' before each side has moved, 'resign' later, 'claim' when the other has gone for long. "
    "' and words (or /say words) talk. 'values' shows what each move is worth. q leaves, the arrow keys scroll. "
    "Where a word is also a move, put / before it."
)
HELP_WATCHING = (
    "You are watching; 'values' shows what each move is worth, ' and words (or /say words) talk to the others who "
    "watch, q leaves."
)
HELP_VALUES = (
    "What a move is worth is seen by the side to move: above 0 it wins, below 0 it loses, 0 draws, ~ is not exact; "
    "the best are in (). 'values' hides it."
)
HELP_WAITING = "The game begins when somebody takes the other seat; q closes the room and leaves."
HELP_OVER = "The game is over: y plays again, n leaves, ' and words (or /say words) talk."
HELP_SEEK = " s looks for another opponent."
HELP_AT_AN_END = "The game is over, and there is no rematch; Enter leaves."


def helped(table: Table) -> str:
    """What the viewer can do now."""
    if table.values and table.state["to_move"] is not None:
        return HELP_VALUES
    if table.side is None:
        return HELP_WATCHING
    match table.state["status"]:
        case "waiting":
            return HELP_WAITING
        case "over":
            return (HELP_OVER if can_play_again(table) else HELP_AT_AN_END) + (HELP_SEEK if table.sought else "")
        case _:
            return HELP
