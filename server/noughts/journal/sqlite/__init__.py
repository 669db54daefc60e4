"""The journal in an SQLite file."""

from noughts.journal.sqlite.journal import SqliteJournal

__all__ = ["SqliteJournal"]
