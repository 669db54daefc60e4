"""Replays a game position by position."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from noughts.columns import printable
from noughts.protocol.replay import Step
from noughts.protocol.room_messages import State
from noughts.protocol.study_messages import Analysed, Review
from noughts_client.connection import Connection
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.reviews import ReviewFailed
from noughts_client.terminal.clocks import since_epoch
from noughts_client.terminal.explainer import Explainer, ServerExplainer
from noughts_client.terminal.options import CommandError
from noughts_client.terminal.review import better_in_words, decided_by, mark_in_words
from noughts_client.terminal.screen import Page, Screen, never, steady_ms
from noughts_client.terminal.status import event_notice
from noughts_client.terminal.table import Table
from noughts_client.terminal.text import IDLE, Fragments, wrap
from noughts_client.terminal.view import changes_in, view

POSITION_EVENTS = ("played", "taken_back", "ended")
"""The events that make a new position, or end the game."""

NOTE_ROWS = 8
"""The number of lines shown of a bot's note, so that the board stays in sight. The record has all of it."""

INTERVAL_S = 1.0
"""The time each position is shown while the replay runs."""

HELP = (
    "Right or n: the next position. Left or p: the previous one. Home and End: the first and the last. Space: start "
    "and stop. A number: the position after so many moves. v: what the moves are worth, and the review of the game. "
    "q: leave."
)

KEYS = {"right": "n", "n": "n", "left": "p", "p": "p", "home": "home", "end": "end", "space": "run", "v": "v", "q": "q"}


@dataclass(frozen=True)
class Frame:
    """A position: the state, a sentence about the event that led to it, and the bot's note with its move."""

    state: State
    event: str = ""
    note: str | None = None


@dataclass(frozen=True)
class Replay:
    """The positions of a game, at least one, and the index of the one shown. Pure.

    ``table`` is the game as a spectator sees it; its state is not used. ``running``: it advances by itself. ``live``:
    the server will send more. ``values``: it shows what the moves are worth, by the ``analyses`` of positions, by ply,
    and the ``review`` of the game.
    """

    table: Table
    frames: tuple[Frame, ...]
    index: int = 0
    running: bool = False
    live: bool = False
    values: bool = False
    analyses: Mapping[int, Analysed] = field(default_factory=dict)
    review: Review | None = None

    @property
    def frame(self) -> Frame:
        """The position shown."""
        return self.frames[self.index]

    @property
    def at_the_end(self) -> bool:
        """True if the last position is shown."""
        return self.index == len(self.frames) - 1

    @property
    def explained_ply(self) -> int | None:
        """The ply of the position shown, if its values can be known: it was not taken back."""
        state = self.frame.state
        moves = self.frames[-1].state["moves"]
        return state["ply"] if state["to_move"] and state["moves"] == moves[: state["ply"]] else None

    @property
    def needs_analysis(self) -> int | None:
        """The ply of the position shown, if its values are wanted and not known yet."""
        ply = self.explained_ply
        return ply if self.values and ply is not None and ply not in self.analyses else None

    @property
    def reviewed(self) -> bool:
        """True if the review is complete."""
        return self.review is not None and self.review["complete"]

    @property
    def explained(self) -> bool:
        """True if everything that is wanted of the position shown is known."""
        return not self.values or (self.needs_analysis is None and (self.live or self.reviewed))

    def extended(self, step: Step) -> Replay:
        """The replay with one more event. A live viewer at the end stays at the end."""
        state, kind = step.update["state"], step.update["event"]["kind"]
        if kind not in POSITION_EVENTS:
            # Players and offers may change within a position.
            return replace(self, frames=(*self.frames[:-1], replace(self.frames[-1], state=state)))
        frame = Frame(state, _event(self.table, step), step.note)
        index = self.index + 1 if self.at_the_end and self.live else self.index
        live = self.live and state["status"] != "over"
        # After a takeback another position has the same ply.
        known = {} if kind == "taken_back" else self.analyses
        return replace(self, frames=(*self.frames, frame), index=index, live=live, analyses=known)

    def skipped_to(self, state: State) -> Replay:
        """The replay with a later position, when the events in between are unknown."""
        frame = Frame(state, "Some moves are not shown.")
        index = self.index + 1 if self.at_the_end else self.index
        return replace(self, frames=(*self.frames, frame), index=index, live=state["status"] != "over")

    def at(self, index: int) -> Replay:
        """The replay at another position, the nearest one to ``index``."""
        return replace(self, index=max(0, min(index, len(self.frames) - 1)))

    def at_ply(self, ply: int) -> Replay:
        """The replay at the first position after ``ply`` moves, or at the last one."""
        found = (index for index, frame in enumerate(self.frames) if frame.state["ply"] >= ply)
        return self.at(next(found, len(self.frames) - 1))


def replay_of(table: Table, steps: Iterable[Step], *, live: bool = False) -> Replay:
    """The replay of a game from its events, at its first position. ``table`` is as in :class:`Replay`."""
    replay = Replay(table, (Frame(table.state),))
    for step in steps:
        replay = replay.extended(step)
    return replace(replay, live=live and replay.frames[-1].state["status"] != "over")


def body(replay: Replay, width: int, local_ms: float) -> list[Fragments]:
    """The position with its event and note, line by line."""
    frame = replay.frame
    lines = view(_table_at(replay), width, local_ms)
    if frame.event:
        lines += wrap(frame.event, width)
    for sentence in _judgement(replay):
        lines += wrap(sentence, width)
    note = [line for words in (frame.note or "").splitlines() for line in wrap(words, width, "italic")]
    if len(note) > NOTE_ROWS:
        note[NOTE_ROWS - 1 :] = wrap("...", width, "italic")
    return lines + note


def prompt(replay: Replay) -> str:
    """The prompt: the number of the position, and whether the replay is running or live."""
    state = "running" if replay.running else "live" if replay.live and replay.at_the_end else "h for help"
    return f"{replay.index} of {len(replay.frames) - 1} ({state}) > "


def parse(replay: Replay, line: str) -> Replay | str | None:
    """The replay after a typed line, or a text to show, or None to leave."""
    match line.strip().casefold():
        case "q" | "quit" | "exit":
            return None
        case "" | "n" | "next":
            return replace(replay.at(replay.index + 1), running=False)
        case "p" | "previous":
            return replace(replay.at(replay.index - 1), running=False)
        case "home":
            return replace(replay.at(0), running=False)
        case "end":
            return replace(replay.at(len(replay.frames) - 1), running=False)
        case "run":
            start = replay.at(0) if replay.at_the_end and not replay.live else replay
            return replace(start, running=True) if not replay.running else replace(replay, running=False)
        case "v" | "values":
            return replace(replay, values=not replay.values)
        case number if number.isdecimal():
            return replace(replay.at_ply(int(number)), running=False)
    return HELP


def _table_at(replay: Replay) -> Table:
    """The table at the position shown. Its clocks stand as they did then, unless the position is live."""
    table = replace(replay.table, state=replay.frame.state)
    ply = replay.explained_ply
    if replay.values and ply is not None:
        table = replace(table, values=True, analysis=replay.analyses.get(ply))
    if replay.live and replay.at_the_end:
        return table
    clock = table.state["clock"]
    return replace(table, frozen_at=since_epoch(clock["since"]) if clock and clock["since"] else 0)


def _judgement(replay: Replay) -> list[str]:
    """The words of the review on the move that led to the position shown, and of the game."""
    review = replay.review
    if review is None or not replay.values:
        return []
    state, sentences = replay.frame.state, []
    moves = replay.frames[-1].state["moves"]
    last = next((move for move in review["moves"] if move["ply"] == state["ply"] - 1), None)
    if last is not None and state["moves"] == moves[: state["ply"]]:
        better = better_in_words(last)
        sentences.append(
            f"Move {last['ply'] + 1}: {mark_in_words(last, replay.table.words)}{f'; {better}' if better else ''}."
        )
    if replay.at_the_end or not review["complete"]:
        sentences.append(decided_by(review, replay.table.game, replay.table.words))
    return sentences


def _event(table: Table, step: Step) -> str:
    event = step.update["event"]
    sentence = event_notice(replace(table, state=step.update["state"]), step.update)
    if event["kind"] == "played" and step.update["state"]["clock"] is not None:
        sentence = f"{sentence.removesuffix('.')} after {event['thought_ms'] / 1000:.1f} s."
    return sentence


class ReplayViewer:
    """Shows a replay until its viewer leaves. ``connection`` delivers the rest of a game that is live.

    ``explainer`` knows what the moves are worth.
    """

    def __init__(
        self, screen: Screen, replay: Replay, explainer: Explainer, connection: Connection | None = None
    ) -> None:
        self._screen = screen
        self._replay = replay
        self._explainer = explainer
        self._connection = connection
        self._changed = asyncio.Event()
        self._notice = ""

    async def run(self) -> None:
        """Show the replay until the viewer leaves. Raises EOFError at the end of input, ConnectionLost, CommandError.

        Without a terminal, it prints every position and ends.
        """
        if not self._screen.scripted:
            self._show(self._replay)
        viewer = self._print_all() if self._screen.scripted else self._read()
        parts = (viewer, self._advance(), self._listen(), self._explain(self._review), self._explain(self._analyse))
        tasks = [asyncio.create_task(part) for part in parts]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            next(task for task in tasks if task.done()).result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def _read(self) -> None:
        while True:
            line = await self._screen.line()
            match parse(self._replay, line):
                case None:
                    return
                case str(text):
                    self._notice = text
                    self._show(self._replay)
                case replay:
                    self._notice = ""
                    self._show(replay)

    async def _print_all(self) -> None:
        await self._until(lambda replay: replay.explained)
        self._show(self._replay)
        while self._replay.live or not self._replay.at_the_end:
            await self._until(lambda replay: not replay.at_the_end)
            self._replay = self._replay.at(self._replay.index + 1)
            self._changed.set()
            await self._until(lambda replay: replay.explained)
            self._show(self._replay)

    async def _until(self, holds: Callable[[Replay], bool]) -> None:
        while not holds(self._replay):
            self._changed.clear()
            await self._changed.wait()

    async def _advance(self) -> None:
        while True:
            while not self._replay.running:
                self._changed.clear()
                await self._changed.wait()
            await asyncio.sleep(INTERVAL_S)
            if self._replay.running:
                after = self._replay.at(self._replay.index + 1)
                self._show(replace(after, running=after.live or not after.at_the_end))

    async def _explain(self, part: Callable[[], Awaitable[None]]) -> None:
        """Do a part of explaining the game for ever. What goes wrong is shown, and ends the explanations."""
        while True:
            try:
                await part()
            except (RequestError, ReviewFailed) as error:
                self._notice = printable(error.message if isinstance(error, RequestError) else str(error))
                self._set(replace(self._replay, values=False))
            except ConnectionLost:
                self._set(replace(self._replay, values=False))

    async def _analyse(self) -> None:
        await self._until(lambda replay: replay.needs_analysis is not None)
        ply, before = self._replay.needs_analysis, self._replay.frames[-1].state
        assert ply is not None
        found = await self._explainer.analyse(ply)
        if before["moves"][:ply] == self._replay.frames[-1].state["moves"][:ply]:
            self._set(replace(self._replay, analyses={**self._replay.analyses, ply: found}))

    async def _review(self) -> None:
        await self._until(lambda replay: replay.values and not replay.live and not replay.reviewed)
        async for review in self._explainer.review():
            self._set(replace(self._replay, review=review))

    def _set(self, replay: Replay) -> None:
        """Show a replay of which more is known, at the same position. What is printed once waits until all is known."""
        if self._screen.scripted:
            self._replay = replay
            self._changed.set()
        else:
            self._show(replay)

    async def _listen(self) -> None:
        if self._connection is not None:
            async for message in self._connection:
                match message["type"]:
                    case "update" if message["room"] == self._replay.table.room:
                        table = self._replay.table.synchronised(message["at"], steady_ms())
                        after = replace(self._replay, table=table).extended(Step(message, None))
                        moved = len(after.frames) > len(self._replay.frames)
                        (self._show if moved else self._set)(after)  # somebody who leaves is no new position
                    case "room" if message["room"] == self._replay.table.room:  # this client read too slowly
                        self._show(self._replay.skipped_to(message["state"]))
                    case "reviewed" if isinstance(self._explainer, ServerExplainer):
                        self._explainer.on_reviewed(message)
                    case "gone":
                        raise CommandError(f"The game cannot continue: {printable(message['message'])}")
                    case "connection":
                        if message["state"] == "restored" and isinstance(self._explainer, ServerExplainer):
                            self._explainer.on_restored()
                        table = replace(self._replay.table, connected=message["state"] == "restored")
                        self._set(replace(self._replay, table=table))
        await asyncio.Event().wait()

    def _show(self, replay: Replay) -> None:
        self._replay = replay
        self._changed.set()
        live = replay.live and replay.at_the_end
        table = replace(replay.table, state=replay.frame.state)
        page = Page(
            partial(body, replay),
            IDLE if self._screen.scripted else prompt(replay),
            self._notice,
            stay=True,
            changes_in=partial(changes_in, table) if live else never,
            keys=KEYS,
        )
        self._screen.show(page)
