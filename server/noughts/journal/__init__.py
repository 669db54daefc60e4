"""The journal: durable, ordered storage of rooms, in SQLite or PostgreSQL."""

from noughts.journal.base import Journal
from noughts.journal.people import People
from noughts.journal.postgres.journal import PostgresJournal
from noughts.journal.results import Results
from noughts.journal.seeks import Seeks
from noughts.journal.sqlite.journal import SqliteJournal
from noughts.journal.values import (
    FOREVER,
    Append,
    GameResult,
    IndexRow,
    JournalError,
    JournalInUse,
    Outage,
    Remains,
    Seek,
    StoredPlayer,
    StoredRating,
    StoredReview,
    Tally,
    UnknownPlayer,
)

__all__ = [
    "FOREVER",
    "Append",
    "GameResult",
    "IndexRow",
    "Journal",
    "JournalError",
    "JournalInUse",
    "Outage",
    "People",
    "PostgresJournal",
    "Remains",
    "Results",
    "Seek",
    "Seeks",
    "SqliteJournal",
    "StoredPlayer",
    "StoredRating",
    "StoredReview",
    "Tally",
    "UnknownPlayer",
]
