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


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(ValidationError):
        Settings(port=70_000)


def test_the_journal_is_in_the_data_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Path(Settings().journal).is_relative_to(tmp_path)
