"""Fixtures, tiers and signals for all tests.

The tiers are the default one, ``-m services`` and ``-m slow``; pyproject.toml describes them.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

from support.broker import Broker, running_broker
from support.postgres import Postgres, postgres_server
from support.programs import Tier

settings.register_profile("untimed", deadline=None)  # or a busy machine would fail an example
settings.load_profile("untimed")

SERVICES = {"postgres", "broker", "caddy"}
"""Fixtures and parameters that mean a server which is not Python."""


def pytest_xdist_auto_num_workers() -> int:
    """Two processes a processor: half of the time a test waits, for a disk, a timer or another process."""
    return 2 * (os.cpu_count() or 1)


@pytest.hookimpl(tryfirst=True)  # before the tiers are selected
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need a service, unless they are slow, which is a tier of its own."""
    for item in items:
        if isinstance(item, pytest.Function) and not item.get_closest_marker("slow"):
            parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
            if SERVICES & {*item.fixturenames, *(each for each in parameters if isinstance(each, str))}:
                item.add_marker(pytest.mark.services)


@pytest.hookimpl(tryfirst=True)  # before fixtures are set up
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let only tests that are marked start other programs."""
    Tier.may_start_programs = any(item.get_closest_marker(tier) for tier in ("services", "slow"))


gc.disable()  # it would pass over the growing heap again and again while tests are collected, and find little


def pytest_collection_finish() -> None:
    """Let the garbage collector, and tests that look through its objects, pass over all that was imported until now."""
    gc.collect()
    gc.freeze()
    gc.enable()


def _restore_signals() -> None:
    """Let the tests' child processes have the default disposition of every signal.

    Under ``nohup`` or in a background job SIGHUP or SIGINT are ignored, and children inherit that. They do not inherit
    a handler.
    """
    for number in (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


_restore_signals()

# Let the workers and the tests' child processes share compiled files. Where PYTHONDONTWRITEBYTECODE is set, each worker
# would rewrite every assertion, and each of some hundred children compile all that it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A private PostgreSQL server that runs; a test that stops, kills or freezes it restores it afterwards."""
    with postgres_server(syncs=False) as server:
        yield server


@pytest.fixture(scope="session")
def broker() -> Iterator[Broker]:
    """A broker for tests that neither stop nor configure it; each takes a topic prefix of its own."""
    with running_broker() as broker:
        yield broker
