"""Games in files: a line that says which game follows, then its records as the journal has them, one a line."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from noughts.protocol.records import UnknownRecord, from_record
from noughts.protocol.render import timestamp
from noughts.protocol.requests import Name, Note
from noughts.rooms import Event, Joined, Opened, Played, Player, Rematched, Room, evolve
from noughts.rooms.validate import lawful

FORMAT = 1

MOST_EVENTS = 1_000_000
"""More than any room can have."""

END_OF_TIME = 253_402_300_800_000
"""The year 10,000, ms since the epoch: later times cannot be written."""


class BadGame(ValueError):
    """A file of games that cannot be used: ``line``, counted from 1, is the one that is wrong."""

    def __init__(self, line: int, words: str) -> None:
        super().__init__(f"line {line}: {words}")
        self.line = line
        self.words = words


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """A game as it was recorded: its records, the event in each, and the room after it; none is empty."""

    records: tuple[bytes, ...]
    events: tuple[Event, ...]
    rooms: tuple[Room, ...]

    @property
    def room(self) -> Room:
        """The room as it is in the end."""
        return self.rooms[-1]

    @property
    def ended_at(self) -> int | None:
        """When the game was over, ms since the epoch; None while it goes on."""
        return next((room.at for room in self.rooms if room.status == "over"), None)


def happened(records: Iterable[bytes]) -> Iterator[tuple[Event, Room]]:
    """What a journal's records tell: each event, and the room after it.

    Raises :class:`~noughts.protocol.records.UnknownRecord`.
    """
    room: Room | None = None
    for record in records:
        event = from_record(record)
        room = evolve(room, event)
        yield event, room


def recorded(records: Sequence[bytes], told: Sequence[tuple[Event, Room]] | None = None) -> RecordedGame:
    """The game in a journal's records, at least one; ``told`` is what :func:`happened` makes of them, if known already.

    Raises :class:`~noughts.protocol.records.UnknownRecord`.
    """
    events, rooms = zip(*(happened(records) if told is None else told), strict=True)
    return RecordedGame(tuple(records), events, rooms)


def to_file(game: RecordedGame) -> bytes:
    """A game that is over, as the lines of a file. Several games in one file follow each other."""
    return b"".join(line + b"\n" for line in (to_json(_first_line(game)), *game.records))


def from_file(lines: Iterable[bytes]) -> Iterator[RecordedGame]:
    """The games in a file, each checked whole before it is given.

    The records must be those that the first line was written for, and tell of a game that is over and was played by
    the rules. That says nothing of who wrote them. Raises :class:`BadGame`.
    """
    numbered = enumerate((line.removesuffix(b"\n") for line in lines), 1)
    for number, first in numbered:
        said = _said(number, first)
        records = tuple(line for _, line in islice(numbered, said["events"]))
        if len(records) < said["events"] or said.get("sha256") != _hash(records):
            raise BadGame(number, "what follows is not the whole game, or was changed")
        game = _played(number + 1, records)
        if game.room.status != "over":
            raise BadGame(number, "the game is not over")
        if said != _first_line(game):
            raise BadGame(number, "it does not fit the game that follows")
        yield game


def _first_line(game: RecordedGame) -> dict[str, Any]:
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
        "reason": outcome.reason.value,
        "ended_at": timestamp(game.ended_at),
        "events": len(game.records),
        "sha256": _hash(game.records),
    }


def _hash(records: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for record in records:
        digest.update(record + b"\n")
    return digest.hexdigest()


def _said(number: int, line: bytes) -> dict[str, Any]:
    """What the first line of a game says."""
    try:
        said = from_json(line, allow_inf_nan=False)
    except ValueError:
        said = None
    if not isinstance(said, dict) or said.get("noughts") != "game":
        raise BadGame(number, "a game of noughts begins with a line that says so")
    if said.get("format") != FORMAT:
        raise BadGame(number, f"this version of noughts reads games of the format {FORMAT} alone")
    if type(said.get("events")) is not int or not 0 < said["events"] <= MOST_EVENTS:
        raise BadGame(number, "it does not say how many events follow")
    return {key: value for key, value in said.items() if key in _SAID}


_SAID = frozenset(
    ("noughts", "format", "room", "game", "first", "second", "winner", "reason", "ended_at", "events", "sha256")
)
"""What is read of a first line. Another version may say more."""


def _played(number: int, records: tuple[bytes, ...]) -> RecordedGame:
    """The game in ``records``, which begin at line ``number``."""
    events: list[Event] = []
    rooms: list[Room] = []
    room: Room | None = None
    for line, record in enumerate(records, number):
        try:
            event = from_record(record)
        except UnknownRecord as error:
            raise BadGame(line, str(error)) from None
        except (ValueError, TypeError, LookupError, AttributeError):
            raise BadGame(line, "it is no record") from None
        if not _well_formed(event) or not lawful(room, event):
            raise BadGame(line, f"that cannot have happened: {event.kind}")
        room = evolve(room, event)
        events.append(event)
        rooms.append(room)
    return RecordedGame(records, tuple(events), tuple(rooms))


_ROOM: TypeAdapter[str] = TypeAdapter(Annotated[str, Field(pattern="^[A-Za-z0-9_-]{1,64}$")])
_PLAYER: TypeAdapter[str] = TypeAdapter(Annotated[str, Field(pattern="^[A-Za-z0-9:_-]{1,64}$")])
_NAME: TypeAdapter[str] = TypeAdapter(Name)
_NOTE: TypeAdapter[str | None] = TypeAdapter(Note | None)


def _well_formed(event: Event) -> bool:
    """Whether ids, names and texts are such as a server lets in, and can be shown and stored anywhere."""
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
