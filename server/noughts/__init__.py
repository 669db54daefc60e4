"""Noughts: a real-time server for two-player board games."""
