from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.protocol.render import game_info, listing
from noughts.protocol.room_messages import Listing
from noughts.rooms import Resign
from noughts_client.terminal.lobby import RoomList
from noughts_client.terminal.text import plain
from support.viewed import COMPUTER, FIRST, after, room

GAMES = (game_info(room().game),)


WON = {"winner": "first", "reason": "line", "cells": []}
LISTINGS: dict[str, Any] = {
    "waiting": listing(room(second=None)),
    "playing": listing(room()),
    "over": {**listing(room()), "status": "over", "outcome": WON},
}


def listed(name: str, status: str = "playing", **fields: Any) -> Listing:
    result: Any = {**LISTINGS[status], "room": name, **fields}
    return cast(Listing, result)


def lines(rooms: RoomList, most: int = 10) -> list[str]:
    return plain(rooms.lines(80, most)).split("\n")


def test_open_seats_come_first_then_games_under_way_then_finished_ones() -> None:
    rooms = RoomList(GAMES).updated([listed("a", "over"), listed("b"), listed("c", "waiting"), listed("d")])
    assert lines(rooms) == [
        "  1  player-1 - (open), Tic-tac-toe, waiting",
        "  2  player-1 - player-2, Tic-tac-toe, playing",
        "  3  player-1 - player-2, Tic-tac-toe, playing",
        "  4  player-1 - player-2, Tic-tac-toe, player-1 won",
    ]
    assert [rooms.numbered(str(number))["room"] for number in (1, 2, 3, 4)] == list("cbda")  # type: ignore[index]
    assert rooms.numbered("") == rooms.numbered("1")
    assert rooms.numbered("5") is rooms.numbered("x") is None


def test_a_line_shows_the_options_and_the_result() -> None:
    options = {"private": False, "rated": True, "clock": {"initial_s": 180, "increment_s": 2}}
    seats = listing(room(second=COMPUTER))["seats"]
    rated = {**seats, "first": {**(seats["first"] or {}), "rating": 1500, "provisional": True, "online": False}}
    rooms = RoomList(GAMES).updated(
        [
            listed("a", options=options, seats=rated),
            listed("b", "over", outcome={**WON, "winner": None}),
            listed("c", "over", outcome={**WON, "winner": None, "reason": "aborted"}),
        ]
    )
    shown = lines(rooms)
    assert shown[0] == "  1  player-1 (1500?) (away) - computer (hard), Tic-tac-toe, 3+2, rated, playing"
    assert shown[1].endswith("Tic-tac-toe, draw")
    assert shown[2].endswith("Tic-tac-toe, closed")


def test_a_room_keeps_its_number() -> None:
    rooms = RoomList(GAMES).updated([listed("a", "waiting"), listed("b")])
    rooms = rooms.updated([listed("a"), listed("c", "waiting"), listed("b", "over")])
    assert lines(rooms) == [
        "  3  player-1 - (open), Tic-tac-toe, waiting",
        "  1  player-1 - player-2, Tic-tac-toe, playing",
        "  2  player-1 - player-2, Tic-tac-toe, player-1 won",
    ]


def test_a_replaced_list_drops_missing_rooms_and_keeps_the_other_numbers() -> None:
    rooms = RoomList(GAMES).updated([listed("a"), listed("b"), listed("c")])
    rooms = rooms.replaced([listed("d"), listed("c"), listed("a", "over")])
    assert [(number, entry["room"]) for number, entry in rooms.rooms] == [(4, "d"), (3, "c"), (1, "a")]


def test_a_list_of_open_seats_has_nothing_else() -> None:
    rooms = RoomList(GAMES, open_seats_only=True).updated([listed("a", "waiting"), listed("b"), listed("c", "over")])
    assert [listing["room"] for _, listing in rooms.rooms] == ["a"]
    assert rooms.updated([listed("a")]).rooms == ()


def test_a_finished_room_without_an_outcome_is_dropped() -> None:
    over = listing(after(room(), Resign(FIRST.id)))
    over.pop("outcome", None)
    assert RoomList(GAMES).updated([over]).rooms == ()


@settings(max_examples=30)
@given(st.lists(st.lists(st.tuples(st.integers(0, 150), st.sampled_from(["waiting", "playing", "over"])), max_size=60)))
def test_numbers_are_unique_and_the_list_is_bounded(news: list[list[tuple[int, str]]]) -> None:
    rooms, owners = RoomList(GAMES), dict[int, str]()
    for changes in news:
        rooms = rooms.updated([listed(f"room{number}", status) for number, status in changes])
        assert len(rooms.rooms) <= 100
        assert len({entry["room"] for _, entry in rooms.rooms}) == len(rooms.rooms)
        for number, entry in rooms.rooms:
            assert owners.setdefault(number, entry["room"]) == entry["room"]
