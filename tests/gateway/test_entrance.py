from __future__ import annotations

from collections import Counter

import pytest

from noughts.gateway.entrance import RESERVED_FILES, Capacity, Entrance, Stage


class Visit:
    """A connection."""

    def __init__(self) -> None:
        self.address = ""
        self.stage = Stage.OUTSIDE


class Door:
    """An entrance, and what stopped whom."""

    def __init__(self, clients: int = 10, clients_each: int = 2, visitors_each: int = 3) -> None:
        self.stopped: Counter[tuple[str, str]] = Counter()
        capacity = Capacity(clients, clients + 10)
        self.entrance = Entrance(
            capacity, clients_each, visitors_each, lambda name, who, _: self.stopped.update([(name, who)])
        )

    def entered(self, address: str) -> Visit:
        visit = Visit()
        assert self.entrance.enter(visit, address)
        return visit


def test_an_address_has_so_many_visitors_until_one_leaves() -> None:
    door = Door()
    visits = [door.entered("a") for _ in range(3)]
    late = Visit()
    assert not door.entrance.enter(late, "a")
    assert late.stage is Stage.OUTSIDE
    door.entrance.leave(late)  # it was not counted
    assert not door.entrance.enter(Visit(), "a")
    door.entered("b")
    door.entrance.leave(visits[0])
    door.entrance.leave(visits[0])
    door.entered("a")
    assert not door.entrance.enter(Visit(), "a")
    assert door.stopped == {("http_per_address", "a"): 3}


def test_a_client_is_no_visitor_any_more() -> None:
    door = Door()
    clients = [door.entered("a") for _ in range(2)]
    assert all(door.entrance.admit(visit) for visit in clients)
    visits = [door.entered("a") for _ in range(3)]
    assert not door.entrance.admit(visits[0])
    assert door.stopped == {("connections_per_address", "a"): 1}
    door.entrance.leave(clients[0])
    assert door.entrance.admit(visits[0])
    assert door.entrance.clients == 2


def test_visitors_from_a_proxy_count_by_the_address_of_their_request() -> None:
    door = Door()
    visits = [door.entered("") for _ in range(8)]
    assert [door.entrance.readdress(visit, "a") for visit in visits] == [True] * 3 + [False] * 5
    for visit in visits:
        door.entrance.leave(visit)
    assert door.entrance.connections == 0
    for _ in range(3):
        door.entered("a")


def test_there_are_so_many_clients_and_connections() -> None:
    door = Door(clients=2, clients_each=5)
    for address in "ab":
        assert not door.entrance.is_full(address)
        assert door.entrance.admit(door.entered(address))
    assert door.entrance.is_full("c")
    for number in range(10):
        door.entered(str(number))
    assert not door.entrance.enter(Visit(), "d")
    assert door.stopped == {("connections", "c"): 1, ("connections", "d"): 1}


def test_silent_connections_of_one_address_are_at_most_half_of_all() -> None:
    door = Door(visitors_each=1000)
    for _ in range(10):
        door.entered("a")
    assert not door.entrance.enter(Visit(), "a")
    door.entered("b")


@pytest.mark.parametrize(
    ("files", "clients", "connections"),
    [
        (None, 10_000, 11_000),
        (1_000_000, 10_000, 11_000),
        (11_000 + RESERVED_FILES, 10_000, 11_000),
        (2048, 1440, 1920),
        (1024, 672, 896),
        (10, 3, 4),
    ],
)
def test_files_are_kept_for_other_things_than_connections(files: int | None, clients: int, connections: int) -> None:
    assert Capacity.of(10_000, 1000, files) == Capacity(clients, connections)
    assert Capacity.of(1, 1000, files).clients == 1


def networks(count: int) -> list[str]:
    """So many addresses of one IPv6 site."""
    return [f"2001:db8:1:{number:x}::/64" for number in range(1, count + 1)]


def test_the_addresses_of_an_ipv6_site_have_four_times_as_many_together() -> None:
    door = Door(clients=90, clients_each=2, visitors_each=3)
    *addresses, late = networks(5)
    visits = [door.entered(address) for address in addresses for _ in range(2)]
    assert all(door.entrance.admit(visit) for visit in visits)
    visitors = [door.entered(address) for address in addresses for _ in range(3)]
    assert not door.entrance.enter(Visit(), late)
    door.entrance.leave(visitors[0])
    assert not door.entrance.admit(door.entered(late))
    site = "2001:db8:1::/48"
    assert door.stopped == {("http_per_address", site): 1, ("connections_per_address", site): 1}
    assert door.entrance.admit(door.entered("2001:db8:2:1::/64")), "another site"
    door.entrance.leave(visits[0])
    assert door.entrance.readdress(visitors[1], "2001:db8:2:1::/64")
    assert door.entrance.admit(door.entered(late))


def test_a_site_has_at_most_half_of_all_connections() -> None:
    door = Door(clients=6, clients_each=4, visitors_each=4)
    assert sum(door.entrance.enter(Visit(), address) for address in networks(16)) == 8
    door.entered("203.0.113.1")
