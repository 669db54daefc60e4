"""Decides what a command does to a room: one event, no change, or a refusal. Pure; does no I/O."""

from __future__ import annotations

from noughts.games import GAMES, IllegalMove, MalformedMove, Outcome, Reason, Side
from noughts.games.sentences import no_such_game
from noughts.rooms import absence, offers
from noughts.rooms.clock import compensation
from noughts.rooms.commands import (
    Abort,
    Claim,
    Close,
    Command,
    Disconnect,
    Expire,
    Fail,
    Join,
    Open,
    Pause,
    Play,
    Resign,
    Return,
    Wait,
)
from noughts.rooms.errors import NoChange, Refused
from noughts.rooms.events import Ended, Event, Joined, Opened, Played
from noughts.rooms.rated import must_be_ratable, must_be_registered
from noughts.rooms.room import Room, must_be_playing, must_be_seated, position_after


def decide(room: Room | None, command: Command, now: int) -> Event | NoChange:
    """The one event that ``command`` causes in ``room`` at ``now``, ms since the epoch.

    ``room`` is None for ``Open`` only. Raises :class:`Refused` with the code and the message for the sender.
    """
    if isinstance(command, Open):
        return _open(command, now)
    assert room is not None
    at = max(room.at, now)
    match command:
        case Play():
            return _play(room, command, at)
        case Join():
            return _join(room, command, at)
        case Resign():
            side = must_be_seated(room, command.player)
            must_be_playing(room)
            return Ended(at, side, Outcome(side.other, Reason.RESIGNATION))
        case Abort():
            return absence.abort(room, command, at)
        case Claim():
            return absence.claim(room, command, at)
        case Disconnect() | Return():
            return absence.presence(room, command, at)
        case Pause():
            return absence.pause(room, command, at)
        case Wait():
            return absence.wait(room, command, at)
        case Fail():
            return absence.fail(room, command, at)
        case Expire():
            return absence.expire(room, at - command.late_ms, at)
        case Close():
            return absence.close(room, at)
        case _:
            return offers.agree(room, command, at)


def rematch_of(room: Room, at: int) -> Opened:
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
    )


def _open(command: Open, now: int) -> Opened:
    if command.game not in GAMES:
        raise Refused("unknown_game", no_such_game(command.game, GAMES))
    seats = [seat.id for seat in (command.first, command.second) if seat and seat.kind != "computer"]
    if len(seats) != len(set(seats)):
        raise Refused("not_allowed", "A player can take only one seat of a room.")
    must_be_ratable(command.options, command.first, command.second)
    return Opened(
        at=now,
        room=command.room,
        game=command.game,
        by=command.by,
        first=command.first,
        second=command.second,
        options=command.options,
        unrated_because=command.unrated_because,
    )


def _play(room: Room, command: Play, at: int) -> Played | NoChange:
    side, turn = must_be_seated(room, command.player), len(room.answers)
    if command.note is not None and (player := room.seat(side)) is not None and player.kind != "bot":
        raise Refused("not_allowed", "Only bots can add a note to a move.")
    if 0 <= command.turn < turn:
        answer = room.answers[command.turn]
        mover = None if answer is None else room.seat(answer.side)
        if answer is not None and mover is not None and (mover.id, answer.move) == (command.player, command.move):
            return NoChange(answer.version)
    must_be_playing(room)
    if command.turn != turn:
        raise Refused("stale", f"That move answers turn {command.turn}; the turn is {turn}.")
    if side is not room.to_move:
        raise Refused("not_your_turn", "It is the other side's turn.")
    try:
        position = position_after(room.position, command.move)
    except MalformedMove as error:
        raise Refused("malformed_move", str(error), room.position.legal_moves) from None
    except IllegalMove as error:
        raise Refused("illegal_move", _why_illegal(room, command.move, error), room.position.legal_moves) from None
    spent, compensated = _cost(room, side, command, at)
    thought, outcome = spent - compensated, position.outcome
    return Played(at, side, turn, command.move, spent, compensated, thought, outcome, command.note)


def _why_illegal(room: Room, move: str, error: IllegalMove) -> str:
    explain, last = room.game.why_illegal, room.plies[-1].move if room.plies else None
    return (None if explain is None else explain(room.position, move, last)) or str(error)


def _cost(room: Room, side: Side, command: Play, at: int) -> tuple[int, int]:
    """The time spent on a move and its lag compensation, in ms. Raises :class:`Refused` for a move that is too late."""
    # A node's time of arrival counts only if it is possible: after the last move and not in the future.
    arrived = at if command.arrived is None or command.arrived > at else command.arrived
    spent = arrived - room.moved_at if arrived > room.moved_at else 0
    clocks = room.clocks
    if clocks is None or not room.begun:
        return spent, 0
    compensated = compensation(command.lag_ms, room.options.lag_ms, clocks.quota(side), spent)
    if spent - compensated >= clocks.left(side):
        raise Refused("game_over", "Your time is up.")
    return spent, compensated


def _join(room: Room, command: Join, at: int) -> Joined | NoChange:
    held = room.side_of(command.player.id)
    if held is not None:
        if command.side in (None, held):
            return NoChange(room.version)
        raise Refused("not_allowed", f"A player can take only one seat of a room. Yours is {held}.")
    if room.status == "over":
        raise Refused("game_over", "The game is over.")
    must_be_registered(room.options, command.player)
    for side in Side if command.side is None else (command.side,):
        if room.seat(side) is None:
            return Joined(at, side, command.player, command.unrated_because)
    raise Refused("seat_taken", "No seat is open." if command.side is None else "That seat is taken.")
