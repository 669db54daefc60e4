"""A room after a move."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from noughts.games import GAMES, Outcome, Position, Side
from noughts.rooms import Fischer, Opened, Options, Play, Played, Player, Refused, Room, Step, TakenBack, decide, evolve
from support.rooms import decided

ANN = Player("p-ann", "ann", "human")
BEN = Player("p-ben", "ben", "bot")


@dataclass(frozen=True)
class Counted:
    """A position that counts how often it is asked for the next."""

    position: Position
    played: list[str] = field(default_factory=list, compare=False)

    @property
    def to_move(self) -> Side | None:
        return self.position.to_move

    @property
    def ply(self) -> int:
        return self.position.ply

    @property
    def legal_moves(self) -> tuple[str, ...]:
        return self.position.legal_moves

    @property
    def outcome(self) -> Outcome | None:
        return self.position.outcome

    @property
    def rows(self) -> tuple[str, ...]:
        return self.position.rows

    @property
    def text(self) -> str:
        return self.position.text

    def play(self, move: str) -> Counted:
        self.played.append(move)
        return Counted(self.position.play(move))


def playing(options: Options = Options()) -> Room:  # noqa: B008  # never changes
    return evolve(None, Opened(1000, "room", "tictactoe", "p-ann", ANN, BEN, options))


def test_a_move_that_was_decided_is_not_played_again() -> None:
    position = Counted(GAMES["tictactoe"].start)
    room = replace(playing(), position=position)
    step = decide(room, Play("p-ann", 0, "5"), 2000)
    assert isinstance(step, Step)
    assert step.room.position.rows == ("...", ".x.", "...")
    assert position.played == ["5"]


def test_moves_from_one_position_are_kept_apart() -> None:
    room, other = playing(), replace(playing(), position=GAMES["connect4"].start)
    five, one = (decided(room, Play("p-ann", 0, move), 2000) for move in "51")
    column = decided(other, Play("p-ann", 0, "1"), 2000)
    with pytest.raises(Refused, match="malformed_move"):
        decided(room, Play("p-ann", 0, "10"), 2000)
    assert isinstance(five, Played)
    assert isinstance(one, Played)
    assert isinstance(column, Played)
    assert evolve(other, column).position.rows[-1] == "r......"
    assert evolve(room, one).position.rows == ("x..", "...", "...")
    assert evolve(room, five).position.rows == ("...", ".x.", "...")
    assert room == playing(), "the room before is as it was"


def test_turns_and_plies_go_apart_with_a_takeback() -> None:
    room = playing(Options(clock=Fischer(60_000, 0)))
    for turn, move in enumerate("15"):
        room = evolve(room, Played(2000 + turn, list(Side)[turn], turn, move, 1))
    assert room.answers == room.plies
    back = evolve(room, TakenBack(3000, Side.FIRST, 1))
    assert (back.moves, [answer and answer.move for answer in back.answers]) == (("1",), ["1", "5", None])
    again = evolve(back, Played(4000, Side.SECOND, 3, "9", 1))
    assert (again.moves, [answer and answer.move for answer in again.answers]) == (("1", "9"), ["1", "5", None, "9"])
    assert [ply.version for ply in again.plies] == [2, 5]


def test_the_status_follows_from_the_other_fields() -> None:
    room = playing()
    assert (room.status, room.to_move) == ("playing", Side.FIRST)
    assert (replace(room, second=None).status, replace(room, second=None).to_move) == ("waiting", None)
    over = room
    for turn, move in enumerate("14253"):
        over = evolve(over, Played(2000, list(Side)[turn % 2], turn, move, 1, outcome=over.position.play(move).outcome))
    assert (over.status, over.to_move) == ("over", None)
