"""Recorded games: read from a file."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from noughts_client.terminal.options import Options
from noughts_client.terminal.replaying import of_file
from noughts_client.terminal.screen import Screen
from noughts_client.terminal.sitting import Closed

NO_SCREEN = cast(Screen, None)


async def test_a_file_without_a_game_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(Closed, match=r"none\.jsonl cannot be read: No such file"):
        await of_file(NO_SCREEN, tmp_path / "none.jsonl", Options())
    file = tmp_path / "games.jsonl"
    file.write_text('{"noughts": 1}\n')
    with pytest.raises(Closed, match=r"games\.jsonl holds no game that can be replayed: line 1"):
        await of_file(NO_SCREEN, file, Options())
