"""The computer's levels, and its choice of a move. Pure; does no I/O."""

from __future__ import annotations

import random
from dataclasses import dataclass

from noughts.engine.analysis import Analysis, Bound, Engine, Interrupt, Limits, MoveValue
from noughts.games import Game, Position


@dataclass(frozen=True, slots=True)
class Level:
    """A playing strength.

    ``depth`` is the number of plies it searches, None for as many as possible; an engine that searches by playouts, as
    in Go and Hex, plays ``playouts`` instead. ``seconds`` is its time for a move; the
    caller, who has a clock, stops the search. ``lapse`` is the probability, 0 to 1, of a lapse: a move that is worse
    than its best ones but gives away at most ``slack`` by its own search. ``slack`` is in points of the expected
    result, in which a win is 1, a draw 1/2 and a loss 0. In a game with ``Heuristic.slip`` a lapse is any move that
    also gives away at most ``slips`` times as much, be it one of the best; and in one with ``Heuristic.plausible``
    it is one of those.
    """

    depth: int | None
    seconds: float = 2
    lapse: float = 0
    slack: float = 1
    slips: int = 1
    playouts: int | None = None

    def limits(self, *, every_move: bool) -> Limits:
        """The limits of its searches, but for its time."""
        return Limits(self.depth, every_move=every_move, playouts=self.playouts)


LEVELS: dict[str, Level] = {
    "perfect": Level(depth=None),
    "best": Level(depth=None),
    "hard": Level(depth=4, lapse=0.05, slack=0.5, playouts=2000),
    "medium": Level(depth=2, lapse=0.2, slips=2, playouts=500),
    "easy": Level(depth=1, lapse=0.5, slips=4, playouts=100),
}
"""All levels by name. A game has either ``perfect`` or ``best``, see :func:`levels_of`."""


def levels_of(game: Game) -> tuple[str, ...]:
    """The names of the levels of ``game``, the strongest first."""
    missing = "best" if game.solved else "perfect"
    return tuple(name for name in LEVELS if name != missing)


def odds(engine: Engine, position: Position, level: Level, stop: Interrupt) -> dict[str, float]:
    """The moves that ``level`` may play, and the probability of each, more than 0.

    All best moves are equally likely; in the opening nearly best moves count as best (``Heuristic.spread``). On a lapse
    all moves of a lapse are equally likely; if there are none there is no lapse. Raises ValueError when the game is
    over.
    """
    best, lapses = _choices(engine, position, level, stop, lapse=level.lapse > 0)
    lapse = level.lapse if lapses else 0
    shares = dict.fromkeys(best, (1 - lapse) / len(best))
    for move in lapses:
        shares[move] = shares.get(move, 0) + lapse / len(lapses)
    return shares


def choose(engine: Engine, position: Position, level: Level, rng: random.Random, stop: Interrupt) -> str:
    """The move that ``level`` plays, drawn by ``rng`` with the probabilities of :func:`odds`.

    When ``stop`` is set, it plays the best move found so far soon after; the caller sets it after the level's
    ``seconds``. Raises ValueError when the game is over.
    """
    if len(position.legal_moves) == 1:
        return position.legal_moves[0]
    # Draw the lapse first: without one the search need not find the values of worse moves.
    best, lapses = _choices(engine, position, level, stop, lapse=rng.random() < level.lapse)
    return rng.choice(lapses or best)


def _choices(
    engine: Engine, position: Position, level: Level, stop: Interrupt, *, lapse: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The level's best moves, and on a ``lapse`` those that it may play then."""
    heuristic = engine.game.heuristic
    spread = heuristic.spread if heuristic is not None and position.ply < heuristic.opening else 0
    analysis = engine.analyse(position, level.limits(every_move=lapse or spread > 0), stop)
    if not analysis.choices:
        raise ValueError("the game is over")
    best = nearly_best(analysis, spread) if spread else analysis.choices
    if not lapse:
        return best, ()
    if heuristic is not None and heuristic.slip is not None:
        lapses = near_moves(engine.game, analysis, level.slack, level.slips * heuristic.slip)
    else:
        lapses = tuple(move for move in worse_moves(engine.game, analysis, level.slack) if move not in best)
    if heuristic is not None and heuristic.plausible is not None:
        plausible = set(heuristic.plausible(position))
        lapses = tuple(move for move in lapses if move in plausible)
    return best, lapses


def nearly_best(analysis: Analysis, spread: int) -> tuple[str, ...]:
    """The best moves, and those with an estimate of the same depth that is at most ``spread`` lower.

    The mean of playouts counts if there were at least half as many as of the best move: fewer are luck.
    """
    best = analysis.moves[analysis.choices[0]]
    if best.exact:
        return analysis.choices
    return tuple(
        move
        for move, value in analysis.moves.items()
        if move in analysis.choices
        or (
            not value.exact
            and value.depth == best.depth
            and 2 * value.playouts >= best.playouts
            and best.value - spread <= value.value <= best.value
        )
    )


def worse_moves(game: Game, analysis: Analysis, slack: float) -> tuple[str, ...]:
    """The moves that are not best and give away at most ``slack`` points of the expected result."""
    best = expected_result(game, analysis.moves[analysis.choices[0]])
    return tuple(
        move
        for move, value in analysis.moves.items()
        if move not in analysis.choices and best - expected_result(game, value) <= slack
    )


def near_moves(game: Game, analysis: Analysis, slack: float, loss: int) -> tuple[str, ...]:
    """The moves that give away at most ``slack`` points of the expected result, and in an estimate at most ``loss``.

    A proved draw is an estimate of 0 here. While a move is left that has an estimate, ``loss`` counts from the greatest
    one, and no move that is proved to lose is near.
    """
    best = expected_result(game, analysis.moves[analysis.choices[0]])
    near = {move: value for move, value in analysis.moves.items() if best - expected_result(game, value) <= slack}
    estimates = {move: value.value for move, value in near.items() if not is_decided(value)}
    least = max(estimates.values(), default=0) - loss
    return tuple(
        move
        for move, value in near.items()
        if (estimates[move] >= least if move in estimates else value.value > 0 or not estimates)
    )


def is_decided(move: MoveValue) -> bool:
    """True if a move is proved to win or to lose."""
    if move.exact:
        return move.value != 0
    return (move.bound is Bound.LOWER and move.value > 0) or (move.bound is Bound.UPPER and move.value < 0)


def expected_result(game: Game, move: MoveValue) -> float:
    """The expected result of a move, from 0 for a loss to 1 for a win.

    A bound that proves a win or a loss counts as that. An estimate v counts as 1 / (1 + 10 ** (-v / unit)), with the
    unit of the game's heuristic: the logistic curve of Elo's ratings (A. Elo, *The Rating of Chessplayers*, 1978). In a
    game without a heuristic it counts as 1/2. The mean of playouts is an expected result itself.
    """
    heuristic = game.heuristic
    if move.exact or is_decided(move):
        return 1.0 if move.value > 0 else 0.0 if move.value < 0 else 0.5
    if move.mean is not None:
        return move.mean
    if heuristic is None:
        return 0.5
    # Beyond 300 units the result is 0 or 1 anyway, and the power would overflow.
    return 1 / (1 + 10 ** max(-300.0, min(-move.value / heuristic.unit, 300.0)))
