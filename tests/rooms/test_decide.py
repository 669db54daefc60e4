"""A room's answer to each command."""

from __future__ import annotations

import pytest

from noughts.games import Outcome, Reason, Side
from noughts.rooms import (
    Abort,
    AcceptRematch,
    AcceptTakeback,
    Close,
    Command,
    Declined,
    DeclineRematch,
    Disconnect,
    Disconnected,
    Ended,
    Expire,
    Join,
    Joined,
    NoChange,
    Offered,
    OfferRematch,
    OfferTakeback,
    Open,
    Options,
    Play,
    Played,
    Player,
    Refused,
    Rematched,
    Resign,
    Return,
    Returned,
    Room,
    evolve,
    rematch_of,
)
from noughts.rooms.decide import ABSENCES
from support.rooms import decided

ANN = Player("p-ann", "ann", "human")
BEN = Player("p-ben", "ben", "bot")
EVE = Player("p-eve", "eve", "human")
MINIMAX = Player("computer:easy", "computer", "computer")
HOUR_MS = 3_600_000
DAY_MS = 86_400_000


def opened(first: Player | None = ANN, second: Player | None = BEN, game: str = "tictactoe") -> Room:
    event = decided(None, Open("room", game, "p-ann", first, second, Options(sleeping_ms=DAY_MS)), 1000)
    assert not isinstance(event, NoChange)
    return evolve(None, event)


def why_illegal(room: Room, command: Play) -> str:
    with pytest.raises(Refused) as refused:
        decided(room, command, 2000)
    assert refused.value.code == "illegal_move"
    return refused.value.message


def after(room: Room, *commands: Command, now: int = 2000) -> Room:
    for command in commands:
        event = decided(room, command, now)
        assert not isinstance(event, NoChange)
        room = evolve(room, event)
    return room


def played(moves: str, room: Room | None = None) -> Room:
    room = room or opened()
    for move in moves:
        assert room.to_move is not None
        player = room.seat(room.to_move)
        assert player is not None
        room = after(room, Play(player.id, room.turn, move))
    return room


def refusal(room: Room | None, command: Command) -> str:
    with pytest.raises(Refused) as refused:
        decided(room, command, 2000)
    return refused.value.code


WON = "14253"
DRAWN = "123546879"


def test_open() -> None:
    assert opened().status == "playing"
    assert opened(ANN, None).status == "waiting"
    assert opened(None, None).status == "waiting"
    assert opened(MINIMAX, MINIMAX).computer_to_move == MINIMAX
    assert opened(ANN, MINIMAX).computer_to_move is None
    with pytest.raises(Refused, match="unknown_game"):
        opened(game="shogi")
    with pytest.raises(Refused, match="not_allowed"):
        opened(ANN, ANN)


def test_join() -> None:
    room = opened(ANN, None)
    assert decided(room, Join(BEN), 2000) == Joined(2000, Side.SECOND, BEN)
    assert decided(room, Join(BEN, Side.SECOND), 2000) == Joined(2000, Side.SECOND, BEN)
    assert refusal(room, Join(BEN, Side.FIRST)) == "seat_taken"
    assert decided(room, Join(ANN), 2000) == NoChange(1)
    assert decided(room, Join(ANN, Side.FIRST), 2000) == NoChange(1)
    assert refusal(room, Join(ANN, Side.SECOND)) == "not_allowed"
    full = after(room, Join(BEN))
    assert full.status == "playing"
    assert refusal(full, Join(EVE)) == "seat_taken"
    assert refusal(played(WON), Join(EVE)) == "game_over"
    assert decided(played(WON), Join(ANN), 2000) == NoChange(6)


def test_play() -> None:
    room = opened()
    assert decided(room, Play("p-ann", 0, "5"), 1812) == Played(1812, Side.FIRST, 0, "5", 812, 0, 812)
    assert refusal(room, Play("p-ben", 0, "5")) == "not_your_turn"
    assert refusal(room, Play("p-eve", 0, "5")) == "not_seated"
    assert refusal(room, Play("p-ann", 1, "5")) == "stale"
    assert refusal(room, Play("p-ann", -1, "5")) == "stale"
    assert refusal(room, Play("p-ann", 0, "x")) == "malformed_move"
    assert refusal(played("5"), Play("p-ben", 1, "5")) == "illegal_move"
    assert refusal(opened(ANN, None), Play("p-ann", 0, "5")) == "not_allowed"
    assert refusal(played(WON), Play("p-ben", 5, "6")) == "game_over"
    with pytest.raises(Refused) as refused:
        decided(played("5"), Play("p-ben", 1, "5"), 2000)
    assert refused.value.legal_moves == ("1", "2", "3", "4", "6", "7", "8", "9")


def test_only_bots_can_add_notes() -> None:
    room = played("5")
    noted = Played(2000, Side.SECOND, 1, "1", 0, note="+0.3")
    assert decided(room, Play("p-ben", 1, "1", note="+0.3"), 2000) == noted
    assert refusal(opened(), Play("p-ann", 0, "5", note="+0.3")) == "not_allowed"
    again = after(room, Play("p-ben", 1, "1", note="+0.3"))
    assert decided(again, Play("p-ben", 1, "1", note="-9"), 2000) == NoChange(3)
    assert again == after(room, Play("p-ben", 1, "1"))


def test_a_repeated_move_counts_once() -> None:
    room = played("51")
    assert decided(room, Play("p-ann", 0, "5"), 2000) == NoChange(2)
    assert decided(room, Play("p-ben", 1, "1"), 2000) == NoChange(3)
    assert refusal(room, Play("p-ann", 0, "6")) == "stale"
    assert refusal(room, Play("p-ben", 0, "5")) == "stale"
    over = played(WON)
    assert decided(over, Play("p-ann", 4, "3"), 2000) == NoChange(6)
    assert refusal(over, Play("p-ann", 4, "6")) == "game_over"


def test_the_move_that_ends_the_game_carries_the_outcome() -> None:
    assert played(WON).outcome == Outcome(Side.FIRST, Reason.LINE, ("1", "2", "3"))
    drawn = played(DRAWN)
    assert drawn.outcome == Outcome(None, Reason.DRAW)
    assert drawn.status == "over"
    assert drawn.to_move is None


def test_resign() -> None:
    expected = Ended(2000, Side.SECOND, Outcome(Side.FIRST, Reason.RESIGNATION))
    assert decided(opened(), Resign("p-ben"), 2000) == expected
    assert refusal(opened(), Resign("p-eve")) == "not_seated"
    assert refusal(opened(ANN, None), Resign("p-ann")) == "not_allowed"
    assert refusal(played(WON), Resign("p-ann")) == "game_over"


def test_abort() -> None:
    waiting = opened(None, BEN)
    assert decided(waiting, Abort("p-ben"), 2000) == Ended(2000, Side.SECOND, Outcome(None, Reason.ABORTED))
    by_opener = decided(waiting, Abort("p-ann"), 2000)
    assert by_opener == Ended(2000, None, Outcome(None, Reason.ABORTED))
    assert refusal(waiting, Abort("p-eve")) == "not_seated"
    assert refusal(waiting, Abort("p-eve")) == "not_seated"
    begun = decided(played("5"), Abort("p-ann"), 2000)
    assert begun == Ended(2000, Side.FIRST, Outcome(None, Reason.ABORTED))
    assert refusal(played("51"), Abort("p-ann")) == "not_allowed"
    elsewhere = opened(MINIMAX, MINIMAX)
    assert elsewhere.by == "p-ann"
    assert refusal(elsewhere, Abort("p-ann")) == "not_seated", "who opened it closes it only while it waits"
    assert refusal(after(waiting, Abort("p-ben")), Abort("p-ben")) == "game_over"


def test_rematch_by_offer_and_answer() -> None:
    room = played(WON)
    assert refusal(opened(), OfferRematch("p-ann", "new")) == "not_allowed"
    assert refusal(room, OfferRematch("p-eve", "new")) == "not_seated"
    assert refusal(room, AcceptRematch("p-ann", "new")) == "not_allowed"
    assert refusal(room, DeclineRematch("p-ann")) == "not_allowed"
    assert decided(room, OfferRematch("p-ann", "new"), 2000) == Offered(2000, Side.FIRST, "rematch")
    offered = after(room, OfferRematch("p-ann", "new"))
    assert refusal(offered, OfferRematch("p-ann", "new")) == "not_allowed"
    assert refusal(offered, AcceptRematch("p-ann", "new")) == "not_allowed"
    assert decided(offered, DeclineRematch("p-ben"), 2000) == Declined(2000, Side.SECOND, "rematch")
    declined = after(offered, DeclineRematch("p-ben"))
    assert declined.offers == ()
    assert refusal(declined, OfferRematch("p-ann", "new")) == "not_allowed", "once, or a room has no bound"
    assert decided(declined, OfferRematch("p-ben", "new"), 2000) == Offered(2000, Side.SECOND, "rematch")
    assert decided(offered, AcceptRematch("p-ben", "new"), 2000) == Rematched(2000, "new")
    assert decided(offered, OfferRematch("p-ben", "new"), 2000) == Rematched(2000, "new")
    rematched = after(offered, AcceptRematch("p-ben", "new"))
    assert rematched.offers == ()
    assert decided(rematched, AcceptRematch("p-ben", "other"), 2000) == NoChange(rematched.version)
    assert refusal(rematched, DeclineRematch("p-ben")) == "not_allowed"
    again = evolve(None, rematch_of(rematched, 3000))
    assert (again.id, again.first, again.second, again.previous) == ("new", BEN, ANN, "room")


def test_a_computer_always_accepts_a_rematch() -> None:
    room = after(opened(ANN, MINIMAX), Resign("p-ann"))
    assert decided(room, OfferRematch("p-ann", "new"), 2000) == Rematched(2000, "new")


def test_no_rematch_without_an_opponent() -> None:
    room = evolve(opened(ANN, None), Ended(2000, None, Outcome(None, Reason.ABORTED)))
    assert refusal(room, OfferRematch("p-ann", "new")) == "not_allowed"


def test_presence() -> None:
    room = opened()
    assert decided(room, Return("p-ann"), 2000) == NoChange(1)
    assert decided(room, Disconnect("p-ann"), 2000) == Disconnected(2000, Side.FIRST)
    away = after(room, Disconnect("p-ann"))
    assert away.away == {Side.FIRST}
    assert decided(away, Disconnect("p-ann"), 2000) == NoChange(2)
    assert decided(away, Return("p-ann"), 2000) == Returned(2000, Side.FIRST)
    assert after(away, Return("p-ann")).away == frozenset()
    assert refusal(room, Disconnect("p-eve")) == "not_seated"
    over = played(WON)
    assert decided(over, Disconnect("p-ann"), 2000) == Disconnected(2000, Side.FIRST)
    rematched = after(over, OfferRematch("p-ann", "new"), AcceptRematch("p-ben", "new"))
    assert decided(rematched, Disconnect("p-ann"), 2000) == NoChange(8)


def test_recorded_absences_are_bounded() -> None:
    room = opened()
    for _ in range(ABSENCES):
        room = after(room, Disconnect("p-ann"), Return("p-ann"))
    assert decided(room, Disconnect("p-ann"), 2000) == NoChange(room.version)
    last = opened()
    for _ in range(ABSENCES - 1):
        last = after(last, Disconnect("p-ann"), Return("p-ann"))
    last = after(last, Disconnect("p-ben"))
    assert decided(last, Return("p-ben"), 2000) == Returned(2000, Side.SECOND)


def test_rooms_that_expire() -> None:
    waiting = opened(ANN, None)
    assert waiting.due_at == 1000 + HOUR_MS
    assert decided(waiting, Expire(), 999 + HOUR_MS) == NoChange(1)
    closed = decided(waiting, Expire(), 1000 + HOUR_MS)
    assert closed == Ended(1000 + HOUR_MS, None, Outcome(None, Reason.ABORTED))
    playing = played("5")
    assert playing.due_at == 2000 + DAY_MS
    abandoned = decided(playing, Expire(), 2000 + DAY_MS)
    assert abandoned == Ended(2000 + DAY_MS, None, Outcome(None, Reason.ABANDONMENT))
    assert opened(MINIMAX, MINIMAX).due_at is None
    assert played(WON).due_at is None
    assert decided(played(WON), Expire(), 10**15) == NoChange(6)


def test_time_never_goes_back() -> None:
    room = played("5")
    event = decided(room, Play("p-ben", 1, "1"), 1)
    assert isinstance(event, Played)
    assert (event.at, event.spent_ms) == (2000, 0)


def test_a_computer_on_both_sides_plays_both() -> None:
    room = played(WON, opened(MINIMAX, MINIMAX))
    assert [ply.side for ply in room.plies] == [Side.FIRST, Side.SECOND] * 2 + [Side.FIRST]


def test_an_illegal_move_is_explained_by_the_game_and_the_last_move() -> None:
    room = after(opened(game="ultimate"), Play("p-ann", 0, "e5"), Play("p-ben", 1, "d4"))
    where = "you must play in the small board at the top left, a1 to c3"
    assert why_illegal(room, Play("p-ann", 2, "e6")) == f"{where}: d4 sent you there"
    room = after(room, OfferTakeback("p-ben"), AcceptTakeback("p-ann"))
    where = "you must play in the small board in the centre, d4 to f6"
    assert why_illegal(room, Play("p-ben", room.turn, "a1")) == f"{where}: e5 sent you there"
    assert why_illegal(after(opened(), Play("p-ann", 0, "5")), Play("p-ben", 1, "5")) == "cell 5 is taken"


def test_the_operator_closes_any_room_without_a_result() -> None:
    begun = after(opened(), Play("p-ann", 0, "5"), Play("p-ben", 1, "1"))
    for room, reason in ((opened(second=None), Reason.ABORTED), (begun, Reason.ABANDONMENT)):
        assert decided(room, Close(), 3000) == Ended(3000, None, Outcome(None, reason))
    over = after(begun, Resign("p-ann"))
    assert decided(over, Close(), 3000) == NoChange(over.version)
