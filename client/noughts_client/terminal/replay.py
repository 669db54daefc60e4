"""A game from its beginning, position by position. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from noughts.protocol.messages import State
from noughts.protocol.replay import Step
from noughts_client.terminal.board import Fragments
from noughts_client.terminal.clocks import since_epoch
from noughts_client.terminal.table import Table
from noughts_client.terminal.view import text, view
from noughts_client.terminal.words import happened

NEW = ("played", "taken_back", "ended")
"""The events that make another position of a game, or its end."""

NOTE_ROWS = 8
"""So many lines of a note are shown: the board is to stay in sight. The record has it whole."""

HELP = (
    "Right or n: the next position; left or p: the one before; Home and End: the first and the last; space runs on and "
    "stops; a number: after so many moves; q leaves."
)


@dataclass(frozen=True)
class Frame:
    """A position: the state, how it came about in words, and what a bot noted beside its move."""

    state: State
    words: str = ""
    note: str | None = None


@dataclass(frozen=True)
class Replay:
    """The positions of a game, at least one, and at which of them its viewer is.

    ``table`` is the game as a spectator sees it, whose state is not looked at. ``runs``: it goes on by itself.
    ``live``: more is to come from the server.
    """

    table: Table
    frames: tuple[Frame, ...]
    index: int = 0
    runs: bool = False
    live: bool = False

    @property
    def frame(self) -> Frame:
        """The position that is shown."""
        return self.frames[self.index]

    @property
    def at_the_end(self) -> bool:
        """Whether it is the last."""
        return self.index == len(self.frames) - 1

    def then(self, step: Step) -> Replay:
        """The replay with one event more; who is at the end stays there."""
        state, kind = step.update["state"], step.update["event"]["kind"]
        if kind not in NEW:
            # Who sits there, and what was offered, belongs to the position at which it happened.
            return replace(self, frames=(*self.frames[:-1], replace(self.frames[-1], state=state)))
        frame = Frame(state, _words(self.table, step), step.note)
        index = self.index + 1 if self.at_the_end and self.live else self.index
        return replace(self, frames=(*self.frames, frame), index=index, live=self.live and state["status"] != "over")

    def jumped(self, state: State) -> Replay:
        """The replay when it is not told how it came to ``state``."""
        frame = Frame(state, "Some moves are not shown.")
        index = self.index + 1 if self.at_the_end else self.index
        return replace(self, frames=(*self.frames, frame), index=index, live=state["status"] != "over")

    def at(self, index: int) -> Replay:
        """The replay at another position, as near to ``index`` as there is one."""
        return replace(self, index=max(0, min(index, len(self.frames) - 1)))

    def at_ply(self, ply: int) -> Replay:
        """The replay at the first position after ``ply`` moves, or at the last."""
        found = (index for index, frame in enumerate(self.frames) if frame.state["ply"] >= ply)
        return self.at(next(found, len(self.frames) - 1))


def replayed(table: Table, steps: Iterable[Step], *, live: bool = False) -> Replay:
    """The replay of a game by its events, at its first position. ``table``: see :class:`Replay`."""
    replay = Replay(table, (Frame(table.state),))
    for step in steps:
        replay = replay.then(step)
    return replace(replay, live=live and replay.frames[-1].state["status"] != "over")


def shown(replay: Replay, width: int, here_ms: float) -> list[Fragments]:
    """The position, and how it came about; lines of (style, text)."""
    frame = replay.frame
    lines = view(_seen(replay), width, here_ms)
    if frame.words:
        lines += text(frame.words, width)
    note = [line for words in (frame.note or "").splitlines() for line in text(words, width, "italic")]
    if len(note) > NOTE_ROWS:
        note[NOTE_ROWS - 1 :] = text("...", width, "italic")
    return lines + note


def question(replay: Replay) -> str:
    """What stands before what is typed."""
    state = "running" if replay.runs else "live" if replay.live and replay.at_the_end else "h for help"
    return f"{replay.index} of {len(replay.frames) - 1} ({state}) > "


def understood(replay: Replay, line: str) -> Replay | str | None:
    """What becomes of the replay by what was typed, or words about it; None when its viewer leaves."""
    match line.strip().casefold():
        case "q" | "quit" | "exit":
            return None
        case "" | "n" | "next":
            return replace(replay.at(replay.index + 1), runs=False)
        case "p" | "previous":
            return replace(replay.at(replay.index - 1), runs=False)
        case "home":
            return replace(replay.at(0), runs=False)
        case "end":
            return replace(replay.at(len(replay.frames) - 1), runs=False)
        case "run":
            at_first = replay.at(0) if replay.at_the_end and not replay.live else replay
            return replace(at_first, runs=True) if not replay.runs else replace(replay, runs=False)
        case number if number.isdecimal():
            return replace(replay.at_ply(int(number)), runs=False)
    return HELP


def _seen(replay: Replay) -> Table:
    """The table at that position; its clocks stand as they stood then, unless it is the present one."""
    table = replace(replay.table, state=replay.frame.state)
    if replay.live and replay.at_the_end:
        return table
    clock = table.state["clock"]
    return replace(table, still_at=since_epoch(clock["since"]) if clock and clock["since"] else 0)


def _words(table: Table, step: Step) -> str:
    event = step.update["event"]
    words = happened(replace(table, state=step.update["state"]), step.update)
    if event["kind"] == "played" and step.update["state"]["clock"] is not None:
        words = f"{words.removesuffix('.')} after {event['thought_ms'] / 1000:.1f} s."
    return words
