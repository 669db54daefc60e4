"""Signed messages can be read only with the key that signed them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.bus import (
    Altered,
    Appended,
    Doing,
    Drain,
    Here,
    Hint,
    Invited,
    Listed,
    Missing,
    Paired,
    Present,
    Said,
    Sought,
    Watching,
)
from noughts.mqtt.signer import MAX_BYTES, MAX_HINTS, Rejected, Signer

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
    st.builds(Here, names, names),
    st.builds(Sought, names, names),
    st.builds(Doing, names, names, st.booleans()),
    st.builds(Altered, names),
    st.builds(Invited, names, st.binary(max_size=100)),
)


def signed_alone(topic: str, hint: Hint, by: str, at: int, key: bytes = KEY) -> bytes:
    (message,) = Signer(key).sign(topic, [hint], by, at)
    return message


@given(st.lists(messages, max_size=3 * MAX_HINTS), names, names, st.integers(0, 2**45))
def test_verifying_signed_hints_gives_the_same_hints_in_order(hints: list[Hint], topic: str, by: str, at: int) -> None:
    received: list[Hint] = []
    for message in Signer(KEY).sign(topic, hints, by, at):
        some, *rest = Signer(KEY).verify(topic, message)
        assert rest == [by, at]
        assert 0 < len(some) <= MAX_HINTS
        received += some
    assert received == hints


@given(st.lists(st.integers(0, MAX_BYTES // 3), max_size=40))
def test_no_message_is_too_long(sizes: list[int]) -> None:
    hints: list[Hint] = [Appended("r" * 64, 2**40, bytes(size)) for size in sizes]
    signed = list(Signer(KEY).sign("bus/lobby", hints, "n" * 64, 2**45))
    assert all(len(message) <= MAX_BYTES for message in signed)
    assert [hint for message in signed for hint in Signer(KEY).verify("bus/lobby", message)[0]] == hints


def test_hints_go_in_as_few_messages_as_fit() -> None:
    hints: list[Hint] = [Appended("r", version, bytes(200)) for version in range(1, 2 * MAX_HINTS + 2)]
    assert [len(Signer(KEY).verify("t", one)[0]) for one in Signer(KEY).sign("t", hints, "a", 1)] == [
        MAX_HINTS,
        MAX_HINTS,
        1,
    ]
    assert list(Signer(KEY).sign("t", [], "a", 1)) == []


@given(messages, st.integers(min_value=0), st.integers(1, 255))
def test_a_changed_byte_is_a_forgery(message: Hint, place: int, change: int) -> None:
    signed = bytearray(signed_alone("t", message, "a", 1))
    signed[place % len(signed)] ^= change
    with pytest.raises(Rejected, match="forged"):
        Signer(KEY).verify("t", bytes(signed))


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_a_forgery(anything: bytes) -> None:
    with pytest.raises(Rejected, match="forged"):
        Signer(KEY).verify("t", anything)


def test_a_message_for_another_topic_or_key_is_a_forgery() -> None:
    signed = signed_alone("bus/nodes/a", Drain("b"), "a", 1)
    for signer, topic in ((Signer(KEY), "bus/nodes/b"), (Signer(bytes(32)), "bus/nodes/a")):
        with pytest.raises(Rejected, match="forged"):
            signer.verify(topic, signed)


def test_a_message_that_is_too_long_is_rejected() -> None:
    with pytest.raises(Rejected, match="too long"):
        Signer(KEY).verify("t", signed_alone("t", Appended("r", 1, bytes(MAX_BYTES)), "a", 1))


@pytest.mark.parametrize(
    "head",
    [
        {},
        {"by": "a", "at": 1},
        {"by": "a", "at": "1", "hints": []},
        {"by": "a" * 201, "at": 1, "hints": []},
        {"by": "a", "at": 1, "hints": {}},
        {"by": "a", "at": 1, "hints": [{"kind": "drain"}]},
        {"by": "a", "at": 1, "hints": [{"kind": "drain", "to": None}]},
        {"by": "a", "at": 1, "hints": [{"kind": "appended", "room": "r", "version": 0, "size": 0}]},
        {"by": "a", "at": 1, "hints": [{"kind": "appended", "room": "r", "version": True, "size": 0}]},
        {"by": "a", "at": 1, "hints": [{"kind": "appended", "room": "r", "version": 1, "size": -1}]},
        {"by": "a", "at": 1, "hints": [{"kind": ["appended"]}]},
    ],
)
def test_a_malformed_message_of_a_node_is_rejected(head: dict[str, object]) -> None:
    with pytest.raises(Rejected, match="malformed"):
        Signer(KEY).verify("t", Signer(KEY).sign_raw("t", head))


def test_kinds_and_fields_of_later_versions_are_accepted() -> None:
    hints = [
        {"kind": "sung", "song": [1, 2], "size": 2},
        {"kind": "said", "room": "r", "size": 3, "loudly": {}},
        {"kind": "drain", "to": "b", "song": {}},
    ]
    signed = Signer(KEY).sign_raw("t", {"by": "a", "at": 1, "hints": hints, "more": 1}, b"la" + b"yes")
    assert Signer(KEY).verify("t", signed) == ([Said("r", b"yes"), Drain("b")], "a", 1)
