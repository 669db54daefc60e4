"""Somebody at a table: what comes from the server is shown, what is typed is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from noughts.protocol import Update
from noughts.protocol.messages import Analysed, Ok
from noughts_client.connection import Connection
from noughts_client.dial import ConnectionLost, RequestError
from noughts_client.pending import REPEATABLE
from noughts_client.pushed import Pushed
from noughts_client.terminal.entry import Leave, Say, Send, Switch, understand
from noughts_client.terminal.screen import Page, Screen, steady_ms
from noughts_client.terminal.table import Table, printable
from noughts_client.terminal.view import changes_in, talk, view
from noughts_client.terminal.words import happened, question

FAREWELL_S = 2.0
"""How long a last request may hold up who leaves."""

SILENCE_S = 1.0
"""How long a request may go without an answer before its viewer is told that it is waited for."""


class Closed(Exception):
    """There is nothing more to be done here, for the reason that the exception gives."""


class Sitting:
    """A seat at a table, or a look at it, until its viewer leaves; rematches are followed.

    ``table`` is what the viewer sees of it.
    """

    def __init__(self, connection: Connection, screen: Screen, table: Table) -> None:
        self.connection = connection
        self._screen = screen
        self.table = table
        self._changed = asyncio.Event()
        self._sending: asyncio.Task[None] | None = None
        self._seeks = False
        self._held: list[str] = []  # what is to be sent after that
        self._to_send_again = ""  # what was typed, while it has no answer and survives a lost connection

    async def last(self) -> bool:
        """Stay until the viewer leaves; whether it is to look for another opponent.

        Raises EOFError at the end of input, ConnectionLost, RequestError, Closed.
        """
        self._show(self.table)
        work = (self._listen(), self._answer(), self._explain())
        tasks = [asyncio.create_task(part) for part in work]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            return self._seeks
        finally:
            if self._sending is not None:
                tasks.append(self._sending)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            await self._let_go()

    async def _let_go(self) -> None:
        """Close a room in which nobody has come to play: who finds it later would wait for us in vain."""
        table = self.table
        if table.side is not None and table.state["status"] == "waiting" and table.connected:
            with suppress(RequestError, ConnectionLost, TimeoutError):
                async with asyncio.timeout(FAREWELL_S):
                    await self.connection.request({"type": "abort", "room": table.room})

    # --- what comes from the server

    async def _listen(self) -> None:
        async for message in self.connection:
            self._take(message)

    def _take(self, message: Pushed) -> None:
        table = self.table
        match message["type"]:
            case "connection":
                restored = message["state"] == "restored"
                later = _will_be_sent(self._to_send_again) if self._to_send_again else ""
                self._show(replace(table, connected=restored, note="Connected again." if restored else later))
            case "gone" if message["room"] == table.room:
                raise Closed(f"The game cannot be gone on with: {printable(message['message'])}")
            case "room" if message["room"] == table.room:
                self._show(table.anew(message, steady_ms()))
            case "room" if message["previous"] == table.room:
                rematch = replace(table.anew(message, steady_ms()), room=message["room"])
                note = "A new game, with the sides swapped."
                self._show(replace(rematch, invitation=None, declined=False, note=note))
            case "update" if message["room"] == table.room:
                after = table.then(message["version"], message["state"]).heard_at(message["at"], steady_ms())
                self._show(replace(after, note=happened(after, message), declined=_declined(table, message)))
            case "chat" if message["room"] == table.room:
                self._show(table.heard(message))
            case "spectators" if message["room"] == table.room:
                self._show(replace(table, spectators=message["count"]))

    def _show(self, table: Table) -> None:
        self.table = table
        self._changed.set()
        page = Page(
            partial(view, table),
            question(table),
            table.note,
            stay=True,
            changes_in=partial(changes_in, table),
            talk=talk(table),
            low=partial(view, table, low=True),
            said=table.said,
        )
        self._screen.show(page)

    async def _until(self, holds: Callable[[Table], bool]) -> None:
        while not holds(self.table):
            self._changed.clear()
            await self._changed.wait()

    # --- what the moves are worth

    async def _explain(self) -> None:
        """Ask what the moves are worth, of each position that is shown, and never of two at once.

        The room's present position is asked for, and not that which is shown: when the server has had us wait it may
        be another.
        """
        while True:
            await self._until(lambda table: table.unexplained)
            room = self.table.room
            try:
                answer = await self.connection.analyse(room)
            except RequestError as error:
                self._show(replace(self.table, values=False, note=printable(error.message)))
            except ConnectionLost:
                await self._until(lambda table: not table.connected)
            else:
                await self._until(partial(_reached, room, answer.get("turn", 0)))
                self._show_values(answer)

    def _show_values(self, analysis: Analysed) -> None:
        """Show ``analysis`` unless it is of another position by now."""
        table = self.table
        if (table.room, table.state["turn"]) == (analysis["room"], analysis.get("turn")) and table.state["to_move"]:
            self._show(replace(table, analysis=analysis))

    def _switch(self) -> None:
        values = not self.table.values
        note = "" if values else "What the moves are worth is not shown any more."
        self._show(replace(self.table, values=values, note=note))

    # --- what is typed

    async def _answer(self) -> None:
        while True:
            try:
                line = await self._screen.line()
            except EOFError:
                if self._screen.patient:
                    await self._until(lambda table: _settled(table) and not table.unexplained)
                raise
            if self._screen.patient:
                await self._until(lambda table: not table.unexplained)
            action = understand(self.table, line)
            while isinstance(action, Say) and action.later and self._screen.patient:
                self._changed.clear()
                await self._changed.wait()
                action = understand(self.table, line)
            match action:
                case Leave(seek):
                    self._seeks = seek
                    return
                case Say(words):
                    self._show(replace(self.table, note=words))
                case Switch():
                    self._switch()
                case Send():
                    await self._send(action, line.strip())
                    if action.leave:
                        return

    async def _send(self, action: Send, typed: str) -> None:
        if self._sending is not None and not self._sending.done():
            self._held.append(typed)
            if not self.table.connected:
                self._show(replace(self.table, note=f"{typed} waits for what you typed before."))
            return
        self._sending = asyncio.create_task(self._request(action, typed))
        self._sending.add_done_callback(lambda _: self._take_up())
        if action.leave:
            await asyncio.wait({self._sending}, timeout=FAREWELL_S)
        elif self._screen.patient:
            await self._sending

    def _take_up(self) -> None:
        """Have what was held be read again: it is for the table as it is now."""
        while self._held:
            self._screen.typed.put_back(self._held.pop())

    async def _request(self, action: Send, typed: str) -> None:
        answer: Ok = {"type": "ok"}
        self._to_send_again = typed if action.request["type"] in REPEATABLE else ""
        patience_s = SILENCE_S if self.table.connected else 0
        silence = asyncio.get_running_loop().call_later(patience_s, self._tell_of_silence, typed)
        try:
            answer = await self.connection.request(action.request)
        except RequestError as error:
            self._show(replace(self.table, note=_refusal(self.table, action, error)))
        except ConnectionLost:
            self._show(replace(self.table, note="The connection broke; look whether that has arrived."))
        finally:
            silence.cancel()
            self._to_send_again = ""
        room, version = action.request["room"], answer.get("version", 0)
        await self._until(lambda table: table.room != room or table.version >= version)

    def _tell_of_silence(self, typed: str) -> None:
        if not typed:  # the mere Enter of who leaves
            return
        words = f"Sent {typed}; waiting for the server." if self.table.connected else _will_be_sent(typed)
        self._show(replace(self.table, note=words))


def _refusal(table: Table, action: Send, error: RequestError) -> str:
    """Why the server has not done what was typed. When the game can be claimed stands above, and counts down there."""
    if action.request["type"] == "claim" and table.away_ms(steady_ms()) is not None:
        return "It was too early to claim the game."
    return printable(error.message)


def _will_be_sent(typed: str) -> str:
    """What becomes of what was typed while the connection is lost."""
    return f"{typed} will be sent when the connection is back."


def _reached(room: str, turn: int, table: Table) -> bool:
    """Whether ``table`` shows what an answer on ``turn`` of ``room`` speaks of, or what came after it."""
    return table.room != room or table.state["turn"] >= turn


def _declined(before: Table, update: Update) -> bool:
    event = update["event"]
    no_rematch = event["kind"] == "declined" and event["offer"] == "rematch"
    return before.declined or (no_rematch and event["side"] != before.side)


def _settled(table: Table) -> bool:
    """Whether nothing more is to come without somebody's doing: then the end of the input is the end."""
    if table.side is None:
        return table.state["status"] == "over"
    opponent = table.opponent
    if table.state["status"] == "playing":
        return table.my_turn or opponent is None or opponent["kind"] != "computer"
    return table.state["next"] is None
