"""Messages about classes."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from noughts.protocol.room_messages import PlayerInfo, RequestId, SideName


class ClassListing(TypedDict):
    """A class. ``names`` is the number of its students, and ``name`` the player's own in it.

    ``puzzle_set`` and ``tournament`` are the ids of what the students are to solve and to play, if there is any.
    """

    class_id: str
    title: str
    by: PlayerInfo
    names: int
    name: NotRequired[str]
    puzzle_set: NotRequired[str]
    tournament: NotRequired[str]


class StudentGame(TypedDict):
    """A game of a student that is not over. ``name`` is the opponent's in the class.

    ``waiting``: for an opponent. ``ply`` is the number of moves that were played, if there are any and this node knows
    it.
    """

    room: str
    game: str
    waiting: NotRequired[bool]
    opponent: NotRequired[PlayerInfo]
    name: NotRequired[str]
    ply: NotRequired[int]


class StudentPlayer(TypedDict):
    """The person, or the bot, that has a name in a class.

    ``here``: connected. ``won``, ``drawn``, ``lost`` and ``reviewed``, the number of games with a review, count what
    was played under the name; ``form`` are the last results, each ``1``, ``=`` or ``0``, the last at the end.
    ``player`` is absent if nobody has the name any more. ``asks``: for help. ``reads``: a review.
    """

    player: NotRequired[PlayerInfo]
    here: bool
    games: list[StudentGame]
    won: int
    drawn: int
    lost: int
    form: str
    reviewed: int
    asks: NotRequired[bool]
    reads: NotRequired[bool]


class Student(TypedDict):
    """A student of a class: ``person`` is present once somebody has taken the name, ``bot`` once one was handed in.

    ``puzzles`` is the number of puzzles solved, of the class's set if it has one.
    """

    name: str
    person: NotRequired[StudentPlayer]
    bot: NotRequired[StudentPlayer]
    puzzles: int


class ClassInfo(TypedDict):
    """The answer to ``class``, ``make_class``, ``change_class`` and ``join_class``; a push to its organiser, and to a
    student whose call for help was answered.

    ``students`` and ``solves``, the number of puzzles in the set, are for the organiser, ``free`` for whoever has no
    name. ``room`` is that of a game that the student plays against the organiser. ``asks``: the student, for help.
    """

    type: Literal["class"]
    id: NotRequired[RequestId]
    listing: ClassListing
    students: NotRequired[list[Student]]
    solves: NotRequired[int]
    free: NotRequired[list[str]]
    room: NotRequired[str]
    asks: NotRequired[bool]


class ClassChanges(TypedDict):
    """Pushed to the organiser who watches a class: the students of whom something has changed."""

    type: Literal["class_changes"]
    class_id: str
    students: list[Student]


class ClassList(TypedDict):
    """The answer to ``classes``, the newest first."""

    type: Literal["classes"]
    id: NotRequired[RequestId]
    classes: list[ClassListing]


class PlayedGame(TypedDict):
    """A game that was played under a name in a class, from the student's side. ``name`` is the opponent's there.

    ``bot``: the student's bot has played it. ``opponent`` is the id of the other player.
    """

    room: str
    game: str
    ended_at: str
    opponent: str
    name: NotRequired[str]
    result: Literal["won", "drawn", "lost"]
    bot: NotRequired[bool]
    reviewed: NotRequired[bool]


class ClassGamesInfo(TypedDict):
    """The answer to ``class_games``, the last first."""

    type: Literal["class_games"]
    id: NotRequired[RequestId]
    class_id: str
    name: str
    games: list[PlayedGame]


class SimulOpened(TypedDict):
    """The answer to ``simul``: the rooms that are open."""

    type: Literal["simul"]
    id: NotRequired[RequestId]
    class_id: str
    rooms: list[str]


class SimulCall(TypedDict):
    """Pushed to a student whose game against the organiser begins: ``watch`` its room and play."""

    type: Literal["simul_game"]
    class_id: str
    title: str
    game: str
    room: str
    seat: SideName
    opponent: PlayerInfo
