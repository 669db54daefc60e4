"""The cost of importing the client."""

from __future__ import annotations

import subprocess
import sys

import pytest

import noughts_client


@pytest.mark.parametrize("name", noughts_client.__all__)
def test_every_name_can_be_imported(name: str) -> None:
    assert getattr(noughts_client, name) is not None


def test_other_names_are_refused_like_those_of_any_module() -> None:
    with pytest.raises(AttributeError, match="module 'noughts_client' has no attribute 'nonsense'"):
        noughts_client.nonsense  # noqa: B018


def test_the_process_of_a_bot_does_not_import_the_network_or_the_models() -> None:
    code = (
        "import sys, noughts_client.bots.child, noughts_client.state\n"
        "print({'pydantic', 'websockets', 'noughts.protocol'} & set(sys.modules))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "set()\n"
