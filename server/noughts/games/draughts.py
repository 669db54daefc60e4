"""English draughts, or checkers, by the rules of the World Checkers/Draughts Federation. Pure; does no I/O.

The dark squares are numbered 1 to 32 from the top left, as in the Portable Draughts Notation. A move is ``11-15``, a
capture ``15x22``, and a capture of several pieces its whole path, ``22x15x8``. Black is the first side, at the top.

A position's text is the notation's: ``B:W21,22,K30:B1,2``, the side to move, then White's pieces and Black's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
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
    Measure,
    Option,
    Outcome,
    Piece,
    RecordFormat,
    Side,
    Style,
)
from noughts.games.board import brief, drawn
from noughts.games.picture import picture
from noughts.games.sentences import listed, refused
from noughts.value import value

BLACK, WHITE = Style("Black", "b"), Style("White", "w")
GROUND = Board(look="checkered", bottom=Side.SECOND)
PIECES = (
    Piece("b", Side.FIRST, "black man", "⛂"),
    Piece("B", Side.FIRST, "black king", "⛃"),
    Piece("w", Side.SECOND, "white man", "⛀"),
    Piece("W", Side.SECOND, "white king", "⛁"),
)
OWN = {Side.FIRST: "bB", Side.SECOND: "wW"}
START = "b" * 12 + "." * 8 + "w" * 12
ENDINGS = (
    ("no_moves", "because the loser could not move"),
    ("repetition", "by repetition"),
    ("fivefold_repetition", "by fivefold repetition"),
    ("forty_moves", "by the forty-move rule"),
    ("eighty_moves", "by the eighty-move rule"),
)
CLAIMED_AFTER, ENDED_AFTER = 80, 160
"""After so many plies without a capture or a man's move, a player may claim a draw, and the game ends by itself. The
federation has only the claim, after 40 moves of each side; games between programs need an end."""

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
    since a capture or a man's move, and ``past`` has the board of every position since then, this one included.
    """

    board: str
    side: Side
    quiet: int = field(compare=False)
    ply: int = field(compare=False)
    past: tuple[str, ...] = field(compare=False, repr=False)
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
            return Outcome(self.side.other, "no_moves")
        if self.quiet >= ENDED_AFTER:
            return Outcome(None, "eighty_moves")
        if self.quiet >= 16 and self.times >= 5:
            return Outcome(None, "fivefold_repetition")
        return None

    @property
    def rows(self) -> tuple[str, ...]:
        return tuple(["".join([self.board[AT[r, c]] if (r, c) in AT else " " for c in range(8)]) for r in range(8)])

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
        return picture(self, CELLS, (BLACK, WHITE), pieces=PIECES, ground=GROUND)

    @property
    def times(self) -> int:
        """The number of times that the position has been on the board, this time included."""
        # With the same pieces the same side is to move: every step changes the parity of the rows that they are on.
        return self.past.count(self.board)

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
        board = "".join(cells)
        quiet = 0 if taken or piece in "bw" else self.quiet + 1
        past = (*self.past, board) if quiet else (board,)
        return DraughtsPosition(board, self.side.other, quiet, self.ply + 1, past)

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
    """Every way in which the piece on ``start`` can capture, to its end: nobody may stop before.

    A man that reaches the last row stops there, as it is crowned only after the move and has no jumps from there.
    """
    piece = board[start]
    jumps, enemies = JUMPS[piece], "wW" if piece in "bB" else "bB"
    for over, to in jumps[start]:
        if board[over] in enemies and board[to] == ".":
            break
    else:
        return []
    found: list[tuple[int, ...]] = []

    def go_on(way: tuple[int, ...], taken: frozenset[int]) -> None:
        here = way[-1]
        more = False
        for over, to in jumps[here]:
            if board[over] in enemies and over not in taken and (board[to] == "." or to == start):
                more = True
                go_on((*way, to), taken | {over})
        if not more and len(way) > 1:
            found.append(way)

    go_on((start,), frozenset())
    return found


def _way(move: str) -> tuple[int, ...]:
    return tuple([int(square) - 1 for square in re.split("[-x]", move)])


NUMBER = "([1-9]|[12][0-9]|3[0-2])"
MOVE = re.compile(f"{NUMBER}(-{NUMBER}|(x{NUMBER})+)")


def _refusal(position: DraughtsPosition, move: str) -> MalformedMove | IllegalMove:
    if not isinstance(move, str) or not MOVE.fullmatch(move) or not _on_the_board(move):
        form = "a move is a step to the next square of a diagonal, such as 11-15, or jumps over one, 15x22 or 22x15x8"
        return refused(MalformedMove(form), move, position)
    return refused(IllegalMove(_why_illegal(position, move)), move, position)


def _on_the_board(move: str) -> bool:
    """True if a king could make ``move`` on some board."""
    if "-" in move:
        start, to = _way(move)
        return to in STEPS["B"][start]
    return all(to in [there for _, there in JUMPS["B"][start]] for start, to in pairwise(_way(move)))


def _why_illegal(position: DraughtsPosition, move: str) -> str:
    if position.outcome is not None:
        return "the game is over"
    (start, to, *_), legal = _way(move), position.legal_moves
    piece = position.board[start]
    if piece == ".":
        return f"there is no piece on {start + 1}"
    if piece not in OWN[position.side]:
        return f"the piece on {start + 1} is not yours"
    if "x" in legal[0]:
        if longer := [one for one in legal if one.startswith(f"{move}x")]:
            return f"you must go on capturing: {_choice(longer)}"
        return f"you must capture: {_choice(legal)}"
    if "x" in move:
        return f"{move} captures nothing"
    if to in STEPS[piece][start]:
        return f"square {to + 1} is taken"
    return (
        f"a {'king' if piece.isupper() else 'man'} moves one square diagonally{'' if piece.isupper() else ' forward'}"
    )


def _choice(moves: Sequence[str]) -> str:
    return " or ".join(moves) if len(moves) < 3 else listed(moves)


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
    """Read a position in the Portable Draughts Notation, ``B:W21,K30:B1,2``; either side may come first.

    The text does not show earlier positions, so ``ply`` and ``quiet`` are 0. Raises :class:`InvalidPosition`.
    """
    match = re.fullmatch(r"([BW]):([BW])([K\d,]*):([BW])([K\d,]*)\.?", text, re.ASCII)
    if match is None or match[2] == match[4]:
        raise InvalidPosition("a position is the side to move and the squares of both sides: B:W21,22,K30:B1,2")
    cells = ["."] * 32
    for name, squares in ((match[2], match[3]), (match[4], match[5])):
        for square in filter(None, squares.split(",")):
            number, piece = square.removeprefix("K"), name if square[0] == "K" else name.lower()
            if not re.fullmatch(NUMBER, number):
                raise InvalidPosition(f"{square} is not a square of 1 to 32")
            if cells[int(number) - 1] != ".":
                raise InvalidPosition(f"two pieces are on {number}")
            if int(number) - 1 in CROWNED.get(piece, ()):
                raise InvalidPosition(f"a man on {number} would be a king: K{number}")
            cells[int(number) - 1] = piece
    board, side = "".join(cells), Side.FIRST if match[1] == "B" else Side.SECOND
    counts = {each: sum(piece in own for piece in board) for each, own in OWN.items()}
    if max(counts.values()) > 12:
        raise InvalidPosition("a side has at most 12 pieces")
    if not counts[side.other]:
        raise InvalidPosition("the side that has just moved has a piece")
    return _from_start(board, side)


def _from_start(board: str, side: Side) -> DraughtsPosition:
    return DraughtsPosition(board, side, 0, 0, (board,))


def claim(position: DraughtsPosition) -> str | None:
    """The reason for which the side to move may claim a draw, None without one.

    By the federation's rules a position counts that the next move would repeat for the third time.
    """
    if position.outcome is not None:
        return None
    if position.quiet >= CLAIMED_AFTER:
        return "forty_moves"
    if position.quiet < 7 or len(set(position.past)) == len(position.past):  # nothing has come up twice
        return None
    repeated = position.times >= 3 or any(position.play(move).times >= 3 for move in position.legal_moves)
    return "repetition" if repeated else None


def variant(options: Mapping[str, Any]) -> Game:
    """Draughts from the position ``start``. Raises InvalidPosition for one that is wrong, or at its end."""
    start = parse(options["start"]) if options["start"] else DRAUGHTS.start
    if start.outcome is not None:
        raise InvalidPosition("the game would be over at its start")
    return replace(DRAUGHTS, start=start)


UNIT = 370
"""Measured by ``python -m bench.units``, as docs/engine.md says."""
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
    """The advantage of the side to move, in hundredths of a man: men, how far they are, and kings."""
    black = white = 0
    for square, piece in enumerate(position.board):
        if piece in "bB":
            black += _WORTH[piece][square]
        elif piece != ".":
            white += _WORTH[piece][square]
    lead = black - white if position.side is Side.FIRST else white - black
    return lead + 300 * lead // (black + white + 1)  # the side that is ahead gains by exchanges


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
    start=_from_start(START, Side.FIRST),
    parse=parse,
    rules=(
        "Black begins. A man moves one square diagonally forward. It captures by jumping over a piece of the other "
        "side to the empty square behind it, and jumps on as long as it can. A side that can capture must, but may "
        "choose how.",
        "A man that reaches the last row becomes a king, and its move ends. A king moves and jumps backward too. A "
        "side that cannot move loses.",
        "A player may claim a draw when a position comes up for the third time, or after 40 moves of each side without "
        "a capture or a man's move; after the fifth time, or 80 such moves, the game is a draw.",
        "With best play it is a draw. The computer's strongest level, best, is not perfect.",
    ),
    seam=SEAM,
    board=GROUND,
    example="10-14 22-17 7-10 23-19 11-16 26-23",
    pieces=PIECES,
    read=read,
    endings=ENDINGS,
    claim=claim,
    repeats=True,
    options=(Option("start", "Start position (PDN)", ""),),
    variant=variant,
    record=RecordFormat("pgn", "pdn", "21,B,8,8,N1,0"),
    win=40_000,
    heuristic=Heuristic(evaluate, UNIT, opening=6, spread=4, noisy=noisy, slip=30, measure=Measure("man", 100, "men")),
)
