"""The journal: one small Protocol, and its implementations."""

from noughts.journal.base import Append, Index, Journal, JournalError, JournalInUse, Outage, StoredPlayer
from noughts.journal.memory import MemoryJournal
from noughts.journal.postgres import PostgresJournal
from noughts.journal.sqlite import SqliteJournal

__all__ = [
    "Append",
    "Index",
    "Journal",
    "JournalError",
    "JournalInUse",
    "MemoryJournal",
    "Outage",
    "PostgresJournal",
    "SqliteJournal",
    "StoredPlayer",
]
