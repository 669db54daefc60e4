"""A bot with the client library: python examples/bot.py [ws://ADDRESS:8765/ws]"""

import random
import sys

from noughts_client import run


def bot(state):
    return random.choice(state["legal_moves"])


run(bot, *sys.argv[1:], name="random-bot", against="easy")
