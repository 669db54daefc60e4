"""The fault runner's audit of pairings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from faults.clocks import Json
from faults.ledger import Conditions, Ledger
from faults.pairings import Seek

ANN, BEN, EVE = "p-ann", "p-ben", "p-eve"


def opened(at: int, one: str = ANN, other: str = BEN, *, rated: bool = False) -> list[bytes]:
    """The records of a room that was opened for two players."""
    options: Json = {"private": False, "rated": rated, "clock": None}
    record = {"first": {"id": one}, "second": {"id": other}, "options": options, "previous": None}
    return [json.dumps({"schema": 1, "kind": "opened", "at": at, **record}).encode()]


def seek(player: str, since: float, until: float, room: str | None, **more: Any) -> Seek:
    """A seek for a room without a clock."""
    return Seek(player, None, rated=False, since=since, until=until, room=room, **more)


def wrongs(seeks: list[Seek], **rooms: list[bytes]) -> list[str]:
    """The broken promises."""
    ledger = Ledger(seeks=seeks)
    ledger.audit(rooms, Conditions(ended=False, longest_wait_ms=5000))
    assert ledger.paired == rooms.keys()
    return ledger.broken


def test_a_correct_pairing() -> None:
    assert wrongs([seek(ANN, 0, 3000, "a"), seek(BEN, 1000, 3000, "a")], a=opened(2000)) == []


def test_a_seek_that_is_paired_twice() -> None:
    seeks = [seek(ANN, 0, 3000, "a"), seek(BEN, 0, 3000, "a"), seek(EVE, 0, 3000, "b")]
    assert any("twice by one seek" in wrong for wrong in wrongs(seeks, a=opened(2000), b=opened(2000, ANN, EVE)))


def test_a_player_who_never_learns_of_its_pairing() -> None:
    [wrong] = wrongs([seek(ANN, 0, 3000, "a"), seek(BEN, 0, 3000, None)], a=opened(2000))
    assert "never learned" in wrong


@pytest.mark.parametrize("at", [1000, 4000])
def test_a_pairing_without_an_open_seek(at: int) -> None:
    [wrong] = wrongs([seek(ANN, 0, 5000, "a"), seek(BEN, 2000, 3000, None)], a=opened(at))
    assert "without a seek" in wrong


@pytest.mark.parametrize(("at", "again_at", "wrong"), [(9000, None, 0), (19_000, None, 1), (9000, 6000, 1)])
def test_a_pairing_with_a_player_who_vanished(at: int, again_at: int | None, wrong: bool) -> None:
    seeks = [seek(ANN, 0, 20_000, "a"), seek(BEN, 2000, 3000, None, vanished=True)]
    if again_at is not None:
        seeks.append(seek(BEN, again_at - 100, 7000, None, renewed_at=again_at))
    assert bool(wrongs(seeks, a=opened(at))) == bool(wrong)


def test_a_pairing_with_other_terms() -> None:
    assert len(wrongs([seek(ANN, 0, 3000, "a"), seek(BEN, 0, 3000, "a")], a=opened(2000, rated=True))) == 2


@pytest.mark.parametrize(
    ("waits", "wrong"),
    [([(0.0, 9000.0)], 1), ([(5000.0, 9000.0)], 0), ([(0.0, 4000.0), (4100.0, 9000.0)], 0), ([(0.0, 5100.0)], 1)],
)
def test_two_players_with_the_same_terms_who_both_wait(waits: list[tuple[float, float]], wrong: bool) -> None:
    seeks = [seek(ANN, 0, 10_000, None, waits=[(0.0, 10_000.0)]), seek(BEN, 0, 10_000, None, waits=waits)]
    assert bool(wrongs(seeks)) == bool(wrong)


def test_players_with_different_terms_may_wait() -> None:
    seeks = [seek(ANN, 0, 10_000, None, waits=[(0.0, 10_000.0)]), seek(BEN, 0, 10_000, None, waits=[(0.0, 10_000.0)])]
    seeks[1].rated = True
    assert wrongs(seeks) == []
