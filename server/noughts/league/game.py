"""One game of a league: the opening, then the bots by turns, until somebody has lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from noughts.league.pairing import Pairing
from noughts.league.records import SIDES, Counts, FailureRecord, Record, Side, Times, other
from noughts.league.seating import Guest, NoShow, Site, Table, table
from noughts.protocol.words import ending, has_result
from noughts_client.bots.game_bot import GRACE_S, LATE_S, GameBot
from noughts_client.failure import BotFailed, Failure
from noughts_client.playing import AbsenceTiming, BotPlayer, play_games
from noughts_client.state import BotState
from noughts_client.thinking import Thinker

NO_CLAIMS = AbsenceTiming(abort_s=1e6, margin_s=1e6)
"""A player of a league waits for an opponent who has gone: its clock runs."""

TOO_LATE = Failure("time", "The player had not moved when its time was up.")

Start = Callable[[], Awaitable[GameBot]]
"""Starts a bot for one game. Raises :class:`~noughts_client.failure.BotFailed`."""


async def play_game(
    site: Site, game: str, clock: Any, pairing: Pairing, *, starts: Mapping[Side, Start], guests: Mapping[Side, Guest]
) -> Record:
    """Play the game and return its record. A bot that fails loses it, and the record has its failure.

    ``clock`` is a time control as in the protocol. A side either has a bot that ``starts``, or is one of the
    ``guests``, who move by themselves. Raises :class:`~noughts.league.state.LeagueError` if the server
    cannot be reached or refuses something.
    """
    record = Record(
        game=pairing.game,
        round=pairing.round,
        pair=pairing.pair,
        opening=list(pairing.opening),
        first=pairing.first,
        second=pairing.second,
        result=None,
        reason="start",
        moves=[],
        notes={},
        room="",
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=Times(first=0.0, second=0.0),
        moves_timed=Counts(first=0, second=0),
        longest_s=Times(first=0.0, second=0.0),
        failure=None,
    )
    async with AsyncExitStack() as stack:
        bots, failure = await _start(starts, stack)
        if failure is not None:
            record["failure"] = failure
            record["result"] = next((side for side in SIDES if side in bots or side in guests), None)
            return record
        players: dict[Side, str | Guest] = {"first": pairing.first, "second": pairing.second}
        players |= guests
        try:
            async with table(site, game, players, clock) as at:
                record["room"] = at.room
                failure = await _Play(at, bots, record).to_the_end()
                outcome = at.state["outcome"]
        except NoShow as error:
            message = f"{pairing.first if error.side == 'first' else pairing.second} did not come to the game."
            record["failure"] = _failed(error.side, Failure("start", message))
            record["result"] = other(error.side)
            return record
        assert outcome is not None
        record["moves"] = at.state["moves"]
        record["failure"] = failure
        if failure is not None:
            record["result"], record["reason"] = other(failure["side"]), failure["kind"]
        else:
            drawn = outcome["winner"] is None and has_result(None, outcome["reason"])
            record["result"], record["reason"] = "draw" if drawn else outcome["winner"], outcome["reason"]
    for times in (record["seconds"], record["longest_s"]):
        times["first"], times["second"] = round(times["first"], 3), round(times["second"], 3)
    return record


async def _start(
    starts: Mapping[Side, Start], stack: AsyncExitStack
) -> tuple[dict[Side, GameBot], FailureRecord | None]:
    """The bots that have started, which ``stack`` closes, and the failure of the first one that has not."""
    tasks = {side: asyncio.ensure_future(start()) for side, start in starts.items()}
    try:
        if tasks:
            await asyncio.wait(tasks.values())
    finally:
        for task in tasks.values():
            task.cancel()  # none runs any more unless this was cancelled
        await asyncio.gather(*tasks.values(), return_exceptions=True)
        bots = {side: task.result() for side, task in tasks.items() if not task.cancelled() and not task.exception()}
        for bot in bots.values():
            stack.push_async_callback(_close, bot)
    for side in (side for side in tasks if side not in bots):
        error = tasks[side].exception()
        if isinstance(error, BotFailed):
            return bots, _failed(side, error.failure)
        assert error is not None
        raise error
    return bots, None


async def _close(bot: GameBot) -> None:
    """Close a bot, to the end even if this is cancelled: its process must be gone."""
    closing = asyncio.ensure_future(bot.close())
    try:
        await asyncio.shield(closing)
    except asyncio.CancelledError:
        await closing
        raise


class _Play:
    """A game at a table, in which the bots' seats play as the kit does. Adds up their times in the ``record``."""

    def __init__(self, at: Table, bots: Mapping[Side, GameBot], record: Record) -> None:
        self._at = at
        self._bots = bots
        self._record = record
        self._failures: dict[Side, Failure] = {}
        self._late: dict[tuple[Side, int], Failure] = {}  # if what it said at a turn was not in time for the server

    async def to_the_end(self) -> FailureRecord | None:
        """Play the opening, then have the bots play; the failure that ended the game, if one did."""
        at, record = self._at, self._record
        for move in record["opening"]:
            await at.play(move)
        tasks = [asyncio.create_task((self._play if side in self._bots else self._measure)(side)) for side in SIDES]
        try:
            ended, _ = await asyncio.wait({at.over, *tasks}, return_when=asyncio.FIRST_EXCEPTION)
            for each in ended:
                each.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        record["notes"] = {ply: note for ply, note in record["notes"].items() if ply < len(at.state["moves"])}
        for side, failure in self._failures.items():
            return _failed(side, failure)
        for side in SIDES:
            if self._is_late(side):
                return _failed(side, self._late.get((side, at.state["turn"]), TOO_LATE))
        outcome = at.state["outcome"]
        if outcome is not None and outcome["reason"] == "aborted" and at.ended_by is not None:
            return _failed(at.ended_by, Failure("exit", "The player aborted the game."))
        return None

    async def _play(self, side: Side) -> None:
        """Have a bot play to the end of the game."""
        seat = self._at.seats[side]
        player = BotPlayer(Thinker(partial(self._choose, side)), seat, tell=lambda _: None, timing=NO_CLAIMS)
        await play_games(player, self._at.messages(side), 1, rematches=False)

    async def _choose(self, side: Side, state: BotState) -> tuple[str, str]:
        """The bot's move and note. Raises :class:`~noughts_client.failure.BotFailed`."""
        assert state.deadline is not None
        bot, began = self._bots[side], time.monotonic()
        left_s = max(0.0, state.deadline - began)
        patience_s = left_s + (GRACE_S if state.told["clock"]["running"] is not None else 0)
        late = Failure("time", f"The bot had {left_s:.3f} s, and had not answered by then.", line=state.to_line(began))
        try:
            move, note = await bot.choose(state, patience_s=patience_s)
        except BotFailed as error:
            self._failures.setdefault(side, error.failure)
            if error.failure.kind == "time":
                self._count(side, min(time.monotonic() - began, patience_s))
            raise
        except asyncio.CancelledError:
            self._count(side, time.monotonic() - began)
            if time.monotonic() > state.deadline - LATE_S:
                late = replace(late, traceback=await bot.interrupt())
            self._late[side, state["turn"]] = replace(late, stderr=bot.stderr)
            raise
        seconds = time.monotonic() - began
        self._count(side, seconds)
        message = f"The bot answered after {seconds:.3f} s, and had {left_s:.3f} s."
        self._late[side, state["turn"]] = replace(late, message=message, stderr=bot.stderr, answer=move)
        if note:
            self._record["notes"][len(state["moves"])] = note
        return move, note

    async def _measure(self, side: Side) -> None:
        """Add up the time that a guest takes for its moves."""
        at = self._at
        while not at.over.done():
            turn, thinks, began = at.state["turn"], at.to_move == side, time.monotonic()
            await at.moved(turn)
            if thinks:
                self._count(side, time.monotonic() - began)

    def _is_late(self, side: Side) -> bool:
        """True if the server has ended the game because ``side``, which was to move, had not."""
        outcome = self._at.state["outcome"]
        if outcome is None or outcome["winner"] == side or self._at.last_to_move != side:
            return False
        return outcome["reason"] == "time" or ("closed" in ending(outcome["reason"]) and self._at.ended_by is None)

    def _count(self, side: Side, seconds: float) -> None:
        record = self._record
        record["moves_timed"][side] += 1
        record["seconds"][side] += seconds
        record["longest_s"][side] = max(record["longest_s"][side], seconds)


def _failed(side: Side, failure: Failure) -> FailureRecord:
    return FailureRecord(
        side=side,
        kind=failure.kind,
        message=failure.message,
        error=failure.error,
        traceback=failure.traceback,
        stderr=failure.stderr,
        line=failure.line,
        answer=failure.answer,
    )
