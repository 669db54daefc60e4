"""A room as a value, and what can be told from it. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from noughts.games import Game, Outcome, Position, Reason, Side
from noughts.rooms.clock import LAG_MS, Clocks, allotted_ms
from noughts.rooms.events import Offer, Options, Player

Status = Literal["waiting", "playing", "over"]


@dataclass(frozen=True, slots=True)
class Answer:
    """The move that was taken at a turn, who played it, and the version that it made."""

    side: Side
    move: str
    version: int


@dataclass(frozen=True, slots=True)
class Ply:
    """A move on the board, and how things stood when its side came to move."""

    side: Side
    move: str
    position: Position
    clocks: Clocks | None


@dataclass(frozen=True, slots=True)
class Room:
    """One game from its opening to its end.

    ``version`` is the number of events so far, 1 or more. ``turn`` counts the moves played and taken back, and never
    falls. ``answers`` holds what was played at each turn, None for those that a takeback passed over, ``plies`` the
    moves on the board. ``takebacks`` is how often moves were taken back.
    ``away`` are the seated players without a connection, ``left_at`` when each side was last noted as gone, and
    ``absences`` how often one was. ``offers`` are those that stand, by who made them; ``offered`` are all that were
    made since the last move. ``at`` is when the last event happened, ``moved_at`` when the side to move came to move,
    which may be a moment ahead after a pause; all times are in ms since the epoch. ``clocks`` are as at ``moved_at``,
    None where the game has none. ``next`` is the rematch's room.
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
    clocks: Clocks | None = None
    answers: tuple[Answer | None, ...] = ()
    plies: tuple[Ply, ...] = ()
    takebacks: int = 0
    away: frozenset[Side] = frozenset()
    left_at: tuple[int, int] = (0, 0)
    offers: tuple[tuple[Side, Offer], ...] = ()
    offered: frozenset[tuple[Side, Offer]] = frozenset()
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
    def begun(self) -> bool:
        """Whether each side has made its first move: before that nothing is lost by anybody."""
        return len(self.plies) > 1

    @property
    def rated(self) -> bool:
        """Whether the result counts for the players' ratings."""
        return self.options.rated

    @property
    def to_move(self) -> Side | None:
        """The side to move while the game is being played, else None."""
        return self.position.to_move if self.status == "playing" else None

    @property
    def running(self) -> Side | None:
        """The side whose clock runs, None while none does."""
        return self.to_move if self.clocks is not None and self.begun else None

    @property
    def allotted_ms(self) -> int | None:
        """How long the side to move does well to think, None for as long as it likes: its clock does not run."""
        side, clocks, control = self.running, self.clocks, self.options.clock
        if side is None or clocks is None or control is None:
            return None
        return allotted_ms(clocks, control, side)

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves on the board, in the order played."""
        return tuple(ply.move for ply in self.plies)

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

    def plies_since_move_of(self, side: Side) -> int:
        """How many moves would have to be taken back for ``side`` to make its last one anew; 0 where it has none."""
        for count, ply in enumerate(reversed(self.plies), 1):
            if ply.side is side:
                return count
        return 0

    @property
    def computer_to_move(self) -> Player | None:
        """The computer whose move it is, if it is a computer's."""
        side = self.to_move
        player = None if side is None else self.seat(side)
        return player if player is not None and player.kind == "computer" else None

    @property
    def people(self) -> tuple[Side, ...]:
        """The sides on which people and bots sit."""
        return tuple(side for side in Side if (seat := self.seat(side)) is not None and seat.kind != "computer")

    @property
    def waits_for_somebody(self) -> bool:
        """Whether time goes against somebody: who has a clock, or is expected back."""
        return self.status == "playing" and (self.clocks is not None or bool(self.away))

    def claimable_at(self, side: Side) -> int | None:
        """From when on the other side may claim the game of ``side``, which is gone; None where it may not."""
        if side not in self.away or self.status != "playing" or not self.begun:
            return None
        return self.left_at[side is Side.SECOND] + self.options.claim_ms

    @property
    def due_at(self) -> int | None:
        """When :class:`~noughts.rooms.commands.Expire` has something to do, ms since the epoch, or None."""
        return None if self.due is None else self.due[0]

    @property
    def due(self) -> tuple[int, Reason] | None:
        """When the game is over by time unless something happens, and for what reason.

        A clock that has run out is given the most that a move could get back for its way: so a move that arrived in
        time is decided before, even on another node. Without a clock two computers play on, however long it takes.
        """
        match self.status:
            case "waiting":
                return self.moved_at + self.options.waiting_ms, Reason.ABORTED
            case "playing" if self.clocks is not None:
                return self._due_by_clock(self.clocks)
            case "playing" if self.people:
                return self.moved_at + self.options.sleeping_ms, Reason.ABANDONMENT
            case _:
                return None

    def _due_by_clock(self, clocks: Clocks) -> tuple[int, Reason]:
        side = self.running
        if side is None:
            due = self.moved_at + self.options.first_move_ms, Reason.ABORTED
        else:
            due = self.moved_at + clocks.left(side) + LAG_MS, Reason.TIME
        people = self.people
        if people and self.away.issuperset(people):
            left_at = max(self.left_at[side is Side.SECOND] for side in people)
            due = min(due, (left_at + self.options.abandoned_ms, Reason.ABANDONMENT))
        return due


def may_be_analysed(status: Status, *, rated: bool) -> bool:
    """Whether anybody may be told what the moves of a game are worth: of a rated one nobody before its end."""
    return status == "over" or not rated
