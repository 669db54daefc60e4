"""A recorded random game of each game. A changed rule, text or order of moves shows as a difference.

Record them again with ``python tests/games/test_playthroughs.py``, and check the differences.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from noughts.games import GAMES, Game, Position, Side

RECORDED = Path(__file__).parent / "playthroughs"
SEED = 3
MANY = 82
"""So many legal moves are only counted."""


def playthrough(game: Game) -> str:
    """A game of random moves, position for position."""
    return "".join(f"{line}\n" for line in _lines(game))


def _lines(game: Game) -> Iterator[str]:
    rng = random.Random(SEED)
    position = game.start
    yield f"# {game.title}: {game.first.name} {game.first.symbol}, {game.second.name} {game.second.symbol}"
    while True:
        yield ""
        yield from position.rows
        rows = "/".join(position.rows)
        yield f"text {position.text.replace(rows, 'rows')}"
        yield f"ply {position.ply}"
        yield from _further(game, position)
        if position.outcome is not None:
            outcome = position.outcome
            yield f"outcome {outcome.winner} {outcome.reason} {' '.join(outcome.cells)}".rstrip()
            return
        yield f"to move {position.to_move}"
        legal = position.legal_moves
        yield f"legal {' '.join(legal) if len(legal) < MANY else len(legal)}"
        move = rng.choice(legal)
        name = game.name(position, move)
        yield f"move {move}" if name == move else f"move {move} {name}"
        position = position.play(move)


def _further(game: Game, position: Position) -> Iterator[str]:
    """The fields that only some games have."""
    if game.score is not None:
        yield f"score {game.score(position)}"
    if game.counts is not None:
        yield f"counts {game.counts(position)}"
    if game.held is not None:
        yield f"held {[game.held(position, side) for side in Side]}"
    if game.claim is not None and (reason := game.claim(position)) is not None:
        yield f"claim {reason}"


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_recorded_game_is_still_the_same(game: Game) -> None:
    assert playthrough(game) == (RECORDED / f"{game.key}.txt").read_text(encoding="utf-8")


if __name__ == "__main__":
    for each in GAMES.values():
        (RECORDED / f"{each.key}.txt").write_text(playthrough(each), encoding="utf-8")
