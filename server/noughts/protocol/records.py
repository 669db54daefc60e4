"""Events as the journal keeps them: JSON with a schema number."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from noughts.engine import LEVELS
from noughts.games import GAMES, Side
from noughts.rooms import LAG_MS, Event, Joined, Opened, Paused, Played

SCHEMA = 1
TIMED = 2
"""The schema of an ``opened`` with a clock, so that a server without clocks refuses the room."""
RATED = 3
"""The schema of a rated ``opened``, so that a server without ratings refuses the room."""
UNRATED = 4
"""The schema of an event with ``unrated_because``, so that a server that would rate the game refuses the room."""

EVENTS: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="kind")])


class UnknownRecord(Exception):
    """A record of an unknown kind or schema: a newer server wrote it."""


def event_fields(event: Event) -> dict[str, Any]:
    """The fields of an event as JSON types, its kind first; ``at`` is in ms since the epoch."""
    fields: dict[str, Any] = EVENTS.serializer.to_python(event, mode="json")
    if isinstance(event, Played):
        if event.note is None:  # as in most moves, and in older records
            del fields["note"]
    elif isinstance(event, Paused):
        if event.cause == "outage":  # as in older records
            del fields["cause"]
    elif isinstance(event, Opened | Joined):
        if isinstance(event, Opened) and event.options.lag_ms == LAG_MS:
            del fields["options"]["lag_ms"]  # as in older records
        if event.unrated_because is None:
            del fields["unrated_because"]
        for seat in ("first", "second", "player"):
            if fields.get(seat) is not None:  # leave out what is unset
                known = fields[seat].items()
                fields[seat] = {key: value for key, value in known if value is not None and value is not False}
    return {"kind": fields.pop("kind"), **fields}


@lru_cache(maxsize=8192)
def quoted(text: str) -> str:
    """A short text that occurs again and again as JSON: a move, a room's id."""
    return to_json(text).decode()


SIDES: dict[Side | None, str] = {None: "null", **{side: f'"{side}"' for side in Side}}
"""The sides as JSON."""


def fields_json(event: Event) -> str:
    """The fields of an event as JSON without braces.

    ``kind`` and ``at`` are left out, and ``note``, which a client must not see yet. A move's are put together by hand:
    nearly all events are moves, and pydantic takes several times as long.
    """
    if not isinstance(event, Played):
        fields = event_fields(event)
        del fields["kind"], fields["at"]
        return to_json(fields)[1:-1].decode()
    outcome = "null" if event.outcome is None else to_json(event.outcome).decode()
    return (
        f'"side":{SIDES[event.side]},"turn":{event.turn},"move":{quoted(event.move)},"spent_ms":{event.spent_ms},'
        f'"compensated_ms":{event.compensated_ms},"thought_ms":{event.thought_ms},"outcome":{outcome}'
    )


def to_record(event: Event, fields: str | None = None) -> bytes:
    """The event as a record of the journal. ``fields`` are its :func:`fields_json`, if the caller has them."""
    schema, note = SCHEMA, ""
    if isinstance(event, Played):
        if event.note is not None:
            note = f',"note":{to_json(event.note).decode()}'
    elif isinstance(event, Opened | Joined) and event.unrated_because is not None:
        schema = UNRATED
    elif isinstance(event, Opened):
        schema = RATED if event.options.rated else TIMED if event.options.clock is not None else SCHEMA
    return f'{{"schema":{schema},"kind":"{event.kind}","at":{event.at},{fields or fields_json(event)}{note}}}'.encode()


def from_record(record: bytes) -> Event:
    """The event in a record. Raises :class:`UnknownRecord`."""
    fields = from_json(record)
    if fields.pop("schema") not in (SCHEMA, TIMED, RATED, UNRATED):
        raise UnknownRecord("the room was written by a newer server")
    if fields.get("kind") == "played":  # records from before there were clocks
        fields.setdefault("thought_ms", fields.get("spent_ms"))
    try:
        event = EVENTS.validate_python(fields)
    except ValidationError as error:
        raise UnknownRecord(f"the room has a record of an unknown kind: {fields.get('kind')}") from error
    if isinstance(event, Opened):
        levels = [seat.level for seat in (event.first, event.second) if seat is not None and seat.level is not None]
        if event.game not in GAMES or not LEVELS.keys() >= set(levels):
            raise UnknownRecord(f"this server does not know the game {event.game} or its computer's level")
    return event
