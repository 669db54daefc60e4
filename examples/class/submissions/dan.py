"""Plays the first move that it may."""


def choose(state):
    return state["legal_moves"][0]
