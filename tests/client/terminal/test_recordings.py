"""Recorded games."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from noughts_client.terminal.explainer import ExplainFile
from noughts_client.terminal.options import CommandError, Options
from noughts_client.terminal.recordings import replay_file
from noughts_client.terminal.screen import Screen
from support.command import noughts

NO_SCREEN = cast(Screen, None)
NOTHING_TO_EXPLAIN = cast(ExplainFile, None)


async def test_a_file_without_a_game_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"Cannot read .*none\.jsonl: No such file"):
        await replay_file(NO_SCREEN, tmp_path / "none.jsonl", Options(), NOTHING_TO_EXPLAIN)
    file = tmp_path / "games.jsonl"
    file.write_text('{"noughts": 1}\n')
    with pytest.raises(CommandError, match=r"games\.jsonl has no game that can be replayed: line 1"):
        await replay_file(NO_SCREEN, file, Options(), NOTHING_TO_EXPLAIN)


GAMES = """\
[White "Ann"]
[Date "2026.11.24"]
1. e4 (1. d4) e5 2. Nf3 1/2-1/2

[White "Ben"]
1. e4 e4 *
"""


def test_a_game_that_another_program_wrote_is_replayed(tmp_path: Path) -> None:
    file = tmp_path / "games.PGN"
    file.write_text(GAMES.partition("\n\n")[0])
    shown = noughts("watch", str(file), "--from", "2").out.decode()
    assert "Ann" in shown
    assert "Ann played Nf3." in shown
    assert "Draw by agreement." in shown


def test_of_several_games_one_is_chosen(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    file.write_text(GAMES)
    asked = noughts("watch", str(file)).out.decode()
    assert "  1  2026-11-24  Ann - ?, Chess\n  2  ?  Ben - ?, Chess\n" in asked


async def test_what_is_wrong_in_it_is_said_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "game.pgn"
    for text, error in (
        (GAMES.partition("\n\n")[2], "line 2: 'e4' cannot be played: no pawn of yours can go to e4 now"),
        ("\n(", "line 2: a variation"),
    ):
        file.write_text(text)
        with pytest.raises(CommandError, match=rf"game\.pgn has no game that can be replayed: {error}"):
            await replay_file(NO_SCREEN, file, Options(), NOTHING_TO_EXPLAIN)
