"""A state machine drives decide and evolve with members, strangers and nonsense."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from noughts.games import GAMES, Side
from noughts.protocol import from_record, state, to_record
from noughts.rooms import (
    Abort,
    AcceptRematch,
    Already,
    Command,
    DeclineRematch,
    Disconnect,
    Ended,
    Event,
    Expire,
    Join,
    OfferRematch,
    Open,
    Options,
    Play,
    Played,
    Player,
    Refused,
    Rematched,
    Resign,
    Return,
    Room,
    decide,
    evolve,
    rematch_of,
)

PEOPLE = [Player(f"p-{name}", name, "human") for name in ("ann", "ben", "stranger")]
PERFECT = Player("computer:perfect", "minimax", "computer")
OPTIONS = Options(waiting_ms=3_600_000, sleeping_ms=86_400_000)

people = st.sampled_from(PEOPLE)
names = st.sampled_from([*(player.id for player in PEOPLE), PERFECT.id, "", "nobody"])
seats = st.sampled_from([None, *PEOPLE[:2], PERFECT])
moves = st.sampled_from([*"123456789", "0", "10", "a1", "", "-1", "٣", "1 "])
turns = st.integers(-2, 11)
waits = st.sampled_from([0, 1, 1000, 3_600_000, 86_400_000])


class RoomMachine(RuleBasedStateMachine):
    """One room, whoever comes."""

    room: Room
    events: list[Event]
    now: int

    @initialize(first=seats, second=seats, now=st.integers(0, 10**12))
    def open(self, first: Player | None, second: Player | None, now: int) -> None:
        self.now = now
        self.events = []
        command = Open("room", "tictactoe", "p-ann", first, second, OPTIONS)
        if first is second and first in PEOPLE:
            with pytest.raises(Refused, match="not_allowed"):
                decide(None, command, now)
            command = Open("room", "tictactoe", "p-ann", first, None, OPTIONS)
        event = decide(None, command, now)
        assert not isinstance(event, Already)
        self.room = evolve(None, event)
        self.events.append(event)

    def do(self, command: Command) -> Event | Already | Refused:
        before = self.room
        try:
            decision = decide(self.room, command, self.now)
        except Refused as refusal:
            assert self.room == before
            return refusal
        if isinstance(decision, Already):
            assert 1 <= decision.version <= self.room.version
            return decision
        self.room = evolve(self.room, decision)
        self.events.append(decision)
        assert self.room.version == before.version + 1
        assert self.room.turn >= before.turn
        return decision

    @rule(player=people, side=st.sampled_from([None, *Side]))
    def join(self, player: Player, side: Side | None) -> None:
        before = self.room
        result = self.do(Join(player, side))
        if before.side_of(player.id) is not None:
            assert isinstance(result, Already | Refused)
        elif not isinstance(result, Refused):
            taken = self.room.side_of(player.id)
            assert taken is not None
            assert before.seat(taken) is None
            assert side in (None, taken)

    @rule(player=names, turn=turns, move=moves)
    def play_anything(self, player: str, turn: int, move: str) -> None:
        before = self.room
        result = self.do(Play(player, turn, move))
        if isinstance(result, Played):
            assert before.status == "playing"
            assert turn == before.turn
            assert move in before.position.legal_moves
            assert self.room.moves == (*before.moves, move)

    @rule(data=st.data())
    def play_well(self, data: st.DataObject) -> None:
        """A legal move by whose turn it is, so that games get somewhere; twice, since answers get lost."""
        if self.room.to_move is None:
            return
        player = self.room.seat(self.room.to_move)
        assert player is not None
        command = Play(player.id, self.room.turn, data.draw(st.sampled_from(self.room.position.legal_moves)))
        assert isinstance(self.do(command), Played)
        version = self.room.version
        assert decide(self.room, command, self.now) == Already(version)

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
            assert before.status == "waiting"
            assert player == before.by or before.side_of(player) is not None

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
    def the_journal_gives_the_same_room(self) -> None:
        room: Room | None = None
        for event in self.events:
            room = evolve(room, from_record(to_record(event)))
        assert room == self.room

    @invariant()
    def exactly_one_end(self) -> None:
        ends = [event for event in self.events if isinstance(event, Ended) or getattr(event, "outcome", None)]
        assert len(ends) == (self.room.outcome is not None)
        assert (self.room.status == "over") == (self.room.outcome is not None)

    @invariant()
    def time_never_goes_back(self) -> None:
        times = [event.at for event in self.events]
        assert times == sorted(times)

    @invariant()
    def the_board_is_what_the_moves_make(self) -> None:
        position = GAMES["tictactoe"].start
        for move in self.room.moves:
            position = position.play(move)
        assert position == self.room.position

    @invariant()
    def everybody_is_told_the_truth(self) -> None:
        told = state(self.room)
        assert told["turn"] == self.room.turn == len(told["moves"])
        assert (told["to_move"] is None) == (told["status"] != "playing") == (told["legal_moves"] == [])
        assert told["ply"] == sum(cell != "." for row in told["rows"] for cell in row)

    @invariant()
    def there_is_a_way_out_by_time(self) -> None:
        """Advance time enough, and every room that waits for a person ends; two computers play on."""
        if self.room.status == "over" or {self.room.first, self.room.second} == {PERFECT}:
            assert self.room.due_at is None
            return
        assert self.room.due_at is not None
        ended = decide(self.room, Expire(), self.room.due_at)
        assert isinstance(ended, Ended)
        assert evolve(self.room, ended).status == "over"


TestRoomMachine = RoomMachine.TestCase
TestRoomMachine.settings = settings(max_examples=400, stateful_step_count=40, deadline=None)
