"""Toads and Frogs: step ahead or hop over one of the others; who cannot move loses. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import dataclass, field

from noughts.games import SEAM, Game, IllegalMove, InvalidPosition, MalformedMove, Outcome, Piece, Side, Style

CELLS = tuple("abcdefg")
WAYS = {CELLS[a] + CELLS[b]: (a, b) for a in range(7) for b in range(7) if 0 < abs(b - a) < 3}
SYMBOL = {Side.FIRST: "t", Side.SECOND: "f"}


@dataclass(frozen=True)
class ToadsPosition:
    """``row`` has the symbol in each cell; ``side`` moves next, or would."""

    row: str = "ttt.fff"
    side: Side = Side.FIRST
    ply: int = field(default=0, compare=False)  # the text does not show it

    @property
    def legal_moves(self) -> tuple[str, ...]:
        return tuple(filter(self.allows, WAYS))

    @property
    def outcome(self) -> Outcome | None:
        return None if self.legal_moves else Outcome(self.side.other, "no_moves")

    @property
    def to_move(self) -> Side | None:
        return self.side if self.legal_moves else None

    @property
    def rows(self) -> tuple[str, ...]:
        return (self.row,)

    @property
    def text(self) -> str:
        return f"{self.row} {self.side}"

    def allows(self, move: str) -> bool:
        (start, to), row = WAYS[move], self.row
        ahead = (to > start) == (self.side is Side.FIRST)
        hops = row[(start + to) // 2] == SYMBOL[self.side.other]
        return row[start] == SYMBOL[self.side] and row[to] == "." and ahead and (hops or abs(to - start) == 1)

    def play(self, move: str) -> ToadsPosition:
        if move not in WAYS:
            raise MalformedMove("a move is two cells, such as cd or bd")
        if not self.allows(move):
            raise IllegalMove(f"nothing of yours can go from {move[0]} to {move[1]}")
        cells, (start, to) = list(self.row), WAYS[move]
        cells[start], cells[to] = ".", cells[start]
        return ToadsPosition("".join(cells), self.side.other, self.ply + 1)


def parse(text: str) -> ToadsPosition:
    row, _, side = text.partition(" ")
    if sorted(row) != sorted("ttt.fff") or side not in tuple(Side):
        raise InvalidPosition("a position is a row and the side to move, such as ttt.fff first")
    return ToadsPosition(row, Side(side))


TOADS_AND_FROGS = Game(
    key="toads",
    title="Toads and Frogs",
    first=Style("Toads", "t"),
    second=Style("Frogs", "f"),
    layout=(CELLS,),
    start=ToadsPosition(),
    parse=parse,
    rules=("Go ahead to the empty cell, one step or over one of the others. Who cannot loses.",),
    seam=SEAM,
    pieces=(Piece("t", Side.FIRST, "toad", "●"), Piece("f", Side.SECOND, "frog", "○")),
    endings=(("no_moves", "because the loser could not move"),),
)
