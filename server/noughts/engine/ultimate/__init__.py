"""Ultimate tic-tac-toe searched fast; the modules need numba, the extra ``fast``."""
