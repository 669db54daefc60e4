"""Connect Four: a strong solver compiled by numba, and a table of openings. Pure; does no I/O."""
