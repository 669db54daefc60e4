"""The fault runner's audit of what clients received."""

from __future__ import annotations

import json
from typing import Any

import pytest

from faults.clocks import Json
from faults.game import Move, Refusal
from faults.ledger import Conditions, Ledger, VersionCheck

ANN, BEN = "p-ann", "p-ben"


def journal(*moves: str) -> list[bytes]:
    """The records of a room in which Ann and Ben have played ``moves``."""
    opened: Json = {"kind": "opened", "first": {"id": ANN}, "second": None, "options": {"clock": None}}
    joined: Json = {"kind": "joined", "side": "second", "player": {"id": BEN}}
    played: list[Json] = [
        {"kind": "played", "side": ("first", "second")[turn % 2], "turn": turn, "move": move, "outcome": None}
        for turn, move in enumerate(moves)
    ]
    return [json.dumps({"schema": 1, "at": 0, **record}).encode() for record in (opened, joined, *played)]


def message(kind: str, version: int, **more: Any) -> Json:
    """A ``room`` or an ``update``."""
    return {"type": kind, "room": "room", "version": version, "at": "", "event": {}, "state": {"moves": []}, **more}


@pytest.mark.parametrize(
    ("kinds", "versions", "wrong"),
    [
        (["room", "update", "update"], [1, 2, 3], 0),
        (["room", "update", "room"], [1, 2, 2], 0),
        (["room", "update"], [1, 3], 1),
        (["room", "update", "update"], [1, 2, 2], 1),
        (["room", "update", "room"], [1, 2, 3], 1),
        (["room", "update", "room"], [1, 2, 1], 1),
        (["update"], [2], 1),
    ],
)
def test_versions_that_are_skipped_or_repeated(kinds: list[str], versions: list[int], wrong: int) -> None:
    ledger = Ledger()
    check = VersionCheck(ledger, "somebody")
    for kind, version in zip(kinds, versions, strict=True):
        check.on_message(message(kind, version))
    assert ledger.broken_count == wrong


def test_two_clients_that_receive_different_events() -> None:
    ledger = Ledger()
    for move in "12":
        ledger.record(message("update", 3, event={"move": move}))
    assert ledger.broken_count == 1


def test_a_move_acknowledged_at_two_versions() -> None:
    ledger = Ledger()
    for version in (3, 3, 4):
        ledger.acknowledge(Move("room", ANN, 0, "5"), version)
    assert ledger.broken_count == 1


@pytest.mark.parametrize(
    ("move", "version", "wrong"),
    [(Move("room", ANN, 0, "5"), 3, 0), (Move("room", ANN, 0, "5"), 4, 1), (Move("room", BEN, 1, "5"), 4, 1)],
)
def test_an_acknowledged_move_that_is_not_in_the_journal(move: Move, version: int, wrong: int) -> None:
    ledger = Ledger(rooms={"room"})
    ledger.acknowledge(move, version)
    ledger.audit({"room": journal("5", "1")}, Conditions(ended=False))
    assert ledger.broken_count == wrong


@pytest.mark.parametrize(
    ("player", "turn", "move", "code", "true"),
    [
        (ANN, 0, "1", "stale", True),
        (ANN, 0, "5", "stale", False),
        (ANN, 2, "9", "stale", False),
        (BEN, 2, "9", "not_your_turn", True),
        (ANN, 2, "9", "not_your_turn", False),
        (ANN, 2, "5", "illegal_move", True),
        (ANN, 2, "9", "illegal_move", False),
        (ANN, 2, "9", "game_over", False),
        (ANN, 2, "9", "unknown_room", False),
        (ANN, 2, "9", "not_seated", False),
    ],
)
def test_a_false_refusal(player: str, turn: int, move: str, code: str, true: bool) -> None:
    ledger = Ledger(rooms={"room"})
    ledger.refusals.append(Refusal(player, {"type": "play", "room": "room", "turn": turn, "move": move}, code))
    ledger.audit({"room": journal("5", "1")}, Conditions(ended=False))
    assert ledger.broken_count == (not true)


@pytest.mark.parametrize(("moves", "wrong"), [("14253", 0), ("1425", 1), ("142531", 1), ("11", 1)])
def test_a_game_against_the_rules_or_without_an_end(moves: str, wrong: bool) -> None:
    ledger = Ledger(rooms={"room"})
    records = [json.loads(record) for record in journal(*moves)]
    if moves.startswith("14253"):
        records[6]["outcome"] = {"winner": "first", "reason": "line"}
    ledger.audit({"room": [json.dumps(record).encode() for record in records]}, Conditions(ended=True))
    assert bool(ledger.broken_count) == bool(wrong)


def test_records_that_do_not_follow_from_each_other() -> None:
    ledger = Ledger(rooms={"room"})
    returned = json.dumps({"schema": 1, "at": 0, "kind": "returned", "side": "first"}).encode()
    ledger.audit({"room": [*journal("5", "1"), returned]}, Conditions(ended=False, unseen_ms=1000))
    assert ["do not follow from each other" in broken for broken in ledger.broken] == [True]
