from __future__ import annotations

import argparse

import pytest

from noughts.cli.arguments import add_url


def url(*arguments: str) -> str | None:
    parser = argparse.ArgumentParser()
    add_url(parser)
    found: str | None = parser.parse_args(arguments).url
    return found


def test_the_port_that_serve_takes_from_the_environment_is_the_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOUGHTS_PORT", raising=False)
    assert url() is None
    monkeypatch.setenv("NOUGHTS_PORT", "9000")
    assert url() == "ws://127.0.0.1:9000/ws"
    assert url("--url", "192.168.1.5") == "ws://192.168.1.5:8765/ws"


def test_a_port_in_the_environment_that_is_none_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NOUGHTS_PORT", "web")
    with pytest.raises(SystemExit) as ended:
        url()
    assert (ended.value.code, "127.0.0.1:web" in capsys.readouterr().err) == (2, True)
