"""Events survive a record unchanged, and unreadable records are refused, never guessed."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_core import to_json

from noughts.games import Outcome, Reason, Side
from noughts.protocol.records import UnknownRecord, event_fields, from_record, to_record
from noughts.rooms import (
    Declined,
    Disconnected,
    Ended,
    Event,
    Fischer,
    Joined,
    Offered,
    Opened,
    Options,
    Paused,
    PerMove,
    Played,
    Player,
    Rematched,
    Returned,
    TakenBack,
)

ANN = Player("p-ann", "änn 玩", "human")
MINIMAX = Player("computer:perfect", "computer", "computer")
LINE = Outcome(Side.FIRST, Reason.LINE, ("1", "2", "3"))

EVENTS: list[Event] = [
    Opened(0, "r", "tictactoe", "p-ann", ANN, None, Options(private=True)),
    Opened(1, "r", "tictactoe", "p-ann", MINIMAX, ANN, Options(), previous="q"),
    Joined(2, Side.SECOND, Player("p-bot", "bot", "bot")),
    Joined(2, Side.SECOND, Player("p-bot", "bot", "bot", registered=True, rating=0, provisional=True)),
    Opened(1, "r", "tictactoe", "p-ann", MINIMAX, ANN, Options(clock=Fischer(180_000, 2000), rated=True)),
    Opened(1, "r", "tictactoe", "p-ann", MINIMAX, ANN, Options(clock=PerMove(30_000))),
    Opened(1, "r", "kalah", "p-ann", MINIMAX, ANN, Options(clock=PerMove(30_000)), setup=(("pits", 2), ("seeds", 3))),
    Opened(1, "r", "chess", "p-ann", None, ANN, Options(), setup=(("start", "8/8/4k3/8/8/4K3/8/R7 w - - 0 1"),)),
    Played(3, Side.FIRST, 0, "5", 812, 12, 800),
    Played(4, Side.FIRST, 4, "3", 0, outcome=LINE),
    Played(4, Side.FIRST, 4, "3", 0, note="+0.3\n\t深さ 9"),
    TakenBack(4, Side.SECOND, 2),
    Paused(4, 12_000),
    Offered(5, Side.SECOND, "draw"),
    Offered(5, Side.SECOND, "takeback"),
    Offered(5, Side.SECOND, "rematch"),
    Declined(6, Side.FIRST, "rematch"),
    Disconnected(7, Side.FIRST),
    Returned(8, Side.FIRST),
    Ended(9, Side.SECOND, Outcome(Side.FIRST, Reason.RESIGNATION)),
    Ended(10, None, Outcome(None, Reason.ABANDONMENT)),
    Rematched(2**53, "s"),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.kind)
def test_round_trip(event: Event) -> None:
    record = to_record(event)
    again = from_record(record)
    assert again == event
    assert type(again) is type(event)
    assert to_record(again) == record
    options = event.options if isinstance(event, Opened) else Options()
    schema = 3 if options.rated else 2 if options.clock is not None else 1
    if isinstance(event, Opened) and (event.setup or event.rules != 1):
        schema = 5
    assert json.loads(record) == {"schema": schema, **event_fields(event)}


def test_the_examples_cover_every_kind() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(Event))


sides = st.sampled_from(Side)
times = st.integers(0, 2**53)
outcomes = st.builds(
    Outcome, st.none() | sides, st.sampled_from(Reason), st.lists(st.sampled_from("123456789"), max_size=5).map(tuple)
)


@settings(max_examples=30)
@given(
    st.builds(Played, times, sides, st.integers(0, 100), st.text(max_size=5), times, times, times, st.none() | outcomes)
    | st.builds(Ended, times, st.none() | sides, outcomes)
)
def test_round_trip_of_any(event: Event) -> None:
    assert from_record(to_record(event)) == event


def test_the_format_of_a_record_is_stable() -> None:
    """Journals outlive versions, so these records must stay readable forever."""
    record = (
        b'{"schema":1,"kind":"played","at":1795521605104,"side":"first","turn":4,"move":"3","spent_ms":812,'
        b'"compensated_ms":12,"thought_ms":800,"outcome":{"winner":"first","reason":"line","cells":["1","2","3"]}}'
    )
    played = Played(1795521605104, Side.FIRST, 4, "3", 812, 12, 800, LINE)
    assert from_record(record) == played
    assert to_record(played) == record


def test_a_note_is_the_last_field_of_a_record_and_otherwise_absent() -> None:
    noted = Played(1, Side.FIRST, 4, "3", 812, 12, 800, note="+0.3")
    assert to_record(noted) == to_record(replace(noted, note=None))[:-1] + b',"note":"+0.3"}'


def test_unset_fields_of_a_player_are_left_out() -> None:
    joined = b'{"schema":1,"kind":"joined","at":1,"side":"second","player":{"id":"p-bot","name":"bot","kind":"bot"%s}}'
    for fields, player in (
        (b"", Player("p-bot", "bot", "bot")),
        (b',"registered":true,"rating":1497', Player("p-bot", "bot", "bot", registered=True, rating=1497)),
    ):
        event = Joined(1, Side.SECOND, player)
        assert to_record(event) == joined % fields
        assert from_record(joined % fields) == event


def test_the_verdict_that_a_game_is_not_rated_needs_a_newer_server() -> None:
    joined = Joined(1, Side.SECOND, Player("p-bot", "bot", "bot"), "pair_limit")
    record = (
        b'{"schema":4,"kind":"joined","at":1,"side":"second","player":{"id":"p-bot","name":"bot","kind":"bot"},'
        b'"unrated_because":"pair_limit"}'
    )
    assert to_record(joined) == record
    assert from_record(record) == joined


SET_UP = (
    b'{"schema":5,"kind":"opened","at":1,"room":"r","game":"%s","by":"p-ann","first":null,"second":null,'
    b'"options":{"private":false,"waiting_ms":5,"sleeping_ms":6},"previous":null%s}'
)


def test_a_game_that_was_set_up_needs_a_newer_server() -> None:
    options = Options(waiting_ms=5, sleeping_ms=6)
    opened = Opened(1, "r", "breakthrough", "p-ann", None, None, options, setup=(("size", 6),))
    assert from_record(SET_UP % (b"breakthrough", b',"setup":{"size":6}')) == opened
    newer = replace(opened, setup=(), rules=2)
    with pytest.raises(UnknownRecord, match="version 2 of the rules of Breakthrough, and this server has version 1"):
        from_record(SET_UP % (b"breakthrough", b',"rules":2'))
    assert to_record(opened).endswith(b',"previous":null,"setup":{"size":6}}')
    assert to_record(newer).endswith(b',"previous":null,"rules":2}')


@pytest.mark.parametrize(
    ("game", "more", "why"),
    [
        (b"shogi", b"", "There is no game 'shogi'"),
        (b"tictactoe", b',"setup":{"size":6}', "Tic-tac-toe has no option 'size'"),
        (b"breakthrough", b',"setup":{"size":9}', "Size of the board is one of"),
        (b"chess", b',"setup":{"start":"nothing"}', "A position is a FEN"),
        (b"breakthrough", b',"setup":{"size":[6]}', "of an unknown kind"),
        (b"breakthrough", b',"rules":"old"', "of an unknown kind"),
    ],
)
def test_a_game_that_cannot_be_set_up_is_refused(game: bytes, more: bytes, why: str) -> None:
    with pytest.raises(UnknownRecord, match=why):
        from_record(SET_UP % (game, more))


def test_records_from_before_clocks_can_be_read() -> None:
    opened = (
        b'{"schema":1,"kind":"opened","at":1,"room":"r","game":"tictactoe","by":"p-ann","first":null,"second":null,'
        b'"options":{"private":true,"waiting_ms":5,"sleeping_ms":6},"previous":null}'
    )
    options = Options(private=True, waiting_ms=5, sleeping_ms=6)
    assert options.clock is None
    assert from_record(opened) == Opened(1, "r", "tictactoe", "p-ann", None, None, options)
    played = (
        b'{"schema":1,"kind":"played","at":1795521605104,"side":"first","turn":4,"move":"3","spent_ms":812,'
        b'"outcome":{"winner":"first","reason":"line","cells":["1","2","3"]}}'
    )
    assert from_record(played) == Played(1795521605104, Side.FIRST, 4, "3", 812, 0, 812, LINE)


@pytest.mark.parametrize(
    "fields",
    [
        {"schema": 1, "kind": "castled", "at": 0},
        {"schema": 1, "at": 0},
        {"schema": 7, "kind": "returned", "at": 0, "side": "first"},
        {"schema": None, "kind": "returned", "at": 0, "side": "first"},
        {"schema": 1, "kind": "returned", "at": 0, "side": "third"},
        {"schema": 1, "kind": "returned", "at": 0},
    ],
)
def test_unknown_records(fields: dict[str, object]) -> None:
    with pytest.raises(UnknownRecord):
        from_record(to_json(fields))
