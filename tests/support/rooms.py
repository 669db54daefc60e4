"""Rooms for tests of the rules: players, and a room after some commands."""

from __future__ import annotations

import pytest

from noughts.rooms import (
    Command,
    Event,
    NoChange,
    Open,
    Options,
    Play,
    Player,
    Refused,
    Room,
    TimeControl,
    decide,
    evolve,
)

ANN = Player("p-ann", "ann", "human")
BEN = Player("p-ben", "ben", "bot")
MINIMAX = Player("computer:easy", "computer", "computer")


def opened(
    clock: TimeControl | None = None,
    first: Player | None = ANN,
    second: Player | None = BEN,
    *,
    game: str = "tictactoe",
    rated: bool = False,
) -> Room:
    """A room of ``game``, opened at 1000."""
    options = Options(clock=clock, rated=rated, first_move_ms=30_000, abandoned_ms=600_000, claim_ms=30_000)
    event = decided(None, Open("room", game, "p-ann", first, second, options), 1000)
    assert not isinstance(event, NoChange)
    return evolve(None, event)


def decided(room: Room | None, command: Command, now: int) -> Event | NoChange:
    """The event that ``command`` makes in ``room`` at ``now``, if any. Checks that the room after it is right."""
    step = decide(room, command, now)
    if isinstance(step, NoChange):
        return step
    assert step.room == evolve(room, step.event)
    return step.event


def event_of(room: Room | None, command: Command, now: int) -> Event:
    """The event that ``command`` makes in ``room`` at ``now``."""
    event = decided(room, command, now)
    assert not isinstance(event, NoChange)
    return event


def after(room: Room, *commands: Command, now: int) -> Room:
    """The room after ``commands``, all at ``now``."""
    for command in commands:
        room = evolve(room, event_of(room, command, now))
    return room


def played(room: Room, *moves: tuple[str, int]) -> Room:
    """The room after ``moves``, each with its thinking time in ms."""
    for move, spent in moves:
        assert room.to_move is not None
        player = room.seat(room.to_move)
        assert player is not None
        room = after(room, Play(player.id, room.turn, move), now=max(room.at, room.moved_at) + spent)
    return room


def refusal(room: Room, command: Command, now: int) -> tuple[str, str]:
    """The code and the message of the error for ``command`` at ``now``."""
    with pytest.raises(Refused) as refused:
        decide(room, command, now)
    return refused.value.code, refused.value.message
