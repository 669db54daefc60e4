"""Where a webhook may point."""

from __future__ import annotations

import pytest

from noughts.webhook.destination import BadDestination, Destination, destination, is_callable


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_public_addresses_may_be_called(address: str) -> None:
    assert is_callable(address)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.8.8", "::1", "0.0.0.0", "::", "0.1.2.3"),  # this machine
        *("10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12:3456::1", "fec0::1"),  # private
        *("169.254.169.254", "fe80::1", "fe80::1%eth0"),  # link-local, such as a cloud's metadata
        *("100.64.0.1", "100.127.255.255"),  # carriers and virtual networks
        *("224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"),  # multicast; also with a global scope
        *("255.255.255.255", "240.0.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "203.0.113.1", "2001:db8::1"),
        *("::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:7f00:1", "::127.0.0.1", "::ffff:0:127.0.0.1"),
        *("64:ff9b::7f00:1", "64:ff9b::169.254.169.254", "64:ff9b:1::1", "2002:7f00:1::1", "2002:a9fe:a9fe::1"),
        *("2001:0:7f00:1::", "", "localhost", "127.1", "8.8.8.8:80", "0x7f.1", "2130706433"),
    ],
)
def test_no_other_address_may_be_called_however_it_is_written(address: str) -> None:
    assert not is_callable(address)


def test_the_parts_of_a_url() -> None:
    assert destination("https://ntfy.sh/noughts-x1", http=False) == Destination(
        True, "ntfy.sh", 443, "/noughts-x1", "ntfy.sh"
    )
    assert destination("https://example.org:8443?a=b", http=False) == Destination(
        True, "example.org", 8443, "/?a=b", "example.org:8443"
    )
    assert destination("http://[2001:db8::1]:8080/x", http=True) == Destination(
        False, "2001:db8::1", 8080, "/x", "[2001:db8::1]:8080"
    )


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://example.org/", "https"),
        ("ftp://example.org/", "https"),
        ("file:///etc/passwd", "https"),
        ("//example.org/", "https"),
        ("https://ann:secret@example.org/", "password"),
        ("https://example.org@127.0.0.1/", "password"),
        ("https://example.org/#x", "#"),
        ("https:///x", "host"),
        ("https://", "host"),
        ("https://[::1/", "address"),
        ("https://[fe80::1%25eth0]/", "host"),
        ("https://exa mple.org/", "host"),
        ("https://ex\u00e4mple.org/", "host"),
        ("https://example.org:x/", "port"),
        ("https://example.org:99999/", "port"),
        ("https://example.org:/", "host"),
        ("https://example.org:25/", "port"),
        ("https://example.org:80/", "port"),
        ("https://example.org\\@127.0.0.1/", "password"),
        ("https://example.org\r\nX-Evil:1/", "port"),
    ],
)
def test_other_urls_are_refused_with_the_reason(url: str, why: str) -> None:
    with pytest.raises(BadDestination, match=why):
        destination(url, http=False)


def test_http_is_for_operators_who_allow_it() -> None:
    assert not destination("http://example.org/", http=True).secure
    with pytest.raises(BadDestination, match="port must be 80"):
        destination("http://example.org:22/", http=True)
