from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from noughts.protocol import game_info, listing
from noughts.protocol.messages import Listing
from noughts.rooms import Resign
from noughts_client.terminal.lobby import Lobby
from noughts_client.terminal.view import plain
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


def lines(lobby: Lobby, most: int = 10) -> list[str]:
    return plain(lobby.lines(80, most)).split("\n")


def test_open_seats_come_first_then_games_then_what_is_over() -> None:
    lobby = Lobby(GAMES).then([listed("a", "over"), listed("b"), listed("c", "waiting"), listed("d")])
    assert lines(lobby) == [
        "  1  player-1 - (open), Tic-tac-toe, waiting",
        "  2  player-1 - player-2, Tic-tac-toe, playing",
        "  3  player-1 - player-2, Tic-tac-toe, playing",
        "  4  player-1 - player-2, Tic-tac-toe, player-1 won",
    ]
    assert [lobby.numbered(str(number))["room"] for number in (1, 2, 3, 4)] == list("cbda")  # type: ignore[index]
    assert lobby.numbered("") == lobby.numbered("1")
    assert lobby.numbered("5") is lobby.numbered("x") is None


def test_how_a_game_is_played_and_how_it_ended_is_told() -> None:
    options = {"private": False, "rated": True, "clock": {"initial_s": 180, "increment_s": 2}}
    seats = listing(room(second=COMPUTER))["seats"]
    rated = {**seats, "first": {**(seats["first"] or {}), "rating": 1500, "provisional": True, "online": False}}
    lobby = Lobby(GAMES).then(
        [
            listed("a", options=options, seats=rated),
            listed("b", "over", outcome={**WON, "winner": None}),
            listed("c", "over", outcome={**WON, "winner": None, "reason": "aborted"}),
        ]
    )
    shown = lines(lobby)
    assert shown[0] == "  1  player-1 (1500?) (away) - minimax (hard), Tic-tac-toe, 3+2, rated, playing"
    assert shown[1].endswith("Tic-tac-toe, drawn")
    assert shown[2].endswith("Tic-tac-toe, closed")


def test_a_room_keeps_its_number_whatever_happens() -> None:
    lobby = Lobby(GAMES).then([listed("a", "waiting"), listed("b")])
    lobby = lobby.then([listed("a"), listed("c", "waiting"), listed("b", "over")])
    assert lines(lobby) == [
        "  3  player-1 - (open), Tic-tac-toe, waiting",
        "  1  player-1 - player-2, Tic-tac-toe, playing",
        "  2  player-1 - player-2, Tic-tac-toe, player-1 won",
    ]


def test_a_list_anew_drops_what_is_not_there_and_keeps_the_numbers_of_the_others() -> None:
    lobby = Lobby(GAMES).then([listed("a"), listed("b"), listed("c")])
    lobby = lobby.anew([listed("d"), listed("c"), listed("a", "over")])
    assert [(number, entry["room"]) for number, entry in lobby.rooms] == [(4, "d"), (3, "c"), (1, "a")]


def test_who_looks_for_a_seat_sees_open_ones_alone() -> None:
    lobby = Lobby(GAMES, seats_only=True).then([listed("a", "waiting"), listed("b"), listed("c", "over")])
    assert [listing["room"] for _, listing in lobby.rooms] == ["a"]
    assert lobby.then([listed("a")]).rooms == ()


def test_a_room_that_is_over_without_a_word_how_is_gone() -> None:
    over = listing(after(room(), Resign(FIRST.id)))
    over.pop("outcome", None)
    assert Lobby(GAMES).then([over]).rooms == ()


@given(st.lists(st.lists(st.tuples(st.integers(0, 150), st.sampled_from(["waiting", "playing", "over"])), max_size=60)))
def test_numbers_are_never_given_twice_and_the_list_is_bounded(news: list[list[tuple[int, str]]]) -> None:
    lobby, owners = Lobby(GAMES), dict[int, str]()
    for changes in news:
        lobby = lobby.then([listed(f"room{number}", status) for number, status in changes])
        assert len(lobby.rooms) <= 100
        assert len({entry["room"] for _, entry in lobby.rooms}) == len(lobby.rooms)
        for number, entry in lobby.rooms:
            assert owners.setdefault(number, entry["room"]) == entry["room"]
