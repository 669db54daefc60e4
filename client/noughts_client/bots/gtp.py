"""A game with an engine that speaks the Go Text Protocol. Pure; does no I/O.

Source: Farneback, "Specification of the Go Text Protocol, version 2, draft 2", 2002,
http://www.lysator.liu.se/~gunnar/gtp/. A cell is a letter without I and a number, and row 1 is at the bottom. Othello
engines number rows from the top, as everybody does in that game, and have one more command, ``set_game``. Some, such
as GRhino, do not know the move ``pass``: on their board a side that cannot move passes by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from noughts.games import Game, Side
from noughts_client.bots.dialog import PASS, THINK_MS, EngineError, Talk, TimeLeft, cells
from noughts_client.failure import Kind
from noughts_client.state import BotState

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"

ROWS_FROM_THE_TOP = {"reversi": "Othello"}
"""Games whose rows are numbered from the top, and what ``set_game`` calls them."""

COLOURS = {Side.FIRST: "b", Side.SECOND: "w"}


class Gtp:
    """A game. Raises ValueError for one whose moves are not cells of a square board of at most 25 by 25."""

    goodbye = "quit"

    def __init__(self, game: Game) -> None:
        places = cells(game)
        size = len(game.layout)
        if places is None or size > len(LETTERS):
            raise ValueError(f"GTP has no names for the moves of {game.title}.")
        self._game = game
        self._size = size
        from_top = game.key in ROWS_FROM_THE_TOP
        self._vertices = {
            name: f"{LETTERS[column]}{row + 1 if from_top else size - row}" for name, (row, column) in places.items()
        } | {PASS: PASS}
        self._names = {vertex.upper(): name for name, vertex in self._vertices.items()}
        self._known: list[str] = []  # the moves on the engine's board
        self._takes_passes = True
        self._timed: bool | None = None  # whether it takes time_left; None before the first turn

    def greet(self) -> Talk[None]:
        name = ROWS_FROM_THE_TOP.get(self._game.key)
        if name is not None and (yield from self._knows("set_game")):
            yield from self._command(f"set_game {name}", "start")
        yield from self._command(f"boardsize {self._size}", "start")
        yield from self._command("clear_board", "start")

    def turn(self, state: BotState, left: TimeLeft | None) -> Talk[tuple[str, str]]:
        moves: list[str] = state["moves"]
        if self._known != moves[: len(self._known)]:  # a move was taken back
            yield from self._command("clear_board")
            self._known = []
        sides = self._sides(moves)
        for side, move in list(zip(sides, moves, strict=False))[len(self._known) :]:
            yield from self._play(COLOURS[side], self._vertices[move])
        colour = COLOURS[sides[-1]]
        yield from self._time(colour, left)
        answer = (yield from self._command(f"genmove {colour}")).upper()
        if answer == "RESIGN":
            raise EngineError("illegal", "The engine resigned.")
        if answer not in self._names:
            raise EngineError("garbage", f"The engine answered {answer!r:.80}, which is not a cell of the board.")
        self._known = [*moves, self._names[answer]]
        return self._names[answer], ""

    def _play(self, colour: str, vertex: str) -> Talk[None]:
        """Put a move on the engine's board. If it refuses a pass, it has passed: if not, it refuses the next move."""
        if vertex != PASS:
            yield from self._command(f"play {colour} {vertex}")
        elif self._takes_passes:
            try:
                yield from self._command(f"play {colour} {PASS}")
            except EngineError as error:
                if error.kind == "garbage":
                    raise
                self._takes_passes = False

    def _sides(self, moves: Sequence[str]) -> list[Side]:
        """The side that played each move, and the one that is to move."""
        position = self._game.start
        sides = [position.to_move]
        for move in moves:
            position = position.play(move)
            sides.append(position.to_move)
        return [side for side in sides if side is not None]

    def _time(self, colour: str, left: TimeLeft | None) -> Talk[None]:
        """Tell the engine its time, in whole seconds. GTP cannot say that moves add time."""
        if self._timed is None:
            self._timed = (yield from self._knows("time_left")) and left is not None
            if (yield from self._knows("time_settings")):
                yield from self._command(_settings(left))
        if self._timed and left is not None:
            yield from self._command(f"time_left {colour} {left.mine_ms // 1000} {int(left.per_move)}")

    def _knows(self, command: str) -> Talk[bool]:
        return (yield from self._command(f"known_command {command}")).lower() == "true"

    def _command(self, command: str, kind: Kind = "exit") -> Talk[str]:
        """The result of a command. All results that are asked for here are one line."""
        answer = yield (command,)
        if answer.startswith("="):
            return answer[1:].strip()
        if answer.startswith("?"):
            raise EngineError(kind, f"The engine answered {answer!r:.80} to {command!r}.")
        raise EngineError("garbage", f"The engine answered {answer!r:.80} to {command!r}; = or ? was expected.")


def _settings(left: TimeLeft | None) -> str:
    """Main time, then time for each so many stones."""
    if left is None:
        return f"time_settings 0 {THINK_MS // 1000} 1"
    seconds = max(1, left.mine_ms // 1000)
    return f"time_settings 0 {seconds} 1" if left.per_move else f"time_settings {seconds} 0 0"
