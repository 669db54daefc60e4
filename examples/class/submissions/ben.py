"""Plays any move."""

import random


def choose(state):
    return random.choice(state["legal_moves"])
