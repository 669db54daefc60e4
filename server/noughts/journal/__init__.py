"""The journal: durable, ordered storage of rooms, in SQLite or PostgreSQL.

PostgreSQL's is imported from :mod:`noughts.journal.postgres.journal`, because its driver is in the extra ``cluster``.
"""

from noughts.journal.base import Journal
from noughts.journal.classes import Classes
from noughts.journal.games import Games
from noughts.journal.people import People
from noughts.journal.puzzles import Puzzles
from noughts.journal.results import Results
from noughts.journal.seeks import Seeks
from noughts.journal.sqlite.journal import SqliteJournal
from noughts.journal.tokens import Tokens
from noughts.journal.tournaments import Tournaments
from noughts.journal.values import (
    FOREVER,
    OUTAGES_MS,
    Act,
    Append,
    ClassMember,
    GameResult,
    GameUnderWay,
    IndexRow,
    JournalError,
    JournalInUse,
    Notice,
    Outage,
    PastGame,
    PuzzleSet,
    PuzzleTry,
    Remains,
    Seek,
    StoredBan,
    StoredClass,
    StoredPass,
    StoredPlayer,
    StoredRating,
    StoredReport,
    StoredReview,
    StoredToken,
    StoredWebhook,
    Tally,
    TournamentRow,
    UnknownPlayer,
)

__all__ = [
    "FOREVER",
    "OUTAGES_MS",
    "Act",
    "Append",
    "ClassMember",
    "Classes",
    "GameResult",
    "GameUnderWay",
    "Games",
    "IndexRow",
    "Journal",
    "JournalError",
    "JournalInUse",
    "Notice",
    "Outage",
    "PastGame",
    "People",
    "PuzzleSet",
    "PuzzleTry",
    "Puzzles",
    "Remains",
    "Results",
    "Seek",
    "Seeks",
    "SqliteJournal",
    "StoredBan",
    "StoredClass",
    "StoredPass",
    "StoredPlayer",
    "StoredRating",
    "StoredReport",
    "StoredReview",
    "StoredToken",
    "StoredWebhook",
    "Tally",
    "Tokens",
    "TournamentRow",
    "Tournaments",
    "UnknownPlayer",
]
