"""Puzzles: positions in which exactly one move is right, proved by the engines. See docs/solving.md."""
