"""A journal that an earlier version wrote: its games are shown and go on, and its players come back."""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import closing
from functools import reduce
from pathlib import Path

from noughts.games import GAMES
from support.client import connected
from support.server import running_server

DUMP = Path(__file__).parent / "2885bed.sql"
"""Of a server of that commit, the last before there were boards, pieces and options: two rooms of each of its games."""

WRITTEN_MS = 1_795_526_064_000
TOKENS = ("qJ6TEPOqmrrAqMrK067gSLDblFBmnXW_8XkTlJNF7Hg", "W-G-sFbH4RPu7g56bk78aw9bvqMWUEITOJXa6OCBwik")


def restored(path: Path) -> str:
    """The journal, as if its server had stopped a minute ago."""
    later_ms = round(time.time() * 1000) - 60_000 - WRITTEN_MS
    script = re.sub(r"\b17955260\d{5}\b", lambda at: str(int(at[0]) + later_ms), DUMP.read_text())
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return str(path)


async def test_games_of_an_earlier_version_are_shown_and_go_on(tmp_path: Path) -> None:
    async with (
        running_server(journal=restored(tmp_path / "journal")) as url,
        connected(url, None, token=TOKENS[0]) as ann,
        connected(url, None, token=TOKENS[1]) as ben,
    ):
        over = (await ann.request(type="games", over=True))["games"]
        going = (await ann.request(type="games"))["games"]
        assert {listed["game"] for listed in over} == {listed["game"] for listed in going}
        assert len(over) == len(going) == 5
        for listed in (*over, *going):
            last = (await ann.ok(type="watch", room=listed["room"], since=0))["version"]
            seen, state = 0, {}
            while seen < last:
                update = await ann.push("update")
                if update["room"] != listed["room"]:
                    continue  # the move that was just played in another room
                seen, state = update["version"], update["state"]
                position = reduce(lambda at, move: at.play(move), state["moves"], GAMES[listed["game"]].start)
                assert state["rows"] == list(position.rows)
            assert (state["status"], state["outcome"]) == (listed["status"], listed.get("outcome"))
            if listed in going:
                mover = ann if state["to_move"] == "first" else ben
                await mover.ok(type="play", room=listed["room"], turn=state["turn"], move=position.legal_moves[0])
