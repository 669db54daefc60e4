"""The values that a journal stores and returns, and its errors. It knows nothing of games: a record is bytes to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from noughts.value import value

FOREVER = 253_402_300_800_000
"""This time or any later means "never ends". It is the year 10,000, in ms since the epoch."""

SECRET_BYTES = 32

OUTAGES_MS = 7 * 86_400_000
"""The time a heartbeat reports an outage after its end."""

OUTAGES_KEPT = 1000
"""The number of outages kept, the latest. Not for how long: a clock that jumps would end that time."""


class JournalError(Exception):
    """The journal did not answer. The outcome of a write is unknown: read before writing again."""


class JournalInUse(Exception):
    """Another server has this journal open."""


class UnknownPlayer(Exception):
    """The journal has no such player. Guests are forgotten after a while; add the player again."""


@dataclass(frozen=True, slots=True)
class StoredPlayer:
    """A player. ``token_hash`` is the SHA-256 of the token that the player came with, 32 bytes.

    It is empty where no token was involved, and players are equal whatever token they came with: see
    :class:`~noughts.journal.tokens.Tokens` for all that a player holds. A new player is stored with it, if there is
    one.

    ``registered``: the name belongs to this player, and nobody else can take it. Until ``muted_until`` the player may
    not chat, until ``banned_until`` not do anything; both in ms since the epoch, 0 for a player without restrictions.
    ``invited``: the player came by an invitation of the operator's. ``student``: the player has a name in a class.
    """

    id: str
    name: str
    kind: str
    token_hash: bytes = field(compare=False)
    registered: bool = False
    muted_until: int = 0
    banned_until: int = 0
    invited: bool = False
    student: bool = False

    @property
    def known(self) -> bool:
        """True if the player's scores are kept: a guest who has a name nowhere may never come back."""
        return self.registered or self.student


@dataclass(frozen=True, slots=True)
class StoredToken:
    """One of a player's tokens. ``label`` says whose it is: what the client called itself.

    ``added`` is when it was made, and ``used`` when it was last seen in use, to the hour; both in ms since the epoch, 0
    if unknown.
    """

    hash: bytes
    label: str
    added: int
    used: int


@dataclass(frozen=True, slots=True, order=True)
class StoredBan:
    """Nobody may connect from ``network``, such as ``203.0.113.0/24``, before ``until``, ms since the epoch."""

    network: str
    until: int


@dataclass(frozen=True, slots=True)
class StoredPass:
    """An invitation to the server for ``uses`` players, ``used`` by some of them. ``hash`` is its code's.

    ``made`` and ``until`` are in ms since the epoch.
    """

    hash: bytes
    label: str
    made: int
    until: int
    uses: int
    used: int


@dataclass(frozen=True, slots=True)
class Act:
    """Something that the operator has done, ``at`` in ms since the epoch. ``who`` is an account on the machine."""

    revision: int
    at: int
    who: str
    kind: str
    subject: str
    detail: str


@value
class GameResult:
    """The result of a finished game, stored with the record that ended it.

    ``first`` and ``second`` are the ids of the players. ``winner`` is None for a draw. ``public`` is false for a
    private room. ``pool`` is the rating pool, None for a game that is not rated. ``ended_at`` is in ms since the
    epoch. Games are listed by ``ended_at``, and by ``room`` where that is the same.
    """

    room: str
    game: str
    first: str
    second: str
    winner: Literal["first", "second"] | None
    reason: str
    public: bool
    pool: str | None
    ended_at: int


@dataclass(frozen=True, slots=True)
class PastGame:
    """A player's finished game, with its room's ``listing`` and the player's rating after and before it.

    The ratings are None for a game that is not rated, or not yet; ``before`` is also None for the first rated game.
    ``listing`` is None if the room is not in the index.
    """

    result: GameResult
    listing: bytes | None
    rating: float | None
    before: float | None


@dataclass(frozen=True, slots=True)
class GameUnderWay:
    """The game in ``room``, ``waiting`` for a player or ``playing``, with the ids of its people and bots.

    ``listing`` is the room as the lobby shows it, JSON.
    """

    room: str
    game: str
    status: str
    first: str | None
    second: str | None
    listing: bytes


@dataclass(frozen=True, slots=True)
class StoredRating:
    """A player's rating in a game and pool after ``games`` rated games there. The numbers are those of Glicko-2."""

    player: str
    game: str
    pool: str
    rating: float
    deviation: float
    volatility: float
    games: int


@dataclass(frozen=True, slots=True)
class StoredReview:
    """The review of the finished game in ``room``, as bytes that only its reader understands.

    ``engine`` is the version that made it, with at most ``seconds`` of search for each position.
    """

    room: str
    engine: str
    seconds: float
    review: bytes


@dataclass(frozen=True, slots=True)
class PuzzleTry:
    """The try of a puzzle by ``player``. ``hinted``: a hint was seen before the score.

    ``score`` is 1 if it was solved, 0.5 with a hint, 0 if not; None before that is known. ``rating``, ``deviation`` and
    ``volatility`` are the player's in that game after it, None without a score. ``tried_at`` is in ms since the epoch.
    """

    player: str
    game: str
    puzzle: str
    hinted: bool
    score: float | None
    rating: float | None
    deviation: float | None
    volatility: float | None
    tried_at: int


@dataclass(frozen=True, slots=True)
class PuzzleSet:
    """Puzzles that ``player`` has put together for others, by their ids. ``made_at`` is in ms since the epoch."""

    id: str
    player: str
    title: str
    puzzles: tuple[str, ...]
    made_at: int


@dataclass(frozen=True, slots=True)
class StoredClass:
    """A class of the organiser with the id ``player``: students have the names ``entries``, in this order.

    ``puzzle_set`` and ``tournament`` are the ids of what they are to solve and to play, None for nothing. ``made_at``
    is in ms since the epoch. ``version`` grows with each change.
    """

    id: str
    version: int
    player: str
    title: str
    entries: tuple[str, ...]
    puzzle_set: str | None
    tournament: str | None
    made_at: int


@dataclass(frozen=True, slots=True)
class ClassMember:
    """The ``player`` who took the name ``entry`` in a class at ``joined_at``; ``bot``: as the student's bot.

    At ``left_at`` the name was free again; None as long as the player has it. Both are in ms since the epoch.
    """

    entry: str
    bot: bool
    joined_at: int
    left_at: int | None
    player: StoredPlayer


@dataclass(frozen=True, slots=True)
class StoredWebhook:
    """The place where ``player`` wants to be told. ``secret`` signs what is sent there.

    ``tried_at`` is when it was last called, ms since the epoch, and ``outcome`` how that went, in words; None if it
    never was.
    """

    player: str
    url: str
    secret: bytes
    tried_at: int | None
    outcome: str | None


@dataclass(frozen=True, slots=True)
class Notice:
    """``player`` is to be told that it is to move in ``room`` after ``version``, which was tried ``attempts`` times.

    An empty ``room`` only tries the webhook.
    """

    player: str
    room: str
    version: int
    attempts: int


@dataclass(frozen=True, slots=True)
class StoredReport:
    """A report by ``reporter`` on ``player`` in ``room``; both are ids. ``at`` is in ms since the epoch.

    ``lines`` is a JSON list of the chat that the reporter had seen last.
    """

    number: int
    at: int
    room: str
    player: str
    reporter: str
    reason: str
    lines: bytes


@dataclass(frozen=True, slots=True)
class Tally:
    """The numbers of a player's public games of one kind that were won, drawn and lost."""

    game: str
    won: int
    drawn: int
    lost: int


@value
class IndexRow:
    """A room's row in the index, by which rooms are found without replaying them. It is written when it changes.

    ``game``: the key of the game. ``by``: the id of the player who opened the room.
    ``status``: ``waiting``, ``playing`` or ``over``. ``public``: strangers may find the room.
    ``due_at``: when time alone next changes the room, ms since the epoch, or None. In a room that is over, from which
    its records may be deleted later, ``FOREVER`` plus that time: see :meth:`~noughts.journal.base.Journal.strip`.
    ``thinking``: a computer is to move. ``attended``: at least one player's seat counts as online.
    ``listing``: the room as the lobby shows it, JSON. ``sleeps``: nothing happens while nobody watches.
    ``opener``: a keyed hash of the address from which the room was opened, empty if unknown. What it was at the opening
    is kept until the game is over, and is forgotten then.
    ``first`` and ``second``: the ids of the people or bots who sit there, None for an open seat and for a computer.

    The rooms are ordered by the time at which the row was last written, not by the last record.
    """

    game: str
    by: str
    status: str
    public: bool
    due_at: int | None
    thinking: bool
    attended: bool
    listing: bytes
    opener: bytes = b""
    sleeps: bool = False
    first: str | None = None
    second: str | None = None


@value
class Append:
    """One write: ``record`` becomes version ``version`` (1 or more) of ``room``.

    ``index`` replaces the room's index row, which otherwise stays as it is; version 1 needs one. ``opening`` is the
    first version of another room, such as a rematch: both are stored, or neither. Version 1 has no opening itself.

    The index row, the ``players`` who take a seat and the result are stored in the same transaction. Seated players
    are never forgotten. Players who are stored already stay as they are; a new player whose name somebody else has
    registered gets a guest's name. Nobody is stored as registered. So is a notice for the player with the id ``calls``,
    if that has a webhook.
    """

    room: str
    version: int
    record: bytes
    index: IndexRow | None = None
    players: tuple[StoredPlayer, ...] = ()
    finished: GameResult | None = None
    opening: Append | None = None
    calls: str | None = None


@dataclass(frozen=True, slots=True)
class Remains:
    """The index's entry of a room, and the version of the first record that is stored of it."""

    by: str
    game: str
    listing: bytes
    first_version: int


@dataclass(frozen=True, slots=True)
class Seek:
    """A player who wants an opponent; each player has at most one seek.

    ``key`` tells it from the player's other seeks. ``terms`` must be equal for two seeks to match. ``rating`` and
    ``deviation`` are the player's for these terms. ``since`` is when the seek began, ms since the epoch.
    """

    player: StoredPlayer
    key: str
    game: str
    terms: str
    rating: float
    deviation: float
    since: int


@dataclass(frozen=True, slots=True)
class TournamentRow:
    """A tournament as it is found: ``by`` is the id of its organiser, ``status`` ``open``, ``running`` or ``finished``.

    ``public``: strangers find it in the list, as its ``listing``, which is JSON.
    """

    tournament: str
    by: str
    status: str
    public: bool
    listing: bytes


@dataclass(frozen=True, slots=True)
class Outage:
    """No server was known to be alive from ``since`` until ``until``, ms since the epoch."""

    since: int
    until: int
