"""Programs that many tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.broker import Broker, running_broker


@pytest.fixture(scope="session")
def broker() -> Iterator[Broker]:
    """A broker for all who neither stop nor configure it; take a topic prefix of your own."""
    with running_broker() as broker:
        yield broker
