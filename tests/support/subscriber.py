"""A subscriber without a socket that records what it is sent."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Mapping
from typing import Any

from noughts.gateway.replies import CloseCode
from noughts.journal import StoredPlayer
from noughts.rooms import Room
from support.client import Json


def message_in(frame: bytes) -> bytes:
    """The message in a frame of the server."""
    return frame[{126: 4, 127: 10}.get(frame[1], 2) :]


class FakeSubscriber:
    """A :class:`~noughts.gateway.client.Subscriber`. ``frames`` are its messages, ``raw`` is the last as sent."""

    def __init__(self, name: str = "eve", *, connected: bool = True) -> None:
        self.player = StoredPlayer(f"p-{name}-{secrets.token_hex(4)}", name, "human", b"")
        self.connected = connected
        self.frames: list[bytes] = []
        self.raw = b""
        self.rooms: set[str] = set()
        self.joining: Counter[str] = Counter()
        self.behind: set[str] = set()
        self.legal_moves = True
        self.open = True
        self.paused = False
        self.silent = False
        self.closed_with: tuple[CloseCode, str] | None = None

    def messages(self) -> list[Json]:
        """The messages that it was sent since the last call, decoded."""
        messages = [json.loads(frame) for frame in self.frames]
        self.frames.clear()
        return messages

    def send(self, message: Mapping[str, Any]) -> None:
        self.frames.append(json.dumps(message).encode())

    def send_encoded(self, message: bytes) -> None:
        self.frames.append(message)

    def close(self, code: CloseCode, reason: str) -> None:
        self.open = False
        self.closed_with = (code, reason)

    def push(self, frame: bytes) -> None:
        self.raw = frame
        self.frames.append(message_in(frame))

    def on_watch(self, room: Room) -> None: ...
