"""The identity of a player: ids, tokens and names. Pure, but for the randomness of new ids and tokens."""
