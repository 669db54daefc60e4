"""Our server passes every check, and each check finds a server that does wrong what it is about."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from noughts.conformance.report import Fault
from noughts.conformance.server import CHECKS, check_server
from support.altered import Alter, altered
from support.ports import free_port
from support.server import running_server

pytestmark = [pytest.mark.slow, pytest.mark.smoke]

Json = dict[str, Any]


@pytest.fixture
async def url() -> AsyncIterator[str]:
    async with running_server(messages_per_s=100, burst=200) as running:
        yield running


async def test_our_server_passes(url: str) -> None:
    """As it is, and behind a proxy that changes nothing: so that what the others find is what they changed."""
    async with altered(url) as behind:
        for where in (url, behind):
            checks = [check async for check in check_server(where)]
            assert [(check.name, check.fault) for check in checks if check.fault is not None] == []
            assert [check.name for check in checks] == list(CHECKS)


async def test_where_nobody_answers_there_is_one_fault() -> None:
    (check,) = [check async for check in check_server(f"ws://127.0.0.1:{free_port()}/ws")]
    assert check.fault is not None
    assert check.fault.problem.startswith("No server answers at ws://127.0.0.1")


def without(kind: str, name: str) -> Alter:
    def alter(message: Json, _: Json) -> Iterator[Json]:
        if message["type"] == kind:
            message.pop(name, None)
        yield message

    return alter


def replacing(kind: str, **fields: Any) -> Alter:
    def alter(message: Json, _: Json) -> Iterator[Json]:
        yield {**message, **fields} if message["type"] == kind else message

    return alter


def in_state(**fields: Any) -> Alter:
    def alter(message: Json, _: Json) -> Iterator[Json]:
        yield {**message, "state": {**message["state"], **fields}} if "state" in message else message

    return alter


def leaves_out_legal_moves(message: Json, _: Json) -> Iterator[Json]:
    message.get("state", {}).pop("legal_moves", None)
    yield message


def as_code(code: str, another: str) -> Alter:
    def alter(message: Json, _: Json) -> Iterator[Json]:
        yield {**message, "code": another} if message.get("code") == code else message

    return alter


def as_type(code: str, **fields: Any) -> Alter:
    """Say something else where an error with ``code`` is due."""

    def alter(message: Json, _: Json) -> Iterator[Json]:
        yield {"id": message.get("id"), **fields} if message.get("code") == code else message

    return alter


def leaves_out_a_version(message: Json, memory: Json) -> Iterator[Json]:
    if message["type"] == "update" and message["version"] > 3:
        message["version"] += 1
    yield message


def sends_updates_twice(message: Json, memory: Json) -> Iterator[Json]:
    yield message
    if message["type"] == "update":
        yield message


def answers_twice(message: Json, memory: Json) -> Iterator[Json]:
    yield message
    if message["type"] == "pong":
        yield message


def tells_each_something_else(message: Json, memory: Json) -> Iterator[Json]:
    if message["type"] == "update":
        message["event"]["for"] = memory["connection"]
    yield message


def answers_before_the_update(message: Json, memory: Json) -> Iterator[Json]:
    """An update waits for the answer that follows it."""
    if message["type"] == "update" and memory["connection"] == 1 and message["event"].get("turn") == 0:
        memory["held"] = message
        return
    yield message
    if "held" in memory:
        yield memory.pop("held")


def shows_the_room_before_the_answer(message: Json, memory: Json) -> Iterator[Json]:
    if message["type"] == "ok" and "seat" in message:
        memory["held"] = message
        return
    yield message
    if "held" in memory:
        yield memory.pop("held")


def changes_history(message: Json, memory: Json) -> Iterator[Json]:
    """Missed updates reach a client in another way."""
    if message["type"] == "ok" and "version" in message and "room" in message:
        memory["resumes"] = True
    if message["type"] == "update" and "resumes" in memory:
        message["at"] = "2026-01-01T00:00:00.000Z"
    yield message


def shows_the_room_instead(message: Json, memory: Json) -> Iterator[Json]:
    if message["type"] == "room":
        message["version"] += 1
    yield message


def tells_everybody(message: Json, memory: Json) -> Iterator[Json]:
    if message["type"] == "chat":
        message["to"] = "players"
    yield message


def lists_private_rooms(message: Json, memory: Json) -> Iterator[Json]:
    if message["type"] == "room" and message["options"]["private"]:
        PRIVATE.append({key: message[key] for key in ("room", "game", "options")} | PRIVATE_STATE)
    if "rooms" in message:
        message["rooms"] += PRIVATE
    yield message


PRIVATE: list[Json] = []
PRIVATE_STATE: Json = {"status": "playing", "seats": {"first": None, "second": None}}


def swaps_no_sides(message: Json, memory: Json) -> Iterator[Json]:
    if message["type"] == "room" and message["previous"]:
        seats = message["state"]["seats"]
        seats["first"], seats["second"] = seats["second"], seats["first"]
    yield message


def hides_own_games(message: Json, memory: Json) -> Iterator[Json]:
    yield {**message, "games": []} if message["type"] == "games" else message


def forgets_the_move(message: Json, memory: Json) -> Iterator[Json]:
    if message["type"] == "update" and message["event"]["kind"] == "played":
        message["event"]["move"] = "7"
    yield message


def has_other_names(message: Json, memory: Json) -> Iterator[Json]:
    if message["type"] == "welcome":
        message["player"]["name"] = "somebody"
    yield message


def always_has_games(message: Json, _: Json) -> Iterator[Json]:
    if message["type"] == "welcome":
        message.setdefault("games", [])
    yield message


def makes_another_player(message: Json, memory: Json) -> Iterator[Json]:
    if message["type"] == "welcome":
        message["player"]["id"] += str(memory["connection"])
    yield message


def opens_another_room(message: Json, memory: Json) -> Iterator[Json]:
    if message["type"] == "ok" and "room" in message:
        memory["opened"] = memory.get("opened", 0) + 1
        message["room"] += "x" * (memory["opened"] - 1)
    yield message


def refuses_legal_moves(message: Json, memory: Json) -> Iterator[Json]:
    if message["type"] == "ok" and "version" in message and "room" not in message:
        message = {"type": "error", "id": message["id"], "code": "illegal_move", "message": "No."}
    yield message


def answers_another_version(message: Json, memory: Json) -> Iterator[Json]:
    """To a move, on every connection but the two players' first."""
    if message["type"] == "ok" and "version" in message and "room" not in message and memory["connection"] > 2:
        message["version"] += 1
    yield message


def tells_the_first_player_another_version(message: Json, memory: Json) -> Iterator[Json]:
    if message["type"] == "ok" and "version" in message:
        message["version"] += 1
    yield message


def counts_turns_by_twos(message: Json, memory: Json) -> Iterator[Json]:
    if message["type"] == "update" and message["event"]["kind"] == "played":
        message["state"]["turn"] += 1
    yield message


def with_seat(seat: str, another: str | None) -> Alter:
    def alter(message: Json, _: Json) -> Iterator[Json]:
        yield {**message, "seat": another} if message["type"] == "ok" and message.get("seat", "") == seat else message

    return alter


def seats_spectators(message: Json, _: Json) -> Iterator[Json]:
    if message["type"] == "ok" and "seat" in message and message["seat"] is None:
        message["seat"] = "first"
    yield message


def shows_who_joined_another_board(message: Json, _: Json) -> Iterator[Json]:
    if message["type"] == "update" and message["event"]["kind"] == "joined":
        message["state"]["turn"] = 1
    yield message


def shows_an_old_board(message: Json, memory: Json) -> Iterator[Json]:
    """To those who watch the room again."""
    if message["type"] == "room" and message["state"]["status"] == "over":
        message["state"]["rows"] = ["...", "...", "..."]
    yield message


def shows_a_later_version(message: Json, memory: Json) -> Iterator[Json]:
    if message["type"] == "room" and memory["connection"] > 4:
        message["version"] += 1
    yield message


def ends_for(reason: str, another: str) -> Alter:
    def alter(message: Json, _: Json) -> Iterator[Json]:
        if (outcome := message.get("state", {}).get("outcome")) and outcome["reason"] == reason:
            outcome["reason"] = another
        yield message

    return alter


def plays_for_the_other_side(message: Json, _: Json) -> Iterator[Json]:
    if message["type"] == "update":
        message["event"]["side"] = "first"
    yield message


def promises_more(message: Json, _: Json) -> Iterator[Json]:
    if message["type"] == "welcome":
        message["limits"]["burst"] *= 2
    yield message


def carries_out_what_it_refuses(message: Json, memory: Json) -> Iterator[Json]:
    yield message
    if message["type"] == "update":
        memory["last"] = message
    elif message.get("code") == "stale" and "last" in memory:
        yield {**memory["last"], "version": memory["last"]["version"] + 1}


TOURNAMENTS = "tournaments are opened, entered, decided and ended"


def gives_points(message: Json, _: Json) -> Iterator[Json]:
    for row in message.get("standings", ()):
        row["points"] = 1
    yield message


def calls_both_to_one_seat(message: Json, _: Json) -> Iterator[Json]:
    yield {**message, "seat": "first"} if message["type"] == "tournament_game" else message


def opens_another_tournament(message: Json, memory: Json) -> Iterator[Json]:
    if message["type"] == "ok" and "tournament" in message:
        memory["opened"] = memory.get("opened", 0) + 1
        message["tournament"] += "x" * (memory["opened"] - 1)
    yield message


def tells_an_old_tournament(message: Json, _: Json) -> Iterator[Json]:
    if message["type"] == "tournament" and "id" in message:
        message["version"] = min(message["version"], 4)
    yield message


CLASSES = "classes are joined, watched and played"


def shows_names_to_all(message: Json, memory: Json) -> Iterator[Json]:
    if "students" in message:
        memory["students"] = message["students"]
    yield {"students": memory.get("students", []), **message} if "free" in message else message


def tells_of_all(message: Json, _: Json) -> Iterator[Json]:
    if message["type"] == "class_changes":
        message["students"].append({"name": "Ben", "puzzles": 0})
    yield message


def keeps_a_name(message: Json, memory: Json) -> Iterator[Json]:
    if "free" in message:
        memory["told"] = message["free"] = message["free"][memory.get("told") is not None :]
    yield message


def lets_a_student_ask_on(message: Json, _: Json) -> Iterator[Json]:
    yield {**message, "asks": True} if message["type"] == "class" and "id" not in message else message


def names_other_rooms(message: Json, memory: Json) -> Iterator[Json]:
    yield {**message, "room": "another"} if message["type"] == "update" else message


FAULTS: list[tuple[str, Alter, str]] = [
    ("a new player says hello", without("welcome", "limits"), "`limits`: Field required"),
    ("a new player says hello", replacing("welcome", protocol="1"), "`protocol`: Input should be a valid integer"),
    ("a new player says hello", replacing("welcome", protocol=2), "`protocol` should be 1"),
    ("a new player says hello", replacing("welcome", games=[]), "there are no `games`"),
    ("a new player says hello", always_has_games, "a client that asked for no games should not get games"),
    ("a new player says hello", replacing("welcome", type="ok"), "the answer to `hello` should be `welcome`"),
    ("a new player says hello", has_other_names, "the player should be the human 'check-1'"),
    ("a new player says hello", as_type("not_allowed", type="ok"), "should be an error with the code `not_allowed`"),
    ("a token makes the same player", makes_another_player, "the token is that of"),
    ("a token makes the same player", as_code("bad_token", "banned"), "the code `bad_token`"),
    ("nothing goes before hello", as_code("not_identified", "bad_message"), "the code `not_identified`"),
    ("nothing goes before hello", as_code("unsupported_protocol", "bad_message"), "`unsupported_protocol`"),
    ("what is not JSON is refused", as_code("bad_json", "bad_message"), "the code `bad_json`"),
    ("what is not a request is refused", as_code("bad_message", "bad_json"), "the code `bad_message`"),
    ("what is not a request is refused", without("error", "id"), "does not repeat the `id`"),
    ("what is not JSON is refused", replacing("error", code="oops"), "the code `bad_json`"),
    ("rooms, games and players that do not exist are refused", as_code("unknown_game", "unknown_room"), "unknown_game"),
    ("rooms, games and players that do not exist are refused", as_code("unknown_room", "internal"), "unknown_room"),
    ("rooms, games and players that do not exist are refused", as_code("unknown_player", "internal"), "unknown_player"),
    ("answers have the ids of their requests", answers_twice, "an answer to no request that is open"),
    ("answers have the ids of their requests", replacing("pong", id="another"), "an answer to no request"),
    ("answers have the ids of their requests", replacing("pong", now=None), "`now`: Input should be a valid string"),
    ("the limits are those that welcome tells", as_type("rate_limited", type="pong", now=""), "were not refused"),
    (
        "the limits are those that welcome tells",
        without("error", "retry_after_s"),
        "should be `rate_limited`, with `retry_after_s`",
    ),
    ("wrong moves are refused and change nothing", as_code("illegal_move", "malformed_move"), "`illegal_move`"),
    ("wrong moves are refused and change nothing", as_code("not_your_turn", "stale"), "`not_your_turn`"),
    ("wrong moves are refused and change nothing", as_type("stale", type="ok"), "the code `stale`"),
    ("wrong moves are refused and change nothing", as_code("malformed_move", "illegal_move"), "`malformed_move`"),
    ("wrong moves are refused and change nothing", as_code("not_seated", "not_allowed"), "`not_seated`"),
    ("wrong moves are refused and change nothing", as_code("seat_taken", "not_allowed"), "`seat_taken`"),
    ("wrong moves are refused and change nothing", without("error", "legal_moves"), "should have the `legal_moves`"),
    ("wrong moves are refused and change nothing", carries_out_what_it_refuses, "nothing should have happened"),
    ("wrong moves are refused and change nothing", names_other_rooms, "an update of a room that was not shown before"),
    ("what is not JSON is refused", replacing("pong", type="ok"), "should be `pong`"),
    ("the limits are those that welcome tells", promises_more, "was refused, and `burst` is 400"),
    ("a move that is sent again is played once", sends_updates_twice, "the update after version"),
    ("a move that is sent again is played once", refuses_legal_moves, "should be played"),
    ("a move that is sent again is played once", answers_another_version, "that of the first answer"),
    ("a whole game, with a spectator", tells_the_first_player_another_version, "have different versions"),
    ("a whole game, with a spectator", counts_turns_by_twos, "after the move, `turn` should be 1"),
    ("a whole game, with a spectator", with_seat("first", "second"), "and the seat `first`"),
    ("a whole game, with a spectator", with_seat("second", None), "and the seat `second`"),
    ("a whole game, with a spectator", seats_spectators, "should have the seat null"),
    ("a whole game, with a spectator", shows_who_joined_another_board, "the update should be `joined`, with the state"),
    ("a whole game, with a spectator", in_state(status="waiting", to_move=None, legal_moves=[]), "should be `playing`"),
    ("a whole game, with a spectator", shows_an_old_board, "should have the state of the last update"),
    ("a client resumes from the version that it has seen", shows_a_later_version, "the room should have the version"),
    ("resigning, a rematch, and aborting it", ends_for("resignation", "time"), "won by `resignation`"),
    ("resigning, a rematch, and aborting it", ends_for("aborted", "time"), "should be `aborted`"),
    ("the computer answers a move", plays_for_the_other_side, "the computer should have played"),
    ("a whole game, with a spectator", leaves_out_a_version, "the update after version 3 has the version 5"),
    ("a whole game, with a spectator", tells_each_something_else, "got different updates"),
    ("a whole game, with a spectator", answers_before_the_update, "should come before the answer"),
    ("a whole game, with a spectator", shows_the_room_before_the_answer, "should come before the room"),
    ("a whole game, with a spectator", forgets_the_move, "the event should be `played` with turn 0"),
    ("a whole game, with a spectator", as_code("game_over", "stale"), "`game_over`"),
    ("a whole game, with a spectator", in_state(legal_moves=["1"]), "is not empty while the status is 'waiting'"),
    ("a whole game, with a spectator", in_state(legal_moves=[]), "is empty while a side is to move"),
    ("a whole game, with a spectator", leaves_out_legal_moves, "`state.legal_moves` is missing"),
    ("a whole game, with a spectator", in_state(to_move="first"), "`state.to_move` is 'first' while"),
    ("a whole game, with a spectator", in_state(ply=1), "`state.ply` is 1 and there are 0 `moves`"),
    ("a whole game, with a spectator", in_state(turn=0), "less than `ply`"),
    ("a whole game, with a spectator", in_state(outcome={"winner": None, "reason": "draw", "cells": []}), "outcome"),
    ("a whole game, with a spectator", in_state(rows=["..", "."]), "different lengths"),
    ("a client resumes from the version that it has seen", changes_history, "should come as it was sent"),
    ("a client resumes from the version that it has seen", shows_the_room_instead, "version"),
    ("resigning, a rematch, and aborting it", swaps_no_sides, "with the sides swapped"),
    ("a key opens one room", opens_another_room, "the same key should give the same room"),
    ("the lobby lists public rooms", lists_private_rooms, "should not have the private room"),
    ("the lobby lists public rooms", hides_own_games, "`games` should list the player's own rooms"),
    ("players chat with players, spectators with spectators", tells_everybody, "to the spectators"),
    (TOURNAMENTS, as_code("unknown_tournament", "unknown_room"), "`unknown_tournament`"),
    (TOURNAMENTS, replacing("tournaments", type="ok"), "should be `tournaments`"),
    (TOURNAMENTS, opens_another_tournament, "the same key should give the same tournament"),
    (TOURNAMENTS, gives_points, "without points"),
    (TOURNAMENTS, calls_both_to_one_seat, "the two seats of one room"),
    (TOURNAMENTS, tells_an_old_tournament, "not older than what was pushed"),
    (CLASSES, as_code("unknown_class", "unknown_room"), "`unknown_class`"),
    (CLASSES, shows_names_to_all, "and no `students`"),
    (CLASSES, tells_of_all, "the student who has joined, and no other"),
    (CLASSES, replacing("simul_game", seat="first"), "the second seat of the room"),
    (CLASSES, keeps_a_name, "should be free"),
    (CLASSES, without("class", "asks"), "should be told so"),
    (CLASSES, lets_a_student_ask_on, "without `asks`"),
    (CLASSES, without("class_changes", "students"), "`students`: Field required"),
    (TOURNAMENTS, without("tournament", "standings"), "`standings`: Field required"),
]


@pytest.mark.parametrize(("name", "alter", "problem"), FAULTS)
async def test_a_fault_is_found(name: str, alter: Alter, problem: str, url: str) -> None:
    async with altered(url, alter) as wrong:
        with pytest.raises(Fault) as fault:
            await CHECKS[name](wrong)
    assert problem in fault.value.problem
    assert any(quote.startswith("< ") for quote in fault.value.quotes)
    assert all(quote.startswith(("< ", "> ")) for quote in fault.value.quotes)


@pytest.mark.parametrize(("code", "problem"), [(1003, "1003, not 1008"), (1009, "1009, not 1008")])
async def test_a_wrong_close_code_is_found(code: int, problem: str, url: str) -> None:
    async with altered(url, close=lambda closed: 1008 if closed == code else closed) as wrong:
        with pytest.raises(Fault, match=problem):
            await CHECKS["binary and overlong messages end the connection"](wrong)


@pytest.mark.parametrize(
    ("pages", "problem"),
    [
        ({"/asyncapi.json": "nothing"}, "there is no AsyncAPI document"),
        ({"/asyncapi.json": '{"asyncapi":"2.6.0","components":{"messages":{}}}'}, "the document is AsyncAPI 2.6.0"),
        ({"/asyncapi.json": '{"asyncapi":"3.0.0","components":{"messages":{}}}'}, "no message `error`"),
        ({"/version": "{}"}, "not as documented"),
        ({"/version": '{"protocol":"2"}'}, "should tell the protocol 1"),
    ],
)
async def test_a_wrong_page_is_found(pages: dict[str, str], problem: str, url: str) -> None:
    async with altered(url, pages=pages) as wrong:
        with pytest.raises(Fault) as fault:
            await CHECKS["the contract is published"](wrong)
    assert problem in fault.value.problem
    assert fault.value.quotes[0].startswith("> GET http://")
