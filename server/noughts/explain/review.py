"""``noughts review`` of a game in a file: the positions are searched here, from the last to the first."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version

from noughts.engine import Analysis, Limits, ReviewedMove, review_move, usable_engine_of
from noughts.explain.solve import within
from noughts.games import Position
from noughts.protocol.gamefile import RecordedGame
from noughts.protocol.messages import Review, ReviewedMoveInfo
from noughts.protocol.reviews import Budget, decisive_ply, finished, review_fields, reviewed_move

Analyse = Callable[[Position], Analysis]


def analyser(game: RecordedGame, seconds: float, say: Callable[[str], None] = lambda _: None) -> Analyse:
    """Analyses positions of ``game``, each in at most ``seconds``.

    ``say`` is called with the reason if the game has a compiled search that cannot be used. The search raises
    KeyboardInterrupt after Ctrl-C.
    """
    engine, why = usable_engine_of(game.room.game)
    if why is not None:
        say(why)

    def analyse(position: Position) -> Analysis:
        found, elapsed, stopped = within(seconds, lambda stop: engine.analyse(position, Limits(), stop))
        if stopped and elapsed < seconds:
            raise KeyboardInterrupt
        return found

    return analyse


def review_of(
    game: RecordedGame, analyse: Analyse, seconds: float, tell: Callable[[Review], None] = lambda _: None
) -> Review:
    """The review of ``game`` by ``analyse``. ``tell`` is called with what is known after each move."""
    room, played = game.room, finished(game.room)
    budget = Budget(f"noughts {version('noughts')}", seconds)
    found: list[ReviewedMove] = []
    moves: list[ReviewedMoveInfo] = []
    following = None if played.to_move is None else analyse(room.position)
    for ply in range(len(played.moves) - 1, -1, -1):
        position = room.plies[ply].position
        analysis = analyse(position)
        found.insert(0, review_move(played, ply, analysis, following))
        moves.insert(0, reviewed_move(found[0], position))
        following = analysis
        tell(_review(review_fields(room, budget, complete=False), moves, None))
    return _review(review_fields(room, budget, complete=True), moves, decisive_ply(found, played))


def _review(fields: dict[str, object], moves: list[ReviewedMoveInfo], decisive: int | None) -> Review:
    review: Review = {"type": "review", "moves": list(moves), "decisive": decisive, **fields}  # type: ignore[typeddict-item]
    return review
