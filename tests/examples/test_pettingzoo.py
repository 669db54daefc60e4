"""The PettingZoo environment, and a bot that was trained in it."""

from __future__ import annotations

import json
import random
import shutil
import sys
from pathlib import Path

import pytest

from noughts.games import GAMES, Side
from support.command_aside import noughts_process, program_process
from support.server import running_server

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def examples(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pettingzoo")
    monkeypatch.syspath_prepend(str(EXAMPLES))


@pytest.mark.filterwarnings("ignore::UserWarning")  # names of agents and spaces of its own games, which it recommends
@pytest.mark.parametrize("game", ["tictactoe", "connect4", "kalah", "chess", "go", "hex?size=5"])
def test_any_game_is_an_environment_by_pettingzoos_own_test(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    from pettingzoo.test import api_test
    from pettingzoo_env import Board  # type: ignore[import-not-found]

    api_test(Board(game), num_cycles=20)
    assert "Passed" in capsys.readouterr().out


def test_who_moves_again_in_kalah_is_the_agent_again() -> None:
    from pettingzoo_env import Board

    env = Board("kalah")
    env.reset()
    env.step(env.position.legal_moves.index("c1"))  # its last seed falls into the store
    assert env.agent_selection == "first"


def test_it_learns_not_to_lose() -> None:
    from pettingzoo_train import best_move, train  # type: ignore[import-not-found]

    values, rng, lost = train(games=8000), random.Random(1), 0
    for number in range(60):
        position, side = GAMES["tictactoe"].start, (Side.FIRST, Side.SECOND)[number % 2]
        while position.to_move is not None:
            mine = position.to_move is side
            position = position.play(best_move(values, position) if mine else rng.choice(position.legal_moves))
        assert position.outcome is not None
        lost += position.outcome.winner is side.other
    assert lost <= 2


@pytest.mark.smoke
@pytest.mark.slow
async def test_what_it_has_learned_plays_as_a_bot(tmp_path: Path) -> None:
    for name in ("pettingzoo_env.py", "pettingzoo_train.py"):
        shutil.copy(EXAMPLES / name, tmp_path)
    trained = await program_process(sys.executable, tmp_path / "pettingzoo_train.py")
    assert trained.status == 0, trained.err
    assert len(json.loads((tmp_path / "values.json").read_text())) > 4000
    async with running_server() as url:
        bot = ("bot", tmp_path / "pettingzoo_train.py", "--game", "tictactoe", "--against", "hard", "--games", "2")
        played = await noughts_process(*bot, "--url", url)
    assert played.status == 0, played.err
    assert "Lost" not in played.out
