"""The engine of chess, which needs numba. Pure; does no I/O."""
