"""Random openings that the engine judges to be even. Pure; does no I/O."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from noughts.engine import Analysis, expected_result
from noughts.games import Game, Position

Judge = Callable[[Position], Analysis | None]
"""Searches a position as far as the caller likes; None if it could not. It may take seconds."""

Tell = Callable[[int, int], None]
"""Is called for each opening that has been found, with their number so far and how many are wanted."""

PLIES = {"tictactoe": 1, "connect4": 4, "reversi": 6, "gomoku": 3, "ultimate": 4}
"""The default number of random moves at the start of a game, by game."""

OTHER_PLIES = 2
"""The default for all other games."""

EVEN = 0.15
"""The greatest distance from a half of the expected result of an even position may be, where only an estimate of it is
known."""

TRIES = 60
"""The number of openings judged, for each one that is wanted, before the search for more of them ends."""

ALL = 2000
"""In a game with at most so many openings all of them are candidates, each once."""


def is_even(game: Game, found: Analysis) -> bool:
    """True if a position is even: a draw if its value is exact, otherwise nearly the same chances for both sides."""
    if found.exact:
        return found.value == 0
    return abs(expected_result(game, found.moves[found.choices[0]]) - 0.5) <= EVEN


def choose(
    game: Game, plies: int, count: int, seed: int, judge: Judge, *, tell: Tell = lambda _count, _wanted: None
) -> list[tuple[str, ...]]:
    """At most ``count`` different even openings of ``plies`` random moves each, as lists of moves.

    No two of them lead to the same position. Fewer come back if the game has fewer, as tic-tac-toe has 9 of one ply, or
    if they are too rare to be found: the caller repeats them, and should say so. There may be none: then games begin at
    the start. The same arguments and judgements give the same openings. ``tell`` is called for each.
    ``plies`` and ``count`` are 0 or more.
    """
    found: list[tuple[str, ...]] = []
    seen: set[Position] = set()
    for moves, position in _candidates(game, plies, count, random.Random(f"openings {game.key} {plies} {seed}")):
        if len(found) >= count:
            break
        if position in seen or not position.legal_moves:
            continue
        seen.add(position)
        judged = judge(position)
        if judged is not None and is_even(game, judged):
            found.append(moves)
            tell(len(found), count)
    return found


def _candidates(game: Game, plies: int, count: int, rng: random.Random) -> Iterator[tuple[tuple[str, ...], Position]]:
    """Openings in random order: all of a game that has few, otherwise as many as may be tried."""
    every = _every(game, plies)
    if every is not None:
        rng.shuffle(every)
        yield from every
        return
    for _ in range(TRIES * count):
        position, moves = game.start, list[str]()
        while position.legal_moves and len(moves) < plies:
            moves.append(rng.choice(position.legal_moves))
            position = position.play(moves[-1])
        yield tuple(moves), position


def _every(game: Game, plies: int) -> list[tuple[tuple[str, ...], Position]] | None:
    """All sequences of ``plies`` moves and where they lead; None if there are more than :data:`ALL`."""
    lines: list[tuple[tuple[str, ...], Position]] = [((), game.start)]
    for _ in range(plies):
        if sum(len(position.legal_moves) for _, position in lines) > ALL:
            return None
        lines = [((*moves, move), position.play(move)) for moves, position in lines for move in position.legal_moves]
    return lines
