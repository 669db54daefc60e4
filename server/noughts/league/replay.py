"""A turn of a league's game again: what the bot was asked, and what it answers now."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from noughts.games import Side as GameSide
from noughts.league.game import GRACE_S
from noughts.league.plan import game_of
from noughts.league.records import SIDES, LeagueRecord, Record, Side
from noughts.league.state import LeagueError
from noughts_client.bots.failure import BotFailed, Failure
from noughts_client.bots.game_bot import GameBot
from noughts_client.bots.lines import STATE_FIELDS, turn
from noughts_client.state import BotState
from noughts_client.time_control import parse_time_control


@dataclass(frozen=True)
class Answered:
    """What a bot said to a line: its move, a note and the seconds that it took; or its failure."""

    line: str
    move: str
    note: str
    seconds: float
    stderr: str
    failure: Failure | None


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


def line_of(league: LeagueRecord, record: Record, side: Side, ply: int | None = None) -> str:
    """The line that the bot on ``side`` was sent after ``ply`` moves; without ``ply``, in its last turn.

    If that is where it failed, it is the line that was recorded. Otherwise it is made anew from the moves, and its
    clock has the time of the game's start. Raises :class:`~noughts.league.state.LeagueError` if it was not to move.
    """
    failure = record["failure"]
    if failure is not None and failure["side"] == side:
        moves = _moves_in(failure["line"])
        if moves is not None and ply in (None, len(moves)):
            return failure["line"]
    game = game_of(league["game"])
    own = GameSide.FIRST if side == "first" else GameSide.SECOND
    position = game.start
    turns = {}
    for number, move in enumerate([*record["moves"], None]):
        if position.to_move is own:
            turns[number] = position
        if move is not None:
            position = position.play(move)
    begins = len(record["opening"])
    asked = [number for number in turns if number >= begins]
    if ply is None and not asked:
        raise LeagueError(f"{record[side]} was never asked for a move in game {record['game']}")
    after = asked[-1] if ply is None else ply
    if after not in turns:
        raise LeagueError(f"{record[side]} was not to move after {after} of {len(record['moves'])} moves")
    return _line(league, record, side, turns[after], record["moves"][:after])


def _line(league: LeagueRecord, record: Record, side: Side, position: Any, moves: list[str]) -> str:
    clock: Any = parse_time_control(league["clock"])
    given_ms = round(clock.get("per_move_s", clock.get("initial_s", 0)) * 1000)
    seats = {each: {"id": f"p-{record[each]}", "name": record[each], "kind": "bot", "online": True} for each in SIDES}
    state: Mapping[str, Any] = {
        "turn": len(moves),
        "ply": position.ply,
        "legal_moves": list(position.legal_moves),
        "rows": list(position.rows),
        "moves": moves,
        "to_move": side,
        "seats": seats,
        "clock": {"first_ms": given_ms, "second_ms": given_ms, "running": side, "since": None},
    }
    assert set(state) == set(STATE_FIELDS)
    symbol = game_of(league["game"]).style(position.to_move).symbol
    return turn(state, game=league["game"], room=record["room"], side=side, symbol=symbol, time_ms=given_ms)


def _moves_in(line: str) -> list[str] | None:
    """The moves that a line tells of; None if it is not a turn, since engines are not asked in JSON."""
    try:
        moves: list[str] = json.loads(line)["moves"]
    except (ValueError, KeyError, TypeError):
        return None
    return moves


async def ask(bot: GameBot, league: LeagueRecord, line: str) -> Answered:
    """Send a bot the line again. It has as much time as it had, and some seconds more."""
    fields = json.loads(line)
    state = BotState.from_line(fields)
    state.control = parse_time_control(league["clock"])
    began = time.monotonic()
    try:
        move, note = await bot.choose(state, patience_s=(fields["time_ms"] or 0) / 1000 + GRACE_S)
    except BotFailed as error:
        return Answered(line, "", "", time.monotonic() - began, bot.stderr, error.failure)
    return Answered(line, move, note, time.monotonic() - began, bot.stderr, None)
