"""The journal in PostgreSQL, which any number of servers share."""

from noughts.journal.postgres.journal import PostgresJournal

__all__ = ["PostgresJournal"]
