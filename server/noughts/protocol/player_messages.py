"""Messages about a player: games, ratings, devices and settings."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from noughts.protocol.room_messages import ClockInfo, Listing, OutcomeInfo, PlayerInfo, RequestId, SideName, Sides
from noughts.protocol.words import Pool


class WebhookInfo(TypedDict):
    """The answer to ``webhook`` and ``set_webhook``: the URL that is called, and how the last call went.

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


class BestWin(PastGame):
    """A win over a strong opponent, whose ``rating`` was this before the game."""

    rating: int


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
    """The answer to ``player``. ``games`` are the last ones, latest first. Private rooms never count.

    ``since`` is when the first game ended, and absent without one. ``best`` are rated wins over the strongest
    opponents, each of them once; absent if there are none.
    """

    type: Literal["player"]
    id: NotRequired[RequestId]
    player: PlayerInfo
    since: NotRequired[str]
    ratings: list[RatingInfo]
    record: list[TallyInfo]
    games: list[PastGame]
    best: NotRequired[list[BestWin]]
    course: list[Course]


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
