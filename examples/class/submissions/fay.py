"""Counts the columns from 0."""


def choose(state):
    return str(state["ply"] % 7)
