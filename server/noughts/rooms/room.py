"""A room as an immutable value. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from noughts.games import Game, Outcome, Position, Reason, Side
from noughts.rooms.clock import LAG_MS, Clocks, allotted_ms, days_ms
from noughts.rooms.events import Offer, Options, Player, Refused, Unrated
from noughts.value import value

Status = Literal["waiting", "playing", "over"]


FIRST, SECOND = Side  # the members of an enumeration are slow to look up before Python 3.12


@value
class Ply:
    """A move, with the position and clocks before it, and the room's version after it.

    ``name`` is the move as people write it in that game, often ``move`` itself.
    """

    side: Side
    move: str
    version: int
    position: Position
    clocks: Clocks | None
    name: str


@value
class OlderRules:
    """The room was opened under older rules of its game, those of ``version``.

    It is replayed by today's rules for as long as they agree with what happened. ``at_ply`` is the ply of the first
    move on which they do not, None if there is none; from there on the board stays as it was, and nobody plays on.
    ``unplayed`` is how many more moves are on the board by the older rules than are shown.
    """

    version: int
    at_ply: int | None = None
    unplayed: int = 0


@value
class Room:
    """One game from its opening to its end.

    ``version`` is the number of events so far, 1 or more. ``turn`` counts moves played and moves taken back, and never
    decreases. ``answers`` holds the move played at each turn, None for turns that a takeback skipped and for moves that
    today's rules do not allow; ``plies`` holds the moves on the board. ``takebacks`` counts takebacks; without any,
    both are the same tuple.
    ``away`` holds the sides whose players are disconnected, ``left_at`` when each side last disconnected, and
    ``absences`` counts disconnects. ``offers`` are the pending offers and the sides that made them; ``offered`` are all
    that were made since the last move. ``at`` is the time of the last event. ``moved_at`` is when the side to move came
    to move, which a pause can put slightly into the future. All times are in ms since the epoch. ``clocks`` are as of
    ``moved_at``, None in a game without a clock. ``next`` is the rematch's room. ``unrated_because`` says why a game
    that was to be rated is not. ``older_rules`` is None if the game's rules are those that the room was opened under.
    ``status`` and ``to_move``, the side to move while the game is being played and can go on, follow from the other
    fields.
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
    answers: tuple[Ply | None, ...] = ()
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
    unrated_because: Unrated | None = None
    older_rules: OlderRules | None = None
    status: Status = field(init=False, repr=False, compare=False)
    to_move: Side | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.outcome is None and self.first is not None and self.second is not None:
            status: Status = "playing"
            to_move = None if self.older_rules is not None and self.stopped else self.position.to_move
        else:
            status, to_move = "waiting" if self.outcome is None else "over", None
        self.status = status  # type: ignore[misc]  # while it is being built
        self.to_move = to_move  # type: ignore[misc]

    @property
    def turn(self) -> int:
        """The turn that the next move must answer."""
        return len(self.answers)

    @property
    def begun(self) -> bool:
        """True if each side has made its first move. Before that, nobody can lose."""
        return len(self.plies) + (0 if self.older_rules is None else self.older_rules.unplayed) > 1

    @property
    def stopped(self) -> bool:
        """True if the game cannot go on, because today's rules do not agree with a move."""
        return self.older_rules is not None and self.older_rules.at_ply is not None

    @property
    def rated(self) -> bool:
        """True if the result changes the players' ratings; while a seat is open, if that is what is wanted."""
        return self.options.rated and self.unrated_because is None

    @property
    def correspondence(self) -> bool:
        """True if the players have days for each move. Nobody has to stay for those, so nobody counts as gone."""
        return days_ms(self.options.clock) > 0

    @property
    def running(self) -> Side | None:
        """The side whose clock runs, or None."""
        return self.to_move if self.clocks is not None and self.begun else None

    @property
    def first_move_by(self) -> int | None:
        """The time by which the side to move must make its first move, or the game ends; None without a clock and once
        a clock runs."""
        return None if self.to_move is None or self.clocks is None or self.begun else self._first_move_due

    @property
    def _first_move_due(self) -> int:
        return self.moved_at + max(self.options.first_move_ms, days_ms(self.options.clock))

    @property
    def allotted_ms(self) -> int | None:
        """The time the side to move should think, before its clock runs too; None without a clock."""
        side, clocks, control = self.to_move, self.clocks, self.options.clock
        if side is None or clocks is None or control is None:
            return None
        return allotted_ms(clocks, control, side)

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves on the board, in the order played."""
        return tuple([ply.move for ply in self.plies])

    def seat(self, side: Side) -> Player | None:
        """The player of ``side``, None for an open seat."""
        return self.first if side is FIRST else self.second

    def side_of(self, player: str) -> Side | None:
        """The side of a player, None without a seat.

        A computer may have both sides; this returns the side to move then.
        """
        first = self.first is not None and self.first.id == player
        second = self.second is not None and self.second.id == player
        if first and second:
            return self.position.to_move or FIRST
        return FIRST if first else SECOND if second else None

    def plies_since_move_of(self, side: Side) -> int:
        """The number of moves that a takeback of the last move of ``side`` would undo; 0 if it has not moved."""
        for count, ply in enumerate(reversed(self.plies), 1):
            if ply.side is side:
                return count
        return 0

    @property
    def computer_to_move(self) -> Player | None:
        """The computer player to move, if any."""
        side = self.to_move
        player = None if side is None else self.seat(side)
        return player if player is not None and player.kind == "computer" else None

    @property
    def people(self) -> frozenset[Side]:
        """The sides of people and bots."""
        first = self.first is not None and self.first.kind != "computer"
        second = self.second is not None and self.second.kind != "computer"
        return _SIDES[first][second]

    @property
    def sleeps(self) -> bool:
        """True if the game stands still while nobody watches: only computers play. A league could make exceptions."""
        return self.first is not None and self.second is not None and not self.people

    @property
    def waits_for_somebody(self) -> bool:
        """True if passing time can cost somebody the game: by the clock, or by absence."""
        return self.status == "playing" and (self.clocks is not None or bool(self.away))

    def claimable_at(self, side: Side) -> int | None:
        """The time from which the opponent of ``side`` may claim the game; None while ``side`` is connected."""
        if side not in self.away or self.status != "playing" or not self.begun or self.stopped:
            return None
        return self.left_at[side is Side.SECOND] + self.options.claim_ms

    @property
    def claimable_draw(self) -> str | None:
        """The reason for which the side to move may claim a draw by the rules of the game, None if it may not."""
        claim = self.game.claim
        return None if claim is None or self.to_move is None else claim(self.position)

    @property
    def due_at(self) -> int | None:
        """The time at which :class:`~noughts.rooms.events.Expire` will end the game, ms since the epoch, or None."""
        due = self.due
        return None if due is None else due[0]

    @property
    def due(self) -> tuple[int, Reason] | None:
        """The time at which the game will end if nothing else happens, and the reason.

        A clock that has run out gets the greatest possible lag compensation, so that a move that arrived in time is
        decided first, even on another node. Two computers without a clock are never ended. Time costs nobody a game
        that cannot go on. In a game of days an open seat, and each side's first move, has as long as any move.
        """
        if self.outcome is not None:
            return None
        if self.status == "waiting":
            return self.moved_at + max(self.options.waiting_ms, days_ms(self.options.clock)), Reason.ABORTED
        if self.clocks is not None:
            due = self._due_by_clock(self.clocks)
        elif self.people:
            due = self.moved_at + self.options.sleeping_ms, Reason.ABANDONMENT
        else:
            return None
        return (due[0], Reason.RULES) if self.stopped else due

    def _due_by_clock(self, clocks: Clocks) -> tuple[int, Reason]:
        side = self.running
        if side is None:
            due = self._first_move_due, Reason.ABORTED
        else:
            due = self.moved_at + clocks.left(side) + LAG_MS, Reason.TIME
        if self.away and (people := self.people) and self.away >= people:
            left_at = max(self.left_at[side is Side.SECOND] for side in people)
            due = min(due, (left_at + self.options.abandoned_ms, Reason.ABANDONMENT))
        return due


_SIDES = (
    (frozenset[Side](), frozenset({Side.SECOND})),
    (frozenset({Side.FIRST}), frozenset(Side)),
)
"""The sides, by whether the first and the second belong."""


def must_be_seated(room: Room, player: str) -> Side:
    """The side of ``player``. Raises :class:`Refused` for a player without a seat."""
    side = room.side_of(player)
    if side is None:
        raise Refused("not_seated", "You have no seat in this room.")
    return side


def must_be_playing(room: Room) -> None:
    """Raise :class:`Refused` unless the game is being played and can go on."""
    status = room.status
    if status == "over":
        raise Refused("game_over", "The game is over.")
    if status == "waiting":
        raise Refused("not_allowed", "The game begins when both seats are taken.")
    if room.stopped:
        raise Refused("not_allowed", "The rules have changed, and the game cannot go on. You can abort it.")


def may_be_analysed(status: Status, *, rated: bool) -> bool:
    """True if a game may be analysed: a rated one only after its end."""
    return status == "over" or not rated
