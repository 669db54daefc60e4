"""Has learned replies, but not to everything."""

REPLIES = {"4": "4", "3": "5", "5": "3"}


def choose(state):
    if not state["moves"]:
        return "4"
    return REPLIES[state["moves"][-1]]
