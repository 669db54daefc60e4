"""A client as handlers and rooms know it, whether it came by WebSocket or by MQTT."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from noughts.gateway.address import site_of
from noughts.gateway.limits import TokenBucket
from noughts.gateway.replies import BANNED, MUTED, CloseCode, Problem, error, when_banned
from noughts.gateway.work import Share
from noughts.host import Done, Failed, Host
from noughts.journal import FOREVER, StoredPlayer
from noughts.monitor import Monitor
from noughts.protocol.render import timestamp
from noughts.protocol.room_messages import RequestId
from noughts.rooms import Refused, Room

Result = Done | Refused | Failed


class Purse(NamedTuple):
    """The budgets of a player and an address: of bytes of answers, and of bytes in the journal."""

    answers: tuple[TokenBucket, TokenBucket]
    writes: tuple[TokenBucket, TokenBucket]


class Subscriber(Protocol):
    """Whoever watches rooms.

    ``rooms`` are the rooms that it watches, ``joining`` those that it is about to enter. One that is not ``connected``
    counts as watching and gets no updates. ``legal_moves``: the states that it is sent have them. While ``paused`` it
    reads too slowly; while ``silent`` it answers no ping, and does not count as a connection of its player. ``behind``
    are the rooms in which it has missed something and is still to be sent the whole room. Nothing may be sent once
    ``open`` is false.
    """

    rooms: set[str]
    joining: Counter[str]
    behind: set[str]
    legal_moves: bool
    open: bool
    paused: bool
    silent: bool

    @property
    def connected(self) -> bool:
        """True if there is a connection that updates go to."""

    @property
    def push(self) -> Callable[[bytes], None]:
        """Sends a frame, without waiting. See :func:`~noughts.gateway.connection.framed`."""

    @property
    def player(self) -> StoredPlayer:
        """The player behind it."""

    def send(self, message: Mapping[str, Any]) -> None:
        """Send one message, without waiting."""

    def send_encoded(self, message: bytes) -> None:
        """Send one message that is JSON already, without waiting."""

    def close(self, code: CloseCode, reason: str) -> None:
        """Turn the client away, without waiting for it."""

    def on_watch(self, room: Room) -> None:
        """It watches ``room`` from now on. Called again when it asks again."""


class Client(Protocol):
    """One client, as the handlers of its requests see it.

    ``address`` is where it comes from; all MQTT clients come from the broker. ``messages`` limits its requests.
    ``share`` is of the processor time.
    ``cost`` counts the bytes of answers to it, ``written`` those of the records that it has caused, since
    :meth:`~noughts.gateway.costs.Costs.settle` was called. ``legal_moves`` is as in :class:`Subscriber`. ``can_seek``:
    it stays connected, so that it can wait for an opponent. ``monitor`` counts what it is sent.
    """

    address: str
    can_seek: bool
    legal_moves: bool
    messages: TokenBucket
    share: Share
    cost: int
    written: int

    @property
    def purse(self) -> Purse:
        """The budgets from which it spends, once identified."""

    @property
    def monitor(self) -> Monitor:
        """The server's."""

    @property
    def who(self) -> str:
        """Whom the log names: the player's id, as soon as it is known, and where the client comes from."""

    @property
    def open(self) -> bool:
        """True if anything may still be sent."""

    @property
    def identified(self) -> bool:
        """True if the client has said hello."""

    @property
    def player(self) -> StoredPlayer:
        """The client's player, once identified."""

    @property
    def subscriber(self) -> Subscriber:
        """The subscriber that watches rooms for this client, once identified."""

    @property
    def arrived_at(self) -> int | None:
        """The time at which the message in hand arrived, ms since the epoch by the journal's clock; None if it arrived
        just now."""

    @property
    def lag_ms(self) -> int:
        """The measured round trip to the client; 0 while unknown."""

    @property
    def is_loud(self) -> bool:
        """True if it sends so much just now that it may be what keeps the server busy."""

    def measure_lag(self) -> None:
        """Measure the round trip again, if it is time to."""

    def identify(self, player: StoredPlayer) -> None:
        """Take ``player``, as stored now, for who the client is."""

    def send(self, message: Mapping[str, Any]) -> None:
        """Send one message, without waiting."""

    def send_encoded(self, message: bytes) -> None:
        """Send one message that is JSON already, without waiting."""

    def close(self, code: CloseCode, reason: str) -> None:
        """Turn the client away, without waiting for it."""


def load_room(host: Host, room_id: str, client: Client | None = None) -> asyncio.Future[Room]:
    """The room as it is after the commands that wait for it now. The future raises :class:`~noughts.host.Failed`.

    If it must be read, it is replayed when it is the turn of the client's address, or of the server.
    """
    loaded: asyncio.Future[Room] = asyncio.get_running_loop().create_future()
    # Nobody waits for it if the client disconnects first; asyncio would log the exception of a missing room.
    loaded.add_done_callback(lambda done: done.cancelled() or done.exception())

    def reply(result: Result) -> None:
        if loaded.done():
            return
        if isinstance(result, Done):
            loaded.set_result(result.room)
        else:
            loaded.set_exception(result)

    host.submit(room_id, None, reply, asker="" if client is None else site_of(client.address))
    return loaded


def refuse(client: Client, request_id: RequestId, problem: Refused | Failed | Problem) -> None:
    """Tell the client that its request was not carried out, and why."""
    cost = client.cost
    client.monitor.refusals[problem.code] += 1
    legal_moves = problem.legal_moves if isinstance(problem, Refused) else None
    retry_after_s = problem.retry_after_s if isinstance(problem, Problem) else None
    client.send(error(request_id, problem.code, problem.message, retry_after_s=retry_after_s, legal_moves=legal_moves))
    client.cost = cost  # an error is free, or its client would have to wait for longer than it says
    if problem.code == "overloaded":
        client.close(CloseCode.TRY_AGAIN_LATER, "try again later")


def check_muted(player: StoredPlayer, now: int) -> None:
    """Raise :class:`~noughts.gateway.replies.Problem` if the player is muted at ``now``, ms since the epoch."""
    if player.muted_until > now:
        until = "permanently" if player.muted_until >= FOREVER else f"until {timestamp(player.muted_until)}"
        raise Problem(MUTED, until=until)


def check_ban(player: StoredPlayer, now: int) -> None:
    """Raise :class:`~noughts.gateway.replies.Problem` if the player is banned at ``now``, ms since the epoch."""
    if player.banned_until > now:
        raise Problem(BANNED, until=when_banned(player.banned_until))
