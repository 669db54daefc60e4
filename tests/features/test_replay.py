from __future__ import annotations

import pytest

from noughts.games import GAMES
from noughts.games.sentences import no_such_game
from noughts.protocol.contract import MESSAGES
from noughts.protocol.gamefile import from_file
from noughts.rooms import Played
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


async def test_files_of_other_programs_are_read_as_records() -> None:
    text = '[White "Ann"]\n1. e4 {best} e5 (1... c5) 2. Nf3 1-0\n\n[White "Ben"]\n1. d4 *\n'
    async with running_server() as url, connected(url) as client:
        answer = await client.request(type="read", suffix="pgn", text=text)
        nothing = await client.request(type="read", suffix="sgf", text="")
    MESSAGES.validate_python(answer)
    first, second = from_file(f"{line}\n".encode() for line in answer["lines"])
    assert first.room.moves == ("e2e4", "e7e5", "g1f3")
    assert second.room.moves == ("d2d4",)
    assert [event.note for event in first.events if isinstance(event, Played)] == ["best", None, None]
    assert nothing["message"] == "No game can be read: line 1: there is no game."


@pytest.mark.parametrize(
    ("suffix", "text", "code", "message"),
    [
        (
            "pgn",
            "1. e4 e5\n2. Ke3 *",
            "not_allowed",
            "No game can be read: line 2: 'Ke3' cannot be played: no king of yours can go to e3 now.",
        ),
        ("pgn", "\0", "not_allowed", "No game can be read: line 1: not a text."),
        ("exe", "1. e4 *", "bad_message", "suffix: one of sgf, pgn, pdn."),
    ],
)
async def test_what_cannot_be_read_is_refused(suffix: str, text: str, code: str, message: str) -> None:
    async with running_server() as url, connected(url) as client:
        error = await client.request(type="read", suffix=suffix, text=text)
    assert (error["code"], error["message"]) == (code, message)


async def test_reading_costs_as_much_as_replaying() -> None:
    async with running_server(answer_bytes_per_player=2000) as url, connected(url) as client:
        for _ in range(20):
            answer = await client.request(type="read", suffix="pgn", text="1. e4 e5 2. d4 *")
            if answer["type"] == "error":
                break
        assert answer["code"] == "rate_limited"


async def test_a_position_can_be_played_on_from() -> None:
    async with running_server() as url, connected(url) as client:
        answer = await client.request(type="replay", game="tictactoe", start="xx./oo./...", moves=["3"], legal=True)
        MESSAGES.validate_python(answer)
        line = await client.request(type="replay", game="chess", moves=["e4", "c7c5"], since=2, legal=True)
        bad = await client.request(type="replay", game="tictactoe", start="xxx/ooo/...", moves=[])
    before, after = answer["positions"]
    assert before["legal_moves"] == ["3", "6", "7", "8", "9"]
    assert before["outcome"] is None
    assert after["outcome"] == {"winner": "first", "reason": "line", "cells": ["1", "2", "3"]}
    assert after["text"] == "xxx/oo./..."
    (last,) = line["positions"]
    assert (last["move"], last["name"], last["number"]) == ("c7c5", "c5", 2)
    assert last["text"] == "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    assert bad["code"] == "not_allowed"
    assert bad["message"].startswith("X cannot ") or bad["message"].endswith(".")


@pytest.mark.parametrize("game", list(GAMES))
async def test_each_game_begins_from_the_text_of_a_position(game: str) -> None:
    position = GAMES[game].start
    moves = []
    for _ in range(3):
        moves.append(position.legal_moves[0])
        position = position.play(moves[-1])
    async with running_server() as url, connected(url) as client:
        line = await client.request(type="replay", game=game, moves=moves, since=3, legal=True)
        again = await client.request(type="replay", game=game, start=line["positions"][0]["text"], moves=[], legal=True)
    assert again["positions"][0]["legal_moves"] == line["positions"][0]["legal_moves"] == list(position.legal_moves)


async def test_a_line_is_written_in_the_formats_of_its_game() -> None:
    moves = ["e4", "e5", "g1f3"]
    async with running_server() as url, connected(url) as client:
        answer = await client.request(type="write", suffix="pgn", game="chess", moves=moves)
        MESSAGES.validate_python(answer)
        own = await client.request(type="write", suffix="jsonl", game="connect4", moves=["4", "4"])
        fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
        begun = await client.request(type="write", suffix="pgn", game="chess", start=fen, moves=["e4"])
        wrong = await client.request(type="write", suffix="pgn", game="connect4", moves=[])
        nowhere = await client.request(type="write", suffix="jsonl", game="connect4", start="x", moves=[])
        illegal = await client.request(type="write", suffix="pgn", game="chess", moves=["e5"])
    assert answer["lines"][-2] == "1. e4 e5 2. Nf3 *"
    (game,) = from_file(line.encode() + b"\n" for line in own["lines"])
    assert [event.move for event in game.events if isinstance(event, Played)] == ["4", "4"]
    assert f'[FEN "{fen}"]' in begun["lines"]
    assert [error["code"] for error in (wrong, nowhere, illegal)] == ["not_allowed"] * 3
    assert wrong["message"] == "Connect Four is written as jsonl."


async def test_variations_are_written_where_the_format_has_them() -> None:
    line = ["e2e4", "e7e5", "(", "c7c5", "g1f3", "(", "b1c3", "a7a6", ")", "d7d6", ")", "(", "e7e6", ")", "g1f3"]
    async with running_server() as url, connected(url) as client:
        pgn = await client.request(type="write", suffix="pgn", game="chess", moves=line)
        own = await client.request(type="write", suffix="jsonl", game="chess", moves=line)
        sgf = await client.request(type="write", suffix="sgf", game="gomoku", moves=["h8", "(", "i9", ")", "h9"])
        for wrong in ("( e2e4 )", "e2e4 ( e2e4", "e2e4 )", "e2e4 ( ) e7e5", "e2e4 ( e2e5 )"):
            answer = await client.request(type="write", suffix="pgn", game="chess", moves=wrong.split())
            assert answer.get("code") == "not_allowed", wrong
    assert pgn["lines"][-2] == "1. e4 e5 (1... c5 2. Nf3 (2. Nc3 a6) 2... d6) (1... e6) 2. Nf3 *"
    assert sum('"kind":"played"' in record for record in own["lines"]) == 3
    assert [record for record in sgf["lines"] if record.startswith(";")] == [";B[hh]", ";W[hi]"]
