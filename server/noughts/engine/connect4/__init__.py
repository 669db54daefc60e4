"""Connect Four: a solver compiled by numba, and an opening table. Pure; does no I/O."""
