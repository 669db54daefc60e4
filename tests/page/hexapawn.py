"""Hexapawn, for tests of the page: a game as of another package, whose moves go from cell to cell."""

from __future__ import annotations

from dataclasses import dataclass

from noughts.games import Game, IllegalMove, InvalidPosition, MalformedMove, Outcome, Reason, Side, Style

SIZE = 3
CELLS = tuple(tuple(f"{column}{SIZE - row}" for column in "abc") for row in range(SIZE))
PLACES = {name: (r, c) for r, line in enumerate(CELLS) for c, name in enumerate(line)}
MOVES = frozenset(a + b for a in PLACES for b in PLACES if a != b)


@dataclass(frozen=True)
class HexapawnPosition:
    """``board`` has ``w`` and ``b`` for pawns and ``.`` for empty cells, row by row from the top."""

    board: str = "bbb...www"
    ply: int = 0

    @property
    def _mover(self) -> Side:
        return Side.SECOND if self.ply % 2 else Side.FIRST

    def _moves(self) -> tuple[str, ...]:
        own, other, step = ("b", "w", 1) if self.ply % 2 else ("w", "b", -1)
        found = []
        for name, (r, c) in PLACES.items():
            if self.rows[r][c] != own or not 0 <= r + step < SIZE:
                continue
            ahead = self.rows[r + step]
            targets = [x for x in (c - 1, c, c + 1) if 0 <= x < SIZE and ahead[x] == ("." if x == c else other)]
            found += [name + CELLS[r + step][x] for x in targets]
        return tuple(found)

    @property
    def outcome(self) -> Outcome | None:
        if "w" in self.rows[0] or "b" in self.rows[-1] or not self._moves():
            return Outcome(self._mover.other, Reason.COUNT)
        return None

    @property
    def to_move(self) -> Side | None:
        return None if self.outcome else self._mover

    @property
    def legal_moves(self) -> tuple[str, ...]:
        return () if self.outcome else self._moves()

    @property
    def rows(self) -> tuple[str, ...]:
        return tuple(self.board[start : start + SIZE] for start in range(0, SIZE * SIZE, SIZE))

    @property
    def text(self) -> str:
        return f"{'/'.join(self.rows)} {self._mover} {self.ply}"

    def play(self, move: str) -> HexapawnPosition:
        if move not in MOVES:
            raise MalformedMove("a move is two cells, like a1a2")
        if move not in self.legal_moves:
            raise IllegalMove(f"no pawn can go from {move[:2]} to {move[2:]}")
        (r, c), (to_r, to_c) = PLACES[move[:2]], PLACES[move[2:]]
        board = list(self.board)
        board[to_r * SIZE + to_c], board[r * SIZE + c] = board[r * SIZE + c], "."
        return HexapawnPosition("".join(board), self.ply + 1)


def parse(text: str) -> HexapawnPosition:
    """Read :attr:`HexapawnPosition.text`."""
    rows, side, ply = text.split(" ")
    position = HexapawnPosition(rows.replace("/", ""), int(ply))
    if position.text != text or side not in tuple(Side):
        raise InvalidPosition("not a position of hexapawn")
    return position


HEXAPAWN = Game(
    key="hexapawn",
    title="Hexapawn",
    first=Style("White", "w"),
    second=Style("Black", "b"),
    layout=CELLS,
    start=HexapawnPosition(),
    parse=parse,
)
