"""A bot that learns by playing against itself (Q-learning): the value of a position is what its best answer is worth.

python examples/pettingzoo_train.py
noughts bot examples/pettingzoo_train.py --game tictactoe --against hard
"""

import json
import random
from functools import cache
from pathlib import Path

VALUES = Path(__file__).with_name("values.json")


def train(game="tictactoe", games=20_000, seed=1, curious=0.8, rate=0.5):
    """The values of positions, by their text, for the side that has just moved there: -1 to 1."""
    from pettingzoo_env import Board

    rng, env, values = random.Random(seed), Board(game), {}
    for _ in range(games):
        env.reset()
        before = None  # the last position, and who moved there
        while True:
            agent, moves = env.agent_selection, env.position.legal_moves
            after = [env.position.play(move).text for move in moves]
            best = max(range(len(moves)), key=lambda action: values.get(after[action], 0.0))
            if before is not None:
                learn(values, before, agent, values.get(after[best], 0.0), rate)
            action = rng.randrange(len(moves)) if rng.random() < curious else best
            env.step(action)
            before = after[action], agent
            if env.terminations[agent]:
                values[after[action]] = env.rewards[agent]
                break
    return values


def learn(values, before, agent, worth, rate):
    """Move the value of the position before towards what ``agent``, who is to move there, can get."""
    text, mover = before
    known = values.get(text, 0.0)
    values[text] = known + rate * ((worth if agent == mover else -worth) - known)


def best_move(values, position):
    """The move to the position with the best value; to one that was never seen it is 0."""
    return max(position.legal_moves, key=lambda move: values.get(position.play(move).text, 0.0))


@cache
def trained():
    return json.loads(VALUES.read_text())


def choose(state):
    return best_move(trained(), state.position)


if __name__ == "__main__":
    found = train()
    VALUES.write_text(json.dumps(found))
    print(f"{len(found)} positions in {VALUES}")
