"""Finds a bot's games: those that it left unfinished, a new room, an opponent who seeks the same, or an invitation."""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any, cast

from noughts.games.catalogue import named
from noughts.games.sentences import level_of, no_such_game, no_such_level
from noughts.protocol.room_messages import Snapshot
from noughts.protocol.tournament_messages import TournamentInfo
from noughts_client.connection import Connection, Pushed
from noughts_client.failure import BotError
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.playing import SIDES, BotPlayer, Result, RoomGone, play_games, received


def create_request(connection: Connection, terms: dict[str, Any], against: str | None, side: str) -> dict[str, Any]:
    """The request that creates a room. Raises ValueError for an unknown game, level or side."""
    known = {info["key"]: info for info in connection.welcome["games"]}
    if terms["game"] not in known:
        raise ValueError(no_such_game(terms["game"], known))
    info = known[terms["game"]]
    against = against or info["levels"][0]
    level = level_of(against, info["levels"])
    if against != "open" and level is None:
        others = "Besides the computer, against is anybody, invitations or open."
        raise ValueError(f"{no_such_level(info['title'], against, info['levels'])} {others}")
    sides = {key: key for key in SIDES} | {info["sides"][key]["name"].casefold(): key for key in SIDES}
    mine = sides.get(side.casefold())
    if mine is None:
        raise ValueError(f"side is one of {', '.join(sides)}, not {side!r}")
    opponent = "open" if against == "open" else f"computer:{level}"
    return {"type": "create", **terms, "seats": {"first": opponent, "second": opponent, mine: "me"}}


async def waiting_room(connection: Connection, create: dict[str, Any]) -> str | None:
    """A room that the player opened before as ``create`` would, and where nobody has come yet."""
    async for game in connection.games():
        options = game["options"]
        if (
            game["status"] == "waiting"
            and create["seats"][game["side"]] == "me"
            and (game["game"], options["clock"], options["rated"]) == (create["game"], create["clock"], create["rated"])
            and _as_text(options.get("setup")) == _as_text(create.get("setup"))
        ):
            return game["room"]
    return None


def _as_text(setup: Mapping[str, object] | None) -> dict[str, str]:
    """The choices, as text: a name has no numbers."""
    return {key: str(choice) for key, choice in (setup or {}).items()}


async def finish_games(player: BotPlayer) -> list[Result]:
    """Play the player's unfinished games to their ends, all at the same time. Returns their results.

    Games that still wait for an opponent are left alone. If the bot fails in one game, the others are played to their
    ends before its BotError is raised.
    """
    rooms = [game["room"] async for game in player.connection.games() if game["status"] == "playing"]
    if not rooms:
        return []
    queues: dict[str, asyncio.Queue[Pushed]] = {room: asyncio.Queue() for room in rooms}
    delivering = asyncio.create_task(_deliver(player.connection, queues))
    playing = [asyncio.create_task(_finish(player, room, queue)) for room, queue in queues.items()]
    try:
        pending: set[asyncio.Task[Any]] = {delivering, *playing}
        while pending != {delivering}:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                if not isinstance(task.exception(), BotError):
                    task.result()
        return [result for task in playing for result in task.result()]
    finally:
        for task in (delivering, *playing):
            task.cancel()
        await asyncio.wait((delivering, *playing))


async def _deliver(connection: Connection, queues: dict[str, asyncio.Queue[Pushed]]) -> None:
    async for message in received(connection):
        if message["type"] in ("room", "update", "gone") and message["room"] in queues:
            queues[message["room"]].put_nowait(message)
    raise ConnectionLost("The connection has ended.")


async def _finish(player: BotPlayer, room: str, queue: asyncio.Queue[Pushed]) -> list[Result]:
    async def messages() -> AsyncIterator[Pushed]:
        while True:
            yield await queue.get()

    player.tell(f"Room {room}, an unfinished game")
    await player.connection.request({"type": "watch", "room": room})
    return await play_and_leave(player, room, messages())


async def meet_games(player: BotPlayer, terms: dict[str, Any], games: int) -> list[Result]:
    """Find an opponent, play one game, and find the next, until there are ``games`` results. Returns the results.

    ``terms`` are the fields of a ``seek`` without its key. Raises RequestError if the server refuses them, and
    ConnectionLost also if the same player starts a seek elsewhere.
    """
    results: list[Result] = []
    while len(results) < games:
        found = await _opponent(player.connection, {"type": "seek", **terms, "key": secrets.token_urlsafe(16)})
        player.tell(f"Room {found['room']}")
        results += await play_and_leave(player, found["room"], _in_room(found, player.connection))
    return results


ELSEWHERE = frozenset({"seat_taken", "game_over", "unknown_room", "not_allowed"})
"""The codes of an invitation that has come to nothing."""


async def invited_games(player: BotPlayer, game: str, games: int) -> list[Result]:
    """Wait for an invitation to a room of ``game``, a key or a name, play there, and wait for the next, until there are
    ``games`` results. Returns the results. Invitations that come during a game are taken up after it.
    """
    results: list[Result] = []
    invited: deque[str] = deque()
    messages = _but_invitations(player.connection, game, invited)
    while len(results) < games:
        while not invited:
            await anext(messages)
        room = invited.popleft()
        try:
            await player.connection.request({"type": "join", "room": room})
        except RequestError as error:
            if error.code not in ELSEWHERE:
                raise
            continue
        player.tell(f"Room {room}, by invitation")
        results += await play_and_leave(player, room, _about(room, messages))
    return results


async def _but_invitations(connection: Connection, game: str, invited: deque[str]) -> AsyncIterator[Pushed]:
    """The server's messages; the rooms of ``game`` to which it invites go to ``invited``, too.

    Raises ConnectionLost when the connection has ended.
    """
    async for message in received(connection):
        if message["type"] == "invitation":
            setup = message["options"].get("setup", {})
            if game in (message["game"], named(message["game"], setup.items())):
                invited.append(message["room"])
        yield message
    raise ConnectionLost("The connection has ended.")


async def _about(room: str, messages: AsyncIterator[Pushed]) -> AsyncIterator[Pushed]:
    """Those of ``messages`` that are not about other rooms."""
    async for message in messages:
        if message["type"] not in ("room", "update", "gone") or message["room"] == room:
            yield message


async def tournament_games(player: BotPlayer, tournament: str) -> list[Result]:
    """Enter a tournament, and play each game to which the server calls, until it is over. Returns the results.

    Raises RequestError if the server does not let the player enter, and ConnectionLost if the connection ends.
    """
    calls = _Calls(player.connection, tournament)
    player.tell(f"Entered {await calls.enter()}")
    results: list[Result] = []
    while (room := await calls.next_room()) is not None:
        player.tell(f"Room {room}, of the tournament")
        await player.connection.request({"type": "watch", "room": room})
        results += await play_and_leave(player, room, _about(room, calls.messages))
    return results


class _Calls:
    """The rooms to which a tournament calls its player, each once. ``messages`` are all that the server pushes."""

    def __init__(self, connection: Connection, tournament: str) -> None:
        self._connection = connection
        self._tournament = tournament
        self._rooms: deque[str] = deque()
        self._called: set[str] = set()
        self._over = False
        self.messages = self._noted()

    async def enter(self) -> str:
        """Enter, or learn what was missed while the connection was lost, and hear of the end. Returns the name."""
        entered = await self._connection.request({"type": "enter_tournament", "tournament": self._tournament})
        self._call(entered.get("room"))
        return await self._look()

    async def next_room(self) -> str | None:
        """The room to play in next; None when the tournament is over."""
        while not self._rooms and not self._over:
            await anext(self.messages)
        return self._rooms.popleft() if self._rooms else None

    async def _look(self) -> str:
        request = {"type": "tournament", "tournament": self._tournament, "watch": True}
        shown = cast(TournamentInfo, await self._connection.request(request))
        self._over = shown["tournament"]["status"] == "finished"
        return shown["tournament"]["name"]

    def _call(self, room: str | None) -> None:
        if room is not None and room not in self._called:
            self._called.add(room)
            self._rooms.append(room)

    async def _noted(self) -> AsyncIterator[Pushed]:
        async for message in received(self._connection):
            if message["type"] == "tournament_game" and message["tournament"] == self._tournament:
                self._call(message["room"])
            elif message["type"] == "tournament" and message["tournament"]["tournament"] == self._tournament:
                self._over = message["tournament"]["status"] == "finished"
            elif message["type"] == "connection" and message["state"] == "restored":
                try:
                    await self.enter()
                except RequestError:  # it is over, or the player was removed
                    await self._look()
            yield message
        raise ConnectionLost("The connection has ended.")


async def _opponent(connection: Connection, seek: dict[str, Any]) -> Snapshot:
    """The room that the seek leads to."""
    seen = connection.seen()
    await connection.request(seek)
    async for message in received(connection):
        if message["type"] == "room" and message["room"] not in seen and message["previous"] is None:
            return message
        if message["type"] == "seek_ended" and message["key"] == seek["key"]:
            raise ConnectionLost("You are looking for an opponent elsewhere.")
        if message["type"] == "seek":
            print(f"No opponent yet after {message['waited_s']:.0f} s; still waiting.", file=sys.stderr)
        if message["type"] == "connection" and message["state"] == "restored":
            await connection.request(seek)  # a seek ends with its connection; the key makes this the same one
    raise ConnectionLost("The connection has ended.")


async def _in_room(first: Snapshot, connection: Connection) -> AsyncIterator[Pushed]:
    """The messages about the room of ``first``, from that one on."""
    yield first
    async for message in _about(first["room"], received(connection)):
        yield message


async def play_and_leave(player: BotPlayer, room: str, messages: AsyncIterator[Pushed]) -> list[Result]:
    """Play one game. A room that is gone has no result, and the player's other games go on."""
    try:
        results = await play_games(player, messages, 1, rematches=False)
    except RoomGone as gone:
        player.tell(str(gone))
        return []
    with suppress(RequestError, ConnectionLost):
        await player.connection.request({"type": "leave", "room": room})
    return results
