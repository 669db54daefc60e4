"""A finished game as text: the players, the moves, the last board and the result. Pure; does no I/O."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from noughts.columns import table
from noughts.games import Game, Outcome, Reason, Side
from noughts.games.board import Faces, board, faces
from noughts.games.sentences import level_name
from noughts.protocol.gamefile import RecordedGame
from noughts.protocol.render import timestamp, words
from noughts.protocol.words import RULES_CHANGED, ended
from noughts.rooms import (
    Declined,
    Ended,
    Event,
    Fischer,
    Offered,
    Paused,
    PerMove,
    Played,
    Player,
    Room,
    TakenBack,
    TimeControl,
)
from noughts.rooms.clock import DAY_MS, days_ms

WIDTH = 100
"""The width of bots' notes, in columns."""

INDENT = " " * 5

ELLIPSIS = "..."
"""Stands for a move of the first side that is in an earlier row."""

TENTHS_MS = 10_000
"""With less than this left, a clock shows tenths of a second."""


def move_list(game: RecordedGame) -> Iterator[str]:
    """The lines of ``game``, without line ends."""
    room = game.room
    assert room.outcome is not None
    yield from _head(game)
    yield ""
    yield from _moves(game)
    yield ""
    if room.stopped:
        yield from (*textwrap.wrap(RULES_CHANGED, WIDTH), "")
    yield from board(room.game, _faces(room, room.outcome))
    yield ""
    yield _result(room, room.outcome)


def _head(game: RecordedGame) -> Iterator[str]:
    room = game.room
    assert game.ended_at is not None
    yield room.game.title
    yield ""
    fields = {room.game.style(side).name: _who(room.seat(side)) for side in Side}
    kinds = [word for word, applies in (("rated", room.rated), ("private", room.options.private)) if applies]
    fields["Room"] = ", ".join([room.id, *kinds])
    if room.previous is not None:
        fields["Rematch of"] = room.previous
    if room.next is not None:
        fields["Rematch"] = room.next
    if room.options.clock is not None:
        fields["Clock"] = _control(room.options.clock)
    fields["Opened"] = _date(game.events[0].at)
    fields["Over"] = _date(game.ended_at)
    yield from table(fields.items())


def _who(player: Player | None) -> str:
    if player is None:
        return "nobody"
    if player.kind == "computer":
        return f"{player.name} ({level_name(player.level or '')})"
    rating = "" if player.rating is None else f" ({player.rating}{'?' if player.provisional else ''})"
    return f"{player.name}{rating}{', a bot' if player.kind == 'bot' else ''}"


def _control(control: TimeControl) -> str:
    match control:
        case Fischer(increment_ms=0):
            return f"{_clock(control.initial_ms)} for the game"
        case Fischer():
            return f"{_clock(control.initial_ms)} for the game, and {control.increment_ms / 1000:g} s more a move"
        case PerMove():
            return control.in_words


def _date(ms: int) -> str:
    day, _, time = timestamp(ms).partition("T")
    return f"{day} {time[:8]} UTC"


def _clock(ms: int) -> str:
    """A clock's display: ``1:02:03``, ``2:03`` or, near its end, ``0:04.5``."""
    minutes, rest = divmod(ms, 60_000)
    seconds = f"{rest // 1000:02}.{rest // 100 % 10}" if ms < TENTHS_MS else f"{rest // 1000:02}"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds}" if hours else f"{minutes}:{seconds}"


def _moves(game: RecordedGame) -> Iterator[str]:
    """The moves in rows of both sides, and between them the other events that matter to the game."""
    kind = game.room.game
    names = [kind.style(side).name for side in Side] + [ply.name for room in game.rooms for ply in room.plies[-1:]]
    width = max(map(len, [*names, ELLIPSIS]))
    timed = game.room.clocks is not None
    row = _Row(kind, width, timed)
    yield f"{INDENT}{row.heading()}"
    for event, before, room in zip(game.events, (game.room, *game.rooms[:-1]), game.rooms, strict=True):
        if isinstance(event, Played) and not room.stopped:
            yield from row.add(event, room)
        elif words := _between(event, kind, before):
            yield from row.end()
            yield f"{INDENT}({words})"
    yield from row.end()


class _Row:
    """The current row of moves, and the notes on them."""

    def __init__(self, game: Game, width: int, timed: bool) -> None:
        self._game = game
        self._width = width
        self._timed = timed
        self._number = 0
        self._numbers: list[int] = []
        self._cells: dict[Side, str] = {}
        self._notes: list[str] = []

    def heading(self) -> str:
        """The line above the rows."""
        return self._joined({side: self._game.style(side).name for side in Side})

    def add(self, event: Played, room: Room) -> Iterator[str]:
        """Add a move, after which the room is ``room``; the lines that are complete now."""
        number = self._number_of(room)
        if event.side is Side.FIRST or event.side in self._cells or number != self._number:
            yield from self.end()
        self._number = number
        self._cells[event.side] = f"{room.plies[-1].name.ljust(self._width)} {_time(event, room)}"
        if event.note is not None:
            self._notes += _note(self._game.style(event.side).name, event.note)
        if event.side is Side.SECOND:
            yield from self.end()

    def _number_of(self, room: Room) -> int:
        """The number of the last move's row: a new one begins when the first side answers the second."""
        sides, numbers = [ply.side for ply in room.plies[-2:]], self._numbers
        del numbers[len(room.plies) - 1 :]  # what was taken back
        numbers.append(numbers[-1] + (sides == [Side.SECOND, Side.FIRST]) if numbers else 1)
        return numbers[-1]

    def end(self) -> Iterator[str]:
        """The current row and its notes."""
        if self._cells:
            yield f"{self._number:>3}. {self._joined({Side.FIRST: ELLIPSIS, **self._cells})}"
            yield from self._notes
        self._cells, self._notes = {}, []

    def _joined(self, cells: dict[Side, str]) -> str:
        width = self._width + (9 if self._timed else 0)
        return "   ".join(cells.get(side, "").rstrip().ljust(width) for side in Side).rstrip()


def _time(event: Played, room: Room) -> str:
    """The time that the side has left after the move, or with a time per move, the time the move took."""
    match room.options.clock:
        case None:
            return ""
        case Fischer():
            assert room.clocks is not None
            return _clock(room.clocks.left(event.side)).rjust(8)
        case PerMove() as control:
            days = days_ms(control) > 0
            return (f"{event.thought_ms / DAY_MS:.1f} d" if days else f"{event.thought_ms / 1000:.1f} s").rjust(8)


def _note(who: str, note: str) -> Iterator[str]:
    first = f"{INDENT}{who}: "
    for line in note.expandtabs().splitlines():
        yield from textwrap.wrap(line, WIDTH, initial_indent=first, subsequent_indent=INDENT + "  ") or [""]
        first = INDENT + "  "


def _between(event: Event, game: Game, before: Room) -> str:
    """A remark on ``event`` between the moves, empty if it does not matter to the game."""
    match event:
        case Played():
            return f"{game.style(event.side).name} plays {event.move} under the older rules"
        case TakenBack():
            moves = "the last move" if event.plies == 1 else f"the last {event.plies} moves"
            return f"{game.style(event.side).name} allows a takeback of {moves}"
        case Offered(offer="draw"):
            return f"{game.style(event.side).name} offers a draw"
        case Declined(offer="draw"):
            did = "withdraws the offer" if (event.side, "draw") in before.offers else "declines the draw"
            return f"{game.style(event.side).name} {did}"
        case Ended(side=Side() as side, outcome=Outcome(winner=None, reason=Reason.DRAW)):
            return f"{game.style(side).name} claims a draw because the opponent has left"
        case Ended(side=Side() as side, outcome=Outcome(winner=None, reason=reason)) if reason in dict(game.endings):
            return f"{game.style(side).name} claims a draw"
        case Paused(cause="queue"):
            return f"the computer was busy with other games for {event.ms / 1000:.1f} s; neither clock ran"
        case Paused():
            return f"the server was down for {event.ms / 1000:.0f} s; neither clock ran"
        case _:
            return ""


def _faces(room: Room, outcome: Outcome) -> Faces:
    """The last board, with the winning line in capitals, unless these are other pieces."""
    shown = faces(room.game, room.position)
    if any(piece.symbol.isupper() for piece in room.game.pieces):
        return shown
    names = room.game.cells or room.game.layout
    return [
        [face.upper() if name in outcome.cells else face for name, face in zip(cells, row, strict=True)]
        for cells, row in zip(names, shown, strict=True)
    ]


def _result(room: Room, outcome: Outcome) -> str:
    """The result in a sentence, with the counts or the cells that decided the game."""
    winner, reason = outcome.winner, outcome.reason
    told = ended(
        None if winner is None else f"{_named(room, winner)} won",
        reason,
        words(),
        cells=outcome.cells,
        lead=room.game.counted(room.position).get("lead"),
        boards=bool(room.game.block),
        score=None if room.game.score is None or room.stopped else room.game.score(room.position),
    )
    return f"{told[:-1]}: {' '.join(outcome.cells)}." if outcome.cells else told


def _named(room: Room, side: Side) -> str:
    player = room.seat(side)
    return f"{room.game.style(side).name} ({'nobody' if player is None else player.name})"
