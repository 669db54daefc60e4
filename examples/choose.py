# A Python file that defines choose: noughts bot examples/choose.py
import random


def choose(state):
    for move in state["legal_moves"]:
        if state.position.play(move).outcome is not None:
            return move  # it wins, or is the last one
    return random.choice(state["legal_moves"])
