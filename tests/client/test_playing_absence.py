from typing import Any

import pytest

from noughts.protocol.render import snapshot, update
from noughts.protocol.room_messages import Update
from noughts.rooms import Disconnect, Event, Fischer, Resign, Room, evolve
from noughts_client.playing import AbsenceTiming, ending_request
from support.rooms import decided
from support.viewed import FIRST, SECOND, room

TIMING = AbsenceTiming(abort_s=60, margin_s=0.5)


def after(before: Room, command: Any, at: int = 0) -> tuple[Update, Room]:
    event = decided(before, command, at)
    assert isinstance(event, Event)
    then = evolve(before, event)
    return update(event, then), then


def test_a_game_is_claimed_when_the_rules_allow() -> None:
    message, away = after(room("51", clock=Fischer(60_000, 0)), Disconnect(SECOND.id), at=5_000)
    claim = {"type": "claim", "room": "room1", "result": "win"}
    assert ending_request(message, FIRST.id, TIMING) == (claim, 30.5)
    assert ending_request(snapshot(away, 25_000, 0), FIRST.id, TIMING) == (claim, 10.5)
    assert ending_request(snapshot(away, 95_000, 0), FIRST.id, TIMING) == (claim, 0.5)


def test_a_game_that_has_not_begun_is_aborted() -> None:
    message, _ = after(room("5"), Disconnect(SECOND.id))
    assert ending_request(message, FIRST.id, TIMING) == ({"type": "abort", "room": "room1"}, 60)


@pytest.mark.parametrize("command", [Disconnect(FIRST.id), Resign(SECOND.id)])
def test_a_game_whose_opponent_is_connected_or_that_is_over_is_not_ended(command: Any) -> None:
    message, _ = after(room("51"), command)
    assert ending_request(message, FIRST.id, TIMING) is None
