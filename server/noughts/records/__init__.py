"""Finished games: move lists, export and import."""
