"""What a client may send, as strict models: unknown fields are refused."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter

from noughts.engine import LEVELS
from noughts.games import Side
from noughts.rooms import Pool

PROTOCOL = 1

# No control or format characters (NUL, bidirectional overrides, zero-width) and no blank at either end.
_SHOWN = r"^[^\p{C}\p{Z}]([^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$"
_TEXT = r"^[^\p{C}\p{Zl}\p{Zp}]*$"
_LINES = r"^([^\p{C}\p{Zl}\p{Zp}]|[\n\t])*$"

Name = Annotated[str, Field(pattern=_SHOWN, max_length=32)]
Text = Annotated[str, Field(pattern=_TEXT, max_length=64)]
RequestId = Annotated[int, Field(ge=-(2**53), le=2**53)] | Text


def _seat(wish: str) -> str:
    kind, _, level = wish.partition(":")
    if wish not in ("me", "open") and (kind != "computer" or level not in LEVELS):
        raise ValueError("a seat is 'me', 'open' or 'computer:LEVEL' with a level of " + ", ".join(LEVELS))
    return wish


def _short(note: str) -> str:
    if len(note.encode()) > NOTE_BYTES:
        raise ValueError(f"at most {NOTE_BYTES} bytes of UTF-8")
    return note


NOTE_BYTES = 1024
"""How long what a bot notes beside a move may be, in UTF-8."""

SeatWish = Annotated[Text, AfterValidator(_seat)]
Note = Annotated[str, Field(pattern=_LINES, min_length=1, max_length=NOTE_BYTES), AfterValidator(_short)]
Words = Annotated[str, Field(pattern=_SHOWN, max_length=280)]


class Request(BaseModel):
    """What every request may carry: an ``id`` that its one answer repeats."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    id: RequestId | None = None


class Hello(Request):
    """The first message. ``token`` gives the same player as before; ``client`` says what is calling."""

    type: Literal["hello"]
    protocol: int
    name: Name | None = None
    bot: bool = False
    token: Text | None = None
    client: Text | None = None


class Seats(BaseModel):
    """Who is to sit where: ``me``, ``open`` or ``computer:LEVEL``."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    first: SeatWish
    second: SeatWish


class FischerClock(BaseModel):
    """So many seconds for the game, and what each move adds: to be had in one sitting."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    initial_s: Annotated[float, Field(ge=1, le=10_800, allow_inf_nan=False)]
    increment_s: Annotated[float, Field(ge=0, le=180, allow_inf_nan=False)]


class PerMoveClock(BaseModel):
    """So many seconds for each move."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    per_move_s: Annotated[float, Field(ge=1, le=3600, allow_inf_nan=False)]


class Create(Request):
    """Open a room. The same player and ``key`` give the same room again.

    ``rated`` needs a clock, a room that is not private, and players who are registered, bots and people alike.
    """

    type: Literal["create"]
    game: Text
    seats: Seats = Seats(first="me", second="open")
    clock: FischerClock | PerMoveClock | None = None
    private: bool = False
    rated: bool = False
    key: Text | None = None


class Join(Request):
    """Take a seat; None takes any that is open."""

    type: Literal["join"]
    room: Text
    seat: Annotated[Side, Field(strict=False)] | None = None


class Watch(Request):
    """See what happens in a room; ``since`` is the last version that the client has seen."""

    type: Literal["watch"]
    room: Text
    since: Annotated[int, Field(ge=0, le=2**53)] | None = None


class Leave(Request):
    """See no more of a room. A seat in it is kept."""

    type: Literal["leave"]
    room: Text


class Play(Request):
    """Play a move in answer to ``turn``, the ``state.turn`` that the client has seen.

    A bot may add a ``note``, which is told with the game's record when the game is over.
    """

    type: Literal["play"]
    room: Text
    turn: Annotated[int, Field(ge=0, le=2**53)]
    move: Annotated[str, Field(max_length=64)]
    note: Note | None = None


class TableRequest(Request):
    """A request of a player that needs no more than the room."""

    type: Literal[
        "resign",
        "abort",
        "offer_draw",
        "accept_draw",
        "decline_draw",
        "offer_takeback",
        "accept_takeback",
        "decline_takeback",
        "offer_rematch",
        "accept_rematch",
        "decline_rematch",
    ]
    room: Text


class Claim(Request):
    """End a game whose other player has been gone for long, as won or as a draw."""

    type: Literal["claim"]
    room: Text
    result: Literal["win", "draw"]


class Lobby(Request):
    """List the public rooms, of one game or of all, and with ``watch`` be told of changes."""

    type: Literal["lobby"]
    watch: bool = False
    game: Text | None = None


class Analyse(Request):
    """Ask what each move is worth in a room's game, at ``ply`` (0 for the start); None is the present position."""

    type: Literal["analyse"]
    room: Text
    ply: Annotated[int, Field(ge=0, le=2**53)] | None = None


class Register(Request):
    """Have a name for good: ``name``, or the one that the player bears."""

    type: Literal["register"]
    name: Name | None = None


class RenewToken(Request):
    """Ask for a new token; the one before is good for nothing from then on."""

    type: Literal["renew_token"]


class RevokeToken(Request):
    """Have no token any more: nobody will speak for this player again."""

    type: Literal["revoke_token"]


class Seek(Request):
    """Look for an opponent who wants the same. The same ``key`` again is the same seek; another takes its place."""

    type: Literal["seek"]
    game: Text
    clock: FischerClock | PerMoveClock | None = None
    rated: bool = False
    key: Text | None = None


class Unseek(Request):
    """Look for an opponent no more."""

    type: Literal["unseek"]


class Chat(Request):
    """Say something in a room: players to players, spectators to spectators."""

    type: Literal["chat"]
    room: Text
    text: Words


class AboutPlayer(Request):
    """Ask about a player, by id or registered name: ratings, record and last games."""

    type: Literal["player"]
    player: Text


class Leaderboard(Request):
    """Ask for the best players of a game in a pool."""

    type: Literal["leaderboard"]
    game: Text
    pool: Pool = "blitz"


class Ping(Request):
    """Ask for a ``pong``."""

    type: Literal["ping"]


AnyRequest = Annotated[
    Hello
    | Register
    | RenewToken
    | RevokeToken
    | Create
    | Join
    | Watch
    | Leave
    | Play
    | TableRequest
    | Claim
    | Chat
    | Seek
    | Unseek
    | Lobby
    | AboutPlayer
    | Leaderboard
    | Analyse
    | Ping,
    Field(discriminator="type"),
]
REQUESTS: TypeAdapter[AnyRequest] = TypeAdapter(AnyRequest)
