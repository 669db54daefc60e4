"""A replay of a recorded game gives the updates that clients got, and the notes."""

from __future__ import annotations

from io import BytesIO
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from noughts.protocol.gamefile import BadGame, recorded, to_file
from noughts.protocol.render import update
from noughts.protocol.replay import replay
from noughts.protocol.room_messages import Update
from noughts.rooms import Played
from support.games import random_records

UPDATES: TypeAdapter[Update] = TypeAdapter(Update)


@settings(max_examples=20)
@given(st.builds(Random, st.integers(0, 2**32)))
def test_a_replay_gives_the_original_updates(random: Random) -> None:
    game = recorded(random_records(random))
    steps = replay(BytesIO(to_file(game)))
    assert [step.update for step in steps] == list(map(update, game.events, game.rooms))
    assert [step.note for step in steps] == [getattr(event, "note", None) for event in game.events]
    assert [step.update["version"] for step in steps] == [*range(1, len(game.events) + 1)]
    assert steps[-1].update["state"]["status"] == "over"
    for step in steps:
        UPDATES.validate_python(step.update)


def test_a_replay_includes_notes() -> None:
    games = [recorded(random_records(Random(seed))) for seed in range(10)]
    notes = [event.note for game in games for event in game.events if isinstance(event, Played) and event.note]
    replayed = [step.note for game in games for step in replay(BytesIO(to_file(game))) if step.note]
    assert replayed == notes
    assert notes


def test_a_file_must_hold_exactly_one_game() -> None:
    first, second = (to_file(recorded(random_records(Random(seed), f"room-{seed}"))) for seed in (1, 2))
    with pytest.raises(BadGame, match="empty"):
        replay([])
    with pytest.raises(BadGame, match="more than one") as refused:
        replay([*first.splitlines(), *second.splitlines()])
    assert refused.value.line == len(first.splitlines()) + 1
