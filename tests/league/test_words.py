from pathlib import PurePath

from noughts.league.words import failure_lines, replay_command, why
from noughts_client.bots.failure import Failure
from support.leagues import failure, game


def test_a_game_ends_for_a_reason_or_because_somebody_failed() -> None:
    assert why(game(1, "ann", "bob", None, reason="count")) == "by count"
    lost = game(1, "ann", "bob", "first", failure=failure("second", "illegal", "The bot played '9'."))
    assert why(lost) == "bob failed (illegal move): The bot played '9'."


def test_a_command_can_be_pasted() -> None:
    command = replay_command(PurePath("my league"), 3, "$(rm)")
    assert command == "noughts league replay 3 --bot '$(rm)' --folder 'my league'"


def test_a_failure_shows_all_that_is_known_without_commands_for_the_terminal() -> None:
    known = Failure("crash", "It crashed.", "E", "  File 1\n  line\x07\n", "log 1\nlog 2\n", "{}", "\x1bx")
    assert failure_lines(known) == [
        "crash: It crashed.",
        "< ?x",
        "  File 1",
        "  line?",
        "stderr:",
        "log 1",
        "log 2",
    ]
    assert failure_lines(Failure("time", "Too late.")) == ["too late: Too late."]
