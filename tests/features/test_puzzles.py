"""Puzzles over real connections: solved against the proof, scored once, and in sets."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any

import pytest

from noughts.engine import Interrupt, plain_engine_of
from noughts.features.puzzles import Puzzles
from noughts.games.catalogue import begin
from noughts.protocol.contract import MESSAGES
from noughts.puzzles import sets
from noughts.puzzles.puzzle import Goal, Puzzle
from noughts.puzzles.question import Kind, Question, Reply, reply_to
from noughts.puzzles.solver import BEGINNER, rating_after
from support.client import Client, Json, connected
from support.eventually import soon
from support.server import running_gateway, running_server

PUZZLE = "tictactoe/0dd0c0c4"  # oo./.x./..x: X wins by 3, and then by 6 or 7
KEY = PUZZLE.partition("/")[2]


async def asked(client: Client, kind: str, **what: Any) -> Json:
    """The answer to a request, which must be a message of the protocol."""
    answer = await client.request(type=kind, **what)
    assert answer["type"] != "error", answer
    MESSAGES.validate_python(answer, strict=True)
    return answer


async def registered(client: Client) -> None:
    await client.ok(type="register")


def rated(score: float) -> tuple[float, float]:
    """A beginner's rating and deviation after the puzzle."""
    after = rating_after(BEGINNER, sets.by_key("tictactoe")[KEY], score)
    return round(after.rating, 2), round(after.deviation, 2)


async def test_every_game_with_a_set_is_listed_with_the_puzzle_of_the_day() -> None:
    async with running_server() as url, connected(url) as ann:
        listed = await asked(ann, "puzzles")
        assert [each["game"] for each in listed["games"]] == sets.games()
        for each in listed["games"]:
            game, _, key = each["today"].partition("/")
            assert each["count"] == len(sets.by_key(game))
            assert key in sets.by_key(game)
        assert (listed["days"], listed["sets"]) == ([], [])
        one = await asked(ann, "puzzles", game="tictactoe")
        assert [each["game"] for each in one["games"]] == ["tictactoe"]
        ratings = [each["rating"] for each in one["puzzles"]]
        assert ratings == sorted(ratings)
        assert len(ratings) == len(sets.by_key("tictactoe"))
        assert await ann.refused(type="puzzles", game="go") == "unknown_game"


async def test_a_puzzle_is_shown_without_its_solution() -> None:
    async with running_server() as url, connected(url) as ann:
        shown = await asked(ann, "puzzle", puzzle=PUZZLE)
        assert (shown["start"], shown["side"], shown["goal"], shown["moves"]) == ("oo./.x./..x", "first", "win", 2)
        assert "line" not in shown
        for name in ("tictactoe/00000000", "go/0dd0c0c4", "tictactoe", ""):
            assert await ann.refused(type="puzzle", puzzle=name) == "unknown_puzzle"


async def test_any_move_that_keeps_the_goal_is_right_after_any_defence() -> None:
    async with running_server() as url, connected(url) as ann:
        first = await asked(ann, "puzzle_move", puzzle=PUZZLE, move="3")
        assert (first["kept"], first["replies"], first["solved"]) == (True, ["6"], False)
        # 7 is the other way to end it if the other side had answered otherwise than the line does
        last = await asked(ann, "puzzle_move", puzzle=PUZZLE, moves=["3", "7"], move="6")
        assert (last["kept"], last["solved"]) == (True, True)
        draws = await asked(ann, "puzzle_move", puzzle=PUZZLE, moves=["3", "7"], move="4")
        assert draws["kept"] is False


async def test_moves_that_were_never_right_are_refused() -> None:
    async with running_server() as url, connected(url) as ann:
        for moves, move in (
            (["4", "3"], "6"),  # 4 throws the win away
            (["3", "6", "7"], "4"),  # it is solved already
            (["3"], "7"),  # it is not the solver's move
            (["3", "3"], "7"),
            ([], "9"),
            ([], "x" * 64),
        ):
            assert await ann.refused(type="puzzle_move", puzzle=PUZZLE, moves=moves, move=move) == "bad_message"


async def test_the_first_try_is_scored_and_no_other() -> None:
    async with running_server() as url, connected(url, "ann") as ann:
        await registered(ann)
        wrong = await asked(ann, "puzzle_move", puzzle=PUZZLE, move="4")
        assert (wrong["score"], wrong["text"]) == (0, "Wrong: O wins in 1 move. O's answer: square 3.")
        assert wrong["replies"] == ["3"]
        assert (wrong["standing"]["rating"], wrong["standing"]["deviation"]) == rated(0)
        assert "score" not in await asked(ann, "puzzle_move", puzzle=PUZZLE, move="4")
        solved = await asked(ann, "puzzle_move", puzzle=PUZZLE, moves=["3", "6"], move="7")
        assert solved["solved"]
        assert "score" not in solved
        shown = await asked(ann, "puzzle", puzzle=PUZZLE)
        assert shown["score"] == 0
        listed = await asked(ann, "puzzles", game="tictactoe")
        (game,) = listed["games"]
        assert game["tried"] == 1
        assert (game["standing"]["rating"], listed["days"]) == (rated(0)[0], [])


async def test_a_hint_makes_it_half_a_win_and_the_day_counts() -> None:
    async with running_server() as url, connected(url, "ann") as ann:
        await registered(ann)
        few = await asked(ann, "puzzle_hint", puzzle=PUZZLE)
        assert "3" in few["moves"]
        assert len(few["moves"]) == 3
        assert (await asked(ann, "puzzle_hint", puzzle=PUZZLE, number=2))["moves"] == ["3"]
        assert (await asked(ann, "puzzle", puzzle=PUZZLE))["hinted"] is True
        await asked(ann, "puzzle_move", puzzle=PUZZLE, move="3")
        solved = await asked(ann, "puzzle_move", puzzle=PUZZLE, moves=["3", "6"], move="7")
        assert (solved["score"], solved["standing"]["rating"]) == (0.5, rated(0.5)[0])
        listed = await asked(ann, "puzzles")
        assert listed["days"] == [listed["day"]]


async def test_whoever_looks_at_the_proof_first_has_not_solved_it() -> None:
    async with running_server() as url, connected(url, "ann") as ann:
        await registered(ann)
        proof = await asked(ann, "puzzle_proof", puzzle=PUZZLE)
        assert (proof["line"], proof["score"]) == (["3", "6", "7"], 0)
        assert {each["move"]: each["text"] for each in proof["others"]} == dict.fromkeys("4678", "O wins in 1 move")
        assert "score" not in await asked(ann, "puzzle_proof", puzzle=PUZZLE)


async def test_what_a_guest_has_solved_stays_when_the_name_is_registered() -> None:
    async with running_server() as url:
        async with connected(url, "ann") as ann:
            await asked(ann, "puzzle_hint", puzzle=PUZZLE)
            solved = await asked(ann, "puzzle_move", puzzle=PUZZLE, moves=["3", "6"], move="7")
            assert (solved["score"], solved["standing"]["rating"]) == (0.5, rated(0.5)[0])
            assert "score" not in await asked(ann, "puzzle_move", puzzle=PUZZLE, move="4"), "it is not the first try"
            as_guest = await asked(ann, "puzzles", game="tictactoe")
            (game,) = as_guest["games"]
            assert (game["tried"], game["standing"]["rating"]) == (1, rated(0.5)[0])
            await registered(ann)
            assert {**(await asked(ann, "puzzles", game="tictactoe")), "id": as_guest["id"]} == as_guest
        async with connected(url, token=ann.token) as again:
            assert (await asked(again, "puzzle", puzzle=PUZZLE))["score"] == 0.5
            assert (await asked(again, "puzzles"))["days"] == [as_guest["day"]]


async def test_a_guest_whom_the_journal_has_forgotten_is_stored_again_with_the_score() -> None:
    async with running_gateway() as node, connected(node.url, "ann") as ann:
        journal = node.host.journal
        await journal.forget(journal.now() + 60_000)
        assert await journal.people.find(ann.id) is None
        await asked(ann, "puzzle_move", puzzle=PUZZLE, moves=["3", "6"], move="7")
        await journal.forget(journal.now() + 60_000)
        assert await journal.people.find(ann.id) is not None


async def test_the_maker_of_a_set_sees_who_solved_what() -> None:
    other = next(f"tictactoe/{key}" for key in sets.by_key("tictactoe") if key != KEY)
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        make = {"type": "make_puzzle_set", "title": "Week 1", "puzzles": [PUZZLE, other, PUZZLE]}
        assert await ann.refused(**make) == "not_allowed"
        await registered(ann)
        made = await ann.request(**make)
        assert [each["puzzle"] for each in made["puzzles"]] == [PUZZLE, other]
        assert (made["title"], made["by"]["name"], made["solvers"]) == ("Week 1", "ann", [])
        assert await ann.refused(**{**make, "puzzles": ["tictactoe/00000000"]}) == "unknown_puzzle"
        await asked(ben, "puzzle_move", puzzle=PUZZLE, move="4", set=made["set"])
        assert (await asked(ann, "puzzle_set", set=made["set"]))["solvers"] == [], "a guest is not shown"
        await registered(ben)
        await asked(ben, "puzzle_move", puzzle=PUZZLE, move="4")
        assert (await asked(ann, "puzzle_set", set=made["set"]))["solvers"] == [], "that was not on the set's page"
        await asked(ben, "puzzle_move", puzzle=PUZZLE, moves=["3", "6"], move="7", set=made["set"])
        (solver,) = (await asked(ann, "puzzle_set", set=made["set"]))["solvers"]
        assert (solver["player"]["name"], solver["scores"]) == ("ben", [0, None])
        seen = await asked(ben, "puzzle_set", set=made["set"])
        assert "solvers" not in seen
        assert [each.get("score") for each in seen["puzzles"]] == [0, None]
        assert (await asked(ann, "puzzles"))["sets"] == [{"set": made["set"], "title": "Week 1", "count": 2}]
        assert await ben.refused(type="puzzle_set", set=made["set"], delete=True) == "unknown_puzzle"
        await ann.ok(type="puzzle_set", set=made["set"], delete=True)
        assert await ben.refused(type="puzzle_set", set=made["set"]) == "unknown_puzzle"


async def test_where_the_operator_names_organisers_nobody_else_makes_sets() -> None:
    make = {"type": "make_puzzle_set", "title": "Week 1", "puzzles": [PUZZLE]}
    async with running_server(organisers=["ann"]) as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        await registered(ann)
        await registered(ben)
        assert (await ann.request(**make))["type"] == "puzzle_set"
        assert await ben.refused(**make) == "not_allowed"


async def test_a_player_asks_one_question_at_a_time_and_leaves_it_when_gone() -> None:
    async with running_gateway() as node:
        asking: list[asyncio.Future[Reply]] = []

        def never(*_: object) -> asyncio.Future[Reply]:
            asking.append(asyncio.get_running_loop().create_future())
            return asking[0]

        node.part(Puzzles)._reply = never
        async with connected(node.url, "ann") as ann:
            await ann.send(type="puzzle_proof", id="p", puzzle=PUZZLE)
            assert await ann.refused(type="puzzle_proof", puzzle=PUZZLE) == "rate_limited"
            await soon(lambda: bool(asking))
        await soon(asking[0].cancelled)  # nobody waits for it


@pytest.mark.parametrize("game", sets.games())
def test_a_shipped_puzzle_of_each_game_is_solved_by_its_line_alone(game: str) -> None:
    puzzle = next(iter(sets.by_key(game).values()))
    moves: tuple[str, ...] = ()
    for _ in puzzle.line:
        reply = reply_to(Question(puzzle, Kind.TRY, moves, puzzle.line[len(moves)]), None, Interrupt())
        assert reply.kept
        moves = (*moves, puzzle.line[len(moves)], *reply.moves)
        if reply.solved:
            break
    assert moves == puzzle.line


def test_a_search_that_is_stopped_decides_nothing() -> None:
    puzzle = next(iter(sets.by_key("breakthrough").values()))
    stop = Interrupt()
    stop.set()
    game, position = begin(puzzle.start)
    other = next(move for move in position.legal_moves if move != puzzle.line[0])
    reply = reply_to(Question(puzzle, Kind.TRY, (), other), plain_engine_of(game), stop)
    assert (reply.kept, reply.told) == (False, ()), "only one first move is right, so the others need no proof"
    assert reply_to(Question(puzzle, Kind.PROOF), plain_engine_of(game), stop).told == ()


def test_a_puzzle_is_pickled_without_its_game() -> None:
    puzzle = Puzzle("tictactoe#x../.../...", Goal.DRAW, tuple("57469328"), 1000)
    assert puzzle.position.ply == 1
    again = pickle.loads(pickle.dumps(puzzle))
    assert again == puzzle
    assert "begun" not in vars(again)
