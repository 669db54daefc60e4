"""A bot of two files."""

import columns


def choose(state):
    return columns.lowest(state["rows"], state["legal_moves"])
