"""Tournaments as FIDE's report files, read by py4swiss."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from noughts.tournaments.events import DRAWN, FIRST_BY_FORFEIT, FIRST_WINS, NOBODY, SECOND_WINS, Result, Withdraw
from noughts.tournaments.ranking import field_of, rounds_of, standings
from noughts.tournaments.swiss import swiss_pairs
from noughts.tournaments.tournament import Game
from noughts.tournaments.trf import as_trf
from support.tournaments import ORGANISER, Played, terms


def by_chance(seed: int) -> Callable[[Game], Result]:
    rng = Random(seed)
    return lambda _: rng.choice((FIRST_WINS, SECOND_WINS, DRAWN, FIRST_BY_FORFEIT, NOBODY))


@pytest.mark.parametrize("seed", range(8))
def test_py4swiss_reads_the_tournament_and_pairs_the_next_round_as_the_server_does(tmp_path: Path, seed: int) -> None:
    py4swiss = pytest.importorskip("py4swiss.engines")
    from py4swiss.trf import TrfParser

    played = Played(terms(format="swiss", rounds=6), "ABCDEFGHIJK")
    for number in range(4):
        played.pair()
        played.play(by_chance(seed * 10 + number))
    played.do(Withdraw("C", ORGANISER))
    file = tmp_path / "report.trf"
    text = as_trf(played.tournament)
    assert text is not None
    file.write_text(text)
    trf = TrfParser.parse(file, strict=True)
    field = field_of(played.tournament)
    assert [section.name for section in trf.player_sections] == list(field.players)
    assert [section.fide_rating for section in trf.player_sections] == [2000 - number for number in range(11)]
    ranks = {row.player: rank for rank, row in enumerate(standings(field), 1)}
    for player, section in zip(field.players, trf.player_sections, strict=True):
        assert section.rank == ranks[player]
        assert len(section.results) == len(rounds_of(field)[player]) == 4
    trf.x_section.zeroed_ids = {field.players.index("C") + 1}
    numbers = dict(enumerate(field.players, 1))
    pairs = {(numbers[pair.white], numbers.get(pair.black)) for pair in py4swiss.DutchEngine.generate_pairings(trf)}
    assert pairs == set(swiss_pairs(field, 6))


def test_the_columns_are_those_of_the_handbook() -> None:
    played = Played(terms(), "AB")
    played.pair([("A", "B")])
    played.play(lambda _: DRAWN)
    lines = (as_trf(played.tournament) or "").splitlines()
    assert lines[0] == "012 Test"
    assert "092 Individual: Round-Robin" in lines
    (first,) = (line for line in lines if line.startswith("001    1"))
    assert (first[14:47].rstrip(), first[48:52], first[80:84], first[85:89]) == ("A", "2000", " 0.5", "   1")
    assert first[91:99] == "   2 w ="


def test_a_round_under_way_is_left_out_and_an_arena_has_no_report() -> None:
    played = Played(terms(rounds=2), "ABC")
    played.pair()
    assert "w" not in (as_trf(played.tournament) or "").split("001    1", 1)[1]
    assert as_trf(Played(terms(format="arena", rounds=0, minutes=5), "AB").tournament) is None
