"""What can be asked of a room. ``player`` is the id of who asks, and comes from the session, never from a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
    """Play ``move`` in answer to ``turn``.

    ``arrived`` is when it came to a server, by the journal's time in ms since the epoch; None for now. ``lag_ms`` is
    how long a message to this player and the answer are on their way, 0 while that is not known. ``note`` is kept with
    the move, where a bot plays it.
    """

    player: str
    turn: int
    move: str
    arrived: int | None = None
    lag_ms: int = 0
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Resign:
    """Give the game up."""

    player: str


@dataclass(frozen=True, slots=True)
class Abort:
    """Close a room before each side has made its first move; for who sits there, and, while it waits, who opened it."""

    player: str


@dataclass(frozen=True, slots=True)
class Claim:
    """End the game whose other player has been gone for long, as won or as a draw."""

    player: str
    result: Literal["win", "draw"]


@dataclass(frozen=True, slots=True)
class OfferDraw:
    """Ask for a draw."""

    player: str


@dataclass(frozen=True, slots=True)
class AcceptDraw:
    """Agree to a draw."""

    player: str


@dataclass(frozen=True, slots=True)
class DeclineDraw:
    """Refuse a draw."""

    player: str


@dataclass(frozen=True, slots=True)
class OfferTakeback:
    """Ask for one's last move not to count, nor what was played after it."""

    player: str


@dataclass(frozen=True, slots=True)
class AcceptTakeback:
    """Let the other take its last move back."""

    player: str


@dataclass(frozen=True, slots=True)
class DeclineTakeback:
    """Refuse to let the other take its last move back."""

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
class Pause:
    """Charge nobody with ``outages``, the times in which no server could take a move.

    Each is from when until when, in ms since the epoch by the journal's time; none overlaps another.
    """

    outages: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Expire:
    """Do what is due by time, if anything is."""


OfferCommand = (
    OfferDraw
    | AcceptDraw
    | DeclineDraw
    | OfferTakeback
    | AcceptTakeback
    | DeclineTakeback
    | OfferRematch
    | AcceptRematch
    | DeclineRematch
)
Command = Open | Join | Play | Resign | Abort | Claim | OfferCommand | Disconnect | Return | Pause | Expire
