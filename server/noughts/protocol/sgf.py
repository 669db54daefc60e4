"""Games in the Smart Game Format, FF[4] as at red-bean.com/sgf. Pure; does no I/O.

The first side is ``B``, unless the sides' stones were exchanged. A cell is the letters of its column and its row, from
the top left, or in some games its name; both are read. What a player chose besides is a comment. Of a file's variations
the main line is read, which is the first at every branch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from string import ascii_letters
from typing import Literal

from noughts.games import SWAP, Game, Reason, Side
from noughts.games.catalogue import BadSetup, set_up
from noughts.protocol.gamefile import BadGame, RecordedGame
from noughts.protocol.scoresheet import (
    SHOWN,
    Move,
    Reader,
    Scoresheet,
    add_move,
    add_note,
    day_of,
    game_kept_as,
    moves_on_the_board,
    name_of_player,
    text_of,
    unescaped,
)
from noughts.protocol.words import has_result
from noughts.rooms import Fischer, PerMove, Room, TimeControl

COLOURS = {"B": Side.FIRST, "W": Side.SECOND}
LETTERS = {side: letter for letter, side in COLOURS.items()}

REASONS = {"R": Reason.RESIGNATION, "T": Reason.TIME, "F": Reason.FORFEIT}
"""By the letter after the plus sign of a result."""
ENDS: dict[str, str] = {reason: letter for letter, reason in REASONS.items()}

SETUP = frozenset(("AB", "AW", "AE", "PL"))
"""Properties that change the position without a move."""

SIZE, KOMI = "size", "komi"
"""The options of games that are properties of a file."""

SWAP_PIECES = "swap-pieces"
"""The move :data:`SWAP` in games whose moves are written by their names."""

TOKEN = re.compile(
    r"\s+ | (?P<node>;) | (?P<bracket>[()]) | (?P<name>[A-Za-z]+) | \[(?P<value>(?:[^\]\\]|\\.)*)\]",
    re.VERBOSE | re.DOTALL,
)


def written(game: RecordedGame) -> Iterator[str]:
    """The lines of a finished game, without line ends."""
    room = game.room
    assert room.game.record is not None
    named = room.game.record.cells == "names"
    places = {name: name for name in _places(room.game)} | {SWAP: SWAP_PIECES} if named else _places(room.game)
    moves = moves_on_the_board(game)
    letters = LETTERS
    if not named and sum(event.move == SWAP for event, _ in moves) % 2:  # here the stones change, there the players
        letters = {side: LETTERS[side.other] for side in Side}
    komi = _komi(room.game)
    more = "" if komi is None else f"KM[{komi}]"
    yield f"(;FF[4]GM[{room.game.record.kind}]CA[UTF-8]SZ[{_size(room.game)}]{more}"
    yield "".join(f"P{letter}[{_escaped(name_of_player(room.seat(side)))}]" for side, letter in letters.items())
    yield f"DT[{day_of(game)}]RE[{_result(room, letters)}]{_control(room.options.clock)}GN[{room.id}]"
    stones = 0
    for event, after in moves:
        if event.move not in places and event.move != "pass":
            yield f";C[{_escaped(' '.join([event.move, *filter(None, [event.note])]))}]"
            continue
        letter = "W" if stones % 2 else "B"
        stones += 1
        left = ""
        # Who opens a game may place stones of both colours. Only its own have its clock.
        if isinstance(after.options.clock, Fischer) and letter == letters[event.side]:
            assert after.clocks is not None
            left = f"{letter}L[{after.clocks.left(event.side) / 1000:g}]"
        note = "" if event.note is None else f"C[{_escaped(event.note)}]"
        yield f";{letter}[{places.get(event.move, '')}]{left}{note}"
    yield ")"


def _places(game: Game) -> dict[str, str]:
    """The letters of each cell. A pass has none."""
    return {
        name: f"{ascii_letters[column]}{ascii_letters[row]}"
        for row, names in enumerate(game.layout)
        for column, name in enumerate(names)
        if name
    }


def _size(game: Game) -> str:
    columns, rows = len(game.layout[0]), len(game.layout)
    return str(rows) if rows == columns else f"{columns}:{rows}"


def _komi(game: Game) -> str | None:
    """The points that the second side has from the start, in a game with that option."""
    usual = {option.key: str(option.default) for option in game.options}
    return str(dict(game.setup).get(KOMI, usual[KOMI])) if KOMI in usual else None


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")


def _result(room: Room, letters: Mapping[Side, str]) -> str:
    outcome = room.outcome
    assert outcome is not None
    if outcome.winner is not None:
        lead = room.game.counted(room.position).get("lead")
        return f"{letters[outcome.winner]}+{ENDS.get(outcome.reason, '') if lead is None else f'{lead:g}'}"
    return "Draw" if has_result(None, outcome.reason) else "Void"


def _control(control: TimeControl | None) -> str:
    match control:
        case None:
            return ""
        case Fischer(increment_ms=0):
            return f"TM[{control.initial_ms / 1000:g}]"
        case Fischer():
            return f"TM[{control.initial_ms / 1000:g}]OT[{control.increment_ms / 1000:g} s more a move]"
        case PerMove():
            return f"OT[{control.in_words}]"


def scoresheets(data: bytes, suffix: str) -> Iterator[Scoresheet]:
    """The games in a file. Raises :class:`~noughts.protocol.gamefile.BadGame`."""
    text = text_of(data)
    reader = Reader(text)
    first = re.search(r"\(\s*;", text)
    if first is None:
        raise BadGame(1, "there is no game")
    name, tree = "", _Tree(suffix, 1)
    for token in reader.tokens(TOKEN, first.start(), "a property or a variation"):
        begin = token.start()
        if token["bracket"]:
            if not reader.depth:
                tree = _Tree(suffix, reader.line(begin))
            tree.variations += token["bracket"] == "(" and not tree.main_line
            tree.end_node()
            reader.branch(token["bracket"], begin)
            if token["bracket"] == ")":
                tree.main_line = False
                if not reader.depth:
                    yield tree.finished()
        elif token["node"]:
            tree.end_node()
        elif token["name"]:
            name = re.sub("[a-z]", "", token["name"])  # older files have whole words
        elif token["value"] is not None and tree.main_line:
            tree.add(reader.line(begin), name, token["value"])
    reader.end()


class _Tree:
    """The main line of a game while it is being read."""

    def __init__(self, suffix: str, line: int) -> None:
        self.suffix = suffix
        self.line = line
        self.main_line = True
        self.variations = 0
        self.comment = ""
        self.values: dict[str, str] = {}
        self.moves: list[Move] = []

    def add(self, line: int, name: str, value: str) -> None:
        """Add a property's value. Raises :class:`~noughts.protocol.gamefile.BadGame`."""
        if name in SETUP:
            raise BadGame(line, "a game can be read only from an empty board, without stones that were set up")
        text = unescaped(value.replace("\\\n", ""))
        if name in COLOURS:
            add_move(line, value, self.moves, COLOURS[name])
        elif name == "C":
            self.comment += text
        elif not self.moves:
            self.values.setdefault(name, text)

    def end_node(self) -> None:
        """Take the node's comment. Properties come in any order, so only at the end is it known which move it is on."""
        add_note(self.comment, self.moves)
        self.comment = ""

    def finished(self) -> Scoresheet:
        """The whole game. Raises :class:`~noughts.protocol.gamefile.BadGame`."""
        values = self.values
        game = self._sized(game_kept_as(self.suffix, values.get("GM", "1").strip(), self.line))
        places = _places(game)
        # Older files have a pass as the point behind the last one of 19x19.
        known = {"tt": "pass", SWAP_PIECES: SWAP} | {name: name for name in places}
        cells = known | {letters: name for name, letters in places.items()}
        result, reason = _read_result(values.get("RE", ""))
        return Scoresheet(
            self.line,
            game.key,
            game.setup,
            (values.get("PB", ""), values.get("PW", "")),
            values.get("DT", "")[:10],
            tuple(replace(move, text=_read_move(cells, move.text.strip()) or "pass") for move in self.moves),
            result,
            reason,
            self.variations,
        )

    def _sized(self, game: Game) -> Game:
        """``game`` on the board of the file's size, and with its komi."""
        size = self.values.get("SZ", _size(game)).strip()
        try:
            sized = game if size == _size(game) else set_up(game.key, [(SIZE, size)])
        except BadSetup:
            raise BadGame(self.line, f"{game.title} has no board of the size {size!r:.{SHOWN}} here") from None
        usual = _komi(game)
        if usual is None:
            return sized
        try:
            komi = f"{float(self.values.get('KM', usual)):g}"
            return set_up(game.key, [*sized.setup, (KOMI, komi)])
        except (BadSetup, ValueError):
            raise BadGame(self.line, f"{game.title} has no komi of {self.values['KM']!r:.{SHOWN}} here") from None


def _read_move(cells: Mapping[str, str], text: str) -> str:
    return cells.get(text) or cells.get(text.lower()) or text


def _read_result(text: str) -> tuple[Side | Literal["draw"] | None, Reason | None]:
    result = text.strip().upper()
    if result in ("0", "DRAW", "JIGO"):
        return "draw", None
    winner, plus, how = result.partition("+")
    return (COLOURS.get(winner) if plus else None), REASONS.get(how[:1])
