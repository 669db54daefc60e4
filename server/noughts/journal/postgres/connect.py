"""Connections to PostgreSQL. Nothing waits for ever, and a session in doubt is not used again.

asyncpg's own pool is not used: it resets the session after each use, which is another round trip, and waits for what
it closes.
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
"""The time a use of the database may take. After that its outcome is unknown."""

CONNECT_S = 3.0
"""The time connecting may take."""

ATTEMPTS = 3
"""The number of attempts at what the server rolls back because of a conflict with another transaction."""

SESSION = {
    # The server gives up a little before we do: most failures are then known to have stored nothing.
    "statement_timeout": "3s",
    "lock_timeout": "1s",
    "idle_in_transaction_session_timeout": "5s",
    # If this machine is gone, its sessions and their locks end within seconds.
    "tcp_keepalives_idle": "2",
    "tcp_keepalives_interval": "1",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "5s",
    # Use an index for every query, even while a table is small or its statistics are old.
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "jit": "off",
}

FAILURES = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)

_DEFINITE = ("22", "23", "40")
"""Classes of SQLSTATE that mean that nothing was stored and the session goes on: bad data, constraint, rollback."""

_STEPS_S = (0.05, 0.1, 0.2, 0.4, 0.8)
_PASSING = ("53", "57", "08")
"""Classes of SQLSTATE of a server that may accept connections soon: no resources, starting or stopping, cut off."""


class Address:
    """The address of a database, and how to sign in.

    ``password`` overrides that in ``url``. ``name`` is what the database calls the sessions.

    Raises :class:`JournalError` for an address that is not valid.
    """

    def __init__(self, url: str, password: str | None = None, name: str = "noughts") -> None:
        self._url = url
        self._name = name
        self._password = password
        try:
            parts = urlsplit(url)
        except ValueError:  # its message may quote the password
            parts = None
        if parts is None or parts.scheme != "postgresql" or parts.netloc.count("@") > 1:
            raise JournalError(
                "the journal's address is not of the form postgresql://USER@HOST/DATABASE;"
                " special characters in it must be percent-encoded"
            )
        self.shown = f"{parts.netloc.rpartition('@')[2]}{parts.path}"
        """The address without the password, for messages."""

    async def connect(self, **session: str) -> Connection:
        """A new session with these settings in addition to ``SESSION``.

        Raises what asyncpg does, and TimeoutError; the messages do not contain the password. If the caller is
        cancelled, a session that arrives later is ended.
        """
        connecting = asyncio.ensure_future(
            asyncpg.connect(
                self._url,
                password=self._password,
                timeout=CONNECT_S,
                command_timeout=ANSWER_S,
                server_settings={"application_name": self._name, **SESSION, **session},
            )
        )
        try:
            return await asyncio.shield(connecting)  # cancelling asyncpg while it connects leaks
        except asyncio.CancelledError:
            connecting.add_done_callback(_end)
            raise

    async def connect_when_up(self, patience_s: float) -> Connection:
        """A new session without time limits on its statements, as soon as the database is up.

        Raises :class:`JournalError` if it is not up within ``patience_s``, or refuses the connection.
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
                        seen = describe(error)
                    await asyncio.sleep(_STEPS_S[-1])
        except TimeoutError:
            message = f"cannot reach the database {self.shown} within {patience_s:.0f} s: {seen}"
            raise JournalError(message) from None
        except (*FAILURES, ValueError) as error:
            known = isinstance(error, asyncpg.PostgresError)
            reason = describe(error) if known else "something is wrong with its address"
            raise JournalError(f"cannot use the database {self.shown}: {reason}") from None


class Pool:
    """At most ``size`` sessions, opened when needed. If all are in use, callers wait."""

    def __init__(self, connect: Callable[[], Awaitable[Connection]], size: int) -> None:
        self._connect = connect
        self._places = asyncio.Semaphore(size)
        self._idle: list[Connection] = []
        self._failures = 0
        self._not_before = 0.0
        self._refusal: str | None = None

    async def use(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Run ``work`` in a session, each statement in a transaction of its own.

        Raises :class:`JournalError` with its cause if that fails or takes longer than ``ANSWER_S``. The outcome is
        unknown then, unless :func:`undone` is true of the cause.
        """
        if self._refusal is not None:
            raise JournalError(self._refusal)
        try:
            async with asyncio.timeout(ANSWER_S), self._places:
                return await self._use(work)
        except TimeoutError as error:
            for connection in self._take_idle():  # most likely stuck as well
                connection.terminate()
            raise JournalError(f"the database did not answer within {ANSWER_S:.0f} s") from error
        except FAILURES as error:
            raise JournalError(f"the database failed: {describe(error)}") from error

    async def fetch(self, sql: str, *arguments: object) -> list[Any]:
        """The rows that a statement returns. Raises what :meth:`use` does."""
        return await self.use(lambda connection: connection.fetch(sql, *arguments))

    async def retry(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """As :meth:`use`, and try again if the server rolled back, as it does to resolve a deadlock."""
        for _ in range(ATTEMPTS - 1):
            try:
                return await self.use(work)
            except JournalError as error:
                if not isinstance(error.__cause__, asyncpg.TransactionRollbackError):
                    raise
        return await self.use(work)

    async def transact(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """As :meth:`retry`, in one transaction. Each statement sees what was committed before the statement began."""

        async def whole(connection: Connection) -> T:
            async with connection.transaction():
                return await work(connection)

        return await self.retry(whole)

    async def close(self) -> None:
        """End the sessions that are not in use. The others end after their use."""
        self.refuse("the journal is closed")
        await asyncio.gather(*map(end, self._take_idle()))

    def refuse(self, reason: str) -> None:
        """Do no more work, and fail with ``reason`` instead."""
        self._refusal = reason

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
            if usable and self._refusal is None and not connection.is_closed():
                self._idle.append(connection)
            else:
                # Before asyncpg asks for a cancellation, after which PostgreSQL shows what waits for a standby.
                connection.terminate()

    def _ready(self) -> Connection | None:
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection
            connection.terminate()
        return None

    async def _new(self) -> Connection:
        """A new session. After failures, back off, to spare a database that is down."""
        loop = asyncio.get_running_loop()
        if loop.time() < self._not_before:
            raise ConnectionError("it was not reachable a moment ago")
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


async def end(connection: Connection) -> None:
    """End a session, cleanly if that works within a second."""
    with suppress(Exception):
        await connection.close(timeout=1)
    connection.terminate()


def describe(error: BaseException) -> str:
    """The error in words, without the values of rows, which must not be logged."""
    if isinstance(error, asyncpg.DataError):
        return "it refused a value"
    if isinstance(error, TimeoutError):
        return str(error) or "no answer"
    return str(error).partition("\n")[0] or type(error).__name__


def undone(error: BaseException | None) -> bool:
    """True if ``error`` means that the statement stored nothing and its session goes on."""
    state = (error.sqlstate or "") if isinstance(error, asyncpg.PostgresError) else ""
    return state[:2] in _DEFINITE or state == asyncpg.LockNotAvailableError.sqlstate


def _passes(error: BaseException) -> bool:
    if isinstance(error, asyncpg.PostgresError):
        return (error.sqlstate or "")[:2] in _PASSING
    # Of several hosts none is the primary, or none is reachable.
    return isinstance(error, (OSError, asyncpg.TargetServerAttributeNotMatched))
