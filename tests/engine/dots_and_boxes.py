"""Dots and boxes on 2x2 boxes: a game in which a side that completes a box moves again."""

from __future__ import annotations

from dataclasses import dataclass

from noughts.games import Game, IllegalMove, InvalidPosition, MalformedMove, Outcome, Reason, Side, Style

# The lines in rows from the top: two across, three down, two across, three down, two across.
LAYOUT = (("a", "b"), ("c", "d", "e"), ("f", "g"), ("h", "i", "j"), ("k", "l"))
LINES = "abcdefghijkl"
BOXES = tuple(sum(1 << LINES.index(line) for line in box) for box in ("acdf", "bdeg", "fhik", "gijl"))


@dataclass(frozen=True, slots=True)
class DotsAndBoxes:
    """``lines`` are the drawn lines as bits; ``lead`` is how many boxes more the first side has."""

    lines: int = 0
    lead: int = 0
    side: Side = Side.FIRST

    @property
    def to_move(self) -> Side | None:
        return None if self.ply == len(LINES) else self.side

    @property
    def ply(self) -> int:
        return self.lines.bit_count()

    @property
    def legal_moves(self) -> tuple[str, ...]:
        return tuple(line for bit, line in enumerate(LINES) if not self.lines >> bit & 1)

    @property
    def outcome(self) -> Outcome | None:
        if self.ply < len(LINES):
            return None
        if not self.lead:
            return Outcome(None, Reason.DRAW)
        return Outcome(Side.FIRST if self.lead > 0 else Side.SECOND, Reason.COUNT)

    @property
    def rows(self) -> tuple[str, ...]:
        return tuple("".join("." if line in self.legal_moves else "x" for line in row) for row in LAYOUT)

    @property
    def text(self) -> str:
        return f"{'/'.join(self.rows)} {self.side} {self.lead}"

    def play(self, move: str) -> DotsAndBoxes:
        if move not in LINES:
            raise MalformedMove(move)
        if move not in self.legal_moves:
            raise IllegalMove(move)
        lines = self.lines | 1 << LINES.index(move)
        boxes = sum(lines & box == box != self.lines & box for box in BOXES)
        if not boxes:
            return DotsAndBoxes(lines, self.lead, self.side.other)
        return DotsAndBoxes(lines, self.lead + (boxes if self.side is Side.FIRST else -boxes), self.side)


def parse(text: str) -> DotsAndBoxes:
    raise InvalidPosition(text)


GAME = Game(
    "dots",
    "Dots and boxes",
    Style("First", "x"),
    Style("Second", "o"),
    (("a", "b", "c", "d", "e", "f"), ("g", "h", "i", "j", "k", "l")),
    DotsAndBoxes(),
    parse,
    win=13,
)
