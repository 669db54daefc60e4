"""A viewer at a table: shows what the server sends, and sends what is typed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from noughts.columns import printable
from noughts.protocol.messages import Ok
from noughts.protocol.room_messages import Update
from noughts.protocol.study_messages import Analysed
from noughts_client.connection import Connection, Pushed
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.requests import REPEATABLE
from noughts_client.terminal.greeting import announcement
from noughts_client.terminal.input import Action, Ask, Help, Leave, Say, Send, ToggleValues, parse
from noughts_client.terminal.join import PATIENCE_S
from noughts_client.terminal.options import CommandError
from noughts_client.terminal.screen import Page, Screen, steady_ms
from noughts_client.terminal.status import event_notice, prompt, rating_change, withdraws
from noughts_client.terminal.table import CHAT_LINES, Table
from noughts_client.terminal.view import changes_in, chat, help_view, view

FAREWELL_S = 2.0
"""The time the last request may delay a viewer who leaves."""

SILENCE_S = 1.0
"""The time a request may take before the screen says that it is waiting."""

RATING_DELAYS_S = (0.2, 0.5, 1, 2, 4)
"""The delays after which to ask for the new rating: it follows a moment after the end of the game."""


class TableViewer:
    """A player or spectator at ``table`` until that viewer leaves. Follows rematches."""

    def __init__(self, connection: Connection, screen: Screen, table: Table) -> None:
        self.connection = connection
        self._screen = screen
        self.table = table
        self._changed = asyncio.Event()
        self._sending: asyncio.Task[None] | None = None
        self._held: list[str] = []  # typed while another request was under way
        self._to_resend = ""  # the line whose request will be sent again after a lost connection
        self._seek_next = False
        self._chat_missing = True
        self._delay = ""  # why the server puts a request off, and until when
        connection.on_delay = self._show_delay
        connection.patience_s = PATIENCE_S

    async def run(self) -> bool:
        """Stay until the viewer leaves. Returns whether to look for another opponent then.

        Raises EOFError at the end of input, ConnectionLost, RequestError, CommandError.
        """
        self._show(self.table)
        work = (self._listen(), self._read(), self._analyse(), self._follow_rating(), self._recall_chat())
        tasks = [asyncio.create_task(part) for part in work]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            return self._seek_next
        finally:
            if self._sending is not None:
                tasks.append(self._sending)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            await self._abort_unless_begun()

    async def _abort_unless_begun(self) -> None:
        """Close a room that no opponent has joined: anybody who joined it later would wait in vain."""
        table = self.table
        if table.side is not None and table.state["status"] == "waiting" and table.connected:
            with suppress(RequestError, ConnectionLost, TimeoutError):
                async with asyncio.timeout(FAREWELL_S):
                    await self.connection.request({"type": "abort", "room": table.room})

    # --- what the server sends

    async def _listen(self) -> None:
        async for message in self.connection:
            self._handle(message)

    def _handle(self, message: Pushed) -> None:
        table = self.table
        match message["type"]:
            case "connection":
                restored = message["state"] == "restored"
                self._chat_missing |= restored
                pending = _will_be_sent(self._to_resend) if self._to_resend else ""
                self._show(replace(table, connected=restored, notice="Connected again." if restored else pending))
            case "gone" if message["room"] == table.room:
                raise CommandError(f"The game cannot continue: {printable(message['message'])}")
            case "room" if message["room"] == table.room:
                self._show(table.restarted(message, steady_ms()))
            case "room" if message["previous"] == table.room:
                rematch = replace(table.restarted(message, steady_ms()), room=message["room"])
                notice = "A new game, with the sides swapped."
                rematch = replace(rematch, invitation=None, link=None, rematch_declined=False, ended_at=None, rating="")
                self._show(replace(rematch, notice=notice))
            case "update" if message["room"] == table.room:
                after = table.updated(message["version"], message["state"]).synchronised(message["at"], steady_ms())
                after = after.judged(message["event"])
                declined = _rematch_declined(table, message)
                ended_at = (
                    message["at"] if table.state["outcome"] is None and after.state["outcome"] else table.ended_at
                )
                notice = event_notice(after, message, table)
                self._show(replace(after, notice=notice, rematch_declined=declined, ended_at=ended_at))
            case "chat" if message["room"] == table.room:
                self._show(table.with_chat(message))
            case "announcement":
                self._show(replace(table, notice=announcement(message)))
            case "your_move" if message["room"] != table.room:
                elsewhere = printable(f"{message['opponent']} in {message['title']}")
                self._show(replace(table, notice=f"It is your move against {elsewhere}: noughts games shows it."))
            case "spectators" if message["room"] == table.room:
                self._show(replace(table, spectators=message["count"]))

    def _show(self, table: Table) -> None:
        self.table = table
        self._changed.set()
        page = Page(
            partial(help_view if table.helping else view, table),
            prompt(table),
            table.notice,
            stay=True,
            changes_in=partial(changes_in, table),
            chat=chat(table),
            chat_count=table.chat_count,
            compact=None if table.helping else partial(view, table, compact=True),
            top=table.helping,
        )
        self._screen.show(page)

    async def _until(self, holds: Callable[[Table], bool]) -> None:
        while not holds(self.table):
            self._changed.clear()
            await self._changed.wait()

    async def _recall_chat(self) -> None:
        """Show the chat that was missed: before the viewer came, and while the connection was lost."""
        while True:
            await self._until(lambda table: self._chat_missing and table.connected)
            self._chat_missing = False
            with suppress(RequestError, ConnectionLost):  # an older server remembers no chat
                answer: Any = await self.connection.request({"type": "chat_history", "room": self.table.room})
                for line in answer["lines"][-CHAT_LINES:]:
                    if line["room"] == self.table.room and line not in self.table.chat:
                        self._show(self.table.with_chat(line))

    # --- what the moves are worth

    async def _analyse(self) -> None:
        """Request the values of each position shown, and never of two at once.

        A request is about the room's present position. That may be a later one than the position shown when the server
        makes the client wait.
        """
        while True:
            await self._until(lambda table: table.needs_analysis)
            room = self.table.room
            try:
                analysis = await self.connection.analyse(room)
            except RequestError as error:
                self._show(replace(self.table, values=False, notice=printable(error.sentence)))
            except ConnectionLost:
                await self._until(lambda table: not table.connected)
            else:
                await self._until(partial(_has_reached, room, analysis.get("turn", 0)))
                self._show_analysis(analysis)

    def _show_analysis(self, analysis: Analysed) -> None:
        """Show ``analysis`` unless it is of another position."""
        table = self.table
        if (table.room, table.state["turn"]) == (analysis["room"], analysis.get("turn")) and table.state["to_move"]:
            self._show(replace(table, analysis=analysis))

    def _toggle_values(self) -> None:
        values = not self.table.values
        self._show(replace(self.table, values=values, notice="" if values else "The values are hidden."))

    # --- what a rated game did to the rating

    async def _follow_rating(self) -> None:
        """After each rated game of the viewer's, ask for the new rating until the server has it."""
        while True:
            await self._until(lambda table: table.needs_rating)
            room, change = self.table.room, None
            for delay_s in RATING_DELAYS_S:
                await asyncio.sleep(delay_s)
                with suppress(RequestError, ConnectionLost):
                    page: Any = await self.connection.request({"type": "player", "player": self.table.me})
                    change = rating_change(self.table, page)
                if change or not self.table.needs_rating:
                    break
            if self.table.room == room:
                self._show(replace(self.table, rating=change))

    # --- what is typed

    async def _read(self) -> None:
        """Do what is typed until the viewer leaves."""
        scripted = self._screen.scripted
        while True:
            try:
                line = await self._screen.line()
            except EOFError:
                if scripted:
                    await self._until(lambda table: _is_settled(table) and not table.needs_analysis)
                raise
            if scripted:
                await self._until(lambda table: not table.needs_analysis)
            action = self._parsed(line)
            while isinstance(action, Say) and action.later and scripted:
                self._changed.clear()
                await self._changed.wait()
                action = parse(self.table, line)
            if isinstance(action, Ask) and scripted:  # a script has thought about it
                action = Send(action.request)
            match action:
                case Leave(seek):
                    self._seek_next = seek
                    return
                case Say(text):
                    self._show(replace(self.table, notice=text))
                case Help():
                    self._show(replace(self.table, helping=True, notice=""))
                case Ask(request):
                    self._show(replace(self.table, resigning=request["type"], notice=""))
                case ToggleValues():
                    self._toggle_values()
                case Send():
                    await self._send(action, line.strip())
                    if action.leave:
                        return

    def _parsed(self, line: str) -> Action:
        """The action that the line asks for. It closes the help, and takes back the question whether to resign."""
        table = self.table
        action = parse(table, line)
        if table.helping or table.resigning:
            self._show(replace(table, helping=False, resigning=""))
        return action

    async def _send(self, action: Send, typed: str) -> None:
        if self._sending is not None and not self._sending.done():
            self._held.append(typed)
            if not self.table.connected:
                self._show(replace(self.table, notice=f"{typed} will be sent after what you typed before."))
            return
        self._sending = asyncio.create_task(self._request(action, typed))
        self._sending.add_done_callback(lambda _: self._return_held())
        if action.leave:
            await asyncio.wait({self._sending}, timeout=FAREWELL_S)
        elif self._screen.scripted:
            await self._sending

    def _return_held(self) -> None:
        """Have the held lines read again, for the table as it is now."""
        while self._held:
            self._screen.lines.put_back(self._held.pop())

    async def _request(self, action: Send, typed: str) -> None:
        answer: Ok = {"type": "ok"}
        self._to_resend = typed if action.request["type"] in REPEATABLE else ""
        delay_s = SILENCE_S if self.table.connected else 0
        self._delay = ""
        silence = asyncio.get_running_loop().call_later(delay_s, self._show_silence, typed)
        try:
            answer = await self.connection.request(action.request)
            if action.done:
                self._show(replace(self.table, notice=action.done))
        except RequestError as error:
            self._show(replace(self.table, notice=_refusal(self.table, action, error)))
        except ConnectionLost:
            notice = "The connection was lost. Check whether your last request has arrived."
            self._show(replace(self.table, notice=notice))
        finally:
            silence.cancel()
            self._to_resend = ""
        room, version = action.request.get("room", self.table.room), answer.get("version", 0)
        await self._until(lambda table: table.room != room or table.version >= version)

    def _show_delay(self, sentence: str) -> None:
        self._delay = sentence
        self._show(replace(self.table, notice=printable(sentence)))

    def _show_silence(self, typed: str) -> None:
        if not typed or self._delay:  # Enter alone, to leave
            return
        notice = f"Sent {typed}; waiting for the server." if self.table.connected else _will_be_sent(typed)
        self._show(replace(self.table, notice=notice))


def _refusal(table: Table, action: Send, error: RequestError) -> str:
    """The reason why the server refused the request. The view already shows when the game can be claimed."""
    if action.request["type"] == "claim" and table.claimable_in_ms(steady_ms()) is not None:
        return "It is too early to claim the game."
    return printable(error.sentence)


def _will_be_sent(typed: str) -> str:
    return f"{typed} will be sent when the connection is back."


def _has_reached(room: str, turn: int, table: Table) -> bool:
    """True if ``table`` shows ``turn`` of ``room``, or something later."""
    return table.room != room or table.state["turn"] >= turn


def _rematch_declined(before: Table, update: Update) -> bool:
    event = update["event"]
    declined = event["kind"] == "declined" and event["offer"] == "rematch" and not withdraws(before, update)
    return before.rematch_declined or (declined and event["side"] != before.side)


def _is_settled(table: Table) -> bool:
    """True if nothing more will happen unless a person acts. Then the end of scripted input is the end."""
    if table.side is None:
        return table.state["status"] == "over"
    opponent = table.opponent
    if table.state["status"] == "playing":
        return table.my_turn or opponent is None or opponent["kind"] != "computer"
    return table.state["next"] is None
