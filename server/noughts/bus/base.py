"""What a bus is: hints from one node of a cluster to the others.

The journal holds the truth. A message may be lost, late, doubled or out of order, and no game is the worse for it:
who finds a gap, was cut off, or hears nothing reads the journal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Appended:
    """``record`` was stored as version ``version`` of ``room``. For those who follow the room."""

    room: str
    version: int
    record: bytes


@dataclass(frozen=True, slots=True)
class Missing:
    """``node`` has no connection of ``player`` in ``room``: who has one? For those who follow the room."""

    room: str
    player: str
    node: str


@dataclass(frozen=True, slots=True)
class Present:
    """The sender has a connection of ``player`` in ``room``. For the node ``to``, which has asked."""

    room: str
    player: str
    to: str


@dataclass(frozen=True, slots=True)
class Listed:
    """The lobby shows a room differently now; ``listing`` is what it shows, JSON. For all nodes."""

    listing: bytes


@dataclass(frozen=True, slots=True)
class Drain:
    """The node ``to`` is to stop: as SIGTERM has it. For that node."""

    to: str


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody has said something in ``room``; ``line`` is the message that tells it, JSON. For those who follow it."""

    room: str
    line: bytes


@dataclass(frozen=True, slots=True)
class Watching:
    """``count`` spectators look at ``room`` on ``node``, which may ask how many elsewhere. For those who follow it."""

    room: str
    node: str
    count: int
    asks: bool


@dataclass(frozen=True, slots=True)
class Paired:
    """``player`` has found an opponent, in ``room``. For all nodes."""

    player: str
    room: str


@dataclass(frozen=True, slots=True)
class Altered:
    """The name, token or rights of ``player`` are others now. For all nodes."""

    player: str


Hint = Appended | Missing | Present | Listed | Drain | Said | Watching | Paired | Altered


class Bus(Protocol):
    """Tells the other nodes. Nothing here waits, and nothing raises: what cannot be told is left to the journal.

    ``node`` is this node's name, which no other has. ``listeners`` are called within the event loop with each
    message of another node, in the order of their arrival, never with one's own.
    ``on_node_left`` are called with the name of each node that is there no more.
    """

    node: str
    listeners: list[Callable[[Hint], None]]
    on_node_left: list[Callable[[str], None]]

    @property
    def connected(self) -> bool:
        """Whether what is sent now reaches the other nodes, as far as is known."""

    def send(self, message: Hint) -> None:
        """Tell those whom ``message`` is for."""

    def follow(self, room: str) -> None:
        """Hear what is told of ``room`` from now on. Following it twice changes nothing."""

    def unfollow(self, room: str) -> None:
        """Hear no more of it."""

    async def close(self) -> None:
        """Say goodbye. Nothing may be sent afterwards; calling it twice does no harm."""
