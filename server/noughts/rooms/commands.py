"""What can be asked of a room. ``player`` is the id of who asks, and comes from the session, never from a frame."""

from __future__ import annotations

from dataclasses import dataclass

from noughts.games import Side
from noughts.rooms.events import Options, Player


@dataclass(frozen=True, slots=True)
class Open:
    """Open a room. The same player may sit in one seat only; None leaves a seat open."""

    room: str
    game: str
    by: str
    first: Player | None
    second: Player | None
    options: Options


@dataclass(frozen=True, slots=True)
class Join:
    """Take the seat ``side``, or any that is open."""

    player: Player
    side: Side | None = None


@dataclass(frozen=True, slots=True)
class Play:
    """Play ``move`` in answer to ``turn``."""

    player: str
    turn: int
    move: str


@dataclass(frozen=True, slots=True)
class Resign:
    """Give the game up."""

    player: str


@dataclass(frozen=True, slots=True)
class Abort:
    """Close a room that still waits for players; for who opened it and for who sits there."""

    player: str


@dataclass(frozen=True, slots=True)
class OfferRematch:
    """Ask for another game; ``next`` is the id of its room, should this agree to it."""

    player: str
    next: str


@dataclass(frozen=True, slots=True)
class AcceptRematch:
    """Agree to another game, in the room ``next``."""

    player: str
    next: str


@dataclass(frozen=True, slots=True)
class DeclineRematch:
    """Refuse another game."""

    player: str


@dataclass(frozen=True, slots=True)
class Disconnect:
    """Note that ``player`` has had no connection to the room for some seconds."""

    player: str


@dataclass(frozen=True, slots=True)
class Return:
    """Note that ``player`` is there again."""

    player: str


@dataclass(frozen=True, slots=True)
class Expire:
    """Do what is due by time, if anything is."""


Command = (
    Open | Join | Play | Resign | Abort | OfferRematch | AcceptRematch | DeclineRematch | Disconnect | Return | Expire
)
