"""English draughts, or checkers, by the rules of the World Checkers/Draughts Federation. Pure; does no I/O.

The dark squares are numbered 1 to 32 from the top left, as in the Portable Draughts Notation. A move is ``11-15``, a
capture ``15x22``, and a capture of several pieces its whole path, ``22x15x8``. Black is the first side, at the top.

A position's text is the notation's: ``B:W21,22,K30:B1,2``, the side to move, then White's pieces and Black's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from itertools import pairwise
from typing import Any

from noughts.games.base import (
    SEAM,
    Board,
    Game,
    Heuristic,
    IllegalMove,
    InvalidPosition,
    MalformedMove,
    Option,
    Outcome,
    Piece,
    Side,
    Style,
)
from noughts.games.board import brief, drawn
from noughts.games.picture import picture
from noughts.games.sentences import listed, refused
from noughts.value import value

BLACK, WHITE = Style("Black", "b"), Style("White", "w")
PIECES = (
    Piece("b", Side.FIRST, "black man", "⛂"),
    Piece("B", Side.FIRST, "black king", "⛃"),
    Piece("w", Side.SECOND, "white man", "⛀"),
    Piece("W", Side.SECOND, "white king", "⛁"),
)
OWN = {Side.FIRST: "bB", Side.SECOND: "wW"}
START = "b" * 12 + "." * 8 + "w" * 12
ENDINGS = (
    ("no_move", "because the other side could not move"),
    ("repetition", "by repetition"),
    ("fivefold_repetition", "by fivefold repetition"),
    ("forty_moves", "by the forty-move rule"),
    ("eighty_moves", "by the eighty-move rule"),
)
CLAIMED_AFTER, ENDED_AFTER = 80, 160
"""So many plies in which nothing was captured and no man moved let a player claim a draw (rule 1.32.1), and end the
game. The federation leaves it to the players to end; programs need a rule that does."""

# Squares are numbered from 0 here, one less than in the notation.
PLACES = tuple((square // 4, 2 * (square % 4) + 1 - square // 4 % 2) for square in range(32))
AT = {place: square for square, place in enumerate(PLACES)}
CELLS = tuple(tuple(str(AT[r, c] + 1) if (r, c) in AT else "" for c in range(8)) for r in range(8))


def _neighbours(square: int, far: int) -> dict[tuple[int, int], int]:
    row, column = PLACES[square]
    ways = [(down, right) for down in (-1, 1) for right in (-1, 1)]
    return {way: AT[to] for way in ways if (to := (row + far * way[0], column + far * way[1])) in AT}


def _ways(piece: str) -> tuple[int, ...]:
    """The directions in which ``piece`` moves, down the board or up."""
    return {"b": (1,), "w": (-1,)}.get(piece, (-1, 1))


STEPS = {
    piece: tuple(
        tuple(to for way, to in _neighbours(square, 1).items() if way[0] in _ways(piece)) for square in range(32)
    )
    for piece in "bBwW"
}
JUMPS = {
    piece: tuple(
        tuple((_neighbours(square, 1)[way], to) for way, to in _neighbours(square, 2).items() if way[0] in _ways(piece))
        for square in range(32)
    )
    for piece in "bBwW"
}
"""For each piece and square, what it jumps over, and where it lands."""
CROWNED = {"b": range(28, 32), "w": range(4)}


@value
class DraughtsPosition:
    """A position of draughts. Get it from :data:`DRAUGHTS`; the constructor checks nothing.

    ``board`` has a character for each dark square. The rest does not matter for equality: ``quiet`` counts the plies
    since a capture or a man's move, and ``past`` has the hash of every position since then, this one included.
    """

    board: str
    side: Side
    quiet: int = field(compare=False)
    ply: int = field(compare=False)
    past: tuple[int, ...] = field(compare=False, repr=False)
    _moves: tuple[str, ...] | None = field(default=None, compare=False, repr=False)

    @property
    def to_move(self) -> Side | None:
        return None if self.outcome is not None else self.side

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """By the number of each square on the way."""
        return () if self.outcome is not None else self._all_moves()

    @property
    def outcome(self) -> Outcome | None:
        if not self._all_moves():
            return Outcome(self.side.other, "no_move")
        if self.quiet >= ENDED_AFTER:
            return Outcome(None, "eighty_moves")
        if self.quiet >= 16 and self.times >= 5:
            return Outcome(None, "fivefold_repetition")
        return None

    @property
    def rows(self) -> tuple[str, ...]:
        return tuple(
            ["".join([self.board[AT[r, c]] if (r, c) in AT else " " for c in range(8)]) for r in range(8)],
        )

    @property
    def text(self) -> str:
        sides = [f"{name}{','.join(self._numbered(side))}" for name, side in (("W", Side.SECOND), ("B", Side.FIRST))]
        return ":".join(["B" if self.side is Side.FIRST else "W", *sides])

    def _numbered(self, side: Side) -> Iterator[str]:
        for square, piece in enumerate(self.board, 1):
            if piece in OWN[side]:
                yield f"K{square}" if piece.isupper() else str(square)

    __repr__ = brief

    def __str__(self) -> str:
        return drawn(self, CELLS, (BLACK, WHITE))

    def _repr_svg_(self) -> str:
        return picture(self, CELLS, (BLACK, WHITE))

    @property
    def times(self) -> int:
        """How often the position has been on the board, this time included."""
        return self.past.count(self.past[-1])

    def play(self, move: str) -> DraughtsPosition:
        if move not in self._all_moves() or self.outcome is not None:
            raise _refusal(self, move)
        way, cells = _way(move), list(self.board)
        start, to = way[0], way[-1]
        piece = cells[start]
        cells[start] = "."
        taken = "x" in move
        if taken:
            for leap in pairwise(way):
                cells[_between(*leap)] = "."
        cells[to] = piece.upper() if piece in "bw" and to in CROWNED[piece] else piece
        board, other = "".join(cells), self.side.other
        quiet = 0 if taken or piece in "bw" else self.quiet + 1
        key = hash((board, other))
        return DraughtsPosition(board, other, quiet, self.ply + 1, (*self.past, key) if quiet else (key,))

    def _all_moves(self) -> tuple[str, ...]:
        if self._moves is None:
            board, own = self.board, OWN[self.side]
            squares = [square for square, piece in enumerate(board) if piece in own]
            found = [way for square in squares for way in _captures(board, square)]
            if found:
                moves = ["x".join([str(square + 1) for square in way]) for way in sorted(found)]
            else:
                moves = [
                    f"{square + 1}-{to + 1}"
                    for square in squares
                    for to in sorted(STEPS[board[square]][square])
                    if board[to] == "."
                ]
            self._moves = tuple(moves)  # type: ignore[misc]  # what the position has already implied
        return self._moves


def _between(start: int, to: int) -> int:
    """The square that a jump from ``start`` to ``to`` passes over."""
    (r1, c1), (r2, c2) = PLACES[start], PLACES[to]
    return AT[(r1 + r2) // 2, (c1 + c2) // 2]


def _captures(board: str, start: int) -> list[tuple[int, ...]]:
    """Every way in which the piece on ``start`` can capture, to its end: nobody may stop before."""
    piece = board[start]
    jumps, enemies = JUMPS[piece], "wW" if piece in "bB" else "bB"
    if not any(board[over] in enemies and board[to] == "." for over, to in jumps[start]):
        return []
    found: list[tuple[int, ...]] = []

    def go_on(way: tuple[int, ...], taken: frozenset[int]) -> None:
        here = way[-1]
        more = False
        for over, to in jumps[here]:
            if board[over] in enemies and over not in taken and (board[to] == "." or to == start):
                more = True
                if piece in "bw" and to in CROWNED[piece]:
                    found.append((*way, to))  # a man that is crowned stops there
                else:
                    go_on((*way, to), taken | {over})
        if not more and len(way) > 1:
            found.append(way)

    go_on((start,), frozenset())
    return found


def _way(move: str) -> tuple[int, ...]:
    return tuple([int(square) - 1 for square in re.split("[-x]", move)])


def _refusal(position: DraughtsPosition, move: str) -> MalformedMove | IllegalMove:
    if not isinstance(move, str) or not re.fullmatch(r"([1-9]|[12]\d|3[0-2])(-\d+|(x\d+)+)", move, re.ASCII):
        form = MalformedMove("a move is two squares of 1 to 32, such as 11-15, or for a capture 15x22 or 22x15x8")
        return refused(form, move, position)
    return refused(IllegalMove(_why_illegal(position, move)), move, position)


def _why_illegal(position: DraughtsPosition, move: str) -> str:
    if position.outcome is not None:
        return "the game is over"
    start, legal = _way(move)[0], position.legal_moves
    piece = position.board[start]
    if piece == ".":
        return f"there is no piece on {start + 1}"
    if piece not in OWN[position.side]:
        return f"the piece on {start + 1} is not yours"
    if "x" not in legal[0]:
        return f"the piece on {start + 1} cannot do that"
    longer = [one for one in legal if one.startswith(f"{move}x")]
    return f"you must capture {'on' if longer else ''}: {listed(longer or legal)}".replace(" :", ":")


def read(position: DraughtsPosition, text: str) -> str:
    """The legal move that ``text`` names: with blanks, or a capture by its first square and its last, if it is the only
    one; ``text`` itself if there is none.
    """
    wanted = re.split("[-x: ]+", text.strip().lower())
    moves = {move: re.split("[-x]", move) for move in position.legal_moves}
    same = [move for move, way in moves.items() if way == wanted]
    ends = [move for move, way in moves.items() if len(wanted) == 2 and [way[0], way[-1]] == wanted]
    return same[0] if same else ends[0] if len(ends) == 1 else text


def parse(text: str) -> DraughtsPosition:
    """Read a position in the Portable Draughts Notation, ``B:W21,K30:B1,2``. Raises :class:`InvalidPosition`."""
    match = re.fullmatch(r"([BW]):W([K\d,]*):B([K\d,]*)", text, re.ASCII)
    if match is None:
        raise InvalidPosition("a position is the side to move and both sides' squares: B:W21,22,K30:B1,2")
    cells = ["."] * 32
    for piece, squares in (("w", match[2]), ("b", match[3])):
        for square in filter(None, squares.split(",")):
            king, number = square.startswith("K"), square.removeprefix("K")
            if not number.isdecimal() or not 1 <= int(number) <= 32 or cells[int(number) - 1] != ".":
                raise InvalidPosition(f"{square} is not a free square of 1 to 32")
            if not king and int(number) - 1 in CROWNED[piece]:
                raise InvalidPosition(f"a man on {number} would be a king: K{number}")
            cells[int(number) - 1] = piece.upper() if king else piece
    board, side = "".join(cells), Side.FIRST if match[1] == "B" else Side.SECOND
    if any(sum(piece in own for piece in board) > 12 for own in OWN.values()):
        raise InvalidPosition("a side has at most 12 pieces")
    return DraughtsPosition(board, side, 0, 0, (hash((board, side)),))


def claim(position: DraughtsPosition) -> str | None:
    """The reason for which the side to move may claim a draw, None without one."""
    if position.quiet >= CLAIMED_AFTER:
        return "forty_moves"
    return "repetition" if position.quiet >= 8 and position.times >= 3 else None


def variant(options: Mapping[str, Any]) -> Game:
    """Draughts from the position ``start``. Raises InvalidPosition for one that is wrong, or at its end."""
    start = parse(options["start"]) if options["start"] else DRAUGHTS.start
    if start.outcome is not None:
        raise InvalidPosition("the game would be over at its start")
    return replace(DRAUGHTS, start=start)


UNIT = 120
_KING = 145
_HOLDS = {"b": (0, 2), "w": (29, 31)}
"""The squares from which a side's men keep the other from a king longest: 1 and 3, 30 and 32."""
_WORTH = {
    piece: tuple(
        (_KING if piece.isupper() else 100 + 2 * (row if piece == "b" else 7 - row))
        + (4 if 2 <= row <= 5 and 2 <= column <= 5 else 0)
        + (6 if square in _HOLDS.get(piece, ()) else 0)
        for square, (row, column) in enumerate(PLACES)
    )
    for piece in "bBwW"
}


def evaluate(position: DraughtsPosition) -> int:
    """How much better the side to move stands, in hundredths of a man: men, how far they are, and kings."""
    black = white = 0
    for square, piece in enumerate(position.board):
        if piece in "bB":
            black += _WORTH[piece][square]
        elif piece != ".":
            white += _WORTH[piece][square]
    lead = black - white
    lead += 300 * lead // (black + white + 1)  # who is ahead gains by exchanges
    return lead if position.side is Side.FIRST else -lead


def noisy(position: DraughtsPosition) -> tuple[str, ...]:
    """The captures, which are all moves if there is any."""
    moves = position._all_moves()
    return moves if moves and "x" in moves[0] else ()


DRAUGHTS = Game(
    key="draughts",
    title="Draughts",
    first=BLACK,
    second=WHITE,
    layout=CELLS,
    start=DraughtsPosition(START, Side.FIRST, 0, 0, (hash((START, Side.FIRST)),)),
    parse=parse,
    rules=(
        "Black begins. A man steps one square diagonally forward. It captures by jumping over a piece of the other "
        "side to the empty square behind it, and goes on jumping as long as it can.",
        "Who can capture must capture, but may choose among captures. A man that reaches the last row becomes a king, "
        "and its move ends there. A king moves and captures forward and backward.",
        "A side that cannot move, or has no piece left, loses.",
        "A player to move can claim a draw when the position has come up three times, or after forty moves of each "
        "side in which nothing was captured and no man moved. After five times or eighty moves the game ends by "
        "itself.",
    ),
    seam=SEAM,
    board=Board(look="checkered", bottom=Side.SECOND),
    pieces=PIECES,
    read=read,
    endings=ENDINGS,
    claim=claim,
    repeats=True,
    options=(Option("start", "Start position (PDN)", ""),),
    variant=variant,
    win=20_000,
    heuristic=Heuristic(evaluate, UNIT, opening=6, spread=4, noisy=noisy),
)
