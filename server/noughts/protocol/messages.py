"""What the server sends. Typed dictionaries, so that a bot has plain JSON; clients ignore fields they do not know."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field, TypeAdapter
from typing_extensions import TypedDict

from noughts.rooms import Pool, RefusalCode

ErrorCode = (
    RefusalCode
    | Literal[
        "bad_json",
        "bad_message",
        "unsupported_protocol",
        "not_identified",
        "bad_token",
        "banned",
        "name_taken",
        "unknown_player",
        "unknown_room",
        "rate_limited",
        "room_limit",
        "overloaded",
        "internal",
    ]
)
SideName = Literal["first", "second"]
RequestId = int | str | None


class PlayerInfo(TypedDict):
    """Who somebody is; ``registered`` is there, and true, when the name is theirs for good."""

    id: str
    name: str
    kind: Literal["human", "bot", "computer"]
    registered: NotRequired[bool]


class SeatInfo(PlayerInfo):
    """Who sits in a seat; ``online`` is false once its player has been away for some seconds.

    ``claimable_at`` is from when on the other side may claim the game of who is away.
    ``rating`` is the player's when it sat down, in the pool of the room's clock, where it has one there;
    ``provisional`` is there, and true, while that is uncertain.
    """

    online: bool
    rating: NotRequired[int]
    provisional: NotRequired[bool]
    claimable_at: NotRequired[str]


class Sides(TypedDict):
    """The seats of a room; None is open."""

    first: SeatInfo | None
    second: SeatInfo | None


class StyleInfo(TypedDict):
    """What a game calls a side, and its character in ``rows``."""

    name: str
    symbol: str


class Styles(TypedDict):
    """Both sides' styles."""

    first: StyleInfo
    second: StyleInfo


class GameInfo(TypedDict):
    """All that a client needs to draw a game: ``layout`` is the grid of move names as drawn.

    ``cells`` are the names of the cells where they are not those of the moves; ``block`` is the number of rows and
    columns after which there is a line to be drawn; ``levels`` are those at which the computer plays the game.
    """

    key: str
    title: str
    sides: Styles
    layout: list[list[str]]
    cells: NotRequired[list[list[str]]]
    block: NotRequired[int]
    levels: list[str]


class Limits(TypedDict):
    """The server's limits, for a connection unless the name says otherwise."""

    message_bytes: int
    messages_per_s: float
    burst: int
    rooms_per_player: int
    rooms_per_connection: int
    analyses_per_s: float
    connections_per_address: int


class OutcomeInfo(TypedDict):
    """How a game ended; ``cells`` are those of the winning line."""

    winner: SideName | None
    reason: str
    cells: list[str]


class OfferInfo(TypedDict):
    """An offer that stands."""

    side: SideName
    offer: Literal["draw", "takeback", "rematch"]


class ClockInfo(TypedDict):
    """What each side has left, in ms. That of the ``running`` side counts down from ``since`` on."""

    first_ms: int
    second_ms: int
    running: SideName | None
    since: str | None


class FischerInfo(TypedDict):
    """So many seconds for each side, and what each move adds."""

    initial_s: float
    increment_s: float


class PerMoveInfo(TypedDict):
    """So many seconds for each move."""

    per_move_s: float


class State(TypedDict):
    """All that is public of a room after an event."""

    status: Literal["waiting", "playing", "over"]
    turn: int
    ply: int
    to_move: SideName | None
    rows: list[str]
    legal_moves: list[str]
    moves: list[str]
    seats: Sides
    clock: ClockInfo | None
    offers: list[OfferInfo]
    outcome: OutcomeInfo | None
    next: str | None


class RoomOptions(TypedDict):
    """What was settled when the room was opened."""

    private: bool
    rated: bool
    clock: FischerInfo | PerMoveInfo | None


class Presence(TypedDict):
    """Who else is there: how many watch without a seat."""

    spectators: int


class Welcome(TypedDict):
    """The answer to ``hello``. ``token`` gives the same player again: keep it."""

    type: Literal["welcome"]
    id: NotRequired[RequestId]
    protocol: int
    player: PlayerInfo
    token: str
    games: list[GameInfo]
    levels: list[str]
    limits: Limits
    now: str


class Listing(TypedDict):
    """A room in the lobby; ``outcome`` is there when it is over."""

    room: str
    game: str
    status: Literal["waiting", "playing", "over"]
    seats: Sides
    options: RoomOptions
    outcome: NotRequired[OutcomeInfo]


class Ok(TypedDict):
    """A request was carried out. Which fields there are depends on the request."""

    type: Literal["ok"]
    id: NotRequired[RequestId]
    room: NotRequired[str]
    seat: NotRequired[SideName | None]
    version: NotRequired[int]
    rooms: NotRequired[list[Listing]]
    player: NotRequired[PlayerInfo]
    token: NotRequired[str]


class Snapshot(TypedDict):
    """A whole room at ``version``."""

    type: Literal["room"]
    room: str
    version: int
    now: str
    game: str
    layout: list[list[str]]
    options: RoomOptions
    previous: str | None
    state: State
    presence: Presence


class Update(TypedDict):
    """One event, and the whole public state after it. The same bytes for everybody, now or later."""

    type: Literal["update"]
    room: str
    version: int
    at: str
    event: dict[str, Any]
    state: State


class LobbyChanges(TypedDict):
    """The public rooms that were opened, started or ended since the last such message.

    ``missed`` is there when so many more changed than can be told: the list can be had anew.
    """

    type: Literal["lobby"]
    rooms: list[Listing]
    missed: NotRequired[int]


class Spectators(TypedDict):
    """So many watch a room without a seat now."""

    type: Literal["spectators"]
    room: str
    count: int


class ChatLine(TypedDict):
    """Somebody has said something in a room; ``to`` says to whom: its players, or its spectators."""

    type: Literal["chat"]
    room: str
    id: str
    name: str
    text: str
    at: str
    to: Literal["players", "spectators"]


class SeekWaits(TypedDict):
    """Nobody has been found yet for a seek. ``computer`` are the levels at which the computer would play instead."""

    type: Literal["seek"]
    key: str
    game: str
    waited_s: float
    computer: list[str]


class SeekEnded(TypedDict):
    """A seek waits no more, for another connection of the player has ended it: by another seek, or `unseek`."""

    type: Literal["seek_ended"]
    key: str
    game: str


class RatingInfo(TypedDict):
    """A rating after so many ``games``; ``provisional`` while its ``deviation`` is great."""

    game: str
    pool: Pool
    rating: int
    deviation: int
    provisional: bool
    games: int


class RatedPlayer(PlayerInfo):
    """A player on the leaderboard, after so many ``games``.

    ``fixed`` is there, and true, for a level of the computer; no game changes its rating, and none is counted.
    """

    rating: int
    deviation: int
    games: NotRequired[int]
    fixed: NotRequired[bool]


class LeaderboardInfo(TypedDict):
    """The answer to ``leaderboard``: the best first, without those whose rating is provisional."""

    type: Literal["leaderboard"]
    id: NotRequired[RequestId]
    game: str
    pool: Pool
    players: list[RatedPlayer]


class TallyInfo(TypedDict):
    """How a player's public games of a kind ended."""

    game: str
    won: int
    drawn: int
    lost: int


class PastGame(TypedDict):
    """A public game that is over."""

    room: str
    game: str
    ended_at: str
    rated: bool
    seats: Sides
    outcome: OutcomeInfo


class CoursePoint(TypedDict):
    """What a rating became with the game that ended then."""

    at: str
    rating: int


class Course(TypedDict):
    """A rating over time."""

    game: str
    pool: Pool
    points: list[CoursePoint]


class PlayerPage(TypedDict):
    """The answer to ``player``: ``games`` are the last ones, the latest first; private rooms are nowhere in it."""

    type: Literal["player"]
    id: NotRequired[RequestId]
    player: PlayerInfo
    ratings: list[RatingInfo]
    record: list[TallyInfo]
    games: list[PastGame]
    course: list[Course]


class MoveWorth(TypedDict):
    """What a move is worth to the side that plays it. A ``value`` that is not ``exact`` is an estimate or, with
    ``bound``, a proved bound: the move is worth at most (``upper``) or at least (``lower``) so much.

    ``distance`` is the number of plies to the end of the game, this move included, when both play their best, None
    where it is not known. ``line`` is how the game would go on then, as far as known; it begins with the move.
    """

    value: int
    exact: bool
    distance: int | None
    line: list[str]
    bound: NotRequired[Literal["upper", "lower"]]


class Analysed(TypedDict):
    """The answer to ``analyse``: ``value`` is the position's for the side to move, ``best`` are its best moves.

    ``turn``, as in the state, is there when it is the room's present position alone.
    ``moves`` has every legal move, in board order. ``nodes`` is the number of positions that were looked at, ``depth``
    that of plies searched completely, ``seconds`` how long it took.
    """

    type: Literal["analysis"]
    id: NotRequired[RequestId]
    room: str
    game: str
    ply: int
    turn: NotRequired[int]
    to_move: SideName | None
    value: int
    exact: bool
    best: list[str]
    moves: dict[str, MoveWorth]
    nodes: int
    depth: int
    seconds: float


class Error(TypedDict):
    """A request was not carried out. Nothing has changed, unless ``code`` is ``overloaded``: then that is unknown."""

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
    | Spectators
    | ChatLine
    | LobbyChanges
    | SeekWaits
    | SeekEnded
    | PlayerPage
    | LeaderboardInfo
    | Analysed
    | Error
    | Pong,
    Field(discriminator="type"),
]
MESSAGES: TypeAdapter[Message] = TypeAdapter(Message)
