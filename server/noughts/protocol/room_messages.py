"""Messages about rooms: who sits there, the game, the lobby, chat and seeks."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from noughts.protocol.words import Unrated

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


class MeasureInfo(TypedDict):
    """The words for what estimates count: ``worth`` is the estimate that is ``one``, two are ``many``.

    Without ``many`` that is ``one`` with an s. With ``margins`` the proved values are margins, counted one by one.
    """

    one: str
    worth: int
    many: NotRequired[str]
    margins: NotRequired[bool]


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
    """The time that each side has left, in ms. The clock of the ``running`` side counts down from ``since``.

    ``first_move_by`` is the time by which the side to move must make its first move, or the game ends; present while
    that is awaited, when no clock runs yet.
    """

    first_ms: int
    second_ms: int
    running: SideName | None
    since: str | None
    first_move_by: NotRequired[str]


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
    ``setup`` is what was chosen of the game's own options, present if that is not as usual. ``tournament`` is the id of
    the one of which this is a game.
    """

    private: bool
    rated: bool
    clock: FischerInfo | PerMoveInfo | None
    setup: NotRequired[dict[str, str | int | float]]
    unrated_because: NotRequired[Unrated]
    tournament: NotRequired[str]


class Presence(TypedDict):
    """The number of spectators."""

    spectators: int


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
