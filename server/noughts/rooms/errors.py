"""What a room answers to a command that makes no event. Pure; does no I/O."""

from __future__ import annotations

from typing import Literal

from noughts.value import value

RefusalCode = Literal[
    "unknown_game",
    "seat_taken",
    "not_seated",
    "not_your_turn",
    "illegal_move",
    "malformed_move",
    "stale",
    "game_over",
    "not_allowed",
]


class Refused(Exception):
    """The room refuses a command. Nothing has changed, and only the sender hears of it."""

    def __init__(self, code: RefusalCode, message: str, legal_moves: tuple[str, ...] | None = None) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.legal_moves = legal_moves


@value
class NoChange:
    """The room is already as the command wants it, since ``version``; there is no event."""

    version: int
