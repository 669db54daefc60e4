"""Journals of every kind, for games to be taken out of and into."""

from contracts.conftest import opened

__all__ = ["opened"]
