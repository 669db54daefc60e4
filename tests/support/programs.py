"""Programs that tests start: PostgreSQL, Mosquitto, Caddy, a compiler. No test of the default tier may need one."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest


class Tier:
    """True if the test that runs may start programs; conftest.py sets it for each test."""

    may_start_programs = True


def program(name: str) -> str:
    """The path of ``name``. Without it the test is skipped, and fails where ``CI`` is set."""
    check_tier(name)
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/games"))
    return shutil.which(name, path=path) or missing(name)


def check_tier(name: str) -> None:
    """Fail a test that starts ``name`` in the default tier."""
    if not Tier.may_start_programs:
        pytest.fail(f"this test starts {name}: mark it with pytest.mark.services")


def missing(name: str) -> NoReturn:
    """Skip the test because ``name`` is not installed; fail it where ``CI`` is set."""
    if os.environ.get("CI"):
        pytest.fail(f"{name} is not installed")
    pytest.skip(f"{name} is not installed")
