"""Exact proof search for small boards of m,n,k games, with numba. Pure; does no I/O."""
