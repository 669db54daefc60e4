"""Requests about what a game teaches: values, reviews, lectures, records and puzzles."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from noughts.protocol.fields import REPLAYED, TEXT, Moves, Name, PositionText, Request, Setup, Text
from noughts.protocol.words import TRACED_PLAYOUTS, TREE_CHARACTERS, TREE_PLIES, Method

PuzzleMoves = Annotated[list[Text], Field(max_length=100)]


class Analyse(Request):
    """Analyse a room's game at ``ply`` (0 is the start); None is the current position. Or analyse ``game`` after
    ``moves`` from its start, or from the position in the text ``start``.
    """

    type: Literal["analyse"]
    room: Text | None = None
    ply: Annotated[int, Field(ge=0, le=2**53)] | None = None
    game: Text | None = None
    setup: Setup = {}
    start: PositionText = ""
    moves: Moves = []


class AskReview(Request):
    """Review a finished game: what each of its moves was worth."""

    type: Literal["review"]
    room: Text


class Trace(Request):
    """Get the steps of a search of a tree of leaves, or of a game after ``moves`` from its start, or from the position
    in the text ``start``, ``depth`` plies deep.

    ``strict``: it cuts only where alpha is greater than beta, not where they are equal.
    """

    type: Literal["trace"]
    tree: Annotated[str, Field(pattern=TEXT, max_length=TREE_CHARACTERS)] | None = None
    game: Text | None = None
    setup: Setup = {}
    start: PositionText = ""
    moves: Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=500)] = []
    search: Method = "alphabeta"
    strict: bool = False
    depth: Annotated[int, Field(ge=1, le=TREE_PLIES)] | None = None


class AskPlayouts(Request):
    """Get the steps of a Monte-Carlo tree search by so many ``playouts``, which ``seed`` decides, of a game after
    ``moves`` from its start, or from the position in the text ``start``.
    """

    type: Literal["playouts"]
    game: Text
    setup: Setup = {}
    start: PositionText = ""
    moves: Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=500)] = []
    playouts: Annotated[int, Field(ge=1, le=TRACED_PLAYOUTS)] = 50
    seed: Annotated[int, Field(ge=0, le=2**53)] = 0


class Replay(Request):
    """Get the positions that ``moves`` lead through, from the start of ``game`` or from the position in the text
    ``start``. ``since`` leaves out those before a ply. With ``legal`` each can be played on from.
    """

    type: Literal["replay"]
    game: Text
    setup: Setup = {}
    start: PositionText = ""
    moves: Moves
    since: Annotated[int, Field(ge=0, le=REPLAYED)] = 0
    legal: bool = False


class Read(Request):
    """Get the games of another program's file as records of our own. ``text`` is all of it, ``suffix`` its name's."""

    type: Literal["read"]
    suffix: Text
    text: str


class Write(Request):
    """Get a game of ``moves`` as a file: ``suffix`` is one of another program's format, or ``jsonl`` for our own.

    Variations stand in brackets after the move that they replace, ``(`` and ``)`` as moves of their own; only PGN and
    PDN have them.
    """

    type: Literal["write"]
    suffix: Text
    game: Text
    setup: Setup = {}
    start: PositionText = ""
    moves: Moves


class Puzzles(Request):
    """Get the games with puzzles, today's puzzle of each, and what the player has solved.

    With ``game``, get only that game, and its puzzles with their ratings.
    """

    type: Literal["puzzles"]
    game: Text | None = None


class ShowPuzzle(Request):
    """Get a puzzle: the position, and the task."""

    type: Literal["puzzle"]
    puzzle: Text


class TryMove(Request):
    """Try ``move`` in a puzzle after ``moves``, and get what follows. ``set`` is the set on whose page it is tried."""

    type: Literal["puzzle_move"]
    puzzle: Text
    moves: PuzzleMoves = []
    move: Text
    set: Text | None = None


class AskHint(Request):
    """Get a hint: ``number`` 1 names a few moves, of which one is right, and 2 names that one."""

    type: Literal["puzzle_hint"]
    puzzle: Text
    moves: PuzzleMoves = []
    number: Annotated[int, Field(ge=1, le=2)] = 1


class ShowProof(Request):
    """Get the solution of a puzzle, and what its other first moves lead to. Unsolved, it counts as a wrong move."""

    type: Literal["puzzle_proof"]
    puzzle: Text
    set: Text | None = None


class MakePuzzleSet(Request):
    """Put puzzles together for others, such as a class, and see later what each of them has solved."""

    type: Literal["make_puzzle_set"]
    title: Name
    puzzles: Annotated[list[Text], Field(min_length=1, max_length=50)]


class ShowPuzzleSet(Request):
    """Get a set of puzzles; its maker also gets what each has solved. ``delete``: as its maker, delete it instead."""

    type: Literal["puzzle_set"]
    set: Text
    delete: bool = False
