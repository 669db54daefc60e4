"""Bots that cannot play are found before the league begins."""

from __future__ import annotations

from pathlib import Path

from noughts.games import GAMES
from noughts.league.plan import players_of
from noughts.league.runner import rehearse
from noughts.league.state import Folder
from support.leagues import league

BOTS = {
    "good": "def choose(state):\n    return state['legal_moves'][0]\n",
    "slow": "import time\ndef choose(state):\n    time.sleep(99)\n",
    "nameless": "def chose(state):\n    return 1\n",
    "wrong": "def choose(state):\n    return 'z9'\n",
    "other": "def choose(state):\n    return '1' if state['seats']['second']['name'] == 'easy' else state.none\n",
}


async def test_bots_that_fail_are_named_in_their_order(tmp_path: Path) -> None:
    for name, program in BOTS.items():
        (tmp_path / f"{name}.py").write_text(program)
    texts = [
        "computer:easy",
        *(str(tmp_path / f"{name}.py") for name in ("other", "wrong", "slow", "nameless", "good")),
    ]
    players = players_of(texts, GAMES["tictactoe"])
    terms = league([player["name"] for player in players], clock="60s+0")
    terms["players"] = players
    found = await rehearse(Folder(tmp_path / "league", terms, ()), None, at_once=2)
    assert [(name, failure.kind) for name, failure in found.items()] == [("wrong", "illegal"), ("nameless", "start")]
    assert not (tmp_path / "league").exists()
