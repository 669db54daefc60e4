"""A turn as a JSON line, and an answer read from a line. Pure; docs/bots.md documents both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from unicodedata import category

from noughts_client.state import NOTE_BYTES

STATE_FIELDS = ("turn", "ply", "legal_moves", "rows", "moves", "to_move", "seats", "clock")
"""The fields of a room's state that a turn has, in their order."""

LONGEST_MOVE = 64
"""A bare move has at most this many characters."""


@dataclass(frozen=True)
class Answer:
    """A bot's answer: a move, which may be illegal, and a note, empty if it gave none."""

    move: str
    note: str = ""


@dataclass(frozen=True)
class Raised:
    """An exception that a bot's process reports instead of an answer."""

    type: str
    message: str
    traceback: str


class Unreadable(ValueError):
    """The line is not an answer. The text says why, as the end of a sentence about it."""


def turn(state: Mapping[str, Any], *, game: str, room: str, side: str, symbol: str, time_ms: int | None) -> str:
    """The line that asks for a move. ``time_ms`` is left for this move and all after it, None without a clock."""
    fields = {"game": game, "room": room, "side": side, "symbol": symbol}
    fields |= {name: state[name] for name in STATE_FIELDS}
    return json.dumps({**fields, "time_ms": time_ms}, separators=(",", ":"))


def answer(line: str) -> Answer | Raised:
    """What a bot says with ``line``: a bare move, the same as a JSON string, or an object with ``move`` and ``note``.

    Raises :class:`Unreadable`.
    """
    text = line.strip()
    if not text.startswith(("{", '"')):  # most programs have no JSON at hand
        if not text or len(text) > LONGEST_MOVE or len(text.split()) > 1 or not text.isprintable():
            raise Unreadable("is not a move")
        return Answer(text)
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable("is not JSON") from None
    match said:
        case str(move):
            return Answer(_clean(move))
        case {"error": {"type": str(kind), "message": str(message), "traceback": str(traceback)}}:
            return Raised(_clean(kind), _clean(message), _clean(traceback))
        case {"move": str(move)}:
            note = said.get("note")
            if note is not None and not isinstance(note, str):
                raise Unreadable("has a note that is not a string")
            return Answer(_clean(move), _note(note or ""))
    raise Unreadable('has no "move" that is a string')


def _note(text: str) -> str:
    """``text`` as the server takes it: not too long, and nothing in it that cannot be seen but for line feeds."""
    seen = "".join(each if each in "\n\t" or category(each) not in _UNSEEN else "?" for each in text[:NOTE_BYTES])
    return seen.encode()[:NOTE_BYTES].decode(errors="ignore")


_UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}


def _clean(text: str) -> str:
    """``text`` without half characters, which JSON can write and UTF-8 cannot."""
    return text.encode(errors="replace").decode()
