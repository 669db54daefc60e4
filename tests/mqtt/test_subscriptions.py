"""Changes of subscriptions for the broker, and the handler of each message."""

from __future__ import annotations

import logging

import pytest

from noughts.mqtt.subscriptions import Received, Subscriptions, without_group


def ignore(received: Received) -> None:
    pass


def test_changes_are_sent_once_with_the_prefix() -> None:
    subscriptions = Subscriptions("a/b")
    subscriptions.add("lobby", ignore, no_local=True)
    subscriptions.add("rooms/+/state", ignore, no_local=False)
    subscriptions.add("$share/group/commands", ignore, no_local=True)
    subscribed = [("a/b/lobby", True), ("a/b/rooms/+/state", False), ("$share/group/a/b/commands", False)]
    assert subscriptions.take_changes() == (subscribed, [])
    assert subscriptions.take_changes() == ([], [])
    subscriptions.add("lobby", ignore, no_local=True)
    subscriptions.remove("never")
    subscriptions.remove("rooms/+/state")
    subscriptions.remove("$share/group/commands")
    assert subscriptions.take_changes() == ([], ["a/b/rooms/+/state", "$share/group/a/b/commands"])
    subscriptions.add("short", ignore, no_local=True)
    subscriptions.remove("short")
    assert subscriptions.take_changes() == ([], [])


def test_a_new_connection_gets_all_subscriptions() -> None:
    subscriptions = Subscriptions("p")
    for topic in ("one", "two", "three"):
        subscriptions.add(topic, ignore, no_local=True)
    subscriptions.take_changes()
    subscriptions.remove("two")
    assert subscriptions.take_changes(afresh=True) == ([("p/one", True), ("p/three", True)], [])


def test_a_message_goes_to_the_handler_of_its_topic() -> None:
    subscriptions = Subscriptions("p")
    exact: list[Received] = []
    wild: list[Received] = []
    shared: list[Received] = []
    subscriptions.add("rooms/r/state", exact.append, no_local=True)
    subscriptions.add("rooms/+/events", wild.append, no_local=True)
    subscriptions.add("$share/group/commands", shared.append, no_local=True)
    for topic in ("p/rooms/r/state", "p/rooms/s/events", "p/commands", "p/other"):
        subscriptions.dispatch(topic, b"1", False, None)
    assert exact == [Received("rooms/r/state", b"1")]
    assert wild == [Received("rooms/s/events", b"1")]
    assert shared == [Received("commands", b"1")]
    subscriptions.remove("rooms/r/state")
    subscriptions.dispatch("p/rooms/r/state", b"", False, None)
    assert len(exact) == 1


def test_a_handler_that_fails_is_logged_and_raises_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def fail(received: Received) -> None:
        raise RuntimeError("not this time")

    subscriptions = Subscriptions("p")
    subscriptions.add("bad", fail, no_local=True)
    subscriptions.dispatch("p/bad", b"", False, None)
    assert [record.levelno for record in caplog.records if record.exc_info] == [logging.ERROR]


def test_a_shared_filter_without_its_group() -> None:
    assert without_group("$share/group/rooms/+/commands") == "rooms/+/commands"
    assert without_group("rooms/+/commands") == "rooms/+/commands"
