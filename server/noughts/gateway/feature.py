"""A feature as a value: all that one part of the server adds to what every client needs.

:mod:`noughts.app` has the list of features, and :meth:`~noughts.gateway.server.Server.use` takes them in. Nothing else
knows which there are, so a feature is added, or removed, in one module and one line.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any

from noughts.host import RoomUpdate
from noughts.rooms import Room

Handling = Coroutine[Any, Any, None] | None
"""The work that is left when a handler returns; None for nothing."""

Handler = Callable[[Any, Any], Handling]
"""Carries out a request of a client and answers it: called with the client and the request.

One that has to wait is a coroutine function, and runs in a task. All others finish at once, so they overtake commands
that their client has just submitted to a room: :meth:`~noughts.host.Host.after` puts them behind those. To refuse, it
raises :class:`~noughts.gateway.replies.Problem`; one that waits may raise Refused, Failed and JournalError as well.
"""

Loop = Callable[[], Coroutine[Any, Any, None]]
"""Runs for as long as the server does."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A number for ``/metrics``: its name without ``noughts_``, its meaning, and how to read it.

    One whose name ends in ``_total`` only grows.
    """

    name: str
    meaning: str
    read: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Feature:
    """A part of the server. What it leaves out it does not hear.

    ``requests``: the handler of each type of request that is its own.
    ``updates``: by type of event, what hears of the rooms in memory. :class:`~noughts.host.GameOver` stands for every
    event that ends a game, :class:`~noughts.host.WithComputer` for every event of a room in which a computer sits,
    :class:`~noughts.host.InDays` for every event of a room with days for each move.
    ``hints``: by type of hint, what hears of other nodes.
    ``on_loaded`` is called with each room that was read from the journal, ``on_watched`` with the id of a room that
    somebody begins to watch, ``on_left`` with a client and the id of a room that it leaves, and ``on_client_gone`` with
    each client whose connection has ended.
    ``loops`` run for as long as the server does. When it stops, ``drain`` is called, to take no more work, and then
    ``close`` is awaited, to finish or give up what is under way.
    ``readings`` are numbers for ``/metrics``.

    None of these may wait, except handlers, loops and ``close``. What is called for an event or a hint must not raise.
    """

    requests: Mapping[type, Handler] = field(default_factory=dict)
    updates: Mapping[type, Callable[[RoomUpdate], None]] = field(default_factory=dict)
    hints: Mapping[type, Callable[[Any], None]] = field(default_factory=dict)
    on_loaded: Callable[[Room], None] | None = None
    on_watched: Callable[[str], None] | None = None
    on_left: Callable[[Any, str], None] | None = None
    on_client_gone: Callable[[Any], None] | None = None
    loops: tuple[Loop, ...] = ()
    drain: Callable[[], None] | None = None
    close: Callable[[], Awaitable[None]] | None = None
    readings: tuple[Reading, ...] = ()
