"""What a connection hands out besides the answers to requests."""

from __future__ import annotations

from typing import Literal, TypedDict

from noughts.protocol import ErrorCode, Snapshot, Update
from noughts.protocol.messages import ChatLine, LobbyChanges, SeekEnded, SeekWaits, Spectators


class ConnectionChange(TypedDict):
    """The connection was lost and is being made again, or is restored."""

    type: Literal["connection"]
    state: Literal["lost", "restored"]


class Gone(TypedDict):
    """A room that could not be taken up again after a reconnect; nothing more will come of it."""

    type: Literal["gone"]
    room: str
    code: ErrorCode
    message: str


Pushed = Snapshot | Update | Spectators | ChatLine | LobbyChanges | SeekWaits | SeekEnded | ConnectionChange | Gone
