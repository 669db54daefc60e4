"""The fault runner's audit of clocks, absences and claims."""

from __future__ import annotations

import json
from typing import Any

import pytest

from faults.clocks import Json
from faults.game import Game, Refusal
from faults.ledger import Conditions, Ledger

ANN, BEN = "p-ann", "p-ben"
FISCHER = {"initial_ms": 5000, "increment_ms": 1000}
OPTIONS = {"private": False, "rated": False, "claim_ms": 3000, "abandoned_ms": 600_000, "first_move_ms": 60_000}
MOVES = "123546879"
CLAIMED = {"winner": "first", "reason": "abandonment", "cells": []}


def game(*events: Json, clock: Json | None = FISCHER) -> list[bytes]:
    """The records of a room with Ann's and Ben's first moves, at 1000 and 2000, followed by ``events``."""
    opened = {"kind": "opened", "at": 0, "first": {"id": ANN}, "second": {"id": BEN}}
    records: list[Json] = [
        {**opened, "options": {**OPTIONS, "clock": clock}},
        played(0, 1000),
        played(1, 2000),
        *events,
    ]
    return [json.dumps({"schema": 1, **record}).encode() for record in records]


def played(turn: int, at: int, spent: int = 1000, given: int = 0, **more: Any) -> Json:
    """A move record."""
    cost = {"spent_ms": spent, "compensated_ms": given, "thought_ms": spent - given}
    return {
        "kind": "played",
        "at": at,
        "side": ("first", "second")[turn % 2],
        "turn": turn,
        "move": MOVES[turn],
        **cost,
        **more,
    }


def paused(at: int, ms: int) -> Json:
    """A pause record."""
    return {"kind": "paused", "at": at, "ms": ms}


def flag(at: int, winner: str = "second") -> Json:
    """A game lost on time."""
    return {"kind": "ended", "at": at, "side": None, "outcome": {"winner": winner, "reason": "time", "cells": []}}


def gone(at: int) -> Json:
    """Ben has left."""
    return {"kind": "disconnected", "at": at, "side": "second"}


def claimed(at: int) -> Json:
    """Ann has claimed the game."""
    return {"kind": "ended", "at": at, "side": "first", "outcome": CLAIMED}


def wrongs(records: list[bytes], **known: Any) -> int:
    """The number of broken promises."""
    ledger = Ledger(rooms={"room"})
    ledger.audit({"room": records}, Conditions(ended=False, **known))
    return ledger.broken_count


@pytest.mark.parametrize(
    ("events", "wrong"),
    [
        ([played(2, 3000)], 0),
        ([played(2, 3000, spent=1001)], 1),
        ([played(2, 3500, spent=1000)], 0),  # it arrived before it was decided
        ([played(2, 3000, given=1000)], 0),
        ([played(2, 4500, spent=2500, given=1001)], 1),
        ([played(2, 3000) | {"thought_ms": 999}], 1),
        ([played(2, 7500, spent=5000)], 1),
        ([played(2, 7500, spent=5500, given=600)], 0),
        ([played(2, 3000, given=1000), played(3, 4000), played(4, 5000, given=1000), played(5, 6000)], 0),
        ([played(turn, turn * 1000 + 1000, given=1000) for turn in range(2, 8)], 0),
        ([played(turn, turn * 1000 + 1000, given=1000 * (turn % 2 == 0)) for turn in range(2, 9)], 0),
        ([flag(8000)], 0),
        ([flag(7999)], 1),
        ([flag(8000, winner="first")], 1),
        ([played(2, 3000), flag(9000, winner="first")], 0),
        ([played(2, 3000), flag(8999, winner="first")], 1),
        ([paused(3000, 3000), flag(11_000)], 0),
        ([paused(3000, 3000), flag(10_999)], 1),
        ([paused(3000, 3001)], 1),
        ([paused(3000, 2000)], 1),
        ([played(2, 1999, spent=0)], 1),
    ],
)
def test_clocks(events: list[Json], wrong: bool) -> None:
    assert bool(wrongs(game(*events))) == bool(wrong)


@pytest.mark.parametrize(
    ("events", "wrong"),
    [
        ([paused(7000, 6000), played(2, 9000, spent=1000)], 0),
        ([played(2, 7000, spent=1000)], 1),
        ([paused(7000, 3000)], 1),
        ([flag(8000)], 1),
        ([flag(6000)], 1),
        ([played(2, 4000)], 0),  # a move that was already under way
        ([played(2, 4000), played(3, 7000)], 1),
        ([played(2, 4000), paused(7000, 4500)], 0),
    ],
)
def test_clocks_do_not_run_during_an_outage(events: list[Json], wrong: bool) -> None:
    assert bool(wrongs(game(*events), outages=[(3000, 6500)])) == bool(wrong)


def test_clocks_run_during_a_short_outage() -> None:
    assert wrongs(game(played(2, 6000)), outages=[(3000, 5000)]) == 0


@pytest.mark.parametrize(
    ("events", "wrong"),
    [
        ([gone(2500), claimed(5500)], 0),
        ([gone(2500), claimed(5499)], 1),
        ([claimed(5500)], 1),
        ([gone(2500), {"kind": "returned", "at": 3000, "side": "second"}, claimed(6000)], 1),
        ([gone(2500), paused(3000, 2500), claimed(7999)], 1),
        ([gone(2500), paused(3000, 2500), claimed(8000)], 0),
    ],
)
def test_claims(events: list[Json], wrong: bool) -> None:
    assert bool(wrongs(game(*events, clock=None))) == bool(wrong)


@pytest.mark.parametrize(
    ("presence", "wrong"), [((0, 2600), 0), ((3000, 3900), 0), ((3000, 4100), 1), ((0, 9000), 1), ((5000, 9000), 0)]
)
def test_a_connected_player_who_counts_as_away(presence: tuple[float, float], wrong: bool) -> None:
    ledger = Ledger(rooms={"room"}, presence={("room", BEN): [presence]})
    ledger.audit({"room": game(gone(2500), claimed(5500))}, Conditions(ended=False, unseen_ms=1000))
    assert bool(ledger.broken_count) == bool(wrong)


@pytest.mark.parametrize("fast", [True, False])
def test_players_lose_on_time_on_fast_clocks_only(fast: bool) -> None:
    ledger = Ledger(rooms={"room"}, fast={"room"} if fast else set())
    ledger.audit({"room": game(flag(8000))}, Conditions(ended=True, unseen_ms=1000))
    assert bool(ledger.broken_count) != fast


@pytest.mark.parametrize(
    ("asked_at", "answered_at", "code", "true"),
    [
        (4000, 4100, "not_allowed", True),
        (5400, 5700, "not_allowed", True),
        (5700, 5800, "not_allowed", False),
        (5700, 9000, "not_allowed", True),
        (8000, 8100, "game_over", True),
        (5700, 5800, "stale", False),
    ],
)
def test_a_refused_claim(asked_at: float, answered_at: float, code: str, true: bool) -> None:
    ledger = Ledger(rooms={"room"})
    sent = {"type": "claim", "room": "room", "result": "win"}
    ledger.refusals.append(Refusal(ANN, sent, code, asked_at, answered_at))
    ledger.audit({"room": game(gone(2500), claimed(7500), clock=None)}, Conditions(ended=True))
    assert bool(ledger.broken_count) != true


def test_clocks_and_absences_in_a_state() -> None:
    records = [json.loads(record) for record in game(played(2, 3000), gone(3500), paused(4000, 2400))]
    shown = Game("room", records, lambda _: None).state_at(6)
    assert shown is not None
    since = "1970-01-01T00:00:05.400Z"
    assert shown["clock"] == {"first_ms": 5000, "second_ms": 5000, "running": "second", "since": since}
    assert shown["away"] == {"second": "1970-01-01T00:00:08.900Z"}
