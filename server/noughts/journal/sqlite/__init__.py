"""The journal in an SQLite file, or in memory."""
