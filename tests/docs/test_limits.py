"""The table of all limits in docs/operating.md."""

from __future__ import annotations

import re
from pathlib import Path

import noughts
from noughts.config import Settings
from noughts.gateway import work

DOCS = Path(__file__).parents[2] / "docs" / "operating.md"

NOT_LIMITS = {
    *("host", "port", "node", "workers", "log_level", "log_format", "metrics", "metrics_token_file"),
    *("journal", "journal_password_file", "migrate_anyway", "bus", "bus_password_file", "bus_ca", "bus_prefix"),
    *("public_url", "trusted_proxies"),
    *("away_s", "drain_s", "waiting_s", "first_move_s", "claim_s", "abandoned_s", "sleeping_days"),
    *("search_workers", "think_s", "warm_up", "analyse_s", "review_s", "computer_pace_s"),
    "page",
}
"""The settings that limit no client. A new setting must be here or in the table."""


def rows() -> list[tuple[str, str, str]]:
    """What each limit stops, its setting, and its name."""
    _, _, table = DOCS.read_text().partition("| what it stops | setting | `limit` |\n|---|---|---|\n")
    lines = table.partition("\n\n")[0].splitlines()
    found = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
    assert all(len(row) == 3 for row in found)
    return [(what, setting, name.strip("`")) for what, setting, name in found]


def test_every_setting_that_is_a_limit_is_in_the_table() -> None:
    options = {option for _, setting, _ in rows() for option in re.findall(r"`--([a-z-]+)`", setting)}
    assert {option.replace("-", "_") for option in options} == Settings.model_fields.keys() - NOT_LIMITS


def test_every_limit_that_the_server_counts_is_in_the_table() -> None:
    source = "".join(file.read_text() for file in Path(noughts.__file__).parent.rglob("*.py"))
    counted = set(re.findall(r'(?:limit|_cut_by|_stopped_by)(?:\(|,)\s*"(\w+)"', source))
    counted |= set(re.findall(r'"(\w+)"', source)) & (Settings.model_fields.keys() - NOT_LIMITS - {"burst"})
    budgets = re.findall(r'_Budgets\(\s*"(\w+)"', source)
    counted |= {f"{name}_per_{whom}" for name in budgets for whom in ("player", "address")}
    counted |= {work.LIMIT, *work.UNFINISHED}
    names = [name for _, _, name in rows()]
    assert len(set(names)) == len(names)
    assert set(names) == counted


def test_every_metric_is_documented() -> None:
    source = "".join(path.read_text() for path in Path(noughts.__file__).parent.rglob("*.py"))
    shown = set(re.findall(r'(?:_family|_histogram|Reading)\(\s*"(\w+)"', source))
    text = DOCS.read_text()
    documented = set(re.findall(r"`noughts_(\w+)`", text[text.index("| metric | labels") : text.index("## Limits")]))
    assert documented == shown
