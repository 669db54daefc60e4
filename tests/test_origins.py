"""Which origins may connect."""

from __future__ import annotations

import pytest

from noughts.origins import Origins

ORIGINS = Origins(["https://club.example:444", "app://Noughts"], "https://play.example.org", "Gamebox")


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://192.0.2.7:8765", "192.0.2.7:8765"),
        ("http://games.example:8765", "games.example:8765"),
        ("http://games.example", "games.example"),
        ("https://games.example", "games.example"),
        ("https://games.example", "games.example:443"),
        ("https://games.example", "games.example:80"),
        ("http://games.example:80", "games.example"),
        ("https://games.example:8443", "games.example:8443"),
        ("http://games.example:443", "games.example:443"),
        ("https://Games.Example", "gAMES.example."),
        ("http://games.example.:8765", "games.example:8765"),
        ("http://[2001:db8::1]:8765", "[2001:DB8:0:0::1]:8765"),
        ("http://[::1]", "[::1]"),
        ("https://play.example.org", "10.0.0.1:8765"),
        ("http://play.example.org", "10.0.0.1:8765"),
        ("https://play.example.org.:443", "a, b"),
        ("https://club.example:444", "elsewhere"),
        ("app://noughts", "elsewhere"),
    ],
)
def test_the_servers_own_origins_and_named_ones_may_connect(origin: str, host: str) -> None:
    assert ORIGINS.allow([origin], [host], local=False)


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("null", "null"),
        ("", ""),
        ("http://games.example", "games.example:8765"),
        ("http://games.example:8765", "games.example"),
        ("https://games.example:80", "games.example"),
        ("http://games.example:8765", "games.example:8766"),
        ("http://evil.example", "games.example"),
        ("http://games.example.evil.example", "games.example"),
        ("http://games.example@evil.example", "games.example"),
        ("http://evil.example/games.example", "games.example"),
        ("http://games.example..", "games.example"),
        ("http://games.example:99999", "games.example:99999"),
        ("http://[::1", "[::1"),
        ("http://[1:2]", "[1:2]"),
        ("ftp://games.example", "games.example"),
        ("https://play.example.org:8443", "elsewhere"),
        ("http://club.example:444", "elsewhere"),
        ("https://club.example", "elsewhere"),
    ],
)
def test_others_may_not(origin: str, host: str) -> None:
    assert not ORIGINS.allow([origin], [host], local=False)


def test_a_request_has_one_origin_and_one_host() -> None:
    own = "http://games.example"
    assert not ORIGINS.allow([own, own], ["games.example"], local=False)
    assert not ORIGINS.allow([own], ["games.example", "games.example"], local=False)
    assert not ORIGINS.allow([own], [], local=False)


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("localhost:8765", True),
        ("noughts.localhost:8765", True),
        ("127.0.0.1:8765", True),
        ("192.168.0.7:8765", True),
        ("[::1]:8765", True),
        ("gamebox:8765", True),
        ("attacker.example:8765", False),
        ("localhost.attacker.example:8765", False),
        ("127.0.0.1.attacker.example:8765", False),
    ],
)
def test_on_this_machine_the_host_must_be_a_name_of_it(host: str, own: bool) -> None:
    assert ORIGINS.allow([f"http://{host}"], [host], local=True) is own


def test_a_configured_name_is_good_on_this_machine_too() -> None:
    assert ORIGINS.allow(["https://play.example.org"], ["play.example.org"], local=True)
    assert ORIGINS.allow(["https://club.example:444"], ["attacker.example"], local=True)


def test_any_origin_but_null_can_be_allowed() -> None:
    anybody = Origins(["*"], None)
    assert anybody.allow(["https://example.com"], ["games.example"], local=True)
    assert not anybody.allow(["null"], ["games.example"], local=False)


def test_programs_are_not_affected() -> None:
    assert Origins([], None).allow([], ["attacker.example"], local=True)
