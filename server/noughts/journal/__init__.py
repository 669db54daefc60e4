"""The journal: one small Protocol, and its implementations."""

from noughts.journal.base import Append, Index, Journal, JournalError, JournalInUse, StoredPlayer

__all__ = ["Append", "Index", "Journal", "JournalError", "JournalInUse", "StoredPlayer"]
