"""Events as the journal keeps them: JSON with a schema number."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from noughts.engine import LEVELS
from noughts.games import GAMES
from noughts.rooms import Event, Joined, Opened, Played

SCHEMA = 1
TIMED = 2
"""The schema of an ``opened`` with a clock: a server that knows no clocks would let such a game go on without."""
RATED = 3
"""The schema of an ``opened`` that is rated: a server that knows no ratings would let anybody sit down."""

EVENTS: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="kind")])


class UnknownRecord(Exception):
    """A record of a kind or schema that this server does not know: it was written by a newer one."""


def event_fields(event: Event) -> dict[str, Any]:
    """The fields of an event as JSON types, its kind first; ``at`` is in ms since the epoch."""
    fields: dict[str, Any] = EVENTS.serializer.to_python(event, mode="json")
    if isinstance(event, Played):
        if event.note is None:  # most moves have none, and records without it are older
            del fields["note"]
    elif isinstance(event, Opened | Joined):
        for seat in ("first", "second", "player"):
            if fields.get(seat) is not None:  # of most players there is nothing to say but who they are
                told = fields[seat].items()
                fields[seat] = {key: value for key, value in told if value is not None and value is not False}
    return {"kind": fields.pop("kind"), **fields}


def to_record(event: Event) -> bytes:
    """The event as a record of the journal."""
    return to_json({"schema": _schema(event), **event_fields(event)})


def _schema(event: Event) -> int:
    """The least that a server has to know to run the room."""
    if not isinstance(event, Opened):
        return SCHEMA
    return RATED if event.options.rated else TIMED if event.options.clock is not None else SCHEMA


def from_record(record: bytes) -> Event:
    """The event in a record. Raises :class:`UnknownRecord`."""
    fields = from_json(record)
    if fields.pop("schema") not in (SCHEMA, TIMED, RATED):
        raise UnknownRecord("the room was written by a newer server")
    if fields.get("kind") == "played":  # before there were clocks all that was spent was thought
        fields.setdefault("thought_ms", fields.get("spent_ms"))
    try:
        event = EVENTS.validate_python(fields)
    except ValidationError as error:
        raise UnknownRecord(f"the room holds a record that this server does not know: {fields.get('kind')}") from error
    if isinstance(event, Opened):
        levels = [seat.level for seat in (event.first, event.second) if seat is not None and seat.level is not None]
        if event.game not in GAMES or not LEVELS.keys() >= set(levels):
            raise UnknownRecord(f"this server does not know the game {event.game}, or a level of its computer")
    return event
