"""The engine for small m,n,k boards, which needs numba. Pure; does no I/O."""
