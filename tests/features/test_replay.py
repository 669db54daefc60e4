from __future__ import annotations

import pytest

from noughts.games import GAMES
from noughts.games.sentences import no_such_game
from noughts.protocol.contract import MESSAGES
from support.client import connected
from support.server import running_server


async def test_the_positions_are_those_of_the_rules() -> None:
    moves = ["d3", "c5", "f6"]
    async with running_server() as url, connected(url) as client:
        answer = await client.request(type="replay", game="reversi", moves=moves)
    MESSAGES.validate_python(answer)
    position = GAMES["reversi"].start
    for place, move in zip(answer["positions"], [*moves, None], strict=True):
        assert place["rows"] == list(position.rows)
        assert position.to_move is not None
        assert place["to_move"] == position.to_move.value
        position = position if move is None else position.play(move)


async def test_nobody_is_to_move_at_the_end() -> None:
    async with running_server() as url, connected(url) as client:
        answer = await client.request(type="replay", game="tictactoe", moves=["1", "4", "2", "5", "3"])
    assert answer["positions"][-1] == {"rows": ["xxx", "oo.", "..."], "to_move": None}


@pytest.mark.parametrize(
    ("game", "moves", "code", "message"),
    [
        ("shogi", [], "unknown_game", no_such_game("shogi", GAMES)),
        ("tictactoe", ["5", "b2"], "malformed_move", "move 2: a move is a cell, 1 to 9"),
        ("tictactoe", ["5", "5"], "illegal_move", "move 2: cell 5 is taken"),
        ("tictactoe", ["1", "4", "2", "5", "3", "6"], "illegal_move", "move 6: the game is over"),
    ],
)
async def test_what_cannot_be_replayed_is_refused(game: str, moves: list[str], code: str, message: str) -> None:
    async with running_server() as url, connected(url) as client:
        error = await client.request(type="replay", game=game, moves=moves)
    assert (error["code"], error["message"]) == (code, message)


async def test_a_long_game_costs_its_player() -> None:
    async with running_server(answer_bytes_per_player=2000) as url, connected(url) as client:
        for _ in range(20):
            answer = await client.request(type="replay", game="tictactoe", moves=["1", "4", "2", "5"])
            if answer["type"] == "error":
                break
        assert answer["code"] == "rate_limited"
        assert 0 < answer["retry_after_s"] < 10
