"""Students' alpha-beta searches, right and wrong."""

from __future__ import annotations

CORRECT = """
from math import inf

def alphabeta(position, alpha=-inf, beta=inf):
    outcome = position.outcome
    if outcome is not None:
        return 0 if outcome.winner is None else -1
    value = -inf
    for move in position.legal_moves:
        value = max(value, -alphabeta(position.play(move), -beta, -alpha))
        alpha = max(alpha, value)
        if alpha >= beta:
            break
    return value
"""

ALSO_A_BOT = f"""
from noughts_client import BotState, run
{CORRECT}
def choose(state: BotState) -> str:
    return max(state["legal_moves"], key=lambda move: -alphabeta(state.position.play(move)))

if __name__ == "__main__":
    run(choose, against="easy")
"""
"""Both, as a student has it who tries the search in a bot."""

WRONG_SIGN = CORRECT.replace("max(value, -alphabeta", "max(value, alphabeta")

STRICT = CORRECT.replace("alpha >= beta", "alpha > beta")

SOONER = """

from math import inf

def alphabeta(position):
    return depth(position, -inf, inf, 0)

def depth(position, alpha, beta, d):
    outcome = position.outcome
    if outcome is not None:
        return 0 if outcome.winner is None else d - 10
    value = -inf
    for move in position.legal_moves:
        value = max(value, -depth(position.play(move), -beta, -alpha, d + 1))
        alpha = max(alpha, value)
        if alpha >= beta:
            break
    return value
"""

NO_PRUNING = """
def alphabeta(position):
    outcome = position.outcome
    if outcome is not None:
        return 0 if outcome.winner is None else -1
    return max(-alphabeta(position.play(move)) for move in position.legal_moves)
"""

TABLE = """
from noughts.games import GAMES

table = {}

def solve(position):
    if position.text not in table:
        outcome = position.outcome
        if outcome is not None:
            value = 0 if outcome.winner is None else -1
        else:
            value = max(-solve(position.play(move)) for move in position.legal_moves)
        table[position.text] = value
    return table[position.text]

solve(GAMES["tictactoe"].start)

def alphabeta(position, alpha, beta):
    return table[position.text]
"""

FOR_X = """
from noughts.games import Side

def alphabeta(position, alpha, beta):
    outcome = position.outcome
    if outcome is not None:
        return {None: 0, Side.FIRST: 1, Side.SECOND: -1}[outcome.winner]
    if position.to_move is Side.FIRST:
        for move in position.legal_moves:
            alpha = max(alpha, alphabeta(position.play(move), alpha, beta))
            if alpha >= beta:
                break
        return alpha
    for move in position.legal_moves:
        beta = min(beta, alphabeta(position.play(move), alpha, beta))
        if alpha >= beta:
            break
    return beta
"""

BY_SIDE = """
from math import inf
def alphabeta(position, alpha=-inf, beta=inf):
    outcome = position.outcome
    if outcome is not None:
        return 0 if outcome.winner is None else 1 if outcome.winner == "first" else -1
    first = position.to_move == "first"
    value = -inf if first else inf
    for move in position.legal_moves:
        found = alphabeta(position.play(move), alpha, beta)
        if first:
            value = max(value, found); alpha = max(alpha, value)
        else:
            value = min(value, found); beta = min(beta, value)
        if alpha >= beta: break
    return value
"""
