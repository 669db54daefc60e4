from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from noughts.cli.arguments import add_url, clock, duration, moment, seconds, whole
from support.command import errors_of


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


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (whole(), "1", 1),
        (whole(0, 9), "0", 0),
        (whole(None), "-5", -5),
        (seconds(), "0.5", 0.5),
        (seconds(3600), "3600", 3600),
        (duration, "2d", 172_800_000),
        (moment(UTC), "2026-11-24", datetime(2026, 11, 24, tzinfo=UTC)),
        (moment(UTC), "2026-11-24T18:30+01:00", datetime(2026, 11, 24, 17, 30, tzinfo=UTC)),
        (moment(), "2026-11-24T18:30+01:00", datetime(2026, 11, 24, 17, 30, tzinfo=UTC)),
        (moment(), "2026-11-24T18:30", datetime(2026, 11, 24, 18, 30).astimezone()),
        (clock, "3+2", "3+2"),
        (clock, "none", "none"),
    ],
)
def test_an_argument_is_read(read: Callable[[str], object], text: str, value: object) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    ("read", "text", "words"),
    [
        (whole(), "0", "must be a whole number of at least 1, not '0'"),
        (whole(1, 10_000), "10001", "must be a whole number from 1 to 10000, not '10001'"),
        (whole(None), "1.5", "must be a whole number, not '1.5'"),
        (whole(None), "9" * 19, f"must be a whole number, not '{'9' * 19}'"),
        (seconds(), "inf", "must be a number greater than 0, not 'inf'"),
        (seconds(), "nan", "must be a number greater than 0, not 'nan'"),
        (seconds(3600), "3601", "must be a number greater than 0 and at most 3600, not '3601'"),
        (duration, "0d", "must be a time such as 30m, 1h, 2d or 1w, not '0d'"),
        (moment(), "soon", "must be a date such as 2026-11-24 or 2026-11-24T18:30, not 'soon'"),
    ],
)
def test_a_wrong_argument_is_refused_in_the_same_words_by_every_command(
    read: Callable[[str], object], text: str, words: str
) -> None:
    with pytest.raises(argparse.ArgumentTypeError) as refused:
        read(text)
    assert str(refused.value) == words


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("games", "--limit", "0"), "argument --limit: must be a whole number from 1 to 10000, not '0'"),
        (("bot", "a.py", "--games", "0"), "argument --games: must be a whole number of at least 1, not '0'"),
        (
            ("league", "a.py", "b.py", "--rounds", "x"),
            "argument --rounds: must be a whole number of at least 1, not 'x'",
        ),
        (("league", "a.py", "b.py", "--openings", "-1"), "argument --openings: must be a whole number of at least 0"),
        (("grade", "a.py", "--seed", "x"), "argument --seed: must be a whole number, not 'x'"),
        (("watch", "--from", "-1"), "argument --from: must be a whole number of at least 0, not '-1'"),
        (("admin", "list", "games", "--limit", "0"), "argument --limit: must be a whole number of at least 1, not '0'"),
        (("review", "a.jsonl", "--seconds", "0"), "argument --seconds: must be a number greater than 0, not '0'"),
        (("verify", "a.py", "--memory", "0"), "argument --memory: must be a whole number of at least 1, not '0'"),
    ],
)
def test_commands_have_these_types(argv: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert words in errors_of(capsys, *argv)
