"""The journal: one small Protocol, and its implementations."""

from noughts.journal.base import Append, Index, Journal, JournalError, JournalInUse, Outage
from noughts.journal.memory import MemoryJournal
from noughts.journal.people import FOREVER, NotStored, People, StoredPlayer, guest_name, name_key
from noughts.journal.postgres import PostgresJournal
from noughts.journal.results import Finished, Results, StoredRating, Tally
from noughts.journal.seeks import Seek, Seeks
from noughts.journal.sqlite import SqliteJournal

__all__ = [
    "FOREVER",
    "Append",
    "Finished",
    "Index",
    "Journal",
    "JournalError",
    "JournalInUse",
    "MemoryJournal",
    "NotStored",
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
    "guest_name",
    "name_key",
]
