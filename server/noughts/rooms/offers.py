"""Offers and their answers: draws, takebacks, rematches. Pure; does no I/O.

Each side may make each offer once per turn. A move withdraws all offers.
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
from noughts.rooms.errors import NoChange, Refused
from noughts.rooms.events import Declined, Ended, Event, Offer, Offered, Rematched, TakenBack
from noughts.rooms.room import Room, must_be_playing, must_be_seated

TAKEBACKS = 100
"""How many takebacks a room allows, so that its length is bounded."""


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
    side = must_be_seated(room, command.player)
    must_be_playing(room)
    invited = (side.other, "draw") in room.offers
    match command:
        case DeclineDraw() if invited:
            return Declined(at, side, "draw")
        # Two offers make an agreement.
        case AcceptDraw() | OfferDraw() if invited:
            return Ended(at, side, Outcome(None, Reason.AGREEMENT))
        case OfferDraw():
            if not room.begun:
                raise Refused("not_allowed", "A draw can be offered once each side has moved; you can abort.")
            return _offered(room, side, "draw", at)
    raise Refused("not_allowed", "The other side has not offered a draw.")


def _takeback(room: Room, command: OfferTakeback | AcceptTakeback | DeclineTakeback, at: int) -> Event:
    side = must_be_seated(room, command.player)
    must_be_playing(room)
    invited = (side.other, "takeback") in room.offers
    match command:
        case DeclineTakeback() if invited:
            return Declined(at, side, "takeback")
        case AcceptTakeback() if invited:
            return TakenBack(at, side, room.plies_since_move_of(side.other))
        case OfferTakeback():
            return _offer_takeback(room, side, invited, at)
    raise Refused("not_allowed", "The other side has not asked for a takeback.")


def _offer_takeback(room: Room, side: Side, invited: bool, at: int) -> Offered | TakenBack:
    plies = room.plies_since_move_of(side)
    opponent = room.seat(side.other)
    if room.rated:
        raise Refused("not_allowed", "Rated games have no takebacks.")
    if not plies:
        raise Refused("not_allowed", "You have no move to take back.")
    if invited:  # the two would take back different moves
        raise Refused("not_allowed", "The other side asks for a takeback. Answer that first.")
    if room.takebacks == TAKEBACKS:
        raise Refused("not_allowed", f"This game has had {TAKEBACKS} takebacks, and allows no more.")
    if opponent is not None and opponent.kind == "computer":
        return TakenBack(at, side.other, plies)
    return _offered(room, side, "takeback", at)


def _rematch(room: Room, command: OfferRematch | AcceptRematch | DeclineRematch, at: int) -> Event | NoChange:
    side = must_be_seated(room, command.player)
    opponent = room.seat(side.other)
    if room.status != "over" or opponent is None:
        raise Refused("not_allowed", "You can offer a rematch once a game between two players is over.")
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
            # A computer always agrees, and two offers make an agreement.
            if invited or opponent.kind == "computer":
                return Rematched(at, command.next)
            return _offered(room, side, "rematch", at)
    raise Refused("not_allowed", "The other side has not offered a rematch.")


def _offered(room: Room, side: Side, offer: Offer, at: int) -> Offered:
    if (side, offer) in room.offered:
        again = "" if room.status == "over" else " You can again after the next move."
        raise Refused("not_allowed", f"You have already offered a {offer}.{again}")
    return Offered(at, side, offer)
