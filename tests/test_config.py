"""The settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from noughts.config import Settings, UnusableSetting, address_of, masked, password_in


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOUGHTS_PORT", "1234")
    monkeypatch.setenv("NOUGHTS_ORIGINS", '["https://example.org"]')
    assert Settings().port == 1234
    assert Settings().origins == ["https://example.org"]
    assert Settings(port=5).port == 5


def test_lists_are_json_in_options_too() -> None:
    options: dict[str, object] = {"origins": '["https://example.org"]', "trusted_proxies": '["10.0.0.0/8", "::1"]'}
    chosen = Settings.model_validate(options)
    assert chosen.origins == ["https://example.org"]
    assert chosen.trusted_proxies == ["10.0.0.0/8", "::1"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"port": 70_000},
        {"origins": ["null"]},
        {"origins": ["example.org"]},
        {"origins": ["https://example.org/page"]},
        {"public_url": "play.example.org"},
        {"public_url": "wss://play.example.org"},
        {"public_url": "https://play.example.org:70000"},
        {"trusted_proxies": ["proxy.example.org"]},
        {"trusted_proxies": ["10.0.0.1/8"]},
        {"trusted_proxies": "10.0.0.1"},
        {"bus": "localhost:1883"},
        {"bus_prefix": "noughts/#"},
        {"bus_prefix": "/noughts"},
        {"node": "a/b"},
        {"node": ""},
        {"log_level": "loud"},
        {"log_format": "xml"},
        {"metrics": "localhost"},
        {"metrics": "::1:9765"},
        {"metrics": "127.0.0.1:70000"},
    ],
)
def test_bad_values_are_rejected(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate(wrong)


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [("127.0.0.1:9765", "127.0.0.1", 9765), ("[::1]:0", "::1", 0), ("localhost:65535", "localhost", 65_535)],
)
def test_an_address_is_a_host_and_a_port(text: str, host: str, port: int) -> None:
    assert address_of(text) == (host, port)
    assert Settings.model_validate({"metrics": text}).metrics == text


def test_the_default_journal_is_in_the_data_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Path(Settings().journal).is_relative_to(tmp_path)


def test_white_space_around_a_password_is_ignored(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("open sesame\n")
    assert password_in(file) == "open sesame"
    assert password_in(None) is None


@pytest.mark.parametrize("content", [None, b"", b" \n", b"\xff"])
def test_an_unusable_password_file_is_reported(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "password"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UnusableSetting, match=r"password file .*/password"):
        password_in(file)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://noughts@db/games", "postgresql://noughts@db/games"),
        ("postgresql://noughts:sesame@db:5433/games", "postgresql://noughts:***@db:5433/games"),
        ("postgresql://noughts:ses@me@db/games", "postgresql://noughts:***@db/games"),
        ("postgresql://db/games?user=noughts&password=sesame", "postgresql://db/games"),
        ("mqtts://user:sesame@[::1]:8883", "mqtts://user:***@[::1]:8883"),
        ("postgresql://noughts:sesame@[db/games", "postgresql://..."),
        ("/var/lib/noughts/a?b#c", "/var/lib/noughts/a?b#c"),
    ],
)
def test_passwords_in_addresses_are_masked(url: str, shown: str) -> None:
    assert masked(url) == shown
