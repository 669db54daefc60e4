"""``noughts review``, of files and of rooms."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from noughts.games import Side
from noughts.protocol.gamefile import to_file
from support.client import connected
from support.command import Result, noughts
from support.games import played
from support.server import running_server

BLUNDER = "1259734"
"""O loses by the second move; only 5 would have drawn."""

IN_WORDS = """\
Tic-tac-toe, 7 moves

1. X  1  keeps the draw
2. O  2  draw thrown away (loss in 6)
     better: 5 2 3 7 4 6 8 9 (draw)
3. X  5  keeps the win
4. O  9  lost anyway
5. X  7  keeps the win
6. O  3  lost anyway
7. X  4  keeps the win

Move 2 decided the game: with 2, O threw a draw away.
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    path.write_bytes(to_file(played("tictactoe", BLUNDER)))
    return path


def test_a_file_is_reviewed_in_words(file: Path) -> None:
    assert noughts("review", str(file), "--seconds", "60") == Result(0, IN_WORDS.encode(), "")


def test_a_file_of_another_program_is_reviewed(tmp_path: Path) -> None:
    file = tmp_path / "game.pgn"
    file.write_text('[Result "0-1"]\n\n1. e4 e5 (1... c5) 2. Nf3 0-1\n')
    found = json.loads(noughts("review", str(file), "--json", "--seconds", "0.01").out)
    assert [move["move"] for move in found["moves"]] == ["e2e4", "e7e5", "g1f3"]
    assert found["resignation"]["side"] == "first"
    file.write_text('[Result "*"]\n\n1. e4 Nf3')
    refused = noughts("review", str(file))
    assert (refused.status, refused.out) == (1, b"")
    assert "has no game that can be reviewed: line 3: " in refused.err


def test_every_game_of_a_file_is_reviewed_as_json(file: Path) -> None:
    with file.open("ab") as more:
        more.write(to_file(played("tictactoe", "152", resigns=Side.FIRST, room="other")))
    first, second = (
        json.loads(line) for line in noughts("review", str(file), "--json", "--seconds", "60").out.splitlines()
    )
    assert (first["decisive"], first["complete"], len(first["moves"])) == (1, True, 7)
    assert first["moves"][1]["better"]["worth"]["line"][0] == "5"
    assert (second["room"], second["game"], second["plies"], second["seconds"]) == ("other", "tictactoe", 3, 60)
    assert [move["mark"] for move in second["moves"]] == ["kept"] * 3
    assert second["decisive"] is None
    assert second["resignation"] == {
        "side": "first",
        "mark": "draw_thrown_away",
        "before": {"result": "draw", "expected": 0.5},
    }


def test_who_resigns_a_won_position_has_decided_the_game(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    for moves, verdict in (
        ("124", "X decided the game by resigning a won position."),
        ("159", "X decided the game by resigning a drawn position."),
        (
            "123",
            "Move 3 decided the game: with 3, X threw a win away. In the end X resigned a drawn position.",
        ),
    ):
        path.write_bytes(to_file(played("tictactoe", moves, resigns=Side.FIRST)))
        printed = noughts("review", str(path), "--seconds", "60").out.decode()
        assert " ".join(printed.split()).endswith(f" {verdict}")


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "Cannot read"), (b"{}\n", "has no game that can be reviewed: line 1: not the header line")],
)
def test_a_file_without_a_game_is_an_error(content: bytes | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    if content is not None:
        path.write_bytes(content)
    result = noughts("review", str(path))
    assert (result.status, message in result.err) == (1, True), result


async def test_a_room_is_reviewed_by_its_server() -> None:
    async def run(*arguments: str) -> Result:
        return await asyncio.to_thread(noughts, "review", *arguments, "--url", url)

    async with running_server(review_s=60) as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        room = await ann.create()
        await bob.join(room)
        for turn, move in enumerate(BLUNDER):
            if turn == 3:
                assert await run(room) == Result(1, b"", "A game can be reviewed when it is over.\n")
            await (ann, bob)[turn % 2].play(room, turn, move)
        for _ in range(2):  # the second one is stored
            assert await run(room) == Result(0, IN_WORDS.encode(), "")
        found: dict[str, Any] = json.loads((await run(room, "--json")).out)
        assert (found["room"], found["decisive"], "type" in found) == (room, 1, False)
