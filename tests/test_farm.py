"""A farm that cannot be used, without one; tests/league/test_runner_farm.py has real ones."""

from __future__ import annotations

import sys

import pytest

from noughts.app import running
from noughts.config import UnusableSetting
from noughts.farm import FarmError, connected, identity
from support.command import noughts
from support.server import settings


async def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(FarmError, match=r"needs the extra 'farm', .*: pip install 'noughts\[farm\]'"):
        async with connected("tcp://127.0.0.1:1", None, print):
            pass


async def test_a_server_without_the_extra_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UnusableSetting, match="needs the extra 'farm'"):
        async with running(settings(farm="tcp://127.0.0.1:1")):
            pass


@pytest.mark.parametrize("command", ["league", "class", "grade", "verify"])
def test_an_address_that_is_none_is_refused(command: str) -> None:
    result = noughts(command, "a.py", "b.py", "--farm", "scheduler")
    assert result.status == 2
    assert "must be the address of a scheduler, such as tcp://scheduler:8786, not 'scheduler'" in result.err


def test_the_identity_of_a_copy_has_its_version() -> None:
    assert identity().startswith("0.")
    assert identity() == identity()
