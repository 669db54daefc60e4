from noughts.games.sentences import level_name, level_of, listed, no_such_game, no_such_level


def test_few_of_many_moves_are_listed() -> None:
    assert listed(["a1", "b1"]) == "a1, b1"
    assert listed([str(number) for number in range(25)]).endswith("18, 19 and 5 more")
    assert listed([]) == "none"


def test_a_misspelt_game_is_answered_with_the_one_that_was_meant_and_all() -> None:
    assert no_such_game("CONECT4", ["tictactoe", "connect4", "reversi"]) == (
        "There is no game 'CONECT4'. Did you mean connect4? The games are tictactoe, connect4 and reversi."
    )
    assert no_such_game("chess", ["tictactoe"]) == "There is no game 'chess'. The games are tictactoe."


def test_a_wrong_level_is_answered_with_the_games_levels_and_its_strongest() -> None:
    levels = ["perfect", "hard", "medium", "easy"]
    assert no_such_level("Connect Four", "greatest", levels) == (
        "Connect Four has no level 'greatest'. Its levels are best (the strongest), hard, medium and easy."
    )
    assert "Did you mean easy?" in no_such_level("Connect Four", "esay", levels)


def test_the_strongest_level_has_one_name_in_every_game() -> None:
    solved, other = ["perfect", "hard", "easy"], ["best", "hard", "easy"]
    assert [level_of("best", levels) for levels in (solved, other, [])] == ["perfect", "best", None]
    assert [level_of(name, solved) for name in ("perfect", "hard", "divine")] == ["perfect", "hard", None]
    assert level_of("perfect", other) is None, "nothing is called perfect that is not proved"
    assert list(map(level_name, solved)) == list(map(level_name, other))
