"""Every position of a small game, and its exact value by an independent method."""

from functools import cache

from noughts.games import GAMES, Position


@cache
def reachable(key: str) -> frozenset[Position]:
    """All positions of the game that play can reach, the start and the finished ones included."""
    seen = {GAMES[key].start}
    frontier = list(seen)
    while frontier:
        position = frontier.pop()
        new = {position.play(move) for move in position.legal_moves} - seen
        seen |= new
        frontier.extend(new)
    return frozenset(seen)


@cache
def exact_value(position: Position) -> int:
    """The value for the side to move: 10 - d for a win in d plies, -10 + d for a loss.

    Remembered by position, where the searches walk paths. For a game that only its last mover can have won.
    """
    if position.outcome is not None:
        return -10 if position.outcome.winner else 0
    return max(move_value(position, move) for move in position.legal_moves)


def move_value(position: Position, move: str) -> int:
    """The exact value of ``move`` for the side that plays it: one ply later, so one nearer to 0."""
    after = exact_value(position.play(move))
    return -(after - (after > 0) + (after < 0))


def exact_best(position: Position) -> set[str]:
    """The moves that win soonest, or else draw, or else lose latest."""
    return {move for move in position.legal_moves if move_value(position, move) == exact_value(position)}
