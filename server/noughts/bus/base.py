"""The bus: hints from one node of a cluster to the others.

The journal holds the truth. A hint may be lost, late, repeated or out of order, and no game suffers: a node that finds
a gap, was cut off, or hears nothing reads the journal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Appended:
    """``record`` was stored as version ``version`` of ``room``. For nodes that follow the room."""

    room: str
    version: int
    record: bytes


@dataclass(frozen=True, slots=True)
class Missing:
    """``node`` has lost its last connection of ``player`` in ``room`` and asks for others. For nodes that follow it."""

    room: str
    player: str
    node: str


@dataclass(frozen=True, slots=True)
class Present:
    """The sender has a connection of ``player`` in ``room``. For the node ``to``, which asked."""

    room: str
    player: str
    to: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A room's line in the lobby changed to ``listing``, JSON. For all nodes."""

    listing: bytes


@dataclass(frozen=True, slots=True)
class Drain:
    """The node ``to`` should stop, as on SIGTERM. For that node."""

    to: str


@dataclass(frozen=True, slots=True)
class Said:
    """``line``, a push message in JSON, was said in ``room``, and stored. For nodes that follow the room."""

    room: str
    line: bytes


@dataclass(frozen=True, slots=True)
class Watching:
    """``node`` has ``count`` spectators in ``room``; ``asks``: it wants to know the counts of the others.

    For nodes that follow the room.
    """

    room: str
    node: str
    count: int
    asks: bool


@dataclass(frozen=True, slots=True)
class Paired:
    """``player`` no longer seeks: it was matched in ``room`` or, if that is empty, withdrew its seek. For all nodes."""

    player: str
    room: str


@dataclass(frozen=True, slots=True)
class Altered:
    """The name, token or rights of ``player`` changed. For all nodes."""

    player: str


@dataclass(frozen=True, slots=True)
class Invited:
    """``player`` was invited to a room, or has come to move; ``line`` is the push message, JSON. For all nodes."""

    player: str
    line: bytes


@dataclass(frozen=True, slots=True)
class Here:
    """``player`` is connected to ``node``. For all nodes."""

    player: str
    node: str


@dataclass(frozen=True, slots=True)
class Sought:
    """``node`` asks whether ``player`` is connected to another. For all nodes."""

    player: str
    node: str


@dataclass(frozen=True, slots=True)
class Doing:
    """``player`` asks for help in the class ``to``, in none if that is empty; ``reads``: a review. For all nodes."""

    player: str
    to: str
    reads: bool


@dataclass(frozen=True, slots=True)
class Follows:
    """The sender follows ``room``; ``asks``: it wants to know who else does. For nodes that follow the room."""

    room: str
    asks: bool


@dataclass(frozen=True, slots=True)
class Leaves:
    """The sender does not follow ``room`` any more. For nodes that do."""

    room: str


Hint = (
    Appended
    | Missing
    | Present
    | Listed
    | Drain
    | Said
    | Watching
    | Paired
    | Altered
    | Invited
    | Here
    | Sought
    | Doing
    | Follows
    | Leaves
)


def topic_of(hint: Hint) -> str:
    """The topic of ``hint``: that of the followers of a room, to one node, or (``lobby``) to all nodes."""
    match hint:
        case Appended() | Missing() | Said() | Watching() | Follows() | Leaves():
            return f"rooms/{hint.room}"
        case Present(to=to) | Drain(to=to):
            return f"nodes/{to}"
        case Listed() | Paired() | Altered() | Invited() | Here() | Sought() | Doing():
            return "lobby"


class Bus(Protocol):
    """Sends hints to the other nodes. Nothing here waits or raises: the journal makes up for a hint that is lost.

    ``node`` is this node's name, unique in the cluster. ``listeners`` are called in the event loop with each hint of
    another node, in order of arrival, and never with this node's own. ``on_node_left`` are called with the name of
    each node that leaves or dies. ``on_followed`` are called with rooms whose hints arrive from now on, some moments
    after :meth:`follow`, and again for each node that turns out to follow the room: until then some may have been lost.
    """

    node: str
    listeners: list[Callable[[Hint], None]]
    on_node_left: list[Callable[[str], None]]
    on_followed: list[Callable[[Sequence[str]], None]]

    @property
    def connected(self) -> bool:
        """True if hints reach the other nodes, as far as this node knows."""

    def send(self, hint: Hint) -> None:
        """Send ``hint`` to the nodes that it is for."""

    def follow(self, room: str) -> None:
        """Receive the hints about ``room``, soon. Following it again makes sure that the other nodes know."""

    def unfollow(self, room: str) -> None:
        """Receive no more hints about ``room``."""

    async def close(self) -> None:
        """Leave the bus. Send nothing afterwards; a second call does nothing."""
