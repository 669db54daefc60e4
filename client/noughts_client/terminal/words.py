"""What happens at a table, in words for its viewer. Pure; does no I/O."""

from __future__ import annotations

from noughts.protocol import Update
from noughts.protocol.messages import OutcomeInfo, SideName
from noughts_client.terminal.table import Table, other

IDLE = "> "
"""What stands before what is typed while nothing is asked."""

HELP = (
    "Type a move to play it, 'resign' to give the game up, 'values' to see what each move is worth, q to leave, "
    "h for this help; the arrow keys scroll."
)
HELP_WATCHING = "You are watching; 'values' shows what each move is worth, q leaves."
HELP_VALUES = (
    "What a move is worth is seen by the side to move: above 0 it wins, below 0 it loses, 0 draws, ~ is not exact; "
    "the best are in (). 'values' hides it."
)
HELP_WAITING = "The game begins when somebody takes the other seat; q closes the room and leaves."
HELP_OVER = "The game is over: y plays again, n leaves."
HELP_AT_AN_END = "The game is over, and there is no rematch; Enter leaves."

# The winner's and the loser's part in the end of a game; what is left out is clear without words.
_WINNER_DID = {"line": "has a line", "count": "has more"}
_LOSER_DID = {
    "resignation": "resigned",
    "time": "ran out of time",
    "abandonment": "did not come back",
    "forfeit": "forfeited the game",
}
_UNDECIDED = {
    "draw": "Drawn.",
    "count": "Drawn: both have as many.",
    "agreement": "Drawn by agreement.",
    "abandonment": "Nobody came back, and the game was closed.",
    "aborted": "Nobody took the other seat, and the game was closed.",
}


def result(table: Table, outcome: OutcomeInfo) -> str:
    """How the game ended."""
    winner, reason = outcome["winner"], outcome["reason"]
    if winner is None:
        return _UNDECIDED.get(reason, f"Drawn ({reason}).")
    loser = other(winner)
    who_won = "You win" if table.side == winner else f"{table.name(winner)} wins"
    if table.side == loser:
        who_won = "You lose"
    if reason in _WINNER_DID:
        return "You win." if table.side == winner else f"{who_won}: {table.name(winner)} {_WINNER_DID[reason]}."
    if reason in _LOSER_DID:
        return f"{who_won}: {'you' if table.side == loser else table.name(loser)} {_LOSER_DID[reason]}."
    return f"{who_won} ({reason})."


def status(table: Table) -> str:
    """Where the game stands."""
    state = table.state
    if state["outcome"] is not None:
        return result(table, state["outcome"])
    to_move = state["to_move"]
    if state["status"] == "waiting" or to_move is None:
        return "Waiting for an opponent."
    if table.my_turn:
        return f"Your turn: there is only {state['legal_moves'][0]}." if table.must_pass else "Your turn."
    seat = state["seats"][to_move]
    if seat is not None and seat["kind"] == "computer":
        return f"{table.name(to_move)} is thinking."
    return f"{table.name(to_move)} is to move."


def question(table: Table) -> str:
    """What the viewer is asked for; it stands before what is typed."""
    if table.state["status"] == "playing":
        return "Your move: " if table.my_turn else IDLE
    if table.state["status"] == "waiting" or table.side is None:
        return "q leaves: "
    if not can_play_again(table):
        return "Enter leaves: "
    if table.offered_by == table.side:
        return "Waiting for an answer; q leaves: "
    if table.offered_by is not None:
        return f"{table.name(table.offered_by)} wants to play again. Do you? [y/N] "
    return "Play again? [y/N] "


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
            return HELP_OVER if can_play_again(table) else HELP_AT_AN_END
        case _:
            return HELP


def can_play_again(table: Table) -> bool:
    """Whether the game is over, was between two players, and the other one has not said no, or no longer."""
    if table.state["status"] != "over" or None in table.state["seats"].values():
        return False
    return not table.declined or table.offered_by is not None


def happened(table: Table, update: Update) -> str:
    """What ``update`` tells, which is the last that happened at ``table``; empty where the view shows it all."""
    event = update["event"]
    side: SideName | None = event.get("side")
    if side is None or side == table.side:
        return ""
    match event["kind"]:
        case "joined":
            return f"{table.name(side)} has sat down."
        case "played":
            return f"{table.name(side)} played {table.shown(event['move'])}."
        case "disconnected":
            return f"{table.name(side)} is away."
        case "returned":
            return f"{table.name(side)} is back."
        case "offered":
            return f"{table.name(side)} offers a rematch."
        case "declined":
            return f"{table.name(side)} does not want a rematch."
        case _:
            return ""
