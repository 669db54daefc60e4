"""Games as they are set up: what is chosen, what is refused, and the names of games with what was chosen."""

from __future__ import annotations

import pickle

import pytest

from noughts.games import GAMES
from noughts.games.catalogue import (
    TEXT_CHARACTERS,
    BadSetup,
    Choice,
    UnknownGame,
    _variant,
    game_named,
    key_of,
    name_of,
    set_up,
)

ENDING = "8/8/4k3/8/8/4K3/8/R7 w - - 0 1"
CHOICES = [
    (game.key, option.key, choice) for game in GAMES.values() for option in game.options for choice in option.choices
]


@pytest.mark.parametrize("key", GAMES)
def test_a_game_as_usual_is_the_one_of_the_registry(key: str) -> None:
    game = GAMES[key]
    defaults = [(option.key, option.default) for option in game.options]
    assert set_up(key) is set_up(key, defaults) is game_named(key) is game
    assert game.setup == ()
    assert name_of(game) == key_of(name_of(game)) == key


@pytest.mark.parametrize(("key", "option", "choice"), CHOICES)
def test_what_is_chosen_is_kept_unless_it_is_the_default(key: str, option: str, choice: Choice) -> None:
    game, usual = set_up(key, [(option, choice)]), GAMES[key]
    default = next(each.default for each in usual.options if each.key == option)
    assert game.setup == (() if choice == default else ((option, choice),))
    assert (game is usual) == (choice == default)
    assert (game.key, game.title, game.options) == (usual.key, usual.title, usual.options)
    assert game_named(name_of(game)) is game
    assert game.parse(game.start.text) == game.start


@pytest.mark.parametrize(("key", "option", "choice"), CHOICES)
def test_equal_choices_are_the_same_game(key: str, option: str, choice: Choice) -> None:
    others = [(each.key, each.default) for each in GAMES[key].options if each.key != option]
    game = set_up(key, [(option, choice)])
    assert set_up(key, [(option, str(choice))]) is set_up(key, [*others, (option, choice)]) is game
    assert set_up(key, [(option, choice), *others]) is game


def test_choices_have_the_order_of_the_options() -> None:
    game = set_up("kalah", {"seeds": 3, "pits": 2}.items())
    assert game.setup == (("pits", 2), ("seeds", 3))
    assert name_of(game) == "kalah?pits=2&seeds=3"
    assert game_named("kalah?seeds=3&pits=2") is game
    assert game_named("kalah?pits=6&seeds=3").setup == (("seeds", 3),)


def test_a_text_may_have_any_characters_in_a_name() -> None:
    game = set_up("chess", [("start", ENDING)])
    assert name_of(game) == "chess?start=8%2F8%2F4k3%2F8%2F8%2F4K3%2F8%2FR7+w+-+-+0+1"
    assert game_named(name_of(game)) is game
    assert key_of(name_of(game)) == "chess"
    assert game.start.text == ENDING
    assert game.start.ply == 0


def test_a_position_of_a_variant_is_a_value_in_another_process() -> None:
    for game in (set_up("breakthrough", [("size", 5)]), set_up("chess", [("start", ENDING)])):
        assert pickle.loads(pickle.dumps(game.start)) == game.start


@pytest.mark.parametrize("name", ["shogi", "", "Chess", "tictactoe ", "?size=6"])
def test_an_unknown_game_is_answered_with_all(name: str) -> None:
    with pytest.raises(UnknownGame, match=r"There is no game .* The games are tictactoe, .* and dots"):
        set_up(name)
    with pytest.raises(UnknownGame):
        game_named(name)


@pytest.mark.parametrize(
    ("key", "setup", "sentence"),
    [
        ("tictactoe", {"size": 4}, "Tic-tac-toe has no option 'size'. It has no options."),
        ("breakthrough", {"sise": 6}, "Breakthrough has no option 'sise'. Its options are size."),
        ("kalah", {"": 6}, "Kalah has no option ''. Its options are pits, seeds."),
        ("breakthrough", {"size": 4}, "Breakthrough: Size of the board is one of 5, 6, 7, 8."),
        ("breakthrough", {"size": "six"}, "Breakthrough: Size of the board is one of 5, 6, 7, 8."),
        ("breakthrough", {"size": ""}, "Breakthrough: Size of the board is one of 5, 6, 7, 8."),
        ("breakthrough", {"size": 6.5}, "Breakthrough: Size of the board is one of 5, 6, 7, 8."),
        ("breakthrough", {"size": 10**50}, "Breakthrough: Size of the board is one of 5, 6, 7, 8."),
        ("breakthrough", {"size": float("nan")}, "Breakthrough: Size of the board is one of 5, 6, 7, 8."),
        ("morris", {"flying": True}, "Nine Men's Morris: Flying with three men is one of yes, no."),
        ("chess", {"start": "x" * 201}, "Start position (FEN): at most 200 characters."),
        ("chess", {"start": "8/8/8/8/8/8/8/8 w - - 0 1"}, "Each side has one king."),
        ("chess", {"start": "8/8/4k3/8/8/4K3/8/8 w - - 0 1"}, "The game would be over at its start."),
        (
            "draughts",
            {"start": "B:W1"},
            "A position is the side to move and the squares of both sides: B:W21,22,K30:B1,2.",
        ),
        ("draughts", {"start": "B:W21:B"}, "The game would be over at its start."),
    ],
)
def test_a_bad_choice_is_refused_with_a_sentence(key: str, setup: dict[str, Choice], sentence: str) -> None:
    for _ in range(2):
        with pytest.raises(BadSetup) as refused:
            set_up(key, setup.items())
        assert str(refused.value) == sentence


def test_a_long_key_or_choice_is_not_repeated_whole() -> None:
    for setup in ({"x" * 10_000: 1}, {"size": "6" * 10_000}):
        with pytest.raises(BadSetup) as refused:
            set_up("breakthrough", setup.items())
        assert len(str(refused.value)) < 200


def test_a_text_of_any_length_that_is_allowed_is_read() -> None:
    padded = ENDING + " " * (TEXT_CHARACTERS - len(ENDING))
    assert set_up("chess", [("start", padded)]).start == set_up("chess", [("start", ENDING)]).start


def test_thousands_of_positions_to_begin_from_are_not_remembered_for_ever() -> None:
    for number in range(1, 1100):
        game_named(name_of(set_up("chess", [("start", f"{ENDING[:-1]}{number}")])))
    assert _variant.cache_info().currsize <= 1024
