"""A fast engine for Gomoku, with numba. Pure; does no I/O."""
