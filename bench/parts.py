"""The cost of the pure parts of a move.

``python -m bench.parts`` plays games of each kind at random and times, at some of their moves, what becomes of a
request: parsing it, ``decide``, the record and the update, both as JSON. It prints a table in us for
bench/results.md.

Every number is the mean over two thousand different moves, so that nothing is remembered from one to the next that a
server would not remember either, and the smallest of several rounds, so that other work on the machine matters little.
"""

from __future__ import annotations

import argparse
import platform
import random
from collections.abc import Callable, Iterable
from importlib.metadata import version
from time import process_time_ns

from noughts.games import Position, Side
from noughts.protocol.parsing import parse
from noughts.protocol.records import to_record
from noughts.protocol.render import update_json
from noughts.rooms import Event, Fischer, NoChange, Opened, Options, Play, Player, Room, decide, evolve

MOVES = {"tictactoe": (5,), "connect4": (5, 20), "reversi": (5, 40), "gomoku": (5, 60, 200), "ultimate": (5, 30)}
CLOCK = Fischer(180_000, 2000)
PLAYERS = Player("p-5xjaih7ioqcqi", "Ann", "human"), Player("p-ttvcjmye3ptla", "Ben", "human")
STARTED = 1_795_521_600_000
SPENT_MS = 500
GAMES, EACH = 200, 10

Moment = tuple[Room, Play, int]
"""A room, a legal move in it, and the time at which it is made."""


def going_on(position: Position, rng: random.Random) -> Iterable[str]:
    """The moves after which the game goes on, in random order."""
    moves = list(position.legal_moves)
    rng.shuffle(moves)
    return (move for move in moves if position.play(move).outcome is None)


def play(moment: Moment) -> tuple[Event, Room]:
    """The event of the move, and the room after it."""
    room, command, at = moment
    step = decide(room, command, at)
    assert not isinstance(step, NoChange)
    return step.event, step.room


def moment(room: Room, move: str) -> Moment:
    at, side = room.at + SPENT_MS, room.to_move
    assert side is not None
    return room, Play(PLAYERS[side is Side.SECOND].id, room.turn, move, at, 40), at


def moments(key: str, number: int, *, clock: bool) -> list[Moment]:
    """Moves with that number, from 1, in different games."""
    first, second = PLAYERS
    opened = Opened(STARTED, "i3met7a7pd6zz", key, first.id, first, second, Options(clock=CLOCK if clock else None))
    rng, found = random.Random(number), list[Moment]()
    while len(found) < GAMES * EACH:
        room = evolve(None, opened)
        for _ in range(number - 1):
            move = next(iter(going_on(room.position, rng)), None)
            if move is None:
                break
            _, room = play(moment(room, move))
        else:
            found += [moment(room, move) for move, _ in zip(going_on(room.position, rng), range(EACH), strict=False)]
    return found


def us(part: Callable[..., object], arguments: list[tuple[object, ...]], rounds: int) -> float:
    """The CPU time of one call."""
    best = 0
    for _ in range(rounds):
        started = process_time_ns()
        for each in arguments:
            part(*each)
        took = process_time_ns() - started
        best = min(best or took, took)
    return best / len(arguments) / 1000


def frame(room: Room, command: Play, _: int) -> str:
    return f'{{"type":"play","id":1234,"room":"{room.id}","turn":{command.turn},"move":"{command.move}"}}'


def measured(played: list[Moment], rounds: int) -> list[float]:
    """us of each part: parse, decide, record, update."""
    happened = [play(each) for each in played]
    parsed = us(parse, [(frame(*each),) for each in played], rounds)
    decided = us(decide, list(played), rounds)
    recorded = us(to_record, [(event,) for event, _ in happened], rounds)
    return [parsed, decided, recorded, us(update_json, list(happened), rounds)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20, help="rounds of two thousand calls each (default: 20)")
    parser.add_argument("--game", choices=MOVES, action="append", help="only this game; may be repeated")
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, pydantic {version('pydantic')}; smallest of {options.rounds} rounds\n")
    print("| game | move | clock | parse | decide | record | update | the last three | bytes of the update |")
    print("|---|---|---|---|---|---|---|---|---|")
    for key in options.game or MOVES:
        for number in MOVES[key]:
            for clock in (False, True):
                played = moments(key, number, clock=clock)
                parts = measured(played, options.rounds)
                cells = [f"{each:.1f}" for each in (*parts, sum(parts[1:]))]
                size = sum(len(update_json(*play(each))) for each in played) // len(played)
                print("|", " | ".join([key, str(number), "3+2" if clock else "", *cells, f"{size:,}"]), "|", flush=True)


if __name__ == "__main__":
    main()
