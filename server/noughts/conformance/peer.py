"""A client as an outsider would write it: it looks at each message, and remembers what was said."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from noughts.conformance.messages import Json, problem_with
from noughts.conformance.report import Fault
from noughts.protocol.words import PROTOCOL
from noughts_client.handshake import no_connection

PATIENCE_S = 10.0
"""The time a server may take for any answer or message, in seconds."""

QUOTED = 4
"""The number of last lines that a fault quotes."""


class Peer:
    """One connection, and what holds for all that comes over it; use :func:`connected`.

    Every message is as the protocol says, answers a request that was sent or has no ``id``, and the versions of a room
    have no gaps. Methods that receive raise :class:`~noughts.conformance.report.Fault`.
    """

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.welcome: Json = {}
        self.pushed: deque[tuple[str, Json]] = deque()
        """The messages pushed and not taken yet, each as it came and as JSON."""
        self.versions: dict[str, int] = {}
        """The last version of each room that the server has shown."""
        self.seen: set[str] = set()
        """The types of all messages so far."""
        self._next_id = 0
        self._open: set[object] = set()
        self._lines: deque[str] = deque(maxlen=QUOTED)

    def fault(self, problem: str, *frames: str) -> Fault:
        """A fault that quotes the last lines, or ``frames`` alone if they are given."""
        return Fault(problem, [f"< {frame}" for frame in frames] if frames else list(self._lines))

    async def send_text(self, frame: str) -> None:
        """Send a frame as it is."""
        self._lines.append(f"> {frame}")
        try:
            await self.socket.send(frame)
        except ConnectionClosed as closed:
            raise self.fault(f"the server closed the connection: {_closing(closed)}") from closed

    async def request(self, **fields: Any) -> Json:
        """Send a request with an ``id`` and return its answer; messages before it go to ``pushed``."""
        self._next_id += 1
        return await self.exchange(json.dumps({"id": self._next_id, **fields}), self._next_id)

    async def exchange(self, frame: str, expected_id: object) -> Json:
        """Send a frame and return the answer that has the ``id`` ``expected_id``; None: an answer without one."""
        self._open.add(expected_id)
        await self.send_text(frame)
        self._lines.clear()
        self._lines.append(f"> {frame}")
        while True:
            text, message = await self._receive()
            if "id" in message and message["type"] != "chat":
                return message  # _receive has looked whether it is ours
            if expected_id is None and message["type"] in ("error", "pong"):
                return message
            if message["type"] == "error":
                raise self.fault("the answer does not repeat the `id` of its request")
            self.pushed.append((text, message))

    async def ok(self, **fields: Any) -> Json:
        """Send a request that has to succeed."""
        answer = await self.request(**fields)
        if answer["type"] != "ok":
            raise self.fault("the answer should be `ok`")
        return answer

    async def refused(self, code: str, **fields: Any) -> Json:
        """Send a request that has to be refused with ``code``."""
        return self._is_error(await self.request(**fields), code)

    async def refused_text(self, code: str, frame: str, expected_id: object = None) -> Json:
        """Send a frame that has to be refused with ``code``."""
        return self._is_error(await self.exchange(frame, expected_id), code)

    def _is_error(self, answer: Json, code: str) -> Json:
        if answer["type"] != "error" or answer["code"] != code:
            raise self.fault(f"the answer should be an error with the code `{code}`")
        return answer

    async def push(self, kind: str, room: str | None = None) -> tuple[str, Json]:
        """The next message of the type ``kind``, of ``room`` if given, as it came and as JSON.

        Messages of other types that come before it are dropped.
        """
        while True:
            text, message = self.pushed.popleft() if self.pushed else await self._receive(f"no `{kind}` came")
            if message["type"] == kind and room in (None, message.get("room")):
                return text, message

    async def quiet(self) -> None:
        """After a round trip nothing of a room has come."""
        await self.request(type="ping")
        for text, message in self.pushed:
            if message["type"] in ("room", "update"):
                raise self.fault("nothing should have happened in the room", text)

    async def closed(self) -> int | None:
        """The code with which the server closes the connection; what still comes is dropped."""
        try:
            while True:
                await self._receive("the connection stayed open")
        except _Closed:
            return self.socket.close_code

    async def next(self) -> tuple[str, Json]:
        """The next message of any type, whenever it comes."""
        return self.pushed.popleft() if self.pushed else await self._receive(patience_s=None)

    async def _receive(
        self, otherwise: str = "no answer came", *, patience_s: float | None = PATIENCE_S
    ) -> tuple[str, Json]:
        try:
            async with asyncio.timeout(patience_s):
                frame = await self.socket.recv()
        except TimeoutError:
            raise self.fault(f"{otherwise} within {patience_s:g} s") from None
        except ConnectionClosed as closed:
            raise _Closed(f"the server closed the connection: {_closing(closed)}", tuple(self._lines)) from closed
        text = frame if isinstance(frame, str) else repr(frame)
        self._lines.append(f"< {text}")
        if (problem := problem_with(frame)) is not None:
            raise self.fault(problem)
        message: Json = json.loads(frame)
        if "state" in message and "legal_moves" not in message["state"]:
            raise self.fault("`state.legal_moves` is missing")
        self.seen.add(message["type"])
        self._look_at_id(message)
        self._look_at_version(text, message)
        return text, message

    def _look_at_id(self, message: Json) -> None:
        if message["type"] == "chat":  # its id is its sender's
            return
        if "id" in message and message["id"] not in self._open:
            raise self.fault("an answer to no request that is open")
        self._open.discard(message.get("id"))

    def _look_at_version(self, text: str, message: Json) -> None:
        if message["type"] == "room":
            self.versions[message["room"]] = message["version"]
        elif message["type"] == "update":
            room, version = message["room"], message["version"]
            if room not in self.versions:
                raise self.fault("an update of a room that was not shown before", text)
            if version != self.versions[room] + 1:
                raise self.fault(f"the update after version {self.versions[room]} has the version {version}", text)
            self.versions[room] = version


class _Closed(Fault):
    """The server has closed the connection."""


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Peer]:
    """A connection that has said nothing yet. Raises Fault if there is none."""
    try:
        socket = await connect(url, compression=None, open_timeout=PATIENCE_S, max_size=None)
    except (OSError, InvalidHandshake, TimeoutError) as error:
        raise Fault(no_connection(url, error)) from error
    try:
        yield Peer(socket)
    finally:
        await socket.close()


@asynccontextmanager
async def greeted(url: str, **hello: Any) -> AsyncIterator[Peer]:
    """A connection that has said hello."""
    async with connected(url) as peer:
        answer = await peer.request(type="hello", protocol=PROTOCOL, **hello)
        if answer["type"] != "welcome":
            raise peer.fault("the answer to `hello` should be `welcome`")
        peer.welcome = answer
        yield peer


def _closing(closed: ConnectionClosed) -> str:
    if closed.rcvd is None:
        return "without a close frame"
    return f"{closed.rcvd.code} {closed.rcvd.reason}".rstrip()
