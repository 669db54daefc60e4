"""Rooms as messages, field by field as documented."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, get_args

import pytest
from pydantic import TypeAdapter
from pydantic_core import to_json

from noughts.engine import Analysis, Bound, MoveValue, named
from noughts.games import GAMES, Board, Outcome, Reason, Side
from noughts.games.catalogue import Setup
from noughts.protocol.contract import MESSAGES
from noughts.protocol.render import analysed, game_info, games, listing, snapshot, state, timestamp, update, words
from noughts.protocol.room_messages import Listing
from noughts.protocol.words import WORDS
from noughts.rooms import (
    Declined,
    Disconnected,
    Ended,
    Event,
    Fischer,
    Joined,
    Offered,
    Opened,
    Options,
    Paused,
    PerMove,
    Played,
    Player,
    Rematched,
    Returned,
    Room,
    TakenBack,
    evolve,
)

ONE = Player("p-7f3a", "player-1", "human")
MINIMAX = Player("computer:perfect", "computer", "computer")
TWO = Player("p-9c1d", "player-2", "bot")
TIMED = Options(clock=Fischer(180_000, 2500))
OPENED = Opened(1795521600000, "k3f9qzm2xw7ta", "tictactoe", "p-7f3a", ONE, MINIMAX, Options())


def play(moves: Iterable[str], opened: Opened = OPENED) -> list[tuple[Event, Room]]:
    """Every event of a game of these moves, each a second after the last, with the room after it."""
    room = evolve(None, opened)
    happened: list[tuple[Event, Room]] = [(opened, room)]
    for move in moves:
        side = room.to_move
        assert side is not None
        outcome = room.position.play(move).outcome
        event = Played(room.at + 1000, side, room.turn, move, 1000, 0, 1000, outcome)
        room = evolve(room, event)
        happened.append((event, room))
    return happened


def test_an_update() -> None:
    *_, (_, room) = play("13")
    event = Played(1795521605104, Side.FIRST, 2, "5", 812, 0, 812)
    assert update(event, evolve(room, event)) == {
        "type": "update",
        "room": "k3f9qzm2xw7ta",
        "version": 4,
        "at": "2026-11-24T12:00:05.104Z",
        "event": {
            "kind": "played",
            "side": "first",
            "turn": 2,
            "move": "5",
            "spent_ms": 812,
            "compensated_ms": 0,
            "thought_ms": 812,
            "outcome": None,
        },
        "state": {
            "status": "playing",
            "turn": 3,
            "ply": 3,
            "to_move": "second",
            "rows": ["x.o", ".x.", "..."],
            "legal_moves": ["2", "4", "6", "7", "8", "9"],
            "moves": ["1", "3", "5"],
            "seats": {
                "first": {"id": "p-7f3a", "name": "player-1", "kind": "human", "online": True},
                "second": {"id": "computer:perfect", "name": "computer", "kind": "computer", "online": True},
            },
            "clock": None,
            "offers": [],
            "outcome": None,
            "next": None,
        },
    }


def test_an_update_hides_the_note_of_a_bot() -> None:
    *_, (_, room) = play("13")
    event = Played(1795521605104, Side.FIRST, 2, "5", 812, 0, 812)
    noted = replace(event, note="+0.3")
    assert to_json(update(noted, evolve(room, noted))) == to_json(update(event, evolve(room, event)))


def test_a_room_that_is_over() -> None:
    *_, (event, room) = play("12539")
    over = state(room)
    assert over["outcome"] == {"winner": "first", "reason": "line", "cells": ["1", "5", "9"]}
    assert (over["status"], over["to_move"], over["legal_moves"]) == ("over", None, [])
    assert update(event, room)["event"]["outcome"] == over["outcome"]


def test_an_open_seat_and_an_absent_player() -> None:
    room = evolve(None, Opened(0, "r", "tictactoe", "p-7f3a", ONE, None, Options(private=True)))
    waiting = state(room)
    assert (waiting["status"], waiting["to_move"], waiting["legal_moves"]) == ("waiting", None, [])
    assert waiting["seats"]["second"] is None
    away = state(evolve(room, Disconnected(1, Side.FIRST)))
    assert away["seats"]["first"] == {"id": "p-7f3a", "name": "player-1", "kind": "human", "online": False}
    assert listing(room) == {
        "room": "r",
        "game": "tictactoe",
        "status": "waiting",
        "seats": waiting["seats"],
        "options": {"private": True, "rated": False, "clock": None},
    }


def test_a_seat_shows_the_rating_at_the_start() -> None:
    one, two = replace(ONE, registered=True, rating=1512, provisional=True), replace(TWO, registered=True, rating=0)
    room = evolve(None, replace(OPENED, first=one, second=two, options=TIMED))
    shown = {"id": "p-7f3a", "name": "player-1", "kind": "human", "online": True}
    other = {"id": "p-9c1d", "name": "player-2", "kind": "bot", "online": True}
    assert (
        state(room)["seats"]
        == listing(room)["seats"]
        == {
            "first": {**shown, "registered": True, "rating": 1512, "provisional": True},
            "second": {**other, "registered": True, "rating": 0},
        }
    )


def test_a_listing_shows_the_outcome() -> None:
    (_, room), *_ = play("1")
    assert "outcome" not in listing(room)
    over = evolve(room, Ended(room.at, Side.FIRST, Outcome(Side.SECOND, Reason.RESIGNATION)))
    assert listing(over)["outcome"] == {"winner": "second", "reason": "resignation", "cells": []}


def test_waiting_running_and_stopped_clocks() -> None:
    happened = play("153", replace(OPENED, options=TIMED))
    (_, opened), _, (_, second), (event, third) = happened
    assert snapshot(opened, 0, 0)["options"]["clock"] == {"initial_s": 180, "increment_s": 2.5}
    stopped = {"first_ms": 180_000, "second_ms": 180_000, "running": None, "since": None}
    assert state(opened)["clock"] == {**stopped, "first_move_by": timestamp(opened.at + 60_000)}
    running = {"first_ms": 180_000, "second_ms": 180_000, "running": "first", "since": timestamp(second.at)}
    assert state(second)["clock"] == running
    moved: dict[str, Any] = {"first_ms": 181_500, "second_ms": 180_000, "running": "second"}
    moved["since"] = timestamp(event.at)
    assert state(third)["clock"] == moved
    gone = evolve(third, Disconnected(third.at + 5000, Side.FIRST))
    assert state(gone)["clock"] == moved, "it says from when on it runs, and so need not change"
    seat = state(gone)["seats"]["first"]
    assert seat is not None
    assert (seat["online"], seat["claimable_at"]) == (False, timestamp(third.at + 5000 + 30_000))
    assert "claimable_at" not in json.dumps(listing(gone))
    paused = evolve(gone, Paused(gone.at + 1, 60_000))
    clock = state(paused)["clock"]
    assert clock is not None
    assert clock["since"] == timestamp(event.at + 60_000)
    over = evolve(gone, Ended(third.at + 7000, Side.FIRST, Outcome(Side.SECOND, Reason.RESIGNATION)))
    assert state(over)["clock"] == {"first_ms": 181_500, "second_ms": 173_000, "running": None, "since": None}


def test_a_snapshot() -> None:
    room = evolve(None, Opened(0, "r", "tictactoe", "p-7f3a", TWO, ONE, Options(), previous="q"))
    assert snapshot(room, 1795521605104, 3) == {
        "type": "room",
        "room": "r",
        "version": 1,
        "now": "2026-11-24T12:00:05.104Z",
        "game": "tictactoe",
        "layout": [["1", "2", "3"], ["4", "5", "6"], ["7", "8", "9"]],
        "options": {"private": False, "rated": False, "clock": None},
        "previous": "q",
        "state": state(room),
        "presence": {"spectators": 3},
    }


def test_games() -> None:
    assert [game["key"] for game in games()] == list(GAMES)
    assert game_info(GAMES["tictactoe"]) == {
        "key": "tictactoe",
        "title": "Tic-tac-toe",
        "sides": {"first": {"name": "X", "symbol": "x"}, "second": {"name": "O", "symbol": "o"}},
        "layout": [["1", "2", "3"], ["4", "5", "6"], ["7", "8", "9"]],
        "levels": ["perfect", "hard", "medium", "easy"],
        "board": {"shape": "squares", "look": "paper"},
        "rules": list(GAMES["tictactoe"].rules),
    }
    assert "rules" not in game_info(replace(GAMES["tictactoe"], rules=()))
    connect4 = game_info(GAMES["connect4"])
    assert connect4["layout"][0] == connect4["layout"][5] == list("1234567")
    assert (connect4["cells"][0][0], connect4["cells"][5][6]) == ("a1", "g6")
    assert connect4["levels"] == ["perfect", "hard", "medium", "easy"]
    assert game_info(GAMES["gomoku"])["levels"] == ["best", "hard", "medium", "easy"]
    assert game_info(GAMES["ultimate"])["block"] == 3


def test_what_a_game_says_of_its_board_and_pieces() -> None:
    chess, morris, kalah = (game_info(GAMES[key]) for key in ("chess", "morris", "kalah"))
    assert chess["board"] == {"shape": "squares", "look": "checkered", "bottom": "first"}
    assert chess["pieces"]["N"] == {"side": "first", "name": "white knight", "glyph": "♘"}
    assert chess["options"] == [{"key": "start", "title": "Start position (FEN)", "default": ""}]
    assert chess["claims"] is True
    assert "draws" not in chess
    assert game_info(GAMES["hex"])["draws"] is False
    assert morris["board"]["shape"] == "points"
    assert morris["board"]["lines"][0] == ["a7", "g7"]
    assert morris["layout"][0] == ["a7", "", "", "d7", "", "", "g7"]
    assert kalah["board"] == {"shape": "pits", "bottom": "first"}
    assert kalah["options"][1] == {
        "key": "seeds",
        "title": "Seeds in each pit",
        "default": 4,
        "choices": [1, 2, 3, 4, 5, 6],
    }
    assert not {"pieces", "claims"} & kalah.keys()
    plain = replace(GAMES["tictactoe"], board=Board())
    assert not {"board", "pieces", "options", "claims"} & game_info(plain).keys()
    edge = game_info(GAMES["dots"])["pieces"]["-"]
    assert edge["side"] is None


def test_the_words_of_games_are_among_the_endings() -> None:
    endings = words()["endings"]
    assert endings["checkmate"] == {"how": "by checkmate", "board": True}
    assert endings["line"] == WORDS["endings"]["line"]
    assert endings.keys() == WORDS["endings"].keys() | {key for game in GAMES.values() for key, _ in game.endings}


def opened(game: str, setup: Setup = ()) -> Opened:
    return replace(OPENED, game=game, setup=setup)


def test_a_state_tells_what_its_game_does() -> None:
    *_, (_, chess) = play(["e2e4", "e7e5", "g1f3"], opened("chess"))
    assert state(chess)["moves"] == ["e2e4", "e7e5", "g1f3"]
    assert state(chess)["names"] == ["e4", "e5", "Nf3"]
    *_, (_, morris) = play(["a1", "a4"], opened("morris"))
    assert state(morris)["held"] == {"first": {"w": 8}, "second": {"b": 8}}
    *_, (_, kalah) = play(["c1"], opened("kalah"))
    assert state(kalah)["score"] == [1, 0]
    assert state(kalah)["counts"] == [[0, 4, 4, 4, 4, 4, 4, 0], [0, 4, 4, 0, 5, 5, 5, 1]]
    (_, draughts), *_ = play([], opened("draughts"))
    assert not {"names", "score", "counts", "held", "claim_draw"} & state(draughts).keys()


def test_a_draw_can_be_claimed_only_while_the_game_goes_on() -> None:
    (_, room), *_ = play([], opened("chess", (("start", "8/8/4k3/8/8/4K3/8/R7 w - - 100 80"),)))
    assert state(room)["claim_draw"] == "fifty_moves"
    over = evolve(room, Ended(room.at, Side.FIRST, Outcome(None, "fifty_moves")))
    assert "claim_draw" not in state(over)
    assert state(over)["outcome"] == {"winner": None, "reason": "fifty_moves", "cells": []}
    waiting = evolve(None, replace(opened("chess", room.game.setup), second=None))
    assert "claim_draw" not in state(waiting)


def test_a_room_that_is_set_up_shows_its_board_and_what_was_chosen() -> None:
    ((event, room),) = play([], opened("breakthrough", (("size", 5),)))
    shown = snapshot(room, 0, 0)
    assert [len(row) for row in shown["layout"]] == [5] * 5
    assert shown["board"] == {"shape": "squares", "look": "checkered", "bottom": "first"}
    assert shown["options"]["setup"] == listing(room)["options"]["setup"] == {"size": 5}
    told = update(event, room)["event"]
    assert [list(row) for row in told["layout"]] == shown["layout"]
    assert told["board"] == shown["board"]
    assert told["options"]["setup"] == {"size": 5}
    assert "setup" not in told
    ((event, room),) = play([], opened("breakthrough"))
    assert not {"layout", "board", "setup", "rules"} & update(event, room)["event"].keys()
    assert "board" not in snapshot(room, 0, 0)
    assert "setup" not in snapshot(room, 0, 0)["options"]


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1, "1970-01-01T00:00:00.001Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (1_795_521_605_104, "2026-11-24T12:00:05.104Z"),
        (1_795_521_605_999, "2026-11-24T12:00:05.999Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_timestamps(ms: int, text: str) -> None:
    assert timestamp(ms) == text


def every_event(options: Options) -> list[tuple[Event, Room]]:
    opened = Opened(0, "r", "tictactoe", "p-7f3a", ONE, None, options)
    room = evolve(None, opened)
    happened: list[tuple[Event, Room]] = [(opened, room)]
    events: list[Event] = [
        Joined(1, Side.SECOND, TWO),
        Played(2, Side.FIRST, 0, "5", 1),
        Offered(2, Side.FIRST, "takeback"),
        TakenBack(2, Side.SECOND, 1),
        Paused(3, 5000),
        Disconnected(3, Side.SECOND),
        Returned(4, Side.SECOND),
        Ended(5, Side.SECOND, Outcome(Side.FIRST, Reason.RESIGNATION)),
        Offered(6, Side.SECOND, "rematch"),
        Declined(7, Side.FIRST, "rematch"),
        Rematched(8, "s"),
    ]
    for event in events:
        room = evolve(room, event)
        happened.append((event, room))
    return happened


@pytest.mark.parametrize("options", [Options(), TIMED, Options(clock=PerMove(1500))])
def test_every_update_matches_its_message_type(options: Options) -> None:
    happened = every_event(options)
    assert {type(event) for event, _ in happened} == set(get_args(Event))
    set_up = play(["d1", "a1", "f2"], opened("kalah", (("pits", 6), ("seeds", 3))))
    claimable = play([], opened("chess", (("start", "8/8/4k3/8/8/4K3/8/R7 w - - 100 80"),)))
    for event, room in happened + play("123546879") + play("12435") + set_up + claimable:
        for message in (update(event, room), snapshot(room, room.at, 0)):
            rendered = json.loads(to_json(message))
            # A typed dictionary drops what it does not know: what comes back whole has no field too many.
            assert MESSAGES.validate_json(to_json(message), strict=True) == rendered
        assert TypeAdapter(Listing).validate_json(to_json(listing(room)), strict=True) == listing(room)


def test_an_analysis_marks_bounds() -> None:
    moves = {"1": MoveValue(3, True, 5, ("1",)), "2": MoveValue(2, False, None, ("2",), bound=Bound.UPPER)}
    tictactoe = GAMES["tictactoe"]
    rendered = analysed(tictactoe, tictactoe.start, Analysis(3, True, moves, ("1",), 10, 7, 0.5))
    assert "number" not in rendered
    assert rendered["moves"] == {
        "1": {"value": 3, "exact": True, "distance": 5, "line": ["1"]},
        "2": {"value": 2, "exact": False, "distance": None, "line": ["2"], "bound": "upper"},
    }


def test_an_analysis_has_the_names_and_the_number_of_chess_moves() -> None:
    chess = GAMES["chess"]
    position = chess.start.play("e2e4")
    found = Analysis(0, False, {"g8f6": MoveValue(0, False, None, ("g8f6", "b1c3"))}, ("g8f6",), 10, 2)
    rendered = analysed(chess, position, named(chess, position, found))
    assert rendered["number"] == 1
    assert rendered["moves"]["g8f6"]["names"] == ["Nf6", "Nc3"]  # type: ignore[index]
