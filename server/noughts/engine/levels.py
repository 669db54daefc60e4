"""How strongly the computer plays, and its choice of a move. Pure; does no I/O."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from noughts.engine.minimax import Search, alpha_beta, never
from noughts.games import Game, Position

# Here values are only compared, so that any number beyond the longest game does.
LONGER_THAN_ANY_GAME = 1000


@dataclass(frozen=True, slots=True)
class Level:
    """A way of playing.

    ``depth`` is how many plies it looks ahead, None for the end of the game; what is not decided by then
    counts as a draw. ``lapse`` is the probability, 0 to 1, that it plays a move that it knows is not among
    its best ones. ``search`` is the method.
    """

    depth: int | None
    lapse: float
    search: Search = alpha_beta


LEVELS: dict[str, Level] = {
    "perfect": Level(depth=None, lapse=0),
    "hard": Level(depth=4, lapse=0.05),
    "medium": Level(depth=2, lapse=0.2),
    "easy": Level(depth=1, lapse=0.5),
}
"""The levels that a seat can ask for, by name."""

SEARCHED_TO_THE_END = ("tictactoe",)
"""The games that are small enough for every level."""

FARTHEST_ELSEWHERE = 2
"""In plies: as far as a game of which nothing is known, with some hundred moves to choose from, is searched in time."""


def levels_of(game: Game) -> tuple[str, ...]:
    """The levels at which the computer plays ``game``, by name, the strongest first."""
    if game.key in SEARCHED_TO_THE_END:
        return tuple(LEVELS)
    return tuple(name for name, level in LEVELS.items() if level.depth and level.depth <= FARTHEST_ELSEWHERE)


def odds(position: Position, level: Level, stop: Callable[[], bool] = never) -> dict[str, float]:
    """The moves that ``level`` may play here and the probability of each, more than 0.

    Equally good moves are equally likely, and so are, on a lapse, all moves that are not best. Where every
    move is as good as the others there is no lapse.

    Raises ValueError when the game is over, and :class:`~noughts.engine.minimax.Stopped` as told by ``stop``.
    """
    analysis = level.search(position, win=LONGER_THAN_ANY_GAME, max_depth=level.depth, stop=stop)
    best = analysis.best
    if not best:
        raise ValueError("the game is over")
    lesser = [move for move in analysis.values if move not in best]
    lapse = level.lapse if lesser else 0
    shares = dict.fromkeys(best, (1 - lapse) / len(best))
    if lapse:
        shares |= dict.fromkeys(lesser, lapse / len(lesser))
    return shares


def choose(position: Position, level: Level, rng: random.Random, stop: Callable[[], bool] = never) -> str:
    """The move that ``level`` plays, drawn with :func:`odds` by ``rng``. Raises like :func:`odds`."""
    shares = odds(position, level, stop)
    return rng.choices(list(shares), list(shares.values()))[0]
