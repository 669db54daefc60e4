"""The commands of a room. ``player`` is the sender's id; it comes from the session, never from a frame."""

from __future__ import annotations

from typing import Literal

from noughts.games import Side
from noughts.rooms.events import Options, Player, Unrated
from noughts.value import value


@value
class Open:
    """Open a room. A player can take only one seat; None leaves a seat open.

    ``unrated_because``: these two may not play a rated game. Whoever commands it has found out.
    """

    room: str
    game: str
    by: str
    first: Player | None
    second: Player | None
    options: Options
    unrated_because: Unrated | None = None


@value
class Join:
    """Take the seat ``side``, or any open seat. ``unrated_because`` is as in :class:`Open`."""

    player: Player
    side: Side | None = None
    unrated_because: Unrated | None = None


@value
class Play:
    """Play ``move`` in answer to ``turn``.

    ``arrived`` is when the server received it, by the journal's time in ms since the epoch; None for now. ``lag_ms`` is
    the round-trip time to the player, 0 while it is unknown. ``note`` is stored with the move; only bots may add one.
    """

    player: str
    turn: int
    move: str
    arrived: int | None = None
    lag_ms: int = 0
    note: str | None = None


@value
class Resign:
    """Resign the game."""

    player: str


@value
class Abort:
    """Close a room before each side has moved. Players may do so, and while the room waits, its opener."""

    player: str


@value
class Claim:
    """End a game that the other player left long ago, as a win or a draw."""

    player: str
    result: Literal["win", "draw"]


@value
class OfferDraw:
    """Offer a draw."""

    player: str


@value
class AcceptDraw:
    """Accept a draw."""

    player: str


@value
class DeclineDraw:
    """Decline a draw."""

    player: str


@value
class OfferTakeback:
    """Ask to take back the sender's last move and those after it."""

    player: str


@value
class AcceptTakeback:
    """Accept the other side's takeback."""

    player: str


@value
class DeclineTakeback:
    """Decline the other side's takeback."""

    player: str


@value
class OfferRematch:
    """Offer a rematch. ``next`` is its room's id if this makes an agreement."""

    player: str
    next: str


@value
class AcceptRematch:
    """Accept a rematch, in the room ``next``."""

    player: str
    next: str


@value
class DeclineRematch:
    """Decline a rematch."""

    player: str


@value
class Disconnect:
    """Record that ``player`` has been disconnected from the room for some seconds."""

    player: str


@value
class Return:
    """Record that ``player`` has reconnected."""

    player: str


@value
class Pause:
    """Stop the clocks for ``outages``, when no server was up.

    Each outage is a start and an end by the journal's time, in ms since the epoch. They do not overlap.
    """

    outages: tuple[tuple[int, int], ...]


@value
class Wait:
    """Stop the clocks for the time since ``since`` in which nobody searched for the computer's move at ``turn``.

    ``since`` is by the journal's time, in ms since the epoch.
    """

    turn: int
    since: int


@value
class Fail:
    """End a game in which the computer cannot answer ``turn``, because of a fault of the game or the server."""

    turn: int


@value
class Expire:
    """End the game if its time is up. ``late_ms``: so much later, because the server was late."""

    late_ms: int = 0


@value
class Close:
    """End the game without a result: the operator wants the room closed."""


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
Command = (
    Open
    | Join
    | Play
    | Resign
    | Abort
    | Claim
    | OfferCommand
    | Disconnect
    | Return
    | Pause
    | Wait
    | Fail
    | Expire
    | Close
)
