"""What happens at a table, in words for its viewer. Pure; does no I/O."""

from __future__ import annotations

from noughts.protocol import Update
from noughts.protocol.messages import Listing, OutcomeInfo, SideName
from noughts_client.terminal.clocks import runs
from noughts_client.terminal.table import Table, called, other, rating

FIRST_MOVES = "The clocks start once each side has moved; each first move has a minute."

IDLE = "> "
"""What stands before what is typed while nothing is asked."""

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
    "aborted": "Closed before the game had begun.",
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


def how_it_ended(listing: Listing) -> str:
    """The end of a game that is listed, in a word or two."""
    winner = listing["outcome"]["winner"]
    seat = listing["seats"][winner] if winner else None
    if seat is not None:
        return f"{called(seat)} won"
    return "closed" if listing["outcome"]["reason"] in ("aborted", "abandonment") else "drawn"


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
    if seat is not None and seat["kind"] == "computer" and table.still_at is None:
        return f"{table.name(to_move)} is thinking."
    return f"{table.name(to_move)} is to move."


def standing(table: Table, here_ms: float) -> list[str]:
    """What stands besides, each in a sentence: why no clock runs, offers, and what can be claimed."""
    state, told = table.state, []
    clock = state["clock"] if table.still_at is None else None  # in a replay they all stand
    if clock is not None and state["status"] == "playing" and not runs(clock, table.now(here_ms)):
        told.append("The clocks stand." if clock["running"] else FIRST_MOVES)
    for offer in state["offers"]:
        mine = offer["side"] == table.side
        what = _DO[offer["offer"]] if mine else f"{table.name(offer['side'])} {_DOES[offer['offer']]}"
        asked = offer == table.offered_to_me and state["status"] == "playing"
        told.append(f"{what}: y accepts, n declines." if asked else f"{what}.")
    if table.sought and state["status"] == "over":
        told.append("Type s to look for another opponent.")
    away_ms, opponent = table.away_ms(here_ms), other(table.side or "first")
    if away_ms is not None:
        who = table.name(opponent)
        if away_ms > 0:
            told.append(f"{who} is away: in {_seconds(away_ms)} s you can claim the game.")
        else:
            told.append(f"{who} is away: 'claim' wins the game, 'claim draw' draws it.")
    return told


_DO = {
    "draw": "You have offered a draw",
    "takeback": "You have asked to take your move back",
    "rematch": "You have offered a rematch",
}
_DOES = {"draw": "offers a draw", "takeback": "asks to take a move back", "rematch": "wants to play again"}


def _seconds(ms: float) -> int:
    """In whole seconds, rounded up: 0 is when it is so."""
    return -int(-ms // 1000)


def question(table: Table) -> str:
    """What the viewer is asked for; it stands before what is typed."""
    if table.state["status"] == "playing":
        return "Your move: " if table.my_turn else IDLE
    if table.state["status"] == "waiting" or table.side is None:
        return "q leaves: "
    another = ", s seeks" if table.sought else ""
    if not can_play_again(table):
        return f"Enter leaves{another}: "
    if table.offered_by == table.side:
        return f"q leaves{another}: "
    return f"Play again? [y/N{'/s' if table.sought else ''}] "


def can_play_again(table: Table) -> bool:
    """Whether the game is over, was between two players, and the other one has not said no, or no longer."""
    if table.state["status"] != "over" or None in table.state["seats"].values():
        return False
    return not table.declined or table.offered_by is not None


def happened(table: Table, update: Update) -> str:
    """What ``update`` tells, which is the last that happened at ``table``; empty where the view shows it all."""
    event = update["event"]
    side: SideName | None = event.get("side")
    match event["kind"]:
        case "ended":
            return _end(table, side, event["outcome"])
        case "taken_back":
            return "A move was taken back." if event["plies"] == 1 else f"{event['plies']} moves were taken back."
        case "paused":
            return f"The server was away; {event['ms'] / 1000:.0f} s are charged to nobody."
    if side is None or side == table.side:
        return ""
    who = table.name(side)
    match event["kind"]:
        case "joined":
            seat = table.state["seats"][side]
            return f"{who}{rating(seat) if seat else ''} has sat down."
        case "played":
            return f"{who} played {table.shown(event['move'])}."
        case "disconnected":
            return "" if table.away_ms(0) is not None else f"{who} is away."  # else the view tells more
        case "returned":
            return f"{who} is back."
        case "declined":
            return f"{who} {_DECLINES[event['offer']]}."
        case _:
            return ""


def _end(table: Table, side: SideName | None, outcome: OutcomeInfo) -> str:
    """What the end that ``side`` has made, or time, tells besides the outcome."""
    who = "You have" if side and side == table.side else f"{table.name(side)} has" if side else ""
    match outcome["reason"]:
        case "aborted" if side:
            return f"{who} closed it."
        case "aborted" if None not in table.state["seats"].values():
            late: SideName = "second" if table.state["ply"] else "first"
            return f"{'You have' if late == table.side else f'{table.name(late)} has'} not moved within a minute."
        case "draw" if side:  # one on the board comes with a move
            return f"{who} claimed the draw."
    return ""


_DECLINES = {
    "draw": "declines the draw",
    "takeback": "does not want the move taken back",
    "rematch": "does not want a rematch",
}
