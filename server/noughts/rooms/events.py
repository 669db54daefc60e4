"""What can happen in a room. Events are facts: past tense, immutable, numbered by their place in the journal.

``at`` is the journal's time in ms since the epoch and never decreases within a room.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from noughts.games import Outcome, Side
from noughts.rooms.clock import TimeControl

PlayerKind = Literal["human", "bot", "computer"]
Offer = Literal["draw", "takeback", "rematch"]


@dataclass(frozen=True, slots=True)
class Player:
    """Who sits, or may sit, in a seat. The id of a computer is ``computer:LEVEL``.

    ``registered``: the name is this player's for good. ``rating`` is the player's when it sat down, in the pool of the
    room's clock, None where it has none there; ``provisional`` while that is uncertain.
    """

    id: str
    name: str
    kind: PlayerKind
    registered: bool = False
    rating: int | None = None
    provisional: bool = False

    @property
    def level(self) -> str | None:
        """The level of a computer, None for people and bots."""
        return self.id.partition(":")[2] if self.kind == "computer" else None


@dataclass(frozen=True, slots=True)
class Options:
    """What is settled when a room is opened, for as long as it lives.

    ``waiting_ms``: a room whose seats are not all taken by then is closed.
    ``sleeping_ms``: a game without a clock in which nobody moves for so long is closed as abandoned.
    ``clock``: how long the players may think; None for as long as they like. Only with a clock:
    ``first_move_ms``: a game in which a side's first move takes so long is closed as aborted, and
    ``abandoned_ms``: one whose players have all been gone for so long as abandoned.
    ``claim_ms``: who has been gone for so long may lose the game to a claim.
    """

    private: bool = False
    waiting_ms: int = 3_600_000
    sleeping_ms: int = 30 * 86_400_000
    rated: bool = False
    clock: TimeControl | None = None
    first_move_ms: int = 60_000
    abandoned_ms: int = 600_000
    claim_ms: int = 30_000


@dataclass(frozen=True, slots=True)
class Opened:
    """A room came to be. ``previous`` is the room of which it is the rematch; an open seat is None."""

    at: int
    room: str
    game: str
    by: str
    first: Player | None
    second: Player | None
    options: Options
    previous: str | None = None
    kind: Literal["opened"] = "opened"


@dataclass(frozen=True, slots=True)
class Joined:
    """A player took an open seat."""

    at: int
    side: Side
    player: Player
    kind: Literal["joined"] = "joined"


@dataclass(frozen=True, slots=True)
class Played:
    """A move. ``turn`` is the turn that it answers; ``outcome`` is there when it ended the game.

    ``spent_ms`` is the time from when the side came to move until its move arrived. Of that ``compensated_ms`` were
    given back for the way over the network, and ``thought_ms`` is the rest: what a clock that runs is charged with.
    ``note`` is what a bot had to say about its move; it is for the record, and told when the game is over.
    """

    at: int
    side: Side
    turn: int
    move: str
    spent_ms: int
    compensated_ms: int = 0
    thought_ms: int = 0
    outcome: Outcome | None = None
    note: str | None = None
    kind: Literal["played"] = "played"


@dataclass(frozen=True, slots=True)
class TakenBack:
    """``side`` agreed, and the last ``plies`` moves count no more. The turns that they answered do not come again."""

    at: int
    side: Side
    plies: int
    kind: Literal["taken_back"] = "taken_back"


@dataclass(frozen=True, slots=True)
class Offered:
    """A player offered something to the other."""

    at: int
    side: Side
    offer: Offer
    kind: Literal["offered"] = "offered"


@dataclass(frozen=True, slots=True)
class Declined:
    """``side`` declined what the other had offered."""

    at: int
    side: Side
    offer: Offer
    kind: Literal["declined"] = "declined"


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The player of a seat has had no connection to the room for some seconds."""

    at: int
    side: Side
    kind: Literal["disconnected"] = "disconnected"


@dataclass(frozen=True, slots=True)
class Returned:
    """The player of a seat is there again."""

    at: int
    side: Side
    kind: Literal["returned"] = "returned"


@dataclass(frozen=True, slots=True)
class Paused:
    """For ``ms`` no server could take a move: that time is charged to nobody, and whoever was gone could not return."""

    at: int
    ms: int
    kind: Literal["paused"] = "paused"


@dataclass(frozen=True, slots=True)
class Ended:
    """The game ended otherwise than by a move; ``side`` is who ended it, None for who has no seat, and for time."""

    at: int
    side: Side | None
    outcome: Outcome
    kind: Literal["ended"] = "ended"


@dataclass(frozen=True, slots=True)
class Rematched:
    """Both agreed to play again, in the room ``next``, with the sides swapped. A room's last event."""

    at: int
    next: str
    kind: Literal["rematched"] = "rematched"


Event = Opened | Joined | Played | TakenBack | Offered | Declined | Disconnected | Returned | Paused | Ended | Rematched
