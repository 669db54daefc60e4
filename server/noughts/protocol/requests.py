"""The requests that a client may send, as strict models that refuse unknown fields.

Their docstrings are the words of the table in docs/protocol.md, and the summaries in the AsyncAPI document.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from noughts.games import Side
from noughts.protocol.words import DAY_S, LEVELS, MOST_DAYS, TRACED_PLAYOUTS, TREE_CHARACTERS, TREE_PLIES, Method, Pool

# No control or format characters (NUL, bidirectional overrides, zero-width) and no blank at either end.
_SHOWN = r"^[^\p{C}\p{Z}]([^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$"
_TEXT = r"^[^\p{C}\p{Zl}\p{Zp}]*$"
_LINES = r"^([^\p{C}\p{Zl}\p{Zp}]|[\n\t])*$"

Name = Annotated[str, Field(pattern=_SHOWN, max_length=32)]
Text = Annotated[str, Field(pattern=_TEXT, max_length=64)]
RequestId = Annotated[int, Field(ge=-(2**53), le=2**53)] | Text


def _seat(seat: str) -> str:
    kind, _, level = seat.partition(":")
    if seat not in ("me", "open") and (kind != "computer" or level not in LEVELS):
        raise ValueError("a seat is 'me', 'open' or 'computer:LEVEL' with a level of " + ", ".join(LEVELS))
    return seat


def _short(note: str) -> str:
    if len(note.encode()) > NOTE_BYTES:
        raise ValueError(f"at most {NOTE_BYTES} bytes of UTF-8")
    return note


NOTE_BYTES = 1024
"""The longest note that a bot may add to a move, in bytes of UTF-8."""

REPLAYED = 1000
"""The most moves that can be replayed: more than any of the server's own games has."""

SeatChoice = Annotated[Text, AfterValidator(_seat)]
Note = Annotated[str, Field(pattern=_LINES, min_length=1, max_length=NOTE_BYTES), AfterValidator(_short)]
Link = Annotated[str, Field(pattern=r"^https?://[!-~]+$", max_length=200)]
Line = Annotated[str, Field(pattern=_SHOWN, max_length=280)]


_Choice = int | Annotated[float, Field(allow_inf_nan=False)] | Annotated[str, Field(pattern=_TEXT, max_length=200)]
Setup = Annotated[dict[Text, _Choice], Field(max_length=16)]

POSITION_CHARACTERS = 500
"""The longest text of a position: twice as long as any game's own start."""

PositionText = Annotated[str, Field(pattern=_TEXT, max_length=POSITION_CHARACTERS)]
Moves = Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=REPLAYED)]


class Request(BaseModel):
    """Every request may have an ``id``, which its answer repeats."""

    # Most requests are only ever parsed as one of all, so their own validators are built when they are needed.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    id: RequestId | None = None


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


class FischerClock(BaseModel):
    """Seconds for the whole game, and seconds that each move adds."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    initial_s: Annotated[float, Field(ge=1, le=10_800, allow_inf_nan=False)]
    increment_s: Annotated[float, Field(ge=0, le=180, allow_inf_nan=False)]


def _per_move(seconds: float) -> float:
    if seconds > 3600 and seconds % DAY_S:
        raise ValueError(f"each move has 1 to 3600 seconds, or 1 to {MOST_DAYS} whole days")
    return seconds


class PerMoveClock(BaseModel):
    """Seconds for each move: up to an hour, or whole days of 86400."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    per_move_s: Annotated[float, Field(ge=1, le=MOST_DAYS * DAY_S, allow_inf_nan=False), AfterValidator(_per_move)]


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


class LegalMoves(Request):
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


class Analyse(Request):
    """Analyse a room's game at ``ply`` (0 is the start); None is the current position. Or analyse ``game`` after
    ``moves`` from its start, or from the position in the text ``start``.
    """

    type: Literal["analyse"]
    room: Text | None = None
    ply: Annotated[int, Field(ge=0, le=2**53)] | None = None
    game: Text | None = None
    setup: Setup = {}
    start: PositionText = ""
    moves: Moves = []


class Review(Request):
    """Review a finished game: what each of its moves was worth."""

    type: Literal["review"]
    room: Text


class Trace(Request):
    """Get the steps of a search of a tree of leaves, or of a game after ``moves`` from its start, or from the position
    in the text ``start``, ``depth`` plies deep.

    ``strict``: it cuts only where alpha is greater than beta, not where they are equal.
    """

    type: Literal["trace"]
    tree: Annotated[str, Field(pattern=_TEXT, max_length=TREE_CHARACTERS)] | None = None
    game: Text | None = None
    setup: Setup = {}
    start: PositionText = ""
    moves: Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=500)] = []
    search: Method = "alphabeta"
    strict: bool = False
    depth: Annotated[int, Field(ge=1, le=TREE_PLIES)] | None = None


class Playouts(Request):
    """Get the steps of a Monte-Carlo tree search by so many ``playouts``, which ``seed`` decides, of a game after
    ``moves`` from its start, or from the position in the text ``start``.
    """

    type: Literal["playouts"]
    game: Text
    setup: Setup = {}
    start: PositionText = ""
    moves: Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=500)] = []
    playouts: Annotated[int, Field(ge=1, le=TRACED_PLAYOUTS)] = 50
    seed: Annotated[int, Field(ge=0, le=2**53)] = 0


class Replay(Request):
    """Get the positions that ``moves`` lead through, from the start of ``game`` or from the position in the text
    ``start``. ``since`` leaves out those before a ply. With ``legal`` each can be played on from.
    """

    type: Literal["replay"]
    game: Text
    setup: Setup = {}
    start: PositionText = ""
    moves: Moves
    since: Annotated[int, Field(ge=0, le=REPLAYED)] = 0
    legal: bool = False


class Read(Request):
    """Get the games of another program's file as records of our own. ``text`` is all of it, ``suffix`` its name's."""

    type: Literal["read"]
    suffix: Text
    text: str


class Write(Request):
    """Get a game of ``moves`` as a file: ``suffix`` is one of another program's format, or ``jsonl`` for our own.

    Variations stand in brackets after the move that they replace, ``(`` and ``)`` as moves of their own; only PGN and
    PDN have them.
    """

    type: Literal["write"]
    suffix: Text
    game: Text
    setup: Setup = {}
    start: PositionText = ""
    moves: Moves


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


class OpenTournament(Request):
    """Open a tournament. The same ``key`` from the same player returns the same tournament.

    ``rounds`` are those of Swiss, and in a round robin or a gauntlet how often two meet; an arena has ``minutes``
    instead. ``opponents`` of a gauntlet, whom everybody else meets, are registered names, ids or ``computer:LEVEL``. It
    starts after ``starts_in_s`` seconds, or when its organiser says so.
    """

    type: Literal["open_tournament"]
    name: Name
    format: Literal["round_robin", "swiss", "arena", "gauntlet"]
    game: Text
    setup: Setup = {}
    clock: FischerClock | PerMoveClock
    rounds: Annotated[int, Field(ge=0, le=50)] = 0
    minutes: Annotated[int, Field(ge=0, le=720)] = 0
    rated: bool = False
    kinds: Literal["all", "people", "bots"] = "all"
    registered: bool = False
    private: bool = False
    opponents: Annotated[list[Text], Field(max_length=8)] = []
    starts_in_s: Annotated[float, Field(ge=1, le=2_592_000, allow_inf_nan=False)] | None = None
    first_move_s: Annotated[float, Field(ge=1, le=604_800, allow_inf_nan=False)] = 60
    most: Annotated[int, Field(ge=2, le=500)] = 256
    key: Text | None = None


class TournamentRequest(Request):
    """Enter a tournament, or as its organiser start, pause, resume or end it."""

    type: Literal["enter_tournament", "start_tournament", "pause_tournament", "resume_tournament", "end_tournament"]
    tournament: Text


class Withdraw(Request):
    """Take no further part in a tournament; or as its organiser remove ``player``, who has that id."""

    type: Literal["withdraw"]
    tournament: Text
    player: Text | None = None


class AdjudicateGame(Request):
    """As the organiser of a tournament, decide a game: which side has won it, ``draw``, or ``none`` for nobody."""

    type: Literal["adjudicate"]
    tournament: Text
    room: Text
    result: Literal["first", "second", "draw", "none"]


class Tournaments(Request):
    """Get a list of the tournaments: those under way, then those to enter, then the last that have ended."""

    type: Literal["tournaments"]


class ShowTournament(Request):
    """Get a tournament's standings, and with ``watch`` hear of every change until it is asked for without.

    ``after``: leave out the first rows. With ``results`` each row has the player's results, for a cross table.
    """

    type: Literal["tournament"]
    tournament: Text
    watch: bool = False
    after: Annotated[int, Field(ge=0, le=10_000)] = 0
    results: bool = False


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
    | LegalMoves
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
    | Review
    | Trace
    | Playouts
    | Replay
    | Read
    | Write
    | OpenTournament
    | TournamentRequest
    | Withdraw
    | AdjudicateGame
    | Tournaments
    | ShowTournament
    | Ping,
    Field(discriminator="type"),
]
