"""Connections to PostgreSQL: nothing waits for ever, and what is in doubt is not used again.

asyncpg's own pool is not used: it asks the server to reset the session after each use, which is a round trip
more, and waits for what it closes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeAlias, TypeVar
from urllib.parse import urlsplit

import asyncpg

from noughts.journal.values import JournalError

T = TypeVar("T")
Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

ANSWER_S = 4.0
"""Within this time a use of the database ends, or its outcome is unknown."""

CONNECT_S = 3.0
"""Within this time a session begins, or the server counts as away."""

ATTEMPTS = 3
"""How often is tried what the server takes back because it got in the way of another transaction."""

SESSION = {
    "application_name": "noughts",
    # The server gives up a little before we do, so that most of what it could not do is known not to be done.
    "statement_timeout": "3s",
    "lock_timeout": "1s",
    "idle_in_transaction_session_timeout": "5s",
    # The sessions of a machine that is gone, and their locks, end in seconds.
    "tcp_keepalives_idle": "2",
    "tcp_keepalives_interval": "1",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "5s",
    # All that we ask is to be found by an index, also while a table is small or its statistics are old.
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "jit": "off",
}

FAILURES = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)

_DEFINITE = ("22", "23", "40")
"""Classes of SQLSTATE after which nothing was stored and the session goes on: bad data, a constraint, a rollback."""

_STEPS_S = (0.05, 0.1, 0.2, 0.4, 0.8)
_PASSING = ("53", "57", "08")
"""Classes of SQLSTATE of a server that may take connections soon: no resources, starting or stopping, cut off."""


class Address:
    """Where a database is, and who asks.

    ``password`` goes before that in ``url``. Raises :class:`JournalError` for what is no address.
    """

    def __init__(self, url: str, password: str | None = None) -> None:
        self._url = url
        self._password = password
        try:
            parts = urlsplit(url)
        except ValueError:  # its words may quote the password
            parts = None
        if parts is None or parts.scheme != "postgresql" or parts.netloc.count("@") > 1:
            raise JournalError(
                "the journal's address is not of the form postgresql://USER@HOST/DATABASE;"
                " special characters in it must be percent-encoded"
            )
        self.words = f"{parts.netloc.rpartition('@')[2]}{parts.path}"
        """The address in words, without the password."""

    async def connect(self, **session: str) -> Connection:
        """A new session with these settings besides those of all.

        Raises what asyncpg does, and TimeoutError. It says nothing of the password. Where the caller is cancelled,
        a session that arrives later is ended.
        """
        connecting = asyncio.ensure_future(
            asyncpg.connect(
                self._url,
                password=self._password,
                timeout=CONNECT_S,
                command_timeout=ANSWER_S,
                server_settings={**SESSION, **session},
            )
        )
        try:
            return await asyncio.shield(connecting)  # asyncpg does not like to be cancelled in the midst of it
        except asyncio.CancelledError:
            connecting.add_done_callback(_end)
            raise

    async def connect_when_up(self, patience_s: float) -> Connection:
        """A new session without time limits on its statements, as soon as the database is up.

        Raises :class:`JournalError` when it is not within ``patience_s``, or does not let us in.
        """
        seen = "no answer"
        try:
            async with asyncio.timeout(patience_s):
                while True:
                    try:
                        return await self.connect(statement_timeout="0", lock_timeout="0")
                    except FAILURES as error:
                        if not _passes(error):
                            raise
                        seen = in_words(error)
                    await asyncio.sleep(_STEPS_S[-1])
        except TimeoutError:
            words = f"the database {self.words} could not be reached within {patience_s:.0f} s: {seen}"
            raise JournalError(words) from None
        except (*FAILURES, ValueError) as error:
            known = isinstance(error, asyncpg.PostgresError)
            reason = in_words(error) if known else "something is wrong with its address"
            raise JournalError(f"the database {self.words} cannot be used: {reason}") from None


class Pool:
    """At most ``size`` sessions, made when they are needed; who finds all in use waits."""

    def __init__(self, connect: Callable[[], Awaitable[Connection]], size: int) -> None:
        self._connect = connect
        self._places = asyncio.Semaphore(size)
        self._idle: list[Connection] = []
        self._failures = 0
        self._not_before = 0.0
        self._closed = False

    async def use(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """What ``work`` does in a session, in a transaction of its own for each statement.

        Raises :class:`JournalError` with the cause when that fails or takes longer than ``ANSWER_S``. Unless
        :func:`undone` says otherwise, its outcome is unknown then.
        """
        if self._closed:
            raise JournalError("the journal is closed")
        try:
            async with asyncio.timeout(ANSWER_S), self._places:
                return await self._use(work)
        except TimeoutError as error:
            for connection in self._take_idle():  # most likely no better
                connection.terminate()
            raise JournalError(f"the database did not answer within {ANSWER_S:.0f} s") from error
        except FAILURES as error:
            raise JournalError(f"the database failed: {in_words(error)}") from error

    async def fetch(self, sql: str, *arguments: object) -> list[Any]:
        """The rows that a statement answers. Raises what :meth:`use` does."""
        return await self.use(lambda connection: connection.fetch(sql, *arguments))

    async def insist(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """As :meth:`use`, and again where the server took it back, as it does to end a deadlock."""
        for _ in range(ATTEMPTS - 1):
            try:
                return await self.use(work)
            except JournalError as error:
                if not isinstance(error.__cause__, asyncpg.TransactionRollbackError):
                    raise
        return await self.use(work)

    async def transact(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """As :meth:`insist`, in one transaction; each statement sees what was committed before it began."""

        async def whole(connection: Connection) -> T:
            async with connection.transaction():
                return await work(connection)

        return await self.insist(whole)

    async def close(self) -> None:
        """End the sessions that are not in use; the others end after it."""
        self._closed = True
        await asyncio.gather(*map(let_go, self._take_idle()))

    async def _use(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        connection = self._ready() or await self._new()
        usable = False
        try:
            result = await work(connection)
            usable = True
            return result
        except asyncpg.PostgresError as error:
            usable = undone(error)
            raise
        finally:
            if usable and not self._closed and not connection.is_closed():
                self._idle.append(connection)
            else:
                connection.terminate()

    def _ready(self) -> Connection | None:
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection
            connection.terminate()
        return None

    async def _new(self) -> Connection:
        """A new session; after failures only now and then, so that a database that is down is not stormed."""
        loop = asyncio.get_running_loop()
        if loop.time() < self._not_before:
            raise ConnectionError("it could not be reached a moment ago")
        try:
            connection = await self._connect()
        except Exception:
            self._not_before = loop.time() + _STEPS_S[min(self._failures, len(_STEPS_S) - 1)]
            self._failures += 1
            raise
        self._failures = 0
        return connection

    def _take_idle(self) -> list[Connection]:
        idle, self._idle = self._idle, []
        return idle


def _end(connecting: asyncio.Future[Connection]) -> None:
    """End a session that nobody waits for any more."""
    if not connecting.cancelled() and connecting.exception() is None:
        connecting.result().terminate()


async def let_go(connection: Connection) -> None:
    """End a session, with a farewell if the server takes it within a second."""
    with suppress(Exception):
        await connection.close(timeout=1)
    connection.terminate()


def in_words(error: BaseException) -> str:
    """What happened, without the values of rows: those are not for a log."""
    if isinstance(error, asyncpg.DataError):
        return "it does not take a value"
    if isinstance(error, TimeoutError):
        return str(error) or "no answer"
    return str(error).partition("\n")[0] or type(error).__name__


def undone(error: BaseException | None) -> bool:
    """Whether ``error`` tells that a statement did nothing, and that its session goes on."""
    state = (error.sqlstate or "") if isinstance(error, asyncpg.PostgresError) else ""
    return state[:2] in _DEFINITE or state == asyncpg.LockNotAvailableError.sqlstate


def _passes(error: BaseException) -> bool:
    if isinstance(error, asyncpg.PostgresError):
        return (error.sqlstate or "")[:2] in _PASSING
    # Of several hosts none is the primary, or none is there.
    return isinstance(error, (OSError, asyncpg.TargetServerAttributeNotMatched))
