"""Gomoku with an engine that speaks the protocol of Gomocup and Piskvork. Pure; does no I/O.

Source: Petricek and Lastovicka, "Gomoku AI protocol", https://plastovicka.github.io/protocl2en.htm. Coordinates are
``x,y`` from 0, here from a1 at the top left. Lines end with CR LF.
"""

from __future__ import annotations

import re

from noughts.games import Game
from noughts_client.bots.dialog import THINK_MS, EngineError, Talk, TimeLeft, cells
from noughts_client.state import BotState

RULE = 0
"""Five or more in a row win, which is Gomoku as Noughts has it; 1 would mean exactly five, 4 renju."""

NO_LIMIT_MS = 2147483647
"""The time left of a match whose time is unlimited."""

_COORDINATES = re.compile(r"(\d{1,3})\s*,\s*(\d{1,3})")


class Gomocup:
    """A game of Gomoku. Raises ValueError for any other game."""

    goodbye = "END\r"

    def __init__(self, game: Game) -> None:
        places = cells(game)
        if game.key != "gomoku" or places is None:
            raise ValueError(f"Gomocup engines play Gomoku, not {game.title}.")
        self._size = len(game.layout)
        self._places = places
        self._names = {place: name for name, place in places.items()}
        self._known: list[str] = []  # the moves on the engine's board
        self._told_rules = False

    def greet(self) -> Talk[None]:
        yield from self._ok(f"START {self._size}")

    def turn(self, state: BotState, left: TimeLeft | None) -> Talk[tuple[str, str]]:
        moves: list[str] = state["moves"]
        if not moves:
            asking = ["BEGIN"]
        elif self._known == moves[:-1]:
            asking = [f"TURN {self._coordinates(moves[-1])}"]
        else:
            asking = self._board(moves)
        if self._known and self._known != moves[:-1]:  # moves were taken back
            yield from self._ok("RESTART")
        answer = yield from self._ask(*self._infos(left), *asking)
        if answer.upper().startswith("SUGGEST"):
            answer = yield from self._ask(f"PLAY {answer[len('SUGGEST') :].strip()}")
        found = _COORDINATES.fullmatch(answer)
        name = None if found is None else self._names.get((int(found[2]), int(found[1])))
        if name is None:
            raise EngineError("garbage", f"The engine answered {answer!r:.80}, which is not a cell of the board.")
        self._known = [*moves, name]
        return name, ""

    def _board(self, moves: list[str]) -> list[str]:
        """The lines that set up a board of moves, and ask for the next one."""
        owners = [1 if (len(moves) - index) % 2 == 0 else 2 for index in range(len(moves))]  # 1: the engine's own
        stones = [f"{self._coordinates(move)},{owner}" for move, owner in zip(moves, owners, strict=True)]
        return ["BOARD", *stones, "DONE"]

    def _coordinates(self, move: str) -> str:
        row, column = self._places[move]
        return f"{column},{row}"

    def _infos(self, left: TimeLeft | None) -> list[str]:
        """What the engine should know before a move."""
        if left is None:
            per_turn, match, now = THINK_MS, 0, NO_LIMIT_MS
        elif left.per_move:
            per_turn, match, now = left.mine_ms, 0, NO_LIMIT_MS
        else:
            per_turn = match = now = left.mine_ms
        infos = [f"INFO timeout_turn {per_turn}", f"INFO time_left {now}"]
        if not self._told_rules:
            self._told_rules = True
            infos = [f"INFO rule {RULE}", "INFO game_type 1", f"INFO timeout_match {match}", *infos]
        return infos

    def _ok(self, command: str) -> Talk[None]:
        answer = yield from self._ask(command)
        if not answer.upper().startswith("OK"):
            raise EngineError("start", f"The engine answered {answer!r:.80} to {command}.")

    def _ask(self, *lines: str) -> Talk[str]:
        """The engine's answer: the first line that is not a message for people."""
        answer = yield tuple(f"{line}\r" for line in lines)
        while answer.upper().startswith(("MESSAGE", "DEBUG")):
            answer = yield ()
        if answer.upper().startswith(("ERROR", "UNKNOWN")):
            raise EngineError("exit", f"The engine answered {answer!r:.80} to {lines[-1]}.")
        return answer
