"""Random games with every kind of event, made by the rules themselves."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from noughts.games import GAMES, Side
from noughts.journal import Append, GameResult, Journal, StoredPlayer
from noughts.projection import index_row, result_of
from noughts.protocol.gamefile import RecordedGame, recorded
from noughts.protocol.records import to_record
from noughts.rooms import (
    Abort,
    AcceptDraw,
    AcceptTakeback,
    Claim,
    ClaimDraw,
    Command,
    DeclineDraw,
    DeclineTakeback,
    Disconnect,
    Event,
    Expire,
    Fischer,
    Join,
    NoChange,
    OfferDraw,
    OfferRematch,
    OfferTakeback,
    Open,
    Opened,
    Options,
    Pause,
    PerMove,
    Play,
    Player,
    Refused,
    Resign,
    Return,
    Room,
    TimeControl,
    evolve,
    rematch_of,
)
from support.rooms import decided

BEGINNING = 1_794_916_800_000
"""A day in the past: games that are not over yet cannot be imported."""

PLAYERS = (
    Player("p-1", "player-1", "human", registered=True, rating=1512),
    Player("p-2", "плеер 2", "human", registered=True, rating=1490, provisional=True),
    Player("p-bot", "bot-1", "bot", registered=True),
    Player("computer:easy", "computer", "computer"),
)
DRAW_ANSWERS: list[type[AcceptDraw | DeclineDraw]] = [AcceptDraw, DeclineDraw, DeclineDraw]
TAKEBACK_ANSWERS: list[type[AcceptTakeback | DeclineTakeback]] = [AcceptTakeback, DeclineTakeback]
CLOCKS: tuple[TimeControl | None, ...] = (None, Fischer(180_000, 2000), Fischer(10_000, 0), PerMove(20_000))


def random_game(random: Random, room: str = "room", game: str | None = None, *, ending: bool = True) -> list[Event]:
    """A random game with every kind of event. With ``ending`` it is over, perhaps with a rematch."""
    clock = random.choice(CLOCKS)
    private = random.random() < 0.2
    options = Options(private=private, rated=clock is not None and not private and random.random() < 0.5, clock=clock)
    first, second = random.sample(PLAYERS, 2)
    key = game or random.choice([*GAMES])
    seated = random.random() < 0.3
    command = Open(room, key, first.id, first, second if seated or second.kind == "computer" else None, options)
    at = BEGINNING + random.randrange(86_400_000)
    opened = decided(None, command, at)
    assert isinstance(opened, Opened)
    table = _Table(random, opened)
    if table.room.second is None:
        table.do(Join(second))
    while table.room.status != "over":
        table.something()
        if len(table.events) > 10 and not ending:
            return table.events
    for side in random.sample([*Side], 2):
        table.do(OfferRematch(table.player(side), f"{room}-next"))
    return table.events


def random_records(random: Random, room: str = "room", game: str | None = None) -> list[bytes]:
    """The records of such a game."""
    return [to_record(event) for event in random_game(random, room, game)]


def played(game: str, moves: Iterable[str], *, resigns: Side | None = None, room: str = "room") -> RecordedGame:
    """A game of these moves, which the board ends or a side that resigns."""
    ann, bob = PLAYERS[:2]
    commands: list[Command] = [Open(room, game, ann.id, ann, bob, Options())]
    commands += [Play((ann, bob)[turn % 2].id, turn, move) for turn, move in enumerate(moves)]
    if resigns is not None:
        commands.append(Resign((ann if resigns is Side.FIRST else bob).id))
    state: Room | None = None
    records = []
    for second, command in enumerate(commands):
        event = decided(state, command, BEGINNING + 1000 * second)
        assert not isinstance(event, Refused | NoChange), event
        state = evolve(state, event)
        records.append(to_record(event))
    return recorded(records)


def rematch(events: list[Event]) -> Opened | None:
    """The event that opens the rematch of a game, or None."""
    room: Room | None = None
    for event in events:
        room = evolve(room, event)
    assert room is not None
    return None if room.next is None else rematch_of(room, room.at)


async def keep(journal: Journal, records: list[bytes]) -> RecordedGame:
    """Store a game as a host does."""
    game, before = recorded(records), None
    for number, room in enumerate(game.rooms, 1):
        finished = result_of(room, before)
        players = tuple(
            StoredPlayer(seat.id, seat.name, seat.kind, seat.id.encode().ljust(32))
            for seat in (room.first, room.second)
            if seat is not None and seat.kind != "computer"
        )
        assert await journal.append(Append(room.id, number, records[number - 1], index_row(room), players, finished))
        before = room
    return game


async def results_of(journal: Journal, room: str) -> list[GameResult]:
    return [one for one in await journal.results.finished(private=True, limit=1000) if one.room == room]


class _Table:
    def __init__(self, random: Random, opened: Opened) -> None:
        self.random = random
        self.events: list[Event] = [opened]
        self.room = evolve(None, opened)
        self.now = opened.at

    def player(self, side: Side) -> str:
        player = self.room.seat(side)
        assert player is not None
        return player.id

    def do(self, command: Command) -> None:
        try:
            event = decided(self.room, command, self.now)
        except Refused:
            return
        if not isinstance(event, NoChange):
            self.room = evolve(self.room, event)
            self.events.append(event)

    def something(self) -> None:
        """Do something random: a move most of the time."""
        random, room = self.random, self.room
        side = random.choice([*Side])
        one, other = self.player(side), self.player(side.other)
        self.now += random.choice([0, 10, 1000, 4000])
        self.do(Expire())
        match random.randrange(40):
            case 0:
                self.do(OfferDraw(one))
                self.do(random.choice(DRAW_ANSWERS)(other))
                self.do(ClaimDraw(one))
            case 1 | 2:
                self.do(OfferTakeback(one))
                self.do(random.choice(TAKEBACK_ANSWERS)(other))
            case 3:
                self.do(Disconnect(one))
            case 4:
                self.do(Return(one))
            case 5:
                self.now += 10_000
                self.do(Pause(((self.now - 9000, self.now - 2000),)))
            case 6:
                endings: list[Command] = [Resign(one), Abort(one), Claim(one, "win"), Claim(one, "draw")]
                self.do(random.choice(endings))
            case _:
                mover = room.seat(room.to_move) if room.to_move is not None else None
                if mover is None:
                    return
                note = random.choice([None, "+0.25", "even\nbut not for long"]) if mover.kind == "bot" else None
                arrived = self.now - random.choice([0, 5])
                move = random.choice(room.position.legal_moves)
                self.do(Play(mover.id, room.turn, move, arrived, random.choice([0, 30, 2000]), note))
