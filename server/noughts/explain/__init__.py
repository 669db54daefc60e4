"""Find what an engine says of a position, in pictures and words: ``noughts solve``, ``compare``, ``tree``, ``review``."""
