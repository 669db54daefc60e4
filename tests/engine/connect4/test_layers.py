from __future__ import annotations

import zlib

import pytest

from engine.connect4.positions import image_of, position_of, random_positions
from engine.connect4.published import played
from noughts.engine import Interrupt, Limits
from noughts.engine.connect4 import openings
from noughts.engine.connect4.engine import Connect4Engine
from noughts.engine.connect4.layers import DISCS, EVEN, SCORE_BIAS, UNKNOWN, layers, pack, place, score, size, unpack
from noughts.engine.connect4.solver import Solver, boards_of
from noughts.games.connect4 import Connect4Position, parse

NEVER = Interrupt()


def reachable(discs: int) -> list[Connect4Position]:
    """The unfinished positions with so many discs."""
    found = {Connect4Position()}
    for _ in range(discs):
        found = {position.play(move) for position in found for move in position.legal_moves}
        found = {position for position in found if position.to_move is not None}
    return list(found)


@pytest.mark.parametrize("discs", [0, 2, 4, 6, pytest.param(8, marks=pytest.mark.slow)])
def test_every_position_has_a_place(discs: int) -> None:
    at_place: dict[int, set[Connect4Position]] = {}
    for position in reachable(discs):
        at_place.setdefault(place(position), set()).add(position)
    assert all(len(positions | set(map(image_of, positions))) <= 2 for positions in at_place.values())
    layer = layers()[discs]
    assert len(layer) == size(discs)
    assert {at for at, byte in enumerate(layer) if byte != UNKNOWN} == set(at_place)


def test_a_mirror_image_has_the_same_score() -> None:
    for discs in range(DISCS + 1):
        assert all(score(image_of(position)) == score(position) for position in random_positions(5, discs))
    assert all(score(position) is None for position in random_positions(5, DISCS + 1))


def test_a_score_with_fewer_discs_follows_from_those_after_the_moves() -> None:
    position = random_positions(1, DISCS - 2)[0]
    layer = bytearray([UNKNOWN]) * size(DISCS)
    for move in position.legal_moves:
        after = position.play(move)
        for reply in after.legal_moves:
            assert score(position, {DISCS: bytes(layer)}) is None
            layer[place(after.play(reply))] = SCORE_BIAS + 3 + int(move) - int(reply)
    assert score(position, {DISCS: bytes(layer)}) == 3  # move 7 is best, and reply 7 to each


def test_a_finished_game_is_scored_by_its_end() -> None:
    assert score(played("1212121")) == -18
    assert score(parse("yryyryr/ryrrryy/yryyyrr/ryyrrry/yrrryyy/yryyrrr")) == 0


def test_the_scores_are_those_of_the_opening_table() -> None:
    for key, (value, _) in openings.table().items():
        assert score(position_of(key)) in {value, None}


def test_the_scores_are_those_of_the_solver() -> None:
    solver, solved = Solver(1 << 18), 0
    for position in random_positions(40, DISCS):
        low, high = solver.solve(*boards_of(position), stop=NEVER, budget=solver.nodes + 100_000)
        found = score(position)
        assert found is not None
        assert low <= found <= high
        solved += low == high
    assert solved >= 5


def test_a_known_score_is_the_value_of_a_position_before_any_search() -> None:
    position = random_positions(1, DISCS)[0]
    analysis = Connect4Engine(2).analyse(position, Limits(nodes=1), NEVER)
    assert (analysis.value, analysis.exact) == (score(position), True)


def test_the_file_reads_back() -> None:
    assert unpack(pack(layers())) == layers()
    assert list(layers()) == list(EVEN)


@pytest.mark.parametrize("spoilt", [b"", b"no stream", zlib.compress(b"\x40")])
def test_a_bad_file_is_refused(spoilt: bytes) -> None:
    with pytest.raises(ValueError, match="not the scores of Connect Four's positions"):
        unpack(spoilt)
