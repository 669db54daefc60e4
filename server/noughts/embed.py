"""A server of one's own within a program: for the tests of a bot, a notebook, a league, or one game in the terminal.

    import noughts.embed

    async with noughts.embed.server() as server:
        ...  # connect to server.url

It listens on this machine alone, on a free port, and stores games in memory unless it is given a ``journal``. It reads
no variables of the environment, which may be meant for another server. Docs: docs/bots.md.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from noughts.app import running
from noughts.config import Settings
from noughts_client.page import FOLDER

# Without a handler of its own, Python would print the warnings of a program that has set up no log.
logging.getLogger("noughts").addHandler(logging.NullHandler())

PLENTY = 10**9

LIMITS = (
    "messages_per_s",
    "burst",
    "mqtt_messages_per_s",
    "mqtt_bytes_per_s",
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
    "analyses_per_s",
    "traces_per_s",
)
"""The settings that protect a server from strangers. Here are only its owner's programs, all at one address."""


class _OwnSettings(Settings):
    """Settings that are given in Python alone."""

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


@dataclass(frozen=True, slots=True)
class OwnServer:
    """A server that runs in this process: its WebSocket ``url``, which clients connect to, and its ``port``."""

    url: str
    port: int


def settings(*, journal: Path | str = "memory", limits: bool = False, **options: object) -> Settings:
    """The settings of a server of one's own: ``options``, and defaults that suit it.

    The options are those of ``noughts serve`` (docs/operating.md), with underscores. ``journal`` is the file for the
    games. ``limits`` keeps the limits that protect a server from strangers.

    Raises ValueError for an option that does not exist or has a wrong value.
    """
    own = {"journal": str(journal), "port": 0, "page": False, "warm_up": False, "drain_s": 1.0}
    unlimited = {} if limits else dict.fromkeys(LIMITS, PLENTY)
    return _OwnSettings.model_validate({**own, **unlimited, **options})


@asynccontextmanager
async def server(
    *, journal: Path | str = "memory", limits: bool = False, **options: object
) -> AsyncIterator[OwnServer]:
    """Run a server of one's own within the block. The arguments are those of :func:`settings`.

    At the end of the block it stops: its clients are disconnected, and a journal in memory is gone.

    Raises ValueError for a wrong option, :class:`~noughts.config.UnusableSetting`,
    :class:`~noughts.journal.JournalInUse` if another server has the ``journal`` open,
    :class:`~noughts.journal.JournalError` if it cannot be opened, and OSError if the address cannot be used.
    """
    own = settings(journal=journal, limits=limits, **options)
    async with running(own, page=FOLDER if own.page else None) as started:
        yield OwnServer(started.urls[0], started.port)
