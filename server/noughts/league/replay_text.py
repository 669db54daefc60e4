"""A turn that a bot was asked for again, in words: the board, then and now. Pure; does no I/O."""

from __future__ import annotations

from noughts.columns import printable
from noughts.games import Side as GameSide
from noughts.games.board import board
from noughts.league.plan import game_of
from noughts.league.records import LeagueRecord, Record, Side
from noughts.league.replay import Answered, Turn, is_late
from noughts.league.review import head_lines
from noughts.league.words import failure_lines
from noughts_client.bots.failure import Failure


def before_lines(league: LeagueRecord, record: Record, side: Side, turn: Turn) -> list[str]:
    """Who played, the board, the line that the bot was sent, and what it did with it."""
    lines = head_lines(league, record)
    name = printable(record[side])
    if turn.position is None:
        lines += ["", f"{name} was not asked for a move, as it did not start."]
    else:
        game = game_of(league["game"])
        style = game.style(GameSide(side))
        moves = "1 move" if turn.ply == 1 else f"{turn.ply} moves"
        lines += ["", f"After {moves}, {name} ({style.name}, {style.symbol}) was to move:", ""]
        lines += [*board(game, turn.position.rows), "", "It was sent:", f"> {turn.line}"]
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
    """What the bot does now, and whether it is the same."""
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
