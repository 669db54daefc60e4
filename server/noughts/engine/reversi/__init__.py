"""Reversi's engine, which needs numba. Pure; does no I/O."""
