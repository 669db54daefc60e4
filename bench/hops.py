"""Counts the server's files and functions that one ``play`` passes through.

    python -m bench.hops [--list]

Two players and a spectator are in a room of tic-tac-toe, with a journal in SQLite, all in one process. The program
records what runs in any thread from the arrival of the ``play`` frame until the last frame is handed to the transport.
Background tasks run in between now and then, so only the functions that every play passes through are reported.
Comprehensions count as part of their function. ``--list`` prints the functions of each file in the order of their first
calls.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import sys
import tempfile
import threading
from contextlib import AsyncExitStack
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FrameType
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

import noughts
from noughts import embed
from noughts.host import pulse

OURS = f"{Path(noughts.__file__).parent}{os.sep}"
RECEIVE = {"recv", "recv_into"}
SEND = {"send", "sendmsg"}
GAMES = 3
DRAWN = "123546879"


class Recorder:
    """Records calls of our functions, and when the sockets receive and send, while ``on``."""

    def __init__(self) -> None:
        self.on = False
        self._calls: list[CodeType] = []
        self._begins = 0
        self._ends = 0
        threading.setprofile(self._record)
        sys.setprofile(self._record)

    def start(self) -> None:
        self._calls, self._begins, self._ends = [], -1, 0
        self.on = True

    def stop(self) -> list[CodeType]:
        """Return our functions from the first frame received to the last one sent, in order of their first calls."""
        self.on = False
        assert 0 <= self._begins <= self._ends, "no frame was received and answered"
        return list(dict.fromkeys(self._calls[self._begins : self._ends]))

    def _record(self, frame: FrameType, event: str, called: Any) -> None:
        if not self.on:
            return
        if event == "call":
            code = frame.f_code
            if code.co_filename.startswith(OURS) and (not code.co_name.startswith("<") or code.co_name == "<lambda>"):
                self._calls.append(code)
        elif event == "c_call" and isinstance(called, BuiltinFunctionType) and _on_network(called.__self__):
            if called.__name__ in RECEIVE and self._begins < 0:
                self._begins = len(self._calls)
            elif called.__name__ in SEND:
                self._ends = len(self._calls)


def _on_network(owner: object) -> bool:
    """True if ``owner`` is a connection, rather than the socket pair that wakes an event loop."""
    return isinstance(owner, socket.socket) and owner.family in (socket.AF_INET, socket.AF_INET6)


class Player:
    """A client that reads one message at a time."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def send(self, **message: Any) -> None:
        await self._connection.send(json.dumps(message))

    async def until(self, *kinds: str) -> dict[str, Any]:
        """Read until one message of each kind has arrived. Returns the last message."""
        missing = set(kinds)
        while True:
            async with asyncio.timeout(20):
                message: dict[str, Any] = json.loads(await self._connection.recv())
            assert message["type"] != "error", message
            missing.discard(message["type"])
            if not missing:
                return message


async def common(journal: Path) -> list[CodeType]:
    """The functions that every play passes through, in the order of the first play."""
    pulse.RECENTLY_MS = 0  # a server that was late looks for a while how much time moves have lost, too
    recorder = Recorder()
    found: list[list[CodeType]] = []
    async with embed.server(journal=journal, limits=True) as server, AsyncExitStack() as stack:
        players = []
        for name in ("first", "second", "spectator"):
            player = Player(await stack.enter_async_context(connect(server.url, compression=None)))
            await player.send(type="hello", protocol=1, name=name)
            await player.until("welcome")
            players.append(player)
        for _ in range(GAMES):
            found += await game(recorder, *players)
    return [code for code in found[0] if all(code in functions for functions in found)]


async def game(recorder: Recorder, first: Player, second: Player, spectator: Player) -> list[list[CodeType]]:
    """The functions of each play of one game, except the first and the last, which do more than move."""
    found = []
    await first.send(id=1, type="create", game="tictactoe", seats={"first": "me", "second": "open"})
    room = (await first.until("ok", "room"))["room"]
    await second.send(id=1, type="join", room=room)
    await second.until("ok", "room")
    await spectator.send(id=1, type="watch", room=room)
    await spectator.until("ok", "room")
    for turn, move in enumerate(DRAWN):
        mover, other = (first, second) if turn % 2 == 0 else (second, first)
        await asyncio.sleep(0.05)  # let the last play's work finish
        recorder.start()
        await mover.send(id=1, type="play", room=room, turn=turn, move=move)
        await asyncio.gather(mover.until("ok", "update"), other.until("update"), spectator.until("update"))
        if 0 < turn < len(DRAWN) - 1:
            found.append(recorder.stop())
    return found


def main() -> None:
    """Print the numbers of files and functions."""
    parser = argparse.ArgumentParser(prog="python -m bench.hops", description=__doc__)
    parser.add_argument("--list", action="store_true", help="print the functions of each file")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        functions = asyncio.run(common(Path(directory) / "journal.sqlite3"))
    files: dict[str, list[str]] = {}
    for code in functions:
        files.setdefault(str(Path(code.co_filename).relative_to(OURS)), []).append(code.co_qualname)
    print(f"one play: {len(files)} files, {len(functions)} functions")
    if arguments.list:
        for file, names in files.items():
            print(f"\n{file}", *names, sep="\n    ")


if __name__ == "__main__":
    main()
