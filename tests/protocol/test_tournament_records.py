"""The events of tournaments as the journal keeps them."""

from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.protocol.records import UnknownRecord
from noughts.protocol.tournament_records import from_record, to_record
from noughts.tournaments.events import (
    DRAWN,
    FIRST_BY_FORFEIT,
    FIRST_WINS,
    NOBODY,
    SECOND_WINS,
    Adjudicate,
    Condense,
    Enter,
    Finish,
    Pause,
    Report,
    Result,
    Resume,
    Withdraw,
)
from noughts.tournaments.evolve import evolve
from support.tournaments import LADDER, ORGANISER, Played, player, terms

RESULTS = st.sampled_from((FIRST_WINS, SECOND_WINS, DRAWN, FIRST_BY_FORFEIT, NOBODY))
STEPS = st.lists(
    st.tuples(
        st.sampled_from(("pair", "report", "adjudicate", "pause", "resume", "remove", "leave", "enter")), RESULTS
    ),
    max_size=30,
)


def act(played: Played, kind: str, result: Result) -> None:
    """Do something on a ladder that goes on, if it can be done now."""
    now = played.tournament
    room, here = min(now.live, default=None), sorted(set(now.active))
    if kind == "pair" and now.pairing_due:
        played.pair()
    elif kind in ("report", "adjudicate") and room is not None:
        played.do(Report(room, result) if kind == "report" else Adjudicate(ORGANISER, room, result))
    elif kind in ("remove", "leave") and here:
        played.do(Withdraw(here[0], ORGANISER if kind == "remove" else here[0]))
    elif kind in ("pause", "resume"):
        played.do(Pause(ORGANISER) if kind == "pause" else Resume(ORGANISER))
    elif kind == "enter":
        played.do(Enter(player(f"bot {len(now.entries)}", "bot"), "an address"))


def test_records_are_read_as_they_were_written() -> None:
    played = Played(terms(format="arena", rounds=0, minutes=5), "ABCD")
    played.pair()
    played.play(lambda _: DRAWN)
    played.do(Report("nowhere", DRAWN))
    assert [from_record(to_record(event)) for event in played.events] == played.events


@settings(max_examples=100, deadline=None)
@given(STEPS, STEPS, st.booleans())
def test_a_ladder_is_read_from_its_condensed_record_with_its_acts(
    before: list[tuple[str, Result]], after: list[tuple[str, Result]], ends: bool
) -> None:
    """It is then the ladder that has stored it, whatever its organiser has done, and goes on like that one."""
    played = Played(LADDER, start=False)
    for name in "ABCDE":
        played.do(Enter(player(name, "bot"), f"address of {name}"))
    for kind, result in before:
        act(played, kind, result)
    acts = played.tournament.acts
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("noughts.tournaments.decide.CONDENSED_AFTER", 1)
        assert played.do(Condense())
    condensed = len(played.events) - 1
    for kind, result in after:
        act(played, kind, result)
    if ends:
        played.do(Finish(ORGANISER))
    records = [to_record(event) for event in played.events[condensed:]]
    assert [from_record(record) for record in records] == played.events[condensed:]
    (read,) = map(from_record, records[:1])
    assert evolve(None, read).acts == acts
    assert reduce(evolve, map(from_record, records), None) == played.tournament


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (b'{"schema":2,"kind":"paused","at":1,"by":"p"}', "newer server"),
        (b'{"schema":1,"kind":"cheered","at":1}', "unknown kind: cheered"),
    ],
)
def test_a_record_of_a_newer_server_is_refused(record: bytes, why: str) -> None:
    with pytest.raises(UnknownRecord, match=why):
        from_record(record)
