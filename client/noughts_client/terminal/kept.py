"""The way back to seats that were left while the game went on: their tokens, in files that their user alone may read.

A file for each: two players of one game may leave it at one machine, and at the same moment.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from platformdirs import user_state_path

MOST = 100
"""How many seats are kept; the ones left first are given up for later ones."""


class Seat(NamedTuple):
    """A seat that is kept: the file, to be deleted, the token, and the URL at which it was left."""

    path: Path
    token: str
    url: str

    def give_up(self) -> bool:
        """Keep it no longer; False if another terminal was faster, and has taken it."""
        try:
            self.path.unlink()
        except FileNotFoundError:
            return False
        return True


def keep(url: str, room: str, token: str) -> None:
    """Keep the seat that ``token`` has in ``room``. Raises OSError."""
    write(_directory() / f"{_stem(room)}.{secrets.token_hex(4)}.json", {"url": url, "room": room, "token": token})
    for old in _newest_first("*")[MOST:]:
        old.unlink(missing_ok=True)


def kept(room: str) -> list[Seat]:
    """The seats that are kept of ``room``, the one left last first.

    Ids of rooms are random, so the room alone tells: one server has several addresses, and several nodes.
    """
    seats = []
    for path in _newest_first(_stem(room)):
        with suppress(OSError, ValueError, KeyError, TypeError):
            seat = json.loads(path.read_text(encoding="utf-8"))
            if seat["room"] == room:
                seats.append(Seat(path, str(seat["token"]), str(seat["url"])))
    return seats


def write(path: Path, content: dict[str, str]) -> None:
    """Have ``content`` in a file that its user alone may read, whole or not at all. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, unfinished = tempfile.mkstemp(".new", f"{path.stem}.", path.parent)
    with open(descriptor, "w", encoding="utf-8") as file:
        json.dump(content, file)
    os.replace(unfinished, path)


def _directory() -> Path:
    return user_state_path("noughts") / "seats"


def _stem(room: str) -> str:
    """What the file's name begins with; the id comes from a server, or was typed."""
    return re.sub(r"[^0-9A-Za-z]", "_", room)[:64]


def _newest_first(stem: str) -> list[Path]:
    def left_at(path: Path) -> float:
        try:
            return path.stat().st_mtime
        except OSError:  # taken meanwhile
            return 0

    return sorted(_directory().glob(f"{stem}.*.json"), key=left_at, reverse=True)
