"""The tables of limits and metrics in docs/operating.md."""

from __future__ import annotations

import re
from pathlib import Path

import noughts
from noughts.config import Settings
from noughts.gateway import work
from support.doc_tables import table

DOCS = Path(__file__).parents[2] / "docs" / "operating.md"


def test_every_limit_that_the_server_counts_is_documented() -> None:
    """A limit has a setting, or whoever counts it describes it in ``STOPS``."""
    source = "".join(file.read_text() for file in Path(noughts.__file__).parent.rglob("*.py"))
    counted = set(re.findall(r'(?:limit|_cut_by|_stopped_by)(?:\(|,)\s*"(\w+)"', source)) | {
        work.LIMIT,
        *work.UNFINISHED,
    }
    assert counted - Settings.model_fields.keys() == set(table(DOCS.read_text(), "\n## Limits"))


def test_every_metric_is_documented() -> None:
    source = "".join(path.read_text() for path in Path(noughts.__file__).parent.rglob("*.py"))
    shown = set(re.findall(r'(?:_family|_histogram|Reading)\(\s*"(\w+)"', source))
    text = DOCS.read_text()
    documented = set(re.findall(r"`noughts_(\w+)`", text[text.index("| metric | labels") : text.index("## Limits")]))
    assert documented == shown
