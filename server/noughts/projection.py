"""A room as the journal stores it besides its records: a row in the index, and the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pydantic_core import from_json

from noughts.games import GAMES, Outcome, Reason, Side
from noughts.journal import FOREVER, GameResult, IndexRow, Remains
from noughts.protocol.records import UnknownRecord
from noughts.protocol.render import listing_json
from noughts.protocol.room_messages import FischerInfo, Listing, PerMoveInfo, SeatInfo
from noughts.protocol.words import has_result
from noughts.rooms import (
    Event,
    Fischer,
    Joined,
    Opened,
    Options,
    PerMove,
    Played,
    Player,
    Room,
    TakenBack,
    TimeControl,
    pool_of,
)

ABORTED_MS = 24 * 3_600_000
"""The time the records of a room that was aborted before its first move are kept."""

STEPS = 32
"""The deadline of a game without a clock moves on with every move. The index has it rounded up, to this part of it."""


def index_row(room: Room, listed: bytes | None = None, opener: bytes = b"") -> IndexRow:
    """The row of ``room`` in the journal's index. ``listed`` is its encoded listing, if the caller has it.

    ``opener`` matters when the room is opened; afterwards the row keeps it.
    """
    people, status, first, second = room.people, room.status, room.first, room.second
    sleeps = not people and first is not None and second is not None
    deserted = bool(people) and room.away >= people
    by_days = room.correspondence and status == "playing"  # there is nothing to watch for hours, and no seat to take
    return IndexRow(
        game=room.game.key,
        by=room.by,
        status=status,
        public=not room.options.private and not deserted and not by_days,
        due_at=_due_at(room, sleeps=sleeps),
        thinking=room.computer_to_move is not None,
        attended=status != "over" and bool(people) and not deserted and not room.correspondence,
        listing=listed or listing_json(room),
        opener=opener,
        sleeps=sleeps,
        first=None if first is None or first.kind == "computer" else first.id,
        second=None if second is None or second.kind == "computer" else second.id,
    )


def _due_at(room: Room, *, sleeps: bool) -> int | None:
    """The time to look at the room again: not before it is due, and for a game without a clock up to 3 % later.

    Nobody looks at a game that sleeps. While somebody watches it, its node knows when it is due.
    """
    if is_spent(room):
        return FOREVER + room.at + ABORTED_MS
    if sleeps:
        return None
    return _sleeps_at(room) if room.status == "playing" and room.clocks is None else room.due_at


def called(event: Event, room: Room) -> str | None:
    """The id of the player who comes to move by ``event`` in a game of days, after which the room is ``room``.

    None in other games, whose players are there, and for a computer.
    """
    if not room.correspondence or room.to_move is None or not isinstance(event, Opened | Joined | Played | TakenBack):
        return None
    player = room.seat(room.to_move)
    return None if player is None or player.kind == "computer" else player.id


def is_spent(room: Room) -> bool:
    """True if nobody will miss the room's records: it was aborted before its first move, and no rematch links to it."""
    outcome = room.outcome
    linked = room.previous is not None or room.next is not None
    return outcome is not None and outcome.reason == Reason.ABORTED and not room.answers and not linked


def is_stripped(records: Sequence[bytes]) -> bool:
    """True if a room's first records were deleted: it was aborted before its first move, and has no result."""
    return bool(records) and from_json(records[0])["kind"] != "opened"


def room_of(room_id: str, remains: Remains, at: int) -> Room:
    """A room whose first records were deleted, as it was after the first that is left, which is of ``at``.

    Raises :class:`~noughts.protocol.UnknownRecord` if this server does not know its game.
    """
    listed: Listing = from_json(remains.listing)
    game, options, seats = GAMES.get(remains.game), listed["options"], listed["seats"]
    if game is None:
        raise UnknownRecord(f"this server does not know the game {remains.game}")
    sides = {Side.FIRST: seats["first"], Side.SECOND: seats["second"]}
    return Room(
        id=room_id,
        version=remains.first_version,
        game=game,
        position=game.start,
        first=_player(seats["first"]),
        second=_player(seats["second"]),
        options=Options(
            private=options["private"],
            rated=options["rated"] or "unrated_because" in options,  # as it was opened, for a rematch
            clock=_control(options["clock"]),
        ),
        by=remains.by,
        at=at,
        moved_at=at,
        away=frozenset(side for side, seat in sides.items() if seat is not None and not seat["online"]),
        outcome=Outcome(None, Reason.ABORTED),
        unrated_because=options.get("unrated_because"),
    )


def _player(seat: SeatInfo | None) -> Player | None:
    if seat is None:
        return None
    registered, provisional = seat.get("registered", False), seat.get("provisional", False)
    return Player(seat["id"], seat["name"], seat["kind"], registered, seat.get("rating"), provisional)


def _control(clock: FischerInfo | PerMoveInfo | None) -> TimeControl | None:
    if clock is None:
        return None
    ms = {name: round(seconds * 1000) for name, seconds in cast("dict[str, float]", clock).items()}
    return PerMove(ms["per_move_s"]) if "per_move_s" in ms else Fischer(ms["initial_s"], ms["increment_s"])


def _sleeps_at(room: Room) -> int:
    """The time at which a game without a clock ends if nobody moves, in ms since the epoch, rounded up."""
    sleeping_ms = room.options.sleeping_ms
    step = sleeping_ms // STEPS or 1
    return -(-(room.moved_at + sleeping_ms) // step) * step


def result_of(room: Room, before: Room | None) -> GameResult | None:
    """The result of ``room`` if the event after ``before`` ended its game; it is stored with that event.

    None for a game without a result: aborted, ended by a fault, or abandoned by both. Rated only if both sides moved:
    otherwise one of the players may never have been there.
    """
    outcome, control = room.outcome, room.options.clock
    if outcome is None or (before is not None and before.outcome is not None):
        return None
    if not has_result(None if outcome.winner is None else outcome.winner.value, outcome.reason):
        return None
    if room.first is None or room.second is None:
        return None
    return GameResult(
        room=room.id,
        game=room.game.key,
        first=room.first.id,
        second=room.second.id,
        winner=None if outcome.winner is None else outcome.winner.value,
        reason=outcome.reason,
        public=not room.options.private,
        pool=pool_of(control) if room.rated and room.begun and control is not None else None,
        ended_at=room.at,
    )
