"""A server of the league's own: on this machine only, on a free port, with its journal in the league's folder."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from noughts.app import running
from noughts.config import Settings, UnusableSetting
from noughts.journal import JournalError, JournalInUse
from noughts.journal.sqlite.schema import lock_journal
from noughts.league.state import LeagueError
from noughts_client.page import FOLDER

PLENTY = 10**9
"""For limits that protect a server from strangers. Here is only the league, at one address."""

LIMITS = (
    "messages_per_s",
    "burst",
    "rooms_per_player",
    "rooms_per_address",
    "rooms_per_connection",
    "answer_bytes_per_player",
    "answer_bytes_per_address",
    "daily_bytes_per_player",
    "daily_bytes_per_address",
    "connections_per_address",
    "http_per_address",
    "http_per_s",
)


class _OwnSettings(Settings):
    """Settings that do not depend on the environment, which may be meant for another server."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - the signature is pydantic's
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)


def settings_for(journal: Path) -> Settings:
    """The server's settings."""
    own = {"journal": str(journal), "port": 0, "warm_up": False, "drain_s": 1.0, "search_workers": 1}
    return _OwnSettings.model_validate({**dict.fromkeys(LIMITS, PLENTY), **own})


@contextmanager
def alone(journal: Path) -> Iterator[None]:
    """Keep others from playing the league with this ``journal``, as a server of its own would.

    Raises :class:`LeagueError`.
    """
    try:
        lock = lock_journal(journal)
    except JournalInUse:
        raise _busy(journal) from None
    with closing(lock):
        yield


@asynccontextmanager
async def own_server(journal: Path) -> AsyncIterator[str]:
    """The WebSocket URL of a server that runs within the block. Raises :class:`LeagueError` if it cannot start."""
    try:
        async with running(settings_for(journal), page=FOLDER) as server:
            yield server.urls[0]
    except JournalInUse:
        raise _busy(journal) from None
    except (JournalError, UnusableSetting) as error:
        raise LeagueError(f"the league's server cannot start: {error}") from error


def _busy(journal: Path) -> LeagueError:
    return LeagueError(f"the league in {journal.parent} is being played already")
