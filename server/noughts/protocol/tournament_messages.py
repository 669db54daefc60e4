"""Messages about tournaments."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from noughts.protocol.room_messages import FischerInfo, PerMoveInfo, PlayerInfo, RequestId, SideName


class EntrantInfo(PlayerInfo):
    """A player of a tournament. ``rating`` is the one that it entered with, in the pool of the clock, if any."""

    rating: NotRequired[int]


class TournamentListing(TypedDict):
    """A tournament in a list. ``players`` have entered and not withdrawn; there may be ``most``.

    ``round`` is the last that has begun, of ``rounds``, None for an arena or a ladder, and before the start where it
    depends on the players. ``minutes`` and ``ends_at`` are an arena's, ``budget`` is a ladder's: the games a day for
    each bot and each address. ``starts_at`` is there if it starts by itself.
    """

    tournament: str
    name: str
    by: PlayerInfo
    format: Literal["round_robin", "swiss", "arena", "gauntlet", "ladder"]
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
    budget: NotRequired[int]
    starts_at: NotRequired[str]
    ends_at: NotRequired[str]


class RoundInfo(TypedDict):
    """A player's round: the ``number`` of the opponent in the standings, None for points without a game.

    ``points`` are None while the game goes on. ``played`` is false for a forfeit. ``round`` is that of a game.
    """

    round: NotRequired[int]
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
    ``was`` is the place before the round under way or last, from the second round on, but not in an arena. ``form`` has
    the last results, the latest last: ``1``, ``=`` and ``0`` for games, ``+``, ``h`` and ``-`` for the same points
    without a game, and ``.`` for a game under way.

    On a ladder ``rating``, its ``deviation`` and whether it is ``provisional`` are present, and ``left_today``, the
    games left of the bot's budget. ``rests`` is present if the bot is not paired: its ``budget`` is used up, or it was
    ``absent`` from its last games, and has to enter again.
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
    was: NotRequired[int]
    form: NotRequired[str]
    rating: NotRequired[int]
    deviation: NotRequired[int]
    provisional: NotRequired[bool]
    left_today: NotRequired[int]
    rests: NotRequired[Literal["budget", "absent"]]
    withdrawn: NotRequired[Literal["left", "removed"]]
    results: NotRequired[list[RoundInfo]]


class TournamentGame(TypedDict):
    """A game of a tournament. ``points`` are those of both sides, None while it goes on.

    ``board`` is its number in the round, the first that of the leaders; an arena has none. ``played`` is present, and
    false, for a forfeit; ``adjudicated``, and true, if the organiser decided the game. ``moves`` are present in files
    alone, of games that are over: those on the board, without any that were taken back.
    """

    room: str
    round: int
    board: NotRequired[int]
    first: PlayerInfo
    second: PlayerInfo
    points: list[float] | None
    played: NotRequired[bool]
    adjudicated: NotRequired[bool]
    moves: NotRequired[list[str]]


class OrganiserAct(TypedDict):
    """An act of the organiser, who paused, resumed or ended the tournament, removed the ``player``, or decided a game.

    ``points`` are then those of ``first`` and ``second``, who met in ``room``.
    """

    act: Literal["paused", "resumed", "ended", "removed", "adjudicated"]
    at: str
    player: NotRequired[PlayerInfo]
    room: NotRequired[str]
    first: NotRequired[PlayerInfo]
    second: NotRequired[PlayerInfo]
    points: NotRequired[list[float]]


class TournamentFields(TypedDict):
    """All that is shown of a tournament after ``version`` events: the best of its standings, and the round's games.

    ``paused``: no games begin. ``pairs_at`` is present between two rounds: the time of the next, at the earliest.
    ``acts``, if present, are the last of the organiser, the latest last. ``more`` is present if there are more rows:
    ask for those ``after`` it.
    """

    tournament: TournamentListing
    version: int
    paused: bool
    standings: list[StandingRow]
    games: list[TournamentGame]
    pairs_at: NotRequired[str]
    acts: NotRequired[list[OrganiserAct]]
    more: NotRequired[int]


class TournamentInfo(TournamentFields):
    """The answer to ``tournament``, and pushed after changes to those who watch it.

    ``here`` are the numbers of the entrants who are connected, if the organiser has asked for ``presence``. Each node
    knows its own.
    """

    type: Literal["tournament"]
    id: NotRequired[RequestId]
    here: NotRequired[list[int]]


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
    game: str
    round: int
    room: str
    seat: SideName
    opponent: PlayerInfo
