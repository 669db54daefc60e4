"""The change of ratings by a game. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from noughts.glicko2 import Rating, after, provisional
from noughts.journal import GameResult, StoredRating
from noughts.ratings import levels
from noughts.rooms import Player, Pool

_SCORES = {"first": 1.0, None: 0.5, "second": 0.0}


def after_game(
    finished: GameResult, first: StoredRating | None, second: StoredRating | None
) -> tuple[StoredRating | None, StoredRating | None]:
    """Both players' ratings after a rated game, from those before it, None for a player without one.

    Returns None for a computer, whose rating is fixed. The game is a rating period of its own. It changes no rating if
    a player played against itself, or against a level of unknown strength.
    """
    if finished.first == finished.second:
        return None, None
    try:
        one, other = _rating(finished.game, finished.first, first), _rating(finished.game, finished.second, second)
    except KeyError:
        return None, None
    score = _SCORES[finished.winner]
    return (
        _stored(finished, finished.first, after(one, [(other, score)]), first),
        _stored(finished, finished.second, after(other, [(one, 1 - score)]), second),
    )


class Stakes(NamedTuple):
    """The points by which a player's rating, rounded as it is shown, would change by a win, a draw and a loss."""

    win: int
    draw: int
    loss: int


def stakes(
    game: str, first: str, second: str, one: StoredRating | None, other: StoredRating | None
) -> tuple[Stakes | None, Stakes | None]:
    """Stakes of a rated game for the players with the ids ``first`` and ``second``, who have these ratings now.

    None for a player whose rating no result changes, as :func:`after_game` has it.
    """
    if first == second:
        return None, None
    try:
        mine, yours = _rating(game, first, one), _rating(game, second, other)
    except KeyError:
        return None, None
    return (
        None if _level(first) is not None else _changes(mine, yours),
        None if _level(second) is not None else _changes(yours, mine),
    )


def _changes(before: Rating, opponent: Rating) -> Stakes:
    return Stakes(*(round(after(before, [(opponent, s)]).rating) - round(before.rating) for s in (1.0, 0.5, 0.0)))


def as_rated(player: Player, game: str, pool: Pool, found: Iterable[StoredRating]) -> Player:
    """``player`` with its rating in ``game`` and ``pool``, if it is among ``found``; a level with the measured one."""
    if player.level is not None:
        points = round(levels.rating_of(game, player.level).rating) if levels.is_measured(game) else None
        return replace(player, rating=points, provisional=False)
    for one in found:
        if (one.player, one.game, one.pool) == (player.id, game, pool):
            return replace(player, rating=round(one.rating), provisional=provisional(one.deviation))
    return replace(player, rating=None, provisional=False)


def _level(player: str) -> str | None:
    kind, _, level = player.partition(":")
    return level if kind == "computer" else None


def _rating(game: str, player: str, before: StoredRating | None) -> Rating:
    level = _level(player)
    if level is not None:
        return levels.rating_of(game, level)
    return Rating() if before is None else Rating(before.rating, before.deviation, before.volatility)


def _stored(finished: GameResult, player: str, now: Rating, before: StoredRating | None) -> StoredRating | None:
    if _level(player) is not None:
        return None
    assert finished.pool is not None
    games = 1 if before is None else before.games + 1
    return StoredRating(player, finished.game, finished.pool, now.rating, now.deviation, now.volatility, games)
