"""The game loop of a bot: it plays one game after the other in a room, and tells their results."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from noughts.games.sentences import level_name
from noughts.protocol.messages import GameInfo, Welcome
from noughts.protocol.room_messages import OutcomeInfo, SideName, Snapshot, State, Update
from noughts.protocol.words import Words, has_result, how_ended
from noughts_client.connection import Connection, Pushed
from noughts_client.failure import BotError, BotFailed
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.state import CLAIM_DRAW, BotState
from noughts_client.thinking import Thinker

Result = Literal["won", "lost", "drawn"]

SIDES: tuple[SideName, SideName] = ("first", "second")


def side_of(state: State, me: str) -> SideName | None:
    """The side of the player with the id ``me``; None without a seat."""
    for side in SIDES:
        seat = state["seats"][side]
        if seat is not None and seat["id"] == me:
            return side
    return None


def result_of(outcome: OutcomeInfo, state: State, me: str, words: Words) -> Result | None:
    """The result for ``me``; None if the game was closed without one."""
    if outcome["winner"] is None:
        return "drawn" if has_result(None, outcome["reason"], words) else None
    return "won" if outcome["winner"] == side_of(state, me) else "lost"


def result_line(
    outcome: OutcomeInfo, state: State, me: str, *, room: str, side_name: str, words: Words, boards: bool = False
) -> str:
    """Such as ``Won as X against player-2, with three in a row, in room k3f9qzm2xw7ta``.

    ``boards``: the game is one of boards within the board.
    """
    result = result_of(outcome, state, me, words)
    how = "Closed without a result" if result is None else result.capitalize()
    lost, score = result == "lost", state.get("score")
    reason = how_ended(outcome["reason"], outcome["cells"], lost=lost, words=words, boards=boards, score=score)
    if result is None:
        reason = ""
    return f"{how} as {side_name}{against(state, me)}{', ' * bool(reason)}{reason}, in room {room}"


def against(state: State, me: str) -> str:
    """The opponent, after a blank and ``against``; empty if nobody came."""
    for side in SIDES:
        seat = state["seats"][side]
        if seat is not None and seat["id"] != me:
            level = f" ({level_name(seat['id'].partition(':')[2])})" if seat["kind"] == "computer" else ""
            return f" against {seat['name']}{level}"
    return ""


def game_info(welcome: Welcome, game: str) -> GameInfo | None:
    """The game as the server describes it; None if it does not know it any more."""
    return next((info for info in welcome["games"] if info["key"] == game), None)


@dataclass(frozen=True)
class AbsenceTiming:
    """The times to wait, in seconds."""

    abort_s: float = 60.0
    """Before aborting a game in which each side has not moved yet, so that there is nothing to claim."""
    margin_s: float = 0.1
    """After the time at which the game can be claimed."""
    retry_s: float = 1.0
    """Before trying again after the connection broke."""


def ending_request(
    message: Snapshot | Update, me: str, timing: AbsenceTiming
) -> tuple[Mapping[str, Any], float] | None:
    """The request that ends a game whose opponent has left, and the seconds to wait before sending it. Pure.

    None while the opponent is there, or no game is being played. ``me`` is the player's own id.
    """
    state = message["state"]
    if state["status"] != "playing":
        return None
    for seat in (state["seats"]["first"], state["seats"]["second"]):
        if seat is None or seat["id"] == me or seat["online"]:
            continue
        if "claimable_at" not in seat:
            return {"type": "abort", "room": message["room"]}, timing.abort_s
        now = message["at"] if message["type"] == "update" else message["now"]
        wait = datetime.fromisoformat(seat["claimable_at"]) - datetime.fromisoformat(now)
        wait_s = max(0.0, wait.total_seconds()) + timing.margin_s
        return {"type": "claim", "room": message["room"], "result": "win"}, wait_s
    return None


class AbsenceWatch:
    """Ends games that the opponent has left. Call :meth:`close` when done."""

    def __init__(self, connection: Connection, timing: AbsenceTiming) -> None:
        self._connection = connection
        self._timing = timing
        self._task: asyncio.Task[None] | None = None

    def follow(self, message: Snapshot | Update) -> None:
        """Take in the newest message about the game being played."""
        self.close()
        if found := ending_request(message, self._connection.welcome["player"]["id"], self._timing):
            self._task = asyncio.create_task(self._send(*found))

    def close(self) -> None:
        """Claim nothing."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _send(self, request: Mapping[str, Any], wait_s: float) -> None:
        await asyncio.sleep(wait_s)
        with suppress(RequestError):  # the opponent has come back
            while True:
                with suppress(ConnectionLost):  # if the request had arrived, the next one is refused
                    await self._connection.request(dict(request))
                    return
                await asyncio.sleep(self._timing.retry_s)


log = logging.getLogger(__name__)

ABSENCE_TIMING = AbsenceTiming()

RESIGN_S = 10.0
"""The time to try to resign the game of a bot that has failed, and then that to wait for its end."""


LATE_S = 10.0
"""The time that a bot may still think when its own is up, until the program gives it up: a thread cannot be stopped."""


@dataclass(frozen=True)
class BotPlayer:
    """A bot at a connection, and what holds in all of its games.

    ``tell`` is called with a line of text, ``over`` is awaited with the id of a room whose game is over and its result.
    """

    thinker: Thinker
    connection: Connection
    tell: Callable[[str], None] = print
    timing: AbsenceTiming = ABSENCE_TIMING
    over: Callable[[str, Result | None], Awaitable[None]] | None = None

    @property
    def id(self) -> str:
        """The player's id."""
        return self.connection.welcome["player"]["id"]


async def received(connection: Connection) -> AsyncIterator[Pushed]:
    """The messages that the server pushes. The log says when the connection is lost and restored."""
    async for message in connection:
        if message["type"] == "connection":
            lost = message["state"] == "lost"
            log.warning(
                "%s %s", "Lost the connection; reconnecting to" if lost else "Connected again to", connection.url
            )
        yield message


async def play_games(
    player: BotPlayer, messages: AsyncIterator[Pushed], games: int, *, rematches: bool
) -> list[Result]:
    """Play the game that ``messages`` are about and, with ``rematches``, others with the same opponent.

    Returns the results. Raises BotError if the bot fails, after its game was resigned; RequestError if the server
    refuses a move; RoomGone if the room is gone; ConnectionLost if the connection ends.
    """
    loop = _GameLoop(player, games, rematches)
    try:
        with closing(AbsenceWatch(player.connection, player.timing)) as absence:
            async with asyncio.TaskGroup() as group:
                await loop.follow(messages, absence, group)
    except BaseExceptionGroup as failed:  # of one exception, or two if the connection has ended
        raise next((each for each in failed.exceptions if isinstance(each, BotError)), failed.exceptions[0]) from None
    return loop.results


class RoomGone(ConnectionLost):
    """The room is no longer there; the connection is."""


class _GameLoop:
    """Reads on while the bot thinks, so that it notices the end of a game in time."""

    def __init__(self, player: BotPlayer, games: int, rematches: bool) -> None:
        self.results: list[Result] = []
        self._player = player
        self._games = games
        self._rematches = rematches
        self._room: Snapshot | None = None
        self._over = ""  # the room whose end was told
        self._asked: BotState | None = None
        self._asked_at = 0.0
        self._answered_at: float | None = None
        self._thought: asyncio.Task[dict[str, str]] | None = None
        self._end_told: asyncio.Event | None = None  # for a bot that failed in its last game

    async def follow(self, messages: AsyncIterator[Pushed], absence: AbsenceWatch, group: asyncio.TaskGroup) -> None:
        """Play until there are enough results, or there will be no more."""
        async for message in messages:
            if message["type"] == "gone":
                raise RoomGone(f"Room {message['room']} is gone: {message['message']}")
            if message["type"] == "room":
                self._room = message
            elif message["type"] != "update":
                continue
            if self._room is None or self._room["room"] != message["room"]:  # its start was read before
                await self._player.connection.request({"type": "watch", "room": message["room"]})
                continue
            absence.follow(message)
            await self._ask(message, group)
            if await self._is_end(message):
                break
        await self._stop_thinking()

    async def _ask(self, message: Snapshot | Update, group: asyncio.TaskGroup) -> None:
        """Ask the bot, if it is to move and was not asked yet."""
        assert self._room is not None
        state, side = message["state"], message["state"]["to_move"]
        seat = state["seats"][side] if side is not None else None
        if side is None or seat is None or seat["id"] != self._player.id:
            return
        before = self._asked if self._asked is not None and self._asked.room == message["room"] else None
        if before is not None and before.told["turn"] == state["turn"]:
            return
        await self._stop_thinking()
        self._asked = _bot_state(message, self._room, side, self._player.connection, before)
        self._asked_at, self._answered_at = time.monotonic(), None
        self._thought = asyncio.create_task(self._player.thinker.ask(self._asked))
        group.create_task(self._answer(self._thought, self._asked))

    async def _answer(self, thought: asyncio.Task[dict[str, str]], state: BotState) -> None:
        try:
            fields = await thought
            self._answered_at = time.monotonic()
            await _send_move(self._player.connection, state, fields)
        except (BotFailed, BotError) as error:
            ends = isinstance(error, BotError)  # after a program that failed, the next game has a new one
            self._end_told = asyncio.Event() if ends else None
            self._player.tell(f"The bot failed in room {state.room} and resigns.")
            await _resign(self._player.connection, state.room)
            if self._end_told is None:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(RESIGN_S):
                    await self._end_told.wait()
            raise

    async def _stop_thinking(self) -> None:
        if self._thought is not None:
            self._thought.cancel()
            await asyncio.wait({self._thought})

    async def _is_end(self, message: Snapshot | Update) -> bool:
        """Note the result if the game is over. Whether no other game follows."""
        room, state, me = message["room"], message["state"], self._player.id
        if state["outcome"] is not None and room != self._over:
            self._over = room
            await self._stop_thinking()
            await self._tell_result(message)
            if self._end_told is not None:
                self._end_told.set()
                return True
            await self._give_up_if_late(state)
            if len(self.results) >= self._games or not self._rematches or not _all_online(state, me):
                return True
            await insist(self._player.connection, {"type": "offer_rematch", "room": room})
        return message["type"] == "update" and _refuses_rematch(message, me)

    async def _give_up_if_late(self, state: State) -> None:
        """Raise BotError if the bot goes on thinking long after its time was up."""
        asked, thinker = self._late_for(state), self._player.thinker
        if asked is not None and not await thinker.until_free(LATE_S):
            raise BotError(
                f"The bot failed in room {asked.room}: it had not answered at turn {asked.told['turn']} when its time"
                f" was up, nor {LATE_S:g} s later.\n{thinker.stack}".rstrip()
            )

    def _late_for(self, state: State) -> BotState | None:
        """The state that the bot was asked about when its time was up; None if it has not lost on time."""
        asked, outcome = self._asked, state["outcome"]
        assert outcome is not None
        if asked is None or outcome["reason"] != "time" or asked.side == outcome["winner"]:
            return None
        return asked

    async def _tell_result(self, message: Snapshot | Update) -> None:
        state, me, player = message["state"], self._player.id, self._player
        assert state["outcome"] is not None
        assert self._room is not None
        words = player.connection.words
        result = result_of(state["outcome"], state, me, words)
        if result is not None:
            self.results.append(result)
        side = side_of(state, me)
        info = game_info(player.connection.welcome, self._room["game"])
        name = "" if side is None else info["sides"][side]["name"] if info else side
        boards = info is not None and "block" in info
        player.tell(
            result_line(state["outcome"], state, me, room=message["room"], side_name=name, words=words, boards=boards)
        )
        late = self._late_for(state)
        if late is not None and late.deadline is not None:
            thought_s = (self._answered_at or time.monotonic()) - self._asked_at
            had_s = late.deadline - self._asked_at
            player.tell(f"It thought {thought_s:.1f} s at turn {late.told['turn']}, and had {had_s:.1f} s.")
        if player.over is not None:
            await player.over(message["room"], result)


def _bot_state(
    message: Snapshot | Update, room: Snapshot, side: SideName, connection: Connection, before: BotState | None
) -> BotState:
    welcome = connection.welcome
    info = game_info(welcome, room["game"])
    return BotState(
        message["state"],
        game=room["game"],
        room=room["room"],
        side=side,
        symbol=info["sides"][side]["symbol"] if info else "",
        deadline=deadline(message, side, welcome["now"], time.monotonic()),
        control=room["options"]["clock"],
        package=info.get("package", "") if info else "",
        setup=room["options"].get("setup"),
        before=before,
    )


def deadline(message: Snapshot | Update, side: SideName, welcomed_at: str, received_at: float) -> float | None:
    """The time when the clock of ``side`` runs out, in seconds as ``received_at``; before it runs, as if it ran from
    then on.

    A message that was missed and is repeated after a reconnect is older than the welcome, at ``welcomed_at``.
    """
    clock = message["state"]["clock"]
    if clock is None:
        return None
    left_s = (clock["first_ms"] if side == "first" else clock["second_ms"]) / 1000
    if clock["since"] is not None and clock["running"] == side:
        at = message["at"] if message["type"] == "update" else message["now"]
        now = max(datetime.fromisoformat(at), datetime.fromisoformat(welcomed_at))
        left_s -= max(0.0, (now - datetime.fromisoformat(clock["since"])).total_seconds())
    return received_at + left_s


async def insist(connection: Connection, request: dict[str, Any]) -> None:
    """Send a request that is not safe to repeat until it is answered, for when a repetition does no harm.

    A refusal is as good as an answer: the request may have arrived before. Raises ConnectionLost if the connection has
    ended.
    """
    with suppress(RequestError):
        while True:
            try:
                await connection.request(request)
                return
            except ConnectionLost:
                if connection.ended:
                    raise


async def _send_move(connection: Connection, state: BotState, fields: dict[str, str]) -> None:
    if fields["move"] == CLAIM_DRAW and CLAIM_DRAW not in state.told["legal_moves"]:
        await insist(connection, {"type": CLAIM_DRAW, "room": state.room})
        return
    try:
        await connection.request({"type": "play", "room": state.room, "turn": state.told["turn"], **fields})
    except RequestError as error:
        if error.code not in ("stale", "game_over"):  # the game went on while the bot was thinking
            raise


async def _resign(connection: Connection, room: str) -> None:
    with suppress(ConnectionLost, TimeoutError):
        async with asyncio.timeout(RESIGN_S):
            await insist(connection, {"type": "resign", "room": room})


def _all_online(state: State, me: str) -> bool:
    seats = [state["seats"][side] for side in SIDES]
    return all(seat is not None and (seat["id"] == me or seat["online"]) for seat in seats)


def _refuses_rematch(update: Update, me: str) -> bool:
    """True if the opponent has declined another game, or left after this one."""
    event, state = update["event"], update["state"]
    if state["status"] != "over" or event["kind"] not in ("declined", "disconnected"):
        return False
    side: SideName = event["side"]
    seat = state["seats"][side]
    return seat is not None and seat["id"] != me
