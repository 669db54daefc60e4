"""Matches between players, and the ratings computed from them."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from bench.matches.__main__ import LOOKS, looks_at, play
from bench.matches.pairs import Match, Pair, Thoughts, interval, opening, play_pair
from bench.matches.players import missing, names, new_player, stopped_after
from bench.matches.programs import Program
from bench.matches.revisions import BEGINS, engine_at
from noughts.engine import Interrupt
from noughts.games import GAMES

ROOT = Path(__file__).parents[2]


def pair(wins: int, draws: int, losses: int) -> Pair:
    return Pair(wins, draws, losses, Thoughts(), Thoughts())


def test_intervals_are_those_of_agresti_and_coull() -> None:
    # 18 of 20 at 95 %: the centre is (18 + 1.9207) / (20 + 3.8415) = 0.83555, and 1.96 standard errors of that share
    # among 23.8415 are 0.14879.
    low, high = interval([1.0] * 18 + [0.0] * 2, 0.95)
    assert (low, high) == pytest.approx((0.83555 - 0.14879, 0.83555 + 0.14879), abs=0.00002)


@pytest.mark.parametrize("count", [1, 20, 200])
def test_an_interval_for_a_player_who_won_every_game(count: int) -> None:
    low, high = interval([1.0] * count, 0.95)
    assert low < 1 == high
    assert interval([0.0] * count, 0.95) == pytest.approx((0, 1 - low))


def test_intervals_have_the_stated_coverage() -> None:
    rng = random.Random(1)
    shares, odds, runs = (0.0, 0.25, 0.5, 0.75, 1.0), (1, 1, 6, 4, 20), 2000
    truth = sum(share * odd for share, odd in zip(shares, odds, strict=True)) / sum(odds)
    for count in (20, 100):
        held = 0
        for _ in range(runs):
            low, high = interval(rng.choices(shares, odds, k=count), 0.95)
            held += low <= truth <= high
        assert 0.94 < held / runs < 0.98


def test_a_match_ends_at_the_first_look_that_decides_it() -> None:
    looks = looks_at(200, fixed=False)
    assert looks == list(LOOKS)
    # One pair of so many is won or lost, and the rest are split.
    for one_of, ends_after in ((1, 20), (2, 20), (4, 50), (7, 100), (15, 200)):
        for decisive in (pair(2, 0, 0), pair(0, 0, 2)):
            played = [pair(1, 0, 1) if number % one_of else decisive for number in range(200)]
            pairs, confidence = play(partial(map, played.__getitem__), looks)
            assert confidence == pytest.approx(0.9875)
            assert pairs == played[:ends_after]


def test_undecided_and_fixed_matches_are_played_to_the_end() -> None:
    even, _ = play(lambda numbers: [pair(1, 0, 1) for _ in numbers], looks_at(30, fixed=False))
    assert len(even) == 30
    won, confidence = play(lambda numbers: [pair(2, 0, 0) for _ in numbers], looks_at(60, fixed=True))
    assert (len(won), confidence) == (60, 0.95)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_every_player_moves_by_the_rules(game: str) -> None:
    # In ultimate tic-tac-toe these have both free and bound moves, in Reversi passes.
    pytest.importorskip("pyspiel")
    for name in names(GAMES[game]):
        if missing(name):
            continue
        rng = random.Random(name)
        for plies in (3, 7):
            position, moves = opening(GAMES[game], plies, rng)
            assert new_player(GAMES[game], name, 0.05, rng)(position, moves) in position.legal_moves


@pytest.mark.parametrize("name", ["mcts", "easyai", "textbook"])
def test_a_player_sees_the_position_from_its_own_side(name: str) -> None:
    """Each side wins where it can at once, and else blocks."""
    if reason := missing(name):
        (pytest.fail if "CI" in os.environ else pytest.skip)(reason)
    game = GAMES["connect4"]
    for moves, answer in (("414141", "4"), ("4141416", "1"), ("41414", "4"), ("141515", "1"), ("14151", "1")):
        position = game.start
        for move in moves:
            position = position.play(move)
        assert new_player(game, name, 0.2, random.Random(1))(position, moves) == answer


def test_a_free_choice_in_ultimate_takes_two_steps_and_wins_where_it_can() -> None:
    pytest.importorskip("pyspiel")
    game, rng = GAMES["ultimate"], random.Random(5)
    seen: set[bool] = set()
    while seen != {True, False}:
        position, moves = game.start, list[str]()
        while position.to_move:
            wins = {move for move in position.legal_moves if position.play(move).outcome}
            wins = {move for move in wins if (end := position.play(move).outcome) and end.winner is position.to_move}
            if wins and len(position.legal_moves) > 1:
                assert new_player(game, "mcts", None, rng)(position, moves) in wins
                seen.add(len(position.legal_moves) > 9)
                break
            moves.append(rng.choice(position.legal_moves))
            position = position.play(moves[-1])


def test_time_is_cpu_time() -> None:
    stop = Interrupt()
    begun = time.process_time()
    with stopped_after(0.1, stop):
        time.sleep(0.3)
        assert not stop()
        while not stop():
            pass
    assert 0.1 <= time.process_time() - begun < 0.5


def test_unused_time_is_not_waited_for() -> None:
    begun = time.monotonic()
    with stopped_after(60, Interrupt()):
        pass
    assert time.monotonic() - begun < 30


def test_a_pair_is_reproducible_and_swaps_the_seats() -> None:
    match = Match("tictactoe", "medium", "easy", None, 2)
    assert [play_pair(match, number) for number in range(8)] == [play_pair(match, number) for number in range(8)]
    # With random play each side wins a share of the games.
    mirror = [play_pair(Match("tictactoe", "random", "random", None, 0), number) for number in range(300)]
    assert 0.45 < sum(each.score for each in mirror) / 300 < 0.55
    assert sum(each.wins == each.losses == 1 for each in mirror) > 60


def run(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", module, *arguments], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )


def cells(line: str) -> list[str]:
    return line.strip("| ").split(" | ")


def test_a_match_is_played_and_reported() -> None:
    arguments = ("--game", "tictactoe", "--between", "medium", "random", "--between", "easy", "easy", "--games", "60")
    played = run("bench.matches", *arguments)
    decided, even = (cells(line) for line in played.stdout.splitlines()[-2:])
    assert decided[:4] == ["tictactoe", "medium", "random", "0"]
    assert 0 < float(decided[8]) < float(decided[6])  # the second side wins less
    assert (decided[5], even[5]) == ("20", "30")
    won, drawn, lost = map(int, decided[4].split(" / "))
    assert won + drawn + lost == 40
    assert float(decided[6]) == pytest.approx(100 * (won + drawn / 2) / 40, abs=0.05)
    low, high = map(float, even[7].split(" to "))
    assert low < 50 < high
    told = [line.rpartition(": ") for line in played.stderr.splitlines()]
    matches = ["tictactoe: medium against random"] * 20 + ["tictactoe: easy against easy"] * 30
    assert [match for match, _, _ in told] == matches
    assert sum(int(result.split(" / ")[0]) for _, _, result in told[:20]) == won


THINKS = """
import select, sys
ignored = False
for line in sys.stdin:
    if line == "hello\\n":
        if ignored:
            print("here", flush=True)
        ignored = True
    elif line == "think\\n":
        while not select.select([sys.stdin], [], [], 0)[0]:
            pass
        print("note 1\\nbest " + sys.stdin.readline(), end="", flush=True)
    elif line == "know\\n":
        print("best known", flush=True)
"""


def test_a_program_thinks_for_its_own_processor_time_or_less() -> None:
    program = Program([sys.executable, "-c", THINKS])
    program.wake("hello", "here")
    before = program.used_s()
    assert program.think(0.05, "think", stop="stop", begins=("best",)) == "best stop\n"
    assert program.used_s() - before >= 0.05
    assert program.think(100, "know", stop="stop", begins=("best",)) == "best known\n"


@pytest.mark.slow
def test_the_engine_of_another_revision_moves_by_the_rules() -> None:
    game = GAMES["gomoku"]
    position, moves = opening(game, 3, random.Random(1))
    player = new_player(game, f"{BEGINS}HEAD", 0.05, random.Random(1))
    assert player(position, moves) in position.legal_moves
    with pytest.raises(ValueError, match="no kernel"):
        engine_at("HEAD", GAMES["breakthrough"])


@pytest.mark.slow
def test_a_tournament_is_the_same_with_any_number_of_processes() -> None:
    def played(jobs: str) -> list[list[str]]:
        lines = run(
            "bench.matches.tournament", "--game", "tictactoe", "--pairs", "5", "--seconds", "10", "--jobs", jobs
        ).stdout.splitlines()
        # The last column is thinking time.
        return [cells(line)[:-1] for line in lines if line.startswith("| ")] + [[lines[-1]]]

    report = played("1")
    assert report == played("2")
    header, _perfect, _hard, medium, _easy, _random, row = report
    assert header[-5:] == ["against perfect", "against hard", "against medium", "against easy", "against random"]
    assert medium[:2] == ["medium", "1500"]
    assert '"medium": 1500' in row[0]
