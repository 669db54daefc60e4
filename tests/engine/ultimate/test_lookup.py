"""The evaluation features of ultimate tic-tac-toe, checked against an independent count and the kernel."""

from __future__ import annotations

import json
import random
from collections import Counter
from importlib.resources import files

import numpy as np
import pytest

from engine.ultimate.positions import played
from noughts.engine.ultimate import kernel, lookup
from noughts.engine.ultimate.engine import board_of, fitted
from noughts.engine.weights import weights_of
from noughts.games.ultimate import FULL, LINES, UltimatePosition

pytestmark = pytest.mark.slow

LEFT = "can be won", "one threat", "threats", "lines with one", "centre", "corners"


def state(text: str) -> int:
    """The state of nine places: ``x`` own, ``o`` the opponent's, ``.`` empty."""
    return sum(".xo".index(place) * 3**number for number, place in enumerate(text))


def kinds(own: int, other: int) -> Counter[str]:
    """The features of nine places, except the chance, by the weights' names."""
    open_lines = [line for line in LINES if not line & other]
    threats = {line & ~own for line in open_lines if (line & own).bit_count() == 2}
    found = Counter[str]()
    found["can be won"] = bool(open_lines)
    found["one threat"] = len(threats) == 1
    found["threats"] = len(threats) > 1
    found["lines with one"] = sum((line & own).bit_count() == 1 for line in open_lines)
    found["centre"] = own >> 4 & 1
    found["corners"] = (own & 0b101000101).bit_count()
    return found


def rank(place: int, own: int, out: int) -> str:
    """The rank of the small board at ``place`` for a side that has won ``own``, if ``out`` is of no use to it."""
    through = [(line & own).bit_count() for line in LINES if line >> place & 1 and not line & out]
    for number, most, words in ((2, 2, "with two"), (1, 3, "with one")):
        if through.count(number):
            count = min(through.count(number), most)
            return f"{count} line{'s' * (count > 1)} {words}"
    return f"{len(through)} open line{'s' * (len(through) > 1)}" if through else "no line"


def expected(position: UltimatePosition, weights: dict[str, int]) -> float:
    """The evaluation in points, by counting."""
    value = float(weights["free"] if position.sent_to == -1 else 0)
    sides = [(position.first, position.first_won), (position.second, position.second_won)]
    if position.ply % 2:
        sides.reverse()
    for sign, (own, won), (other, _) in ((1, sides[0], sides[1]), (-1, sides[1], sides[0])):
        out = position.finished & ~won
        large = kinds(won, out)
        value += sign * weights["centre won"] * large["centre"]
        value += sign * weights["corner won"] * large["corners"]
        value += sign * weights["edge won"] * (won & 0b010101010).bit_count()
        value += sign * weights["large lines with one"] * large["lines with one"]
        twos = sum((line & won).bit_count() == 2 and not line & out for line in LINES)
        value += sign * weights["large lines with two"] * twos
        for board in range(9):
            if position.finished >> board & 1:
                continue
            mine, theirs = own >> 9 * board & FULL, other >> 9 * board & FULL
            counted, matters = kinds(mine, theirs), rank(board, won, out)
            number = sum(3**place * ((mine >> place & 1) + 2 * (theirs >> place & 1)) for place in range(9))
            value += sign * sum(weights[f"{matters}: {what}"] * counted[what] for what in LEFT)
            value += sign * weights[f"{matters}: chance"] * lookup.CHANCE[number]
            if position.sent_to == board:
                there = f"{matters}, sent to: " + ("" if sign > 0 else "other's ")
                value += weights[f"{there}one threat"] * counted["one threat"]
                value += weights[f"{there}threats"] * counted["threats"]
                if sign > 0:
                    value += weights[f"{there}move"] + weights[f"{there}chance by a move"] * lookup.GAIN[number]
                else:
                    taken = lookup.TAKEN[lookup.EXCHANGED[number]]
                    value += weights[f"{there}chance taken by a move"] * taken
    return value


def test_the_kernel_s_evaluation_matches_a_count() -> None:
    """Uses random weights, so that every feature matters."""
    rng = random.Random(1)
    weights = {name: rng.randrange(-400, 400) for name in lookup.FEATURES}
    made = lookup.tables_of(np.array(list(weights.values())))
    memory = kernel.memory_of(1, lookup.PACKED_RANKS)
    checked = 0
    for _ in range(40):
        for position in played(rng):
            if position.to_move is None:
                continue
            board = board_of(position)
            memory[int(kernel.BOARDS) : int(kernel.BOARDS) + 9] = board.boards
            flag = np.zeros(1, np.uint8)
            found = kernel.look_ahead(memory, flag, made, board.shift, board.sent, board.large, -32000, 32000, 0) >> 1
            # The tables are rounded.
            assert found == pytest.approx(expected(position, weights), abs=12)
            checked += 1
    assert checked > 1500


def test_the_chance_is_that_of_random_turns() -> None:
    assert lookup.CHANCE[state("xox.ooxxo")] == 0.5  # the last place completes a line for either side
    assert lookup.CHANCE[state("xoxoxooxx")] == 1
    assert 0.5 < lookup.CHANCE[state("xx.......")] < 1
    every = [number for number in range(lookup.STATES) if (lookup.PLACES[number] == 0).any()]
    both = lookup.CHANCE[every] + lookup.CHANCE[lookup.EXCHANGED[every]]
    assert both.min() >= 0
    undecided = [number for number in every if not ((lookup.OWN_IN == 3) | (lookup.OTHER_IN == 3))[number].any()]
    assert (lookup.CHANCE + lookup.CHANCE[lookup.EXCHANGED])[undecided].max() <= 1 + 1e-9
    assert lookup.GAIN[undecided].min() > -1e-9


def test_the_weights_name_their_source() -> None:
    stored = json.loads(files("noughts.engine.ultimate").joinpath("weights.json").read_text(encoding="utf-8"))
    assert stored["provenance"]["command"].startswith("python -m bench.ultimate.fit ")
    assert stored["features"] == list(lookup.FEATURES)
    weights = weights_of("noughts.engine.ultimate")
    assert weights.shape == (1, len(lookup.FEATURES))
    assert (lookup.tables_of(weights[0]) == fitted()).all()
