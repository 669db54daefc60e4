"""Other players' open seeks in the lobby, shown like the rooms that they lead to. Pure; does no I/O."""

from __future__ import annotations

from typing import Any

from noughts.protocol.room_messages import Listing


def as_listings(lobby: Any, me: str) -> list[Listing]:
    """The open seeks in an answer to ``lobby`` or a ``lobby`` message, but for the player's own.

    Each is a waiting room with the id of the seek. One that is gone is over. A server without open seeks has none.
    """
    found = [_listing(seek) for seek in lobby.get("seeks", []) if seek["player"]["id"] != me]
    return found + [_gone(seek) for seek in lobby.get("gone", [])]


def _listing(seek: Any) -> Listing:
    seeker: Any = {**seek["player"], "online": True}
    options: Any = {"private": False, "rated": seek["rated"], "clock": seek["clock"]}
    return {
        "room": seek["seek"],
        "game": seek["game"],
        "status": "waiting",
        "seats": {"first": seeker, "second": None},
        "options": options | {"setup": seek["setup"]} if "setup" in seek else options,
    }


def _gone(seek: str) -> Listing:
    return {
        "room": seek,
        "game": "",
        "status": "over",
        "seats": {"first": None, "second": None},
        "options": {"private": False, "rated": False, "clock": None},
    }
