"""The dialogs with a program in a game: JSON lines, UCI, GTP and Gomocup. Pure; does no I/O.

A talk is a generator. It yields the lines to send, perhaps none, and gets the program's next line that is not empty; it
returns what the talk was for. So the protocols know no process, and a test can speak for the program.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar, cast
from unicodedata import category

from noughts.games import Game, Side
from noughts_client.bots.child import READY, READY_AGAIN
from noughts_client.failure import LONGEST, Kind
from noughts_client.state import NOTE_BYTES, BotState, wrong

Result = TypeVar("Result")
Talk = Generator[tuple[str, ...], str, Result]

THINK_MS = 1000
"""The time that an engine thinks about a move without a clock."""

LEISURE_S = 86_400
"""From so many seconds for a move on, an engine thinks as long as without a clock."""

MARGIN_MS = 100
"""The part of its time that an engine is not told about: what it says must still reach the server."""

NEW_GAME = '{"new_game":true}'
"""The line before each further game to a program that is kept."""

PASS = "pass"  # noqa: S105 - no password


LONGEST_MOVE = 64
"""A bare move has at most this many characters."""

_UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}


class DialogError(Exception):
    """The program does not play on. The text is one plain sentence.

    ``kind``, ``error`` and ``traceback`` are those of its :class:`~noughts_client.failure.Failure`. ``ends``: it has
    told of the failure itself, and ends.
    """

    def __init__(self, kind: Kind, message: str, *, error: str = "", traceback: str = "", ends: bool = False) -> None:
        super().__init__(message)
        self.kind: Kind = kind
        self.error = error
        self.traceback = traceback
        self.ends = ends


@dataclass(frozen=True)
class TimeLeft:
    """A side's time for its moves, in ms. ``per_move``: it is for this move alone."""

    mine_ms: int
    other_ms: int
    increment_ms: int = 0
    per_move: bool = False


class Dialog(Protocol):
    """The dialog with a program in one game."""

    speaker: str = "The engine"
    """The program's name in sentences."""

    goodbye: str = "quit"
    """The line that ends the program. If it is empty, the end of its input does."""

    asked_only: bool = False
    """True if the program may write nothing but answers."""

    tells_place: bool = False
    """True if it answers an interrupt with the traceback of where it is, as the process of a Python file does."""

    keeps: bool = False
    """True once the program has said that it may be kept for further games."""

    def greet(self) -> Talk[None]:
        """Make the program ready for the game. Raises :class:`DialogError`, as if it does not know the game."""
        ...

    def turn(self, state: BotState, left: TimeLeft | None) -> Talk[tuple[str, str]]:
        """Ask for a move in ``state``. Returns the move, as the game names it but perhaps illegal, and a note.

        ``left`` is None without a clock. Raises :class:`DialogError`.
        """
        ...

    def renew(self) -> Talk[None]:
        """Make a program that was kept ready for another game. Raises :class:`DialogError`."""
        raise DialogError("start", "The program plays one game.")

    def late(self, told: Sequence[str], seconds: float) -> str:
        """The sentence for a program that has not answered the lines ``told`` within ``seconds``."""
        return f"The engine did not answer {told[-1]!r} within {seconds:.3g} s."


@dataclass(frozen=True)
class Raised:
    """An exception that a Python bot's process reports instead of an answer; a wrong answer has no ``type``."""

    type: str
    message: str
    traceback: str


class NotAnAnswer(ValueError):
    """The line is not an answer. The text says why, as the end of a sentence about it."""


def read_answer(line: str) -> tuple[str, str] | Raised:
    """The move, perhaps illegal, and the note of a bare move, the same as a JSON string, or a JSON object.

    Raises :class:`NotAnAnswer`.
    """
    text = line.strip()
    if not text.startswith(("{", '"')):  # most programs have no JSON at hand
        if not text or len(text) > LONGEST_MOVE or len(text.split()) > 1 or not text.isprintable():
            raise NotAnAnswer("is not a move")
        return text, ""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        raise NotAnAnswer("is not JSON") from None
    match said:
        case str(move):
            return _clean(move), ""
        case {"error": {"type": str(kind), "message": str(message), "traceback": str(traceback)}}:
            return Raised(_clean(kind), _clean(message), _clean(traceback))
        case {"move": str(move)}:
            note = said.get("note")
            if note is not None and not isinstance(note, str):
                raise NotAnAnswer("has a note that is not a string")
            return _clean(move), _note(note or "")
    raise NotAnAnswer('has no "move" that is a string')


def _note(text: str) -> str:
    """``text`` as the server takes it: not too long, and nothing in it that cannot be seen but for line feeds."""
    seen = "".join(each if each in "\n\t" or category(each) not in _UNSEEN else "?" for each in text[:NOTE_BYTES])
    return seen.encode()[:NOTE_BYTES].decode(errors="ignore")


def _clean(text: str) -> str:
    """``text`` without half characters, which JSON can write and UTF-8 cannot."""
    return text.encode(errors="replace").decode()


class Lines(Dialog):
    """A game with a program that answers JSON lines, as docs/bots.md documents them.

    The process of a Python file answers them too. It says when it is ready, and tells of its exceptions; but any
    program may say that, at any length.
    """

    speaker = "The bot"
    goodbye = ""
    asked_only = True

    def __init__(self, *, python: bool = False) -> None:
        self.tells_place = python

    def greet(self) -> Talk[None]:
        if not self.tells_place:
            return
        said = yield ()
        self.keeps = said == f'"{READY_AGAIN}"'
        if self.keeps or said == f'"{READY}"':
            return
        with suppress(NotAnAnswer):
            if isinstance(heard := read_answer(said), Raised):
                raise _as_error(heard)
        raise DialogError("start", "The bot wrote to stdout before it was ready.")

    def turn(self, state: BotState, left: TimeLeft | None) -> Talk[tuple[str, str]]:  # noqa: ARG002 - see Dialog
        said = yield (state.to_line(),)
        try:
            heard = read_answer(said)
        except NotAnAnswer as error:
            raise DialogError("garbage", f"The bot {wrong(said, str(error), state['legal_moves'])}") from None
        if isinstance(heard, Raised):
            raise _as_error(heard)
        self.keeps |= '"new_game"' in said and json.loads(said).get("new_game") is True
        return heard

    def renew(self) -> Talk[None]:
        said = yield (NEW_GAME,)
        with suppress(NotAnAnswer):
            heard = read_answer(said)
            if isinstance(heard, Raised):
                raise _as_error(heard)
            if heard[0] == READY:
                return
        raise DialogError("garbage", f"The bot did not answer {NEW_GAME} with {READY}.")

    def late(self, told: Sequence[str], seconds: float) -> str:
        return f"The bot {'gave no answer' if told else 'was not loaded'} within {seconds:.3g} s."


def _as_error(heard: Raised) -> DialogError:
    if not heard.type:
        return DialogError("illegal", _line(heard.message, 1000), ends=True)
    said = _line(f"{heard.type}: {heard.message}" if heard.message else heard.type, 200)
    message, traceback = f"The bot raised {said.removesuffix('.')}.", heard.traceback[-LONGEST:]
    return DialogError("crash", message, error=heard.type[:200], traceback=traceback, ends=True)


def _line(text: str, most: int) -> str:
    """The first line of a text, of at most so many characters, all of them printable."""
    return "".join(each if each.isprintable() else "?" for each in text.partition("\n")[0][:most])


def time_left(state: BotState, now: float) -> TimeLeft | None:
    """The time of both sides at ``now``, a ``time.monotonic()``; None without a clock, and with days for each move.

    An engine would use all of them.
    """
    clock = state["clock"]
    if clock is None or state.deadline is None:
        return None
    mine_ms = max(1, int((state.deadline - now) * 1000) - MARGIN_MS)
    other_ms = clock["second_ms" if state.side == "first" else "first_ms"]
    control = cast(dict[str, float], state.control or {})
    if control.get("per_move_s", 0) >= LEISURE_S:
        return None
    increment_ms = round(control.get("increment_s", 0) * 1000)
    return TimeLeft(mine_ms, other_ms, increment_ms, per_move="per_move_s" in control)


def has_cells(game: Game) -> bool:
    """True if a move of ``game`` is one place of its layout or a pass, and not from one cell to another."""
    places = {name for row in game.layout for name in row} | {PASS}
    return places.issuperset(game.start.legal_moves)


def cells(game: Game) -> dict[str, tuple[int, int]] | None:
    """The row from the top and the column of each move; None if moves are not cells of a square board."""
    places = {name: (r, c) for r, row in enumerate(game.layout) for c, name in enumerate(row)}
    square = len(game.layout) == len(game.layout[0]) and len(places) == len(game.layout) ** 2
    square = square and game.board.shape != "hexagons"
    return places if square and has_cells(game) else None


VARIANTS = {
    "tictactoe": "noughts-tictactoe",
    "connect4": "noughts-connect4",
    "reversi": "flipello",
    "breakthrough": "breakthrough",
}
"""The names of our games among an engine's variants, which it must have. Any other game is called by its key, and is
what an engine without variants plays: chess, or the game of another package."""

DEFINITIONS = Path(__file__).parent / "variants.ini"

UNSERVED = ("gomoku", "ultimate", "go", "hex", "draughts", "morris", "kalah", "dots")
"""Our other games: no UCI engine is known that plays them."""

_FEN = re.compile(r"\S+ [wb] \S+ \S+ \d+ \d+")

_DROP = re.compile(r"[A-Za-z]@([a-z])(\d{1,3})")
_OPINION = re.compile(r"info .*?\bdepth (\d+).*? score (cp|mate) (-?\d{1,7})\b(?! (?:upper|lower)bound)")

OPINION_CHARACTERS = 400
"""The part of an ``info`` line that is searched for depth and score: a pattern takes the square of its length."""

_STAY = re.compile(r"(0000|([a-z]\d+)\2)")


class Uci(Dialog):
    """A game with an engine that speaks UCI. Raises ValueError for one that no UCI engine plays.

    Source: Meyer-Kahlen, "Description of the universal chess interface (UCI)", 2006. The option ``UCI_Variant``, and
    drops such as ``P@d3``, are as in Fairy-Stockfish. It plays tic-tac-toe and Connect Four by the definitions in
    ``variants.ini``, which version 11.1 can load, and Reversi as ``flipello``, which version 11.1 does not know yet.

    Every turn sends the whole position. Files and ranks are counted from the bottom left of the board as drawn. The
    side that begins has the pieces ``P`` and is White to the engine. A move from a cell to itself is a pass.
    """

    def __init__(self, game: Game) -> None:
        if game.key in UNSERVED:
            raise ValueError(f"No UCI engine plays {game.title}.")
        if game.setup and not _FEN.fullmatch(game.start.text):
            raise ValueError(f"UCI has no words for what was chosen for {game.title}.")
        self._game = game
        self._start = f"fen {game.start.text}" if game.setup else "startpos"
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
                raise DialogError(
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
            return f"position {self._start} moves {' '.join(moves)}" if moves else f"position {self._start}"
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
        raise DialogError("garbage", f"The engine answered {answer!r:.80}, which is not a cell of the board.")


def _go(state: BotState, left: TimeLeft | None) -> str:
    if left is None:
        return f"go movetime {THINK_MS}"
    if left.per_move:
        return f"go movetime {left.mine_ms}"
    times = left.mine_ms, left.other_ms
    white, black = times if state.side == "first" else times[::-1]
    return f"go wtime {white} btime {black} winc {left.increment_ms} binc {left.increment_ms}"


def _opinion(line: str) -> str:
    """The opinion of an ``info`` line on the position, as a note: ``+0.34, depth 12``."""
    found = _OPINION.match(line[:OPINION_CHARACTERS])
    if found is None:
        return ""
    depth, kind, value = found[1], found[2], int(found[3])
    return f"{value / 100:+.2f}, depth {depth}" if kind == "cp" else f"mate {value}, depth {depth}"


LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"

ROWS_FROM_THE_TOP = {"reversi": "Othello"}
"""Games whose rows are numbered from the top, and what ``set_game`` calls them."""

COLOURS = {Side.FIRST: "b", Side.SECOND: "w"}


class Gtp(Dialog):
    """A game with an engine that speaks the Go Text Protocol.

    Raises ValueError for a game whose moves are not cells of a square board of at most 25 by 25.

    Source: Farneback, "Specification of the Go Text Protocol, version 2, draft 2", 2002,
    http://www.lysator.liu.se/~gunnar/gtp/. A cell is a letter without I and a number, and row 1 is at the bottom.
    Othello engines number rows from the top, as everybody does in that game, and have one more command, ``set_game``.
    Some, such as GRhino, do not know the move ``pass``: on their board a side that cannot move passes by itself.
    """

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
        komi = [option.default for option in self._game.options if option.key == "komi"]
        if komi:
            yield from self._command(f"komi {dict(self._game.setup).get('komi', komi[0])}", "start")

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
            raise DialogError("illegal", "The engine resigned.")
        if answer not in self._names:
            raise DialogError("garbage", f"The engine answered {answer!r:.80}, which is not a cell of the board.")
        self._known = [*moves, self._names[answer]]
        return self._names[answer], ""

    def _play(self, colour: str, vertex: str) -> Talk[None]:
        """Put a move on the engine's board. If it refuses a pass, it has passed: if not, it refuses the next move."""
        if vertex != PASS:
            yield from self._command(f"play {colour} {vertex}")
        elif self._takes_passes:
            try:
                yield from self._command(f"play {colour} {PASS}")
            except DialogError as error:
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
            raise DialogError(kind, f"The engine answered {answer!r:.80} to {command!r}.")
        raise DialogError("garbage", f"The engine answered {answer!r:.80} to {command!r}; = or ? was expected.")


def _settings(left: TimeLeft | None) -> str:
    """Main time, then time for each so many stones."""
    if left is None:
        return f"time_settings 0 {THINK_MS // 1000} 1"
    seconds = max(1, left.mine_ms // 1000)
    return f"time_settings 0 {seconds} 1" if left.per_move else f"time_settings {seconds} 0 0"


RULES = {"freestyle": 0, "standard": 1, "renju": 4}
"""The protocol's numbers for the rules of Gomoku: five or more in a row win, exactly five, or Renju."""

NO_LIMIT_MS = 2147483647
"""The time left of a match whose time is unlimited."""

_COORDINATES = re.compile(r"(\d{1,3})\s*,\s*(\d{1,3})")


class Gomocup(Dialog):
    """Gomoku with an engine that speaks the protocol of Gomocup and Piskvork. Raises ValueError for any other game.

    Source: Petricek and Lastovicka, "Gomoku AI protocol", https://plastovicka.github.io/protocl2en.htm. Coordinates
    are ``x,y`` from 0, here from a1 at the top left. Lines end with CR LF.
    """

    goodbye = "END\r"

    def __init__(self, game: Game) -> None:
        places = cells(game)
        if game.key != "gomoku" or places is None:
            raise ValueError(f"Gomocup engines play Gomoku, not {game.title}.")
        self._size = len(game.layout)
        self._places = places
        self._names = {place: name for name, place in places.items()}
        self._known: list[str] = []  # the moves on the engine's board
        self._rule = RULES[str(dict(game.setup).get("rule", "freestyle"))]
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
            raise DialogError("garbage", f"The engine answered {answer!r:.80}, which is not a cell of the board.")
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
        """The lines that tell an engine what it should know before a move."""
        if left is None:
            per_turn, match, now = THINK_MS, 0, NO_LIMIT_MS
        elif left.per_move:
            per_turn, match, now = left.mine_ms, 0, NO_LIMIT_MS
        else:
            per_turn = match = now = left.mine_ms
        infos = [f"INFO timeout_turn {per_turn}", f"INFO time_left {now}"]
        if not self._told_rules:
            self._told_rules = True
            infos = [f"INFO rule {self._rule}", "INFO game_type 1", f"INFO timeout_match {match}", *infos]
        return infos

    def _ok(self, command: str) -> Talk[None]:
        answer = yield from self._ask(command)
        if not answer.upper().startswith("OK"):
            raise DialogError("start", f"The engine answered {answer!r:.80} to {command}.")

    def _ask(self, *lines: str) -> Talk[str]:
        """The engine's answer: the first line that is not a message for people."""
        answer = yield tuple(f"{line}\r" for line in lines)
        while answer.upper().startswith(("MESSAGE", "DEBUG")):
            answer = yield ()
        if answer.upper().startswith(("ERROR", "UNKNOWN")):
            raise DialogError("exit", f"The engine answered {answer!r:.80} to {lines[-1]}.")
        return answer
