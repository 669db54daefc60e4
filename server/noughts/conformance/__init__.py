"""Checks that a server or a bot keeps to the protocol, and a game to its contract, and what shows where it does not."""
