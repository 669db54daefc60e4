"""Whose search is next, and how long it may take."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.computer.turns import CROWDED, LEAST_S, Rotation, share_s

addresses, players = st.integers(0, 3), st.integers(0, 2)
waiting = st.lists(st.tuples(addresses, players), min_size=1, max_size=40)
Item = tuple[int, int, int]


def queue(openers: list[tuple[int, int]]) -> Rotation[Item]:
    """Searches of these addresses and players, numbered in the order of their arrival."""
    rotation: Rotation[Item] = Rotation()
    for number, (address, player) in enumerate(openers):
        rotation.add((address, player, number), address, player)
    return rotation


def drained(rotation: Rotation[Item]) -> list[Item]:
    return [rotation.pop() for _ in range(len(rotation))]


@given(waiting)
def test_everybody_is_served_once_and_each_player_in_order(openers: list[tuple[int, int]]) -> None:
    served = drained(queue(openers))
    assert sorted(number for _, _, number in served) == list(range(len(openers)))
    for opener in set(openers):
        numbers = [number for address, player, number in served if (address, player) == opener]
        assert numbers == sorted(numbers)


@given(waiting)
def test_addresses_take_turns_and_so_do_the_players_of_each(openers: list[tuple[int, int]]) -> None:
    served = drained(queue(openers))
    for place, (address, player, _) in enumerate(served):
        own = [one for one in served[:place] if one[0] == address]
        for other in {one[0] for one in served} - {address}:
            assert sum(one[0] == other for one in served[:place]) <= len(own) + 1, "no other gets two turns for one"
        mine = sum(one[1] == player for one in own)
        for other in {one[1] for one in served if one[0] == address} - {player}:
            assert sum(one[1] == other for one in own) <= mine + 1


@given(waiting, st.lists(st.tuples(addresses, players), max_size=20))
def test_whoever_comes_later_waits_for_one_turn_of_the_others(
    openers: list[tuple[int, int]], later: list[tuple[int, int]]
) -> None:
    """However many others wait, and whoever comes after."""
    rotation = queue(openers)
    rotation.add((9, 9, 99), 9, 9)
    for number, (address, player) in enumerate(later, 100):
        rotation.add((address, player, number), address, player)
    place = drained(rotation).index((9, 9, 99))
    assert place <= len({address for address, _ in openers})


@given(waiting, st.data())
def test_some_give_up(openers: list[tuple[int, int]], data: st.DataObject) -> None:
    rotation, left = queue(openers), []
    for number, (address, player) in enumerate(openers):
        if data.draw(st.booleans()):
            rotation.remove((address, player, number), address, player)
        else:
            left.append((address, player, number))
    assert len(rotation) == len(left)
    assert rotation.groups == len({address for address, _, _ in left})
    counts = Counter(address for address, _, _ in left)
    assert all(rotation.of(address) == counts[address] for address in range(5))
    assert sorted(drained(rotation)) == sorted(left)
    assert not rotation
    with pytest.raises(KeyError):
        rotation.pop()
    with pytest.raises(KeyError):
        rotation.remove((0, 0, 0), 0, 0)


shares = {"groups": st.integers(1, 50), "tables": st.integers(1, 50), "workers": st.integers(1, 8)}


@given(st.floats(0.001, 600), st.floats(0, 2), st.floats(0, 100), st.fixed_dictionaries(shares))
def test_a_share_is_within_its_bounds(level: float, least: float, waited: float, crowd: dict[str, int]) -> None:
    share = share_s(level, least, waited_s=waited, **crowd)
    assert min(level, least) <= share <= level
    more = share_s(level, least, waited_s=waited, **{**crowd, "groups": crowd["groups"] + 1})
    assert more <= share, "the more wait, the less"


@given(st.floats(0.1, 600), st.integers(1, 8))
def test_alone_a_search_has_all_its_time(level: float, workers: int) -> None:
    assert share_s(level, LEAST_S, waited_s=0, workers=workers, groups=1, tables=1) == level


@pytest.mark.parametrize(("groups", "tables"), [(1, 30), (30, 1), (5, 6)])
def test_thirty_tables_have_their_moves_within_the_time_of_one(groups: int, tables: int) -> None:
    """True if one address opened all of them, or each another."""
    rotation: Rotation[tuple[int, int]] = Rotation()
    for table in range(tables):
        for group in range(groups):
            rotation.add((group, table), group, 0)
    now = 0.0
    while rotation:
        group, _ = rotation.pop()
        own = rotation.of(group)
        now += share_s(2, LEAST_S, waited_s=now, workers=1, groups=rotation.groups + (own == 0), tables=own + 1)
    assert now <= 2


def test_a_crowd_does_not_shorten_the_searches_of_others() -> None:
    """Of two addresses each has half of the time, however many tables the other has."""
    one = share_s(2, LEAST_S, waited_s=0, workers=1, groups=2, tables=1)
    many = share_s(2, LEAST_S, waited_s=0, workers=1, groups=2, tables=50)
    assert one == CROWDED
    assert many == LEAST_S
    assert share_s(2, 0.5, waited_s=9, workers=1, groups=9, tables=50) == 0.5, "rated"
    assert share_s(0.3, 0.5, waited_s=9, workers=1, groups=9, tables=50) == 0.3, "its clock allows no more"
