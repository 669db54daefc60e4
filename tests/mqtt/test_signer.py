"""Signed messages can be read only with the key that signed them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.bus import Altered, Appended, Drain, Hint, Listed, Missing, Paired, Present, Said, Watching
from noughts.mqtt.signer import MAX_BYTES, Rejected, Signer

KEY = bytes(range(32))
names = st.text(max_size=30)
messages = st.one_of(
    st.builds(Appended, names, st.integers(1, 2**40), st.binary(max_size=100)),
    st.builds(Missing, names, names, names),
    st.builds(Present, names, names, names),
    st.builds(Listed, st.binary(max_size=100)),
    st.builds(Drain, names),
    st.builds(Said, names, st.binary(max_size=100)),
    st.builds(Watching, names, names, st.integers(0, 2**40), st.booleans()),
    st.builds(Paired, names, names),
    st.builds(Altered, names),
)


@given(messages, names, names, st.integers(0, 2**45))
def test_verifying_a_signed_hint_gives_the_same_hint(message: Hint, topic: str, by: str, at: int) -> None:
    assert Signer(KEY).verify(topic, Signer(KEY).sign(topic, message, by, at)) == (message, by, at)


@given(messages, st.integers(min_value=0), st.integers(1, 255))
def test_a_changed_byte_is_a_forgery(message: Hint, place: int, change: int) -> None:
    signed = bytearray(Signer(KEY).sign("t", message, "a", 1))
    signed[place % len(signed)] ^= change
    with pytest.raises(Rejected, match="forged"):
        Signer(KEY).verify("t", bytes(signed))


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_a_forgery(anything: bytes) -> None:
    with pytest.raises(Rejected, match="forged"):
        Signer(KEY).verify("t", anything)


def test_a_message_for_another_topic_or_key_is_a_forgery() -> None:
    signed = Signer(KEY).sign("bus/rooms/a", Drain("b"), "a", 1)
    for signer, topic in ((Signer(KEY), "bus/rooms/b"), (Signer(bytes(32)), "bus/rooms/a")):
        with pytest.raises(Rejected, match="forged"):
            signer.verify(topic, signed)


def test_a_message_that_is_too_long_is_rejected() -> None:
    with pytest.raises(Rejected, match="too long"):
        Signer(KEY).verify("t", Signer(KEY).sign("t", Appended("r", 1, bytes(MAX_BYTES)), "a", 1))


@pytest.mark.parametrize(
    "head",
    [
        {},
        {"kind": "drain", "by": "a", "at": 1},
        {"kind": "drain", "by": "a", "at": "1", "to": "b"},
        {"kind": "drain", "by": "a", "at": 1, "to": None},
        {"kind": "drain", "by": "a" * 201, "at": 1, "to": "b"},
        {"kind": "appended", "by": "a", "at": 1, "room": "r", "version": 0},
        {"kind": "appended", "by": "a", "at": 1, "room": "r", "version": True},
        {"kind": ["appended"], "by": "a", "at": 1},
    ],
)
def test_a_malformed_message_of_a_node_is_rejected(head: dict[str, object]) -> None:
    with pytest.raises(Rejected, match="malformed"):
        Signer(KEY).verify("t", Signer(KEY).sign_raw("t", head))


def test_kinds_and_fields_of_later_versions_are_accepted() -> None:
    new = Signer(KEY).sign_raw("t", {"kind": "sung", "by": "a", "at": 1, "song": [1, 2]}, b"la")
    assert Signer(KEY).verify("t", new) == (None, "a", 1)
    more = Signer(KEY).sign_raw("t", {"kind": "drain", "by": "a", "at": 1, "to": "b", "song": {}})
    assert Signer(KEY).verify("t", more) == (Drain("b"), "a", 1)
