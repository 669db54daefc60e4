"""The messages that the server sends, as typed dictionaries. Clients ignore fields that they do not know."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from noughts.protocol.words import ErrorCode, Pool, ReviewMark, Unrated, Words

SideName = Literal["first", "second"]
RequestId = int | str | None


class PlayerInfo(TypedDict):
    """A player. ``registered`` is present, and true, if the name is registered."""

    id: str
    name: str
    kind: Literal["human", "bot", "computer"]
    registered: NotRequired[bool]


class SeatInfo(PlayerInfo):
    """The player of a seat. ``online`` is false once the player has been disconnected for some seconds.

    ``claimable_at`` is when the other side may claim the game; present while the player is disconnected.
    ``rating`` is the player's rating at the start, in the pool of the room's clock, if there is one.
    ``provisional`` is present, and true, while the rating is uncertain.
    """

    online: bool
    rating: NotRequired[int]
    provisional: NotRequired[bool]
    claimable_at: NotRequired[str]


class Sides(TypedDict):
    """The seats of a room; None is an open seat."""

    first: SeatInfo | None
    second: SeatInfo | None


class StyleInfo(TypedDict):
    """A side's name in a game, and its character in ``rows``."""

    name: str
    symbol: str


class Styles(TypedDict):
    """Both sides' styles."""

    first: StyleInfo
    second: StyleInfo


class BoardInfo(TypedDict):
    """The geometry of a layout. ``lines`` have the cells at both ends, and pass through those between them.

    ``look`` names a drawing that a client may know, ``bottom`` the side that sits at the bottom of the layout, so that
    a client can turn the board for the other. ``borders`` are the side to which the edges at the top and the bottom
    belong, and the one to which those at the left and the right belong. docs/games.md describes each shape.
    """

    shape: Literal["squares", "hexagons", "points", "edges", "pits"]
    look: NotRequired[str]
    lines: NotRequired[list[list[str]]]
    bottom: NotRequired[SideName]
    borders: NotRequired[list[SideName]]


class PieceInfo(TypedDict):
    """The piece for which a symbol in ``rows`` stands: ``glyph`` is one character, ``side`` None for a piece of neither
    side."""

    side: SideName | None
    name: str
    glyph: str


class OptionInfo(TypedDict):
    """A choice to make for a room, one of ``choices``; without any a text, such as a position to begin from."""

    key: str
    title: str
    default: str | int | float
    choices: NotRequired[list[str | int | float]]


class GameInfo(TypedDict):
    """Everything that a client needs to draw a game. ``layout`` is the grid of move names as drawn; where a name is
    empty, there is no cell.

    A move's name is the names of its cells in the order in which it goes through them, perhaps with ``-`` or ``x``
    between, and perhaps a suffix. ``cells`` are the names of the cells if they differ from the moves. ``block`` is the
    number of rows and columns between the lines of the grid. ``board`` says how the cells lie, squares in rows without
    it. ``pieces`` are what symbols stand for, if that is more than the symbol of each side. ``options`` can be chosen
    in ``create``. ``levels`` are the computer's levels for the game. ``rules`` are paragraphs of plain text for
    players, if the game has any. ``claims``: the rules let a player claim a draw. With an estimate of ``unit`` a side
    can expect to win ten games out of eleven; without it, nobody has measured that. ``record`` is the suffix of the
    game's records in the format of other programs, if there is one. ``package`` is the package that the game comes
    from, unless that is Noughts.
    """

    key: str
    title: str
    sides: Styles
    layout: list[list[str]]
    cells: NotRequired[list[list[str]]]
    block: NotRequired[int]
    board: NotRequired[BoardInfo]
    pieces: NotRequired[dict[str, PieceInfo]]
    options: NotRequired[list[OptionInfo]]
    claims: NotRequired[bool]
    unit: NotRequired[int]
    record: NotRequired[str]
    levels: list[str]
    rules: NotRequired[list[str]]
    package: NotRequired[str]


class Limits(TypedDict):
    """The server's limits, per connection unless the name says otherwise."""

    message_bytes: int
    messages_per_s: float
    burst: int
    rooms_per_player: int
    rooms_per_connection: int
    analyses_per_s: float
    connections_per_address: int


class OutcomeInfo(TypedDict):
    """The outcome of a game. ``cells`` are the cells of the winning line."""

    winner: SideName | None
    reason: str
    cells: list[str]


class OfferInfo(TypedDict):
    """A pending offer."""

    side: SideName
    offer: Literal["draw", "takeback", "rematch"]


class ClockInfo(TypedDict):
    """The time that each side has left, in ms. The clock of the ``running`` side counts down from ``since``."""

    first_ms: int
    second_ms: int
    running: SideName | None
    since: str | None


class FischerInfo(TypedDict):
    """Seconds for each side, and seconds that each move adds."""

    initial_s: float
    increment_s: float


class PerMoveInfo(TypedDict):
    """Seconds for each move."""

    per_move_s: float


class Held(TypedDict):
    """The pieces that each side has beside the board: how many of each piece, by symbol."""

    first: dict[str, int]
    second: dict[str, int]


RulesChanged = TypedDict("RulesChanged", {"from": int, "at_ply": int})
"""Today's rules are other than those of version ``from``, under which the room was opened, and do not agree with its
move at ``at_ply``."""


class State(TypedDict):
    """The public state of a room after an event.

    ``legal_moves`` is absent only for a connection whose ``hello`` said so.
    Some games tell more: ``names`` are the ``moves`` as people write them, ``score`` what the first side and the second
    have so far, ``counts`` how many things are in each cell, ``held`` what each side has beside the board,
    and after the end ``lead`` the points by which the winner has won.
    ``claim_draw`` is the reason for which the side to move may claim a draw, present while it may.
    ``rules_changed`` is present if the game was played under other rules, and today's do not agree with one of its
    moves. The board stays as it was before that move, and nobody can play on.
    """

    status: Literal["waiting", "playing", "over"]
    turn: int
    ply: int
    to_move: SideName | None
    rows: list[str]
    legal_moves: NotRequired[list[str]]
    moves: list[str]
    seats: Sides
    clock: ClockInfo | None
    offers: list[OfferInfo]
    outcome: OutcomeInfo | None
    next: str | None
    names: NotRequired[list[str]]
    score: NotRequired[list[int]]
    counts: NotRequired[list[list[int]]]
    held: NotRequired[Held]
    lead: NotRequired[float]
    claim_draw: NotRequired[str]
    rules_changed: NotRequired[RulesChanged]


class RoomOptions(TypedDict):
    """The options that the room was opened with.

    ``unrated_because`` is present if the room was opened as rated and yet the game is not: its players share a public
    address, or have played too many rated games with each other in the last 24 hours. ``rated`` is false then.
    ``setup`` is what was chosen of the game's own options, present if that is not as usual.
    """

    private: bool
    rated: bool
    clock: FischerInfo | PerMoveInfo | None
    setup: NotRequired[dict[str, str | int | float]]
    unrated_because: NotRequired[Unrated]


class Presence(TypedDict):
    """The number of spectators."""

    spectators: int


class ServerInfo(TypedDict, total=False):
    """The name of the server, and a line of news."""

    name: str
    news: str


class AnnouncementInfo(TypedDict):
    """Something that the operator announces to everybody."""

    text: str
    at: str


class Announcement(AnnouncementInfo):
    """A push: the operator announces something to everybody who is connected."""

    type: Literal["announcement"]


class Welcome(TypedDict):
    """The answer to ``hello``. Keep the ``token`` to come back as the same player.

    ``page`` is true if the server serves the web page: a room is then at ``/rooms/ID`` there. ``games`` and ``words``
    are absent if the ``hello`` said so; ``words`` also from servers that are older than they. ``offered`` are the keys
    of the games that can be opened, if that is not all; rooms of others may be there. ``server`` is present if the
    server has a name or news, ``announcement`` if the operator has announced something of late. ``registration`` is
    present if not everybody may play, and ``may`` if this player may not: it says what is allowed all the same, to
    watch, or only to ``enter`` by an invitation.
    """

    type: Literal["welcome"]
    id: NotRequired[RequestId]
    protocol: int
    player: PlayerInfo
    token: str
    games: NotRequired[list[GameInfo]]
    levels: list[str]
    limits: Limits
    words: NotRequired[Words]
    page: NotRequired[bool]
    webhooks: NotRequired[bool]
    offered: NotRequired[list[str]]
    server: NotRequired[ServerInfo]
    announcement: NotRequired[AnnouncementInfo]
    registration: NotRequired[Literal["invited", "closed"]]
    may: NotRequired[Literal["watch", "enter"]]
    now: str


class Listing(TypedDict):
    """A room in the lobby. ``outcome`` is present when the game is over.

    ``previous`` and ``next`` are present in a series of rematches: the room before, and the room after.
    """

    room: str
    game: str
    status: Literal["waiting", "playing", "over"]
    seats: Sides
    options: RoomOptions
    outcome: NotRequired[OutcomeInfo]
    previous: NotRequired[str]
    next: NotRequired[str]


class Seeker(PlayerInfo):
    """The player of an open seek. ``rating`` is present for a rated seek, if there is one."""

    rating: NotRequired[int]
    provisional: NotRequired[bool]


class SeekInfo(TypedDict):
    """An open seek in the lobby: who wants to play what, since when. ``seek`` is the id with which to ``take`` it.

    ``setup`` is what was chosen of the game's own options, present if that is not as usual.
    """

    seek: str
    player: Seeker
    game: str
    clock: FischerInfo | PerMoveInfo | None
    rated: bool
    since: str
    setup: NotRequired[dict[str, str | int | float]]


class Ok(TypedDict):
    """A request succeeded. The fields depend on the request."""

    type: Literal["ok"]
    id: NotRequired[RequestId]
    room: NotRequired[str]
    tournament: NotRequired[str]
    seat: NotRequired[SideName | None]
    version: NotRequired[int]
    rooms: NotRequired[list[Listing]]
    seeks: NotRequired[list[SeekInfo]]
    player: NotRequired[PlayerInfo]
    token: NotRequired[str]
    code: NotRequired[str]
    expires_at: NotRequired[str]


class Snapshot(TypedDict):
    """A whole room at ``version``. ``board`` is present if the room was set up otherwise than usual, and its game has
    one.
    """

    type: Literal["room"]
    room: str
    version: int
    now: str
    game: str
    layout: list[list[str]]
    board: NotRequired[BoardInfo]
    options: RoomOptions
    previous: str | None
    state: State
    presence: Presence


class Update(TypedDict):
    """One event, and the public state after it. Everybody gets the same bytes, but for ``legal_moves``."""

    type: Literal["update"]
    room: str
    version: int
    at: str
    event: dict[str, Any]
    state: State


class LegalMoves(TypedDict):
    """The answer to ``legal_moves``: the ``moves`` that answer ``turn``, empty unless the game is being played."""

    type: Literal["legal_moves"]
    id: NotRequired[RequestId]
    room: str
    turn: int
    moves: list[str]


class LobbyChanges(TypedDict):
    """The public rooms that were opened, started or ended since the last such message.

    ``seeks`` are new open seeks, ``gone`` the ids of those that are no longer open; both are present if either has any.
    ``missed`` is present if more changed than one message holds, and counts them: request the list again.
    """

    type: Literal["lobby"]
    rooms: list[Listing]
    missed: NotRequired[int]
    seeks: NotRequired[list[SeekInfo]]
    gone: NotRequired[list[str]]


class Spectators(TypedDict):
    """The number of spectators of a room."""

    type: Literal["spectators"]
    room: str
    count: int


class ChatLine(TypedDict):
    """A chat line in a room, ``to`` its players or its spectators."""

    type: Literal["chat"]
    room: str
    id: str
    name: str
    text: str
    at: str
    to: Literal["players", "spectators"]


class ChatLines(TypedDict):
    """The answer to ``chat_history``: the last lines of the client's side, the oldest first."""

    type: Literal["chat_history"]
    id: NotRequired[RequestId]
    room: str
    lines: list[ChatLine]


class YourMove(TypedDict):
    """The client's player has come to move in a game with days for each move, and has time until ``deadline``.

    It goes to all of the player's clients, whether they watch the room or not.
    """

    type: Literal["your_move"]
    room: str
    version: int
    game: str
    title: str
    opponent: str
    side: SideName
    turn: int
    deadline: str


class WebhookInfo(TypedDict):
    """The answer to ``webhook`` and ``set_webhook``: where the player is told, and how the last call went.

    ``secret`` is what receivers check signatures with. All of them are null without a webhook.
    """

    type: Literal["webhook"]
    id: NotRequired[RequestId]
    url: str | None
    secret: str | None
    tried_at: str | None
    outcome: str | None


class MutedPlayers(TypedDict):
    """The answer to ``muted``: the players whom the client's player has muted, by name."""

    type: Literal["muted"]
    id: NotRequired[RequestId]
    players: list[PlayerInfo]


class Invitation(TypedDict):
    """``by`` invites this client's player to take an open seat of ``room``: ``join`` it to accept."""

    type: Literal["invitation"]
    room: str
    game: str
    seats: Sides
    options: RoomOptions
    by: PlayerInfo


class SeekWaits(TypedDict):
    """A seek still waits. ``computer`` are the levels at which the computer would play instead."""

    type: Literal["seek"]
    key: str
    game: str
    waited_s: float
    computer: list[str]


class SeekEnded(TypedDict):
    """Another connection of the player ended a seek, by another seek or by ``unseek``."""

    type: Literal["seek_ended"]
    key: str
    game: str


class RatingInfo(TypedDict):
    """A rating after a number of ``games``; ``provisional`` while its ``deviation`` is large."""

    game: str
    pool: Pool
    rating: int
    deviation: int
    provisional: bool
    games: int


class RatedPlayer(PlayerInfo):
    """A player on the leaderboard, after a number of ``games``.

    ``fixed`` is present, and true, for a level of the computer: no game changes its rating, and none is counted.
    ``measured`` is present, and false, for one whose strength in this game nobody has measured: its rating is a guess,
    which clients should not show. These levels are the last ones.
    """

    rating: int
    deviation: int
    games: NotRequired[int]
    fixed: NotRequired[bool]
    measured: NotRequired[bool]


class LeaderboardInfo(TypedDict):
    """The answer to ``leaderboard``: the best players first, without provisional ratings."""

    type: Literal["leaderboard"]
    id: NotRequired[RequestId]
    game: str
    pool: Pool
    players: list[RatedPlayer]


class StakesInfo(TypedDict):
    """The points by which a player's rating changes by a win, a draw and a loss."""

    win: int
    draw: int
    loss: int


class StakesOfRoom(TypedDict):
    """The answer to ``stakes``, by the present ratings. A side is None if its rating does not change: a computer's, an
    empty seat's or the one opposite, and both in a game that is not rated or is over.
    """

    type: Literal["stakes"]
    id: NotRequired[RequestId]
    room: str
    first: StakesInfo | None
    second: StakesInfo | None


class TallyInfo(TypedDict):
    """The numbers of games that a player won, drew and lost in public."""

    game: str
    won: int
    drawn: int
    lost: int


class PastGame(TypedDict):
    """A finished public game."""

    room: str
    game: str
    ended_at: str
    rated: bool
    seats: Sides
    outcome: OutcomeInfo


class RatingChange(TypedDict):
    """A player's rating after a game; ``before`` is None if there was none."""

    before: int | None
    after: int


class MyGame(Listing):
    """One of a player's own games. ``side`` is the player's.

    A game that is not over has ``turn``, ``ply``, ``to_move`` and ``clock``, as in the state, unless this server cannot
    run it. One that is over has ``ended_at``, and ``rating`` once a rated game has changed the player's.
    """

    side: SideName
    turn: NotRequired[int]
    ply: NotRequired[int]
    to_move: NotRequired[SideName | None]
    clock: NotRequired[ClockInfo | None]
    ended_at: NotRequired[str]
    rating: NotRequired[RatingChange]


class MyGamesPage(TypedDict):
    """The answer to ``games``. ``more`` is present if there are more: ask for them with it as ``after``."""

    type: Literal["games"]
    id: NotRequired[RequestId]
    now: str
    games: list[MyGame]
    more: NotRequired[str]


class CoursePoint(TypedDict):
    """The rating after the game that ended at ``at``."""

    at: str
    rating: int


class Course(TypedDict):
    """A rating over time."""

    game: str
    pool: Pool
    points: list[CoursePoint]


class PlayerPage(TypedDict):
    """The answer to ``player``. ``games`` are the last ones, latest first. Private rooms never count."""

    type: Literal["player"]
    id: NotRequired[RequestId]
    player: PlayerInfo
    ratings: list[RatingInfo]
    record: list[TallyInfo]
    games: list[PastGame]
    course: list[Course]


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


class DeviceInfo(TypedDict):
    """A device on which the player is signed in. ``this``: it is the one that asks.

    ``label`` is what its client called itself. ``used_at`` is to the hour; None if unknown, as ``added_at`` may be.
    """

    device: str
    label: str
    added_at: str | None
    used_at: str | None
    this: bool


class Devices(TypedDict):
    """The answer to ``devices``, the last used first.

    ``recovery_at`` is when the recovery code was made, None if there is none.
    """

    type: Literal["devices"]
    id: NotRequired[RequestId]
    devices: list[DeviceInfo]
    recovery_at: str | None


class QrRows(TypedDict):
    """The answer to ``qr``: rows of ``#`` for dark and ``.`` for light. Leave four light modules around it."""

    type: Literal["qr"]
    id: NotRequired[RequestId]
    rows: list[str]


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
    which have a ``value``. ``position`` is there if the game's board is small. ``name`` is that of a node in a tree of
    leaves, or ``move`` as people write it.
    """

    parent: NotRequired[int]
    rank: int
    move: NotRequired[str]
    player: NotRequired[Literal["max", "min"]]
    name: NotRequired[str]
    value: NotRequired[float]
    estimate: NotRequired[float]
    position: NotRequired[str]


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


class EntrantInfo(PlayerInfo):
    """A player of a tournament. ``rating`` is the one that it entered with, in the pool of the clock, if any."""

    rating: NotRequired[int]


class TournamentListing(TypedDict):
    """A tournament in a list. ``players`` have entered and not withdrawn; there may be ``most``.

    ``round`` is the last that has begun, of ``rounds``, None for an arena and before the start where it depends on the
    players. ``minutes`` and ``ends_at`` are an arena's. ``starts_at`` is there if it starts by itself.
    """

    tournament: str
    name: str
    by: PlayerInfo
    format: Literal["round_robin", "swiss", "arena", "gauntlet"]
    game: str
    setup: NotRequired[dict[str, str]]
    clock: FischerInfo | PerMoveInfo | None
    rated: bool
    kinds: Literal["all", "people", "bots"]
    registered: bool
    private: bool
    status: Literal["open", "running", "finished"]
    players: int
    most: int
    round: int
    rounds: int | None
    minutes: NotRequired[int]
    starts_at: NotRequired[str]
    ends_at: NotRequired[str]


class RoundInfo(TypedDict):
    """A player's round: the ``number`` of the opponent in the standings, None for points without a game.

    ``points`` are None while the game goes on. ``played`` is false for a forfeit.
    """

    opponent: int | None
    side: NotRequired[SideName]
    points: float | None
    played: NotRequired[bool]
    room: NotRequired[str]


class StandingRow(TypedDict):
    """A player in the standings. Those who cannot be told apart share a ``place``. ``number`` is the pairing number.

    The tie-breaks are present if they decide in this format: ``buchholz``, ``sonneborn_berger``, ``direct_encounter``
    among tied players who have all met. ``wins`` are those on the board. ``streak`` are the wins in a row in an arena.
    ``withdrawn``: the player ``left``, or the organiser ``removed`` it. ``results`` are present if they were asked for.
    """

    place: int
    number: int
    player: EntrantInfo
    points: float
    won: int
    drawn: int
    lost: int
    wins: int
    buchholz: NotRequired[float]
    sonneborn_berger: NotRequired[float]
    direct_encounter: NotRequired[float]
    performance: NotRequired[int]
    streak: NotRequired[int]
    withdrawn: NotRequired[Literal["left", "removed"]]
    results: NotRequired[list[RoundInfo]]


class TournamentGame(TypedDict):
    """A game of a tournament. ``points`` are those of both sides, None while it goes on.

    ``played`` is present, and false, for a forfeit; ``adjudicated``, and true, if the organiser decided the game.
    """

    room: str
    round: int
    first: PlayerInfo
    second: PlayerInfo
    points: list[float] | None
    played: NotRequired[bool]
    adjudicated: NotRequired[bool]


class TournamentFields(TypedDict):
    """All that is shown of a tournament after ``version`` events: the best of its standings, and the round's games.

    ``paused``: no games begin. ``more`` is present if there are more rows: ask for those ``after`` it.
    """

    tournament: TournamentListing
    version: int
    paused: bool
    standings: list[StandingRow]
    games: list[TournamentGame]
    more: NotRequired[int]


class TournamentInfo(TournamentFields):
    """The answer to ``tournament``, and pushed after changes to those who watch it."""

    type: Literal["tournament"]
    id: NotRequired[RequestId]


class TournamentList(TypedDict):
    """The answer to ``tournaments``."""

    type: Literal["tournaments"]
    id: NotRequired[RequestId]
    tournaments: list[TournamentListing]


class TournamentCall(TypedDict):
    """Pushed to a player whose game of a tournament begins: ``watch`` its room and play."""

    type: Literal["tournament_game"]
    tournament: str
    name: str
    round: int
    room: str
    seat: SideName
    opponent: PlayerInfo


class Error(TypedDict):
    """A request failed and changed nothing. Only with the ``code`` ``overloaded`` is its outcome unknown."""

    type: Literal["error"]
    id: NotRequired[RequestId]
    code: ErrorCode
    message: str
    retry_after_s: NotRequired[float]
    legal_moves: NotRequired[list[str]]


class Pong(TypedDict):
    """The answer to ``ping``."""

    type: Literal["pong"]
    id: NotRequired[RequestId]
    now: str


Message = Annotated[
    Welcome
    | Ok
    | Snapshot
    | Update
    | LegalMoves
    | Spectators
    | ChatLine
    | ChatLines
    | MutedPlayers
    | YourMove
    | WebhookInfo
    | LobbyChanges
    | Invitation
    | Announcement
    | SeekWaits
    | SeekEnded
    | MyGamesPage
    | PlayerPage
    | LeaderboardInfo
    | StakesOfRoom
    | Analysed
    | Devices
    | QrRows
    | Review
    | ReviewProgress
    | Traced
    | Playouts
    | Replayed
    | WrittenGame
    | ReadGames
    | TournamentInfo
    | TournamentList
    | TournamentCall
    | Error
    | Pong,
    Field(discriminator="type"),
]
