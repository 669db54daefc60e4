"""The messages that the server sends, as typed dictionaries. Clients ignore fields that they do not know."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from noughts.protocol.class_messages import (
    ClassChanges,
    ClassGamesInfo,
    ClassInfo,
    ClassList,
    SimulCall,
    SimulOpened,
)
from noughts.protocol.player_messages import (
    Devices,
    LeaderboardInfo,
    MutedPlayers,
    MyGamesPage,
    PlayerPage,
    QrRows,
    WebhookInfo,
)
from noughts.protocol.room_messages import (
    BoardInfo,
    ChatLine,
    ChatLines,
    Invitation,
    LegalMoves,
    Listing,
    LobbyChanges,
    MeasureInfo,
    OptionInfo,
    PieceInfo,
    PlayerInfo,
    RequestId,
    SeekEnded,
    SeekInfo,
    SeekWaits,
    SideName,
    Snapshot,
    Spectators,
    StakesOfRoom,
    Styles,
    Update,
    YourMove,
)
from noughts.protocol.study_messages import (
    Analysed,
    Playouts,
    PuzzleHint,
    PuzzleInfo,
    PuzzleList,
    PuzzleMoved,
    PuzzleProof,
    PuzzleSetInfo,
    ReadGames,
    Replayed,
    Review,
    ReviewProgress,
    Traced,
    WrittenGame,
)
from noughts.protocol.tournament_messages import TournamentCall, TournamentInfo, TournamentList
from noughts.protocol.words import ErrorCode, Words


class GameInfo(TypedDict):
    """Everything that a client needs to draw a game. ``layout`` is the grid of move names as drawn; where a name is
    empty, there is no cell.

    A move's name is the names of its cells in the order in which it goes through them, perhaps with ``-`` or ``x``
    between, and perhaps a suffix. ``cells`` are the names of the cells if they differ from the moves. ``block`` is the
    number of rows and columns between the lines of the grid. ``board`` says how the cells lie, squares in rows without
    it. ``pieces`` are what symbols stand for, if that is more than the symbol of each side. ``options`` can be chosen
    in ``create``. ``levels`` are the computer's levels for the game. ``rules`` are paragraphs of plain text for
    players, if the game has any. ``claims``: the rules let a player claim a draw. ``draws`` is false where there is no
    draw, not by agreement either. With an estimate of ``unit`` a side
    can expect to win ten games out of eleven; without it, nobody has measured that. ``measure`` says what people count
    in an estimate. ``record`` is the suffix of the
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
    draws: NotRequired[bool]
    unit: NotRequired[int]
    measure: NotRequired[MeasureInfo]
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
    | PuzzleList
    | PuzzleInfo
    | PuzzleMoved
    | PuzzleHint
    | PuzzleProof
    | PuzzleSetInfo
    | TournamentInfo
    | TournamentList
    | TournamentCall
    | ClassInfo
    | ClassChanges
    | ClassList
    | ClassGamesInfo
    | SimulOpened
    | SimulCall
    | Error
    | Pong,
    Field(discriminator="type"),
]
