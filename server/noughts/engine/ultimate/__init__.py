"""The engine for ultimate tic-tac-toe, which needs numba. Pure; does no I/O."""
