"""Chess, by FIDE's Laws of Chess of 2023. Pure; does no I/O.

A move is its two squares and perhaps what a pawn becomes: ``e2e4``, ``e7e8q``; castling is the king's move, ``e1g1``.
Its name is that of standard algebraic notation, appendix C of the Laws. White is the first side.

A position's text is its FEN, with six fields. The square behind a pawn that has just made a double step is in it only
if a capture in passing is legal, because only then the position is another one (article 9.2.3). Positions are equal
if these are: the board, the side to move, the castlings that are allowed, and that square.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import field, replace
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
from noughts.games.chess_moves import (
    CASTLINGS,
    FORWARD,
    KING,
    NUMBER,
    OWN,
    RIGHT,
    SQUARES,
    STRIKES,
    attacked,
    can_pass,
    legal,
    reach,
)
from noughts.games.chess_worth import FULL, LATE, MIDDLE, PHASES, UNIT, WORTH
from noughts.games.picture import picture
from noughts.games.sentences import refused
from noughts.value import value

WHITE, BLACK = Style("White", "w"), Style("Black", "b")
GROUND = Board(look="checkered", bottom=Side.FIRST)
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

CELLS = tuple(SQUARES[start : start + 8] for start in range(0, 64, 8))

BEGINS_WITH = {"Q": 1, "R": 2, "B": 2, "N": 2}
KINDS = {"K": "king", "Q": "queen", "R": "rook", "B": "bishop", "N": "knight", "P": "pawn"}
GLYPHS = {Side.FIRST: "♔♕♖♗♘♙", Side.SECOND: "♚♛♜♝♞♟"}
PIECES = tuple(
    Piece(letter if side is Side.FIRST else letter.lower(), side, f"{colour} {kind}", glyph)
    for side, colour in ((Side.FIRST, "white"), (Side.SECOND, "black"))
    for (letter, kind), glyph in zip(KINDS.items(), GLYPHS[side], strict=True)
)

ENDINGS = (
    ("checkmate", "by checkmate"),
    ("stalemate", "by stalemate"),
    ("material", "by insufficient material"),
    ("repetition", "by repetition"),
    ("fivefold_repetition", "by fivefold repetition"),
    ("fifty_moves", "by the fifty-move rule"),
    ("seventy_five_moves", "by the seventy-five-move rule"),
)
CLAIMED_AFTER, ENDED_AFTER = 100, 150
"""So many plies without a capture or a pawn's move let a player claim a draw, and end the game (9.3 and 9.6.2)."""


LOST = {60: "KQ", 4: "kq", 63: "K", 56: "Q", 7: "k", 0: "q"}
"""The rights that are lost when a piece leaves a square, or is captured there."""


@value
class ChessPosition:
    """A position of chess. Get it from :data:`CHESS`; the constructor checks nothing.

    ``board`` has a character for each square, row by row from the top; ``side`` moves next. ``rights`` are the
    castlings that are still allowed, some of ``KQkq``; ``behind`` is where a pawn can be captured in passing, -1 for
    nowhere. The rest does not matter for equality. ``quiet`` counts the plies since a capture or a pawn's move.
    ``past`` has the boards since the last move that cannot be undone, this one included; a board on which a pawn can
    be captured in passing has that square at its end. ``number`` is that of the move as in a FEN. ``middle`` and
    ``late`` are the values of the pieces on their squares, for White, and ``phase`` how much is left; see
    :func:`evaluate`.
    """

    board: str
    side: Side
    rights: str
    behind: int
    quiet: int = field(compare=False)
    number: int = field(compare=False)
    ply: int = field(compare=False)
    past: tuple[str, ...] = field(compare=False)
    middle: int = field(compare=False)
    late: int = field(compare=False)
    phase: int = field(compare=False)
    _moves: tuple[str, ...] | None = field(default=None, compare=False)

    @property
    def to_move(self) -> Side | None:
        return None if self.outcome is not None else self.side

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """By the square that a piece leaves, then by the one that it goes to, from a8 row by row."""
        if self._moves is None:
            moves = tuple(legal(self.board, self.side, self.rights, self.behind))
            self._moves = () if self._draw is not None else moves  # type: ignore[misc]  # what the position implies
        return self._moves

    @property
    def outcome(self) -> Outcome | None:
        if self._moves is None and self._draw is None and not self._is_stuck:
            return None  # one legal move is found sooner than all
        if self.legal_moves:
            return None
        if self._is_stuck:
            king = SQUARES[self._king]
            return Outcome(self.side.other, "checkmate", (king,)) if self.in_check else Outcome(None, "stalemate")
        return Outcome(None, self._draw or "")

    @property
    def _draw(self) -> str | None:
        """The reason why the game is a draw unless it has ended because there are no moves, None if it is not."""
        if _is_dead(self.board):
            return "material"
        if self.quiet >= ENDED_AFTER:
            return "seventy_five_moves"
        return "fivefold_repetition" if self.quiet >= 16 and self.times >= 5 else None

    @property
    def rows(self) -> tuple[str, ...]:
        return tuple([self.board[start : start + 8] for start in range(0, 64, 8)])

    @property
    def text(self) -> str:
        rows = "/".join(re.sub(r"\.+", lambda empty: str(len(empty[0])), row) for row in self.rows)
        behind = "-" if self.behind < 0 else SQUARES[self.behind]
        return (
            f"{rows} {'w' if self.side is Side.FIRST else 'b'} {self.rights or '-'} {behind} {self.quiet} {self.number}"
        )

    __repr__ = brief

    def __str__(self) -> str:
        return drawn(self, CELLS, (WHITE, BLACK))

    def _repr_svg_(self) -> str:
        return picture(self, CELLS, (WHITE, BLACK), pieces=PIECES, ground=GROUND)

    @property
    def in_check(self) -> bool:
        """True if the king of the side to move is attacked."""
        return attacked(self.board, self._king, self.side.other)

    @property
    def times(self) -> int:
        """The number of times that the position has been on the board, this time included."""
        return self.past[::-2].count(self.past[-1])

    @property
    def _king(self) -> int:
        return self.board.index(KING[self.side])

    @property
    def _is_stuck(self) -> bool:
        """True if no move leaves the king safe."""
        return next(legal(self.board, self.side, self.rights, self.behind), None) is None

    def play(self, move: str) -> ChessPosition:
        if move not in self.legal_moves:
            raise _refusal(self, move)
        return self._after(move)

    def _after(self, move: str) -> ChessPosition:
        """The position after a legal move."""
        start, to, becomes = NUMBER[move[:2]], NUMBER[move[2:4]], move[4:]
        side, cells, middle, late, phase = self.side, list(self.board), self.middle, self.late, self.phase
        piece, taken = cells[start], cells[to]
        quiet = self.quiet + 1
        placed = (becomes.upper() if side is Side.FIRST else becomes) or piece
        changes = [(piece, start, -1), (placed, to, 1)]
        cells[start], cells[to] = ".", placed
        behind = -1
        if taken != ".":
            changes.append((taken, to, -1))
            quiet = 0
        if piece in "Pp":
            quiet = 0
            if to == self.behind:
                victim = to - FORWARD[side]
                changes.append((cells[victim], victim, -1))
                cells[victim] = "."
            elif abs(to - start) == 16:
                behind = (start + to) // 2
        elif piece in "Kk" and abs(to - start) == 2:
            _, _, rook, beside, _ = CASTLINGS[RIGHT[start, to]]
            changes += [(cells[rook], rook, -1), (cells[rook], beside, 1)]
            cells[beside], cells[rook] = cells[rook], "."
        for each, square, sign in changes:
            middle += sign * MIDDLE[each][square]
            late += sign * LATE[each][square]
            phase += sign * PHASES[each]
        rights = self.rights
        if rights and (lost := LOST.get(start, "") + LOST.get(to, "")):
            rights = "".join([right for right in rights if right not in lost])
        board, other = "".join(cells), side.other
        if behind >= 0 and not can_pass(board, behind, other):
            behind = -1
        past = (*self.past, board) if quiet and rights == self.rights else (_remembered(board, behind),)
        number = self.number + (side is Side.SECOND)
        return ChessPosition(board, other, rights, behind, quiet, number, self.ply + 1, past, middle, late, phase)


def _remembered(board: str, behind: int) -> str:
    """The entry of :attr:`ChessPosition.past` for a position."""
    return board if behind < 0 else board + SQUARES[behind]


CAN_MATE = re.compile("[PRQprq]")


def _is_dead(board: str) -> bool:
    """True if neither side can ever give mate: a lone knight, or nothing but bishops on squares of one colour."""
    if CAN_MATE.search(board):
        return False
    left = [(piece, square) for square, piece in enumerate(board) if piece in "BNbn"]
    if len(left) == 1:
        return True
    colours = {(square // 8 + square) % 2 for _, square in left}
    return all(piece in "Bb" for piece, _ in left) and len(colours) <= 1


# What moves are called


def _refusal(position: ChessPosition, move: str) -> MalformedMove | IllegalMove:
    """The reason why ``move`` cannot be played in ``position``."""
    if not isinstance(move, str) or not re.fullmatch("[a-h][1-8][a-h][1-8][bnqr]?", move):
        if isinstance(move, str) and position.outcome is None and (why := _why_not_named(position, move.strip())):
            return refused(IllegalMove(why), move, position)
        form = MalformedMove("a move is a pair of squares, such as e2e4 or e7e8q, or a name such as Nf3, exd5 or O-O")
        return refused(form, move, position)
    return refused(IllegalMove(_why_illegal(position, move)), move, position)


def _why_illegal(position: ChessPosition, move: str) -> str:
    if position.outcome is not None:
        return "the game is over"
    board, side = position.board, position.side
    start, to = NUMBER[move[:2]], NUMBER[move[2:4]]
    piece = board[start]
    if piece == ".":
        return f"the square {move[:2]} is empty"
    if piece not in OWN[side]:
        return f"the piece on {move[:2]} is not yours"
    if any(one[:4] == move[:4] for one in position.legal_moves):
        if len(move) == 4:
            return f"you must say what the pawn becomes: {move}q is a queen"
        return "a piece becomes another one only if it is a pawn on the last row"
    if piece == KING[side] and (right := RIGHT.get((start, to))):
        return _why_no_castling(position, right)
    if to not in reach(board, start, side) and not (piece in "Pp" and to == position.behind):
        return f"the {KINDS[piece.upper()]} on {move[:2]} cannot go to {move[2:4]}"
    if position.in_check:
        return f"you are in check, and {move} does not end it"
    return f"you would be in check after {move}"


def _why_not_named(position: ChessPosition, text: str) -> str:
    """The reason why ``text`` names no legal move; empty if it does, or is no name of a move."""
    side = position.side
    if castling := _castling(text):
        step = 2 if castling == "O-O" else -2
        start = position.board.index(KING[side])
        right = RIGHT.get((start, start + step))
        return "the king is not where it began" if right is None else _why_no_castling(position, right)
    match = NAME.fullmatch(text)
    if match is None:
        return ""
    letter, column, row, to, becomes = match.groups(default="")
    kind = KINDS[letter or "P"]
    found = [
        move
        for move in position.legal_moves
        if move[2:4] == to
        and position.board[NUMBER[move[:2]]].upper() == (letter or "P")
        and move[0].startswith(column or (to[0] if not letter else ""))
        and move[1].startswith(row)
    ]
    if any(len(move) == 5 for move in found) and not becomes:
        return f"you must say what the pawn becomes: {to}=Q is a queen"
    if len({move[:2] for move in found}) > 1:
        return f"more than one {kind} can go to {to}: name the square, too, as in {found[0]}"
    if found:  # as people write it, which is not how it is played
        return "a piece becomes another one only if it is a pawn on the last row" if becomes else ""
    return f"no {kind} of yours can go to {to} now"


def _castling(text: str) -> str:
    """``O-O`` or ``O-O-O``, as ``text`` says it; empty if it says neither."""
    name = text.rstrip("+#!?").replace("0", "O").upper()
    return name if name in ("O-O", "O-O-O") else ""


def _why_no_castling(position: ChessPosition, right: str) -> str:
    if right not in position.rights:
        return "you cannot castle there any more: the king or the rook has moved"
    if any(position.board[at] != "." for at in CASTLINGS[right][4]):
        return "you can castle only if the squares between king and rook are empty"
    if position.in_check:
        return "you cannot castle out of check"
    return "you cannot castle over or onto an attacked square"


def notation(position: ChessPosition, move: str) -> str:
    """The name of a legal move: ``Nf3``, ``exd5``, ``O-O``, ``e8=Q+``, ``Qxh7#``."""
    name, after = _name(position, move), position._after(move)
    if not after.in_check:
        return name
    return f"{name}#" if after._is_stuck else f"{name}+"


def _name(position: ChessPosition, move: str) -> str:
    """:func:`notation` without check and mate."""
    board, start, to, becomes = position.board, NUMBER[move[:2]], NUMBER[move[2:4]], move[4:]
    piece = board[start].upper()
    if piece == "K" and abs(to - start) == 2:
        return "O-O" if to > start else "O-O-O"
    takes = board[to] != "." or (piece == "P" and to == position.behind)
    end = f"{'x' if takes else ''}{move[2:4]}"
    if piece == "P":
        return f"{move[0] if takes else ''}{end}{'=' + becomes.upper() if becomes else ''}"
    others = [one for one in position.legal_moves if one[2:4] == move[2:4] and one[:2] != move[:2]]
    rivals = [one for one in others if board[NUMBER[one[:2]]] == board[start]]
    if not rivals:
        return f"{piece}{end}"
    if all(one[0] != move[0] for one in rivals):
        return f"{piece}{move[0]}{end}"
    return f"{piece}{move[1] if all(one[1] != move[1] for one in rivals) else move[:2]}{end}"


NAME = re.compile(r"([KQRBN]?)([a-h]?)([1-8]?)[x-]?([a-h][1-8])(?:=?([QRBNqrbn]))?(?: ?e\.p\.)?[+#]?[!?]*")
IN_CAPITALS = re.compile(r"([A-H][1-8][X-]?)?[A-H][1-8](=?[QRBN])?")
"""Squares in capitals; no piece is named before them, so that they cannot mean anything else."""


def read(position: ChessPosition, text: str) -> str:
    """The only legal move that ``text`` may name, in algebraic notation or by its squares, else ``text`` itself.

    Signs of captures, checks and mates may be left out or be wrong. Squares may be in capitals, and come back in small
    letters.
    """
    text = text.strip()
    if IN_CAPITALS.fullmatch(text):
        text = text.lower()
    legal_moves = position.legal_moves
    if castling := _castling(text):
        found = [move for move in legal_moves if _name(position, move) == castling]
    elif match := NAME.fullmatch(text):
        letter, column, row, to, becomes = match.groups(default="")
        if not letter and not column:  # a pawn's move that is no capture
            column = to[0]
        found = [
            move
            for move in legal_moves
            if move[2:] == to + becomes.lower() and move[0].startswith(column) and move[1].startswith(row)
        ]
        if letter or not (column and row):
            kinds = (letter or "P", (letter or "p").lower())
            found = [move for move in found if position.board[NUMBER[move[:2]]] in kinds]
    else:
        found = []
    return found[0] if len(found) == 1 else text


# Positions as text


def parse(text: str) -> ChessPosition:
    """Read a FEN of four or six fields.

    Raises :class:`InvalidPosition`, also for most positions that no game can reach.
    """
    fields = text.split()
    if len(fields) == 4:
        fields += ["0", "1"]
    if len(fields) != 6:
        raise InvalidPosition(
            "a position is a FEN, with six fields: the board, w or b, castlings, a square, two numbers"
        )
    rows, mover, rights, passing, quiet, number = fields
    board = re.sub("[1-8]", lambda digit: "." * int(digit[0]), rows)
    if not re.fullmatch("(?:[KQRBNPkqrbnp.]{8}/){7}[KQRBNPkqrbnp.]{8}", board):
        raise InvalidPosition(
            "the board is 8 rows joined by '/', with the pieces KQRBNP and kqrbnp and numbers for empty cells"
        )
    board = board.replace("/", "")
    if board.count("K") != 1 or board.count("k") != 1:
        raise InvalidPosition("each side has one king")
    if any(piece in "Pp" for piece in board[:8] + board[56:]):
        raise InvalidPosition("no pawn stands on the first or the last row")
    counts = Counter(board)
    for pawn, officers in (("P", "QRBN"), ("p", "qrbn")):
        if counts[pawn] + sum(max(0, counts[each] - BEGINS_WITH[each.upper()]) for each in officers) > 8:
            raise InvalidPosition("a side has 8 pawns, and one less for each piece that a pawn has become")
    if mover not in ("w", "b"):
        raise InvalidPosition("the side to move is w or b")
    side = Side.FIRST if mover == "w" else Side.SECOND
    if not re.fullmatch("-|K?Q?k?q?", rights):
        raise InvalidPosition("castlings are some of KQkq in this order, or -")
    rights = rights.strip("-")
    for right in rights:
        king, _, rook, _, _ = CASTLINGS[right]
        if board[king] != ("K" if right.isupper() else "k") or board[rook] != ("R" if right.isupper() else "r"):
            raise InvalidPosition(f"for the castling {right} king and rook must stand where they began")
    if not re.fullmatch("[0-9]{1,3} [1-9][0-9]{0,5}", f"{quiet} {number}", re.ASCII) or int(quiet) > ENDED_AFTER:
        raise InvalidPosition("the last two fields are the plies without capture or pawn's move, and the move's number")
    if attacked(board, board.index(KING[side.other]), side):
        raise InvalidPosition("the side that is not to move is in check")
    behind = _behind(board, passing, side)
    pieces = [(piece, square) for square, piece in enumerate(board) if piece != "."]
    return ChessPosition(
        board,
        side,
        rights,
        behind,
        int(quiet),
        int(number),
        2 * (int(number) - 1) + (side is Side.SECOND),
        (_remembered(board, behind),),
        sum(MIDDLE[piece][square] for piece, square in pieces),
        sum(LATE[piece][square] for piece, square in pieces),
        sum(PHASES[piece] for piece, _ in pieces),
    )


def _behind(board: str, passing: str, side: Side) -> int:
    """The square where a pawn can be captured in passing, if the fourth field is ``passing``."""
    if passing == "-":
        return -1
    square = NUMBER.get(passing, -1)
    pawn = "p" if side is Side.FIRST else "P"
    row = range(16, 24) if side is Side.FIRST else range(40, 48)
    back = FORWARD[side]
    if square not in row or board[square] != "." or board[square + back] != "." or board[square - back] != pawn:
        raise InvalidPosition("the fourth field is the square behind a pawn that has just made a double step, or -")
    return square if can_pass(board, square, side) else -1


def variant(options: Mapping[str, Any]) -> Game:
    """Chess from the position ``start``, a FEN. Raises InvalidPosition for one that is wrong, or at its end."""
    start = replace(parse(options["start"] or START), ply=0)
    if start.outcome is not None:
        raise InvalidPosition("the game would be over at its start")
    return replace(CHESS, start=start)


def claim(position: ChessPosition) -> str | None:
    """The reason for which the side to move may claim a draw (9.2 and 9.3), None without one."""
    if position.outcome is not None:
        return None
    if position.quiet >= CLAIMED_AFTER:
        return "fifty_moves"
    return "repetition" if position.times >= 3 else None


def evaluate(position: ChessPosition) -> int:
    """The advantage of the side to move, in hundredths of a pawn."""
    left = min(position.phase, FULL)
    white = (position.middle * left + position.late * (FULL - left)) // FULL
    return white if position.side is Side.FIRST else -white


def noisy(position: ChessPosition) -> tuple[str, ...]:
    """Captures of the most by the least, and what becomes a queen; every move out of a check.

    A piece that a pawn guards is not worth a capture by one that is dearer than both.
    """
    moves, board = position.legal_moves, position.board
    if position.in_check:
        return moves
    found = []
    strikes, pawn = STRIKES[position.side], "p" if position.side is Side.FIRST else "P"
    for move in moves:
        to, becomes = NUMBER[move[2:4]], move[4:]
        taken = board[to]
        if becomes:
            if becomes == "q":
                found.append((-8900 - 10 * WORTH.get(taken.upper(), 100), move))
        elif taken != ".":
            gain, price = WORTH[taken.upper()], WORTH[board[NUMBER[move[:2]]].upper()]
            if gain + WORTH["P"] >= price or all(board[at] != pawn for at in strikes[to]):
                found.append((price - 10 * gain, move))
        elif to == position.behind and board[NUMBER[move[:2]]] in "Pp":
            found.append((-900, move))
    return tuple([move for _, move in sorted(found)])


CHESS = Game(
    key="chess",
    title="Chess",
    first=WHITE,
    second=BLACK,
    layout=CELLS,
    start=parse(START),
    parse=parse,
    rules=(
        "Kings step one square, rooks go straight, bishops diagonally, queens both, if the way is free; knights jump "
        "two squares and one aside. They capture where they land.",
        "Pawns step forward, first one or two squares, capture diagonally, even a pawn that just passed that square, "
        "and become another piece on the last row.",
        "To castle, a king goes two squares to a rook, which crosses it. Neither has moved, nothing is between, and "
        "the king passes no attacked square.",
        "An attacked king is in check: if you cannot end it, you are mated and lose. No other move, or too little left "
        "to mate, is a draw. A third repetition, or fifty moves each without capture or pawn move, lets you claim one; "
        "a fifth, or 75, is one.",
    ),
    seam=SEAM,
    board=GROUND,
    example="e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7",
    pieces=PIECES,
    notation=notation,
    read=read,
    endings=ENDINGS,
    claim=claim,
    repeats=True,
    options=(Option("start", "Start position (FEN)", ""),),
    variant=variant,
    record=RecordFormat("pgn", "pgn"),
    win=20_000,
    heuristic=Heuristic(evaluate, UNIT, opening=8, spread=15, noisy=noisy, slip=100, measure=Measure("pawn", 100)),
)
