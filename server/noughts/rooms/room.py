"""A room as a value, and how events change it. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from noughts.games import GAMES, Game, Outcome, Position, Side
from noughts.rooms.events import (
    Declined,
    Disconnected,
    Ended,
    Event,
    Joined,
    Offer,
    Offered,
    Opened,
    Options,
    Played,
    Player,
    Rematched,
    Returned,
)

Status = Literal["waiting", "playing", "over"]


@dataclass(frozen=True, slots=True)
class Answer:
    """The move that was taken at a turn, who played it, and the version that it made."""

    side: Side
    move: str
    version: int


@dataclass(frozen=True, slots=True)
class Room:
    """One game from its opening to its end.

    ``version`` is the number of events so far, 1 or more. ``turn`` counts the moves played and never falls.
    ``answers`` holds what was played at each turn. ``away`` are the seated players without a connection, and
    ``absences`` how often one was noted as gone. ``offers`` are those that stand, by who made them; ``offered`` are
    the sides that have ever offered a rematch. ``at`` is when the last event happened, ``moved_at`` when the side
    to move came to move; both in ms since the epoch. ``next`` is the rematch's room.
    """

    id: str
    version: int
    game: Game
    position: Position
    first: Player | None
    second: Player | None
    options: Options
    by: str
    at: int
    moved_at: int
    answers: tuple[Answer, ...] = ()
    away: frozenset[Side] = frozenset()
    offers: tuple[tuple[Side, Offer], ...] = ()
    offered: frozenset[Side] = frozenset()
    absences: int = 0
    outcome: Outcome | None = None
    previous: str | None = None
    next: str | None = None

    @property
    def turn(self) -> int:
        """The turn that the next move must answer."""
        return len(self.answers)

    @property
    def status(self) -> Status:
        """``waiting`` for players, ``playing``, or ``over``."""
        if self.outcome is not None:
            return "over"
        return "waiting" if self.first is None or self.second is None else "playing"

    @property
    def rated(self) -> bool:
        """Whether the result counts for the players' ratings. There are none yet."""
        return False

    @property
    def to_move(self) -> Side | None:
        """The side to move while the game is being played, else None."""
        return self.position.to_move if self.status == "playing" else None

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves on the board, in the order played."""
        return tuple(answer.move for answer in self.answers)

    def seat(self, side: Side) -> Player | None:
        """Who sits on ``side``, None where the seat is open."""
        return self.first if side is Side.FIRST else self.second

    def side_of(self, player: str) -> Side | None:
        """The side of a player, None for who has no seat.

        A computer may sit on both sides; then it is the one to move.
        """
        first = self.first is not None and self.first.id == player
        second = self.second is not None and self.second.id == player
        if first and second:
            return self.position.to_move or Side.FIRST
        return Side.FIRST if first else Side.SECOND if second else None

    @property
    def computer_to_move(self) -> Player | None:
        """The computer whose move it is, if it is a computer's."""
        side = self.to_move
        player = None if side is None else self.seat(side)
        return player if player is not None and player.kind == "computer" else None

    @property
    def due_at(self) -> int | None:
        """When :class:`~noughts.rooms.commands.Expire` has something to do, ms since the epoch, or None.

        Two computers play on, however long it takes.
        """
        match self.status:
            case "waiting":
                return self.moved_at + self.options.waiting_ms
            case "playing" if any(seat.kind != "computer" for seat in (self.first, self.second) if seat):
                return self.moved_at + self.options.sleeping_ms
            case _:
                return None


def may_be_analysed(status: Status, *, rated: bool) -> bool:
    """Whether anybody may be told what the moves of a game are worth: of a rated one nobody before its end."""
    return status == "over" or not rated


def evolve(room: Room | None, event: Event) -> Room:
    """The room after ``event``. Never refuses: what is in the journal has happened.

    ``room`` is None for ``Opened``, the first event, and for no other.
    """
    if isinstance(event, Opened):
        game = GAMES[event.game]
        return Room(
            id=event.room,
            version=1,
            game=game,
            position=game.start,
            first=event.first,
            second=event.second,
            options=event.options,
            by=event.by,
            at=event.at,
            moved_at=event.at,
            previous=event.previous,
        )
    assert room is not None
    # One `replace` an event: it is the dearest step of a move.
    version, at = room.version + 1, event.at
    match event:
        case Played():
            return replace(
                room,
                version=version,
                at=at,
                position=room.position.play(event.move),
                answers=(*room.answers, Answer(event.side, event.move, version)),
                moved_at=at,
                outcome=event.outcome,
            )
        case Joined(side=Side.FIRST):
            return replace(room, version=version, at=at, first=event.player, moved_at=at)
        case Joined():
            return replace(room, version=version, at=at, second=event.player, moved_at=at)
        case Offered():
            offers = (*room.offers, (event.side, event.offer))
            return replace(room, version=version, at=at, offers=offers, offered=room.offered | {event.side})
        case Declined():
            offers = tuple(offer for offer in room.offers if offer != (event.side.other, event.offer))
            return replace(room, version=version, at=at, offers=offers)
        case Disconnected():
            return replace(room, version=version, at=at, away=room.away | {event.side}, absences=room.absences + 1)
        case Returned():
            return replace(room, version=version, at=at, away=room.away - {event.side})
        case Ended():
            return replace(room, version=version, at=at, outcome=event.outcome)
        case Rematched():
            return replace(room, version=version, at=at, next=event.next, offers=())
