"""The students' task, and what is right and wrong in their work. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, get_args

from noughts.games import Game, Position, Side
from noughts.grading.cases import Right, Rule, Values, sign
from noughts.grading.proof import Explored
from noughts.grading.student import Reply

View = Literal["mover", "first", "second"]
"""For whom values are: the side to move, or always the side that moves first, or second."""

VIEWS: tuple[View, ...] = get_args(View)


@dataclass(frozen=True, slots=True)
class Assignment:
    """The students' task. A sample is of ``most`` positions, the same for the same ``seed``.

    ``named``: the teacher named the function; otherwise minimax is graded where there is no alphabeta.
    """

    game: Game
    rule: Rule
    view: View = "mover"
    most: int = 100
    seed: int = 1
    named: bool = True

    @property
    def function(self) -> str:
        """The name of the function."""
        return self.rule.method.value


@dataclass(frozen=True, slots=True)
class Wrong:
    """The first counterexample of something: a position, what was expected there, and what came.

    Where ``expected`` is empty, ``got`` is a sentence that says all.
    """

    position: Position
    expected: str
    got: str
    told: str = ""


@dataclass(slots=True)
class Tally:
    """In how many positions something was right. ``unanswered`` positions are wrong, with nothing to compare."""

    right: int = 0
    asked: int = 0
    wrong: Wrong | None = None
    unanswered: int = 0

    def count(self, correct: bool, wrong: Callable[[], Wrong]) -> None:
        """Count one position."""
        self.asked += 1
        if correct:
            self.right += 1
        elif self.wrong is None:
            self.wrong = wrong()

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.right / self.asked if self.asked else 0.0


@dataclass(frozen=True, slots=True)
class Case:
    """A position, what is right there, and what the search answered."""

    position: Position
    right: Right
    reply: Reply

    def value_in(self, view: View) -> float:
        """The right value, as the view has it."""
        return in_view(self.right.value, self.position, view)

    def result_in(self, view: View) -> float:
        """The right value's sign, as the view has it."""
        return sign(self.value_in(view))


@dataclass(slots=True)
class Grade:
    """The marks for a search. ``lines`` has the proof for each side, empty if the game is too large for one.

    ``broken``: the search fails at the start of the game, other than by taking too long, so it cannot play at all and
    gets no points. ``visits`` counts the positions in which there is something to cut, all of them for minimax;
    ``unasked`` those without an answer in which the search was not asked. ``form`` says what was graded, as in
    ``minimax(board) -> move``, and ``told`` what it was called with. ``by_moves``: it returns no values. ``memory``
    says that it remembers something wrong, empty if that is not known. ``uncounted``: its visits could not be counted,
    so they are not judged. ``own_order``: they are compared in the search's own order of moves. ``hints`` are sentences
    on what may be behind what is wrong, ``notes`` on what is unusual and right. Durations are in seconds: the
    student's, with the counting of visits, and ours without.
    """

    assignment: Assignment
    complete: bool
    answers: Tally = field(default_factory=Tally)
    value: Tally = field(default_factory=Tally)
    best: Tally = field(default_factory=Tally)
    visits: Tally = field(default_factory=Tally)
    lines: list[Explored] = field(default_factory=list)
    broken: bool = False
    unasked: int = 0
    form: str = ""
    told: tuple[str, ...] = ()
    by_moves: bool = False
    memory: str = ""
    uncounted: bool = False
    own_order: bool = False
    hints: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0
    ours: float = 0


def in_view(value: float, position: Position, view: View) -> float:
    """A value for the side to move as the view has it, or the other way round."""
    other = {"mover": position.to_move, "first": Side.FIRST, "second": Side.SECOND}[view]
    return value if other is position.to_move else -value


def same(got: float, expected: float, values: Values) -> bool:
    """True if a value means the right one."""
    if values == "depth":
        return got == expected
    return sign(got) == expected
