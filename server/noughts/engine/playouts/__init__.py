"""The engine of Go and Hex, which needs numba. Pure; does no I/O."""
