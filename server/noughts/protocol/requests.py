"""The requests that a client may send, as strict models that refuse unknown fields.

Their docstrings are the words of the table in docs/protocol.md, and the summaries in the AsyncAPI document.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from noughts.games import Side
from noughts.protocol.class_requests import (
    AnswerHelp,
    AskHelp,
    ChangeClass,
    Classes,
    ClassGames,
    DeleteClass,
    JoinClass,
    LeaveClass,
    MakeClass,
    OpenSimul,
    ShowClass,
)
from noughts.protocol.fields import FischerClock, Line, Link, Name, Note, PerMoveClock, Request, Setup, Text
from noughts.protocol.study_requests import (
    Analyse,
    AskHint,
    AskPlayouts,
    AskReview,
    MakePuzzleSet,
    Puzzles,
    Read,
    Replay,
    ShowProof,
    ShowPuzzle,
    ShowPuzzleSet,
    Trace,
    TryMove,
    Write,
)
from noughts.protocol.tournament_requests import (
    AdjudicateGame,
    OpenTournament,
    ShowTournament,
    TournamentRequest,
    Tournaments,
    Withdraw,
)
from noughts.protocol.words import LEVELS, Pool


def _seat(seat: str) -> str:
    kind, _, level = seat.partition(":")
    if seat not in ("me", "open") and (kind != "computer" or level not in LEVELS):
        raise ValueError("a seat is 'me', 'open' or 'computer:LEVEL' with a level of " + ", ".join(LEVELS))
    return seat


SeatChoice = Annotated[Text, AfterValidator(_seat)]


class Hello(Request):
    """The first message. ``token`` identifies a returning player; ``client`` names the program.

    With ``legal_moves`` false the connection gets states without them, and may ask for them. With ``games`` false the
    welcome has neither games nor words, which are at ``/games.json``.
    """

    type: Literal["hello"]
    protocol: int
    name: Name | None = None
    bot: bool = False
    token: Text | None = None
    client: Text | None = None
    legal_moves: bool = True
    games: bool = True


class Enter(Request):
    """Become a player of a server that is for invited players only, by the ``code`` of an invitation."""

    type: Literal["enter"]
    code: Text


class Seats(BaseModel):
    """The seats of a new room: ``me``, ``open`` or ``computer:LEVEL``."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    first: SeatChoice
    second: SeatChoice


class Create(Request):
    """Open a room. The same ``key`` from the same player returns the same room.

    ``rated`` needs a clock, a public room and registered players, whether people or bots. ``setup`` chooses among the
    ``options`` of the game; what is left out is as usual.
    """

    type: Literal["create"]
    game: Text
    setup: Setup = {}
    seats: Seats = Seats(first="me", second="open")
    clock: FischerClock | PerMoveClock | None = None
    private: bool = False
    rated: bool = False
    key: Text | None = None


class Join(Request):
    """Take a seat; None takes any open seat."""

    type: Literal["join"]
    room: Text
    seat: Annotated[Side, Field(strict=False)] | None = None


class Invite(Request):
    """Tell ``player`` of an open seat in a room of your own."""

    type: Literal["invite"]
    room: Text
    player: Text


class Watch(Request):
    """Watch a room. ``since`` is the last version that the client has seen.

    ``preview``: for a small board in a list. The client does not count as a spectator or as present, and has no chat.
    """

    type: Literal["watch"]
    room: Text
    since: Annotated[int, Field(ge=0, le=2**53)] | None = None
    preview: bool = False


class Leave(Request):
    """Stop watching a room. A player keeps the seat."""

    type: Literal["leave"]
    room: Text


class Play(Request):
    """Play a move. ``turn`` is the ``state.turn`` that it answers.

    A bot may add a ``note``, which is published with the game's record when the game is over.
    """

    type: Literal["play"]
    room: Text
    turn: Annotated[int, Field(ge=0, le=2**53)]
    move: Annotated[str, Field(max_length=64)]
    note: Note | None = None


class AskLegalMoves(Request):
    """Get the moves that can be played in a room now."""

    type: Literal["legal_moves"]
    room: Text


class TableRequest(Request):
    """Give a game up, or offer, accept or decline something in it."""

    type: Literal[
        "resign",
        "abort",
        "claim_draw",
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
    """End a game that the other player left long ago, as a win or a draw."""

    type: Literal["claim"]
    room: Text
    result: Literal["win", "draw"]


class Lobby(Request):
    """List the public rooms of one game or of all. With ``watch``, changes follow."""

    type: Literal["lobby"]
    watch: bool = False
    game: Text | None = None


class Register(Request):
    """Register ``name``, or the player's current name."""

    type: Literal["register"]
    name: Name | None = None


class RenewToken(Request):
    """Get a new token for this device. The old one stops working."""

    type: Literal["renew_token"]


class ListDevices(Request):
    """Get the devices on which the player is signed in."""

    type: Literal["devices"]


class AddDevice(Request):
    """Get a code with which another device can sign in as this player."""

    type: Literal["add_device"]


class Redeem(Request):
    """Get a token of the player who made ``code``; with ``preview``, only learn who that is.

    ``client`` names the program, and the device's label.
    """

    type: Literal["redeem"]
    code: Text
    client: Text | None = None
    preview: bool = False


class SignOut(Request):
    """Take the token of a device: its id, ``this``, ``others`` (all but this one) or ``all``."""

    type: Literal["sign_out"]
    device: Text


class MakeRecoveryCode(Request):
    """Get a code with which the player can sign in when all devices are lost."""

    type: Literal["recovery_code"]


class QrCode(Request):
    """Get the QR code of a link, which begins with ``http://`` or ``https://`` and is ASCII."""

    type: Literal["qr"]
    link: Link


class Seek(Request):
    """Look for an opponent on these terms. The same ``key`` continues a seek; another key replaces it."""

    type: Literal["seek"]
    game: Text
    setup: Setup = {}
    clock: FischerClock | PerMoveClock | None = None
    rated: bool = False
    key: Text | None = None


class Take(Request):
    """Take the open ``seek`` of another player; the lobby lists them."""

    type: Literal["take"]
    seek: Text


class Unseek(Request):
    """Stop looking for an opponent."""

    type: Literal["unseek"]


class Chat(Request):
    """Send a line to a room: players write to players, spectators to spectators."""

    type: Literal["chat"]
    room: Text
    text: Line


class ChatHistory(Request):
    """Read the last lines of chat in a room that the client watches."""

    type: Literal["chat_history"]
    room: Text


class Mute(Request):
    """Hear nothing more from ``player`` in chat, or with ``muted`` false, hear the player again. It is kept."""

    type: Literal["mute"]
    player: Text
    muted: bool = True


class ListMuted(Request):
    """Get the players whom you have muted."""

    type: Literal["muted"]


class Report(Request):
    """Tell the operator of ``player`` in a room that the client watches."""

    type: Literal["report"]
    room: Text
    player: Text
    reason: Line


class SetWebhook(Request):
    """Be told at ``url`` when it is your move in a game of days; null ends that."""

    type: Literal["set_webhook"]
    url: Link | None


class ShowWebhook(Request):
    """Get the address that is called when it is your move, and how the last call went."""

    type: Literal["webhook"]


class MyGames(Request):
    """List your own games: those under way, or those that are ``over``. ``after`` asks for the next page."""

    type: Literal["games"]
    over: bool = False
    after: Text | None = None


class AboutPlayer(Request):
    """Get the profile of a player, by id or registered name."""

    type: Literal["player"]
    player: Text


class Leaderboard(Request):
    """Get the best players of a game in a pool."""

    type: Literal["leaderboard"]
    game: Text
    pool: Pool = "blitz"


class AskStakes(Request):
    """Get the points by which the results of a rated game would change its players' ratings."""

    type: Literal["stakes"]
    room: Text


class Ping(Request):
    """Get a ``pong``."""

    type: Literal["ping"]


AnyRequest = Annotated[
    Hello
    | Register
    | RenewToken
    | ListDevices
    | AddDevice
    | Redeem
    | Enter
    | SignOut
    | MakeRecoveryCode
    | QrCode
    | Create
    | Join
    | Invite
    | Watch
    | Leave
    | Play
    | AskLegalMoves
    | TableRequest
    | Claim
    | Chat
    | ChatHistory
    | Mute
    | ListMuted
    | Report
    | SetWebhook
    | ShowWebhook
    | Seek
    | Take
    | Unseek
    | Lobby
    | MyGames
    | AboutPlayer
    | Leaderboard
    | AskStakes
    | Analyse
    | AskReview
    | Trace
    | AskPlayouts
    | Replay
    | Read
    | Write
    | Puzzles
    | ShowPuzzle
    | TryMove
    | AskHint
    | ShowProof
    | MakePuzzleSet
    | ShowPuzzleSet
    | OpenTournament
    | TournamentRequest
    | Withdraw
    | AdjudicateGame
    | Tournaments
    | ShowTournament
    | MakeClass
    | ChangeClass
    | DeleteClass
    | Classes
    | ShowClass
    | JoinClass
    | LeaveClass
    | AskHelp
    | AnswerHelp
    | ClassGames
    | OpenSimul
    | Ping,
    Field(discriminator="type"),
]
