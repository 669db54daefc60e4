"""A turn of a league's game again: what the bot was asked, and what it answers now, also in words."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from noughts.columns import printable
from noughts.games import Side as GameSide
from noughts.games.board import board, faces
from noughts.league.finished import head_lines
from noughts.league.plan import game_of
from noughts.league.records import SIDES, LeagueRecord, Record, Side
from noughts.league.state import LeagueError
from noughts.league.summary import failure_lines
from noughts_client.bots.game_bot import GRACE_S, GameBot
from noughts_client.failure import BotFailed, Failure
from noughts_client.state import BotState
from noughts_client.time_control import parse_time_control


@dataclass(frozen=True)
class Turn:
    """A turn of a bot: what it was asked, and what it did then.

    ``ply`` is the number of moves before it. ``position`` is None and ``line`` is empty for a bot that did not start.
    ``move`` is what was played, None if the bot failed or the game ended otherwise.
    """

    ply: int
    position: Any
    line: str
    move: str | None
    failure: Failure | None

    @property
    def had_s(self) -> float | None:
        """The seconds on the bot's clock, None if it did not start or had no clock."""
        time_ms = json.loads(self.line)["time_ms"] if self.line else None
        return None if time_ms is None else time_ms / 1000


@dataclass(frozen=True)
class Answered:
    """A bot's answer to a line: its move, a note and the seconds that it took; or its failure."""

    move: str
    note: str
    seconds: float
    stderr: str
    failure: Failure | None


def is_late(turn: Turn, answered: Answered) -> bool:
    """True if a move came after the time that the bot had on its clock."""
    return answered.failure is None and turn.had_s is not None and answered.seconds > turn.had_s


def record_of(records: list[Record], game: int) -> Record:
    """The record of a game. Raises :class:`~noughts.league.state.LeagueError`."""
    found = next((record for record in records if record["game"] == game), None)
    if found is None:
        raise LeagueError(f"the league has no record of game {game}")
    return found


def side_of(record: Record, name: str) -> Side:
    """The side of a player in a game. Raises :class:`~noughts.league.state.LeagueError`."""
    for side in SIDES:
        if record[side] == name:
            return side
    raise LeagueError(f"{name} did not play game {record['game']}: {record['first']} and {record['second']} did")


def turn_of(league: LeagueRecord, record: Record, side: Side, ply: int | None = None) -> Turn:
    """The turn of the bot on ``side`` after ``ply`` moves; without ``ply``, its last one.

    The line is the recorded one where the bot failed. Otherwise it is made anew from the moves, and its clock has the
    time of the game's start. Raises :class:`~noughts.league.state.LeagueError` if the bot was not to move.
    """
    failure = failure_of(record) if record["failure"] is not None and record["failure"]["side"] == side else None
    if failure is not None and failure.kind == "start" and ply is None:
        return Turn(0, None, "", None, failure)
    turns = _turns(league, record, side)
    begins = len(record["opening"])
    asked = [number for number in turns if number >= begins]
    if ply is None and not asked:
        raise LeagueError(f"{record[side]} was never asked for a move in game {record['game']}")
    after = asked[-1] if ply is None else ply
    if after not in turns:
        raise LeagueError(_not_to_move(record, side, after, asked))
    players: dict[Side, str] = {"first": record["first"], "second": record["second"]}
    made = _line(league, players, record["moves"][:after], room=record["room"])
    recorded = None if failure is None else _moves_in(failure.line)
    if failure is not None and after == len(record["moves"] if recorded is None else recorded):
        line = failure.line if recorded is not None else made
        return Turn(after, turns[after], line, None, failure)
    return Turn(after, turns[after], made, dict(enumerate(record["moves"])).get(after), None)


def failure_of(record: Record) -> Failure | None:
    """The failure that ended a game, if one did."""
    found = record["failure"]
    return None if found is None else Failure(**{key: value for key, value in found.items() if key != "side"})  # type: ignore[arg-type]


def _turns(league: LeagueRecord, record: Record, side: Side) -> dict[int, Any]:
    """The positions in which ``side`` was to move, by the number of moves before."""
    own = GameSide.FIRST if side == "first" else GameSide.SECOND
    position = game_of(league["game"]).start
    turns = {}
    for number, move in enumerate([*record["moves"], None]):
        if position.to_move is own:
            turns[number] = position
        if move is not None:
            position = position.play(move)
    return turns


def _not_to_move(record: Record, side: Side, ply: int, asked: list[int]) -> str:
    count = len(record["moves"])
    turns = f"It was to move after {', '.join(map(str, asked))}" if asked else "It was never asked for a move"
    if ply > count:
        return f"--turn {ply}: game {record['game']} has {count} moves. {record[side]}: {turns[:1].lower()}{turns[1:]}."
    return f"--turn {ply}: {record[side]} was not to move after {ply} of {count} moves. {turns}."


def _line(league: LeagueRecord, players: Mapping[Side, str], moves: list[str], *, room: str = "") -> str:
    """The line that asks for the move after ``moves``; all of the clock's time is left."""
    clock: Any = parse_time_control(league["clock"])
    left_s, now = clock.get("per_move_s", clock.get("initial_s", 0)), time.monotonic()
    names = players["first"], players["second"]
    return BotState.after(game_of(league["game"]), moves, room=room, names=names, left_s=left_s, now=now).to_line(now)


def _moves_in(line: str) -> list[str] | None:
    """The moves that a line tells of; None if it is not a turn, since engines are not asked in JSON."""
    try:
        moves: list[str] = json.loads(line)["moves"]
    except (ValueError, KeyError, TypeError):
        return None
    return moves


def first_line(league: LeagueRecord, name: str) -> str:
    """The line that asks a player for the first move of a game against the player who is named after it."""
    names = [player["name"] for player in league["players"]]
    opponent = names[names.index(name) - 1]
    return _line(league, {"first": name, "second": opponent}, [])


async def ask(bot: GameBot, league: LeagueRecord, line: str, *, patience_s: float | None = None) -> Answered:
    """Send a bot a line. Without ``patience_s`` it has the time of its clock, and some seconds more."""
    fields = json.loads(line)
    state = BotState.from_line(fields)
    state.control = parse_time_control(league["clock"])
    if patience_s is None:
        patience_s = (fields["time_ms"] or 0) / 1000 + GRACE_S
    began = time.monotonic()
    try:
        move, note = await bot.choose(state, patience_s=patience_s)
    except BotFailed as error:
        return Answered("", "", time.monotonic() - began, bot.stderr, error.failure)
    return Answered(move, note, time.monotonic() - began, bot.stderr, None)


def before_lines(league: LeagueRecord, record: Record, side: Side, turn: Turn) -> list[str]:
    """Lines on who played, the board, the line that the bot was sent, and what it did with it."""
    lines = head_lines(league, record)
    name = printable(record[side])
    if turn.position is None:
        lines += ["", f"{name} was not asked for a move, as it did not start."]
    else:
        game = game_of(league["game"])
        style = game.style(GameSide(side))
        moves = "1 move" if turn.ply == 1 else f"{turn.ply} moves"
        lines += ["", f"After {moves}, {name} ({style.name}, {style.symbol}) was to move:", ""]
        lines += [*board(game, faces(game, turn.position)), "", "It was sent:", f"> {turn.line}"]
    return [*lines, "", *_then(record, turn)]


def _then(record: Record, turn: Turn) -> list[str]:
    if turn.failure is not None:
        return ["Then it failed:", *failure_lines(turn.failure)]
    if turn.move is None:
        return ["The game ended before it answered."]
    if turn.ply < len(record["opening"]):
        return [f"Then the league played {turn.move}, which is part of the opening."]
    return [f"Then it played {turn.move}{_with_note(record['notes'].get(turn.ply, ''))}."]


def after_lines(record: Record, turn: Turn, answered: Answered) -> list[str]:
    """Lines on what the bot does now, and whether it is the same."""
    if answered.failure is not None:
        if turn.failure is not None and _alike(turn.failure, answered.failure):
            return ["", "Now it fails in the same way."]
        how = "Now it fails:" if turn.failure is None else "Now it fails in another way:"
        return ["", how, *failure_lines(answered.failure)]
    plays = f"Now it plays {answered.move}{_with_note(answered.note)} after {answered.seconds:.3f} s"
    timed_out = turn.failure is not None and turn.failure.kind == "time"
    had = f", and had {turn.had_s:.3f} s" if turn.had_s is not None else ""
    if is_late(turn, answered):
        return ["", f"{plays}{had}: it would lose on time{' again' * timed_out}.", *_stderr(answered)]
    lines = ["", f"{plays}{had * timed_out}."]
    if turn.failure is not None:
        lines.append("It does not fail.")
    elif turn.move is not None and turn.ply >= len(record["opening"]):
        lines.append("That is the same move." if answered.move == turn.move else "That is another move.")
    return [*lines, *_stderr(answered)]


def _stderr(answered: Answered) -> list[str]:
    return ["stderr:", *map(printable, answered.stderr.splitlines())] if answered.stderr.strip() else []


def _with_note(note: str) -> str:
    return f" (note: {printable(' '.join(note.split()))})" if note.strip() else ""


MEASURED = ("time", "memory", "flood", "processes")
"""Kinds of failures whose messages have a measure, which is never the same twice."""


def _alike(one: Failure, other: Failure) -> bool:
    if one.kind == other.kind and one.kind in MEASURED:
        return True
    return (one.kind, one.message, one.traceback, one.answer) == (
        other.kind,
        other.message,
        other.traceback,
        other.answer,
    )
