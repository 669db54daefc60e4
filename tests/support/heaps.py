"""A small game for tests: two sides take stones from a heap, by rules that change from one version to the next."""

from __future__ import annotations

from noughts.games import Game, IllegalMove, MalformedMove, Outcome, Reason, Side, Style
from noughts.value import value


@value
class Heap:
    """A heap of ``stones``. A move takes one of ``takes``, and who takes the last wins, unless ``last_loses``.

    Who takes ``again`` stones moves again.
    """

    stones: int
    takes: tuple[str, ...] = ("1", "2", "3")
    last_loses: bool = False
    again: str = ""
    ply: int = 0
    mover: Side = Side.FIRST

    @property
    def to_move(self) -> Side | None:
        return self.mover if self.stones else None

    @property
    def legal_moves(self) -> tuple[str, ...]:
        return tuple(take for take in self.takes if int(take) <= self.stones)

    @property
    def outcome(self) -> Outcome | None:
        if self.stones:
            return None
        return Outcome(self.mover if self.last_loses else self.mover.other, Reason.COUNT)

    @property
    def rows(self) -> tuple[str, ...]:
        return ("x" * self.stones + "." * (START - self.stones),)

    @property
    def text(self) -> str:
        return f"{self.rows[0]} {self.mover}"

    def play(self, move: str) -> Heap:
        if move not in ("1", "2", "3"):
            raise MalformedMove("a move is 1, 2 or 3")
        if move not in self.legal_moves:
            raise IllegalMove(f"{move} cannot be taken")
        mover = self.mover if move == self.again else self.mover.other
        return Heap(self.stones - int(move), self.takes, self.last_loses, self.again, self.ply + 1, mover)


START = 9


def heap(version: int = 1, **rules: object) -> Game:
    """The game by ``rules``, as in :class:`Heap`, which are of that ``version``."""
    return Game(
        key="heap",
        title="Heap",
        first=Style("Light", "x"),
        second=Style("Dark", "o"),
        layout=(tuple(str(number) for number in range(1, START + 1)),),
        start=Heap(START, **rules),  # type: ignore[arg-type]
        parse=lambda _: Heap(START),
        version=version,
    )


LESS = ("1", "2")
"""The heaps that can be taken by rules that no longer allow three."""
