"""Players and rooms that may play rated games."""

from __future__ import annotations

from dataclasses import replace

import pytest

from noughts.games import Side
from noughts.rooms import (
    AcceptTakeback,
    Fischer,
    Join,
    Joined,
    NoChange,
    OfferTakeback,
    Open,
    Opened,
    Options,
    Player,
    Refused,
    Room,
    evolve,
    rematch_of,
)
from noughts.rooms.validate import is_valid
from support.rooms import ANN, BEN, MINIMAX, after, decided, event_of, played, refusal

CLOCK = Fischer(60_000, 0)
RATED = Options(rated=True, clock=CLOCK)
REGISTERED, BOT = replace(ANN, registered=True), replace(BEN, registered=True)


def open_with(first: Player | None, second: Player | None, options: Options = RATED) -> Opened:
    event = decided(None, Open("room", "tictactoe", "p-ann", first, second, options), 1000)
    assert isinstance(event, Opened)
    return event


@pytest.mark.parametrize(
    ("first", "second"),
    [(REGISTERED, BOT), (REGISTERED, None), (None, BOT), (MINIMAX, REGISTERED), (MINIMAX, None), (None, None)],
)
def test_registered_players_and_the_computer_can_play_rated_games(first: Player | None, second: Player | None) -> None:
    opened = open_with(first, second)
    assert (opened.first, opened.second) == (first, second)
    assert evolve(None, opened).rated


@pytest.mark.parametrize(
    ("first", "second", "options", "words"),
    [
        (REGISTERED, BOT, replace(RATED, clock=None), "A rated game needs a clock."),
        (REGISTERED, BOT, replace(RATED, private=True), "A rated game cannot be private."),
        (ANN, BOT, RATED, "Only registered players can play rated games. Register your name first."),
        (REGISTERED, BEN, RATED, "Only registered players can play rated games. Register your name first."),
        (MINIMAX, MINIMAX, RATED, "A rated game needs at least one player who is not the computer."),
        (REGISTERED, REGISTERED, RATED, "A player can take only one seat of a room."),
    ],
)
def test_unratable_rooms_are_refused(first: Player, second: Player, options: Options, words: str) -> None:
    with pytest.raises(Refused) as refused:
        open_with(first, second, options)
    assert (refused.value.code, refused.value.message) == ("not_allowed", words)


def test_every_kind_of_player_can_play_unrated_games() -> None:
    for options in (Options(), Options(private=True), Options(clock=CLOCK)):
        assert open_with(ANN, BEN, options)
        assert open_with(MINIMAX, MINIMAX, options)


def test_only_registered_players_join_rated_rooms() -> None:
    room = evolve(None, open_with(REGISTERED, None))
    assert refusal(room, Join(BEN), 2000)[0] == "not_allowed"
    assert event_of(room, Join(BOT), 2000) == Joined(2000, Side.SECOND, BOT)
    assert decided(room, Join(REGISTERED), 2000) == NoChange(1), "who is there is there"


def playing(*, rated: bool) -> Room:
    room = evolve(None, open_with(REGISTERED, BOT, replace(RATED, rated=rated)))
    return played(room, ("5", 0), ("1", 0), ("2", 1000))


def test_rated_games_have_no_takebacks() -> None:
    assert refusal(playing(rated=True), OfferTakeback("p-ann"), 9000)[0] == "not_allowed"
    assert after(playing(rated=False), OfferTakeback("p-ann"), AcceptTakeback("p-ben"), now=9000).moves == ("5", "1")
    against = played(evolve(None, open_with(REGISTERED, MINIMAX)), ("5", 0), ("1", 0))
    assert refusal(against, OfferTakeback("p-ann"), 9000)[0] == "not_allowed"


def test_the_rematch_of_a_rated_game_is_rated() -> None:
    for rated in (True, False):
        room = replace(playing(rated=rated), next="again")
        assert rematch_of(room, 9000).options.rated is rated


def test_a_game_that_was_to_be_rated_is_not_if_its_event_says_so_and_its_rematch_is_judged_anew() -> None:
    joined = event_of(evolve(None, open_with(REGISTERED, None)), Join(BOT, None, "same_address"), 2000)
    assert joined == Joined(2000, Side.SECOND, BOT, "same_address")
    room = evolve(evolve(None, open_with(REGISTERED, None)), joined)
    opened = decided(None, Open("room", "tictactoe", "p-ann", REGISTERED, BOT, RATED, "pair_limit"), 1000)
    assert isinstance(opened, Opened)
    for one, why in ((room, "same_address"), (evolve(None, opened), "pair_limit")):
        assert (one.rated, one.unrated_because) == (False, why)
        begun = played(one, ("5", 0), ("1", 0), ("2", 1000))
        assert (begun.rated, begun.unrated_because) == (False, why)
        assert after(begun, OfferTakeback("p-ann"), AcceptTakeback("p-ben"), now=9000).moves == ("5", "1")
        assert evolve(None, rematch_of(replace(begun, next="again"), 9000)).rated
    assert is_valid(None, opened)
    assert is_valid(evolve(None, open_with(REGISTERED, None)), joined)
