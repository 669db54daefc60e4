"""The records of games that are over: told as lists of moves, taken out of a journal and into one."""
