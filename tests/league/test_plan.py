from pathlib import Path

import pytest

from noughts.league.plan import command_of, differences, pairings_of, plan, spec_of
from noughts.league.records import LeagueRecord
from noughts.league.state import LeagueError
from support.leagues import league


def planned(*bots: str, **options: object) -> LeagueRecord:
    return plan(bots, **{"game": "tictactoe", "rounds": 2, "seed": 7, **options})  # type: ignore[arg-type]


LEVELS = ("computer:easy", "strong=computer:perfect", "computer:hard")


def test_the_same_seed_gives_the_same_pairings_and_openings() -> None:
    one, same, other = planned(*LEVELS), planned(*LEVELS), planned(*LEVELS, seed=8)
    assert one == same
    assert pairings_of(one) == pairings_of(same)
    assert [(each.first, each.second) for each in pairings_of(one)] != [
        (each.first, each.second) for each in pairings_of(other)
    ]
    assert one["lines"] != other["lines"]


def test_the_two_games_of_a_pair_have_one_opening_and_swapped_seats() -> None:
    games = pairings_of(planned(*LEVELS))
    assert [each.game for each in games] == list(range(1, 13))
    for one, other in zip(games[::2], games[1::2], strict=True):
        assert (one.pair, one.opening) == (other.pair, other.opening)
        assert (one.first, one.second) == (other.second, other.first)


def test_all_meetings_of_a_round_have_one_opening_and_openings_repeat() -> None:
    made = planned(*LEVELS, rounds=11)
    assert len(made["lines"]) == 9  # as many openings of one move as there are
    by_round = {each.round: each.opening for each in pairings_of(made)}
    assert all(each.opening == by_round[each.round] for each in pairings_of(made))
    assert by_round[1] == by_round[10] != by_round[2]


def test_a_swiss_league_is_kept_as_such() -> None:
    pytest.importorskip("py4swiss")
    made = planned(*LEVELS, format_="swiss")
    assert "--format swiss" in command_of(made)
    assert differences(planned(*LEVELS), made) == ["format was round_robin, and is now swiss."]
    with pytest.raises(LeagueError, match="no other format has any"):
        planned(*LEVELS, format_="swiss", opponents=["strong"])


def test_without_openings_games_begin_at_the_start() -> None:
    assert {each.opening for each in pairings_of(planned(*LEVELS, plies=0))} == {()}


def test_a_game_can_be_set_up() -> None:
    levels = ("computer:easy", "computer:hard")
    made = planned(*levels, game="breakthrough?size=5", rounds=1)
    assert (made["game"], len(made["lines"][0])) == ("breakthrough?size=5", 2)
    assert "--game 'breakthrough?size=5'" in command_of(made)
    assert planned(*levels, game="breakthrough?size=8", plies=0)["game"] == "breakthrough"


@pytest.mark.parametrize(
    ("bots", "options", "why"),
    [
        (["computer:easy", "nobody.py"], {}, "There is no file nobody.py"),
        (["computer:easy", "exec:no-such-program-here"], {}, "There is no program no-such-program-here"),
        (
            ["computer:easy", "computer:divine"],
            {},
            "Tic-tac-toe has no level 'divine'. Its levels are best",
        ),
        (["computer:easy", "computer:easy"], {}, "two players are called easy: name one of them, as in other="),
        (["computer:easy", "shogi"], {}, "'shogi' is not a bot"),
        (["computer:easy"], {}, "at least two players"),
        (LEVELS, {"format_": "gauntlet", "opponents": ["me"]}, "me is not one of the players"),
        (LEVELS, {"game": "shogi"}, "There is no game 'shogi'. The games are tictactoe"),
        (LEVELS[:1], {"game": "breakthrough?size=9"}, "Breakthrough: Size of the board is one of 5, 6, 7, 8"),
        (LEVELS, {"clock": "none"}, "a league needs a clock, such as 10s"),
        (LEVELS, {"clock": "soon"}, "Write a clock as 3"),
        (LEVELS, {"sprt": {"elo0": 0, "elo1": 9, "alpha": 0.05, "beta": 0.05}}, "--sprt compares two players"),
        (["computer:easy", "player:bob"], {}, "--server must name the server where bob is connected"),
        (["computer:easy", "player:bob"], {"server": "ws://h/ws", "plies": 1}, "bob plays by itself, so the league"),
        (["computer:easy", "player:"], {"server": "ws://h/ws"}, "'player:' names no player"),
        (LEVELS[:2], {"sprt": {"elo0": 9, "elo1": 0, "alpha": 0.05, "beta": 0.05}}, "elo0 must be less than elo1"),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_sentence(bots: list[str], options: dict[str, object], why: str) -> None:
    with pytest.raises(LeagueError, match=why):
        planned(*bots, **options)


def test_a_program_that_is_there_but_cannot_be_run_so_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "bot.sh"
    script.write_text("read line\n")
    with pytest.raises(LeagueError, match=r"bot\.sh is not executable\. Run chmod"):
        planned("computer:easy", f"exec:{script}")
    script.chmod(0o700)
    with pytest.raises(LeagueError, match=r"write \./bot\.sh\."):
        planned("computer:easy", "exec:bot.sh")
    assert planned("computer:easy", "exec:./bot.sh")["players"][1]["name"] == "bot"


def test_a_changed_program_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bot = tmp_path / "mine.py"
    bot.write_text("def choose(state): return '1'")
    before = planned("computer:easy", "mine.py")
    monkeypatch.chdir(tmp_path.parent)  # a league is continued from anywhere
    assert spec_of(before["players"][1]).target == str(bot)
    again = planned("computer:easy", f"{bot}")
    assert differences(before, again) == []
    bot.write_text("def choose(state): return '2'")
    again = planned("computer:easy", f"{bot}")
    assert differences(before, again) == ["The program of mine has changed."]


def test_a_player_who_is_connected_already_has_no_openings() -> None:
    made = planned("computer:easy", "Robert=player:p-123", server="ws://h/ws")
    assert made["lines"] == [[]]
    assert made["players"][1] == {"name": "Robert", "spec": "player:p-123", "sha256": ""}
    assert spec_of(made["players"][1]).target == "p-123"


def test_changed_settings_and_players_are_named() -> None:
    before, now = league(["a", "b"]), league(["a", "c"], rounds=3, clock="1+0")
    now["players"][0]["spec"] = "else.py"
    assert differences(before, now) == [
        "rounds was 1, and is now 3.",
        "clock was 30s+0.3, and is now 1+0.",
        "c did not play before.",
        "b does not play now.",
        "a was a.py, and is now else.py.",
    ]
