"""The answers to requests: each repeats the request's ``id``, where it had one."""

from __future__ import annotations

from collections.abc import Mapping

from noughts import protocol
from noughts.config import Settings
from noughts.engine import LEVELS
from noughts.journal import StoredPlayer
from noughts.protocol import ErrorCode, RequestId, timestamp
from noughts.protocol.messages import PlayerInfo


def welcome(request_id: RequestId, player: StoredPlayer, token: str, settings: Settings, now: int) -> dict[str, object]:
    """The answer to ``hello``: who the client is, and all that it needs to know of this server."""
    limits = ("message_bytes", "messages_per_s", "burst", "rooms_per_player", "rooms_per_connection", "analyses_per_s")
    return answer(
        "welcome",
        request_id,
        {
            "protocol": protocol.PROTOCOL,
            "player": player_info(player),
            "token": token,
            "games": protocol.games(),
            "levels": list(LEVELS),
            "limits": settings.model_dump(include={*limits, "connections_per_address"}),
            "now": timestamp(now),
        },
    )


def player_info(player: StoredPlayer) -> PlayerInfo:
    """Who ``player`` is, for everybody."""
    info: PlayerInfo = {"id": player.id, "name": player.name, "kind": "bot" if player.kind == "bot" else "human"}
    if player.registered:
        info["registered"] = True
    return info


def answer(kind: str, request_id: RequestId, fields: Mapping[str, object]) -> dict[str, object]:
    """An answer of the type ``kind``."""
    identified = {} if request_id is None else {"id": request_id}
    return {"type": kind, **identified, **fields}


def ok(request_id: RequestId, **fields: object) -> dict[str, object]:
    """The request was carried out."""
    return answer("ok", request_id, fields)


def error(
    request_id: RequestId,
    code: ErrorCode,
    message: str,
    *,
    retry_after_s: float | None = None,
    legal_moves: tuple[str, ...] | None = None,
) -> dict[str, object]:
    """The request was not carried out."""
    fields: dict[str, object] = {"code": code, "message": message}
    if retry_after_s is not None:
        fields["retry_after_s"] = retry_after_s
    if legal_moves is not None:
        fields["legal_moves"] = list(legal_moves)
    return answer("error", request_id, fields)
