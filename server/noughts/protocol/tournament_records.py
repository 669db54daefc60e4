"""Events of tournaments as the journal keeps them: JSON with a schema number."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from noughts.protocol.records import UnknownRecord
from noughts.tournaments.tournament import Stored

SCHEMA = 1

EVENTS: TypeAdapter[Stored] = TypeAdapter(Annotated[Stored, Field(discriminator="kind")])


def to_record(event: Stored) -> bytes:
    """The event as a record of the journal."""
    return b'{"schema":%d,%b' % (SCHEMA, to_json(event)[1:])


def from_record(record: bytes) -> Stored:
    """The event in a record. Raises :class:`~noughts.protocol.records.UnknownRecord`."""
    fields = from_json(record)
    if fields.pop("schema") != SCHEMA:
        raise UnknownRecord("the tournament was written by a newer server")
    try:
        return EVENTS.validate_python(fields)
    except ValidationError as error:
        raise UnknownRecord(f"the tournament has a record of an unknown kind: {fields.get('kind')}") from error
