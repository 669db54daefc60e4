"""The interface of a game: two sides, positions, moves by name, outcomes. Pure; does no I/O.

A game is a module of this package, listed in :data:`noughts.games.GAMES`, or part of another package: see
docs/games.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any, Literal, Protocol

from noughts.value import value

SEAM = 3
"""The version of what is promised to games of other packages. It grows when a game may say more than before."""

SWAP = "swap"
"""The move that exchanges the sides' stones, in games that have it: the sides keep their colours and their seats."""

Grid = tuple[tuple[str, ...], ...]
"""Names in the order of the board, row by row from the top. Where a name is empty, there is no cell."""


class Side(StrEnum):
    """One of the two sides of a game; ``FIRST`` begins."""

    FIRST = "first"
    SECOND = "second"

    __hash__ = str.__hash__  # Enum's is written in Python, and slows every lookup in a set or dictionary

    @property
    def other(self) -> Side:
        """The opponent."""
        return Side.SECOND if self is Side.FIRST else Side.FIRST


class Reason(StrEnum):
    """The reason why a game ended, in any game. The first three come from the board, the others from players, the clock
    or the operator. After a fault, of the game or the server, the computer could not move. ``rules`` ends a game that
    cannot go on because they have changed. Only a game from a file of another program may be unfinished. A game may
    have further reasons of its own, see :attr:`Game.endings`.
    """

    LINE = "line"
    COUNT = "count"
    DRAW = "draw"
    AGREEMENT = "agreement"
    RESIGNATION = "resignation"
    TIME = "time"
    ABANDONMENT = "abandonment"
    ADJUDICATION = "adjudication"
    FORFEIT = "forfeit"
    ABORTED = "aborted"
    FAULT = "fault"
    UNFINISHED = "unfinished"
    RULES = "rules"


@value
class Outcome:
    """The outcome of a game.

    ``winner`` is None for a draw and for a game without a winner (aborted, abandoned by both, or ended by a fault).
    ``reason`` is a :class:`Reason`, or one of the game's own. ``cells`` are the names of the cells that show it, such
    as a winning line, in board order; empty if there are none.
    """

    winner: Side | None
    reason: str
    cells: tuple[str, ...] = ()


class MalformedMove(ValueError):
    """The game has no move of that name in any position. For the text see :class:`IllegalMove`."""


class IllegalMove(ValueError):
    """The game has the move, but it cannot be played in this position.

    The text says why, to the player. It begins with a small letter and has no full stop: clients make a sentence of it.
    """


class InvalidPosition(ValueError):
    """The text is not a position of the game, or play cannot reach it."""


class Position(Protocol):
    """A position: an immutable, hashable value. Playing a move returns a new one.

    Positions are equal if play goes on equally from them: ``ply`` does not count if the text does not tell it. They can
    be pickled. The sides need not alternate: ``to_move`` decides.
    """

    @property
    def to_move(self) -> Side | None:
        """The side to move, or None when the game is over."""

    @property
    def ply(self) -> int:
        """The number of moves played from the start of the game, 0 or more."""

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """The names of the moves that can be played, in board order; empty when the game is over.

        A side that must pass has the single move ``pass``.
        """

    @property
    def outcome(self) -> Outcome | None:
        """The outcome, or None if it is not over."""

    @property
    def rows(self) -> tuple[str, ...]:
        """The board from the top, one character for each name in the layout: a side's or a piece's symbol, or ``.`` if
        the cell is empty, or a space where there is none.
        """

    @property
    def text(self) -> str:
        """The position as text. :attr:`Game.parse` reads it back as an equal position."""

    def play(self, move: str) -> Position:
        """The position after ``move``.

        Raises :class:`MalformedMove` for a name that is not a move of the game, and :class:`IllegalMove` for a move
        that cannot be played in this position.
        """

    def __hash__(self) -> int:
        """The same for equal positions."""


@value
class Style:
    """A game's name for a side, and the character that represents it in ``rows``."""

    name: str
    symbol: str


Shape = Literal["squares", "hexagons", "points", "edges", "pits"]


@value
class Board:
    """The geometry of a game's layout. Clients draw any game from this, and know none by its key.

    ``shape`` is one of these:

    - ``squares``: every cell is a square.
    - ``hexagons``: every cell is a hexagon, and each row lies half a cell to the right of the row above.
    - ``points``: pieces stand where lines cross. ``lines`` has the cells at both ends of each straight line, and a line
      passes through the cells between them; without ``lines``, lines join all neighbours in rows and columns.
    - ``edges``: rows and columns 0, 2, 4 and so on are thin. A place in two of these is a dot and no cell, a place in
      one of them is an edge between two dots, and a place in none is a box.
    - ``pits``: every cell is a pit with as many stones as :attr:`Game.counts` says. A cell that is alone in its column
      is a store, as high as the board.

    ``look`` names a drawing of the web page: ``checkered``, ``felt``, ``wood``, ``holes``, ``paper`` or
    ``nested``. A client that does not know it draws a plain board. ``bottom`` is the side that sits at the bottom of
    the layout, so that a client can turn the board for the other; None if it does not matter. ``borders`` are the side
    to which the edges at the top and the bottom belong, and the one to which those at the left and the right belong;
    None if they belong to nobody. So far only boards of hexagons with as many rows as columns have them.
    """

    shape: Shape = "squares"
    look: str = ""
    lines: tuple[tuple[str, str], ...] = ()
    bottom: Side | None = None
    borders: tuple[Side, Side] | None = None


@value
class Piece:
    """The piece for which a character in ``rows`` stands.

    ``side`` is the side that the piece belongs to, None if it belongs to neither. ``name`` is how a screen reader
    speaks of it, such as ``white knight``. ``glyph`` is one character; the page has pictures for those of chess and
    draughts, and shows any other as it is.
    """

    symbol: str
    side: Side | None
    name: str
    glyph: str


@value
class Option:
    """A choice to make when a room is opened, such as the size of the board.

    ``choices`` are what can be chosen. Without any, the option is a text of at most 200 characters, which the game
    checks, such as a position to begin from.
    """

    key: str
    title: str
    default: str | int | float
    choices: tuple[str | int | float, ...] = ()


@value
class RecordFormat:
    """The format in which other programs read and write records of a game.

    ``syntax`` is one of these:

    - ``pgn``: tags, then numbered moves by :attr:`Game.notation`, as in the Portable Game Notation. The sides are
      called White and Black, ``1-0`` is a win of the first one, and a start of its own is chosen by the option
      ``start``.
    - ``sgf``: the Smart Game Format, in which the first side is ``B``. With ``cells`` as ``letters`` a move is the
      column and row of its cell, and if somebody has played :data:`SWAP`, the other side is ``B``: there the stones
      stay, and the players change. With ``names`` a move is the name of its cell, and a swap is ``swap-pieces``.

    ``suffix`` is that of files, such as ``pgn``. ``kind`` is what the format calls the game: ``GameType`` in files of
    draughts, ``GM`` in the Smart Game Format; empty if no other game has the suffix.
    """

    syntax: Literal["pgn", "sgf"]
    suffix: str
    kind: str = ""
    cells: Literal["letters", "names"] = "letters"


@value
class Measure:
    """The words for what estimates count: an estimate of ``worth`` is ``one``, such as a pawn.

    Two are ``many``; without it, the word has an s.
    """

    one: str
    worth: int = 1
    many: str | None = None


@value
class Heuristic:
    """The values that a search gives to positions that it cannot search to the end.

    ``evaluate`` estimates an unfinished position: how much better the side to move stands, 0 when even, in the game's
    own units. With an estimate of ``unit`` that side can expect to win ten games out of eleven. ``measure`` says what
    people count instead, such as pawns; None if there is no such thing.
    ``candidates`` returns the legal moves that are worth searching, the most promising first and at least one; None
    stands for all legal moves. The moves it omits must not be better, or win sooner, than the best candidate.
    ``noisy`` returns the legal moves after which an estimate cannot be trusted, such as captures, the most promising
    first: at its depth a search goes on with these until there are none. None stands for no such moves.
    In the first ``opening`` plies of a game the computer's levels also play moves estimated at most ``spread`` lower
    than the best, so that games begin differently; with 0 and 0 they play only the best.
    ``slip`` is what a lapse of the level ``hard`` gives away at most, greater than 0; ``medium`` gives away twice as
    much, and ``easy`` four times. None stands for no such limit.
    ``plausible`` returns the legal moves that a person would think of: a lapse is one of these. None stands for all.
    """

    evaluate: Callable[[Any], int]
    unit: int
    candidates: Callable[[Any], tuple[str, ...]] | None = None
    opening: int = 0
    spread: int = 0
    noisy: Callable[[Any], tuple[str, ...]] | None = None
    slip: int | None = None
    plausible: Callable[[Any], tuple[str, ...]] | None = None
    measure: Measure | None = None


@value
class Game:
    """A game, and what a client needs to draw it.

    ``layout`` is the grid of move names as drawn, row by row from the top. ``cells``, of the same size, has the names
    of the cells in :attr:`Outcome.cells`; None if a cell has the name of its move. Clients draw a line after every
    ``block`` rows and columns, none if it is 0.
    ``parse`` reads a position from its text; it raises :class:`InvalidPosition`. The text is what players of the game
    write, such as a FEN, or else the rows from the top joined by ``/``, then, if the counts do not show who moves, a
    space and ``first`` or ``second``, then anything else the game needs.
    ``rules`` explains the game to players, a paragraph each, as plain text. ``why_illegal`` may say more about an
    illegal move than :class:`IllegalMove` does: it is called with the position, the move, and the move that led to the
    position, None at the start; None stands for the exception's own text.

    A move's name is the names of its cells in the order in which the move goes through them, perhaps with ``-`` or
    ``x`` between, and perhaps a suffix that chooses among moves with the same cells: ``a3``, ``e2e4``, ``e7e8q``,
    ``22x15x8``. Only a move without cells, such as ``pass``, has another name.

    ``seam`` is the :data:`SEAM` that the game was written for. All of the following may be left out.
    ``board`` says where the cells lie, and ``pieces`` what the symbols in ``rows`` stand for, if that is more than one
    kind of piece for each side. ``score`` returns what each side has so far, where a count decides or matters.
    ``counts`` returns how many things are in each cell, in the form of ``rows``. ``held`` returns what a side has
    beside the board, as symbols of pieces and their number: stones that are still to be placed, captured pieces.
    ``lead`` returns by how many points the winner of a finished position has won, in games that tell it.
    ``notation`` returns the name of a legal move as people write it in that position, ``Nf3`` for ``g1f3``.
    ``read`` returns the move that somebody means who types a text, or the text itself if it means none.
    ``endings`` has the game's own reasons for which the board ends it, each with the words that follow "won", "lost" or
    "Draw": ``("checkmate", "by checkmate")``. ``claim`` returns the reason for which the side to move may claim a draw
    in this position, or None. ``repeats`` says that earlier positions can decide the game or forbid moves; a position
    holds what it needs of them, but equal positions may have different ones, so no value that may rest on them is
    called exact. ``draws`` is False if no game ends in a draw; then players cannot agree on one either.
    ``options`` can be chosen when a room is opened, and ``variant`` returns the game with all of them chosen, under the
    same key; it raises ValueError, with a sentence, for a choice that it does not accept.
    ``setup`` is what was chosen, without defaults; only :mod:`noughts.games.catalogue` gives it.
    ``record`` is the format in which other programs read and write a game of this kind, if there is one.
    ``example`` has the moves of a game that has begun, with blanks between; its last position shows on a card what the
    game looks like.
    ``version`` grows when the rules change so that a game which was legal before is not legal now, or ends otherwise.

    The rest is for the computer. ``win`` is the base value of a win for a search, more than the plies that a game can
    last. ``margin`` is for games in which the size of a win matters: it returns by how much ``first`` has won a
    finished position, negative for ``second``, 0 for a draw. ``sooner`` says that a side's sooner win always has the
    greater margin. ``heuristic`` is for positions that cannot be searched to the end; without one they count as even.
    ``solved`` says that the computer's strongest level plays perfectly.

    ``tells_more`` follows: whether the state of a room has fields that only some games have.
    """

    key: str
    title: str
    first: Style
    second: Style
    layout: Grid
    start: Position
    parse: Callable[[str], Position]
    cells: Grid | None = None
    block: int = 0
    rules: tuple[str, ...] = ()
    why_illegal: Callable[[Any, str, str | None], str | None] | None = None
    seam: int = 1
    board: Board = Board()
    pieces: tuple[Piece, ...] = ()
    score: Callable[[Any], tuple[int, int]] | None = None
    counts: Callable[[Any], tuple[tuple[int, ...], ...]] | None = None
    held: Callable[[Any, Side], tuple[tuple[str, int], ...]] | None = None
    lead: Callable[[Any], float] | None = None
    notation: Callable[[Any, str], str] | None = None
    read: Callable[[Any, str], str] | None = None
    endings: tuple[tuple[str, str], ...] = ()
    claim: Callable[[Any], str | None] | None = None
    repeats: bool = False
    draws: bool = True
    options: tuple[Option, ...] = ()
    variant: Callable[[Mapping[str, Any]], Game] | None = None
    setup: tuple[tuple[str, str | int | float], ...] = ()
    record: RecordFormat | None = None
    example: str = ""
    version: int = 1
    win: int = 1000
    margin: Callable[[Any], int] | None = None
    sooner: bool = False
    heuristic: Heuristic | None = None
    solved: bool = False
    tells_more: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.tells_more = bool(self.notation or self.score or self.counts or self.held or self.lead or self.claim)  # type: ignore[misc]

    def name(self, position: Position, move: str) -> str:
        """The legal ``move`` as people write it."""
        return move if self.notation is None else self.notation(position, move)

    def meant(self, position: Position, text: str) -> str:
        """The move that somebody means who types ``text``, or the text itself."""
        return text if self.read is None else self.read(position, text)

    def counted(self, position: Position) -> dict[str, Any]:
        """The fields that ``position`` has beside its rows, in a game that counts anything: ``score``, ``counts``,
        ``held``, and when it is over ``lead``."""
        found = dict[str, Any]()
        if self.score is not None:
            found["score"] = list(self.score(position))
        if self.counts is not None:
            found["counts"] = [list(row) for row in self.counts(position)]
        if self.held is not None:
            found["held"] = {side.value: dict(self.held(position, side)) for side in Side}
        if self.lead is not None and position.outcome is not None:
            found["lead"] = self.lead(position)
        return found

    def style(self, side: Side) -> Style:
        """The name and the symbol of ``side``."""
        return self.first if side is Side.FIRST else self.second
