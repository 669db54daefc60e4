"""Journals of every kind, for export and import."""

from contracts.conftest import opened

__all__ = ["opened"]
