"""The commands, events and refusals of rooms. Pure; does no I/O.

Commands are imperative. ``player`` is the sender's id; it comes from the session, never from a frame. Events are facts
in the past tense, immutable, numbered by their place in the journal; ``at`` is the journal's time in ms since the epoch
and never decreases within a room.
"""

from __future__ import annotations

from typing import Literal

from noughts.games import Outcome, Side
from noughts.games.catalogue import Setup
from noughts.rooms.clock import TimeControl
from noughts.value import value

PlayerKind = Literal["human", "bot", "computer"]
Offer = Literal["draw", "takeback", "rematch"]
Unrated = Literal["same_address", "pair_limit"]
"""The reason why a game is not rated although its room was opened as rated: its players share a public address, or have
played too many rated games with each other of late."""


@value
class Player:
    """A player who has a seat or may take one. The id of a computer is ``computer:LEVEL``.

    ``registered``: nobody else can use the name. ``rating`` is the rating when the player sat down, in the pool of the
    room's clock, None without one; ``provisional`` while it is uncertain.
    """

    id: str
    name: str
    kind: PlayerKind
    registered: bool = False
    rating: int | None = None
    provisional: bool = False

    def __hash__(self) -> int:
        return hash(self.id)  # seats are looked up for every move

    @property
    def level(self) -> str | None:
        """The level of a computer, None for people and bots."""
        return self.id.partition(":")[2] if self.kind == "computer" else None


@value
class Options:
    """The options that a room is opened with. They never change.

    ``waiting_ms``: after this time a room with an open seat is closed. With days for each move it has as long as a
    move, if that is longer, and so has a side's first move; nobody can claim then, or abandon the game.
    ``sleeping_ms``: after this time without a move, a game without a clock ends as abandoned.
    ``clock``: the time control, None for unlimited time. Only with a clock:
    ``first_move_ms``: the game is aborted if a side's first move takes this long, and
    ``abandoned_ms``: it ends as abandoned if all players have been disconnected this long.
    ``claim_ms``: a player disconnected for this long can lose the game to a claim.
    ``lag_ms``: the most network lag that is compensated for one move. Rooms from before it depended on the clock have
    no such field, and the value that all had then.
    ``tournament``: the id of the one of which this is a game; it has no rematch.
    """

    private: bool = False
    waiting_ms: int = 3_600_000
    sleeping_ms: int = 30 * 86_400_000
    rated: bool = False
    clock: TimeControl | None = None
    first_move_ms: int = 60_000
    abandoned_ms: int = 600_000
    claim_ms: int = 30_000
    lag_ms: int = 1000
    tournament: str | None = None


# Commands


@value
class Open:
    """Open a room. A player can take only one seat; None leaves a seat open.

    ``unrated_because``: these two may not play a rated game. Whoever commands it has found out. ``setup`` is what is
    chosen of the game's own options.
    """

    room: str
    game: str
    by: str
    first: Player | None
    second: Player | None
    options: Options
    unrated_because: Unrated | None = None
    setup: Setup = ()


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
class ClaimDraw:
    """End the game as a draw, for a reason for which the rules let the side to move do so."""

    player: str


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


DRAW = "draw"
"""The verdict of an operator who wants a game drawn; any other is the side that wins."""


@value
class Adjudicate:
    """End a game under way as the operator decides: ``winner`` has won, or None for a draw."""

    winner: Side | None


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
    | ClaimDraw
    | OfferCommand
    | Disconnect
    | Return
    | Pause
    | Wait
    | Fail
    | Expire
    | Close
    | Adjudicate
)


# Events


@value
class Opened:
    """A room was opened. ``previous`` is the room that it is the rematch of. An open seat is None.

    ``unrated_because`` is set if nobody else has to sit down and a game that was to be rated will not be. ``setup`` is
    what was chosen of the game's own options, and ``rules`` the version of the game's rules.
    """

    at: int
    room: str
    game: str
    by: str
    first: Player | None
    second: Player | None
    options: Options
    previous: str | None = None
    unrated_because: Unrated | None = None
    setup: Setup = ()
    rules: int = 1
    kind: Literal["opened"] = "opened"


@value
class Joined:
    """A player took an open seat. ``unrated_because`` is as in ``opened``."""

    at: int
    side: Side
    player: Player
    unrated_because: Unrated | None = None
    kind: Literal["joined"] = "joined"


@value
class Played:
    """A move. ``turn`` is the turn that it answers; ``outcome`` is set if it ended the game.

    ``spent_ms`` is the time from when the side came to move until its move arrived. ``compensated_ms`` of it was
    network lag; ``thought_ms`` is the rest, which a running clock loses. ``note`` is a bot's comment on the move. It
    goes into the record and is secret until the game is over.
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


@value
class TakenBack:
    """``side`` agreed to take back the last ``plies`` moves. Their turns do not come again."""

    at: int
    side: Side
    plies: int
    kind: Literal["taken_back"] = "taken_back"


@value
class Offered:
    """``side`` made an offer to the other side."""

    at: int
    side: Side
    offer: Offer
    kind: Literal["offered"] = "offered"


@value
class Declined:
    """``side`` declined the other side's offer, or withdrew its own: both never make the same."""

    at: int
    side: Side
    offer: Offer
    kind: Literal["declined"] = "declined"


@value
class Disconnected:
    """The player of a seat has been disconnected from the room for some seconds."""

    at: int
    side: Side
    kind: Literal["disconnected"] = "disconnected"


@value
class Returned:
    """The player of a seat reconnected."""

    at: int
    side: Side
    kind: Literal["returned"] = "returned"


@value
class Paused:
    """Neither clock ran for ``ms``.

    ``outage``: no server was up, and absent players could not return. ``queue``: the search for the computer's move had
    not started.
    """

    at: int
    ms: int
    cause: Literal["outage", "queue"] = "outage"
    kind: Literal["paused"] = "paused"


@value
class Ended:
    """The game ended without a move. ``side`` ended it; None for time, and for an opener without a seat."""

    at: int
    side: Side | None
    outcome: Outcome
    kind: Literal["ended"] = "ended"


@value
class Rematched:
    """Both agreed to a rematch, in the room ``next`` and with the sides swapped. The last event of a room."""

    at: int
    next: str
    kind: Literal["rematched"] = "rematched"


Event = Opened | Joined | Played | TakenBack | Offered | Declined | Disconnected | Returned | Paused | Ended | Rematched


# Refusals

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
