"""Events as the journal keeps them: JSON with a schema number."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from noughts.engine import LEVELS
from noughts.games import GAMES
from noughts.rooms import Event, Opened

SCHEMA = 1
TIMED = 2
"""The schema of an ``opened`` with a clock: a server that knows no clocks would let such a game go on without."""

EVENTS: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="kind")])


class UnknownRecord(Exception):
    """A record of a kind or schema that this server does not know: it was written by a newer one."""


def event_fields(event: Event) -> dict[str, Any]:
    """The fields of an event as JSON types, its kind first; ``at`` is in ms since the epoch."""
    fields: dict[str, Any] = EVENTS.serializer.to_python(event, mode="json")
    if "note" in fields and fields["note"] is None:  # most moves have none, and records without it are older
        del fields["note"]
    return {"kind": fields.pop("kind"), **fields}


def to_record(event: Event) -> bytes:
    """The event as a record of the journal."""
    timed = isinstance(event, Opened) and event.options.clock is not None
    return to_json({"schema": TIMED if timed else SCHEMA, **event_fields(event)})


def from_record(record: bytes) -> Event:
    """The event in a record. Raises :class:`UnknownRecord`."""
    fields = from_json(record)
    if fields.pop("schema") not in (SCHEMA, TIMED):
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
