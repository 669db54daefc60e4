"""What players agree on: a draw, a move taken back, another game. Pure; does no I/O.

Each side may offer each of them once at a turn. A move withdraws what was offered before it.
"""

from __future__ import annotations

from noughts.games import Outcome, Reason, Side
from noughts.rooms.commands import (
    AcceptDraw,
    AcceptRematch,
    AcceptTakeback,
    DeclineDraw,
    DeclineRematch,
    DeclineTakeback,
    OfferCommand,
    OfferDraw,
    OfferRematch,
    OfferTakeback,
)
from noughts.rooms.errors import NoChange, Refused, must_be_playing, seated
from noughts.rooms.events import Declined, Ended, Event, Offer, Offered, Rematched, TakenBack
from noughts.rooms.room import Room

TAKEBACKS = 100
"""How often moves of a room are taken back: with it all about a room is bounded."""


def agree(room: Room, command: OfferCommand, at: int) -> Event | NoChange:
    """The event of an offer or of the answer to one. Raises :class:`Refused`."""
    match command:
        case OfferDraw() | AcceptDraw() | DeclineDraw():
            return _draw(room, command, at)
        case OfferTakeback() | AcceptTakeback() | DeclineTakeback():
            return _takeback(room, command, at)
        case OfferRematch() | AcceptRematch() | DeclineRematch():
            return _rematch(room, command, at)


def _draw(room: Room, command: OfferDraw | AcceptDraw | DeclineDraw, at: int) -> Event:
    side = seated(room, command.player)
    must_be_playing(room)
    invited = (side.other, "draw") in room.offers
    match command:
        case DeclineDraw() if invited:
            return Declined(at, side, "draw")
        # Two offers are an agreement.
        case AcceptDraw() | OfferDraw() if invited:
            return Ended(at, side, Outcome(None, Reason.AGREEMENT))
        case OfferDraw():
            if not room.begun:
                raise Refused("not_allowed", "A draw can be offered once each side has moved; you can abort.")
            return _offered(room, side, "draw", at)
    raise Refused("not_allowed", "No draw has been offered to you.")


def _takeback(room: Room, command: OfferTakeback | AcceptTakeback | DeclineTakeback, at: int) -> Event:
    side = seated(room, command.player)
    must_be_playing(room)
    invited = (side.other, "takeback") in room.offers
    match command:
        case DeclineTakeback() if invited:
            return Declined(at, side, "takeback")
        case AcceptTakeback() if invited:
            return TakenBack(at, side, room.plies_since_move_of(side.other))
        case OfferTakeback():
            return _offer_takeback(room, side, invited, at)
    raise Refused("not_allowed", "The other side has not asked to take a move back.")


def _offer_takeback(room: Room, side: Side, invited: bool, at: int) -> Offered | TakenBack:
    plies = room.plies_since_move_of(side)
    opponent = room.seat(side.other)
    if room.rated:
        raise Refused("not_allowed", "In a rated game no move is taken back.")
    if not plies:
        raise Refused("not_allowed", "You have no move to take back.")
    if invited:  # each would have another move undone
        raise Refused("not_allowed", "The other side asks to take a move back; answer that first.")
    if room.takebacks == TAKEBACKS:
        raise Refused("not_allowed", f"Moves have been taken back {TAKEBACKS} times; now they stand.")
    if opponent is not None and opponent.kind == "computer":
        return TakenBack(at, side.other, plies)
    return _offered(room, side, "takeback", at)


def _rematch(room: Room, command: OfferRematch | AcceptRematch | DeclineRematch, at: int) -> Event | NoChange:
    side = seated(room, command.player)
    opponent = room.seat(side.other)
    if room.status != "over" or opponent is None:
        raise Refused("not_allowed", "A rematch can be had once a game between two players is over.")
    if room.next is not None and not isinstance(command, DeclineRematch):
        return NoChange(room.version)
    invited = (side.other, "rematch") in room.offers
    match command:
        case DeclineRematch():
            if invited:
                return Declined(at, side, "rematch")
        case AcceptRematch():
            if invited:
                return Rematched(at, command.next)
        case OfferRematch():
            # A computer always plays again, and two offers are an agreement.
            if invited or opponent.kind == "computer":
                return Rematched(at, command.next)
            return _offered(room, side, "rematch", at)
    raise Refused("not_allowed", "No rematch has been offered to you.")


_IN_WORDS: dict[Offer, str] = {
    "draw": "a draw",
    "takeback": "to take a move back",
    "rematch": "a rematch",
}


def _offered(room: Room, side: Side, offer: Offer, at: int) -> Offered:
    if (side, offer) in room.offered:
        again = "already" if room.status == "over" else "already; you can again after the next move"
        raise Refused("not_allowed", f"You have offered {_IN_WORDS[offer]} {again}.")
    return Offered(at, side, offer)
