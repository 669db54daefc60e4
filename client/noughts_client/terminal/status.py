"""The state of a game, its events and the prompt, in sentences for the viewer. Pure; does no I/O."""

from __future__ import annotations

from noughts.columns import printable
from noughts.games.paths import cells_of
from noughts.protocol.player_messages import PlayerPage
from noughts.protocol.room_messages import Listing, OutcomeInfo, SideName, Update
from noughts.protocol.words import ended, has_result
from noughts_client.terminal.clocks import runs
from noughts_client.terminal.table import Table, display_name, display_rating, other
from noughts_client.terminal.text import IDLE

FIRST_MOVES = "The clocks start once each side has moved. A first move has a minute."


def result(table: Table, outcome: OutcomeInfo) -> str:
    """The end of the game."""
    winner = outcome["winner"]
    lost = winner is not None and table.side not in (None, winner)
    who_won = None if winner is None else "You lost" if lost else f"{'You' if table.side else table.name(winner)} won"
    lead, score, boards = table.state.get("lead"), table.state.get("score"), "block" in table.game
    reason, cells = outcome["reason"], outcome["cells"]
    return printable(ended(who_won, reason, table.words, lost=lost, cells=cells, lead=lead, boards=boards, score=score))


def short_result(listing: Listing) -> str:
    """The end of a listed game, in a word or two."""
    outcome = listing["outcome"]
    seat = listing["seats"][outcome["winner"]] if outcome["winner"] else None
    if seat is not None:
        return f"{display_name(seat)} won"
    return "draw" if has_result(None, outcome["reason"]) else "closed"


def status(table: Table) -> str:
    """The side to move, or the end of the game."""
    state = table.state
    if state["outcome"] is not None:
        return result(table, state["outcome"])
    if "rules_changed" in state:
        return "The game has stopped."
    to_move = state["to_move"]
    if state["status"] == "waiting" or to_move is None:
        return "Waiting for an opponent."
    if table.my_turn:
        return _turn(table)
    seat = state["seats"][to_move]
    if seat is not None and seat["kind"] == "computer" and table.frozen_at is None:
        return f"{table.name(to_move)} is thinking."
    return f"{table.name(to_move)} to move."


def _turn(table: Table) -> str:
    """The viewer's turn, and what can be played that is not on the board."""
    legal = table.state["legal_moves"]
    if table.must_pass:
        return f"Your turn: your only move is {legal[0]}."
    names = {name for row in table.game["layout"] for name in row}
    others = [printable(move) for move in legal if not cells_of(move, names)[0]]
    if not others:
        return "Your turn."
    *most, last = ["a cell", *others] if len(others) < len(legal) else others
    return f"Your turn: {', '.join(most)} or {last}."


def remarks(table: Table, local_ms: float) -> list[str]:
    """Whatever else holds, in a sentence each: why no clock runs, which offers stand, what can be claimed."""
    state, sentences = table.state, []
    why = table.options.get("unrated_because")
    if why is not None and state["status"] != "over":
        sentences.append(printable(table.words["unrated"].get(why, "This game is not rated.")))
    if "rules_changed" in state:
        sentences.append(printable(table.words["rules_changed"]))
    clock = state["clock"] if table.frozen_at is None else None  # in a replay no clock ever runs
    if clock is not None and state["to_move"] is not None and not runs(clock, table.server_ms(local_ms)):
        sentences.append("The clocks are stopped for a moment." if clock["running"] else FIRST_MOVES)
    for offer in state["offers"]:
        mine = offer["side"] == table.side
        sentence = _MY_OFFER[offer["offer"]] if mine else f"{table.name(offer['side'])} {_OFFER[offer['offer']]}"
        if mine and offer["offer"] == "rematch" and table.opponent and not table.opponent["online"]:
            sentence += f", but {table.name(other(offer['side']))} is away"
        to_answer = offer == table.offer_to_me and state["status"] == "playing"
        sentences.append(f"{sentence}: y accepts, n declines." if to_answer else f"{sentence}.")
    if table.rating and state["status"] == "over":
        sentences.append(table.rating)
    if table.seek and state["status"] == "over":
        sentences.append("Type s to look for another opponent.")
    if (reason := state.get("claim_draw")) is not None and table.my_turn:
        how = table.words["endings"].get(reason, {}).get("how", f"by {reason}")
        sentences.append(printable(f"You can claim a draw {how}: type 'claim'."))
    claimable_in, opponent = table.claimable_in_ms(local_ms), other(table.side or "first")
    if claimable_in is not None:
        name = table.name(opponent)
        if claimable_in > 0:
            seconds = -int(-claimable_in // 1000)  # rounded up, so that 0 means now
            sentences.append(f"{name} is away. You can claim the game in {seconds} s.")
        else:
            sentences.append(f"{name} is away: 'claim' wins the game, 'claim draw' draws it.")
    return sentences


_MY_OFFER = {
    "draw": "You have offered a draw",
    "takeback": "You have asked for a takeback",
    "rematch": "You have offered a rematch",
}
_OFFER = {"draw": "offers a draw", "takeback": "asks for a takeback", "rematch": "offers a rematch"}


def rating_change(table: Table, page: PlayerPage) -> str | None:
    """The change of the viewer's rating by the game that is over, from the viewer's profile; None if it is not rated
    yet."""
    if table.side is None:
        return None
    seat = table.state["seats"][table.side]
    for course in page["course"]:
        times = [point["at"] for point in course["points"]]
        if course["game"] != table.game["key"] or table.ended_at not in times:
            continue
        index = times.index(table.ended_at)
        after = course["points"][index]["rating"]
        before = course["points"][index - 1]["rating"] if index else seat.get("rating") if seat else None
        ratings = (one for one in page["ratings"] if (one["game"], one["pool"]) == (course["game"], course["pool"]))
        provisional = "?" if next((one["provisional"] for one in ratings), False) else ""
        if before is None:
            return f"Your first rating: {after}{provisional}."
        return f"Your rating: {before} -> {after}{provisional} ({after - before:+})."
    return None


_TO_CONFIRM = {"resign": "Resign this game?", "abort": "You lose the point of this game. Forfeit it?"}


def prompt(table: Table) -> str:
    """The question to the viewer."""
    if table.helping:
        return "Enter to go back: "
    if table.resigning:
        return f"{_TO_CONFIRM[table.resigning]} [y/N] "
    if table.state["status"] == "playing":
        return "Your move: " if table.my_turn else IDLE
    if table.state["status"] == "waiting" or table.side is None:
        return "q to leave: "
    seek = ", s to seek" if table.seek else ""
    if not can_play_again(table):
        return f"Enter to leave{seek}: "
    if table.rematch_offered_by == table.side:
        return f"q to leave{seek}: "
    return f"Play again? [y/N{'/s' if table.seek else ''}] "


def can_play_again(table: Table) -> bool:
    """True if a rematch is still possible: the game is over, had two players, and the opponent has not declined."""
    if table.state["status"] != "over" or None in table.state["seats"].values():
        return False
    return not table.rematch_declined or table.rematch_offered_by is not None


def event_notice(table: Table, update: Update, before: Table | None = None) -> str:
    """A sentence about ``update``, the last event at ``table``; empty if the view shows everything about it.

    With the table as it was ``before``, it says so if a move has declined the viewer's offer, and who has
    withdrawn one.
    """
    event = update["event"]
    side: SideName | None = event.get("side")
    withdrawn = before is not None and withdraws(before, update)
    match event["kind"]:
        case "ended":
            return _end_notice(table, side, event["outcome"])
        case "taken_back":
            return "A move was taken back." if event["plies"] == 1 else f"{event['plies']} moves were taken back."
        case "paused" if event.get("cause") == "queue":
            return f"The computer was busy with other games for {event['ms'] / 1000:.1f} s; neither clock ran."
        case "paused":
            return f"The server was down for {event['ms'] / 1000:.0f} s; neither clock ran."
    if event["kind"] == "declined" and side == table.side:
        return f"You {'withdrew the offer of a' if withdrawn else 'declined the'} {event['offer']}."
    if side is None or side == table.side:
        return ""
    name = table.name(side)
    match event["kind"]:
        case "joined":
            seat = table.state["seats"][side]
            return f"{name}{display_rating(seat) if seat else ''} has joined."
        case "played":
            declined = "" if before is None else _declined_by_a_move(before)
            names = table.state.get("names")
            move = names[-1] if names else table.shown(event["move"])
            return f"{name} played {move}{declined}."
        case "disconnected":
            return "" if table.claimable_in_ms(0) is not None else f"{name} is away."  # else the view says more
        case "returned":
            return f"{name} is back."
        case "declined":
            return f"{name} {'withdraws the offer of a' if withdrawn else 'declines the'} {event['offer']}."
        case _:
            return ""


def withdraws(before: Table, update: Update) -> bool:
    """True if somebody has withdrawn an offer, with the table as it was ``before``."""
    event = update["event"]
    return event["kind"] == "declined" and {"side": event["side"], "offer": event["offer"]} in before.state["offers"]


def _declined_by_a_move(before: Table) -> str:
    """That the opponent's move has declined what the viewer had offered ``before``."""
    offered = [offer["offer"] for offer in before.state["offers"] if offer["side"] == before.side]
    return f", and so declined the {offered[-1]}" if offered else ""


def _end_notice(table: Table, side: SideName | None, outcome: OutcomeInfo) -> str:
    """The side that ended the game, where the outcome does not say it. ``side`` is None if time or the server did."""
    subject = "You" if side and side == table.side else table.name(side) if side else ""
    match outcome["reason"]:
        case "aborted" if side:
            return f"{subject} closed the game."
        case "aborted" if None not in table.state["seats"].values():
            late: SideName = "second" if table.state["ply"] else "first"
            return f"{'You' if late == table.side else table.name(late)} did not move within a minute."
        case "draw" if side:  # a draw on the board comes with a move
            return f"{subject} claimed the draw."
    return ""
