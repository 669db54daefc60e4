"""An update's JSON, put together from pieces, is that of the message."""

from __future__ import annotations

import random
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_core import from_json, to_json

from noughts.games import GAMES, Outcome, Reason, Side
from noughts.games.catalogue import game_named
from noughts.protocol.records import EVENTS, SCHEMA, event_fields, from_record, to_record
from noughts.protocol.render import Pieces, listing, listing_json, snapshot, snapshot_json, update, update_json
from noughts.rooms import (
    LAG_MS,
    AcceptDraw,
    AcceptTakeback,
    ClaimDraw,
    Command,
    DeclineTakeback,
    Disconnect,
    Event,
    Expire,
    Fischer,
    Join,
    NoChange,
    OfferDraw,
    OfferRematch,
    OfferTakeback,
    Open,
    Opened,
    Options,
    Pause,
    PerMove,
    Play,
    Played,
    Player,
    Refused,
    Resign,
    Return,
    Room,
    evolve,
)
from support.rooms import decided

names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)
players = st.builds(
    Player,
    names,
    names,
    st.sampled_from(["human", "bot"]),
    st.booleans(),
    st.none() | st.integers(0, 3000),
    st.booleans(),
)
controls = st.none() | st.just(Fischer(180_000, 2500)) | st.just(PerMove(30_000))


def commands(room: Room, rng: random.Random, now: int) -> list[Command]:
    """Commands to choose from: mostly moves, now and then anything else."""
    somebody = rng.choice([seat.id for seat in (room.first, room.second) if seat is not None])
    others: list[Command] = [kind(somebody) for kind in (OfferDraw, OfferTakeback, Disconnect, Return)]
    if room.offers:
        answering = room.seat(room.offers[0][0].other)
        others = [] if answering is None else [AcceptTakeback(answering.id), DeclineTakeback(answering.id)]
    others += [Pause(((now - 500, now),)), OfferRematch(somebody, "next")]
    if room.claimable_draw is not None:
        others.append(ClaimDraw(somebody))
    if rng.random() < 0.1:
        others += [AcceptDraw(somebody), Resign(somebody), Expire()]
    side = room.to_move
    mover = None if side is None else room.seat(side)
    if mover is not None and rng.random() < (0.2 if room.offers else 0.8):
        note = "+0.3" if mover.kind == "bot" and rng.random() < 0.5 else None
        return [Play(mover.id, room.turn, rng.choice(room.position.legal_moves), now - rng.randrange(2000), 40, note)]
    return [rng.choice(others)]


def a_game(name: str, first: Player, second: Player, options: Options, seed: int) -> list[tuple[Event, Room]]:
    """Everything that happens in a random game, with the room after it."""
    rng, now, game = random.Random(seed), 1_795_521_605_000, game_named(name)
    opening = Open("r-" + str(seed), game.key, first.id, first, None, options, setup=game.setup)
    opened = decided(None, opening, now)
    assert not isinstance(opened, NoChange)
    happened = [(opened, evolve(None, opened))]
    chosen: list[Command] = [Join(second)]
    while len(happened) < 300 and (happened[-1][1].next is None):
        now += rng.randrange(1, 3000)
        for command in chosen:
            try:
                event = decided(happened[-1][1], command, now)
            except Refused:
                continue
            if not isinstance(event, NoChange):
                happened.append((event, evolve(happened[-1][1], event)))
        if rng.random() < 0.002:
            break
        chosen = commands(happened[-1][1], rng, now)
    return happened


SET_UP = (
    "breakthrough?size=5",
    "chess?start=8/8/4k3/8/8/4K3/8/R7 w - - 90 80",
    "draughts?start=W:WK3,K4:BK28,K32",
    "kalah?pits=2&seeds=3",
    "dots?size=2",
    "morris?flying=no",
)


@pytest.mark.parametrize("name", [*GAMES, *SET_UP])
@settings(max_examples=8)
@given(first=players, second=players, clock=controls, seed=st.integers(0, 10**6))
def test_updates_and_records_are_those_of_the_values(
    name: str, first: Player, second: Player, clock: Fischer | PerMove | None, seed: int
) -> None:
    if first.id == second.id:
        return
    for event, room in a_game(name, first, second, Options(clock=clock, tournament="t-1" if seed % 2 else None), seed):
        assert update_json(event, room) == to_json(update(event, room))
        assert snapshot_json(room, room.at + 5, 3) == to_json(snapshot(room, room.at + 5, 3))
        assert listing_json(room) == to_json(listing(room))
        assert to_record(event) == to_record(from_record(to_record(event)))
        assert event_fields(event) == written(event)
        assert list(event_fields(event)) == ["kind", *(name for name in written(event) if name != "kind")]


@settings(max_examples=8)
@given(first=players, second=players, clock=controls, seed=st.integers(0, 10**6))
def test_what_is_remembered_of_a_room_changes_no_update(
    first: Player, second: Player, clock: Fischer | PerMove | None, seed: int
) -> None:
    if first.id == second.id:
        return
    happened, pieces = a_game("connect4", first, second, Options(clock=clock), seed), Pieces()
    for event, room in (*happened, *reversed(happened), *random.Random(seed).sample(happened, len(happened))):
        assert update_json(event, room, pieces=pieces) == to_json(update(event, room))


@pytest.mark.parametrize("key", GAMES)
@settings(max_examples=3)
@given(first=players, second=players, clock=controls, seed=st.integers(0, 10**6))
def test_messages_without_legal_moves_are_the_same_but_for_these(
    key: str, first: Player, second: Player, clock: Fischer | PerMove | None, seed: int
) -> None:
    if first.id == second.id:
        return
    pieces = Pieces()
    for event, room in a_game(key, first, second, Options(clock=clock), seed):
        full, short = (update_json(event, room, pieces=pieces, legal_moves=wanted) for wanted in (True, False))
        assert without_legal_moves(full) == short
        whole, rest = (snapshot_json(room, room.at + 5, 3, legal_moves=wanted) for wanted in (True, False))
        assert without_legal_moves(whole) == rest


def without_legal_moves(message: bytes) -> bytes:
    """The message, byte for byte, but for that field of its state, which it must have."""
    told = from_json(message)
    del told["state"]["legal_moves"]
    return to_json(told)


def test_such_games_have_every_kind_of_event() -> None:
    one, two = Player("p-one", "one", "human"), Player("p-two", "two", "bot")
    kinds = set[type]()
    for seed in range(60):
        happened = a_game("tictactoe", one, two, Options(clock=Fischer(180_000, 2500)), seed)
        kinds |= {type(event) for event, _ in happened}
    assert kinds == set(get_args(Event))


def written(event: Event) -> dict[str, Any]:
    """The fields of an event as pydantic writes them, without those that older records lack."""
    fields: dict[str, Any] = EVENTS.serializer.to_python(event, mode="json")
    if isinstance(event, Opened) and event.setup:
        fields["setup"] = dict(event.setup)
    if isinstance(event, Opened) and event.options.lag_ms == LAG_MS:
        del fields["options"]["lag_ms"]
    if isinstance(event, Opened) and event.options.tournament is None:
        del fields["options"]["tournament"]
    for seat in ("first", "second", "player"):
        if fields.get(seat) is not None:
            known = fields[seat].items()
            fields[seat] = {key: value for key, value in known if value is not None and value is not False}
    omitted: dict[str, object] = {"note": None, "unrated_because": None, "cause": "outage", "setup": [], "rules": 1}
    return {key: value for key, value in fields.items() if key not in omitted or value != omitted[key]}


@given(text=st.text(), ended=st.booleans(), note=st.none() | st.text(), number=st.integers(0, 2**53))
def test_a_move_with_any_text(text: str, ended: bool, note: str | None, number: int) -> None:
    outcome = Outcome(None, Reason.DRAW, (text,)) if ended else None
    event = Played(number, Side.SECOND, 3, text, number, number, number, outcome, note)
    assert from_json(to_record(event)) == {"schema": SCHEMA, **written(event)}
    assert from_record(to_record(event)) == event
