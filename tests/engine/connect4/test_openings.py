from __future__ import annotations

import random
import subprocess
import sys

import pytest

from engine.connect4.positions import image_of, position_of
from engine.connect4.published import played
from noughts.engine import Interrupt, Limits
from noughts.engine.connect4.engine import Connect4Engine
from noughts.engine.connect4.openings import (
    answer,
    distance,
    key_of,
    lookup,
    mirrored,
    pack,
    table,
    unpack,
)
from noughts.engine.connect4.solver import Solver, boards_of
from noughts.games.connect4 import MOVES, Connect4Position, margin, parse

NEVER = Interrupt()
PLIES = 10
"""Up to this many discs on the board, the computer finds its best moves in the table."""

# A program that must work without numba and numpy.
WITHOUT = """
import sys
from importlib.abc import MetaPathFinder

class Absent(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in ("numba", "numpy", "llvmlite"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
import noughts.engine
from noughts.engine.connect4.openings import answer
from noughts.games import GAMES
print(answer(GAMES["connect4"].start, every_move=True).best)
try:
    import noughts.engine.connect4.engine
except ImportError:
    print("no kernel")
"""


def test_keys() -> None:
    for columns in ("", "4", "4321", "44556", "445"):
        position = played(columns)
        assert position_of(key_of(position)) == position
        assert key_of(image_of(position)) == mirrored(key_of(position))
        assert mirrored(mirrored(key_of(position))) == key_of(position)


def test_the_table_reads_back() -> None:
    entries = {key_of(played("44")): (1, "4"), key_of(played("1")): (-21, "1"), (1 << 49) - 1: (21, "7")}
    assert unpack(pack(entries)) == entries
    assert unpack(pack({})) == {}
    assert pack(table()) == pack(unpack(pack(table())))


@pytest.mark.parametrize("spoilt", [b"", b"C4OPEN\x01" + bytes(4), b"C4OPEN\x02\x02\x00\x00\x00\x05\x40\x01"])
def test_a_bad_file_is_refused(spoilt: bytes) -> None:
    with pytest.raises(ValueError, match="opening table"):
        unpack(spoilt)


def test_keys_are_the_smaller_of_the_two_images() -> None:
    for key, (score, best) in table().items():
        position = position_of(key)
        assert key == key_of(position) <= mirrored(key)
        assert position.to_move is not None
        assert best in position.legal_moves
        assert -18 <= score <= 18


def test_the_published_values_of_the_first_moves() -> None:
    # V. Allis and J. D. Allen, both 1988: the first side wins only in the middle column; the columns next to it draw.
    analysis = answer(Connect4Position(), every_move=True)
    assert analysis is not None
    assert [found.value for found in analysis.moves.values()] == [-2, -1, 0, 1, 0, -1, -2]
    assert (analysis.best, analysis.nodes, analysis.exact) == (("4",), 0, True)
    assert analysis.moves["4"].distance == 41


def test_an_answer_from_the_table_needs_no_search() -> None:
    engine = Connect4Engine(2)
    for columns in ("", *MOVES):
        best = engine.analyse(played(columns), Limits(every_move=False, nodes=1), NEVER)
        every = engine.analyse(played(columns), Limits(nodes=1), NEVER)
        assert best.nodes == every.nodes == 0
        assert best.exact
        assert every.exact
        assert best.best == every.best
        assert all(found.exact and found.distance for found in every.moves.values())


def test_the_table_matches_the_solver() -> None:
    # Positions from all over the table that are quick to solve: the late ones and the decided ones.
    solver, solved = Solver(1 << 20), 0
    for key in random.Random(1).sample(sorted(table()), 20):
        position = position_of(key)
        known = lookup(position)
        assert known is not None
        low, high = solver.solve(*boards_of(position), stop=NEVER, budget=solver.nodes + 200_000)
        assert low <= known.score <= high
        solved += low == high
        for move in known.best:
            child = position.play(move)
            if child.to_move is None:
                assert abs(margin(child)) == known.score
            else:
                low, high = solver.solve(*boards_of(child), stop=NEVER, budget=solver.nodes + 200_000)
                assert low <= -known.score <= high
    assert solved >= 1


@pytest.mark.slow
def test_scores_before_and_after_best_moves_agree() -> None:
    for key in table():
        position = position_of(key)
        known = lookup(position)
        assert known is not None
        for move in position.legal_moves:
            after = lookup(position.play(move))
            if after is not None:
                assert -after.score <= known.score
                if move in known.best:
                    assert -after.score == known.score


@pytest.mark.slow
def test_the_table_has_every_position_the_computer_can_meet() -> None:
    level = {key_of(Connect4Position()): Connect4Position()}
    following = {key_of(played(move)): played(move) for move in MOVES}
    for _ in range(PLIES + 1):
        beyond = {}
        for position in level.values():
            known = lookup(position)
            assert known is not None
            assert known.best, position.text
            for move in known.best:
                reply = position.play(move)
                for again in reply.legal_moves:
                    after = reply.play(again)
                    if after.to_move is not None:
                        beyond[key_of(after)] = after
        level, following = following, beyond


def test_a_position_before_the_last_move_has_no_answer() -> None:
    # One cell is left, so only a finished game can follow.
    last = parse("yry.ryr/ryrrryy/yryyyrr/ryyrrry/yrrryyy/yryyrrr")
    assert last.legal_moves == ("4",)
    for every_move in (True, False):
        assert answer(last, every_move=every_move) is None
        assert answer(Connect4Position(), every_move=every_move) is not None


@pytest.mark.parametrize(
    ("columns", "score", "plies"), [("121212", 18, 1), ("44335", -18, 2), ("", 1, 41), ("4", -1, 40), ("44", 0, 40)]
)
def test_distance(columns: str, score: int, plies: int) -> None:
    assert distance(score, len(columns)) == plies


def test_the_table_works_without_numba() -> None:
    command = [sys.executable, "-c", WITHOUT]
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    assert run.stdout == "('4',)\nno kernel\n"


def test_mirror_images_are_found() -> None:
    known = lookup(played("1"))
    image = lookup(played("7"))
    assert known is not None
    assert image is not None
    assert image.score == known.score
    assert sorted(8 - int(move) for move in image.best) == [int(move) for move in known.best]
    assert lookup(played("112121223")) is None
