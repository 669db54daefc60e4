"""Gomoku's engine, which needs numba. Pure; does no I/O."""
