"""Addresses of servers, as people write them."""

from __future__ import annotations

import pytest

from noughts_client.address import room_link, server_url, shortest, url_for_room, with_host


@pytest.mark.parametrize(
    ("text", "url", "short"),
    [
        ("example.org", "wss://example.org/ws", "example.org"),
        ("example.org:8765", "ws://example.org:8765/ws", "example.org:8765"),
        ("example.org:443", "wss://example.org:443/ws", "example.org:443"),
        ("192.168.1.5", "ws://192.168.1.5:8765/ws", "192.168.1.5"),
        ("192.168.1.5:8000", "ws://192.168.1.5:8000/ws", "192.168.1.5:8000"),
        (" localhost ", "ws://localhost:8765/ws", "localhost"),
        ("teacher", "ws://teacher:8765/ws", "teacher"),
        ("teacher.local", "ws://teacher.local:8765/ws", "teacher.local"),
        ("::1", "ws://[::1]:8765/ws", "[::1]"),
        ("[2001:db8::1]:80", "ws://[2001:db8::1]:80/ws", "[2001:db8::1]:80"),
        ("ws://127.0.0.1:8765/ws", "ws://127.0.0.1:8765/ws", "127.0.0.1"),
        ("ws://127.0.0.1:8765", "ws://127.0.0.1:8765/ws", "127.0.0.1"),
        ("wss://example.org/noughts/ws", "wss://example.org/noughts/ws", "wss://example.org/noughts/ws"),
        ("http://192.168.1.5:8765/rooms/k3f9qzm2xw7ta?x=1#y", "ws://192.168.1.5:8765/ws", "192.168.1.5"),
        ("https://example.org/", "wss://example.org/ws", "example.org"),
        ("wss://192.168.1.5/ws", "wss://192.168.1.5/ws", "wss://192.168.1.5/ws"),
    ],
)
def test_an_address_is_read_as_the_url_of_a_server(text: str, url: str, short: str) -> None:
    assert server_url(text) == url
    assert shortest(url) == short
    assert server_url(short) == url


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://192.168.1.5:8765/rooms/k3f9qzm2xw7ta", "ws://192.168.1.5:8765/ws"),
        (" https://example.org/rooms/k3f9qzm2xw7ta?present#3 ", "wss://example.org/ws"),
        ("localhost:8000/rooms/k3f9qzm2xw7ta/", "ws://localhost:8000/ws"),
        ("k3f9qzm2xw7ta", None),
        ("games/rooms/", None),
        ("http://a b/rooms/k3f9qzm2xw7ta", None),
        ("example.org/rooms/k3f9.jsonl", None),
        ("/rooms/k3f9qzm2xw7ta", None),
    ],
)
def test_the_link_of_a_room_names_its_server_and_its_id(text: str, url: str | None) -> None:
    assert room_link(text) == (None if url is None else (url, "k3f9qzm2xw7ta"))


@pytest.mark.parametrize(
    "text", ["", " ", "example.org:port", "example.org:99999", "mqtt://x", "a b", "http://", "[::1"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not the address of a server, such as "):
        server_url(text)


def test_the_url_for_a_room_names_it_unless_it_has_a_query_of_its_own() -> None:
    assert url_for_room("ws://host:8765/ws", "a-B_1") == "ws://host:8765/ws?room=a-B_1"
    assert url_for_room("wss://host/ws?key=1", "a") == "wss://host/ws?key=1"


def test_a_host_is_replaced_with_the_port_kept() -> None:
    assert with_host("ws://127.0.0.1:8000/ws", "192.168.1.5") == "ws://192.168.1.5:8000/ws"
    assert with_host("ws://localhost/ws", "2001:db8::1") == "ws://[2001:db8::1]/ws"
