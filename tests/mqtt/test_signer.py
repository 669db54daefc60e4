"""Sealed messages: whole for who has the key, and nothing for who has not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.bus import Altered, Appended, Drain, Hint, Listed, Missing, Paired, Present, Said, Watching
from noughts.mqtt.signer import LONGEST, Rejected, Seal

KEY = bytes(range(32))
names = st.text(max_size=200).filter(lambda text: text.isprintable())
messages = st.one_of(
    st.builds(Appended, names, st.integers(1, 2**40), st.binary(max_size=2000)),
    st.builds(Missing, names, names, names),
    st.builds(Present, names, names, names),
    st.builds(Listed, st.binary(max_size=2000)),
    st.builds(Drain, names),
    st.builds(Said, names, st.binary(max_size=2000)),
    st.builds(Watching, names, names, st.integers(0, 2**40), st.booleans()),
    st.builds(Paired, names, names),
    st.builds(Altered, names),
)


@given(messages, names, names, st.integers(0, 2**45))
def test_what_is_sealed_opens_to_the_same(message: Hint, topic: str, by: str, at: int) -> None:
    assert Seal(KEY).open(topic, Seal(KEY).close(topic, message, by, at)) == (message, by, at)


@given(messages, st.integers(min_value=0), st.integers(1, 255))
def test_a_changed_byte_is_forgery(message: Hint, place: int, change: int) -> None:
    sealed = bytearray(Seal(KEY).close("t", message, "a", 1))
    sealed[place % len(sealed)] ^= change
    with pytest.raises(Rejected, match="forged"):
        Seal(KEY).open("t", bytes(sealed))


@given(st.binary(max_size=200))
def test_bytes_of_anybodys_are_forgery(anything: bytes) -> None:
    with pytest.raises(Rejected, match="forged"):
        Seal(KEY).open("t", anything)


def test_a_message_of_another_topic_or_key_is_forgery() -> None:
    sealed = Seal(KEY).close("bus/rooms/a", Drain("b"), "a", 1)
    for seal, topic in ((Seal(KEY), "bus/rooms/b"), (Seal(bytes(32)), "bus/rooms/a")):
        with pytest.raises(Rejected, match="forged"):
            seal.open(topic, sealed)


def test_a_message_too_long_is_not_looked_at() -> None:
    with pytest.raises(Rejected, match="too long"):
        Seal(KEY).open("t", Seal(KEY).close("t", Appended("r", 1, bytes(LONGEST)), "a", 1))


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
def test_a_node_that_talks_nonsense_is_not_heard(head: dict[str, object]) -> None:
    with pytest.raises(Rejected, match="malformed"):
        Seal(KEY).open("t", Seal(KEY).close_raw("t", head))


def test_later_versions_may_say_more() -> None:
    new = Seal(KEY).close_raw("t", {"kind": "sung", "by": "a", "at": 1, "song": [1, 2]}, b"la")
    assert Seal(KEY).open("t", new) == (None, "a", 1)
    more = Seal(KEY).close_raw("t", {"kind": "drain", "by": "a", "at": 1, "to": "b", "song": {}})
    assert Seal(KEY).open("t", more) == (Drain("b"), "a", 1)
