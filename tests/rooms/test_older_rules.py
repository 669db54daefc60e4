"""Rooms of a game whose rules have changed since they were opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from pydantic_core import to_json

from noughts.games import GAMES, Outcome, Reason, Side
from noughts.projection import result_of
from noughts.protocol.gamefile import BadGame, RecordedGame, from_file, recorded, to_file
from noughts.protocol.movelist import move_list
from noughts.protocol.records import UnknownRecord, from_record, to_record
from noughts.protocol.render import snapshot, snapshot_json, state, update, update_json
from noughts.protocol.words import RULES_CHANGED
from noughts.rooms import (
    Abort,
    AcceptTakeback,
    Claim,
    ClaimDraw,
    Close,
    Command,
    Disconnect,
    Event,
    Expire,
    Fischer,
    OfferDraw,
    OfferRematch,
    OfferTakeback,
    Open,
    Options,
    Play,
    Player,
    Resign,
    Room,
    evolve,
    rematch_of,
)
from noughts.rooms.room import OlderRules
from support.heaps import LESS, heap
from support.rooms import ANN, BEN, MINIMAX, event_of, refusal

STOPPED = "The rules have changed, and the game cannot go on. You can abort it."
EVA = replace(ANN, registered=True)
UNRATED_OPTIONS, TIMED = Options(), Options(clock=Fischer(60_000, 0), rated=True)


@pytest.fixture(autouse=True)
def game() -> Iterator[None]:
    """The game in version 1 of its rules; tests replace it by another version."""
    GAMES["heap"] = heap()
    yield
    del GAMES["heap"]


def opening(options: Options = UNRATED_OPTIONS, second: Player = BEN) -> list[Event]:
    return [event_of(None, Open("room", "heap", "p-ann", EVA, replace(second, registered=True), options), 1000)]


def replayed(events: list[Event]) -> Room:
    room = None
    for event in events:
        room = evolve(room, event)
    assert room is not None
    return room


def commanded(events: list[Event], *commands: Command) -> list[Event]:
    """The events, and those of ``commands``, one each second."""
    for command in commands:
        room = replayed(events)
        events = [*events, event_of(room, command, room.at + 1000)]
    return events


def moved(events: list[Event], moves: str) -> list[Event]:
    for move in moves:
        room = replayed(events)
        assert room.to_move is not None
        player = room.seat(room.to_move)
        assert player is not None
        events = commanded(events, Play(player.id, room.turn, move))
    return events


def test_a_game_goes_on_as_long_as_both_rules_agree() -> None:
    events = moved(opening(), "12")
    GAMES["heap"] = heap(2, takes=LESS)
    room = replayed(events)
    assert room.older_rules == OlderRules(1)
    assert (room.to_move, room.stopped, room.moves) == (Side.FIRST, False, ("1", "2"))
    assert "rules_changed" not in state(room)
    room = replayed(moved(events, "222"))
    assert (room.status, room.stopped, room.moves) == ("over", False, ("1", "2", "2", "2", "2"))


@pytest.mark.parametrize(
    ("rules", "at_ply"),
    [({"takes": LESS}, 1), ({"takes": ("1", "3")}, 3), ({"again": "3"}, 2), ({"again": "1"}, 1)],
    ids=["illegal", "illegal later", "another side to move", "another side at once"],
)
def test_the_first_move_on_which_the_rules_do_not_agree_stops_the_game(rules: dict[str, object], at_ply: int) -> None:
    events = moved(opening(), "1312")
    played = replayed(events)
    GAMES["heap"] = heap(2, **rules)
    room = replayed(events)
    assert room.older_rules is not None
    assert (room.older_rules.version, room.older_rules.at_ply) == (1, at_ply)
    assert room.moves == tuple("1312"[:at_ply])
    assert room.position.ply == at_ply
    assert (room.version, room.turn, room.status, room.to_move) == (played.version, 4, "playing", None)
    assert update_json(events[-1], room) == to_json(update(events[-1], room))
    assert snapshot_json(room, 0, 0) == to_json(snapshot(room, 0, 0))
    told = state(room)
    assert told["rules_changed"] == {"from": 1, "at_ply": at_ply}
    assert (told["to_move"], told["legal_moves"], told["turn"]) == (None, [], 4)


def test_an_end_that_is_none_today_and_one_that_was_none_stop_the_game() -> None:
    events = moved(opening(), "333")
    GAMES["heap"] = heap(2, last_loses=True)
    room = replayed(events)
    assert state(room)["rules_changed"] == {"from": 1, "at_ply": 2}
    assert room.outcome == Outcome(Side.FIRST, Reason.COUNT), "the stored result stands"
    assert (room.status, room.position.rows) == ("over", ("xxx......",))


@pytest.mark.parametrize(
    "command",
    [
        Play("p-ben", 4, "1"),
        Resign("p-ann"),
        OfferDraw("p-ann"),
        OfferTakeback("p-ann"),
        ClaimDraw("p-ann"),
        Claim("p-ann", "win"),
    ],
)
def test_nobody_plays_on(command: Command) -> None:
    events = moved(opening(), "1312")
    GAMES["heap"] = heap(2, takes=LESS)
    assert refusal(replayed(events), command, 9000) == ("not_allowed", STOPPED)


@pytest.mark.parametrize("command", [Abort("p-ann"), Abort("p-ben"), Close()])
def test_a_stopped_game_can_be_closed_without_a_result(command: Command) -> None:
    events = moved(opening(), "131")
    GAMES["heap"] = heap(2, takes=LESS)
    room = replayed(commanded(events, command))
    assert room.outcome == Outcome(None, Reason.RULES)
    assert result_of(room, None) is None


@pytest.mark.parametrize(("options", "due"), [(TIMED, 4000 + 60_000), (Options(sleeping_ms=7000), 4000 + 7000)])
def test_time_closes_a_stopped_game_and_nobody_loses(options: Options, due: int) -> None:
    events = moved(opening(options), "131")
    GAMES["heap"] = heap(2, takes=LESS)
    room = replayed(events)
    assert room.running is None
    assert room.due == (due, Reason.RULES)
    assert replayed([*events, event_of(room, Expire(), due)]).outcome == Outcome(None, Reason.RULES)


def test_the_computer_does_not_search_in_a_stopped_game() -> None:
    events = moved(opening(second=MINIMAX), "3")
    GAMES["heap"] = heap(2, takes=LESS)
    room = replayed(events)
    assert room.stopped
    assert room.computer_to_move is None


def test_nobody_can_claim_a_stopped_game() -> None:
    events = commanded(moved(opening(), "131"), Disconnect("p-ben"))
    GAMES["heap"] = heap(2, takes=LESS)
    assert replayed(events).claimable_at(Side.SECOND) is None


def test_moves_that_are_not_shown_are_taken_back_too() -> None:
    events = commanded(moved(opening(), "131"), OfferTakeback("p-ann"), AcceptTakeback("p-ben"))
    played = replayed(events)
    GAMES["heap"] = heap(2, takes=LESS)
    room = replayed(events)
    assert (room.moves, room.turn, room.version, room.takebacks) == (("1",), played.turn, played.version, 1)
    assert room.begun
    assert not replayed(events[:2]).begun


def test_a_rematch_is_played_by_the_rules_of_today() -> None:
    events = commanded(moved(opening(second=MINIMAX), "3"), Resign("p-ann"))
    GAMES["heap"] = heap(2, takes=LESS)
    room = replayed(commanded(events, OfferRematch("p-ann", "next")))
    assert rematch_of(room, room.at).rules == 2


@pytest.mark.parametrize("rules", [{"takes": LESS}, {"again": "2"}, {"last_loses": True}, {"takes": ("3",)}])
def test_whatever_was_stored_is_replayed_with_the_same_result(rules: dict[str, object]) -> None:
    for seed in range(30):
        GAMES["heap"] = heap()
        random, events = Random(seed), opening(TIMED if seed % 2 else UNRATED_OPTIONS)
        while (room := replayed(events)).status == "playing" and len(events) < 20:
            assert room.to_move is not None
            player = room.seat(room.to_move)
            assert player is not None
            step: Command = Play(player.id, room.turn, random.choice(room.position.legal_moves))
            if room.plies and not room.rated and random.random() < 0.2:
                asks, answers = ("p-ben", "p-ann") if room.plies[-1].side is Side.SECOND else ("p-ann", "p-ben")
                events = commanded(events, OfferTakeback(asks))
                step = AcceptTakeback(answers)
            events = commanded(events, Resign(player.id) if random.random() < 0.05 else step)
        GAMES["heap"] = heap(2, **rules)
        today = replayed(events)
        assert (today.version, today.turn, today.status) == (room.version, room.turn, room.status)
        assert (today.outcome, today.begun, today.takebacks) == (room.outcome, room.begun, room.takebacks)
        assert result_of(today, None) == result_of(room, None)
        if not today.stopped:
            assert today.moves == room.moves
        assert room.moves[: len(today.moves)] == today.moves or room.takebacks


def test_a_server_with_older_rules_refuses_a_room_of_newer_ones() -> None:
    GAMES["heap"] = heap(2)
    record = to_record(opening()[0])
    assert b'"schema":5' in record
    GAMES["heap"] = heap()
    with pytest.raises(UnknownRecord, match="under version 2 of the rules of Heap, and this server has version 1"):
        from_record(record)


# Records in files


def finished(moves: str) -> RecordedGame:
    """A game with these moves, which ends on the board or is given up."""
    events = moved(opening(), moves)
    if replayed(events).status != "over":
        events = commanded(events, Resign("p-ann"))
    return recorded([to_record(event) for event in events])


def test_a_game_on_which_both_rules_agree_is_imported() -> None:
    file = to_file(finished("2221"))
    GAMES["heap"] = heap(2, takes=LESS)
    (game,) = from_file(file.splitlines(keepends=True))
    assert to_file(game) == file
    assert not game.room.stopped


def test_a_game_that_the_rules_of_today_do_not_allow_is_exported_as_it_was_and_not_imported() -> None:
    file = to_file(finished("231"))
    GAMES["heap"] = heap(2, takes=LESS)
    assert to_file(recorded(file.splitlines()[1:])) == file
    with pytest.raises(BadGame) as refused:
        list(from_file(file.splitlines(keepends=True)))
    words = "that move was played under version 1 of the rules of Heap, and the rules here, version 2, do not agree"
    assert refused.value.words.startswith(words)
    assert refused.value.line == 4


def test_a_game_of_newer_rules_is_not_imported() -> None:
    GAMES["heap"] = heap(2)
    file = to_file(finished("231"))
    GAMES["heap"] = heap()
    with pytest.raises(BadGame, match="line 2: the room was opened under version 2 of the rules of Heap"):
        list(from_file(file.splitlines(keepends=True)))


def test_a_list_of_moves_says_where_the_rules_do_not_agree() -> None:
    records = finished("2313").records
    GAMES["heap"] = heap(2, takes=LESS)
    lines = list(move_list(recorded(records)))
    assert "  1. 2      ..." not in lines
    start = next(number for number, line in enumerate(lines) if line.startswith("  1. "))
    assert lines[start : start + 4] == [
        "  1. 2",
        "     (Dark plays 3 under the older rules)",
        "     (Light plays 1 under the older rules)",
        "     (Dark plays 3 under the older rules)",
    ]
    assert RULES_CHANGED in " ".join(lines)
    assert lines[-1] == "Dark (ben) won by count."
