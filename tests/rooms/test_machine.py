"""A state machine drives decide and evolve with members, strangers and nonsense."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from noughts.games import GAMES, Reason, Side
from noughts.projection import result_of
from noughts.protocol.records import from_record, to_record
from noughts.protocol.render import state
from noughts.rooms import (
    WAIT_MS,
    Abort,
    AcceptDraw,
    AcceptRematch,
    AcceptTakeback,
    Claim,
    Command,
    DeclineDraw,
    DeclineRematch,
    DeclineTakeback,
    Disconnect,
    Disconnected,
    Ended,
    Event,
    Expire,
    Fischer,
    Join,
    NoChange,
    OfferDraw,
    Offered,
    OfferRematch,
    OfferTakeback,
    Open,
    Options,
    Pause,
    Paused,
    PerMove,
    Play,
    Played,
    Player,
    Refused,
    Rematched,
    Resign,
    Return,
    Room,
    TakenBack,
    TimeControl,
    Wait,
    decide,
    evolve,
    rematch_of,
)
from support.rooms import decided

PEOPLE = [Player(f"p-{name}", name, "human", registered=name != "stranger") for name in ("ann", "ben", "stranger")]
PERFECT = Player("computer:perfect", "computer", "computer")
LIMITS = Options(waiting_ms=3_600_000, sleeping_ms=86_400_000)

people = st.sampled_from(PEOPLE)
names = st.sampled_from([*(player.id for player in PEOPLE), PERFECT.id, "", "nobody"])
seats = st.sampled_from([None, *PEOPLE[:2], PERFECT])
moves = st.sampled_from([*"123456789", "0", "10", "a1", "", "-1", "٣", "1 "])
turns = st.integers(-2, 11)
waits = st.sampled_from([0, 1, 1000, 3_600_000, 86_400_000])
thoughts = st.integers(0, 3000) | st.integers(0, 40_000)
lags = st.sampled_from([0, 0, 40, 300, 2000])
controls = st.one_of(
    st.none(),
    st.builds(Fischer, st.integers(1000, 60_000), st.sampled_from([0, 1, 2000])),
    st.builds(PerMove, st.integers(1000, 30_000)),
)
offering = st.sampled_from([OfferDraw, AcceptDraw, DeclineDraw, OfferTakeback, AcceptTakeback, DeclineTakeback])


def given(control: TimeControl) -> int:
    """The time that a side begins with, in ms."""
    return control.initial_ms if isinstance(control, Fischer) else control.per_move_ms


def all_offers(room: Room) -> list[str]:
    """The kinds of the offers that stand."""
    return sorted(offer for _, offer in room.offers)


class RoomMachine(RuleBasedStateMachine):
    """One room, with commands from any player."""

    room: Room
    events: list[Event]
    now: int

    @initialize(first=seats, second=seats, now=st.integers(0, 10**12), clock=controls, rated=st.booleans())
    def open(
        self, first: Player | None, second: Player | None, now: int, clock: TimeControl | None, rated: bool
    ) -> None:
        self.now = now
        self.events = []
        self.rooms: list[Room] = []
        self.again: Room | None = None
        self.replayed = 0
        options = replace(LIMITS, clock=clock, rated=rated)
        command = Open("room", "tictactoe", "p-ann", first, second, options)
        if rated and (clock is None or first is second is PERFECT):
            with pytest.raises(Refused, match="not_allowed"):
                decide(None, command, now)
            command = replace(command, options=replace(options, rated=False))
        if first is second and first in PEOPLE:
            with pytest.raises(Refused, match="not_allowed"):
                decide(None, command, now)
            command = replace(command, second=None)
        step = decide(None, command, now)
        assert not isinstance(step, NoChange)
        assert step.room == evolve(None, step.event)
        self.room = step.room
        self.events.append(step.event)
        self.rooms.append(self.room)

    def do(self, command: Command) -> Event | NoChange | Refused:
        before = self.room
        try:
            step = decide(self.room, command, self.now)
        except Refused as refusal:
            assert self.room == before
            return refusal
        if isinstance(step, NoChange):
            assert 1 <= step.version <= self.room.version
            return step
        assert step.room == evolve(before, step.event), "a room that is replayed from the journal is the same"
        assert (step.room.status, step.room.to_move) == ((again := evolve(before, step.event)).status, again.to_move)
        self.room = step.room
        self.events.append(step.event)
        self.rooms.append(self.room)
        assert self.room.version == before.version + 1
        assert self.room.turn >= before.turn
        return step.event

    @rule(player=people, side=st.sampled_from([None, *Side]))
    def join(self, player: Player, side: Side | None) -> None:
        before = self.room
        result = self.do(Join(player, side))
        if before.side_of(player.id) is not None:
            assert isinstance(result, NoChange | Refused)
        elif not isinstance(result, Refused):
            taken = self.room.side_of(player.id)
            assert taken is not None
            assert before.seat(taken) is None
            assert side in (None, taken)
            assert player.registered or not before.rated

    @rule(player=names, turn=turns, move=moves)
    def play_anything(self, player: str, turn: int, move: str) -> None:
        before = self.room
        result = self.do(Play(player, turn, move))
        if isinstance(result, Played):
            assert before.status == "playing"
            assert turn == before.turn
            assert move in before.position.legal_moves
            assert self.room.moves == (*before.moves, move)

    @rule(data=st.data(), thought=thoughts, lag=lags, waited=st.sampled_from([0, 0, 1, 900]))
    def play_well(self, data: st.DataObject, thought: int, lag: int, waited: int) -> None:
        """A legal move by the side to move, so that games make progress; sent twice, since answers get lost.

        It arrives after some thought and is decided a while later; what is due by then has been done.
        """
        room, side = self.room, self.room.to_move
        if side is None:
            return
        player = room.seat(side)
        assert player is not None
        arrived = max(self.now, room.moved_at) + thought
        self.now = arrived + waited
        move = data.draw(st.sampled_from(room.position.legal_moves))
        command = Play(player.id, room.turn, move, arrived, lag)
        result = self.do(command)
        if room.running is side and isinstance(result, Refused):
            assert room.clocks is not None
            assert (result.code, result.message) == ("game_over", "Your time is up.")
            assert arrived - room.moved_at >= room.clocks.left(side), "no move is refused before the flag"
            return
        assert isinstance(result, Played)
        assert result.spent_ms == arrived - room.moved_at
        assert result.thought_ms == result.spent_ms - result.compensated_ms
        quota = 0 if room.clocks is None or room.running is None else room.clocks.quota(side)
        assert 0 <= result.compensated_ms <= min(lag, 1000, result.spent_ms, quota)
        assert room.due_at is None or room.running is None or arrived < room.due_at or bool(room.away)
        assert not self.room.offers
        version = self.room.version
        assert decide(self.room, command, self.now) == NoChange(version)

    @rule(player=names, command=offering)
    def agree(self, player: str, command: type[OfferDraw]) -> None:
        """Any command about draws and takebacks."""
        before = self.room
        result = self.do(command(player))
        assert not isinstance(result, NoChange)
        if isinstance(result, Refused):
            return
        assert before.status == "playing"
        side = before.side_of(player)
        assert side is not None
        if isinstance(result, Offered):
            assert (side, result.offer) not in before.offered, "once a turn"
        elif not (isinstance(result, TakenBack) and PERFECT in (before.first, before.second)):
            assert any(by is side.other for by, _ in before.offers), "there was something to answer"
        assert not (before.rated and isinstance(self.events[-1], TakenBack)), "in a rated game every move stands"

    @rule(side=st.sampled_from(Side), answered=st.booleans())
    def take_back(self, side: Side, answered: bool) -> None:
        """A player offers a takeback, and the opponent may answer, so that takebacks happen."""
        room = self.room
        asking, asked = room.seat(side), room.seat(side.other)
        if asking is None or asked is None or asking is asked:
            return
        result = self.do(OfferTakeback(asking.id))
        if isinstance(result, Offered) and answered:
            assert isinstance(self.do(AcceptTakeback(asked.id)), TakenBack)

    @rule(player=names, result=st.sampled_from(["win", "draw"]))
    def claim(self, player: str, result: Literal["win", "draw"]) -> None:
        before = self.room
        ended = self.do(Claim(player, result))
        if isinstance(ended, Ended):
            side = before.side_of(player)
            assert side is not None
            assert side.other in before.away
            left = [event.at for event in self.events if isinstance(event, Disconnected) and event.side is side.other]
            assert ended.at >= left[-1] + 30_000
            assert ended.outcome.winner is (side if result == "win" else None)

    @rule(before=st.integers(0, 100_000), down=st.integers(1, 100_000), after=st.integers(0, 3000))
    def server_is_down(self, before: int, down: int, after: int) -> None:
        """The server is down and detects the outage afterwards; the same outage is reported again later."""
        room = self.room
        since, until = self.now - before, self.now + down
        self.now = until + after
        result = self.do(Pause(((since, until),)))
        concerned = room.status == "playing" and (room.clocks is not None or bool(room.away))
        assert isinstance(result, Paused) is (concerned and until > max(room.at, since))
        if isinstance(result, Paused):
            missed = until - max(room.at, since)
            assert missed <= result.ms <= missed + 2000
            assert self.room.clocks == room.clocks
            assert self.room.due_at is None or room.due_at is None or self.room.due_at == room.due_at + result.ms
            assert isinstance(self.do(Pause(((since, until),))), NoChange)

    @rule(before=st.integers(-1000, 100_000), wait=st.integers(0, 100_000), turn=st.integers(0, 1))
    def nobody_searches(self, before: int, wait: int, turn: int) -> None:
        """A node notices that the computer's search has not started, and another a moment later."""
        room = self.room
        since = self.now - before
        self.now += wait
        at = max(room.at, self.now)  # the clock may have gone back
        waited = at - max(since, room.moved_at)
        concerned = room.computer_to_move is not None and room.clocks is not None and not turn and waited >= WAIT_MS
        result = self.do(Wait(room.turn - turn, since))
        assert isinstance(result, Paused) is concerned
        if isinstance(result, Paused):
            assert result.ms == waited
            assert self.room.moved_at <= at, "nobody is given more than has passed"
            assert self.room.clocks == room.clocks
            self.do(Wait(room.turn, self.now))
            assert self.room.version == room.version + 1, "once is enough"

    @rule(player=names)
    def resign(self, player: str) -> None:
        before = self.room
        result = self.do(Resign(player))
        if isinstance(result, Ended):
            assert before.status == "playing"
            assert result.outcome.winner is not before.side_of(player)

    @rule(player=names)
    def abort(self, player: str) -> None:
        before = self.room
        result = self.do(Abort(player))
        if isinstance(result, Ended):
            assert len(before.moves) < 2
            assert before.side_of(player) is not None or (player == before.by and before.status == "waiting")

    @rule(
        player=names,
        command=st.sampled_from([OfferRematch, AcceptRematch]),
        room=st.sampled_from(["next-1", "next-2"]),
    )
    def rematch(self, player: str, command: type[OfferRematch | AcceptRematch], room: str) -> None:
        before = self.room
        result = self.do(command(player, room))
        if isinstance(result, Rematched):
            assert before.outcome is not None
            assert before.next is None
            again = evolve(None, rematch_of(self.room, self.now))
            assert (again.id, again.previous) == (room, self.room.id)
            assert (again.first, again.second) == (before.second, before.first)
            assert again.status == "playing"

    @rule(player=names)
    def decline(self, player: str) -> None:
        self.do(DeclineRematch(player))

    @rule(player=names, command=st.sampled_from([Disconnect, Return]))
    def come_and_go(self, player: str, command: type[Disconnect | Return]) -> None:
        self.do(command(player))

    @rule(wait=waits)
    def time_passes(self, wait: int) -> None:
        self.now += wait
        due = self.room.due_at
        result = self.do(Expire())
        assert isinstance(result, Ended) is (due is not None and self.now >= due)

    @rule(step=st.integers(1, 10_000))
    def the_clock_goes_back(self, step: int) -> None:
        self.now = max(0, self.now - step)

    @invariant()
    def replaying_the_journal_gives_the_same_room(self) -> None:
        for event in self.events[self.replayed :]:
            self.again = evolve(self.again, from_record(to_record(event)))
        self.replayed = len(self.events)
        assert self.again == self.room

    @invariant()
    def exactly_one_end(self) -> None:
        ends = [event for event in self.events if isinstance(event, Ended) or getattr(event, "outcome", None)]
        assert len(ends) == (self.room.outcome is not None)
        assert (self.room.status == "over") == (self.room.outcome is not None)

    @invariant()
    def a_result_is_stored_once_with_the_end_of_the_game(self) -> None:
        befores = [None, *self.rooms[:-1]]
        results = [result_of(room, before) for before, room in zip(befores, self.rooms, strict=True)]
        found = [(event, one) for event, one in zip(self.events, results, strict=True) if one is not None]
        outcome = self.room.outcome
        if outcome is None or (outcome.winner is None and outcome.reason in (Reason.ABORTED, Reason.ABANDONMENT)):
            assert not found
            return
        ((event, result),) = found
        assert (event.at, outcome) == (result.ended_at, getattr(event, "outcome", None))
        assert (result.winner, result.reason) == (outcome.winner, outcome.reason)
        assert (result.pool is not None) == (self.room.rated and len(self.room.moves) > 1)

    @invariant()
    def time_never_goes_back(self) -> None:
        times = [event.at for event in self.events]
        assert times == sorted(times)

    @invariant()
    def the_board_follows_from_the_moves(self) -> None:
        position = GAMES["tictactoe"].start
        for move in self.room.moves:
            position = position.play(move)
        assert position == self.room.position

    @invariant()
    def the_state_shows_the_room(self) -> None:
        shown = state(self.room)
        assert shown["turn"] == self.room.turn >= len(shown["moves"])
        assert (shown["to_move"] is None) == (shown["status"] != "playing") == (shown["legal_moves"] == [])
        assert shown["ply"] == sum(cell != "." for row in shown["rows"] for cell in row)

    @invariant()
    def there_is_a_way_out_by_time(self) -> None:
        """After enough time every room that waits for a person ends; without clocks two computers play on."""
        room = self.room
        if room.status == "over" or ({room.first, room.second} == {PERFECT} and room.clocks is None):
            assert room.due_at is None
            return
        assert room.due_at is not None
        ended = decided(room, Expire(), room.due_at)
        assert isinstance(ended, Ended)
        over = evolve(room, ended)
        assert over.status == "over"
        assert not over.offers
        if ended.outcome.reason is Reason.TIME:
            assert room.running is not None
            assert over.clocks is not None
            assert ended.outcome.winner is room.running.other
            assert over.clocks.left(room.running) == 0

    @invariant()
    def a_game_with_a_clock_is_over_in_the_time_that_its_players_have(self) -> None:
        """It ends by the clock, by a missing first move, or by the players' absence."""
        room, control = self.room, self.room.options.clock
        if room.status == "playing" and control is not None:
            assert room.due_at is not None
            most = given(control) + 9 * (control.increment_ms if isinstance(control, Fischer) else 0) + 1000
            assert room.due_at <= room.moved_at + max(most, room.options.first_move_ms)

    @invariant()
    def clocks_hold_the_time_given_minus_the_time_spent(self) -> None:
        """Clocks are never negative, at most one runs, and the rest is the time given minus the thinking time."""
        room, control = self.room, self.room.options.clock
        if control is None:
            assert room.clocks is None
            assert state(room)["clock"] is None
            return
        clocks = room.clocks
        assert clocks is not None
        for side in Side:
            assert clocks.left(side) >= 0
            assert 0 <= clocks.quota(side) <= 3000
        shown = state(room)["clock"]
        assert shown is not None
        assert (shown["running"] is not None) == (room.status == "playing" and len(room.moves) > 1)
        assert shown["running"] in (None, room.to_move)
        if isinstance(control, PerMove):
            assert {clocks.first_ms, clocks.second_ms} <= {control.per_move_ms} or room.status == "over"
            return
        on_the_board: list[Played] = []
        unfinished = 0
        for before, event in zip(self.rooms, self.events[1:], strict=False):
            if isinstance(event, Played):
                on_the_board.append(event)
            elif isinstance(event, TakenBack):
                del on_the_board[-event.plies :]
            elif isinstance(event, Ended) and before.running is not None and before.clocks is not None:
                unfinished = min(max(0, event.at - before.moved_at), before.clocks.left(before.running))
        charged = on_the_board[2:]  # a side's first move is free
        left, spent = clocks.first_ms + clocks.second_ms, sum(event.thought_ms for event in charged) + unfinished
        assert left + spent == 2 * control.initial_ms + len(charged) * control.increment_ms

    @invariant()
    def at_most_one_offer_of_a_kind_stands(self) -> None:
        assert len(set(all_offers(self.room))) == len(all_offers(self.room))
        assert set(self.room.offers) <= self.room.offered or self.room.next is not None
        allowed = {"waiting": set[str](), "playing": {"draw", "takeback"}, "over": {"rematch"}}
        assert set(all_offers(self.room)) <= allowed[self.room.status]

    @invariant()
    def an_offer_survives_no_move_and_no_agreement(self) -> None:
        if isinstance(self.events[-1], Played | TakenBack | Ended | Rematched):
            assert not self.room.offers

    @invariant()
    def a_takeback_restores_all_but_the_turn(self) -> None:
        event, now = self.events[-1], self.room
        if not isinstance(event, TakenBack):
            return
        before = self.rooms[-2]
        earlier = [room for room in self.rooms[:-1] if room.moves == now.moves and room.status == "playing"][-1]
        assert (now.position, now.clocks) == (earlier.position, earlier.clocks)
        assert now.turn == before.turn + event.plies
        assert now.moved_at == event.at
        for turn in range(before.turn + 1):
            for move in "123456789":
                for player in (now.first, now.second):
                    assert player is not None
                    assert self.never_taken(Play(player.id, turn, move)), "sent before, and not played after"

    def never_taken(self, command: Play) -> bool:
        try:
            return isinstance(decide(self.room, command, self.now), NoChange)
        except Refused as refusal:
            return refusal.code == "stale"


TestRoomMachine = RoomMachine.TestCase
TestRoomMachine.settings = settings(max_examples=60, stateful_step_count=40)


class LongRoomMachine(RoomMachine):
    """The same with many more examples."""


TestLongRoomMachine = pytest.mark.slow(LongRoomMachine.TestCase)
TestLongRoomMachine.settings = settings(max_examples=400, stateful_step_count=40)
