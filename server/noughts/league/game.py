"""One game of a league: the opening, then the bots by turns, until somebody has lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from noughts.league.records import SIDES, Counts, FailureRecord, Record, Side, Times
from noughts.league.tables import Guest, NoShow, Site, Table, table
from noughts.protocol.words import ending, has_result
from noughts_client.bots import lines
from noughts_client.bots.failure import BotFailed, Failure
from noughts_client.bots.game_bot import GameBot, LinesBot
from noughts_client.state import BotState

GRACE_S = 5.0
"""How long past its time a bot is waited for, in case the server does not say that its time is up."""

Start = Callable[[], Awaitable[GameBot]]
"""Starts a bot for one game. Raises :class:`~noughts_client.bots.failure.BotFailed`."""


@dataclass(frozen=True)
class Pairing:
    """A game to be played: its number, and who plays whom on which opening."""

    game: int
    round: int
    pair: int
    opening: tuple[str, ...]
    first: str
    second: str


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
                failure = await _Play(at, game, clock, bots, record).to_the_end()
                outcome = at.state["outcome"]
        except NoShow as error:
            message = f"{pairing.first if error.side == 'first' else pairing.second} did not come to the game."
            record["failure"] = _failed(error.side, Failure("start", message))
            record["result"] = _other(error.side)
            return record
        assert outcome is not None
        record["moves"] = at.state["moves"]
        record["failure"] = failure
        if failure is not None:
            record["result"], record["reason"] = _other(failure["side"]), failure["kind"]
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
    """The moves of a game at a table. Adds up how long the bots think in the ``record``."""

    def __init__(self, at: Table, game: str, clock: Any, bots: Mapping[Side, GameBot], record: Record) -> None:
        self._at = at
        self._game = game
        self._clock = clock
        self._bots = bots
        self._record = record
        self._before: dict[Side, BotState] = {}

    async def to_the_end(self) -> FailureRecord | None:
        """Play the opening, then have the bots play; the failure that ended the game, if one did."""
        at = self._at
        for move in self._record["opening"]:
            await at.play(at.to_move, move)
        while not at.over.done():
            side = at.to_move
            if side not in self._bots:
                failure = await self._guests_turn(side)
            elif failure := await self._turn(side):
                await at.resign(side)
            if failure is not None:
                return _failed(side, failure)
        at.over.result()
        outcome = at.state["outcome"]
        if outcome is not None and outcome["reason"] == "aborted" and at.ended_by is not None:
            return _failed(at.ended_by, Failure("exit", "The player aborted the game."))
        return None

    async def _guests_turn(self, side: Side) -> Failure | None:
        """Wait for the move of a guest. Its failure, if its time is up."""
        at, began = self._at, time.monotonic()
        await at.moved(at.state["turn"])
        self._count(side, time.monotonic() - began)
        return Failure("time", "The player had not moved when its time was up.") if self._is_late(side) else None

    async def _turn(self, side: Side) -> Failure | None:
        """Have a bot make its move. Its failure, if it makes none in time."""
        at, bot = self._at, self._bots[side]
        left_s = at.left_s(side)
        asked = self._before[side] = BotState(
            at.state,
            game=self._game,
            side=side,
            symbol=at.symbol(self._game, side),
            room=at.room,
            deadline=time.monotonic() + left_s,
            control=self._clock,
            before=self._before.get(side),
        )
        patience_s = left_s + (GRACE_S if at.clock_runs else 0)
        began = time.monotonic()
        choosing = asyncio.ensure_future(bot.choose(asked, patience_s=patience_s))
        try:
            either: set[asyncio.Future[Any]] = {choosing, at.over}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            seconds = time.monotonic() - began
            if not choosing.done():
                choosing.cancel()
                await asyncio.gather(choosing, return_exceptions=True)
        if choosing.cancelled():
            at.over.result()
            self._count(side, seconds)
            if not self._is_late(side):
                return None
            failure = _late(f"The bot had {left_s:.3f} s, and had not answered by then.", bot, asked, left_s)
            return await _with_place(failure, bot)
        try:
            move, note = choosing.result()
        except BotFailed as error:
            if error.failure.kind == "time":
                self._count(side, seconds)
                return await _with_place(error.failure, bot)
            return error.failure
        self._count(side, seconds)
        ply = len(at.state["moves"])
        await at.play(side, move, note)
        if note and len(at.state["moves"]) > ply:
            self._record["notes"][ply] = note
        if self._is_late(side):
            message = f"The bot answered after {seconds:.3f} s, and had {left_s:.3f} s."
            return _late(message, bot, asked, left_s, move)
        return None

    def _is_late(self, side: Side) -> bool:
        """Whether the server has ended the game because ``side``, which was to move, had not."""
        outcome = self._at.state["outcome"]
        if outcome is None or outcome["winner"] == side:
            return False
        return outcome["reason"] == "time" or ("closed" in ending(outcome["reason"]) and self._at.ended_by is None)

    def _count(self, side: Side, seconds: float) -> None:
        record = self._record
        record["moves_timed"][side] += 1
        record["seconds"][side] += seconds
        record["longest_s"][side] = max(record["longest_s"][side], seconds)


async def _with_place(failure: Failure, bot: GameBot) -> Failure:
    """The failure of a bot whose time is up, for a Python file with the lines where it was; it ends."""
    return replace(failure, traceback=await bot.interrupt()) if isinstance(bot, LinesBot) else failure


def _late(message: str, bot: GameBot, asked: BotState, left_s: float, answer: str = "") -> Failure:
    """The failure of a bot whose time is up on the server."""
    line = lines.turn(
        asked, game=asked.game, room=asked.room, side=asked.side, symbol=asked.symbol, time_ms=round(left_s * 1000)
    )
    return Failure("time", message, stderr=bot.stderr, line=line, answer=answer)


def _other(side: Side) -> Side:
    return "second" if side == "first" else "first"


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
