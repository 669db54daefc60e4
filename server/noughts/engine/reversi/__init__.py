"""A fast engine for Reversi, with numba. Pure; does no I/O."""
