from dataclasses import replace
from typing import Any

import pytest

from noughts.protocol.render import game_info, snapshot, update
from noughts.protocol.replay import Step
from noughts.protocol.study_messages import ResignationInfo, Review, ReviewedMoveInfo
from noughts.rooms import (
    AcceptTakeback,
    Disconnect,
    Event,
    Fischer,
    Join,
    OfferTakeback,
    Open,
    Options,
    Play,
    Resign,
    Return,
    Room,
    evolve,
)
from noughts_client.terminal.replay import HELP, Replay, body, parse, prompt, replay_of
from noughts_client.terminal.table import SIDES, Table
from noughts_client.terminal.text import plain
from support.rooms import decided
from support.viewed import FIRST, SECOND

GAME: list[tuple[int, Any]] = [
    (0, Open("room1", "tictactoe", FIRST.id, FIRST, None, Options(clock=Fischer(60_000, 1_000)))),
    (1_000, Join(SECOND)),
    (2_000, Play(FIRST.id, 0, "5")),
    (5_000, Play(SECOND.id, 1, "1")),
    (6_000, Disconnect(SECOND.id)),
    (7_500, Play(FIRST.id, 2, "9")),
    (8_000, Return(SECOND.id)),
    (9_000, OfferTakeback(FIRST.id)),
    (9_500, AcceptTakeback(SECOND.id)),
    (11_500, Play(FIRST.id, 4, "2")),
    (20_000, Resign(SECOND.id)),
]


def steps(commands: list[tuple[int, Any]] = GAME) -> list[Step]:
    room: Room | None = None
    result = []
    for at, command in commands:
        event = decided(room, command, at)
        assert isinstance(event, Event)
        room = evolve(room, event)
        note = "I like the centre.\nIt is in four lines." if getattr(command, "move", "") == "5" else None
        result.append(Step(update(event, room), note))
    return result


def table() -> Table:
    opened = steps(GAME[:1])[0].update
    room = evolve(None, decided(None, GAME[0][1], 0))  # type: ignore[arg-type]
    return Table(game_info(room.game), "", "room1", 0, snapshot(room, 0, 0)["options"], opened["state"])


def game(**more: Any) -> Replay:
    return replay_of(table(), steps(**more))


def lines(replay: Replay) -> list[str]:
    return plain(body(replay, 80, 0)).split("\n")


def test_a_replay_has_the_positions_from_before_the_first_move() -> None:
    replay = game()
    assert [frame.state["moves"] for frame in replay.frames] == [
        [],
        ["5"],
        ["5", "1"],
        ["5", "1", "9"],
        ["5", "1"],
        ["5", "1", "2"],
        ["5", "1", "2"],
    ]
    assert lines(replay)[1:3] == ["> x   1:00   player-1", "  o   1:00   player-2"]
    assert prompt(replay) == "0 of 6 (h for help) > "


def test_each_position_shows_its_clocks_and_its_event() -> None:
    replay = game()
    first = lines(replay.at(1))
    assert not any("The clocks" in line for line in first)
    assert first[-3:] == ["player-1 played 5 after 1.0 s.", "I like the centre.", "It is in four lines."]
    second = lines(replay.at(2))
    assert second[1:3] == ["> x  [1:00]  player-1", "  o   1:00   player-2 (away)"]
    assert second[-1] == "player-2 played 1 after 3.0 s."
    third = lines(replay.at(3))
    assert third[1:3] == ["  x   0:58   player-1", "> o  [1:00]  player-2"]
    assert third[-1] == "player-1 played 9 after 2.5 s."
    assert lines(replay.at(4))[-1] == "A move was taken back."
    assert lines(replay.at(6))[1:3] == ["  x   0:59   player-1", "  o   0:51   player-2"]
    assert lines(replay.at(6))[-1] == "player-1 won by resignation."


@pytest.mark.parametrize("width", [12, 20, 40])
def test_no_line_is_wider_than_the_window(width: int) -> None:
    for index in range(7):
        assert max(map(len, plain(body(game().at(index), width, 0)).split("\n"))) <= max(width, 13)


def test_typed_lines_step_jump_and_leave() -> None:
    replay = game()

    def after(*typed: str, begin: int = 0) -> int | bool:
        now: Replay | str | None = replay.at(begin)
        for line in typed:
            assert isinstance(now, Replay)
            now = parse(now, line)
        assert isinstance(now, Replay)
        return now.index

    assert after("n", "", "next") == 3
    assert after("p", begin=2) == 1
    assert after("p") == after("home", begin=4) == 0
    assert after("n", begin=6) == after("end") == 6
    assert after("3") == 3
    assert after("99") == 6
    assert parse(replay, "q") is None
    assert parse(replay, "what?") == parse(replay, "h") == HELP


def test_running_stops_at_any_key_and_restarts_at_the_end() -> None:
    running = parse(game(), "run")
    assert running == replace(game(), running=True)
    assert "(running)" in prompt(running)
    for line in ("run", "n", "p", "home"):
        stopped = parse(running, line)
        assert isinstance(stopped, Replay)
        assert not stopped.running
    assert parse(game().at(6), "run") == running


def test_only_a_viewer_at_the_end_follows_a_live_game() -> None:
    events = steps()
    live = replay_of(table(), events[:4], live=True)
    assert (live.index, live.live) == (0, True)
    followed, stays = live.at(2), live.at(1)
    assert followed.extended(events[5]).extended(events[6]).index == 3
    assert stays.extended(events[5]).index == 1
    over = followed
    for step in events[4:]:
        over = over.extended(step)
    assert (over.index, over.live) == (6, False)
    assert prompt(followed) == "2 of 2 (live) > "
    assert not replay_of(table(), events, live=True).live


def test_skipped_moves_are_reported() -> None:
    events = steps()
    live = replay_of(table(), events[:4], live=True).at(2)
    jumped = live.skipped_to(events[7].update["state"])
    assert (jumped.index, jumped.live) == (3, True)
    assert lines(jumped)[-1] == "Some moves are not shown."
    assert live.at(0).skipped_to(events[7].update["state"]).index == 0
    assert not live.skipped_to(events[-1].update["state"]).live


def test_a_long_note_leaves_the_board_in_sight() -> None:
    events = steps()
    long = replay_of(table(), [*events[:2], replace(events[2], note="word " * 200), *events[3:]])
    shown_lines = plain(body(long.at(1), 20, 0)).split("\n")
    assert [line.startswith("word") for line in shown_lines[-8:]] == [True] * 7 + [False]
    assert shown_lines[-1] == "..."


MARKED: list[ReviewedMoveInfo] = [
    {
        "ply": ply,
        "side": side,
        "move": move,
        "mark": "kept",
        "before": {"result": "draw", "expected": 0.5},
        "after": {"result": "draw", "expected": 0.5},
        "worth": {"value": 0, "exact": True, "distance": 9 - ply, "line": [move]},
    }
    for ply, (side, move) in enumerate(zip((*SIDES, SIDES[0]), "512", strict=True))
]
MARKED[1]["mark"] = "draw_thrown_away"
MARKED[1]["better"] = {"move": "3", "worth": {**MARKED[1]["worth"], "line": ["3", "7"]}, "rows": []}
REVIEW: Review = {
    "type": "review",
    "room": "room1",
    "game": "tictactoe",
    "plies": 3,
    "complete": True,
    "decisive": 1,
    "moves": MARKED,
    "swing": 0.2,
    "engine": "noughts 1",
    "seconds": 1.0,
}


def test_a_replay_shows_what_the_review_says_of_each_move_that_stayed() -> None:
    replay = replace(game(), values=True, review=REVIEW)
    assert "Move 1: keeps the draw." in lines(replay.at(1))
    assert "Move 2: draw thrown away; better: 3 7 (draw)." in lines(replay.at(2))
    assert not [line for line in lines(replay.at(3)) if line.startswith("Move")], "it was taken back"
    assert "Move 3: keeps the draw." in lines(replay.at(5))
    assert "Move 2 decided the game: with 1, O threw a draw away." in lines(replay.at(6))
    assert not [line for line in lines(replace(replay, values=False).at(6)) if line.startswith("Move")]
    given_up: ResignationInfo = {"side": "second", "mark": "draw_thrown_away", "before": MARKED[0]["before"]}
    resigned = replace(replay, review={**REVIEW, "decisive": None, "resignation": given_up})
    assert "O decided the game by resigning a drawn position." in lines(resigned.at(6))
    unfinished = replace(replay, review={**REVIEW, "complete": False, "decisive": None, "moves": MARKED[1:]})
    assert "2 of 3 moves reviewed." in lines(unfinished.at(1))


def test_values_are_wanted_for_the_position_shown_if_it_was_not_taken_back() -> None:
    replay = game()
    assert parse(replay, "v") == parse(replay, "values") == replace(replay, values=True)
    assert (replay.needs_analysis, replay.explained) == (None, True)
    replay = replace(replay, values=True)
    assert [replay.at(index).needs_analysis for index in range(7)] == [0, 1, 2, None, 2, 3, None]
    assert not replay.at(6).explained, "the review is not complete"
    assert replace(replay, review=REVIEW).at(6).explained
