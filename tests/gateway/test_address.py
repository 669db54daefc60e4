from __future__ import annotations

import pytest

from noughts.gateway.address import Proxies, bannable, is_public, site_of

TRUSTING = Proxies(["10.0.0.0/8", "192.168.1.7", "fd00::/8"])


@pytest.mark.parametrize(
    ("peer", "headers", "client"),
    [
        ("10.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("203.0.113.1", ["203.0.113.9"], "203.0.113.1"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.1, 203.0.113.9"], "203.0.113.9"),
        ("10.0.0.1", ["203.0.113.9, 192.168.1.7, 10.1.1.1"], "203.0.113.9"),
        ("10.0.0.1", ["198.51.100.1", "203.0.113.9", "10.1.1.1"], "203.0.113.9"),
        ("10.0.0.1", ["203.0.113.9,192.168.1.8"], "192.168.1.8"),
        ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ("10.0.0.1", ["203.0.113.9:5678"], "203.0.113.9"),
        ("10.0.0.1", ["2001:db8:1:2:3::4"], "2001:db8:1:2::/64"),
        ("10.0.0.1", ["[2001:db8:1:2:3::4]:443"], "2001:db8:1:2::/64"),
        ("10.0.0.1", ["[2001:db8:1:2:3::4]"], "2001:db8:1:2::/64"),
        ("fd00::1", ["203.0.113.9"], "203.0.113.9"),
        ("::ffff:10.0.0.1", ["::ffff:203.0.113.9"], "203.0.113.9"),
        ("fe80::1%eth0", ["203.0.113.9"], "fe80::/64"),
    ],
)
def test_the_client_is_the_nearest_untrusted_address(peer: str, headers: list[str], client: str) -> None:
    assert TRUSTING.client(peer, headers) == client


@pytest.mark.parametrize("entry", ["", "unknown", "_hidden", "300.1.1.1", "[::1", "1.2.3.4.5", "[", ",", "a:b", "\x00"])
def test_an_entry_that_is_not_an_address_leaves_the_proxy_itself(entry: str) -> None:
    expected = "::/64" if entry == "[::1" else "10.0.0.1"
    assert TRUSTING.client("10.0.0.1", [f"203.0.113.9, {entry}"]) == expected


def test_headers_are_ignored_without_trusted_proxies() -> None:
    assert Proxies([]).client("127.0.0.1", ["203.0.113.9"]) == "127.0.0.1"


def test_a_peer_that_is_gone_has_no_address() -> None:
    assert TRUSTING.client("", ["203.0.113.9"]) == ""


@pytest.mark.parametrize(
    ("peer", "trusted"), [("10.0.0.1", True), ("::ffff:10.0.0.1", True), ("203.0.113.1", False), ("", False)]
)
def test_proxies_are_trusted_by_their_address(peer: str, trusted: bool) -> None:
    assert TRUSTING.trusts(peer) is trusted


@pytest.mark.parametrize(
    ("address", "site"),
    [
        ("2001:db8:1:2::/64", "2001:db8:1::/48"),
        ("2001:db8:1::/64", "2001:db8:1::/48"),
        ("2001:db8::/64", "2001:db8::/48"),
        ("::/64", "::/48"),
        ("203.0.113.9", "203.0.113.9"),
        ("", ""),
        ("mqtt", "mqtt"),
        ("p-abc", "p-abc"),
    ],
)
def test_the_site_of_an_ipv6_address_is_its_48(address: str, site: str) -> None:
    assert site_of(address) == site


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("203.0.113.9", "203.0.113.9/32"),
        ("203.0.113.9/24", "203.0.113.0/24"),
        ("2001:db8:1:2::5", "2001:db8:1:2::/64"),
        ("2001:DB8:1::/48", "2001:db8:1::/48"),
        ("2001:db8:1:2::/64", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.9", "203.0.113.9/32"),
        ("p-5xjaih7ioqcqi", None),
        ("ann", None),
        ("203.0.113", None),
        ("", None),
    ],
)
def test_an_address_or_network_can_be_banned(text: str, network: str | None) -> None:
    assert bannable(text) == network


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("203.0.113.9", True),
        ("8.8.8.8", True),
        ("172.32.0.1", True),
        ("2001:db8:1:2::1", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.31.0.1", False),
        ("192.168.1.1", False),
        ("169.254.1.1", False),
        ("100.64.0.1", False),
        ("::1", False),
        ("fd12::1", False),
        ("fe80::1", False),
        ("::ffff:192.168.1.1", False),
    ],
)
def test_loopback_and_private_addresses_are_not_public(address: str, public: bool) -> None:
    assert is_public(Proxies([]).client(address, [])) is public


def test_what_is_not_an_address_is_not_public() -> None:
    assert not is_public("mqtt")
    assert not is_public("")
