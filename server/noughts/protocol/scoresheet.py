"""Scoresheets: games as files in the formats of other programs tell them, and the same games played by the rules here.
Pure; does no I/O.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from noughts.columns import printable
from noughts.games import GAMES, Game, IllegalMove, MalformedMove, Outcome, Reason, Side
from noughts.games.catalogue import BadSetup, Setup, set_up
from noughts.protocol.fields import NOTE_BYTES
from noughts.protocol.gamefile import TOLD, BadGame, RecordedGame
from noughts.protocol.records import to_record
from noughts.protocol.render import timestamp
from noughts.rooms import Ended, Event, Opened, Options, Played, Player, Room, evolve
from noughts.rooms.evolve import played

MAX_MOVES = 2000
"""The most moves of a game: four times as many as the longest ones that people have played."""

MAX_DEPTH = 100
"""The greatest depth of variations within variations."""

NAME_CHARACTERS = 32
"""The characters shown of a player's name."""

SHOWN = 40
"""The characters that an error shows of a file's text."""


@dataclass(frozen=True, slots=True)
class Move:
    """A move as the file has it, on a line counted from 1; ``side`` if the file says whose it is. ``note`` is the
    comment on it.
    """

    line: int
    text: str
    side: Side | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Scoresheet:
    """A game as a file tells it. The rules have not been asked yet.

    ``line`` is where it begins. ``names`` are those of both sides, empty if unknown. ``date`` is such as 2026-11-24,
    or empty. ``result`` is None if there is none, and ``reason`` why, if the board does not tell: None stands for
    resignation or agreement. ``variations`` is how many of them were skipped.
    """

    line: int
    game: str
    setup: Setup
    names: tuple[str, str]
    date: str
    moves: tuple[Move, ...]
    result: Side | Literal["draw"] | None
    reason: Reason | None = None
    variations: int = 0

    @property
    def digest(self) -> str:
        """Of what was played by whom and when: two files that tell the same game have the same."""
        moves = tuple(move.text for move in self.moves)
        return _digest((self.game, self.setup, self.names, self.date, moves, self.result, self.reason))


def _digest(content: object) -> str:
    return hashlib.sha256(repr(content).encode()).hexdigest()[:20]


def game_kept_as(suffix: str, kind: str | None, line: int) -> Game:
    """The game that files with this suffix hold, and that the file calls ``kind``. Raises :class:`BadGame`."""
    for game in GAMES.values():
        if game.record is None or game.record.suffix != suffix:
            continue
        if kind is None or kind.partition(",")[0] == game.record.kind.partition(",")[0]:
            return game
    raise BadGame(line, f"no game here is of the kind {kind!r:.{SHOWN}}")


def add_move(line: int, text: str, moves: list[Move], side: Side | None = None) -> None:
    """Add a move to ``moves``. Raises :class:`BadGame` for too many."""
    if len(moves) == MAX_MOVES:
        raise BadGame(line, f"a game of more than {MAX_MOVES} moves")
    moves.append(Move(line, text, side))


def add_note(text: str, moves: list[Move]) -> None:
    """Add a comment to the last move, if there is one, as long as notes may be."""
    if moves and (words := " ".join(map(printable, text.split()))):
        note = f"{moves[-1].note or ''} {words}".strip()
        moves[-1] = replace(moves[-1], note=note.encode()[:NOTE_BYTES].decode(errors="ignore").strip())


def play_through(sheet: Scoresheet) -> RecordedGame:
    """The game on ``sheet``, played by the rules, in a room of its own. Raises :class:`BadGame`.

    Players are who has that name, in all files; a player without a name is nobody else.
    """
    return recorded_steps([*steps(sheet)])


def recorded_steps(made: Sequence[tuple[Event, Room]]) -> RecordedGame:
    """The game of these :func:`steps`."""
    events, rooms = zip(*made, strict=True)
    return RecordedGame(tuple(map(to_record, events)), events, rooms)


def steps(sheet: Scoresheet) -> Iterator[tuple[Event, Room]]:
    """Each event of the game on ``sheet`` and the room after it, as :func:`play_through` makes them, one by one."""
    try:
        game = set_up(sheet.game, sheet.setup)
    except BadSetup as error:
        raise BadGame(sheet.line, str(error)) from None
    at = _time(sheet.date)
    named = f"{TOLD}{sheet.digest}"
    first, second = (_player(game, side, name, named) for side, name in zip(Side, sheet.names, strict=True))
    if first.id == second.id:
        second = replace(second, id=f"{second.id}:second")
    opened = Opened(at, named, game.key, first.id, first, second, Options(), setup=game.setup, rules=game.version)
    room = evolve(None, opened)
    yield opened, room
    for move in sheet.moves:
        event, room = _after(room, move, at)
        yield event, room
    if room.outcome is None:
        ended = _end(room, sheet, at)
        yield ended, evolve(room, ended)


def _time(date: str) -> int:
    """The beginning of a day, ms since the epoch; 0 if there is no such day after 1970."""
    try:
        return max(0, round(datetime.strptime(date, "%Y-%m-%d").replace(tzinfo=UTC).timestamp() * 1000))
    except ValueError:
        return 0


def _player(game: Game, side: Side, name: str, room: str) -> Player:
    shown = " ".join(map(printable, name.split()))[:NAME_CHARACTERS].strip()
    if not shown.strip("?"):
        return Player(f"{room}:{side.value}", game.style(side).name, "human")
    return Player(f"{TOLD}{_digest(shown)}", shown, "human")


def _after(room: Room, move: Move, at: int) -> tuple[Played, Room]:
    game, position, side = room.game, room.position, room.to_move
    if side is None:
        raise BadGame(move.line, f"the game is over before {move.text!r:.{SHOWN}}")
    if move.side not in (None, side):
        raise BadGame(move.line, f"{game.style(side).name} is to move before {move.text!r:.{SHOWN}}")
    try:
        name = game.meant(position, move.text)
        after = position.play(name)
    except MalformedMove:
        raise BadGame(move.line, f"{move.text!r:.{SHOWN}} is not a legal move") from None
    except IllegalMove as error:
        raise BadGame(move.line, f"{move.text!r:.{SHOWN}} cannot be played: {error}") from None
    event = Played(at, side, room.turn, name, 0, outcome=after.outcome, note=move.note)
    return event, played(room, event, after)


def _end(room: Room, sheet: Scoresheet, at: int) -> Ended:
    """The end of a game that the board did not end."""
    match sheet.result:
        case None:
            return Ended(at, None, Outcome(None, Reason.UNFINISHED))
        case "draw":
            why = sheet.reason or room.claimable_draw or Reason.AGREEMENT
            return Ended(at, room.to_move, Outcome(None, why))
        case winner:
            return Ended(at, winner.other, Outcome(winner, sheet.reason or Reason.RESIGNATION))


def name_of_player(player: Player | None) -> str:
    """The name of a player in a file; empty for nobody."""
    if player is None:
        return ""
    return player.name if player.level is None else f"{player.name} ({player.level})"


def day_of(game: RecordedGame) -> str:
    """The day on which a game began, such as 2026-11-24; empty if the file that told it did not say."""
    at = game.events[0].at
    return timestamp(at)[:10] if at else ""


def moves_on_the_board(game: RecordedGame) -> list[tuple[Played, Room]]:
    """Each move that was not taken back, and the room after it."""
    found = []
    for ply in game.room.plies:
        event = game.events[ply.version - 1]
        assert isinstance(event, Played)
        found.append((event, game.rooms[ply.version - 1]))
    return found


def text_of(data: bytes) -> str:
    """The text of a file in UTF-8 or else Latin-1, with line feeds. Raises :class:`BadGame`."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        raise BadGame(text.count("\n", 0, text.index("\0")) + 1, "not a text")
    return text


def unescaped(text: str) -> str:
    """``text`` without the backslashes before characters that stand for themselves."""
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


class Reader:
    """The point to which a file has been read: the line of a place, counted from 1, and the depth of variations there.

    Places are asked for in ascending order.
    """

    def __init__(self, text: str) -> None:
        self.depth = 0
        self._text = text
        self._place, self._line = 0, 1

    def tokens(self, pattern: re.Pattern[str], begin: int, wanted: str) -> Iterator[re.Match[str]]:
        """All of the text from ``begin`` on, cut by ``pattern``. Raises :class:`BadGame` for what is not ``wanted``."""
        while begin < len(self._text):
            token = pattern.match(self._text, begin)
            if token is None:
                raise BadGame(self.line(begin), f"not {wanted}: {self._text[begin : begin + SHOWN]!r}")
            yield token
            begin = token.end()

    def line(self, place: int) -> int:
        """The line of the character at ``place``."""
        self._line += self._text.count("\n", self._place, place)
        self._place = place
        return self._line

    def branch(self, bracket: str, place: int) -> None:
        """A variation begins or ends at ``place``. Raises :class:`BadGame`."""
        self.depth += 1 if bracket == "(" else -1
        if self.depth < 0:
            raise BadGame(self.line(place), "a variation ends that did not begin")
        if self.depth > MAX_DEPTH:
            raise BadGame(self.line(place), f"variations are more than {MAX_DEPTH} deep")

    def end(self) -> None:
        """The text ends. Raises :class:`BadGame`."""
        if self.depth:
            raise BadGame(self.line(len(self._text)), "a variation does not end")
