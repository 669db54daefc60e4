"""The journal: one small Protocol, and its implementations."""

from noughts.journal.base import Append, IndexRow, Journal, JournalError, JournalInUse, Outage
from noughts.journal.memory import MemoryJournal
from noughts.journal.people import FOREVER, People, StoredPlayer, UnknownPlayer
from noughts.journal.postgres import PostgresJournal
from noughts.journal.results import GameResult, Results, StoredRating, Tally
from noughts.journal.seeks import Seek, Seeks
from noughts.journal.sqlite import SqliteJournal

__all__ = [
    "FOREVER",
    "Append",
    "GameResult",
    "IndexRow",
    "Journal",
    "JournalError",
    "JournalInUse",
    "MemoryJournal",
    "Outage",
    "People",
    "PostgresJournal",
    "Results",
    "Seek",
    "Seeks",
    "SqliteJournal",
    "StoredPlayer",
    "StoredRating",
    "Tally",
    "UnknownPlayer",
]
