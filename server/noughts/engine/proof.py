"""Proofs of forced wins by plain search. Pure; does no I/O.

It plays on from the position itself, which has its own history, and uses no table. So what it finds holds also in games
in which earlier positions can decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from noughts.games import Game, Position, Side

Visit = Callable[[], None]
"""Is called at each position. It ends a search by raising."""


def forced_win(game: Game, position: Position, side: Side, most: int, visit: Visit) -> tuple[str, ...] | None:
    """The line of the soonest win that ``side`` can force in at most ``most`` plies, None if it can force none.

    The line is empty if ``side`` has won already. Its length is the exact distance: ``side`` can force no sooner win,
    and the other side can hold out as long. A side that may claim a draw does not lose.
    """
    for plies in range(most + 1):
        line = _win_within(game, position, side, plies, visit)
        if line is not None:
            return line
    return None


def _win_within(game: Game, position: Position, side: Side, plies: int, visit: Visit) -> tuple[str, ...] | None:
    """A line by which ``side`` wins within ``plies`` plies, None if it cannot force that.

    The line is at least as long as the distance of the soonest win.
    """
    visit()
    outcome = position.outcome
    if outcome is not None:
        return () if outcome.winner is side else None
    if not plies:
        return None
    if position.to_move is side:
        for move in _ordered(game, position):
            line = _win_within(game, position.play(move), side, plies - 1, visit)
            if line is not None:
                return (move, *line)
        return None
    if game.claim is not None and game.claim(position) is not None:
        return None
    longest: tuple[str, ...] = ()
    for move in position.legal_moves:
        line = _win_within(game, position.play(move), side, plies - 1, visit)
        if line is None:
            return None
        if len(line) >= len(longest):  # it becomes a ply longer
            longest = (move, *line)
    return longest


def _ordered(game: Game, position: Position) -> Iterable[str]:
    """The legal moves, the noisy ones first."""
    noisy = game.heuristic.noisy if game.heuristic else None
    return position.legal_moves if noisy is None else dict.fromkeys((*noisy(position), *position.legal_moves))
