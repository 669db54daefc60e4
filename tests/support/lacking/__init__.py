"""Python processes that lack something: an extra that is not installed, or what Windows does not have."""

from __future__ import annotations

from pathlib import Path

import pytest


def take_away(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take ``what`` from the Python processes that this one starts, and from theirs: ``cluster`` or ``windows``.

    They get it by ``sitecustomize`` beside this file, which Python imports when it starts. A process must be started
    with this one's ``sys.path`` and environment.
    """
    monkeypatch.setenv("TEST_LACKING", what)
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
