"""Reviews of finished games as messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NotRequired, TypedDict

from noughts.engine import SWING, FinishedGame, ReviewedMove, decisive, review_resignation
from noughts.engine.review import Prospect
from noughts.games import Game, Position, Reason
from noughts.games.notation import number_of
from noughts.protocol.render import outcome_info, worth_of
from noughts.protocol.study_messages import ChanceInfo, ResignationInfo, ReviewedMoveInfo
from noughts.rooms import Room

LINE = 16
"""The number of moves of a line a review has at most."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The terms of a review: by which ``engine``, and with how many ``seconds`` for each position."""

    engine: str
    seconds: float


class Verdict(TypedDict):
    """The verdict on a game: fields of :class:`~noughts.protocol.study_messages.Review`."""

    decisive: int | None
    resignation: NotRequired[ResignationInfo]


UNDECIDED: Verdict = {"decisive": None}
"""Of a review that is not complete, or has no moves."""


def finished(room: Room) -> FinishedGame:
    """The game of a room that is over."""
    assert room.outcome is not None
    winner = room.outcome.winner
    resigned = winner.other if winner is not None and room.outcome.reason == Reason.RESIGNATION else None
    sides = tuple(ply.side for ply in room.plies)
    return FinishedGame(room.game, room.moves, sides, room.position.to_move, winner, resigned)


def reviewed_move(found: ReviewedMove, game: Game, position: Position) -> ReviewedMoveInfo:
    """A move of a review, played in ``position``. It replays the better line, so it may take a millisecond."""
    shown: ReviewedMoveInfo = {
        "ply": found.ply,
        "side": found.side.value,
        "move": found.move,
        "mark": found.mark.value,
        "before": _chance(found.before),
        "after": _chance(found.after),
        "worth": worth_of(found.played, LINE),
    }
    if game.notation is not None:
        shown["name"] = game.notation(position, found.move)
    if (number := number_of(game, position)) is not None:
        shown["number"] = number
    if found.better is not None:
        move, value = found.better
        rows = []
        for following in value.line[:LINE]:
            position = position.play(following)
            rows.append(list(position.rows))
        shown["better"] = {"move": move, "worth": worth_of(value, LINE), "rows": rows}
    return shown


def review_fields(room: Room, budget: Budget, *, complete: bool) -> dict[str, object]:
    """The fields of a :class:`~noughts.protocol.study_messages.Review` that do not depend on what is found."""
    assert room.outcome is not None
    return {
        "room": room.id,
        "game": room.game.key,
        "plies": len(room.plies),
        "outcome": outcome_info(room.outcome),
        "complete": complete,
        "swing": SWING,
        "engine": budget.engine,
        "seconds": budget.seconds,
    }


def verdict(moves: Sequence[ReviewedMove], game: FinishedGame) -> Verdict:
    """The verdict on a game, by all its ``moves`` in order."""
    mistake, given_up = decisive(moves, game.winner), review_resignation(game, moves)
    found: Verdict = {"decisive": None if mistake is None else mistake.ply}
    if given_up is not None:
        before = _chance(given_up.before)
        found["resignation"] = {"side": given_up.side.value, "mark": given_up.mark.value, "before": before}
    return found


def _chance(prospect: Prospect) -> ChanceInfo:
    result = _RESULTS[prospect.low] if prospect.proved else None
    return {"result": result, "expected": None if prospect.expected is None else round(prospect.expected, 3)}


_RESULTS: dict[int, Literal["win", "draw", "loss"]] = {1: "win", 0: "draw", -1: "loss"}
