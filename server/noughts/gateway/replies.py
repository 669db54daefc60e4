"""Answers to requests, and the one table of all errors and close codes that clients can get."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from pydantic_core import to_json

from noughts.config import Settings
from noughts.engine import LEVELS
from noughts.journal import FOREVER, StoredPlayer
from noughts.protocol.render import examples, games, timestamp, words
from noughts.protocol.room_messages import PlayerInfo, RequestId
from noughts.protocol.words import PROTOCOL, ErrorCode


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
BAD_TOKEN = Error("bad_token", "This token is unknown here. Say hello without one to get a new one.")
TOKEN_ENDED = Error("bad_token", "This token is no longer valid: it was signed out, renewed or revoked.")
BANNED = Error("banned", "You are banned from this server{until}.")
ADDRESS_BANNED = Error("banned", "Your address is banned from this server{until}.")
TOO_MANY_MESSAGES = Error("rate_limited", "Too many messages. Wait before you send the next.")
TOO_MANY_PAGES = Error("rate_limited", "Too many pages requested from your address. Wait before the next.")
TOO_MANY_ANSWERS = Error("rate_limited", "You or others at your address requested too much. Wait before you go on.")
READS_TOO_SLOWLY = Error("rate_limited", "You have too many unread messages. Read them before you request more.")
WRITES_TOO_MUCH = Error("rate_limited", "You or others at your address have had too much stored today. Wait.")
COMPUTER_BUSY = Error("rate_limited", "The computer is busy. Ask again later.")
WATCHES_TOO_MANY = Error("room_limit", "You watch {rooms}. Leave one first.")
OPENED_TOO_MANY = Error("room_limit", "You have {rooms}. Finish one first.")
ADDRESS_OPENED_TOO_MANY = Error("room_limit", "Too many unfinished rooms were opened from your address.")
UNKNOWN_GAME = Error("unknown_game", "{problem}")
BAD_SETUP = Error("not_allowed", "{problem}")
BAD_POSITION = Error("not_allowed", "{problem}")
MUTED = Error("not_allowed", "You are muted {until}.")
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
    """The facts that the server tells every client about itself, as a JSON object. ``page``: it serves the web page."""
    limits = ("message_bytes", "messages_per_s", "burst", "rooms_per_player", "rooms_per_connection", "analyses_per_s")
    fields = {
        "levels": list(LEVELS),
        "limits": settings.model_dump(include={*limits, "connections_per_address"}),
        **({"page": True} if page else {}),
        **({"webhooks": True} if settings.webhooks else {}),
        **_offer(settings),
        **({} if settings.registration == "open" else {"registration": settings.registration}),
    }
    return to_json(fields)


def _offer(settings: Settings) -> dict[str, Any]:
    """The games that the operator offers, the server's name and its news, as far as they are set."""
    named = {key: text for key, text in (("name", settings.server_name), ("news", settings.news)) if text is not None}
    return {
        **({"offered": settings.offered_games} if settings.offered_games else {}),
        **({"server": named} if named else {}),
    }


def catalogue() -> bytes:
    """The games that this server offers, and its words, as a JSON object."""
    return to_json({"games": games(), "words": words()})


def with_examples(told: bytes, settings: Settings) -> bytes:
    """The :func:`catalogue` and what else the first view shows before the welcome: positions for small pictures."""
    return b"%b,%b" % (told[:-1], to_json({"examples": examples(), **_offer(settings)})[1:])


def welcome(request_id: RequestId, player: StoredPlayer, token: str, facts: Iterable[bytes], now: int) -> bytes:
    """The answer to ``hello``, as JSON: who the client is, and the server's ``facts``, which are JSON objects."""
    fields = {"protocol": PROTOCOL, "player": player_info(player), "token": token}
    parts = [to_json(answer("welcome", request_id, fields)), *facts, to_json({"now": timestamp(now)})]
    return b"{%b}" % b",".join(part[1:-1] for part in parts if part != b"{}")


def player_info(player: StoredPlayer) -> PlayerInfo:
    """The public part of ``player``."""
    info: PlayerInfo = {"id": player.id, "name": player.name, "kind": "bot" if player.kind == "bot" else "human"}
    if player.registered:
        info["registered"] = True
    return info
