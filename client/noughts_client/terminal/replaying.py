"""Replaying games, out of files and out of rooms, to somebody at a terminal."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from noughts.protocol import games
from noughts.protocol.messages import GameInfo, RoomOptions, State, Update
from noughts.protocol.replay import Step
from noughts.protocol.replay import replay as steps_of
from noughts_client.connection import Connection
from noughts_client.terminal.fetching import fetch
from noughts_client.terminal.options import Options
from noughts_client.terminal.questions import choose
from noughts_client.terminal.replay import Replay, question, replayed, shown, understood
from noughts_client.terminal.screen import Page, Screen, never, steady_ms
from noughts_client.terminal.sitting import Closed
from noughts_client.terminal.table import Table, printable
from noughts_client.terminal.view import changes_in
from noughts_client.terminal.words import IDLE

PACE_S = 1.0
"""How long each position is shown while it runs."""

NO_VALUES = "What moves are worth is not shown in a replay: leave out --values. noughts solve tells it of any position."

KEYS = {"right": "n", "n": "n", "left": "p", "p": "p", "home": "home", "end": "end", "space": "run", "q": "q"}


class Replaying:
    """A replay, until its viewer leaves. ``connection`` tells what is still to come, where there is something."""

    def __init__(self, screen: Screen, replay: Replay, connection: Connection | None = None, note: str = "") -> None:
        self._screen = screen
        self._replay = replay
        self._connection = connection
        self._changed = asyncio.Event()
        self._note = note

    async def last(self) -> None:
        """Show it until the viewer leaves. Raises EOFError at the end of input, ConnectionLost, Closed."""
        self._show(self._replay)
        # Who feeds lines from a file, or nothing, gets all that there is.
        viewer = self._run_through() if self._screen.patient else self._answer()
        tasks = [asyncio.create_task(part) for part in (viewer, self._run(), self._listen())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            next(task for task in tasks if task.done()).result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def _answer(self) -> None:
        while True:
            line = await self._screen.line()
            match understood(self._replay, line):
                case None:
                    return
                case str(words):
                    self._note = words
                    self._show(self._replay)
                case replay:
                    self._note = ""
                    self._show(replay)

    async def _run_through(self) -> None:
        while self._replay.live or not self._replay.at_the_end:
            if self._replay.at_the_end:
                self._changed.clear()
                await self._changed.wait()
            else:
                self._show(self._replay.at(self._replay.index + 1))

    async def _run(self) -> None:
        while True:
            while not self._replay.runs:
                self._changed.clear()
                await self._changed.wait()
            await asyncio.sleep(PACE_S)
            if self._replay.runs:
                after = self._replay.at(self._replay.index + 1)
                self._show(replace(after, runs=after.live or not after.at_the_end))

    async def _listen(self) -> None:
        if self._connection is not None:
            async for message in self._connection:
                match message["type"]:
                    case "update" if message["room"] == self._replay.table.room:
                        heard = self._replay.table.heard_at(message["at"], steady_ms())
                        self._show(replace(self._replay, table=heard).then(Step(message, None)))
                    case "room" if message["room"] == self._replay.table.room:  # we have read too slowly
                        self._show(self._replay.jumped(message["state"]))
                    case "gone":
                        raise Closed(f"The game cannot be gone on with: {printable(message['message'])}")
                    case "connection":
                        table = replace(self._replay.table, connected=message["state"] == "restored")
                        self._show(replace(self._replay, table=table))
        await asyncio.Event().wait()

    def _show(self, replay: Replay) -> None:
        self._replay = replay
        self._changed.set()
        present = replay.live and replay.at_the_end
        table = replace(replay.table, state=replay.frame.state)
        page = Page(
            partial(shown, replay),
            IDLE if self._screen.patient else question(replay),
            self._note,
            stay=True,
            changes_in=partial(changes_in, table) if present else never,
            keys=KEYS,
        )
        self._screen.show(page)


async def of_file(screen: Screen, path: Path, options: Options) -> Replaying:
    """The replay of a game in a file, which is chosen where there are several. Raises Closed, EOFError."""
    found = _games_in(path)
    lines = found[0]
    if len(found) > 1:
        choices = [(str(number), _titled(game)) for number, game in enumerate(found)]
        lines = found[int(await choose(screen, "Which game?", choices))]
    return Replaying(screen, _replay(lines, options, str(path)))


async def of_room(screen: Screen, connection: Connection, room: str, options: Options) -> Replaying:
    """The replay of the game in a room, which may go on. Raises Closed, ConnectionLost, RequestError."""
    answer = await connection.request({"type": "watch", "room": room, "since": 0})
    note = NO_VALUES if options.values else ""
    steps: list[Step] = []
    table = None
    while not steps or steps[-1].update["version"] < answer["version"]:
        message = await anext(connection)
        if message["type"] == "room" and message["room"] == room:  # more happened than is told again
            game = _game(connection.welcome["games"], message["game"])
            table = _watched(game, message["room"], message["options"], message["state"], options)
            table = table.anew(message, steady_ms())
            break
        if message["type"] == "gone":
            raise Closed("The room is gone.")
        if message["type"] == "update" and message["room"] == room:
            steps.append(Step(message, None))
    state = steps[-1].update["state"] if steps else table.state if table else None
    if state is not None and state["status"] == "over" and (lines := await fetch(connection.url, room)):
        with suppress(Closed):  # what the server has told will do
            return Replaying(screen, _replay(lines, options, room), connection, note)
    if table is None:
        table = _first_of(steps[0].update, connection.welcome["games"], options)
        table = table.heard_at(steps[-1].update["at"], steady_ms())
    return Replaying(screen, replayed(table, steps, live=True).at_ply(options.from_ply or 0), connection, note)


def _replay(lines: list[bytes], options: Options, where: str) -> Replay:
    """The replay of a recorded game, from where it is wanted. Raises Closed."""
    try:
        steps = steps_of(lines)
        table = _first_of(steps[0].update, games(), options)
    except ValueError as error:
        raise Closed(printable(f"{where} holds no game that can be replayed: {error}")) from error
    return replayed(table, steps).at_ply(options.from_ply or 0)


def _first_of(opened: Update, known: list[GameInfo], options: Options) -> Table:
    event = opened["event"]
    return _watched(_game(known, event["game"]), opened["room"], event["options"], opened["state"], options)


def _watched(game: GameInfo, room: str, how: RoomOptions, state: State, options: Options) -> Table:
    return Table(game, "", room, 0, how, state, ahead_ms=float("-inf"), numpad=options.numpad)


def _game(known: list[GameInfo], key: str) -> GameInfo:
    for game in known:
        if game["key"] == key:
            return game
    raise Closed(f"There is no game {printable(key)!r} here.")


def file_named(room: str | None) -> Path | None:
    """The file that is meant where a room could be named. No room is called like a path or has a suffix."""
    path = Path(room or "")
    return path if room and (path.is_file() or path.suffix or len(path.parts) > 1) else None


def _games_in(path: Path) -> list[list[bytes]]:
    """The lines of each game in a file, or all of them where it is no such file. Raises Closed."""
    found: list[list[bytes]] = [[]]
    try:
        with path.open("rb") as lines:
            for line in lines:
                if found[-1] and line.startswith(b'{"noughts":'):
                    found.append([])
                found[-1].append(line)
    except OSError as error:
        raise Closed(printable(f"{path} cannot be read: {error.strerror}")) from error
    return found


def _titled(lines: list[bytes]) -> str:
    with suppress(ValueError, KeyError, TypeError, Closed):
        said = json.loads(lines[0])
        title = _game(games(), said["game"])["title"]
        return printable(f"{said['ended_at'][:16].replace('T', ' ')}  {said['first']} - {said['second']}, {title}")
    return "?"
