"""The acts of organisers and players in a tournament, and what they are refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from noughts.rooms import Refused
from noughts.tournaments.events import (
    DRAWN,
    FIRST_WINS,
    SECOND_WINS,
    Adjudicate,
    Command,
    Enter,
    Finish,
    Open,
    Pair,
    Pairing,
    Pause,
    Report,
    Resume,
    Start,
    Terms,
    Withdraw,
)
from support.tournaments import ORGANISER, Played, player, terms


def opened(**fields: object) -> Played:
    return Played(terms(**fields), start=False)


def running() -> Played:
    played = Played(terms(), "ABCD")
    played.pair()
    return played


REFUSED: list[tuple[Callable[[], Played], Command, str]] = [
    (running, Enter(player("E")), "too late"),
    (running, Start("A", ()), "Only the organiser"),
    (running, Pause("A"), "Only the organiser"),
    (running, Adjudicate("A", "room-1", DRAWN), "Only the organiser"),
    (running, Adjudicate(ORGANISER, "other", DRAWN), "not one of"),
    (running, Withdraw("B", "A"), "Only the organiser"),
    (running, Withdraw("X", "X"), "has not entered"),
    (running, Finish("A"), "Only the organiser"),
    (opened, Start(ORGANISER, ()), "At least two"),
    (opened, Pause(ORGANISER), "not under way"),
    (lambda: opened(kinds="bots"), Enter(player("A")), "Only bots"),
    (lambda: opened(kinds="people"), Enter(player("A", "bot")), "Bots cannot"),
    (lambda: opened(registered=True), Enter(player("A", registered=False)), "Only registered"),
    (lambda: opened(rated=True), Enter(player("A", registered=False)), "Only registered"),
    (lambda: Played(terms(most=2), "AB", start=False), Enter(player("C")), "is full"),
    (
        lambda: Played(terms(format="gauntlet", opponents=("Z",)), "AB", start=False),
        Start(ORGANISER, ()),
        "None of the opponents",
    ),
    (
        lambda: Played(terms(), [f"p{number}" for number in range(65)], start=False),
        Start(ORGANISER, ()),
        "at most 64",
    ),
]


@pytest.mark.parametrize(("before", "command", "message"), REFUSED)
def test_what_is_refused_changes_nothing(before: Callable[[], Played], command: Command, message: str) -> None:
    played = before()
    now = played.tournament
    with pytest.raises(Refused, match=message):
        played.do(command)
    assert played.tournament == now


BAD_TERMS = [
    (terms(format="arena", rounds=0), "some minutes"),
    (terms(minutes=5), "Only an arena"),
    (terms(rounds=0), "how many rounds"),
    (terms(rounds=3), "once or twice"),
    (terms(opponents=("A",)), "Only a gauntlet"),
    (terms(format="gauntlet"), "which opponents"),
]


@pytest.mark.parametrize(("wanted", "message"), BAD_TERMS)
def test_terms_that_do_not_fit_are_refused(wanted: Terms, message: str) -> None:
    with pytest.raises(Refused, match=message):
        Played(wanted)


def test_the_end_of_a_game_counts_once() -> None:
    played = running()
    room = min(played.tournament.live)
    assert played.do(Report(room, FIRST_WINS))
    assert not played.do(Report(room, FIRST_WINS))
    assert not played.do(Report(room, SECOND_WINS)), "the first word holds"
    assert not played.do(Report("a room of somebody else", FIRST_WINS))
    assert played.tournament.games[room].result == FIRST_WINS


def test_a_round_is_paired_once_and_only_when_the_one_before_is_over() -> None:
    played = running()
    again = Pair(1, (Pairing("x", "A", "B"),))
    assert not played.do(again), "another node was faster"
    assert not played.do(Pair(2, (Pairing("x", "A", "B"),))), "games are under way"
    played.play(lambda _: DRAWN)
    assert not played.do(again), "it was paired, and is over"
    with pytest.raises(ValueError, match="cannot play twice"):
        played.do(Pair(2, (Pairing("x", "A", "B"), Pairing("y", "A", "C"))))
    with pytest.raises(ValueError, match="does not take part"):
        played.do(Pair(2, (Pairing("x", "A", "Z"),)))
    with pytest.raises(ValueError, match="a room of its own"):
        played.do(Pair(2, (Pairing("room-1", "A", "B"),)))


def test_an_adjudicated_game_counts_at_once_and_its_own_end_no_more() -> None:
    played = running()
    room = min(played.tournament.live)
    assert played.do(Adjudicate(ORGANISER, room, DRAWN))
    assert not played.do(Adjudicate(ORGANISER, room, DRAWN))
    assert room not in played.tournament.live
    assert not played.do(Report(room, FIRST_WINS))
    assert played.do(Adjudicate(ORGANISER, room, SECOND_WINS)), "the organiser may change its mind"


def test_while_it_is_paused_no_game_begins_and_ends_still_count() -> None:
    played = running()
    assert played.do(Pause(ORGANISER))
    assert not played.do(Pause(ORGANISER))
    played.play(lambda _: DRAWN)
    assert not played.tournament.live
    assert not played.do(Pair(2, (Pairing("x", "A", "B"),)))
    assert played.do(Resume(ORGANISER))
    assert played.do(Pair(2, (Pairing("x", "A", "B"),)))


def test_it_starts_by_itself_at_its_time_and_never_without_two_players() -> None:
    played = Played(terms(starts_at=1_060_000), "AB", start=False)
    assert not played.do(Start(None, ()))
    played.now = 1_060_000
    assert played.do(Start(None, ("B", "A")))
    assert played.tournament.order == ("B", "A")
    alone = Played(terms(starts_at=1_010_000), "A", start=False)
    alone.now = 1_010_000
    alone.do(Start(None, ()))
    assert alone.tournament.status == "finished"


def test_the_organiser_removes_players_and_ends_the_tournament() -> None:
    played = running()
    assert played.do(Withdraw("A", ORGANISER))
    assert not played.do(Withdraw("A", "A"))
    assert played.do(Finish(ORGANISER))
    assert not played.do(Finish(ORGANISER))
    with pytest.raises(Refused, match="over"):
        played.do(Withdraw("B", "B"))
    with pytest.raises(Refused, match="final"):
        played.do(Adjudicate(ORGANISER, "room-1", DRAWN))


def test_who_has_withdrawn_may_come_back_to_an_arena_and_to_swiss() -> None:
    for wanted in (terms(format="arena", rounds=0, minutes=5), terms(format="swiss", rounds=5)):
        played = Played(wanted, "ABCD")
        played.do(Withdraw("A", "A"))
        assert played.do(Enter(player("A")))
        assert played.tournament.order.count("A") == 1
        played.do(Withdraw("B", ORGANISER))
        with pytest.raises(Refused, match="removed you"):
            played.do(Enter(player("B")))
    played = Played(terms(), "ABCD")
    played.do(Withdraw("A", "A"))
    with pytest.raises(Refused, match="cannot come back"):
        played.do(Enter(player("A")))


def test_who_has_withdrawn_before_the_start_may_come_back_late() -> None:
    for wanted in (terms(format="arena", rounds=0, minutes=5), terms(format="swiss", rounds=5)):
        played = Played(wanted, "ABC", start=False)
        played.do(Withdraw("A", "A"))
        played.do(Start(ORGANISER, ()))
        assert played.do(Enter(player("A")))
        assert sorted(played.tournament.active) == ["A", "B", "C"]


def test_levels_of_the_computer_that_everybody_meets_need_not_enter() -> None:
    played = Played(terms(format="gauntlet", opponents=("computer:easy",)), "A")
    assert [entry.player.kind for entry in played.tournament.entries.values()] == ["computer", "human"]
    assert played.tournament.status == "running"


def test_open_again_changes_nothing() -> None:
    played = running()
    assert not played.do(Open("t-1", player(ORGANISER), terms()))
