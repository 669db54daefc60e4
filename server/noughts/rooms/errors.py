"""What a room says to a command that makes no event. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from noughts.games import Side
from noughts.rooms.room import Room

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
    """A command that the room does not take. Nothing has changed; only the sender hears of it."""

    def __init__(self, code: RefusalCode, message: str, legal_moves: tuple[str, ...] | None = None) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.legal_moves = legal_moves


@dataclass(frozen=True, slots=True)
class NoChange:
    """What was asked for is so already, since ``version``: the sender is told so, and nothing happens."""

    version: int


def seated(room: Room, player: str) -> Side:
    """The side of ``player``. Raises :class:`Refused` for who has no seat."""
    side = room.side_of(player)
    if side is None:
        raise Refused("not_seated", "You have no seat in this room.")
    return side


def must_be_playing(room: Room) -> None:
    """Raise :class:`Refused` unless the game is being played."""
    if room.status == "over":
        raise Refused("game_over", "The game is over.")
    if room.status == "waiting":
        raise Refused("not_allowed", "The game begins when both seats are taken.")
