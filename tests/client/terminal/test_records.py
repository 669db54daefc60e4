"""Recorded games."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from noughts_client.terminal.explainer import ExplainFile
from noughts_client.terminal.options import CommandError, Options
from noughts_client.terminal.records import replay_file
from noughts_client.terminal.screen import Screen

NO_SCREEN = cast(Screen, None)
NOTHING_TO_EXPLAIN = cast(ExplainFile, None)


async def test_a_file_without_a_game_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"Cannot read .*none\.jsonl: No such file"):
        await replay_file(NO_SCREEN, tmp_path / "none.jsonl", Options(), NOTHING_TO_EXPLAIN)
    file = tmp_path / "games.jsonl"
    file.write_text('{"noughts": 1}\n')
    with pytest.raises(CommandError, match=r"games\.jsonl has no game that can be replayed: line 1"):
        await replay_file(NO_SCREEN, file, Options(), NOTHING_TO_EXPLAIN)
