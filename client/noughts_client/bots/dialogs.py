"""A game with an engine that speaks UCI. Pure; does no I/O.

Source: Meyer-Kahlen, "Description of the universal chess interface (UCI)", 2006. The option ``UCI_Variant``, and drops
such as ``P@d3``, are as in Fairy-Stockfish. It plays tic-tac-toe and Connect Four by the definitions in
``variants.ini``, which version 11.1 can load, and Reversi as ``flipello``, which version 11.1 does not know yet.

Every turn sends the whole position. Files and ranks are counted from the bottom left of the board as drawn. The side
that begins has the pieces ``P`` and is White to the engine. A move from a cell to itself is a pass.
"""

from __future__ import annotations

import re
from pathlib import Path

from noughts.games import Game
from noughts_client.bots.dialog import PASS, THINK_MS, EngineError, Talk, TimeLeft, has_cells
from noughts_client.state import BotState

VARIANTS = {"tictactoe": "noughts-tictactoe", "connect4": "noughts-connect4", "reversi": "flipello"}
"""What the engine calls our games. A game of another package is called by its key."""

DEFINITIONS = Path(__file__).parent / "variants.ini"

UNSERVED = ("gomoku", "ultimate")
"""Our other games: no UCI engine is known that plays them."""

_DROP = re.compile(r"[A-Za-z]@([a-z])(\d{1,3})")
_OPINION = re.compile(r"info .*?\bdepth (\d+).*? score (cp|mate) (-?\d{1,7})\b(?! (?:upper|lower)bound)")

OPINION_CHARACTERS = 400
"""Where in an ``info`` line depth and score are looked for: a pattern takes the square of a line's length."""

_STAY = re.compile(r"(0000|([a-z]\d+)\2)")


class Uci:
    """A game. Raises ValueError for one that no UCI engine plays."""

    goodbye = "quit"

    def __init__(self, game: Game) -> None:
        if game.key in UNSERVED:
            raise ValueError(f"No UCI engine plays {game.title}.")
        self._game = game
        self._drops = has_cells(game)
        self._engine = "The engine"

    def greet(self) -> Talk[None]:
        wanted = VARIANTS.get(self._game.key, self._game.key)
        options = yield from self._options()
        lines = []
        if "UCI_Variant" in options or self._game.key in VARIANTS:
            if wanted not in options.get("UCI_Variant", ()) and "VariantPath" in options:
                options = yield from self._options(f"setoption name VariantPath value {DEFINITIONS}")
            if wanted not in options.get("UCI_Variant", ()):
                raise EngineError(
                    "start", f"{self._engine} has no variant {wanted}, so it cannot play {self._game.title}."
                )
            lines = [f"setoption name UCI_Variant value {wanted}"]
        line = yield (*lines, "ucinewgame", "isready")
        while line != "readyok":
            line = yield ()

    def turn(self, state: BotState, left: TimeLeft | None) -> Talk[tuple[str, str]]:
        line = yield (self._position(state), _go(state, left))
        note = ""
        while not line.startswith("bestmove"):
            note = _opinion(line) or note
            line = yield ()
        answer = " ".join(line.split()[1:2])
        return self._move(answer, state), note

    def _options(self, *before: str) -> Talk[dict[str, list[str]]]:
        """The engine's options, and what one that is a list may be set to."""
        options: dict[str, list[str]] = {}
        line = yield (*before, "uci")
        while line != "uciok":
            if line.startswith("id name "):
                self._engine = line.removeprefix("id name ")
            if line.startswith("option name "):
                name, _, rest = line.removeprefix("option name ").partition(" type ")
                options[name] = rest.split(" var ")[1:]
            line = yield ()
        return options

    def _position(self, state: BotState) -> str:
        if not self._drops:
            moves = state["moves"]
            return f"position startpos moves {' '.join(moves)}" if moves else "position startpos"
        first, second = self._game.first.symbol, self._game.second.symbol
        rows = [
            re.sub(r"\.+", lambda run: str(len(run[0])), row.translate(str.maketrans(first + second, "Pp")))
            for row in state["rows"]
        ]
        empty = sum(row.count(".") for row in state["rows"])
        to_move = "w" if state.side == "first" else "b"
        return f"position fen {'/'.join(rows)}[{'P' * empty}{'p' * empty}] {to_move} - - 0 1"

    def _move(self, answer: str, state: BotState) -> str:
        """The game's name for the engine's move."""
        if _STAY.fullmatch(answer) and PASS in state["legal_moves"]:
            return PASS
        if not self._drops:
            return answer
        found = _DROP.fullmatch(answer)
        if found is not None:
            layout = self._game.layout
            row, column = len(layout) - int(found[2]), ord(found[1]) - ord("a")
            if 0 <= row < len(layout) and column < len(layout[row]):
                return layout[row][column]
        raise EngineError("garbage", f"The engine answered {answer!r:.80}, which is not a cell of the board.")


def _go(state: BotState, left: TimeLeft | None) -> str:
    if left is None:
        return f"go movetime {THINK_MS}"
    if left.per_move:
        return f"go movetime {left.mine_ms}"
    times = left.mine_ms, left.other_ms
    white, black = times if state.side == "first" else times[::-1]
    return f"go wtime {white} btime {black} winc {left.increment_ms} binc {left.increment_ms}"


def _opinion(line: str) -> str:
    """What an ``info`` line says of the position, as a note: ``+0.34, depth 12``."""
    found = _OPINION.match(line[:OPINION_CHARACTERS])
    if found is None:
        return ""
    depth, kind, value = found[1], found[2], int(found[3])
    return f"{value / 100:+.2f}, depth {depth}" if kind == "cp" else f"mate {value}, depth {depth}"
