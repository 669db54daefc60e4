"""A league of bots: pairings, games, standings. Everything but the runner and the state on disk is pure."""
