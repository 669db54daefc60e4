"""Messages about what a game teaches: values, reviews, lectures, records and puzzles."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from noughts.protocol.room_messages import BoardInfo, Held, OutcomeInfo, PlayerInfo, RequestId, SideName
from noughts.protocol.words import ReviewMark


class MoveWorth(TypedDict):
    """The value of a move to the side that plays it. A ``value`` that is not ``exact`` is an estimate or, with
    ``bound``, a proved bound: the move is worth at most (``upper``) or at least (``lower``) so much.

    ``distance`` is the number of plies to the end of the game with best play, this move included, None if unknown.
    ``line`` is the principal variation as far as known, and begins with the move. ``names`` are the same as people
    write them, in a game that has a notation.
    """

    value: int
    exact: bool
    distance: int | None
    line: list[str]
    names: NotRequired[list[str]]
    bound: NotRequired[Literal["upper", "lower"]]


class Analysed(TypedDict):
    """The answer to ``analyse``. ``value`` is for the side to move.

    ``verdict`` says what ``best`` has: with ``proved`` moves that are proved to be best, with ``preferred`` the one
    move that the search prefers without proof, with ``unknown`` one of the moves between which it found no difference.
    ``best`` is empty if the game is over. Servers before ``verdict`` also called moves best that were not proved.
    ``turn``, as in the state, is present for the room's current position only. ``number`` is that of the next move,
    in a game whose moves are numbered in pairs: 1. e4 e5 2. Nf3.
    ``room`` is empty if none was asked about. ``moves`` has every legal move, in board order. ``nodes`` is the number
    of positions searched, ``depth`` the number of plies searched completely, ``seconds`` the time taken.
    """

    type: Literal["analysis"]
    id: NotRequired[RequestId]
    room: str
    game: str
    ply: int
    turn: NotRequired[int]
    number: NotRequired[int]
    to_move: SideName | None
    value: int
    exact: bool
    best: list[str]
    verdict: NotRequired[Literal["proved", "preferred", "unknown"]]
    moves: dict[str, MoveWorth]
    nodes: int
    depth: int
    seconds: float


class ChanceInfo(TypedDict):
    """The prospect of a side: the proved ``result``, None if there is no proof, and the result that it can expect, from
    0 for a loss to 1 for a win, None if that is unknown."""

    result: Literal["win", "draw", "loss"] | None
    expected: float | None


class BetterMove(TypedDict):
    """A better move than one that was played, and what it was worth.

    ``rows`` has the board after each move of the line that begins with it, as far as it is known.
    """

    move: str
    worth: MoveWorth
    rows: list[list[str]]


class ReviewedMoveInfo(TypedDict):
    """A move of a finished game and its mark. ``better`` is there if the mark says that there was a better
    move and one is known. Unless the mark is only probable, it is proved to be better.

    ``name`` is the move as people write it, in a game that has a notation, and ``number`` as in ``analysis``.
    ``before`` is what ``side`` could get at ``ply``, ``after`` what it could still get after the move. ``worth`` is
    what the move was worth by the search before it.
    """

    ply: int
    side: SideName
    move: str
    name: NotRequired[str]
    number: NotRequired[int]
    mark: ReviewMark
    before: ChanceInfo
    after: ChanceInfo
    worth: MoveWorth
    better: NotRequired[BetterMove]


class ResignationInfo(TypedDict):
    """A resignation in a position that was not lost: what ``side`` could get ``before`` it, and so threw away."""

    side: SideName
    mark: ReviewMark
    before: ChanceInfo


class Review(TypedDict):
    """The answer to ``review``: what is known so far. Unless it is ``complete``, ``reviewed`` follow.

    ``moves`` are in the order of the game, ``outcome`` is how it ended. ``decisive`` is the ply of the mistake that
    decided the game, None if there is none and until the review is complete. ``resignation`` is present if somebody
    gave up more than a loss; without a ``decisive`` move, that decided the game. ``swing`` is how much of the expected
    result a ``probable_mistake`` has lost at least. ``engine`` made the review, with at most ``seconds`` for each
    position.
    """

    type: Literal["review"]
    id: NotRequired[RequestId]
    room: str
    game: str
    plies: int
    outcome: NotRequired[OutcomeInfo]
    complete: bool
    decisive: int | None
    resignation: NotRequired[ResignationInfo]
    moves: list[ReviewedMoveInfo]
    swing: float
    engine: str
    seconds: float


class ReviewProgress(TypedDict):
    """More moves of a review that this client waits for, the last moves of the game first.

    With ``complete`` that was all, and ``decisive`` and ``resignation`` are as in ``review``. With ``problem`` the
    review has failed.
    """

    type: Literal["reviewed"]
    room: str
    moves: list[ReviewedMoveInfo]
    complete: bool
    decisive: int | None
    resignation: NotRequired[ResignationInfo]
    problem: NotRequired[str]


class TraceNode(TypedDict):
    """A node of a trace. ``parent`` is the index of its parent, which comes before it; the root has none.

    ``move`` leads to it, the one number ``rank`` of its parent's. ``player`` is absent at a leaf or the end of a game,
    which have a ``value``. ``position`` is there if the game's board is small, with its ``rows`` where the text does
    not begin with them, and the ``counts`` in its cells in a game that has some. ``name`` is that of a node in a tree
    of leaves, or ``move`` as people write it.
    """

    parent: NotRequired[int]
    rank: int
    move: NotRequired[str]
    player: NotRequired[Literal["max", "min"]]
    name: NotRequired[str]
    value: NotRequired[float]
    estimate: NotRequired[float]
    position: NotRequired[str]
    rows: NotRequired[list[str]]
    counts: NotRequired[list[list[int]]]


class TraceStep(TypedDict):
    """A step of a search at ``node``, with alpha and beta there afterwards; None if infinite.

    ``enter`` comes to the node. If it goes no deeper, it finds ``value``, and ``end`` says why, with ``bound`` if the
    table has only a bound. ``update`` comes back from ``child``: the node is worth ``value`` so far. ``cut`` skips
    ``moves``, which people write as ``names``.
    """

    step: Literal["enter", "update", "cut"]
    node: int
    alpha: float | None
    beta: float | None
    child: NotRequired[int]
    value: NotRequired[float]
    end: NotRequired[Literal["leaf", "end", "estimate", "table"]]
    bound: NotRequired[Literal["upper", "lower"]]
    moves: NotRequired[list[str]]
    names: NotRequired[list[str]]


class Traced(TypedDict):
    """The answer to ``trace``: of a ``tree``, or of a ``game`` after ``moves``, perhaps from the position ``start``.
    Values are for MAX, who moves first.

    ``nodes`` has the whole tree of leaves, of a game the nodes in ``steps``. ``visited`` and ``ends`` count nodes, and
    those at which the search went no deeper; ``total`` counts steps, of which there may be fewer. ``value`` and
    ``best`` are None if the search was stopped. ``notes`` say what is left out.
    """

    type: Literal["trace"]
    id: NotRequired[RequestId]
    tree: NotRequired[str]
    game: NotRequired[str]
    start: NotRequired[str]
    moves: NotRequired[list[str]]
    search: Literal["minimax", "alphabeta", "ordered", "table"]
    strict: bool
    depth: int | None
    value: float | None
    best: str | None
    visited: int
    ends: int
    total: int
    notes: list[str]
    nodes: list[TraceNode]
    steps: list[TraceStep]


class PlayoutTerm(TypedDict):
    """A child from which a search selects: the mean of its results, from 0 to 1 for the side to move, and the ``bonus``
    for exploration.
    """

    child: int
    mean: float
    bonus: float


class PlayoutStep(TypedDict):
    """A step of a search by playouts at ``node``. ``value`` is a result for MAX: 1, 1/2 or 0.

    ``select`` goes down to the ``child`` with the greatest sum of its ``terms``; ``expand`` adds the node; ``playout``
    plays ``moves`` from it to the end of the game, where a small board has these ``rows``; ``back_up`` gives the
    result to the node and to all above it.
    """

    step: Literal["select", "expand", "playout", "back_up"]
    node: int
    child: NotRequired[int]
    terms: NotRequired[list[PlayoutTerm]]
    moves: NotRequired[list[str]]
    value: NotRequired[float]
    rows: NotRequired[list[str]]


class Playouts(TypedDict):
    """The answer to ``playouts``. ``nodes`` are as in ``trace``, without values. ``best`` is the move with the most
    playouts, None if the game is over. ``playouts`` counts them: they are fewer if the search was stopped.
    """

    type: Literal["playouts"]
    id: NotRequired[RequestId]
    game: str
    start: NotRequired[str]
    moves: list[str]
    seed: int
    playouts: int
    best: str | None
    notes: list[str]
    nodes: list[TraceNode]
    steps: list[PlayoutStep]


class Place(TypedDict):
    """A position in a replayed game: the board, and the side to move.

    Some games tell more, as in a :class:`State`. ``name`` is the move that led to the position, as people write it.
    The rest is present if it was asked for with ``legal``: ``move`` is the move that led to the position, ``text`` the
    position as its game writes it, ``number`` that of the next move, where moves are numbered in pairs.
    """

    rows: list[str]
    to_move: SideName | None
    score: NotRequired[list[int]]
    counts: NotRequired[list[list[int]]]
    held: NotRequired[Held]
    lead: NotRequired[float]
    name: NotRequired[str]
    move: NotRequired[str]
    text: NotRequired[str]
    legal_moves: NotRequired[list[str]]
    outcome: NotRequired[OutcomeInfo | None]
    number: NotRequired[int]


class Replayed(TypedDict):
    """The answer to ``replay``: the start, and the position after each move.

    ``layout`` and ``board`` are present with a ``setup``, as in a :class:`Snapshot`.
    """

    type: Literal["replay"]
    id: NotRequired[RequestId]
    game: str
    layout: NotRequired[list[list[str]]]
    board: NotRequired[BoardInfo]
    positions: list[Place]


class WrittenGame(TypedDict):
    """The answer to ``write``: the lines of the file, without line ends."""

    type: Literal["write"]
    id: NotRequired[RequestId]
    lines: list[str]


class ReadGames(TypedDict):
    """The answer to ``read``: the lines of a game file, as docs/records.md describes it."""

    type: Literal["read"]
    id: NotRequired[RequestId]
    lines: list[str]


class PuzzleRating(TypedDict):
    """A rating by puzzles. ``change`` is what the last puzzle changed."""

    rating: float
    deviation: float
    volatility: float
    change: NotRequired[float]


class PuzzleGame(TypedDict):
    """A game with puzzles: how many, and the id of today's. ``tried`` and ``standing`` are the player's."""

    game: str
    count: int
    today: str
    tried: NotRequired[int]
    standing: NotRequired[PuzzleRating]


class ListedPuzzle(TypedDict):
    """A puzzle in a list. ``score`` is the player's: 1 solved, 0.5 with a hint, 0 not solved."""

    puzzle: str
    rating: int
    score: NotRequired[float]


class OwnPuzzleSet(TypedDict):
    """A set that the player has made."""

    set: str
    title: str
    count: int


class PuzzleList(TypedDict):
    """The answer to ``puzzles``. ``day`` is today, UTC; ``beginner`` the rating of whoever has solved nothing.

    ``days`` are the last on which the player solved one, the latest first, and ``sets`` those that the player has made.
    ``puzzles`` are those of the game that was asked about, the easiest first.
    """

    type: Literal["puzzles"]
    id: NotRequired[RequestId]
    day: str
    beginner: PuzzleRating
    games: list[PuzzleGame]
    days: list[str]
    sets: list[OwnPuzzleSet]
    puzzles: NotRequired[list[ListedPuzzle]]


class PuzzleInfo(TypedDict):
    """The answer to ``puzzle``: ``side`` is to move in the position ``start`` of the game.

    ``goal``: ``win`` and ``draw``: one move keeps that result, ``fastest``: one wins within ``moves``, of its side.
    ``text`` is the task in words. ``score`` and ``hinted`` are the player's.
    """

    type: Literal["puzzle"]
    id: NotRequired[RequestId]
    puzzle: str
    game: str
    setup: NotRequired[dict[str, Any]]
    start: str
    side: SideName
    goal: Literal["win", "draw", "fastest"]
    moves: int
    rating: int
    text: str
    score: NotRequired[float]
    hinted: NotRequired[bool]


class PuzzleMoved(TypedDict):
    """The answer to ``puzzle_move``: ``kept`` says whether the move is right, and is None if that was not decided.

    ``replies`` follow it until the side that solves has a choice again, or have the answer that shows why it is wrong,
    if that is known. ``solved``: the side has reached its goal.
    ``score`` is that of the first try, and there with ``standing`` if this move has decided it.
    """

    type: Literal["puzzle_move"]
    id: NotRequired[RequestId]
    puzzle: str
    kept: bool | None
    text: str
    replies: list[str]
    solved: bool
    score: NotRequired[float]
    standing: NotRequired[PuzzleRating]


class PuzzleHint(TypedDict):
    """The answer to ``puzzle_hint``: the moves that it names."""

    type: Literal["puzzle_hint"]
    id: NotRequired[RequestId]
    puzzle: str
    moves: list[str]
    text: str


class OtherMove(TypedDict):
    """A first move that is not right, and what it leads to, in words."""

    move: str
    name: str
    text: str


class PuzzleProof(TypedDict):
    """The answer to ``puzzle_proof``: the ``line`` of best play. ``others`` lacks moves whose proof takes too long."""

    type: Literal["puzzle_proof"]
    id: NotRequired[RequestId]
    puzzle: str
    line: list[str]
    others: list[OtherMove]
    score: NotRequired[float]
    standing: NotRequired[PuzzleRating]


class PuzzleSolver(TypedDict):
    """Somebody who has tried puzzles of a set, with the score of each, in its order; None for those not tried."""

    player: PlayerInfo
    scores: list[float | None]


class PuzzleSetInfo(TypedDict):
    """The answer to ``make_puzzle_set`` and ``puzzle_set``. ``solvers`` are for its maker alone."""

    type: Literal["puzzle_set"]
    id: NotRequired[RequestId]
    set: str
    title: str
    by: PlayerInfo
    puzzles: list[ListedPuzzle]
    solvers: NotRequired[list[PuzzleSolver]]
