"""Plays what it finds best by looking two moves ahead."""


def choose(state):
    position = state.position
    return max(state["legal_moves"], key=lambda move: -best_reply(position.play(move), position.to_move))


def best_reply(position, me):
    if position.outcome is not None:
        return -10 if position.outcome.winner is me else 0
    ends = [position.play(move).outcome for move in position.legal_moves]
    return 10 if any(end is not None and end.winner is not None for end in ends) else 0
