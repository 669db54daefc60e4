"""Recorded games to replay: from a file, from a room, and from the record that a server offers over HTTP."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from urllib.parse import quote

from noughts.columns import printable
from noughts.games import GAMES
from noughts.games.sentences import no_such_game
from noughts.protocol.formats import SYNTAX_OF, scoresheets, suffix_in
from noughts.protocol.gamefile import BadGame, RecordedGame
from noughts.protocol.messages import GameInfo
from noughts.protocol.render import games
from noughts.protocol.replay import Step, only_game, steps
from noughts.protocol.room_messages import RoomOptions, State, Update
from noughts.protocol.scoresheet import Scoresheet, play_through
from noughts_client.connection import Connection
from noughts_client.terminal.download import NoDownload, download
from noughts_client.terminal.explainer import ExplainFile, ServerExplainer
from noughts_client.terminal.options import CommandError, Options
from noughts_client.terminal.prompts import choose
from noughts_client.terminal.replay import Replay, ReplayViewer, replay_of
from noughts_client.terminal.screen import Screen, steady_ms
from noughts_client.terminal.table import Table, drawn_as

Entry = list[bytes] | Scoresheet
"""A game in a file, not yet read by the rules: lines of a game file, or what another program wrote."""


async def replay_file(screen: Screen, path: Path, options: Options, explain: ExplainFile) -> ReplayViewer:
    """The replay of a game in a file, which ``explain`` can explain. If it has several, the user chooses one.

    Raises CommandError, EOFError.
    """
    found = _games_in(path)
    chosen = found[0]
    if len(found) > 1:
        choices = [(str(number), _label(entry)) for number, entry in enumerate(found)]
        chosen = found[int(await choose(screen, "Which game?", choices))]
    game = _played(chosen, str(path))
    return ReplayViewer(screen, _replay(game, options), explain(game))


async def replay_room(screen: Screen, connection: Connection, room: str, options: Options) -> ReplayViewer:
    """The replay of a room's game, which may still be going on. Raises CommandError, ConnectionLost, RequestError."""
    answer = await connection.request({"type": "watch", "room": room, "since": 0})
    explainer = ServerExplainer(connection, room)
    steps: list[Step] = []
    table = None
    while not steps or steps[-1].update["version"] < answer["version"]:
        message = await anext(connection)
        if message["type"] == "room" and message["room"] == room:  # there are too many events to send them again
            game = _game(connection.welcome["games"], message["game"])
            table = _spectator_table(game, message["room"], message["options"], message["state"], options)
            table = table.restarted(message, steady_ms())
            break
        if message["type"] == "gone":
            raise CommandError("The room is gone.")
        if message["type"] == "update" and message["room"] == room:
            steps.append(Step(message, None))
    state = steps[-1].update["state"] if steps else table.state if table else None
    if state is not None and state["status"] == "over" and (lines := await fetch(connection.url, room)):
        with suppress(CommandError):  # then what the server has sent must do
            return ReplayViewer(screen, _replay(_played(lines, room), options), explainer, connection)
    if table is None:
        table = _first_table(steps[0].update, connection.welcome["games"], options)
        table = table.synchronised(steps[-1].update["at"], steady_ms())
    replay = replay_of(table, steps, live=True).at_ply(options.from_ply or 0)
    return ReplayViewer(screen, replace(replay, values=options.values), explainer, connection)


def _played(entry: Entry, source: str) -> RecordedGame:
    """The game that is in ``entry``, by the rules. Raises CommandError."""
    try:
        return play_through(entry) if isinstance(entry, Scoresheet) else only_game(entry)
    except ValueError as error:
        raise CommandError(_without_game(source, error)) from error


def _without_game(source: str, error: ValueError) -> str:
    return printable(f"{source} has no game that can be replayed: {error}")


def _replay(game: RecordedGame, options: Options) -> Replay:
    """The replay of a recorded game, at the position that the options name."""
    replayed = steps(game)
    table = _first_table(replayed[0].update, games(), options)
    return replace(replay_of(table, replayed).at_ply(options.from_ply or 0), values=options.values)


def _first_table(opened: Update, known: list[GameInfo], options: Options) -> Table:
    event = opened["event"]
    game = drawn_as(_game(known, event["game"]), event)
    return _spectator_table(game, opened["room"], event["options"], opened["state"], options)


def _spectator_table(game: GameInfo, room: str, room_options: RoomOptions, state: State, options: Options) -> Table:
    return Table(game, "", room, 0, room_options, state, ahead_ms=float("-inf"), numpad=options.numpad)


def _game(known: list[GameInfo], key: str) -> GameInfo:
    for game in known:
        if game["key"] == key:
            return game
    raise CommandError(no_such_game(key, [game["key"] for game in known]))


def as_file(room: str | None) -> Path | None:
    """The file that ``room`` names, if it is not the id of a room. No id has a suffix or looks like a path."""
    path = Path(room or "")
    return path if room and (path.is_file() or path.suffix or len(path.parts) > 1) else None


def _games_in(path: Path) -> list[Entry]:
    """The games in a file; all of its lines if it has none. Raises CommandError."""
    try:
        with path.open("rb") as file:
            if (suffix := suffix_in(path)) in SYNTAX_OF:
                return [*scoresheets(file, suffix)] or [[]]
            found: list[list[bytes]] = [[]]
            for line in file:
                if found[-1] and line.startswith(b'{"noughts":'):
                    found.append([])
                found[-1].append(line)
            return [*found]
    except OSError as error:
        raise CommandError(printable(f"Cannot read {path}: {error.strerror}")) from error
    except BadGame as error:
        raise CommandError(_without_game(str(path), error)) from error


def _label(entry: Entry) -> str:
    if isinstance(entry, Scoresheet):
        first, second = (name[:80] or "?" for name in entry.names)
        return printable(f"{entry.date or '?'}  {first} - {second}, {GAMES[entry.game].title}")
    with suppress(ValueError, KeyError, TypeError, CommandError):
        header = json.loads(entry[0])
        title = _game(games(), header["game"])["title"]
        ended_at = header["ended_at"][:16].replace("T", " ")
        return printable(f"{ended_at}  {header['first']} - {header['second']}, {title}")
    return "?"


async def fetch(url: str, room: str) -> list[bytes] | None:
    """The lines of a room's record at the server whose WebSocket is at ``url``; None if it has none."""
    try:
        return list(BytesIO(await download(url, f"games/{quote(room, safe='')}.jsonl")))
    except NoDownload:
        return None
