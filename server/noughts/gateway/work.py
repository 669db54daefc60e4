"""Processor time on the event loop, shared fairly: what one client asks for does not hold up the others.

Clients' work takes at most about :data:`TURN_S` of a turn of the loop. The rest waits, and from then on the network,
the address and the player that have used least are served first (start-time fair queueing). There are two kinds of
work. A connection whose frames must wait is read on when it is its turn. A coroutine that carries out a request is run
by :meth:`Work.driven`: it gives way with ``await asyncio.sleep(0)``, and goes on when it is its turn.

Unfinished work is counted by the memory that it takes. Beyond the limits it is refused.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
import types
from collections import defaultdict, deque
from collections.abc import Callable, Coroutine, Generator
from time import perf_counter
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from noughts.gateway.address import SITE_SHARE, site_of

log = logging.getLogger(__name__)

T = TypeVar("T")

TURN_S = 0.005
"""The time for which the work of clients may keep the event loop in one turn; twice that with those who have used
little."""

SLICE_S = 0.0005
"""The time after which a piece of work should give way."""

LONGEST_S = 0.005
"""A piece of work that took longer was most likely interrupted by another process, so no more is charged for it."""

LEAD_S = 0.02
"""A client that is ahead of those who wait by no more than this need not wait."""

PLAYER_BYTES, ADDRESS_BYTES, ALL_BYTES = 2**20, 2**22, 2**24
"""The memory that the unfinished work of a player, of an address (an IPv6 /64), and of all may take."""

SITE_BYTES = min(SITE_SHARE * ADDRESS_BYTES, ALL_BYTES // 2)
"""The memory that that of an IPv6 /48 may take: it may be a university."""

UNFINISHED = {"work_per_player": PLAYER_BYTES, "work_per_address": ADDRESS_BYTES, "work": ALL_BYTES}
"""The same by the names of the limits."""

LEAST_BYTES = 2**16
"""The memory that a player, an address or an IPv6 network may have even if those around it have taken all."""

REQUEST_BYTES, PARSED = 4096, 8
"""About what a request takes while it is carried out, and how many times its length beside that."""

RETRY_S = 1.0
"""The time that a client should wait whose work was refused."""

HANDSHAKE_S = 0.001
"""About how long it takes to open a connection, in steps that are not measured."""

NAMED_S = 0.1
"""The log names an address whose work has waited for so long."""

LIMIT = "processor_time"
"""The limit at which an address is that has to wait, or makes the event loop late."""

STOPS = {
    LIMIT: "an address that uses more than its share of the processor: its requests wait",
    "work_per_player": f"a player whose unfinished requests take more than {PLAYER_BYTES >> 20} MiB, "
    f"each {REQUEST_BYTES >> 10} KiB and {PARSED} times its length: `overloaded`, closed (1013)",
    "work_per_address": f"an address whose requests take more than {ADDRESS_BYTES >> 20} MiB, or an IPv6 /48 more than "
    f"{SITE_BYTES >> 20} MiB: the same for its players with more than {LEAST_BYTES >> 10} KiB",
    "work": f"all, if their requests take more than {ALL_BYTES >> 20} MiB: the same for addresses with more than "
    f"{LEAST_BYTES >> 10} KiB",
}

BLAMED_S = 0.01
"""A client that has used less than this of a late turn is not to blame."""


class Share:
    """The share that a player may use; or an address, an IPv6 network (/48), or all together, each of which has shares
    within.

    ``used`` is how long the loop has worked for a player since the last tick, in seconds. ``tag`` says how much was
    used in all, as compared with ``virtual`` of the share around it, the tag of the one that it served last.
    ``waiting`` are the shares within that wait, a heap by their tags; ``frames`` and ``tasks`` are what waits of a
    player, and since when. ``held`` is the memory that unfinished work takes.
    """

    __slots__ = (
        "__weakref__",
        "address",
        "frames",
        "held",
        "limit",
        "most",
        "player",
        "queued",
        "tag",
        "tasks",
        "used",
        "virtual",
        "waiting",
        "within",
    )

    def __init__(
        self, within: Share | None, address: str, player: str | None, limit: str, most: int | None = None
    ) -> None:
        self.within = within
        self.address = address
        self.player = player
        self.limit = limit
        self.most = most or UNFINISHED[limit]
        self.used = self.tag = self.virtual = 0.0
        self.queued = False
        self.waiting: list[tuple[float, int, Share]] = []
        self.frames: deque[tuple[float, Callable[[], None]]] = deque()
        self.tasks: deque[tuple[float, asyncio.Future[None]]] = deque()
        self.held = 0


class Overloaded(Exception):
    """Too much work is unfinished already, of this client or of all."""


class Work:
    """Shares the event loop among clients. ``limit`` is called with the name of a limit, whom it stopped, and how.

    ``spent`` is for how many seconds clients have kept the loop in this turn. It is ``full`` when that is enough, or
    when work waits. ``users`` are the shares that were used since the last tick. Whoever works for a client adds to
    these three, and calls :meth:`charge` if the loop is full: so it costs little where there is no need to share.
    ``ticks`` counts the ticks.
    """

    def __init__(self, limit: Callable[[str, str, str], None] = lambda _name, _who, _did: None) -> None:
        self.spent = 0.0
        self.full = False
        self.users: list[Share] = []
        self.ticks = 0
        self.waiting = 0
        self._limit = limit
        self._all = Share(None, "", None, "work")
        self._shares: WeakValueDictionary[tuple[str, ...], Share] = WeakValueDictionary()
        self._order = itertools.count()
        self._allowed_until = 0.0

    @property
    def held(self) -> int:
        """The memory that unfinished work takes, in bytes, by estimate."""
        return self._all.held

    def share(self, address: str, player: str) -> Share:
        """The share of a player at an address; the ``player`` is empty for those who have not said hello.

        Keep it for as long as the client is there: what it has used is forgotten with the last who keeps it.
        """
        share = self._shares.get((address, player))
        if share is None:
            around = self._all
            for name in dict.fromkeys((site_of(address), address)):
                most = ADDRESS_BYTES if name == address else SITE_BYTES
                within = self._shares.get((name,))
                around = within or self._add((name,), Share(around, name, None, "work_per_address", most))
            share = self._add((address, player), Share(around, address, player, "work_per_player"))
        return share

    def _add(self, key: tuple[str, ...], share: Share) -> Share:
        assert share.within is not None
        share.tag = share.within.virtual
        self._shares[key] = share
        return share

    # who may go on

    def charge(self, share: Share, seconds: float) -> None:
        """Note that the loop has worked so long for a client, in this turn, which is full."""
        if not self.full:
            self.full = True
            asyncio.get_running_loop().call_soon(self._turn)
        while (around := share.within) is not None:
            if around.waiting:  # otherwise nobody has to be compared with it
                share.tag = max(share.tag, around.virtual) + seconds
            share = around

    def admits(self, share: Share) -> bool:
        """True if a client may go on in this turn, which is full."""
        if self.spent < self._allowed_until:
            return True
        if share.queued or self.spent > 2 * TURN_S:
            return False
        while (around := share.within) is not None:
            if around.waiting and share.tag > around.virtual + LEAD_S:
                return False
            share = around
        return True

    def wait(self, share: Share, go_on: Callable[[], None]) -> None:
        """Call ``go_on`` when it is the turn of ``share``. It may do some :data:`SLICE_S` of work: ask ``admits``."""
        share.frames.append((perf_counter(), go_on))
        self._queue(share)

    def _queue(self, share: Share) -> None:
        self.waiting += 1
        if not self.full:
            self.full = True
            asyncio.get_running_loop().call_soon(self._turn)
        while (around := share.within) is not None and not share.queued:
            if not around.waiting:  # whoever has waited before was served: all begin anew
                around.virtual = max(around.virtual, share.tag)
            share.queued, share.tag = True, max(share.tag, around.virtual)
            heapq.heappush(around.waiting, (share.tag, next(self._order), share))
            share = around

    def _turn(self) -> None:
        """Let those go on who have used least, as many as there is time for."""
        self.spent, now = 0.0, perf_counter()
        while self.waiting and self.spent < TURN_S:
            share = self._next()
            since, go_on = share.frames.popleft() if share.frames else share.tasks.popleft()
            if not share.frames and not share.tasks:
                self._unqueue(share)
            self.waiting -= 1
            if now - since > NAMED_S:
                self._limit(LIMIT, share.address, "made its requests wait")
            if isinstance(go_on, asyncio.Future):
                if not go_on.done():
                    go_on.set_result(None)
                    self.spent += SLICE_S  # it goes on in the next turn of the loop, so this is paid in advance
                    self.charge(share, SLICE_S)
                continue
            self._allowed_until = self.spent + SLICE_S
            try:
                go_on()
            except Exception:
                log.exception("a connection cannot be read")
            self._allowed_until = 0.0
        self.full = self.waiting > 0
        if self.full:
            asyncio.get_running_loop().call_soon(self._turn)

    def _next(self) -> Share:
        """The player whose turn it is."""
        share = self._all
        while share.waiting:
            tag, _, first = share.waiting[0]
            if first.tag > tag:  # it was charged since
                heapq.heapreplace(share.waiting, (first.tag, next(self._order), first))
                continue
            share.virtual = tag
            share = first
        return share

    def _unqueue(self, share: Share) -> None:
        """Nothing of the share that was first waits any more."""
        while (around := share.within) is not None:
            share.queued = False
            heapq.heappop(around.waiting)
            if around.waiting:
                return
            share = around

    # coroutines

    async def driven(self, share: Share, work: Coroutine[Any, Any, T], is_open: Callable[[], bool]) -> T | None:
        """Run ``work`` for a client, each of its steps when it is the client's turn. Returns what it returns.

        If the client is gone when the work has given way, the rest is not done, and None returned.
        """
        try:
            return await self._steps(share, work, is_open)
        finally:
            work.close()

    @types.coroutine
    def _steps(
        self, share: Share, work: Coroutine[Any, Any, T], is_open: Callable[[], bool]
    ) -> Generator[Any, None, T | None]:
        thrown: BaseException | None = None
        gave_way = False
        while True:
            paid_s = 0.0
            try:
                if self.full and (gave_way or not self.admits(share)):
                    turn = asyncio.get_running_loop().create_future()
                    share.tasks.append((perf_counter(), turn))
                    self._queue(share)
                    yield from turn
                    paid_s = SLICE_S
                elif gave_way:
                    yield
            except (Exception, asyncio.CancelledError) as error:
                thrown = error
            if gave_way and not is_open():
                return None
            began = perf_counter()
            try:
                if thrown is None:
                    awaited = work.send(None)
                else:
                    raised, thrown = thrown, None
                    awaited = work.throw(raised)
            except StopIteration as end:
                result: T = end.value
                return result
            finally:
                self.note(share, perf_counter() - began, paid_s)
            gave_way = awaited is None
            if not gave_way:
                try:
                    yield awaited
                except (Exception, asyncio.CancelledError) as error:
                    thrown = error

    def note(self, share: Share, seconds: float, paid_s: float) -> None:
        """Note that the loop has worked so long for a client, of which a part may be charged already."""
        seconds = min(seconds, LONGEST_S)
        self.spent += seconds
        if not share.used:
            self.users.append(share)
        share.used += seconds
        if self.full or self.spent > TURN_S:
            self.charge(share, max(0.0, seconds - paid_s))

    # how much there may be

    def hold(self, share: Share, size: int) -> None:
        """Count ``size`` bytes of unfinished work, until :meth:`release`. Raises :class:`Overloaded` beyond a limit."""
        each, own = share, size + LEAST_BYTES
        while True:
            # If others have taken all, those still get a little who have next to nothing. Whoever has nothing at all
            # gets one request through, however long: its length has a limit of its own.
            if each.held and each.held + size > each.most and own + size > LEAST_BYTES:
                who = f"{share.player} at {share.address}" if each is share and share.player else share.address
                self._limit(each.limit, who, "refused a request")
                raise Overloaded
            if each.within is None:
                break
            each, own = each.within, each.held
        self.release(share, -size)

    def release(self, share: Share, size: int) -> None:
        """The work is finished."""
        each: Share | None = share
        while each is not None:
            each.held -= size
            each = each.within

    # who is to blame

    def tick(self, *, late: bool) -> None:
        """Begin another interval. If the event loop was ``late`` in the last one, the log says who kept it busy."""
        if late:
            for address in dict.fromkeys(share.address for share in self.busiest()):
                self._limit(LIMIT, address, "kept the server busy")
        for share in self.users:
            share.used = 0.0
        self.users = []
        self.ticks += 1

    def busiest(self) -> list[Share]:
        """The players who have used much since the last tick: those at addresses that have used more than others."""
        of_address: defaultdict[str, float] = defaultdict(float)
        for share in self.users:
            of_address[share.address] += share.used
        least = max(BLAMED_S, sum(of_address.values()) / 2 / max(1, len(of_address)))
        return [
            share for share in self.users if (used := of_address[share.address]) >= least and share.used * 100 >= used
        ]
