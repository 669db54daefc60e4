"""Reviews of finished games, put together from what the server sends."""

from __future__ import annotations

from collections.abc import Callable

from noughts.protocol.study_messages import Review, ReviewProgress
from noughts_client.connection import Connection


class ReviewFailed(Exception):
    """The server could not make the review. The message says why."""


def extended(review: Review, progress: ReviewProgress) -> Review:
    """``review`` with the moves in ``progress``, in the order of the game."""
    moves = {move["ply"]: move for move in (*review["moves"], *progress["moves"])}
    known: Review = {
        **review,
        "moves": [moves[ply] for ply in sorted(moves)],
        "complete": progress["complete"],
        "decisive": progress["decisive"],
    }
    return {**known, "resignation": progress["resignation"]} if "resignation" in progress else known


async def whole_review(connection: Connection, room: str, tell: Callable[[Review], None]) -> Review:
    """The complete review of the game in ``room``. ``tell`` is called with what is known, each time that is more.

    It reads what the server pushes, so nobody else may. Raises :class:`ReviewFailed` and what
    :meth:`Connection.request` raises.
    """
    review = await connection.review(room)
    tell(review)
    while not review["complete"]:
        message = await anext(connection)
        if message["type"] == "connection" and message["state"] == "restored":
            review = await connection.review(room)
        elif message["type"] == "reviewed" and message["room"] == room:
            if "problem" in message:
                raise ReviewFailed(message["problem"])
            review = extended(review, message)
        else:
            continue
        tell(review)
    return review
