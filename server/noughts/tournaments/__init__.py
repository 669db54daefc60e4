"""Tournaments: commands, events, ``decide`` and ``evolve``, pairings and standings. Pure; does no I/O."""
