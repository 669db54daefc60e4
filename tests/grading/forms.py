"""Correct searches in the forms that courses ask for and students write, each with a board and helpers of its own."""

from __future__ import annotations

from grading.students import CORRECT as DEEP

SEVEN = """
import copy
import math

X, O, EMPTY = "X", "O", None

def initial_state():
    return [[EMPTY, EMPTY, EMPTY] for _ in range(3)]

def player(board):
    marks = [cell for row in board for cell in row if cell is not EMPTY]
    return O if len(marks) % 2 else X

def actions(board):
    return {(i, j) for i in range(3) for j in range(3) if board[i][j] is EMPTY}

def result(board, action):
    i, j = action
    if board[i][j] is not EMPTY:
        raise ValueError("taken")
    after = copy.deepcopy(board)
    after[i][j] = player(board)
    return after

def winner(board):
    lines = [[(i, j) for j in range(3)] for i in range(3)] + [[(i, j) for i in range(3)] for j in range(3)]
    lines += [[(i, i) for i in range(3)], [(i, 2 - i) for i in range(3)]]
    for line in lines:
        marks = {board[i][j] for i, j in line}
        if len(marks) == 1 and EMPTY not in marks:
            return marks.pop()
    return None

def terminal(board):
    return winner(board) is not None or not actions(board)

def utility(board):
    return {X: 1, O: -1, None: 0}[winner(board)]
"""

COURSE_MINIMAX = f"""{SEVEN}
def minimax(board):
    if terminal(board):
        return None
    if player(board) == X:
        return max(actions(board), key=lambda action: min_value(result(board, action)))
    return min(actions(board), key=lambda action: max_value(result(board, action)))

def max_value(board):
    if terminal(board):
        return utility(board)
    return max(min_value(result(board, action)) for action in actions(board))

def min_value(board):
    if terminal(board):
        return utility(board)
    return min(max_value(result(board, action)) for action in actions(board))
"""
"""The seven functions of a well-known first course, without pruning and with deep copies: the slowest of all."""

COURSE_PRUNED = f"""{SEVEN}
def minimax(board):
    if terminal(board):
        return None
    return search(board, -math.inf, math.inf)[1]

def search(board, low, high):
    if terminal(board):
        return utility(board), None
    best = None
    if player(board) == X:
        value = -math.inf
        for action in sorted(actions(board)):
            found, _ = search(result(board, action), low, high)
            if found > value:
                value, best = found, action
                if value == 1:
                    break
            low = max(low, value)
            if low >= high:
                break
    else:
        value = math.inf
        for action in sorted(actions(board)):
            found, _ = search(result(board, action), low, high)
            if found < value:
                value, best = found, action
                if value == -1:
                    break
            high = min(high, value)
            if low >= high:
                break
    return value, best
"""

TEXTBOOK = """
from math import inf

def alpha_beta_search(state, game):
    player = game.to_move(state)

    def highest(state, alpha, beta):
        if game.terminal_test(state):
            return game.utility(state, player)
        value = -inf
        for action in game.actions(state):
            value = max(value, lowest(game.result(state, action), alpha, beta))
            if value >= beta:
                return value
            alpha = max(alpha, value)
        return value

    def lowest(state, alpha, beta):
        if game.terminal_test(state):
            return game.utility(state, player)
        value = inf
        for action in game.actions(state):
            value = min(value, highest(game.result(state, action), alpha, beta))
            if value <= alpha:
                return value
            beta = min(beta, value)
        return value

    best, chosen = -inf, None
    for action in game.actions(state):
        value = lowest(game.result(state, action), best, inf)
        if value > best:
            best, chosen = value, action
    return chosen
"""

TEXTBOOK_PAIR = """
import math

def minimax_search(game, state):
    player = state.to_move

    def max_value(state):
        if game.is_terminal(state):
            return game.utility(state, player), None
        value, move = -math.inf, None
        for action in game.actions(state):
            found, _ = min_value(game.result(state, action))
            if found > value:
                value, move = found, action
        return value, move

    def min_value(state):
        if game.is_terminal(state):
            return game.utility(state, player), None
        value, move = math.inf, None
        for action in game.actions(state):
            found, _ = max_value(game.result(state, action))
            if found < value:
                value, move = found, action
        return value, move

    return max_value(state)
"""

MAXIMIZING = """
from noughts.games import Side

def minimax(state, depth, maximizing):
    outcome = state.outcome
    if depth == 0 or outcome is not None:
        if outcome is None or outcome.winner is None:
            return 0
        return 1 if outcome.winner is Side.FIRST else -1
    if maximizing:
        value = -100
        for move in state.legal_moves:
            value = max(value, minimax(state.play(move), depth - 1, False))
        return value
    value = 100
    for move in state.legal_moves:
        value = min(value, minimax(state.play(move), depth - 1, True))
    return value
"""

PRUNED_MAXIMIZING = """
def alphabeta(position, depth, alpha, beta, maximizingPlayer):
    if position.outcome is not None:
        if position.outcome.winner is None:
            return 0
        return -1 if maximizingPlayer else 1
    if depth == 0:
        return 0
    if maximizingPlayer:
        value = float("-inf")
        for move in position.legal_moves:
            value = max(value, alphabeta(position.play(move), depth - 1, alpha, beta, False))
            alpha = max(alpha, value)
            if beta <= alpha:
                break
        return value
    value = float("inf")
    for move in position.legal_moves:
        value = min(value, alphabeta(position.play(move), depth - 1, alpha, beta, True))
        beta = min(beta, value)
        if beta <= alpha:
            break
    return value
"""

FLAT = """
AI, HUMAN = "o", "x"

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

def wins(board, mark):
    return any(all(board[cell] == mark for cell in line) for line in LINES)

def minimax(board, depth, is_maximizing):
    if wins(board, AI):
        return 10 - depth
    if wins(board, HUMAN):
        return depth - 10
    if "_" not in board:
        return 0
    if is_maximizing:
        best = -1000
        for cell in range(9):
            if board[cell] == "_":
                board[cell] = AI
                best = max(best, minimax(board, depth + 1, False))
                board[cell] = "_"
        return best
    best = 1000
    for cell in range(9):
        if board[cell] == "_":
            board[cell] = HUMAN
            best = min(best, minimax(board, depth + 1, True))
            board[cell] = "_"
    return best
"""
"""The computer is the second side, depth counts up, and moves are taken back."""

NUMBERS = """
COMP, HUMAN = 1, -1
board = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]

def wins(state, who):
    lines = [*state, *zip(*state), [state[i][i] for i in range(3)], [state[i][2 - i] for i in range(3)]]
    return any(all(cell == who for cell in line) for line in lines)

def empty_cells(state):
    return [(x, y) for x in range(3) for y in range(3) if state[x][y] == 0]

def minimax(state, depth, player):
    best = [-1, -1, -1000] if player == COMP else [-1, -1, 1000]
    if depth == 0 or wins(state, COMP) or wins(state, HUMAN):
        return [-1, -1, 1 if wins(state, COMP) else -1 if wins(state, HUMAN) else 0]
    for x, y in empty_cells(state):
        state[x][y] = player
        score = minimax(state, depth - 1, -player)[2]
        state[x][y] = 0
        if (score > best[2]) if player == COMP else (score < best[2]):
            best = [x, y, score]
    return best
"""
"""A draw shows by the depth alone, and the row, the column and the value come in one list."""

NUMBERED = """
human, ai = "O", "X"

def free(board):
    return [cell for cell in board if cell not in ("O", "X")]

def won(board, who):
    return any(
        all(board[cell] == who for cell in line)
        for line in ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
    )

board = [0, 1, 2, 3, 4, 5, 6, 7, 8]

def minimax(new_board, player):
    if won(new_board, human):
        return {"score": -10}
    if won(new_board, ai):
        return {"score": 10}
    if not free(new_board):
        return {"score": 0}
    moves = []
    for cell in free(new_board):
        new_board[cell] = player
        score = minimax(new_board, human if player == ai else ai)["score"]
        new_board[cell] = cell
        moves.append({"index": cell, "score": score})
    choose = max if player == ai else min
    return choose(moves, key=lambda move: move["score"])
"""

OWN_BOARD = """
from math import inf

LINES = ("012", "345", "678", "036", "147", "258", "048", "246")

def alphabeta(position, alpha=-inf, beta=inf):
    cells = "".join(position.rows)
    return search(cells, "xo"[position.ply % 2], alpha, beta)

def search(cells, mark, alpha, beta):
    other = "o" if mark == "x" else "x"
    if any(all(cells[int(at)] == other for at in line) for line in LINES):
        return -1
    if "." not in cells:
        return 0
    for at, cell in enumerate(cells):
        if cell == ".":
            alpha = max(alpha, -search(cells[:at] + mark + cells[at + 1 :], other, -beta, -alpha))
            if alpha >= beta:
                break
    return alpha
"""

STOPS = """
from math import inf

def alphabeta(position, alpha=-inf, beta=inf):
    outcome = position.outcome
    if outcome is not None:
        return 0 if outcome.winner is None else -1
    best = -inf
    for move in position.legal_moves:
        value = -alphabeta(position.play(move), -beta, -alpha)
        if value == 1:
            return 1
        best = max(best, value)
        alpha = max(alpha, best)
        if alpha >= beta:
            break
    return best
"""

AGENT = """
def agent(observation, configuration):
    size = configuration.columns
    cells = observation.board
    return best(tuple(cells), observation.mark, size)[1]

def line(cells, mark, size):
    rows = [[row * size + column for column in range(size)] for row in range(size)]
    lines = rows + [list(each) for each in zip(*rows)]
    lines += [[rows[i][i] for i in range(size)], [rows[i][size - 1 - i] for i in range(size)]]
    return any(all(cells[at] == mark for at in each) for each in lines)

memo = {}

def best(cells, mark, size):
    if (cells, mark) in memo:
        return memo[cells, mark]
    found = (-2, None)
    if line(cells, 3 - mark, size):
        found = (-1, None)
    elif 0 not in cells:
        found = (0, None)
    else:
        for at, cell in enumerate(cells):
            if cell == 0:
                value = -best(cells[:at] + (mark,) + cells[at + 1 :], 3 - mark, size)[0]
                if value > found[0]:
                    found = value, at
    memo[cells, mark] = found
    return found
"""

PAIR = """
def minimax(position):
    if position.outcome is not None:
        return None, -(position.outcome.winner is not None)
    best, value = None, -2
    for move in position.legal_moves:
        _, found = minimax(position.play(move))
        if -found > value:
            best, value = move, -found
    return best, value
"""

CORRECT = {
    "minimax(board) -> move": COURSE_MINIMAX,
    "minimax(board) -> move, pruned": COURSE_PRUNED,
    "alpha_beta_search(state, game) -> move": TEXTBOOK,
    "minimax_search(game, state) -> (value, move)": TEXTBOOK_PAIR,
    "minimax(state, depth, maximizing) -> value": MAXIMIZING,
    "alphabeta(position, depth, alpha, beta, maximizingPlayer) -> value": PRUNED_MAXIMIZING,
    "minimax(board, depth, is_maximizing) -> value": FLAT,
    "minimax(state, depth, player) -> (move, value)": NUMBERS,
    "minimax(new_board, player) -> (value, move)": NUMBERED,
    "alphabeta(position, alpha, beta) -> value, own board": OWN_BOARD,
    "alphabeta(position, alpha, beta) -> value, stops": STOPS,
    "agent(observation, configuration) -> move": AGENT,
    "minimax(position) -> (move, value)": PAIR,
}
"""The form as which each is recognised, to a comma, and its source."""


def changed(source: str, *changes: tuple[str, str]) -> str:
    """``source`` with each of ``changes``, which must change something."""
    for before, after in changes:
        assert before in source
        source = source.replace(before, after)
    return source


NAMING = """
from math import inf

best_move = None

def alphabeta(position):
    best, chosen = -inf, None
    for move in position.legal_moves:
        value = -search(position.play(move), -inf, -best)
        if value > best:
            best, chosen = value, move
    return best, chosen
""" + DEEP.replace("alphabeta", "search")

AI_IS_SECOND = changed(
    PRUNED_MAXIMIZING,
    ("-1 if maximizingPlayer else 1", '1 if position.outcome.winner == "second" else -1'),
)
CORRECT["alphabeta(position, depth, alpha, beta, maximizingPlayer) -> value, for the second side"] = AI_IS_SECOND

UNNAMED = changed(NUMBERED, ("\nboard = [0, 1, 2, 3, 4, 5, 6, 7, 8]\n", ""))
CORRECT["minimax(new_board, player) -> (value, move), no board"] = UNNAMED

FOR_FIRST = """
def alphabeta(position, player):
    outcome = position.outcome
    if outcome is not None:
        return 0 if outcome.winner is None else 10 if outcome.winner == "first" else -10
    choose = max if player == "first" else min
    other = "second" if player == "first" else "first"
    return choose(alphabeta(position.play(move), other) for move in position.legal_moves)
"""
"""Its values are for the first side."""

LATER_WINS = """
def alphabeta(position, alpha=-99, beta=99, depth=0):
    if position.outcome is not None:
        return 0 if position.outcome.winner is None else -10 - depth
    value = -99
    for move in position.legal_moves:
        value = max(value, -alphabeta(position.play(move), -beta, -alpha, depth + 1))
        alpha = max(alpha, value)
        if alpha >= beta:
            break
    return value
"""

CENTRE_FIRST = changed(DEEP, ("in position.legal_moves", "in sorted(position.legal_moves, key='519372468'.find)"))
CORRECT["alphabeta(position, alpha, beta) -> value, in another order"] = CENTRE_FIRST
CORRECT["alphabeta(position, alpha, beta, depth) -> value, with sooner wins"] = changed(
    LATER_WINS, ("-10 - depth", "depth - 10")
)

MUTABLE = changed(FLAT, ('                board[cell] = "_"\n', ""), ('            board[cell] = "_"\n', ""))
FORGETS_DRAWS = changed(COURSE_PRUNED, ("winner(board) is not None or not actions(board)", "winner(board) is not None"))

TO_THREE_PLIES = """
def minimax(position, depth=3):
    outcome = position.outcome
    if outcome is not None:
        return 0 if outcome.winner is None else -1
    if depth == 0:
        return 0
    return max(-minimax(position.play(move), depth - 1) for move in position.legal_moves)
"""

ENDLESS = """
def alphabeta(position):
    if not position.legal_moves:
        return alphabeta(position)
    return max(-alphabeta(position.play(move)) for move in position.legal_moves)
"""

FAULTS = {
    "a sign in negamax": (
        changed(DEEP, ("-alphabeta(position.play(move), -beta, -alpha)", "alphabeta(position.play(move))")),
        "a child's value is for the other side, so it must be negated (negamax)",
    ),
    "the sign of a finished game": (
        changed(DEEP, ("is None else -1", "is None else 1")),
        "the side to move has lost a game that is over, so that is -1",
    ),
    "nobody minimizes": (
        changed(MAXIMIZING, ("depth - 1, False", "depth - 1, True")),
        "after the first moves nobody minimizes",
    ),
    "max and min swapped": (
        changed(COURSE_PRUNED, ("{X: 1, O: -1", "{X: -1, O: 1")),
        "max and min are swapped, so it plays the worst moves",
    ),
    "no preference for the sooner win": (DEEP, "a sooner win must be worth more", "--values", "depth"),
    "no preference for the sooner win, for the first side": (
        FOR_FIRST,
        "Expected: alpha-beta that cuts at alpha >= beta, with sooner wins worth more; values for X.",
        "--values",
        "depth",
    ),
    "no preference for the sooner win on a board": (
        changed(FLAT, ("10 - depth", "10"), ("depth - 10", "-10")),
        "a sooner win must be worth more",
        "--values",
        "depth",
    ),
    "a later win is worth more": (LATER_WINS, "A later win is worth more: the sign of the depth", "--values", "depth"),
    "a wrong sign with fixed sides": (
        changed(FLAT, ("10 - depth", "depth - 11"), ("return depth - 10", "return 10 - depth")),
        "a win counts for the wrong side (swap 1 and -1)",
    ),
    "a draw counts as a loss": (
        changed(DEEP, ("return 0 if outcome.winner is None else -1", "return -1")),
        "A draw is forgotten",
    ),
    "a full board is not the end": (FORGETS_DRAWS, "A draw is forgotten"),
    "equal moves replace the best": (
        changed(NAMING, ("if value > best", "if value >= best")),
        "(>= instead of >)",
    ),
    "equal moves replace the best on a board": (
        changed(
            COURSE_PRUNED,
            ("found > value", "found >= value"),
            ("found < value", "found <= value"),
            ("value == 1", "False"),
            ("value == -1", "False"),
        ),
        "(>= instead of >)",
    ),
    "a state changed while searching": (MUTABLE, "It changes the board that it is given"),
    "a state changed by result": (
        changed(COURSE_PRUNED, ("after = copy.deepcopy(board)", "after = board")),
        "It changes the board that it is given",
    ),
    "a fixed depth": (
        changed(
            PRUNED_MAXIMIZING,
            ("maximizingPlayer):\n", "maximizingPlayer):\n    depth = min(depth, 3)\n"),
            ("depth - 1", "depth - 1"),
        ),
        "It searches to a fixed depth",
    ),
    "a default depth": (
        TO_THREE_PLIES,
        "It searches to a fixed depth: it looks 3 plies ahead",
    ),
    "a return in the loop": (
        changed(DEEP, ("            break\n    return value", "            break\n        return value")),
        "Only the first move is searched",
    ),
    "a global best": (
        changed(
            NAMING,
            ("    best, chosen = -inf, None\n", "    global best, chosen\n"),
            ("best_move = None", "best, chosen = -inf, None"),
            ("-search(position.play(move), -inf, -best)", "-search(position.play(move), -inf, inf)"),
        ),
        "Its answer depends on what it was asked before",
    ),
    "a memo of bounds": (
        changed(
            DEEP,
            ("    value = -inf\n", "    if position in memo:\n        return memo[position]\n    value = -inf\n"),
            ("    return value\n", "    memo[position] = value\n    return value\n"),
            ("from math import inf\n", "from math import inf\n\nmemo = {}\n"),
        ),
        "Its answer depends on what it was asked before",
    ),
    "a line forgotten": (
        changed(COURSE_PRUNED, (" + [[(i, j) for i in range(3)] for j in range(3)]", "")),
        "It misses wins in the lines 1 4 7, 2 5 8, 3 6 9",
    ),
    "no pruning": (
        changed(DEEP, ("        if alpha >= beta:\n            break\n", "")),
        "It visits exactly what minimax visits",
    ),
    "a strict cut": (
        changed(DEEP, ("alpha >= beta", "alpha > beta")),
        "It visits exactly what alpha-beta that cuts at alpha > beta visits",
    ),
    "a strict cut in another order": (
        changed(CENTRE_FIRST, ("alpha >= beta", "alpha > beta")),
        "It cuts only where alpha > beta.",
    ),
    "no pruning in another order": (
        changed(CENTRE_FIRST, ("        if alpha >= beta:\n            break\n", "")),
        "It visits exactly what minimax visits",
    ),
    "no end of the recursion": (
        ENDLESS,
        "The recursion does not end",
    ),
}
"""Typical faults: a source, and what is said about it."""
