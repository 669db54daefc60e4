"""Checks of a bot that is a program of its own, for one game: the turns that it is asked about, and the faults in its
answers. It runs as the user does: somebody who checks a bot trusts it."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from noughts.conformance.report import Check, Fault
from noughts.games import Position, Side
from noughts.games.catalogue import game_named
from noughts_client.bots.game_bot import ProgramBot, start
from noughts_client.bots.program import BotSpec
from noughts_client.failure import BotFailed
from noughts_client.state import BotState

POSITIONS = 8
"""In how many positions, each in the middle of a game, a bot is asked for a move."""

CLOCK_S = 1.0
"""The time that a bot is told to have left when it is asked to be quick, in seconds."""

QUOTED = 8
"""The number of lines of the beginning and of the end of a traceback or stderr are quoted."""

EXIT_S = 2.0
"""The time that a bot may take to end after its input has, in seconds."""


@dataclass(frozen=True)
class Subject:
    """The bot to check, the game, and how long any answer may take, in seconds."""

    spec: BotSpec
    game: str
    patience_s: float


async def check_bot(subject: Subject) -> AsyncIterator[Check]:
    """The checks of the bot, each as soon as it is done. If it does not start, the first is the last."""
    for name, check in CHECKS.items():
        if check in (prints_nothing_else, ends_with_its_input) and subject.spec.kind not in ("python", "exec"):
            continue  # an engine speaks as its own protocol says
        try:
            await check(subject)
        except Fault as fault:
            yield Check(f"{subject.game}: {name}", fault)
            if check is answers_the_first_turn:
                return
        else:
            yield Check(f"{subject.game}: {name}")


async def answers_the_first_turn(subject: Subject) -> None:
    """It starts, and plays a legal move."""
    async with _playing(subject) as bot:
        await _move(bot, subject, [])


async def plays_legal_moves(subject: Subject) -> None:
    """It plays legal moves in the middle of games of which it has seen nothing, for both sides."""
    for number in range(POSITIONS):
        moves = _some_moves(subject.game, number)
        async with _playing(subject) as bot:
            await _move(bot, subject, moves)


async def plays_first(subject: Subject) -> None:
    """It plays a whole game with the first move."""
    await _whole_game(subject, Side.FIRST)


async def plays_second(subject: Subject) -> None:
    """It plays a whole game with the second move."""
    await _whole_game(subject, Side.SECOND)


async def _whole_game(subject: Subject, side: Side) -> None:
    """The other side ends the game only if it must, so that it is a long one."""
    choose, moves, position = random.Random(2), list[str](), game_named(subject.game).start
    async with _playing(subject) as bot:
        while position.to_move is not None:
            if position.to_move is side:
                move = await _move(bot, subject, moves)
            else:
                going_on = [each for each in position.legal_moves if position.play(each).to_move is not None]
                move = choose.choice(going_on or position.legal_moves)
            position = position.play(move)
            moves.append(move)


async def follows_a_takeback(subject: Subject) -> None:
    """It plays on from the board that it is shown after moves were taken back."""
    moves = _some_moves(subject.game, 0, plies=4)
    async with _playing(subject) as bot:
        await _move(bot, subject, moves[:4])
        await _move(bot, subject, moves[:2], turn=6)


async def is_quick_if_it_must_be(subject: Subject) -> None:
    """It answers in time when its clock has a second left."""
    async with _playing(subject) as bot:
        moves = [await _move(bot, subject, [])]
        moves.append(_position(subject.game, moves).legal_moves[0])
        await _move(bot, subject, moves, clock_s=CLOCK_S)


async def prints_nothing_else(subject: Subject) -> None:
    """It writes one line for each turn to stdout, and nothing before, between or after them."""
    async with _playing(subject) as bot:
        quotes = await _some_turns(bot, subject)
        bot.process.end_input()
        await bot.process.ending(EXIT_S)
        if rest := bot.process.unread:
            raise Fault("it wrote to stdout after its last answer", [*quotes, f"< {rest}"])


async def ends_with_its_input(subject: Subject) -> None:
    """It ends by itself, without an error, when there are no more turns."""
    async with _playing(subject) as bot:
        quotes = await _some_turns(bot, subject)
        bot.process.end_input()
        status = await bot.process.ending(EXIT_S)
        if status is None:
            raise Fault(f"it was still running {EXIT_S:g} s after the end of its input", quotes)
        if status:
            raise Fault(f"it ended with the exit status {status} at the end of its input", quotes)


CHECKS: dict[str, Callable[[Subject], Awaitable[None]]] = {
    "it starts and plays a legal move": answers_the_first_turn,
    "it plays legal moves in the middle of games": plays_legal_moves,
    "it plays a whole game with the first move": plays_first,
    "it plays a whole game with the second move": plays_second,
    "it follows a takeback": follows_a_takeback,
    "it answers in time with a second left": is_quick_if_it_must_be,
    "it writes nothing but answers to stdout": prints_nothing_else,
    "it ends when its input ends": ends_with_its_input,
}


def _position(game: str, moves: list[str]) -> Position:
    position = game_named(game).start
    for move in moves:
        position = position.play(move)
    return position


def _some_moves(game: str, number: int, plies: int | None = None) -> list[str]:
    """The moves to a position in the middle of a game: of the first side for even numbers, of the second for odd."""
    choose = random.Random(number)
    while True:
        moves, position = list[str](), game_named(game).start
        wanted = choose.randint(1, 30) if plies is None else plies
        while position.to_move is not None and len(moves) < wanted:
            moves.append(choose.choice(position.legal_moves))
            position = position.play(moves[-1])
        if plies is not None:
            if len(moves) == plies and position.to_move is not None:
                return moves
        elif position.to_move is (Side.SECOND if number % 2 else Side.FIRST):
            return moves


@asynccontextmanager
async def _playing(subject: Subject) -> AsyncIterator[ProgramBot]:
    """The bot at the start of a game."""
    try:
        bot = await start(subject.spec, subject.game)
    except BotFailed as failed:
        raise _fault(failed) from failed
    try:
        yield bot
    finally:
        await bot.close()


async def _move(
    bot: ProgramBot, subject: Subject, moves: list[str], *, turn: int | None = None, clock_s: float | None = None
) -> str:
    """The bot's move after ``moves``."""
    state = BotState.after(game_named(subject.game), moves, turn=turn, room="check", left_s=clock_s)
    try:
        move, _ = await bot.choose(state, patience_s=subject.patience_s if clock_s is None else clock_s)
    except BotFailed as failed:
        fault = _fault(failed)
        if failed.failure.kind == "time" and subject.spec.kind == "exec" and not moves:
            fault = Fault(f"{fault}. Does it flush its output?", fault.quotes)
        raise fault from failed
    return move


def _fault(failed: BotFailed) -> Fault:
    """Quotes what the bot was asked (``>``), its answer (``<``), and both ends of its traceback or stderr (``!``)."""
    failure = failed.failure
    quotes = [f"> {failure.line}"] if failure.line else []
    quotes += [f"< {line}" for line in failure.answer.splitlines()]
    quotes += [f"! {line}" for line in _ends((failure.traceback or failure.stderr).splitlines())]
    return Fault(failure.message.removesuffix("."), quotes)


def _ends(lines: list[str]) -> list[str]:
    """The beginning and the end: Python names the cause of a crash last, Node first."""
    return lines if len(lines) <= 2 * QUOTED else [*lines[:QUOTED], "...", *lines[-QUOTED:]]


async def _some_turns(bot: ProgramBot, subject: Subject) -> list[str]:
    """Ask for some moves of one game. Returns the last line out and the move that it led to, as quotes."""
    moves: list[str] = []
    for _ in range(3):
        moves.append(await _move(bot, subject, moves))
    line = BotState.after(game_named(subject.game), moves[:-1], room="check").to_line()
    return [f"> {line}", f"< {moves[-1]}"]
