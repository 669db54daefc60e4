"""Opens what a server runs on: the journal and the link to the broker that the settings name."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noughts.config import Settings, UnusableSetting, password_in
from noughts.journal import Journal, JournalError, SqliteJournal
from noughts.timing import Timing

if TYPE_CHECKING:  # its libraries are in the extra ``cluster``
    from noughts.mqtt.link import Link

log = logging.getLogger(__name__)

WORTH_A_WORD_S = 4.0
"""The log says so if the journal has not answered for so long: a healthy database may make its tables first."""

CLOSE_S = 1.0
"""The time the link to the broker, and then the journal, may take to close."""


@contextmanager
def _needing_cluster(option: str) -> Iterator[None]:
    """Import within the block what ``option`` needs of the extra ``cluster``."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("noughts"):
            raise
        raise UnusableSetting(
            f"{option} needs the extra 'cluster', which is not installed: pip install 'noughts[cluster]'"
        ) from None


@asynccontextmanager
async def link_of(settings: Settings, node: str, timing: Timing = Timing()) -> AsyncIterator[Link | None]:
    """The link to the broker that the settings name, within the block; None where they name none.

    Raises :class:`~noughts.config.UnusableSetting`.
    """
    if settings.bus is None:
        yield None
        return
    if sys.platform == "win32":
        raise UnusableSetting("--bus: a broker needs an event loop that Windows does not have; use Linux or macOS")
    with _needing_cluster("--bus"):
        from noughts.mqtt.link import Link  # noqa: PLC0415
    password = password_in(settings.bus_password_file)
    try:
        link = Link(
            settings.bus, node=node, prefix=settings.bus_prefix, password=password, ca=settings.bus_ca, timing=timing
        )
    except ValueError as error:
        raise UnusableSetting(f"--bus: {error}") from None
    except OSError as error:
        raise UnusableSetting(f"--bus-ca: {error.strerror}") from None
    await link.start()
    try:
        yield link
    finally:
        await within(CLOSE_S, link.close(), "closing the link to the broker")


@asynccontextmanager
async def journal_of(settings: Settings, *, beside: bool = False, node: str | None = None) -> AsyncIterator[Journal]:
    """The journal that the settings name, within the block. Raises what :func:`open_journal` does.

    ``beside``: as :func:`open_beside` opens it. ``node`` is the name of the server that runs on it, None for a command.
    """
    password = password_in(settings.journal_password_file)
    waiting = asyncio.get_running_loop().call_later(WORTH_A_WORD_S, log.warning, "waiting for the journal")
    try:
        if beside:
            journal = await open_beside(settings.journal, password)
        else:
            journal = await open_journal(settings.journal, password, node, migrate_anyway=settings.migrate_anyway)
    finally:
        waiting.cancel()
    try:
        yield journal
    finally:
        await within(CLOSE_S, journal.close(), "closing the journal")


async def open_journal(
    where: str, password: str | None = None, node: str | None = None, *, migrate_anyway: bool = False
) -> Journal:
    """The journal that the setting ``journal`` names; the rest is for ``PostgresJournal.open``.

    Raises :class:`~noughts.journal.JournalInUse`, :class:`~noughts.journal.JournalError`, and
    :class:`~noughts.config.UnusableSetting` where PostgreSQL's driver is not installed.
    """
    if where == "memory":
        return SqliteJournal.in_memory()
    scheme, separator, _ = where.partition("://")
    if scheme == "postgresql":
        with _needing_cluster("--journal postgresql://..."):
            from noughts.journal.postgres.journal import PostgresJournal  # noqa: PLC0415
        return await PostgresJournal.open(where, password, node=node, migrate_anyway=migrate_anyway)
    if separator:
        raise JournalError(f"a journal is 'memory', the path of a file or postgresql://..., not {scheme}://...")
    return await SqliteJournal.open(Path(where))


async def open_beside(where: str, password: str | None = None) -> Journal:
    """The journal, which must exist, for a short while, even if servers have it open.

    Raises :class:`~noughts.journal.JournalError`.
    """
    if where == "memory":
        raise JournalError("a journal in memory belongs to its server alone; name another with --journal")
    if "://" in where:
        return await open_journal(where, password)
    return await SqliteJournal.open(Path(where), exclusive=False)


async def within(seconds: float, work: Coroutine[Any, Any, None], what: str) -> None:
    """Do ``work``, and give it up after ``seconds``."""
    try:
        async with asyncio.timeout(seconds):
            await work
    except TimeoutError:
        log.warning("%s did not finish within %g s", what, seconds)
