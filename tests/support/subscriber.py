"""A subscriber without a socket that records what it is sent."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Mapping
from typing import Any

from websockets.protocol import State

from noughts.gateway.replies import CloseCode
from noughts.journal import StoredPlayer
from noughts.rooms import Room
from support.client import Json


class FakeConnection:
    """The part of a connection that ``broadcast`` needs."""

    state = State.OPEN
    send_in_progress = None

    def __init__(self) -> None:
        self.protocol = self
        self.frames: list[bytes] = []

    def send_text(self, frame: bytes) -> None:
        self.frames.append(frame)

    def send_data(self) -> None: ...


class FakeSubscriber:
    """A :class:`~noughts.gateway.client.Subscriber`. ``unsent`` is what it has not read, in bytes."""

    def __init__(self, name: str = "eve", *, connected: bool = True) -> None:
        self.player = StoredPlayer(f"p-{name}-{secrets.token_hex(4)}", name, "human", b"")
        self.connection: Any = FakeConnection() if connected else None
        self.rooms: set[str] = set()
        self.joining: Counter[str] = Counter()
        self.behind: set[str] = set()
        self.open = True
        self.unsent = 0
        self.closed_with: tuple[CloseCode, str] | None = None

    @property
    def frames(self) -> list[bytes]:
        """The frames that it was sent."""
        frames: list[bytes] = self.connection.frames
        return frames

    def messages(self) -> list[Json]:
        """The messages that it was sent since the last call, decoded."""
        messages = [json.loads(frame) for frame in self.frames]
        self.frames.clear()
        return messages

    def send(self, message: Mapping[str, Any]) -> None:
        self.frames.append(json.dumps(message).encode())

    def close(self, code: CloseCode, reason: str) -> None:
        self.open = False
        self.closed_with = (code, reason)

    def unsent_bytes(self) -> int:
        return self.unsent

    def cut(self) -> None:
        self.open = False

    def cut_if_clogged(self) -> None: ...

    def on_watch(self, room: Room) -> None: ...
