"""Students' Monte-Carlo tree searches, right in several styles, and wrong."""

from __future__ import annotations

SEARCH = """
import math, random

C = 1.41

class Node:
    def __init__(self, position, parent=None, move=None):
        self.position, self.parent, self.move = position, parent, move
        self.children, self.untried = [], list(position.legal_moves)
        self.visits, self.wins = 0, 0.0

def wins_at_once(position):
    for move in position.legal_moves:
        outcome = position.play(move).outcome
        if outcome is not None and outcome.winner is position.to_move:
            return move

def rollout(position):
    while position.outcome is None:
        position = position.play(random.choice(position.legal_moves))
    return position.outcome.winner

def mcts(position, iterations):
    root = Node(position)
    for _ in range(iterations):
        node = root
        while not node.untried and node.children:
            node = max(node.children, key=lambda c: c.wins / c.visits + C * math.sqrt(math.log(node.visits) / c.visits))
        if node.untried:
            move = node.untried.pop(random.randrange(len(node.untried)))
            node.children.append(Node(node.position.play(move), node, move))
            node = node.children[-1]
        winner = rollout(node.position)
        while node is not None:
            node.visits += 1
            mover = node.parent.position.to_move if node.parent else None
            node.wins += 0.5 if winner is None else winner is mover
            node = node.parent
    best = max(root.children, key=lambda c: c.visits)
    return best.move, {c.move: c.visits for c in root.children}
"""
"""UCT as in the textbooks: UCB1, random playouts, the move with the most visits."""


def changed(*changes: tuple[str, str]) -> str:
    source = SEARCH
    for old, new in changes:
        assert old in source, old
        source = source.replace(old, new)
    return source


WIDE = ("C = 1.41", "C = 2.0")
NARROW = ("C = 1.41", "C = 0.5")
DECISIVE = ("random.choice(position.legal_moves)", "wins_at_once(position) or random.choice(position.legal_moves)")
BY_MEAN = ("key=lambda c: c.visits)", "key=lambda c: c.wins / c.visits)")
FLAT = ("if node.untried:", "if node.untried and node is root:")

RIGHT = {
    "ucb1": SEARCH,
    "narrow": changed(NARROW),
    "wide": changed(WIDE),
    "by_mean": changed(BY_MEAN),
    "decisive": changed(DECISIVE),
    "decisive_narrow_by_mean": changed(DECISIVE, NARROW, BY_MEAN),
}

WRONG = {
    "sign": changed(("node.parent.position.to_move if node.parent else None", "node.position.to_move")),
    "one_side": changed(("node.parent.position.to_move if node.parent else None", "root.position.to_move")),
    "no_exploration": changed(("C = 1.41", "C = 0")),
    "no_expansion": changed(FLAT),
    "no_expansion_decisive": changed(FLAT, DECISIVE),
}
"""By the fault, in the order of :data:`HINTS`."""

HINTS = {
    "sign": "It plays the wrong moves where all is simple: in backing up, is a result for who moved to the node?",
    "one_side": "More playouts do not find the best moves: does it select for the side to move at each node?",
    "no_exploration": "In most runs a move had fewer than 3 playouts of 5,000: does it explore?",
    "no_expansion": "It chooses as random play does: does its tree grow below the first moves?",
    "no_expansion_decisive": "It chooses as random play does: does its tree grow below the first moves?",
}
