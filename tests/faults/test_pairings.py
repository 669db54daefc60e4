"""The fault runner finds out who was paired wrongly."""

from __future__ import annotations

import json
from typing import Any

import pytest

from faults.clocks import Json
from faults.ledger import Circumstances, Ledger
from faults.pairings import Seek

ANN, BEN, EVE = "p-ann", "p-ben", "p-eve"


def opened(at: int, one: str = ANN, other: str = BEN, *, rated: bool = False) -> list[bytes]:
    """The records of a room that was opened for two."""
    options: Json = {"private": False, "rated": rated, "clock": None}
    record = {"first": {"id": one}, "second": {"id": other}, "options": options, "previous": None}
    return [json.dumps({"schema": 1, "kind": "opened", "at": at, **record}).encode()]


def seek(player: str, since: float, until: float, room: str | None, **more: Any) -> Seek:
    """A seek for a room without a clock."""
    return Seek(player, None, rated=False, since=since, until=until, room=room, **more)


def wrongs(seeks: list[Seek], **rooms: list[bytes]) -> list[str]:
    """What is found to be wrong."""
    ledger = Ledger(seeks=seeks)
    ledger.audit(rooms, Circumstances(ended=False, longest_wait_ms=5000))
    assert ledger.met == rooms.keys()
    return ledger.broken


def test_who_is_paired_as_it_wished() -> None:
    assert wrongs([seek(ANN, 0, 3000, "a"), seek(BEN, 1000, 3000, "a")], a=opened(2000)) == []


def test_who_is_paired_twice() -> None:
    seeks = [seek(ANN, 0, 3000, "a"), seek(BEN, 0, 3000, "a"), seek(EVE, 0, 3000, "b")]
    assert any("twice by one seek" in wrong for wrong in wrongs(seeks, a=opened(2000), b=opened(2000, ANN, EVE)))


def test_who_is_paired_and_not_told() -> None:
    [wrong] = wrongs([seek(ANN, 0, 3000, "a"), seek(BEN, 0, 3000, None)], a=opened(2000))
    assert "never told" in wrong


@pytest.mark.parametrize("at", [1000, 4000])
def test_who_is_paired_without_a_seek(at: int) -> None:
    [wrong] = wrongs([seek(ANN, 0, 5000, "a"), seek(BEN, 2000, 3000, None)], a=opened(at))
    assert "did not seek" in wrong


@pytest.mark.parametrize(("at", "again_at", "wrong"), [(9000, None, 0), (19_000, None, 1), (9000, 6000, 1)])
def test_who_is_paired_and_had_vanished(at: int, again_at: int | None, wrong: bool) -> None:
    seeks = [seek(ANN, 0, 20_000, "a"), seek(BEN, 2000, 3000, None, vanished=True)]
    if again_at is not None:
        seeks.append(seek(BEN, again_at - 100, 7000, None, asked_again_at=again_at))
    assert bool(wrongs(seeks, a=opened(at))) == bool(wrong)


def test_who_is_paired_for_something_else() -> None:
    assert len(wrongs([seek(ANN, 0, 3000, "a"), seek(BEN, 0, 3000, "a")], a=opened(2000, rated=True))) == 2


@pytest.mark.parametrize(
    ("waits", "wrong"),
    [([(0.0, 9000.0)], 1), ([(5000.0, 9000.0)], 0), ([(0.0, 4000.0), (4100.0, 9000.0)], 0), ([(0.0, 5100.0)], 1)],
)
def test_who_waits_beside_another(waits: list[tuple[float, float]], wrong: bool) -> None:
    seeks = [seek(ANN, 0, 10_000, None, waits=[(0.0, 10_000.0)]), seek(BEN, 0, 10_000, None, waits=waits)]
    assert bool(wrongs(seeks)) == bool(wrong)


def test_who_waits_for_something_else_waits_alone() -> None:
    seeks = [seek(ANN, 0, 10_000, None, waits=[(0.0, 10_000.0)]), seek(BEN, 0, 10_000, None, waits=[(0.0, 10_000.0)])]
    seeks[1].rated = True
    assert wrongs(seeks) == []
