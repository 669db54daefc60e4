"""The moves of the pieces of chess. Pure; does no I/O.

A board is a string with a character for each square, row by row from the top: a8 is 0, h8 is 7, a1 is 56. The pieces
of White, the first side, are ``KQRBNP``, Black's ``kqrbnp``, and an empty square is ``.``.
"""

from __future__ import annotations

from collections.abc import Iterator

from noughts.games.base import Side

SQUARES = tuple(f"{column}{row}" for row in range(8, 0, -1) for column in "abcdefgh")
NUMBER = {name: number for number, name in enumerate(SQUARES)}
NAMES = tuple(tuple(start + to for to in SQUARES) for start in SQUARES)
"""For two squares, the name of a move from one to the other."""
OWN = {Side.FIRST: frozenset("KQRBNP"), Side.SECOND: frozenset("kqrbnp")}
KING = {Side.FIRST: "K", Side.SECOND: "k"}


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
STEPS = {"K": KING_STEPS, "k": KING_STEPS, "N": KNIGHT_STEPS, "n": KNIGHT_STEPS}
SLIDES = {"Q": ALL_WAYS, "q": ALL_WAYS, "R": STRAIGHT, "r": STRAIGHT, "B": SLANTING, "b": SLANTING}
STRIKES = {
    side: tuple(_steps(square, ((way, -1), (way, 1))) for square in range(64))
    for side, way in ((Side.FIRST, -1), (Side.SECOND, 1))
}
"""The squares on which a pawn of each side on each square captures."""
FORWARD = {Side.FIRST: -8, Side.SECOND: 8}
HOME = {Side.FIRST: range(48, 56), Side.SECOND: range(8, 16)}
BEFORE = {Side.FIRST: HOME[Side.SECOND], Side.SECOND: HOME[Side.FIRST]}
"""From where the next step of a pawn reaches the last row."""

CASTLINGS = {
    "K": (60, 62, 63, 61, (61, 62)),
    "Q": (60, 58, 56, 59, (57, 58, 59)),
    "k": (4, 6, 7, 5, (5, 6)),
    "q": (4, 2, 0, 3, (1, 2, 3)),
}
"""For each right: the king's square and where it goes, the rook's and where it goes, and what must be empty."""
RIGHT = {(king, to): right for right, (king, to, *_) in CASTLINGS.items()}
ATTACKERS = {Side.FIRST: ("N", "K", "P", "RQ", "BQ"), Side.SECOND: ("n", "k", "p", "rq", "bq")}
"""Knight, king, pawn, and what attacks along rows and columns or along diagonals."""


def attacked(board: str, square: int, by: Side) -> bool:
    """True if a piece of the side ``by`` attacks ``square``."""
    knight, king, pawn, straight, slanting = ATTACKERS[by]
    for at in KNIGHT_STEPS[square]:
        if board[at] == knight:
            return True
    for at in STRIKES[by.other][square]:
        if board[at] == pawn:
            return True
    for at in KING_STEPS[square]:
        if board[at] == king:
            return True
    for rays, sliders in ((STRAIGHT, straight), (SLANTING, slanting)):
        for ray in rays[square]:
            for at in ray:
                if (piece := board[at]) != ".":
                    if piece in sliders:
                        return True
                    break
    return False


def reach(board: str, start: int, side: Side) -> list[int]:
    """The squares to which the piece of ``side`` on ``start`` could go if there were no checks, castling, or capture in
    passing."""
    piece, own = board[start], OWN[side]
    if (rays := SLIDES.get(piece)) is not None:
        found = []
        for ray in rays[start]:
            for to in ray:
                if (there := board[to]) == ".":
                    found.append(to)
                    continue
                if there not in own:
                    found.append(to)
                break
        return found
    if (steps := STEPS.get(piece)) is not None:
        return [to for to in steps[start] if board[to] not in own]
    found = [to for to in STRIKES[side][start] if board[to] != "." and board[to] not in own]
    step = FORWARD[side]
    if board[start + step] == ".":
        found.append(start + step)
        if start in HOME[side] and board[start + 2 * step] == ".":
            found.append(start + 2 * step)
    return found


def legal(board: str, side: Side, rights: str, behind: int) -> Iterator[str]:
    """The names of the legal moves of ``side``, one by one, by the square that a piece leaves, then by the one that it
    goes to.

    ``rights`` are the castlings that are still allowed, some of ``KQkq``; ``behind`` is the square on which a pawn may
    be captured in passing, -1 for none. Pieces that are pinned to the king stay on its line, and a check allows only
    what ends it.
    """
    own, king, pawn = OWN[side], board.index(KING[side]), "P" if side is Side.FIRST else "p"
    pins, targets, checks = _pins_and_checks(board, king, side)
    for start, piece in enumerate(board):
        if piece not in own:
            continue
        if start == king:
            found = _king_moves(board, king, side, "" if checks else rights)
        elif checks > 1:
            continue
        else:
            found = reach(board, start, side)
            if start in pins:
                found = [to for to in found if to in pins[start]]
            if targets is not None:
                found = [to for to in found if to in targets]
            if behind >= 0 and piece == pawn and behind in STRIKES[side][start] and _passes(board, start, behind, side):
                found.append(behind)
        found.sort()
        names = NAMES[start]
        if piece == pawn and start in BEFORE[side]:
            for to in found:
                for becomes in "bnqr":
                    yield names[to] + becomes
        else:
            for to in found:
                yield names[to]


def _king_moves(board: str, king: int, side: Side, rights: str) -> list[int]:
    other = side.other
    without = f"{board[:king]}.{board[king + 1 :]}"  # the king does not hide what is behind it from a rook
    found = [to for to in reach(board, king, side) if not attacked(without, to, other)]
    for right in rights:
        home, to, _, beside, empty = CASTLINGS[right]
        free = home == king and beside in found and all(board[at] == "." for at in empty)
        if free and not attacked(without, to, other):
            found.append(to)
    return found


def _pins_and_checks(
    board: str, king: int, side: Side
) -> tuple[dict[int, tuple[int, ...]], tuple[int, ...] | None, int]:
    """For each pinned piece of ``side`` the squares that it may go to; where a piece may go to end a check, None
    without one; and the number of checks.
    """
    own = OWN[side]
    knight, _, pawn, straight, slanting = ATTACKERS[side.other]
    pins: dict[int, tuple[int, ...]] = {}
    targets: tuple[int, ...] | None = None
    checks = 0
    for rays, sliders in ((STRAIGHT, straight), (SLANTING, slanting)):
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
                        pins[pinned] = ray[: far + 1]
                    else:
                        targets, checks = ray[: far + 1], checks + 1
                break
    for near, piece in ((KNIGHT_STEPS[king], knight), (STRIKES[side][king], pawn)):
        for at in near:
            if board[at] == piece:
                targets, checks = (at,), checks + 1
    return pins, targets, checks


def _passes(board: str, start: int, behind: int, side: Side) -> bool:
    """True if the capture in passing from ``start`` leaves the king of ``side`` safe: two pawns leave one row."""
    cells = list(board)
    cells[behind], cells[start], cells[behind - FORWARD[side]] = cells[start], ".", "."
    after = "".join(cells)
    return not attacked(after, after.index(KING[side]), side.other)


def can_pass(board: str, behind: int, side: Side) -> bool:
    """True if a pawn of ``side`` can capture in passing on ``behind``."""
    pawn = "P" if side is Side.FIRST else "p"
    return any(board[at] == pawn and _passes(board, at, behind, side) for at in STRIKES[side.other][behind])
