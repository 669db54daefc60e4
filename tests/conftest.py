"""Fixtures for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.broker import Broker, running_broker
from support.postgres import Postgres, postgres_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A private PostgreSQL server that runs; who stops, kills or freezes it starts or thaws it again."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def broker() -> Iterator[Broker]:
    """A broker for all who neither stop nor configure it; take a topic prefix of your own."""
    with running_broker() as broker:
        yield broker
