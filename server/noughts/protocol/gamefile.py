"""Game files: for each game a header line, then its records as in the journal, one per line."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from noughts.games import Reason
from noughts.protocol.fields import Name, Note
from noughts.protocol.records import UnknownRecord, from_record
from noughts.protocol.render import timestamp
from noughts.rooms import Ended, Event, Joined, Opened, Played, Player, Rematched, Room, evolve
from noughts.rooms.validate import is_valid

FORMAT = 1

MAX_EVENTS = 1_000_000
"""More than any room can have."""

END_OF_TIME = 253_402_300_800_000
"""The year 10,000, ms since the epoch. Later times cannot be formatted."""


TOLD = "file-"
"""The ids of rooms begin with it whose game another program's file tells. No server gives such ids."""


class BadGame(ValueError):
    """An invalid game file. ``line``, counted from 1, is the wrong one."""

    def __init__(self, line: int, words: str) -> None:
        super().__init__(f"line {line}: {words}")
        self.line = line
        self.words = words


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """A recorded game: its records, the event in each, and the room after each; none is empty."""

    records: tuple[bytes, ...]
    events: tuple[Event, ...]
    rooms: tuple[Room, ...]

    @property
    def room(self) -> Room:
        """The final room."""
        return self.rooms[-1]

    @property
    def ended_at(self) -> int | None:
        """The time at which the game ended, ms since the epoch; None if it has not."""
        return next((room.at for room in self.rooms if room.status == "over"), None)


def history(records: Iterable[bytes]) -> Iterator[tuple[Event, Room]]:
    """Each event in a journal's records, and the room after it; nothing if the first of them were deleted.

    Raises :class:`~noughts.protocol.records.UnknownRecord`.
    """
    room: Room | None = None
    for record in records:
        event = from_record(record)
        if room is None and not isinstance(event, Opened):
            return
        room = evolve(room, event)
        yield event, room


def moves_in(events: Sequence[Mapping[str, Any]]) -> list[str] | None:
    """The moves on the board after ``events``, the objects in a journal's records; None if the first were deleted.

    The rules are not asked, so that thousands of games take a second.
    """
    if not events or events[0]["kind"] != "opened":
        return None
    moves: list[str] = []
    for event in events:
        if event["kind"] == "played":
            moves.append(event["move"])
        elif event["kind"] == "taken_back":
            del moves[-event["plies"] :]
    return moves


def recorded(records: Sequence[bytes], known: Sequence[tuple[Event, Room]] | None = None) -> RecordedGame:
    """The game in a journal's records, at least one. ``known`` is their :func:`history`, if the caller has it.

    Raises :class:`~noughts.protocol.records.UnknownRecord`.
    """
    events, rooms = zip(*(history(records) if known is None else known), strict=True)
    return RecordedGame(tuple(records), events, rooms)


def to_file(game: RecordedGame) -> bytes:
    """A finished game as lines of a file. A file may hold several games, one after the other."""
    return b"".join(line + b"\n" for line in (to_json(_header(game)), *game.records))


def from_file(lines: Iterable[bytes]) -> Iterator[RecordedGame]:
    """The games in a file. Each is checked completely before it is yielded.

    The records must match the header line and make a finished game by the rules. That does not prove who wrote them.
    Raises :class:`BadGame`.
    """
    numbered = enumerate((line.removesuffix(b"\n") for line in lines), 1)
    for number, first in numbered:
        header = _read_header(number, first)
        records = tuple(line for _, line in islice(numbered, header["events"]))
        if len(records) < header["events"] or header.get("sha256") != _hash(records):
            raise BadGame(number, "the records after it are incomplete or were changed")
        game = _played(number + 1, records)
        if game.room.status != "over":
            raise BadGame(number, "the game is not over")
        if header != _header(game):
            raise BadGame(number, "it does not match the game that follows")
        yield game


def _header(game: RecordedGame) -> dict[str, Any]:
    room, outcome = game.room, game.room.outcome
    assert outcome is not None
    assert game.ended_at is not None
    return {
        "noughts": "game",
        "format": FORMAT,
        "room": room.id,
        "game": room.game.key,
        "first": None if room.first is None else room.first.name,
        "second": None if room.second is None else room.second.name,
        "winner": None if outcome.winner is None else outcome.winner.value,
        "reason": outcome.reason,
        "ended_at": timestamp(game.ended_at),
        "events": len(game.records),
        "sha256": _hash(game.records),
    }


def _hash(records: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for record in records:
        digest.update(record + b"\n")
    return digest.hexdigest()


def _read_header(number: int, line: bytes) -> dict[str, Any]:
    """The known fields of a game's header line."""
    try:
        header = from_json(line, allow_inf_nan=False)
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("noughts") != "game":
        raise BadGame(number, "not the header line of a game of noughts")
    if header.get("format") != FORMAT:
        raise BadGame(number, f"this version of noughts reads only format {FORMAT}")
    if type(header.get("events")) is not int or not 0 < header["events"] <= MAX_EVENTS:
        raise BadGame(number, "the number of events is missing or wrong")
    return {key: value for key, value in header.items() if key in _HEADER}


_HEADER = frozenset(
    ("noughts", "format", "room", "game", "first", "second", "winner", "reason", "ended_at", "events", "sha256")
)
"""The fields of a header line. Other versions may add more."""


def _played(number: int, records: tuple[bytes, ...]) -> RecordedGame:
    """The game in ``records``, which start at line ``number``."""
    events: list[Event] = []
    rooms: list[Room] = []
    room: Room | None = None
    for line, record in enumerate(records, number):
        try:
            event = from_record(record)
        except UnknownRecord as error:
            raise BadGame(line, str(error)) from None
        except (ValueError, TypeError, LookupError, AttributeError):
            raise BadGame(line, "not a record") from None
        if not _well_formed(event) or not (is_valid(room, event) or _is_told(room, event)):
            raise BadGame(line, _why_invalid(room, event))
        room = evolve(room, event)
        events.append(event)
        rooms.append(room)
    return RecordedGame(records, tuple(events), tuple(rooms))


def _is_told(room: Room | None, event: Event) -> bool:
    """True if ``event`` is as another program's file tells it: people's moves have comments, and a game ends off the
    board without a command.
    """
    if room is None or not room.id.startswith(TOLD) or room.status != "playing":
        return False
    match event:
        case Played(note=str()):
            return is_valid(room, replace(event, note=None))
        case Ended():
            return event.at == room.at and event.outcome.reason in tuple(Reason) and not event.outcome.cells
        case _:
            return False


def _why_invalid(room: Room | None, event: Event) -> str:
    """The reason why ``event`` cannot be in a file after ``room``, in words."""
    if isinstance(event, Played) and room is not None and (older := room.older_rules) is not None:
        title, here = room.game.title, room.game.version
        return (
            f"that move was played under version {older.version} of the rules of {title}, and the rules here, "
            f"version {here}, do not agree with it"
        )
    return f"that cannot have history: {event.kind}"


_ROOM: TypeAdapter[str] = TypeAdapter(Annotated[str, Field(pattern="^[A-Za-z0-9_-]{1,64}$")])
_PLAYER: TypeAdapter[str] = TypeAdapter(Annotated[str, Field(pattern="^[A-Za-z0-9:_-]{1,64}$")])
_NAME: TypeAdapter[str] = TypeAdapter(Name)
_NOTE: TypeAdapter[str | None] = TypeAdapter(Note | None)


def _well_formed(event: Event) -> bool:
    """True if ids, names and texts are such as a server accepts, safe to show and to store."""
    if not 0 <= event.at < END_OF_TIME:
        return False
    try:
        match event:
            case Opened():
                _ROOM.validate_python(event.room)
                _ROOM.validate_python(event.previous or event.room)
                _PLAYER.validate_python(event.by)
                return all(_is_player(seat) for seat in (event.first, event.second) if seat is not None)
            case Joined():
                return _is_player(event.player)
            case Played():
                _NOTE.validate_python(event.note)
            case Rematched():
                _ROOM.validate_python(event.next)
    except ValidationError:
        return False
    return True


def _is_player(player: Player) -> bool:
    _PLAYER.validate_python(player.id)
    _NAME.validate_python(player.name)
    return (player.kind == "computer") is player.id.startswith("computer:")
