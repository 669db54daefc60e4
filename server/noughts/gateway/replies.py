"""Answers to requests, and the one table of all errors and close codes that clients can get."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from pydantic_core import to_json

from noughts.config import Settings
from noughts.engine import LEVELS
from noughts.journal import FOREVER, StoredPlayer
from noughts.protocol.messages import PlayerInfo, RequestId
from noughts.protocol.render import games, timestamp
from noughts.protocol.words import PROTOCOL, WORDS, ErrorCode


class CloseCode(IntEnum):
    """The codes with which the server closes a WebSocket. The library adds 1002, 1007 and 1009 for bad frames."""

    NOT_TEXT = 1003
    POLICY = 1008  # no hello in time, too many messages, a ban, or a token that is no longer valid
    INTERNAL = 1011
    RESTARTING = 1012
    TRY_AGAIN_LATER = 1013


@dataclass(frozen=True, slots=True)
class Error:
    """A kind of error: its code, and its message, in which ``{name}`` is filled in."""

    code: ErrorCode
    message: str


NOT_IDENTIFIED = Error("not_identified", "Say hello first.")
HELLO_TWICE = Error("not_allowed", "You have already said hello.")
UNSUPPORTED_PROTOCOL = Error("unsupported_protocol", "This server speaks protocol {version}.")
BAD_TOKEN = Error("bad_token", "This token is unknown here. Say hello without one to get a new one.")
TOKEN_ENDED = Error("bad_token", "This token is no longer valid: it was signed out, renewed or revoked.")
BAD_CODE = Error("bad_code", "This code does not work: it was mistyped, has been used or replaced, or is too old.")
BANNED = Error("banned", "You are banned from this server{until}.")
ADDRESS_BANNED = Error("banned", "Your address is banned from this server{until}.")
INVISIBLE_NAME = Error("bad_message", "name: 1 to 32 visible characters, with no blank at either end")
NAME_TAKEN_AT_HELLO = Error(
    "name_taken",
    "That name is registered, or looks like one that is. Sign in with its token or choose another, such as {other}.",
)
NAME_TAKEN = Error(
    "name_taken",
    "That name, or one that looks like it, is registered to somebody else. Choose another, such as {other}.",
)
NAME_RESERVED = Error(
    "name_taken", "That name is reserved, or looks like one that is. Choose another, such as {other}."
)
NAME_OF_COMPUTER = Error(
    "name_taken", "That name looks like the computer's. Choose another, such as {other}, or give none."
)
NAME_IS_FIXED = Error("not_allowed", "Your registered name is {name}; it cannot be changed.")
TOO_MANY_MESSAGES = Error("rate_limited", "Too many messages. Wait before you send the next.")
TOO_MANY_NEWCOMERS = Error("rate_limited", "Too many new players from your address. Wait, or send a token.")
TOO_MANY_ACCOUNT_CHANGES = Error("rate_limited", "Too many changes of names and tokens from your address. Wait.")
TOO_MANY_CODES = Error("rate_limited", "Too many wrong codes from your address. Wait before the next.")
TOO_MANY_PAGES = Error("rate_limited", "Too many pages requested from your address. Wait before the next.")
TOO_MANY_ANSWERS = Error("rate_limited", "You or others at your address requested too much. Wait before you go on.")
READS_TOO_SLOWLY = Error("rate_limited", "You have too many unread messages. Read them before you request more.")
WRITES_TOO_MUCH = Error("rate_limited", "You or others at your address have had too much stored today. Wait.")
ONE_LIST = Error("rate_limited", "One list of rooms at a time. Wait for the answer.")
TOO_MUCH_CHAT = Error("rate_limited", "Too much chat. Wait before the next line.")
TOO_MANY_MQTT_PLAYERS = Error("rate_limited", "Too many players use MQTT here. Try again later.")
ONE_ANALYSIS = Error("rate_limited", "One analysis at a time. Wait for the answer.")
TOO_MANY_ANALYSES = Error("rate_limited", "Too many analyses. Wait before the next.")
TOO_MANY_REVIEWS = Error("rate_limited", "Another review is being made for you. Wait until it is complete.")
TOO_MANY_REVIEWS_THERE = Error("rate_limited", "Too many reviews are being made for your address. Wait.")
ONE_TRACE = Error("rate_limited", "One trace at a time. Wait for the answer.")
TOO_MANY_TRACES = Error("rate_limited", "Too many traces. Wait before the next.")
TRACE_TOO_LONG = Error("not_allowed", "A trace may be too long for MQTT. Use a WebSocket.")
TOO_MANY_INVITATIONS = Error("rate_limited", "Too many invitations, from you or your address or to that player. Wait.")
NOT_YOUR_ROOM = Error("not_allowed", "Only its players, and who opened it, may invite somebody to a room.")
NO_OPEN_SEAT = Error("seat_taken", "There is no open seat.")
NOTHING_TO_JOIN = Error("game_over", "The game is over.")
COMPUTER_BUSY = Error("rate_limited", "The computer is busy. Ask again later.")
WATCHES_TOO_MANY = Error("room_limit", "You watch {rooms}. Leave one first.")
OPENED_TOO_MANY = Error("room_limit", "You have {rooms}. Finish one first.")
ADDRESS_OPENED_TOO_MANY = Error("room_limit", "Too many unfinished rooms were opened from your address.")
OPENED_TOO_MANY_FOR_COMPUTERS = Error(
    "room_limit", "You have {rooms} in which only computers play. Finish one first, or take a seat."
)
NO_SUCH_LEVEL = Error("not_allowed", "The computer has no such level in {game}. Its levels are {levels}.")
UNKNOWN_GAME = Error("unknown_game", "{problem}")
UNKNOWN_PLAYER = Error("unknown_player", "No player has that id or registered name.")
TOO_MANY_DEVICES = Error("not_allowed", "A player has at most {count} devices. Sign out one of them first.")
UNKNOWN_DEVICE = Error("not_allowed", "You have no device with that id.")
NOT_WATCHING = Error("not_allowed", "Watch the room before you chat there.")
MUTED = Error("not_allowed", "You are muted {until}.")
UNKNOWN_SEEK = Error("unknown_seek", "That seek is no longer open.")
OWN_SEEK = Error("not_allowed", "That is your own seek.")
JUST_PAIRED = Error("not_allowed", "Your own seek has just found an opponent.")
CANNOT_SEEK = Error("not_allowed", "To seek an opponent you must stay connected. Use a WebSocket.")
OWN_GAME = Error("not_allowed", "In a game between people the players can ask what moves are worth when it is over.")
RATED_GAME = Error("not_allowed", "A rated game cannot be analysed before it is over.")
NOT_OVER = Error("not_allowed", "A game can be reviewed when it is over.")
TOO_LONG_TO_REVIEW = Error("not_allowed", "The game is too long to review: {plies} moves, and {most} at most.")
CANNOT_READ_REVIEWS = Error("not_allowed", "To read a review you must stay connected. Use a WebSocket.")
FUTURE_PLY = Error("stale", "That ply has not been played yet. There are {plies} so far.")
BAD_COMMAND = Error("bad_message", "{problem}")
TOO_MUCH_WORK = Error("overloaded", "The server has too much to do, for you or for all. Try again later.")
UNKNOWN_OUTCOME = Error("overloaded", "The journal is not responding. Try again later.")
INTERNAL = Error("internal", "The server made a mistake. It has been logged.")


def when_banned(until: int) -> str:
    """The end of "You are banned", for a ban that ends at ``until``, ms since the epoch."""
    return "" if until >= FOREVER else f" until {timestamp(until)}"


def counted(count: int, what: str) -> str:
    """``1 room``, ``2 rooms``."""
    return f"{count} {what}{'' if count == 1 else 's'}"


class Problem(Exception):
    """A request that cannot be carried out. A handler raises it; the sender alone gets the error.

    ``values`` fill in the error's message. ``retry_after_s`` says how many seconds to wait before asking again.
    """

    def __init__(self, error: Error, *, retry_after_s: float | None = None, **values: object) -> None:
        super().__init__(error.code, error.message, values)
        self.code = error.code
        self.message = error.message.format(**values)
        # Rounded up to the millisecond: who waits so long is not refused again.
        self.retry_after_s = None if retry_after_s is None else math.ceil(retry_after_s * 1000) / 1000


def answer(kind: str, request_id: RequestId, fields: Mapping[str, object]) -> dict[str, Any]:
    """An answer of the type ``kind``, with the ``id`` of its request if that had one."""
    return {"type": kind, **({} if request_id is None else {"id": request_id}), **fields}


def ok(request_id: RequestId, **fields: object) -> dict[str, Any]:
    """The answer to a request that was carried out."""
    return {"type": "ok", **fields} if request_id is None else {"type": "ok", "id": request_id, **fields}


def error(
    request_id: RequestId,
    code: ErrorCode,
    message: str,
    *,
    retry_after_s: float | None = None,
    legal_moves: tuple[str, ...] | None = None,
) -> dict[str, Any]:
    """The answer to a request that was not carried out."""
    fields: dict[str, object] = {"code": code, "message": message}
    if retry_after_s is not None:
        fields["retry_after_s"] = retry_after_s
    if legal_moves is not None:
        fields["legal_moves"] = list(legal_moves)
    return answer("error", request_id, fields)


def server_facts(settings: Settings, *, page: bool) -> bytes:
    """What the server tells every client about itself, as the fields of a JSON object.

    ``page``: it serves the web page.
    """
    limits = ("message_bytes", "messages_per_s", "burst", "rooms_per_player", "rooms_per_connection", "analyses_per_s")
    fields = {
        "games": games(),
        "levels": list(LEVELS),
        "limits": settings.model_dump(include={*limits, "connections_per_address"}),
        "words": WORDS,
        **({"page": True} if page else {}),
    }
    return to_json(fields)[1:-1]


def welcome(request_id: RequestId, player: StoredPlayer, token: str, facts: bytes, now: int) -> bytes:
    """The answer to ``hello``, as JSON: who the client is, and the server's ``facts``."""
    fields = {"protocol": PROTOCOL, "player": player_info(player), "token": token}
    head = to_json(answer("welcome", request_id, fields))[:-1]
    return b'%b,%b,"now":"%b"}' % (head, facts, timestamp(now).encode())


def player_info(player: StoredPlayer) -> PlayerInfo:
    """What everybody may know of ``player``."""
    info: PlayerInfo = {"id": player.id, "name": player.name, "kind": "bot" if player.kind == "bot" else "human"}
    if player.registered:
        info["registered"] = True
    return info
