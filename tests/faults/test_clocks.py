"""The fault runner's own clocks find out where a room's time is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from faults.clocks import Json
from faults.game import Game, Refusal
from faults.ledger import Circumstances, Ledger

ANN, BEN = "p-ann", "p-ben"
FISCHER = {"initial_ms": 5000, "increment_ms": 1000}
OPTIONS = {"private": False, "rated": False, "claim_ms": 3000, "abandoned_ms": 600_000, "first_move_ms": 60_000}
MOVES = "123546879"
CLAIMED = {"winner": "first", "reason": "abandonment", "cells": []}


def game(*events: Json, clock: Json | None = FISCHER) -> list[bytes]:
    """The records of a room in which Ann and Ben have made their first moves at 1000 and 2000, and then ``events``."""
    opened = {"kind": "opened", "at": 0, "first": {"id": ANN}, "second": {"id": BEN}}
    records: list[Json] = [
        {**opened, "options": {**OPTIONS, "clock": clock}},
        played(0, 1000),
        played(1, 2000),
        *events,
    ]
    return [json.dumps({"schema": 1, **record}).encode() for record in records]


def played(turn: int, at: int, spent: int = 1000, given: int = 0, **more: Any) -> Json:
    """A move."""
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
    """A pause."""
    return {"kind": "paused", "at": at, "ms": ms}


def flag(at: int, winner: str = "second") -> Json:
    """The end by time."""
    return {"kind": "ended", "at": at, "side": None, "outcome": {"winner": winner, "reason": "time", "cells": []}}


def gone(at: int) -> Json:
    """Ben has gone."""
    return {"kind": "disconnected", "at": at, "side": "second"}


def claimed(at: int) -> Json:
    """Ann has claimed the game."""
    return {"kind": "ended", "at": at, "side": "first", "outcome": CLAIMED}


def wrongs(records: list[bytes], **known: Any) -> int:
    """How much is found to be wrong."""
    ledger = Ledger(rooms={"room"})
    ledger.audit({"room": records}, Circumstances(ended=False, **known))
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
        ([played(2, 4000)], 0),  # a move that was under way
        ([played(2, 4000), played(3, 7000)], 1),
        ([played(2, 4000), paused(7000, 4500)], 0),
    ],
)
def test_the_time_without_any_node_is_charged_to_nobody(events: list[Json], wrong: bool) -> None:
    assert bool(wrongs(game(*events), downs=[(3000, 6500)])) == bool(wrong)


def test_an_absence_too_short_to_be_noticed_is_charged() -> None:
    assert wrongs(game(played(2, 6000)), downs=[(3000, 5000)]) == 0


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
    ("there", "wrong"), [((0, 2600), 0), ((3000, 3900), 0), ((3000, 4100), 1), ((0, 9000), 1), ((5000, 9000), 0)]
)
def test_who_was_there_and_counted_as_gone(there: tuple[float, float], wrong: bool) -> None:
    ledger = Ledger(rooms={"room"}, there={("room", BEN): [there]})
    ledger.audit({"room": game(gone(2500), claimed(5500))}, Circumstances(ended=False, unseen_ms=1000))
    assert bool(ledger.broken_count) == bool(wrong)


@pytest.mark.parametrize("hasty", [True, False])
def test_who_loses_on_time_must_have_let_it_run_out(hasty: bool) -> None:
    ledger = Ledger(rooms={"room"}, hasty={"room"} if hasty else set())
    ledger.audit({"room": game(flag(8000))}, Circumstances(ended=True, unseen_ms=1000))
    assert bool(ledger.broken_count) != hasty


@pytest.mark.parametrize(
    ("asked_at", "told_at", "code", "true"),
    [
        (4000, 4100, "not_allowed", True),
        (5400, 5700, "not_allowed", True),
        (5700, 5800, "not_allowed", False),
        (5700, 9000, "not_allowed", True),
        (8000, 8100, "game_over", True),
        (5700, 5800, "stale", False),
    ],
)
def test_a_claim_that_was_refused(asked_at: float, told_at: float, code: str, true: bool) -> None:
    ledger = Ledger(rooms={"room"})
    sent = {"type": "claim", "room": "room", "result": "win"}
    ledger.refusals.append(Refusal(ANN, sent, code, asked_at, told_at))
    ledger.audit({"room": game(gone(2500), claimed(7500), clock=None)}, Circumstances(ended=True))
    assert bool(ledger.broken_count) != true


def test_what_is_shown_of_the_clocks_and_of_who_is_gone() -> None:
    records = [json.loads(record) for record in game(played(2, 3000), gone(3500), paused(4000, 2400))]
    shown = Game("room", records, lambda _: None).shown(6)
    assert shown is not None
    since = "1970-01-01T00:00:05.400Z"
    assert shown["clock"] == {"first_ms": 5000, "second_ms": 5000, "running": "second", "since": since}
    assert shown["away"] == {"second": "1970-01-01T00:00:08.900Z"}
