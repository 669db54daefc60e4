"""Chess, by FIDE's Laws of Chess of 2023. Pure; does no I/O.

A move is its two squares and perhaps what a pawn becomes: ``e2e4``, ``e7e8q``; castling is the king's move, ``e1g1``.
Its name is that of standard algebraic notation, appendix C of the Laws. White is the first side.

A position's text is its FEN, with six fields. The square behind a pawn that has just made a double step is in it only
if an enemy may capture there, because only then the position is another one (article 9.2.3).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
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
    Option,
    Outcome,
    Piece,
    Side,
    Style,
)
from noughts.games.board import brief, drawn
from noughts.games.picture import picture
from noughts.games.sentences import refused
from noughts.value import value

WHITE, BLACK = Style("White", "w"), Style("Black", "b")
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

# Squares are numbered row by row from the top: a8 is 0, h8 is 7, a1 is 56.
SQUARES = tuple(f"{column}{row}" for row in range(8, 0, -1) for column in "abcdefgh")
NUMBER = {name: number for number, name in enumerate(SQUARES)}
CELLS = tuple(SQUARES[start : start + 8] for start in range(0, 64, 8))

KINDS = {"K": "king", "Q": "queen", "R": "rook", "B": "bishop", "N": "knight", "P": "pawn"}
GLYPHS = {Side.FIRST: "♔♕♖♗♘♙", Side.SECOND: "♚♛♜♝♞♟"}
PIECES = tuple(
    Piece(letter if side is Side.FIRST else letter.lower(), side, f"{colour} {kind}", glyph)
    for side, colour in ((Side.FIRST, "white"), (Side.SECOND, "black"))
    for (letter, kind), glyph in zip(KINDS.items(), GLYPHS[side], strict=True)
)
OWN = {Side.FIRST: frozenset("KQRBNP"), Side.SECOND: frozenset("kqrbnp")}

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


def _steps(square: int, ways: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    row, column = divmod(square, 8)
    places = [(row + down, column + right) for down, right in ways]
    return tuple(8 * r + c for r, c in places if 0 <= r < 8 and 0 <= c < 8)


def _ray(square: int, down: int, right: int) -> tuple[int, ...]:
    return tuple(to for far in range(1, 8) for to in _steps(square, ((down * far, right * far),)))


LINES, DIAGONALS = ((-1, 0), (1, 0), (0, -1), (0, 1)), ((-1, -1), (-1, 1), (1, -1), (1, 1))
JUMPS = tuple((down, right) for down in (-2, -1, 1, 2) for right in (-2, -1, 1, 2) if abs(down) != abs(right))
KING_STEPS = tuple(_steps(square, (*LINES, *DIAGONALS)) for square in range(64))
KNIGHT_STEPS = tuple(_steps(square, JUMPS) for square in range(64))
STRAIGHT = tuple(tuple(filter(None, (_ray(square, *way) for way in LINES))) for square in range(64))
SLANTING = tuple(tuple(filter(None, (_ray(square, *way) for way in DIAGONALS))) for square in range(64))
ALL_WAYS = tuple(straight + slanting for straight, slanting in zip(STRAIGHT, SLANTING, strict=True))
SLIDES = {"q": ALL_WAYS, "r": STRAIGHT, "b": SLANTING}
STRIKES = {
    side: tuple(_steps(square, ((way, -1), (way, 1))) for square in range(64))
    for side, way in ((Side.FIRST, -1), (Side.SECOND, 1))
}
"""Where a pawn of each side on each square captures."""
FORWARD = {Side.FIRST: -8, Side.SECOND: 8}
HOME = {Side.FIRST: range(48, 56), Side.SECOND: range(8, 16)}
LAST = {Side.FIRST: range(8), Side.SECOND: range(56, 64)}

CASTLINGS = {
    "K": (60, 62, 63, 61, (61, 62)),
    "Q": (60, 58, 56, 59, (57, 58, 59)),
    "k": (4, 6, 7, 5, (5, 6)),
    "q": (4, 2, 0, 3, (1, 2, 3)),
}
"""For each right: the king's square and where it goes, the rook's and where it goes, and what must be empty."""
BY_KING = {(king, to): (rook, beside) for king, to, rook, beside, _ in CASTLINGS.values()}
LOST = {60: "KQ", 4: "kq", 63: "K", 56: "Q", 7: "k", 0: "q"}
"""The rights that are lost when a piece leaves a square, or is captured there."""


def _attacked(board: str, square: int, by: Side) -> bool:
    """Whether a piece of the side ``by`` attacks ``square``."""
    white = by is Side.FIRST
    knight, king, pawn = ("N", "K", "P") if white else ("n", "k", "p")
    for at in KNIGHT_STEPS[square]:
        if board[at] == knight:
            return True
    for at in STRIKES[by.other][square]:
        if board[at] == pawn:
            return True
    for at in KING_STEPS[square]:
        if board[at] == king:
            return True
    for rays, sliders in ((STRAIGHT, "RQ" if white else "rq"), (SLANTING, "BQ" if white else "bq")):
        for ray in rays[square]:
            for at in ray:
                if (piece := board[at]) != ".":
                    if piece in sliders:
                        return True
                    break
    return False


@value
class ChessPosition:
    """A position of chess. Get it from :data:`CHESS`; the constructor checks nothing.

    ``board`` has a character for each square, row by row from the top; ``side`` moves next. ``rights`` are the
    castlings that are still allowed, some of ``KQkq``; ``behind`` is where a pawn may be captured in passing, -1 for
    nowhere. The rest does not matter for equality. ``quiet`` counts the plies since a capture or a pawn's move, and
    ``past`` has the hash of every position since then, this one included. ``number`` is that of the move as in a FEN.
    ``middle`` and ``late`` are the values of the pieces on their squares, for White, and ``phase`` how much is left;
    see :func:`evaluate`.
    """

    board: str
    side: Side
    rights: str
    behind: int
    quiet: int = field(compare=False)
    number: int = field(compare=False)
    ply: int = field(compare=False)
    past: tuple[int, ...] = field(compare=False, repr=False)
    middle: int = field(compare=False, repr=False)
    late: int = field(compare=False, repr=False)
    phase: int = field(compare=False, repr=False)
    _moves: tuple[str, ...] | None = field(default=None, compare=False, repr=False)

    @property
    def to_move(self) -> Side | None:
        return None if self.outcome is not None else self.side

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """By the square that a piece leaves, then by the one that it goes to, from a8 row by row."""
        return () if self.outcome is not None else self._all_moves()

    @property
    def outcome(self) -> Outcome | None:
        if not (next(self._generated(), None) if self._moves is None else self._moves):
            king = SQUARES[self._king]
            return Outcome(self.side.other, "checkmate", (king,)) if self.in_check else Outcome(None, "stalemate")
        if self.phase <= 2 and _is_dead(self.board):
            return Outcome(None, "material")
        if self.quiet >= ENDED_AFTER:
            return Outcome(None, "seventy_five_moves")
        if self.quiet >= 8 and self.times >= 5:
            return Outcome(None, "fivefold_repetition")
        return None

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
        return picture(self, CELLS, (WHITE, BLACK))

    @property
    def in_check(self) -> bool:
        """Whether the king of the side to move is attacked."""
        return _attacked(self.board, self._king, self.side.other)

    @property
    def times(self) -> int:
        """How often the position has been on the board, this time included."""
        return self.past.count(self.past[-1])

    @property
    def _king(self) -> int:
        return self.board.index("K" if self.side is Side.FIRST else "k")

    def play(self, move: str) -> ChessPosition:
        if move not in self._all_moves() or self.outcome is not None:
            raise _refusal(self, move)
        return self._after(NUMBER[move[:2]], NUMBER[move[2:4]], move[4:])

    def _all_moves(self) -> tuple[str, ...]:
        if self._moves is None:
            self._moves = tuple(self._generated())  # type: ignore[misc]  # what the position has already implied
        return self._moves

    def _after(self, start: int, to: int, becomes: str) -> ChessPosition:
        """The position after a move that is legal."""
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
            rook, beside = BY_KING[start, to]
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
        if behind >= 0 and not _can_pass(board, behind, other):
            behind = -1
        key = hash((board, other, rights, behind))
        past = (*self.past, key) if quiet and rights == self.rights else (key,)
        number = self.number + (side is Side.SECOND)
        return ChessPosition(board, other, rights, behind, quiet, number, self.ply + 1, past, middle, late, phase)

    def _generated(self) -> Iterator[str]:
        """The legal moves, one by one, in order.

        Pieces that are pinned to the king stay on its line, and a check allows only what ends it.
        """
        board, side, king = self.board, self.side, self._king
        pins, targets, checks = _pins_and_checks(board, king, side)
        own = OWN[side]
        for start, piece in enumerate(board):
            if piece not in own:
                continue
            kind = piece.lower()
            if kind == "k":
                found = self._king_moves(king, checks > 0)
            elif checks > 1:
                continue
            elif kind == "p":
                yield from self._pawn_moves(start, pins.get(start), targets)
                continue
            else:
                if kind == "n":
                    found = [] if start in pins else [to for to in KNIGHT_STEPS[start] if board[to] not in own]
                else:
                    found = []
                    for ray in SLIDES[kind][start]:
                        for to in ray:
                            if (there := board[to]) == ".":
                                found.append(to)
                                continue
                            if there not in own:
                                found.append(to)
                            break
                    if (line := pins.get(start)) is not None:
                        found = [to for to in found if to in line]
                if targets is not None:
                    found = [to for to in found if to in targets]
            found.sort()
            name = SQUARES[start]
            for to in found:
                yield name + SQUARES[to]

    def _king_moves(self, king: int, checked: bool) -> list[int]:
        board, own, other = self.board, OWN[self.side], self.side.other
        without = f"{board[:king]}.{board[king + 1 :]}"  # the king does not hide what is behind it from a rook
        found = [to for to in KING_STEPS[king] if board[to] not in own and not _attacked(without, to, other)]
        if not checked:
            for right in self.rights:
                home, to, _, beside, empty = CASTLINGS[right]
                free = home == king and beside in found and all(board[at] == "." for at in empty)
                if free and not _attacked(without, to, other):
                    found.append(to)
        return found

    def _pawn_moves(self, start: int, line: frozenset[int] | None, targets: frozenset[int] | None) -> Iterator[str]:
        board, side = self.board, self.side
        enemies, step = OWN[side.other], FORWARD[side]
        found = [to for to in STRIKES[side][start] if board[to] in enemies]
        if board[start + step] == ".":
            found.append(start + step)
            if start in HOME[side] and board[start + 2 * step] == ".":
                found.append(start + 2 * step)
        if line is not None:
            found = [to for to in found if to in line]
        if targets is not None:
            found = [to for to in found if to in targets]
        if self.behind in STRIKES[side][start] and _passes(board, start, self.behind, side):
            found.append(self.behind)
        found.sort()
        name = SQUARES[start]
        for to in found:
            if to in LAST[side]:
                for becomes in "bnqr":
                    yield f"{name}{SQUARES[to]}{becomes}"
            else:
                yield name + SQUARES[to]


def _pins_and_checks(board: str, king: int, side: Side) -> tuple[dict[int, frozenset[int]], frozenset[int] | None, int]:
    """For each pinned piece of ``side`` the squares that it may go to; where a piece may go to end a check, None
    without one; and the number of checks.
    """
    own, white = OWN[side], side is Side.FIRST
    pins: dict[int, frozenset[int]] = {}
    targets: frozenset[int] | None = None
    checks = 0
    for rays, sliders in ((STRAIGHT, "rq" if white else "RQ"), (SLANTING, "bq" if white else "BQ")):
        for ray in rays[king]:
            pinned = -1
            for far, at in enumerate(ray):
                if (piece := board[at]) == ".":
                    continue
                if piece in own:
                    if pinned >= 0:
                        break
                    pinned = at
                    continue
                if piece in sliders:
                    if pinned >= 0:
                        pins[pinned] = frozenset(ray[: far + 1])
                    else:
                        targets, checks = frozenset(ray[: far + 1]), checks + 1
                break
    knight, pawn = ("n", "p") if white else ("N", "P")
    for near, piece in ((KNIGHT_STEPS[king], knight), (STRIKES[side][king], pawn)):
        for at in near:
            if board[at] == piece:
                targets, checks = frozenset((at,)), checks + 1
    return pins, targets, checks


def _passes(board: str, start: int, behind: int, side: Side) -> bool:
    """Whether the capture in passing from ``start`` leaves the king of ``side`` safe: two pawns leave one row."""
    cells = list(board)
    cells[behind], cells[start], cells[behind - FORWARD[side]] = cells[start], ".", "."
    after = "".join(cells)
    return not _attacked(after, after.index("K" if side is Side.FIRST else "k"), side.other)


def _can_pass(board: str, behind: int, side: Side) -> bool:
    """Whether a pawn of ``side`` can capture in passing on ``behind``."""
    pawn = "P" if side is Side.FIRST else "p"
    near = [at for at in STRIKES[side.other][behind] if board[at] == pawn]
    return any(_passes(board, at, behind, side) for at in near)


def _is_dead(board: str) -> bool:
    """Whether neither side can ever give mate: a lone knight, or nothing but bishops on squares of one colour."""
    left = [(piece, square) for square, piece in enumerate(board) if piece not in ".Kk"]
    if len(left) == 1 and left[0][0] in "Nn":
        return True
    colours = {(square // 8 + square) % 2 for _, square in left}
    return all(piece in "Bb" for piece, _ in left) and len(colours) <= 1


# What moves are called


def _refusal(position: ChessPosition, move: str) -> MalformedMove | IllegalMove:
    """Why ``move`` cannot be played in ``position``."""
    if not isinstance(move, str) or not re.fullmatch("[a-h][1-8][a-h][1-8][bnqr]?", move):
        form = MalformedMove("a move is two squares, such as e2e4 or e7e8q, or a name such as Nf3, exd5 or O-O")
        return refused(form, move, position)
    return refused(IllegalMove(_why_illegal(position, move)), move, position)


def _why_illegal(position: ChessPosition, move: str) -> str:
    if position.outcome is not None:
        return "the game is over"
    start = NUMBER[move[:2]]
    piece = position.board[start]
    if piece == ".":
        return f"there is no piece on {move[:2]}"
    if piece not in OWN[position.side]:
        return f"the piece on {move[:2]} is not yours"
    if any(one[:4] == move[:4] for one in position.legal_moves):
        if len(move) == 4:
            return f"say what the pawn becomes: {move}q is a queen"
        return "only a pawn that reaches the last row becomes another piece"
    if position.in_check:
        return f"your king is in check, and {move} does not end it"
    free = replace(position, board=position.board.translate(_WITHOUT_KING[position.side]), _moves=None)
    if move in _reached(free, start):
        return f"after {move} your king would be in check"
    return f"the {KINDS[piece.upper()]} on {move[:2]} cannot go to {move[2:4]}"


_WITHOUT_KING = {Side.FIRST: {ord("K"): "."}, Side.SECOND: {ord("k"): "."}}


def _reached(position: ChessPosition, start: int) -> set[str]:
    """Where the piece on ``start`` could go if there were no checks, in a position without its king."""
    board, own = position.board, OWN[position.side]
    piece, name = board[start].lower(), SQUARES[start]
    if piece == ".":  # it is the king
        return {name + SQUARES[to] for to in KING_STEPS[start] if board[to] not in own}
    if piece == "p":
        return set(position._pawn_moves(start, None, None)) if position.behind < 0 else set()
    if piece == "n":
        return {name + SQUARES[to] for to in KNIGHT_STEPS[start]}
    found = set()
    for ray in SLIDES[piece][start]:
        for to in ray:
            found.add(name + SQUARES[to])
            if board[to] != ".":
                break
    return found


def notation(position: ChessPosition, move: str) -> str:
    """The name of a legal move: ``Nf3``, ``exd5``, ``O-O``, ``e8=Q+``, ``Qxh7#``."""
    after = position._after(NUMBER[move[:2]], NUMBER[move[2:4]], move[4:])
    if not after.in_check:
        return _name(position, move)
    return f"{_name(position, move)}{'+' if next(after._generated(), None) else '#'}"


def _name(position: ChessPosition, move: str) -> str:
    """:func:`notation` without check and mate."""
    start, to, becomes = NUMBER[move[:2]], NUMBER[move[2:4]], move[4:]
    piece = position.board[start].upper()
    if piece == "K" and abs(to - start) == 2:
        return "O-O" if to > start else "O-O-O"
    takes = position.board[to] != "." or (piece == "P" and to == position.behind)
    end = f"{'x' if takes else ''}{move[2:4]}"
    if piece == "P":
        return f"{move[0] if takes else ''}{end}{'=' + becomes.upper() if becomes else ''}"
    same = position.board[start]
    rivals = [one for one in position._all_moves() if one[2:4] == move[2:4] and one[:2] != move[:2]]
    rivals = [one for one in rivals if position.board[NUMBER[one[:2]]] == same]
    if not rivals:
        return f"{piece}{end}"
    if all(one[0] != move[0] for one in rivals):
        return f"{piece}{move[0]}{end}"
    return f"{piece}{move[1] if all(one[1] != move[1] for one in rivals) else move[:2]}{end}"


def read(position: ChessPosition, text: str) -> str:
    """The legal move that ``text`` names, by its squares or in algebraic notation; ``text`` itself if there is none."""
    legal = position.legal_moves
    if text in legal:
        return text
    bare = re.sub(r"[x+#=!?:]|e\.p\.", "", text.strip()).replace("0", "O")
    for move in legal:
        name = re.sub("[x+#=]", "", _name(position, move))
        if bare == name or (move[4:] and bare.lower() == name.lower()) or bare.lower().replace("-", "") == move:
            return move
    return text


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
    if any(sum(piece in own for piece in board) > 16 for own in OWN.values()):
        raise InvalidPosition("a side has at most 16 pieces")
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
    if not (quiet.isdecimal() and number.isdecimal() and 0 <= int(quiet) <= ENDED_AFTER and 1 <= int(number) <= 9999):
        raise InvalidPosition("the last two fields are the plies without capture or pawn's move, and the move's number")
    if _attacked(board, board.index("k" if side is Side.FIRST else "K"), side):
        raise InvalidPosition("the side that is not to move is in check")
    behind = _behind(board, passing, side)
    if behind >= 0 and not _can_pass(board, behind, side):
        behind = -1
    pieces = [(piece, square) for square, piece in enumerate(board) if piece != "."]
    return ChessPosition(
        board,
        side,
        rights,
        behind,
        int(quiet),
        int(number),
        2 * (int(number) - 1) + (side is Side.SECOND),
        (hash((board, side, rights, behind)),),
        sum(MIDDLE[piece][square] for piece, square in pieces),
        sum(LATE[piece][square] for piece, square in pieces),
        sum(PHASES[piece] for piece, _ in pieces),
    )


def _behind(board: str, passing: str, side: Side) -> int:
    if passing == "-":
        return -1
    square = NUMBER.get(passing, -1)
    pawn = "p" if side is Side.FIRST else "P"
    row = range(16, 24) if side is Side.FIRST else range(40, 48)
    back = FORWARD[side]
    if square not in row or board[square] != "." or board[square + back] != "." or board[square - back] != pawn:
        raise InvalidPosition("the fourth field is the square behind a pawn that has just made a double step, or -")
    return square


def variant(options: Mapping[str, Any]) -> Game:
    """Chess from the position ``start``, a FEN. Raises InvalidPosition for one that is wrong, or at its end."""
    start = replace(parse(options["start"] or START), ply=0)
    if start.outcome is not None:
        raise InvalidPosition("the game would be over at its start")
    return replace(CHESS, start=start)


def claim(position: ChessPosition) -> str | None:
    """The reason for which the side to move may claim a draw (9.2 and 9.3), None without one."""
    if position.quiet >= CLAIMED_AFTER:
        return "fifty_moves"
    return "repetition" if position.quiet >= 4 and position.times >= 3 else None


# What a position is worth: Tomasz Michniewski's "simplified evaluation function" (1995), in hundredths of a pawn, with
# the king's table of the middle game and that of the end blended by what is left.

WORTH = {"P": 100, "N": 320, "B": 330, "R": 500, "Q": 900, "K": 0}
LEFT = {"P": 0, "N": 1, "B": 1, "R": 2, "Q": 4, "K": 0}
FULL = 24
UNIT = 400
_TABLES = {
    "P": """
          0   0   0   0   0   0   0   0
         50  50  50  50  50  50  50  50
         10  10  20  30  30  20  10  10
          5   5  10  25  25  10   5   5
          0   0   0  20  20   0   0   0
          5  -5 -10   0   0 -10  -5   5
          5  10  10 -20 -20  10  10   5
          0   0   0   0   0   0   0   0""",
    "N": """
        -50 -40 -30 -30 -30 -30 -40 -50
        -40 -20   0   0   0   0 -20 -40
        -30   0  10  15  15  10   0 -30
        -30   5  15  20  20  15   5 -30
        -30   0  15  20  20  15   0 -30
        -30   5  10  15  15  10   5 -30
        -40 -20   0   5   5   0 -20 -40
        -50 -40 -30 -30 -30 -30 -40 -50""",
    "B": """
        -20 -10 -10 -10 -10 -10 -10 -20
        -10   0   0   0   0   0   0 -10
        -10   0   5  10  10   5   0 -10
        -10   5   5  10  10   5   5 -10
        -10   0  10  10  10  10   0 -10
        -10  10  10  10  10  10  10 -10
        -10   5   0   0   0   0   5 -10
        -20 -10 -10 -10 -10 -10 -10 -20""",
    "R": """
          0   0   0   0   0   0   0   0
          5  10  10  10  10  10  10   5
         -5   0   0   0   0   0   0  -5
         -5   0   0   0   0   0   0  -5
         -5   0   0   0   0   0   0  -5
         -5   0   0   0   0   0   0  -5
         -5   0   0   0   0   0   0  -5
          0   0   0   5   5   0   0   0""",
    "Q": """
        -20 -10 -10  -5  -5 -10 -10 -20
        -10   0   0   0   0   0   0 -10
        -10   0   5   5   5   5   0 -10
         -5   0   5   5   5   5   0  -5
          0   0   5   5   5   5   0  -5
        -10   5   5   5   5   5   0 -10
        -10   0   5   0   0   0   0 -10
        -20 -10 -10  -5  -5 -10 -10 -20""",
    "K": """
        -30 -40 -40 -50 -50 -40 -40 -30
        -30 -40 -40 -50 -50 -40 -40 -30
        -30 -40 -40 -50 -50 -40 -40 -30
        -30 -40 -40 -50 -50 -40 -40 -30
        -20 -30 -30 -40 -40 -30 -30 -20
        -10 -20 -20 -20 -20 -20 -20 -10
         20  20   0   0   0   0  20  20
         20  30  10   0   0  10  30  20""",
}
_KING_LATE = """
        -50 -40 -30 -20 -20 -30 -40 -50
        -30 -20 -10   0   0 -10 -20 -30
        -30 -10  20  30  30  20 -10 -30
        -30 -10  30  40  40  30 -10 -30
        -30 -10  30  40  40  30 -10 -30
        -30 -10  20  30  30  20 -10 -30
        -30 -30   0   0   0   0 -30 -30
        -50 -30 -30 -30 -30 -30 -30 -50"""


def _placed(tables: Mapping[str, str]) -> dict[str, tuple[int, ...]]:
    """By each piece, what it is worth to White on each square."""
    found = {}
    for letter, table in tables.items():
        worth = [WORTH[letter] + int(number) for number in table.split()]
        found[letter] = tuple(worth)
        found[letter.lower()] = tuple(-worth[square ^ 56] for square in range(64))
    return found


MIDDLE, LATE = _placed(_TABLES), _placed({**_TABLES, "K": _KING_LATE})
PHASES = {each: left for letter, left in LEFT.items() for each in (letter, letter.lower())}


def evaluate(position: ChessPosition) -> int:
    """How much better the side to move stands, in hundredths of a pawn."""
    left = min(position.phase, FULL)
    white = (position.middle * left + position.late * (FULL - left)) // FULL
    return white if position.side is Side.FIRST else -white


def noisy(position: ChessPosition) -> tuple[str, ...]:
    """Captures of the most by the least, and promotions; every move out of a check."""
    moves, board = position._all_moves(), position.board
    if position.in_check:
        return moves
    found = []
    for move in moves:
        taken, piece = board[NUMBER[move[2:4]]], board[NUMBER[move[:2]]]
        if taken != "." or move[4:] == "q" or (piece in "Pp" and NUMBER[move[2:4]] == position.behind):
            gain = 10 * WORTH.get(taken.upper(), 100) + (9000 if move[4:] else 0) - WORTH[piece.upper()]
            found.append((-gain, move))
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
        "White begins. The king steps one square in any direction, the rook moves along rows and columns, the bishop "
        "along diagonals, and the queen like both; none of them passes over another piece. The knight jumps two "
        "squares along a row or column and one to the side.",
        "A pawn steps one square forward, two from where it began, and captures one square diagonally forward. A pawn "
        "that has just made a double step can be captured as if it had made a single one. A pawn that reaches the last "
        "row becomes a queen, rook, bishop or knight.",
        "To castle, a king that has not moved goes two squares towards a rook that has not moved, and the rook goes to "
        "its other side. The squares between must be empty, and the king must not leave, cross or enter an attacked "
        "square.",
        "A king that is attacked is in check, and the next move must end that. Without such a move it is checkmate, "
        "and the game is lost. Without any move and without a check it is stalemate, a draw.",
        "It is also a draw when neither side has enough pieces left for a mate. A player to move can claim a draw when "
        "the position has come up three times, or after fifty moves of each side without a capture or a pawn's move; "
        "after five times or seventy-five moves the game ends by itself.",
    ),
    seam=SEAM,
    board=Board(look="checkered", bottom=Side.FIRST),
    pieces=PIECES,
    notation=notation,
    read=read,
    endings=ENDINGS,
    claim=claim,
    repeats=True,
    options=(Option("start", "Start position (FEN)", ""),),
    variant=variant,
    win=20_000,
    heuristic=Heuristic(evaluate, UNIT, opening=8, spread=15, noisy=noisy),
)
