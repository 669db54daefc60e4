"""The command ``noughts verify``, with real bots in processes of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from noughts.games import GAMES, Position, Side
from noughts.grading.proof import Bounds, Explored, Twice
from noughts.grading.verify import LevelPlayer, Verified, _differing, in_words, verify
from support.command import Result, noughts
from walks import exact_best, exact_value

pytestmark = [pytest.mark.slow, pytest.mark.smoke]

FIRST_FREE = """
def choose(state):
    return state["legal_moves"][0]
"""

NEVER_LOSES = """
from noughts.engine import alpha_beta

def choose(state):
    return alpha_beta(state.position).best[-1]
"""


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    return tmp_path / "bot.py"


def verified(bot: Path | str, *options: str) -> Result:
    return noughts("verify", str(bot), "--uncontained", *options)


def as_json(bot: Path | str, *options: str) -> tuple[int, list[dict[str, Any]]]:
    result = verified(bot, "--json", *options)
    assert result.err == ""
    found = json.loads(result.out)
    assert found["game"] == "tictactoe"
    return result.status, found["sides"]


def perfect_lines(position: Position, side: str) -> int:
    """The number of games there in which ``side`` plays only best moves."""
    if position.outcome is not None:
        return 1
    moves = exact_best(position) if position.to_move == side else position.legal_moves
    return sum(perfect_lines(position.play(move), side) for move in moves)


def test_perfect_is_proved_from_both_seats() -> None:
    status, sides = as_json("computer:perfect")
    assert status == 0
    assert [(each["side"], each["verdict"]) for each in sides] == [("first", "proved"), ("second", "proved")]
    for each in sides:
        assert each["lines"] == perfect_lines(GAMES["tictactoe"].start, each["side"])
        assert each["won"] + each["drawn"] == each["lines"]


def test_a_proof_in_words() -> None:
    words = verified("computer:perfect", "--side", "second").out.decode()
    assert (
        "As O, which moves second: proved, it never loses at Tic-tac-toe.\n  6,112 lines of play: 2,528 won, " in words
    )
    assert "As X" not in words


def test_the_shortest_losses_of_the_first_free_cell(bot: Path) -> None:
    bot.write_text(FIRST_FREE)
    status, (first, second) = as_json(bot)
    assert status == 1
    assert first["verdict"] == second["verdict"] == "loss"
    for side, lost in (("first", first), ("second", second)):
        position: Position = GAMES["tictactoe"].start
        for move in lost["moves"]:
            if position.to_move == side:
                assert move == position.legal_moves[0]
            position = position.play(move)
        assert position.outcome is not None
        assert position.outcome.winner not in (None, side)
    # X cannot lose in fewer than 6 plies, nor O in fewer than 5.
    assert (len(first["moves"]), len(second["moves"])) == (6, 5)
    assert first["mistake"] == {"ply": 4, "move": "4", "mark": "draw_thrown_away", "better": "8"}
    assert second["mistake"] == {"ply": 1, "move": "2", "mark": "draw_thrown_away", "better": "5"}
    position = GAMES["tictactoe"].start.play("1")
    assert exact_value(position) == 0
    assert exact_value(position.play("2")) > 0


def test_a_loss_in_words(bot: Path) -> None:
    bot.write_text(FIRST_FREE)
    result = verified(bot, "--side", "second")
    assert result.status == 1
    assert result.out.decode() == (
        "bot at Tic-tac-toe; --game names another game\n"
        "\n"
        "As O, which moves second: it loses at Tic-tac-toe in 5 plies.\n"
        "\n"
        "   1. X 1\n"
        "   2. O 2  draw thrown away; 5 2 3 7 4 6 8 9 was better\n"
        "   3. X 4\n"
        "   4. O 3\n"
        "   5. X 7\n"
        "\n"
        "  x o o    1 2 3\n"
        "  x . .    4 5 6\n"
        "  x . .    7 8 9\n"
        "\n"
        "Move 2, O 2: draw thrown away.\n"
    )


def test_a_correct_bot_is_proved_and_asked_twice(bot: Path) -> None:
    bot.write_text(NEVER_LOSES)
    status, (only,) = as_json(bot, "--side", "first")
    assert status == 0
    assert only["verdict"] == "proved"
    assert only["again"] == only["asked"] > 20
    words = verified(bot, "--side", "first").out.decode()
    lines, won, drawn = (only[name] for name in ("lines", "won", "drawn"))
    assert words == (
        "bot at Tic-tac-toe; --game names another game\n\n"
        "As X, which moves first: proved, it never loses at Tic-tac-toe.\n"
        f"  {lines} lines of play: {won} won, {drawn} drawn, none lost.\n"
        f"  It was asked in {only['asked']} positions, in {only['again']} of them twice.\n"
    )


def test_a_bot_that_chooses_at_random_is_not_proved(bot: Path) -> None:
    bot.write_text(
        "import random\nfrom noughts.engine import alpha_beta\n\n"
        "def choose(state):\n    return random.choice(alpha_beta(state.position).best)\n"
    )
    status, (only,) = as_json(bot, "--side", "second")
    assert (status, only["verdict"]) == (3, "undecided")
    assert "do not depend on the position alone" in only["why"] or "another time" in only["why"]


def test_a_bot_that_goes_by_the_way_to_a_position_is_not_proved(bot: Path) -> None:
    # Asked twice in one game it answers the same; only other moves to the same position show it.
    bot.write_text(
        "from noughts.engine import alpha_beta\n\n"
        "def choose(state):\n    best = alpha_beta(state.position).best\n"
        "    return best[int(state['moves'][0]) % len(best)]\n"
    )
    status, (only,) = as_json(bot, "--side", "second")
    assert (status, only["verdict"]) == (3, "undecided")
    assert "in the same position after the moves" in only["why"]
    assert only["why"].endswith("its moves do not depend on the position alone.")


def test_a_bot_that_counts_its_turns_is_not_judged_by_jumps(bot: Path) -> None:
    # In a game it answers in turn; asked out of turn, it plays what loses.
    bot.write_text(
        "from noughts.engine import alpha_beta\n\nturns = 0\n\n"
        "def choose(state):\n    global turns\n    turns += 1\n"
        "    fair = len(state['moves']) // 2 + 1 == turns\n"
        "    return alpha_beta(state.position).best[0] if fair else state['legal_moves'][0]\n"
    )
    status, (only,) = as_json(bot, "--side", "first")
    assert (status, only["verdict"]) == (3, "undecided")
    assert "it played" in only["why"]


def test_a_bot_that_fails_only_out_of_turn_is_not_failed(bot: Path) -> None:
    bot.write_text(
        "turns = 0\n\n"
        "def choose(state):\n    global turns\n    turns += 1\n"
        "    return state['legal_moves'][len(state['moves']) // 2 + 1 - turns]\n"
    )
    status, (only,) = as_json(bot, "--side", "first")
    assert (status, only["verdict"]) == (3, "undecided")


def test_a_crash_is_shown_with_its_traceback(bot: Path) -> None:
    bot.write_text("def choose(state):\n    return state['legal_moves'][len(state['moves'])]\n")
    status, (first,) = as_json(bot, "--side", "first")
    assert status == 1
    assert first["verdict"] == "failed"
    assert first["failure"]["kind"] == "crash"
    assert "IndexError" in first["failure"]["traceback"]
    words = verified(bot, "--side", "first").out.decode()
    assert f"it fails at Tic-tac-toe after the moves {' '.join(first['moves'])}. The bot raised IndexError" in words
    assert "return state['legal_moves'][len(state['moves'])]" in words


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("def choose(state):\n    return '0'\n", "illegal"),
        ("def choose(state):\n    __import__('time').sleep(600)\n", "time"),
        ("import os\ndef choose(state):\n    os._exit(3)\n", "exit"),
        ("def chose(state):\n    return '1'\n", "start"),
    ],
)
def test_other_failures(bot: Path, source: str, kind: str) -> None:
    bot.write_text(source)
    status, (only,) = as_json(bot, "--side", "first", "--patience", "1")
    assert (status, only["verdict"], only["failure"]["kind"]) == (1, "failed", kind)
    assert only.get("moves", []) == []


def test_what_a_bot_prints_does_not_matter(bot: Path) -> None:
    bot.write_text(NEVER_LOSES.replace("    return", "    print('thinking', state['moves'])\n    return"))
    assert as_json(bot, "--side", "first")[0] == 0


def test_too_many_positions_prove_nothing(bot: Path) -> None:
    bot.write_text(NEVER_LOSES)
    result = noughts("verify", str(bot), "--positions", "5", "--side", "first")
    assert result.status == 3
    words = result.out.decode()
    assert "not decided. Not proved: stopped after 5 positions, without a loss so far." in words
    assert "it never loses" not in words


async def test_a_level_that_ran_out_of_its_time_proves_nothing() -> None:
    game = GAMES["tictactoe"]
    player = LevelPlayer(game, "perfect")
    player.hurried = True  # as after a search that was stopped
    found = await verify(game, Side.FIRST, player, Bounds())
    assert (found.verdict, found.why) == (
        "undecided",
        "A search ran out of time, and may find another move next time.",
    )


def test_too_little_time_proves_nothing(bot: Path) -> None:
    asleep = "__import__('time').sleep(600)"
    bot.write_text(f"def choose(state):\n    state['moves'] and {asleep}\n    return state['legal_moves'][0]\n")
    status, (only,) = as_json(bot, "--side", "first", "--seconds", "4")
    assert (status, only["verdict"], only["asked"]) == (3, "undecided", 1)
    assert only["why"] == "Not proved: stopped after 4 s, without a loss so far."


def test_a_bot_that_never_answers_takes_no_longer_than_it_may_and_is_told_of_on_both_sides(bot: Path) -> None:
    bot.write_text("def choose(state):\n    __import__('time').sleep(600)\n")
    result = verified(bot, "--seconds", "12", "--patience", "100")
    assert result.status == 3
    assert [line.split(" It ")[0] for line in result.err.splitlines()] == [
        "noughts verify: As X, at the start: no answer yet.",
        "noughts verify: As O, after 1: no answer yet.",
    ]
    assert result.out.count(b"not decided. Not proved: it had not answered at all after ") == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [("bot.py", "  SyntaxError: '(' was never closed"), ("nobody.py", "noughts verify: There is no file nobody.py.")],
)
def test_a_bot_that_does_not_start_is_told_of_once(
    bot: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    bot.write_text("def choose(state:\n")
    monkeypatch.chdir(bot.parent)
    result = verified(name)
    assert result.status == 1
    assert result.err.splitlines()[-1] == message
    assert result.err.count(message) == 1
    assert b"As " not in result.out


def test_a_larger_game(bot: Path) -> None:
    bot.write_text(FIRST_FREE)
    result = verified(bot, "--game", "connect4", "--side", "first", "--positions", "2000")
    assert result.status == 1
    assert result.out.startswith(b"bot at Connect Four\n\nAs Red, which moves first: it loses at Connect Four in ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("bot",), "'bot' is not a bot"),
        (("computer:better",), "has no level 'better'. Its levels are best"),
        (("computer:perfect", "--game", "shogi"), "There is no game 'shogi'"),
        (("computer:perfect", "--positions", "0"), "must be a whole number of at least 1"),
        (("computer:perfect", "--seconds", "x"), "must be a number greater than 0"),
    ],
)
def test_bad_requests(options: tuple[str, ...], message: str) -> None:
    result = noughts("verify", *options)
    assert result.status == 2
    assert message in result.err


def test_what_is_not_decided_does_not_read_as_good_news() -> None:
    why = _differing(Twice((), (("1",), ("2",)), ()))
    told = in_words(GAMES["tictactoe"], Verified(Side.FIRST, "undecided", Explored(Side.FIRST, 4, 4), why=why))
    assert told[0].endswith("a bot that plays by chance cannot be proved.")
    assert "none lost" not in "".join(told)


def test_a_bot_is_verified_without_those_beside_it(bot: Path) -> None:
    (bot.parent / "other.py").write_text("def choose(state):\n    return state['legal_moves'][0]\n")
    ada = bot.with_name("ada.py")  # a bot.py would have the folder to itself
    ada.write_text("from other import choose\n")
    result = verified(ada)
    assert result.status == 1
    assert "No module named 'other'. other.py lies beside the bot, but not in the copy that runs" in result.err


def test_the_review_of_a_loss_takes_no_time_from_the_other_side(bot: Path) -> None:
    bot.write_text(FIRST_FREE)
    result = verified(bot, "--json", "--seconds", "6", "--game", "connect4")
    second = json.loads(result.out)["sides"][1]
    assert second["verdict"] == "loss" or second["asked"] > 0
