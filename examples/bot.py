"""A bot with the client library: python examples/bot.py [ADDRESS], or noughts bot examples/bot.py"""

import random
import sys

from noughts_client import run


def choose(state):
    return random.choice(state["legal_moves"])


if __name__ == "__main__":
    run(choose, *sys.argv[1:], name="random-bot", against="easy")
