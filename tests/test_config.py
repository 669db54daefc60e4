"""The settings, and the table that documents them."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from noughts.config import Settings

DOCS = Path(__file__).parents[1] / "docs" / "operating.md"


def table() -> str:
    """The settings as the documentation shows them."""
    lines = ["| option | default | what it is |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        default = "a file in your data directory" if name == "journal" else field.default
        default = "none" if default is None else default
        lines.append(f"| `--{name.replace('_', '-')}` | {default} | {field.description} |")
    return "\n".join(lines)


def test_every_setting_is_documented() -> None:
    assert table() in DOCS.read_text()


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOUGHTS_PORT", "1234")
    monkeypatch.setenv("NOUGHTS_ORIGINS", '["https://example.org"]')
    assert Settings().port == 1234
    assert Settings().origins == ["https://example.org"]
    assert Settings(port=5).port == 5


def test_lists_are_json_on_the_command_line_too() -> None:
    options: dict[str, object] = {"origins": '["https://example.org"]', "trusted_proxies": '["10.0.0.0/8", "::1"]'}
    chosen = Settings.model_validate(options)
    assert chosen.origins == ["https://example.org"]
    assert chosen.trusted_proxies == ["10.0.0.0/8", "::1"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"port": 70_000},
        {"trusted_proxies": ["proxy.example.org"]},
        {"trusted_proxies": ["10.0.0.1/8"]},
        {"trusted_proxies": "10.0.0.1"},
        {"bus": "localhost:1883"},
        {"bus_prefix": "noughts/#"},
        {"bus_prefix": "/noughts"},
        {"node": "a/b"},
        {"node": ""},
        {"log_level": "loud"},
    ],
)
def test_what_cannot_be_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate(wrong)


def test_the_journal_is_in_the_data_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Path(Settings().journal).is_relative_to(tmp_path)
