"""Decides what a command does to a room: one event, no change, or a refusal. Pure; does no I/O."""

from __future__ import annotations

from noughts.games import IllegalMove, MalformedMove, Outcome, Reason, Side
from noughts.games.catalogue import BadSetup, UnknownGame, set_up
from noughts.rooms.clock import compensation
from noughts.rooms.events import (
    Abort,
    AcceptDraw,
    AcceptRematch,
    AcceptTakeback,
    Adjudicate,
    Claim,
    ClaimDraw,
    Close,
    Command,
    Declined,
    DeclineDraw,
    DeclineRematch,
    DeclineTakeback,
    Disconnect,
    Disconnected,
    Ended,
    Event,
    Expire,
    Fail,
    Join,
    Joined,
    NoChange,
    Offer,
    OfferDraw,
    Offered,
    OfferRematch,
    OfferTakeback,
    Open,
    Opened,
    Options,
    Pause,
    Paused,
    Play,
    Played,
    Player,
    Refused,
    Rematched,
    Resign,
    Return,
    Returned,
    TakenBack,
    Unrated,
    Wait,
)
from noughts.rooms.evolve import evolve, played
from noughts.rooms.room import FIRST, Room, must_be_playing, must_be_seated
from noughts.value import value

ABSENCES = 100
"""The number of disconnects a room records. The limit bounds a room whose players have unstable connections."""

COMING_BACK_MS = 2000
"""The time a pause goes on once a server is up again, so that the players can reconnect."""

TAKEBACKS = 100
"""The number of takebacks a room allows, so that its length is bounded."""

WAIT_MS = 100
"""A shorter wait for the computer's search is not worth an event: its clock runs."""


@value
class Step:
    """An accepted command: its one event, and the room after it."""

    event: Event
    room: Room


def decide(room: Room | None, command: Command, now: int) -> Step | NoChange:
    """The step that ``command`` makes in ``room`` at ``now``, ms since the epoch: a room equal to ``evolve``'s.

    ``room`` is None for ``Open`` only. Raises :class:`Refused` with the code and the message for the sender.
    """
    if room is None:
        assert isinstance(command, Open)
        event: Event | NoChange = _open(command, now)
    else:
        at = max(room.at, now)
        if type(command) is Play:
            return _play(room, command, at)
        event = _event(room, command, at)
    return event if isinstance(event, NoChange) else Step(event, evolve(room, event))


def _event(room: Room, command: Command, at: int) -> Event | NoChange:
    """The event of any command but ``Open`` and ``Play``."""
    match command:
        case OfferRematch() | AcceptRematch() | DeclineRematch():
            return _rematch(room, command, at)
        case Join():
            return _join(room, command, at)
        case OfferDraw() | AcceptDraw() | DeclineDraw():
            return _draw(room, command, at)
        case OfferTakeback() | AcceptTakeback() | DeclineTakeback():
            return _takeback(room, command, at)
        case Resign():
            side = must_be_seated(room, command.player)
            must_be_playing(room)
            return Ended(at, side, Outcome(side.other, Reason.RESIGNATION))
        case Abort():
            return _abort(room, command, at)
        case Claim():
            return _claim(room, command, at)
        case ClaimDraw():
            return _claim_draw(room, command, at)
        case Disconnect() | Return():
            return _presence(room, command, at)
        case Pause():
            return _pause(room, command, at)
        case Wait():
            return _wait(room, command, at)
        case Fail():
            return _fail(room, command, at)
        case Expire():
            return _expire(room, at - command.late_ms, at)
        case Close():
            return _close(room, at)
        case Adjudicate():
            return _adjudicate(room, command, at)
        case Open() | Play():
            raise AssertionError(command)


def rematch_of(room: Room, at: int, unrated_because: Unrated | None = None) -> Opened:
    """The opening of the rematch's room, ``room.next``: the same players with the sides swapped."""
    assert room.next is not None
    return Opened(
        at=at,
        room=room.next,
        game=room.game.key,
        by=room.by,
        first=room.second,
        second=room.first,
        options=room.options,
        previous=room.id,
        unrated_because=unrated_because,
        setup=room.game.setup,
        rules=room.game.version,
    )


def _open(command: Open, now: int) -> Opened:
    try:
        game = set_up(command.game, command.setup)
    except UnknownGame as error:
        raise Refused("unknown_game", str(error)) from None
    except BadSetup as error:
        raise Refused("not_allowed", str(error)) from None
    if game.setup and command.options.rated:
        raise Refused("not_allowed", "A rated game is set up as usual.")
    seats = [seat.id for seat in (command.first, command.second) if seat and seat.kind != "computer"]
    if len(seats) != len(set(seats)):
        raise Refused("not_allowed", "A player can take only one seat of a room.")
    _must_be_ratable(command.options, command.first, command.second)
    return Opened(
        at=now,
        room=command.room,
        game=command.game,
        by=command.by,
        first=command.first,
        second=command.second,
        options=command.options,
        unrated_because=command.unrated_because,
        setup=game.setup,
        rules=game.version,
    )


def _play(room: Room, command: Play, at: int) -> Step | NoChange:
    turn, side, read = len(room.answers), room.to_move, room.game.read
    mover = room.first if side is FIRST else room.second
    if side is None or mover is None or mover.id != command.player:
        side = must_be_seated(room, command.player)
    if command.note is not None and (player := room.seat(side)) is not None and player.kind != "bot":
        raise Refused("not_allowed", "Only bots can add a note to a move.")
    if 0 <= command.turn < turn:
        answer = room.answers[command.turn]
        played_by = None if answer is None else room.seat(answer.side)
        if answer and played_by and played_by.id == command.player:
            again = command.move if read is None else read(answer.position, command.move)
            if again == answer.move:
                return NoChange(answer.version)
    if room.to_move is None:
        must_be_playing(room)
    if command.turn != turn:
        raise Refused("stale", f"That move answers turn {command.turn}; the turn is {turn}.")
    if side is not room.to_move:
        raise Refused("not_your_turn", "It is the other side's turn.")
    move = command.move if read is None else read(room.position, command.move)
    try:
        position = room.position.play(move)
    except MalformedMove as error:
        # What people type may be well formed and yet not legal: only the game's ``read`` could tell, and it found none.
        why = str(error) if read is None else f"that is no legal move here; {error}"
        raise Refused("malformed_move", why, room.position.legal_moves) from None
    except IllegalMove as error:
        raise Refused("illegal_move", _why_illegal(room, move, error), room.position.legal_moves) from None
    # A node's time of arrival counts only if it is possible: after the last move and not in the future.
    arrived = at if command.arrived is None or command.arrived > at else command.arrived
    spent = arrived - room.moved_at if arrived > room.moved_at else 0
    compensated = 0
    if (clocks := room.clocks) is not None and room.begun:
        compensated = compensation(command.lag_ms, room.options.lag_ms, clocks.quota(side), spent)
        if spent - compensated >= clocks.left(side):
            raise Refused("game_over", "Your time is up.")
    event = Played(at, side, turn, move, spent, compensated, spent - compensated, position.outcome, command.note)
    return Step(event, played(room, event, position))


def _why_illegal(room: Room, move: str, error: IllegalMove) -> str:
    explain, last = room.game.why_illegal, room.plies[-1].move if room.plies else None
    return (None if explain is None else explain(room.position, move, last)) or str(error)


def _join(room: Room, command: Join, at: int) -> Joined | NoChange:
    held = room.side_of(command.player.id)
    if held is not None:
        if command.side in (None, held):
            return NoChange(room.version)
        raise Refused("not_allowed", f"A player can take only one seat of a room. Yours is {held}.")
    if room.status == "over":
        raise Refused("game_over", "The game is over.")
    _must_be_registered(room.options, command.player)
    for side in Side if command.side is None else (command.side,):
        if room.seat(side) is None:
            return Joined(at, side, command.player, command.unrated_because)
    raise Refused("seat_taken", "No seat is open." if command.side is None else "That seat is taken.")


# Rated rooms


def _must_be_ratable(options: Options, first: Player | None, second: Player | None) -> None:
    """Raise :class:`Refused` for a rated room that does not qualify; None is an open seat."""
    if not options.rated:
        return
    if options.clock is None:
        raise Refused("not_allowed", "A rated game needs a clock.")
    if options.private:
        raise Refused("not_allowed", "A rated game cannot be private.")
    for player in (first, second):
        _must_be_registered(options, player)
    if first is not None and second is not None and first.kind == second.kind == "computer":
        raise Refused("not_allowed", "A rated game needs at least one player who is not the computer.")


def _must_be_registered(options: Options, player: Player | None) -> None:
    """Raise :class:`Refused` for a guest in a rated room, who could come back under another name."""
    if options.rated and player is not None and player.kind != "computer" and not player.registered:
        raise Refused("not_allowed", "Only registered players can play rated games. Register your name first.")


# Absent players, and the clock


def _presence(room: Room, command: Disconnect | Return, at: int) -> Disconnected | Returned | NoChange:
    """Record that a player disconnected or returned, unless that is known or does not matter.

    Raises :class:`Refused`.
    """
    side = must_be_seated(room, command.player)
    away = side in room.away
    if (
        room.correspondence
        or room.next is not None
        or (room.absences == ABSENCES and not away)
        or away is isinstance(command, Disconnect)
    ):
        return NoChange(room.version)
    return Returned(at, side) if away else Disconnected(at, side)


def _abort(room: Room, command: Abort, at: int) -> Ended:
    """Close a room before each side has moved. Raises :class:`Refused`."""
    side = room.side_of(command.player)
    if room.status == "over":
        raise Refused("game_over", "The game is over.")
    if side is None and (command.player != room.by or room.status == "playing"):
        raise Refused("not_seated", "You have no seat in this room.")
    if room.begun and not room.stopped:
        raise Refused("not_allowed", "Each side has moved. You can resign.")
    return Ended(at, side, Outcome(None, Reason.RULES if room.stopped else Reason.ABORTED))


def _claim(room: Room, command: Claim, at: int) -> Ended:
    """End a game that the other player left long enough ago. Raises :class:`Refused`."""
    side = must_be_seated(room, command.player)
    must_be_playing(room)
    if not room.begun:
        raise Refused("not_allowed", "You can claim once each side has moved. Until then you can abort.")
    claimable_at = room.claimable_at(side.other)
    if room.correspondence:
        raise Refused("not_allowed", "With days for each move nobody has to stay. The clock decides.")
    if claimable_at is None:
        raise Refused("not_allowed", "The other side has not left.")
    if at < claimable_at:
        raise Refused("not_allowed", f"The other side has {-((at - claimable_at) // 1000)} s left to come back.")
    if command.result == "draw":
        _must_know_draws(room)
        return Ended(at, side, Outcome(None, Reason.DRAW))  # abandonment without a winner does not count as a result
    return Ended(at, side, Outcome(side, Reason.ABANDONMENT))


def _claim_draw(room: Room, command: ClaimDraw, at: int) -> Ended:
    """End a game as a draw by a rule of the game. Raises :class:`Refused`."""
    side = must_be_seated(room, command.player)
    must_be_playing(room)
    if side is not room.to_move:
        raise Refused("not_your_turn", "You can claim a draw when it is your turn.")
    reason = room.claimable_draw
    if reason is None:
        raise Refused("not_allowed", "The rules of the game do not let you claim a draw in this position.")
    return Ended(at, side, Outcome(None, reason))


def _close(room: Room, at: int) -> Ended | NoChange:
    """End a game that is not over as if everybody had left it."""
    if room.outcome is not None:
        return NoChange(room.version)
    reason = Reason.RULES if room.stopped else Reason.ABANDONMENT if room.begun else Reason.ABORTED
    return Ended(at, None, Outcome(None, reason))


def _adjudicate(room: Room, command: Adjudicate, at: int) -> Ended | NoChange:
    """End a game under way as the operator decides."""
    if room.status != "playing":
        return NoChange(room.version)
    return Ended(at, None, Outcome(command.winner, Reason.ADJUDICATION))


def _pause(room: Room, command: Pause, at: int) -> Paused | NoChange:
    """Stop the clocks for the time in which no server was up, if anybody loses time by it.

    A server was up at the room's last event, so an outage counts only after it, and no outage counts twice.
    """
    missed = sum(max(0, until - max(since, room.at)) for since, until in command.outages)
    if not missed or not room.waits_for_somebody:
        return NoChange(room.version)
    return Paused(max(at, *(until for _, until in command.outages)), missed + COMING_BACK_MS)


def _wait(room: Room, command: Wait, at: int) -> Paused | NoChange:
    """Stop the clocks for the time in which nobody searched for the computer's move.

    It counts from when the computer came to move, so no time counts twice, and nobody is given more than has passed.
    """
    if room.clocks is None or room.computer_to_move is None or command.turn != room.turn:
        return NoChange(room.version)
    waited = at - max(command.since, room.moved_at)
    return Paused(at, waited, "queue") if waited >= WAIT_MS else NoChange(room.version)


def _fail(room: Room, command: Fail, at: int) -> Ended | NoChange:
    """End a game without a result, because the computer cannot move."""
    if room.computer_to_move is None or command.turn != room.turn:
        return NoChange(room.version)
    return Ended(at, room.to_move, Outcome(None, Reason.FAULT))


def _expire(room: Room, until: int, at: int) -> Ended | NoChange:
    """End the game at ``at`` if its time was up at ``until``."""
    due = room.due
    if due is None or until < due[0]:
        return NoChange(room.version)
    reason = due[1]
    winner: Side | None = None
    if reason == Reason.TIME:
        assert room.running is not None
        winner = room.running.other
    return Ended(at, None, Outcome(winner, reason))


# Offers and their answers. Each side may make each offer once per turn. To decline one's own withdraws it, as a move
# does with all offers.


def _must_know_draws(room: Room) -> None:
    if not room.game.draws:
        raise Refused("not_allowed", f"There is no draw in {room.game.title}.")


def _draw(room: Room, command: OfferDraw | AcceptDraw | DeclineDraw, at: int) -> Event:
    side = must_be_seated(room, command.player)
    must_be_playing(room)
    invited = (side.other, "draw") in room.offers
    match command:
        case DeclineDraw() if invited or (side, "draw") in room.offers:
            return Declined(at, side, "draw")
        # Two offers make an agreement.
        case AcceptDraw() | OfferDraw() if invited:
            return Ended(at, side, Outcome(None, Reason.AGREEMENT))
        case OfferDraw():
            _must_know_draws(room)
            if not room.begun:
                raise Refused("not_allowed", "A draw can be offered once each side has moved; you can abort.")
            return _offered(room, side, "draw", at)
    raise Refused("not_allowed", "The other side has not offered a draw.")


def _takeback(room: Room, command: OfferTakeback | AcceptTakeback | DeclineTakeback, at: int) -> Event:
    side = must_be_seated(room, command.player)
    must_be_playing(room)
    invited = (side.other, "takeback") in room.offers
    match command:
        case DeclineTakeback() if invited or (side, "takeback") in room.offers:
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
    if room.options.tournament is not None:
        raise Refused("not_allowed", "A game of a tournament has no rematch: its next game comes by itself.")
    if room.next is not None and not isinstance(command, DeclineRematch):
        return NoChange(room.version)
    invited = (side.other, "rematch") in room.offers
    match command:
        case DeclineRematch():
            if invited or (side, "rematch") in room.offers:
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
