"""Standings, crosstable and counts, from the records of games."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.league import standings as module
from noughts.league.pairing import games_of
from noughts.league.records import Record
from noughts.league.standings import Row, crosstable, meetings, reasons, totals
from noughts.tournaments.ranking import Score
from support.leagues import failure, game, league


def standings(players: list[str], records: list[Record], **terms: Any) -> list[Row]:
    return module.standings(league(players, **terms), records)


RECORDS = [
    game(1, "a", "b", "first"),
    game(2, "b", "a", "draw"),
    game(3, "a", "c", "first", reason="crash", failure=failure("second", "crash", "The bot raised KeyError.")),
    game(4, "c", "a", "second", reason="time"),
    game(5, "b", "c", "second"),
    game(6, "c", "b", None, reason="start"),
]


def test_the_most_points_come_first() -> None:
    rows = standings(["c", "b", "a"], RECORDS)
    assert [(row.place, row.player, row.score) for row in rows] == [
        (1, "a", Score(3, 1, 0)),
        (2, "c", Score(1, 0, 2)),
        (3, "b", Score(0, 1, 2)),
    ]
    elos = [row.elo for row in rows if row.elo is not None]
    assert len(elos) == 3
    assert elos == sorted(elos, reverse=True)
    assert abs(sum(elos)) < 0.001
    assert all(row.error and row.error > 50 for row in rows)


def test_losses_are_listed_by_reason_and_time_is_added_up() -> None:
    rows = {row.player: row for row in standings(["a", "b", "c"], RECORDS)}
    assert rows["c"].lost_by == {"crash": 1, "time": 1}
    assert rows["b"].lost_by == {"line": 2}
    assert (rows["a"].seconds, rows["a"].moves, rows["a"].longest_s) == (1.5 + 1 + 1.5 + 1, 10, 0.75)
    assert reasons(RECORDS) == {"line": 2, "crash": 1, "draw": 1, "start": 1, "time": 1}


def test_everybody_is_in_the_standings_also_without_a_game() -> None:
    rows = standings(["d", "a", "b", "c", "e"], RECORDS)
    assert [(row.place, row.player) for row in rows[3:]] == [(4, "d"), (4, "e")]
    assert (rows[3].score.games, rows[3].elo, rows[3].error) == (0, None, None)
    assert [row.place for row in standings(["a", "b"], [])] == [1, 1]
    assert [row.player for row in standings(["alone"], [])] == ["alone"]


def test_players_who_cannot_be_told_apart_share_a_place() -> None:
    rows = standings(
        ["a", "b", "c"], [game(1, "a", "b", "draw"), game(3, "a", "c", "first"), game(5, "b", "c", "first")]
    )
    assert [(row.place, row.player) for row in rows] == [(1, "a"), (1, "b"), (3, "c")]


def test_in_a_gauntlet_few_games_are_no_disadvantage() -> None:
    rows = standings(
        ["a", "b", "c"],
        [game(1, "a", "b", "first"), game(2, "b", "a", "second"), game(3, "a", "c", "second")],
        format="gauntlet",
        opponents=["a"],
    )
    assert [row.player for row in rows] == ["c", "a", "b"]


def test_equal_points_go_by_the_tie_breaks_of_tournaments() -> None:
    """a, b and c have two points each, and as many among themselves; a has them from those who have more."""
    rows = standings(
        ["d", "c", "b", "a"],
        [
            *(game(1, "a", "b", "draw"), game(2, "b", "c", "draw"), game(3, "a", "c", "draw")),
            *(game(4, "d", "a", "second"), game(5, "d", "b", "second"), game(6, "d", "c", "second")),
        ],
    )
    assert [(row.place, row.tie_breaks) for row in rows] == [
        *[(1, {"direct_encounter": 1, "sonneborn_berger": 2})] * 3,
        (4, {"sonneborn_berger": 0}),
    ]


def test_a_swiss_league_ranks_by_pairs_of_games() -> None:
    pytest.importorskip("py4swiss")
    terms = {"format": "swiss", "rounds": 1}
    pairings = games_of(league(list("abc"), **terms))
    records = [game(each.game, each.first, each.second, "first", pair=each.pair) for each in pairings[:1]]
    records += [game(each.game, each.first, each.second, "draw", pair=each.pair) for each in pairings[1:]]
    rows = standings(list("abc"), records, **terms)
    assert sorted(row.points for row in rows) == [0, 1, 1], "one has no opponent, and a point"
    assert {row.player: row.score.games for row in rows if row.score.games} == {
        pairings[0].first: 1,
        pairings[0].second: 1,
    }


def test_in_a_swiss_league_whoever_met_somebody_who_is_disqualified_has_the_point() -> None:
    pytest.importorskip("py4swiss")
    terms: dict[str, Any] = {"format": "swiss", "rounds": 2}
    order = league(list("abcd"), **terms)
    records: list[Record] = []
    for _ in range(2):
        for each in games_of(order, records)[len(records) :]:
            out = next((side for side in ("first", "second") if getattr(each, side) == "d"), None)
            crash = None if out is None else failure(out, "crash", "It crashed.")
            result = {None: "draw", "first": "second", "second": "first"}[out]
            more = {"round": each.round, "pair": each.pair, "failure": crash}
            records.append(game(each.game, each.first, each.second, result, **more))
    rows = standings(list("abcd"), records, **terms)
    assert "d" not in [row.player for row in rows]
    assert sum(row.points for row in rows) == 4, "two draws, and two points without a game that counts"


def test_reasons_go_by_their_number_and_then_by_name() -> None:
    found = [game(n, "a", "b", "first", reason=reason) for n, reason in enumerate(("time", "line", "exit", "line"), 1)]
    assert list(reasons(found)) == ["line", "exit", "time"]
    assert list(standings(["a", "b"], found)[1].lost_by) == ["exit", "line", "time"]


def test_the_crosstable_shows_both_sides_of_a_game() -> None:
    table = crosstable(["a", "b", "c"], RECORDS)
    assert table["a"] == {"b": Score(1, 1, 0), "c": Score(2, 0, 0)}
    assert table["b"] == {"a": Score(0, 1, 1), "c": Score(0, 0, 1)}


def test_the_two_games_of_a_pair_are_one_observation() -> None:
    assert meetings(RECORDS) == [("a", "b", 1.5, 2), ("a", "c", 2, 2), ("b", "c", 0, 1)]


@given(st.integers(2, 6), st.integers(1, 3), st.data())
def test_all_tables_agree(size: int, rounds: int, data: st.DataObject) -> None:
    players = [f"p{number}" for number in range(size)]
    records = [
        game(
            number,
            each.first,
            each.second,
            data.draw(st.sampled_from(["first", "second", "draw", None])),
            pair=each.pair,
        )
        for number, each in enumerate(games_of(league(players, rounds=rounds)), 1)
    ]
    counted = [record for record in records if record["result"]]
    table, sums = crosstable(players, records), totals(players, records)
    assert sum(each.points for each in sums.values()) == len(counted)
    for player in players:
        assert sum(cell.points for cell in table[player].values()) == sums[player].points
        assert sum(cell.games for cell in table[player].values()) == sums[player].games
        for opponent, cell in table[player].items():
            assert (cell.won, cell.drawn, cell.lost) == (
                table[opponent][player].lost,
                table[opponent][player].drawn,
                table[opponent][player].won,
            )
    assert sum(each.games for each in meetings(records)) == len(counted)
