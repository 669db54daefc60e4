"""The output of ``scripts/generate.py`` is current, and the script notices when it is not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = ("docs/protocol.md", "docs/operating.md", "docs/protocol.schema.json", "server/noughts/protocol/asyncapi.json")


def generate(root: Path, *options: str) -> tuple[int, str]:
    """The exit status of the script in ``root``, and what it says."""
    done = subprocess.run(
        [sys.executable, str(root / "scripts" / "generate.py"), *options], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_everything_generated_is_current() -> None:
    assert generate(ROOT, "--check") == (0, "")


@pytest.mark.slow
@pytest.mark.smoke
def test_what_is_out_of_date_is_named_and_written_anew(tmp_path: Path) -> None:
    for name in (*FILES, "scripts/generate.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    right = {file: (tmp_path / file).read_text(encoding="utf-8") for file in FILES}
    wrong = dict(right)
    for file, old, new in (
        ("docs/protocol.md", "| `bad_json` |", "| `bad_yaml` |"),
        ("docs/protocol.md", "| 1013 |", "| 1014 |"),
        ("docs/protocol.md", "| `ping` |", "| `pang` |"),
        ("docs/protocol.md", "| `forfeit` |", "| `forfait` |"),
        ("docs/operating.md", "| `--port` | 8765 |", "| `--port` | 8766 |"),
        ("docs/operating.md", "| `lobby` |", "| `lounge` |"),
        ("docs/protocol.schema.json", '"AnyRequest"', '"Anything"'),
        ("server/noughts/protocol/asyncapi.json", '"retry": true', '"retry": false'),
    ):
        assert old in wrong[file]
        wrong[file] = wrong[file].replace(old, new, 1)
        (tmp_path / file).write_text(wrong[file], encoding="utf-8")
    status, said = generate(tmp_path, "--check")
    assert status == 1
    assert said.splitlines() == [f"{file} is out of date. Run: python scripts/generate.py" for file in FILES]
    assert {file: (tmp_path / file).read_text(encoding="utf-8") for file in FILES} == wrong
    assert generate(tmp_path) == (0, "".join(f"wrote {file}\n" for file in FILES))
    assert {file: (tmp_path / file).read_text(encoding="utf-8") for file in FILES} == right
