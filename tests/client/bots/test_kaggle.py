"""Kaggle's agents as bots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from noughts_client.bots.game_bot import start
from noughts_client.bots.kaggle import as_choose
from noughts_client.bots.program import parse_spec
from noughts_client.failure import BotFailed
from support.bots import state_after


def test_an_agent_sees_the_board_from_the_top_and_its_own_mark() -> None:
    seen: list[Any] = []

    def agent(observation: Any, configuration: Any) -> int:
        seen.append((observation, configuration))
        return 3

    assert as_choose(agent)(state_after("4", "4", "1", game="connect4")) == "4"
    observation, configuration = seen[0]
    assert len(observation.board) == 42
    assert (observation.board[38], observation.board[31], observation.board[35]) == (1, 2, 1)
    assert (observation["mark"], observation.step, configuration.columns, configuration.inarow) == (2, 3, 7, 4)


def test_an_agent_may_take_the_observation_alone_and_a_cell_counts_from_0() -> None:
    state = state_after("5", game="tictactoe")
    assert as_choose(lambda obs: obs.board.index(0))(state) == "1"
    assert as_choose(lambda _: "nonsense")(state) == "nonsense"


async def test_a_file_with_an_agent_plays(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(
        "def agent(obs, conf): return [c for c in range(conf.columns) if not obs.board[c]][0]"
    )
    bot = await start(parse_spec(str(tmp_path / "bot.py")), "connect4")
    try:
        assert await bot.choose(state_after("4", game="connect4"), patience_s=10) == ("1", "")
    finally:
        await bot.close()


async def test_other_games_are_not_played(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("def agent(obs, conf): return 0")
    bot = await start(parse_spec(str(tmp_path / "bot.py")), "hex")
    with pytest.raises(BotFailed, match="connect4 and tictactoe"):
        await bot.choose(state_after(game="hex"), patience_s=10)
    await bot.close()
