"""How strongly the computer plays, and its choice of a move. Pure; does no I/O."""

from __future__ import annotations

import random
from dataclasses import dataclass

from noughts.engine.analysis import Analysis, Engine, Interrupt, Limits, MoveValue
from noughts.games import Game, Position


@dataclass(frozen=True, slots=True)
class Level:
    """A way of playing.

    ``depth`` is how many plies it looks ahead, None for as many as it can. ``seconds`` is how long it may take for a
    move: whoever has a clock ends its search then. ``lapse`` is the probability, 0 to 1, of a lapse: that it plays a
    worse move than its best ones, one that gives away at most ``slack`` by its own search. ``slack`` is in points of
    the expected result, in which a win is 1, a draw 1/2 and a loss 0.
    """

    depth: int | None
    seconds: float = 2
    lapse: float = 0
    slack: float = 1


LEVELS: dict[str, Level] = {
    "perfect": Level(depth=None),
    "best": Level(depth=None),
    "hard": Level(depth=4, lapse=0.05, slack=0.5),
    "medium": Level(depth=2, lapse=0.2),
    "easy": Level(depth=1, lapse=0.5),
}
"""All levels, by name. A game has either ``perfect`` or ``best``, see :func:`levels_of`."""


def levels_of(game: Game) -> tuple[str, ...]:
    """The levels at which the computer plays ``game``, by name, the strongest first."""
    missing = "best" if game.solved else "perfect"
    return tuple(name for name in LEVELS if name != missing)


def odds(engine: Engine, position: Position, level: Level, stop: Interrupt) -> dict[str, float]:
    """The moves that ``level`` may play here, and the probability of each, more than 0.

    Equally good moves are equally likely, in the opening also those that are nearly as good (``Heuristic.spread``),
    and so are, on a lapse, all worse moves within the level's slack. Where
    there is none there is no lapse. Raises ValueError when the game is over.
    """
    best, worse = _choices(engine, position, level, stop, lapse=level.lapse > 0)
    lapse = level.lapse if worse else 0
    shares = dict.fromkeys(best, (1 - lapse) / len(best))
    return shares | dict.fromkeys(worse, lapse / len(worse)) if lapse else shares


def choose(engine: Engine, position: Position, level: Level, rng: random.Random, stop: Interrupt) -> str:
    """The move that ``level`` plays, drawn by ``rng`` with :func:`odds`.

    When ``stop`` is set, it soon plays the best move found so far. The level's
    ``seconds`` are left to the caller. Raises ValueError when the game is over.
    """
    if len(position.legal_moves) == 1:
        return position.legal_moves[0]
    # Whether there is a lapse is drawn first: without one the search is spared the values of the worse moves.
    best, worse = _choices(engine, position, level, stop, lapse=rng.random() < level.lapse)
    return rng.choice(worse or best)


def _choices(
    engine: Engine, position: Position, level: Level, stop: Interrupt, *, lapse: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The level's best moves here, and on a ``lapse`` the worse ones of which it may play any."""
    heuristic = engine.game.heuristic
    spread = heuristic.spread if heuristic is not None and position.ply < heuristic.opening else 0
    analysis = engine.analyse(position, Limits(depth=level.depth, every_move=lapse or spread > 0), stop)
    if not analysis.best:
        raise ValueError("the game is over")
    best = nearly_best(analysis, spread) if spread else analysis.best
    worse = worse_moves(engine.game, analysis, level.slack) if lapse else ()
    return best, tuple(move for move in worse if move not in best)


def nearly_best(analysis: Analysis, spread: int) -> tuple[str, ...]:
    """The best moves, and those estimated, as far ahead as these, to be worth at most ``spread`` less."""
    best = analysis.moves[analysis.best[0]]
    if best.exact:
        return analysis.best
    return tuple(
        move
        for move, value in analysis.moves.items()
        if move in analysis.best
        or (not value.exact and value.depth == best.depth and best.value - spread <= value.value <= best.value)
    )


def worse_moves(game: Game, analysis: Analysis, slack: float) -> tuple[str, ...]:
    """The moves that are not best but give away at most ``slack`` points of the expected result."""
    best = expected_result(game, analysis.moves[analysis.best[0]])
    return tuple(
        move
        for move, value in analysis.moves.items()
        if move not in analysis.best and best - expected_result(game, value) <= slack
    )


def expected_result(game: Game, move: MoveValue) -> float:
    """The result to be expected from a move, from 0 for a loss to 1 for a win.

    That of an estimate v is 1 / (1 + 10 ** (-v / unit)), with the unit of the game's heuristic: the logistic curve by
    which also Elo's ratings are read (A. Elo, *The Rating of Chessplayers*, 1978). That of a game without a heuristic
    has no unit, and says only which move to prefer: it is 1/2.
    """
    heuristic = game.heuristic
    if move.exact:
        return 1.0 if move.value > 0 else 0.0 if move.value < 0 else 0.5
    if heuristic is None:
        return 0.5
    # Beyond 300 units it is 0 or 1 in any case, and the power would be too great a number.
    return 1 / (1 + 10 ** max(-300.0, min(-move.value / heuristic.unit, 300.0)))
