"""Events as the journal keeps them: JSON with a schema number."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, get_args

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from noughts.engine import LEVELS
from noughts.games import Outcome, Side
from noughts.games.catalogue import BadSetup, UnknownGame, set_up
from noughts.rooms import LAG_MS, Event, Joined, Opened, Options, Played, Player
from noughts.rooms.clock import days_ms

SCHEMA = 1
TIMED = 2
"""The schema of an ``opened`` with a clock, so that a server without clocks refuses the room."""
RATED = 3
"""The schema of a rated ``opened``, so that a server without ratings refuses the room."""
UNRATED = 4
"""The schema of an event with ``unrated_because``, so that a server that would rate the game refuses the room."""
SET_UP = 5
"""The schema of an ``opened`` with a setup or newer rules, so that a server without them refuses the room."""
DAYS = 6
"""The schema of an ``opened`` with days for each move, so that a server that lets players claim refuses the room."""

EVENTS: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="kind")])


class UnknownRecord(Exception):
    """A record of an unknown kind or schema: a newer server wrote it."""


def event_fields(event: Event) -> dict[str, Any]:
    """The fields of an event as JSON types, its kind first; ``at`` is in ms since the epoch."""
    fields = {"kind": event.kind, "at": event.at, **from_json(f"{{{fields_json(event)}}}")}
    if isinstance(event, Played) and event.note is not None:
        fields["note"] = event.note
    return fields


@lru_cache(maxsize=8192)
def quoted(text: str) -> str:
    """A short text that occurs again and again as JSON: a move, a room's id."""
    return to_json(text).decode()


@lru_cache(maxsize=1024)
def outcome_json(outcome: Outcome) -> str:
    """The outcome of a game as JSON: it is in the record of the last move, and in all that is told of the game
    later."""
    return to_json(outcome).decode()


SIDES: dict[Side | None, str] = {None: "null", **{side: f'"{side}"' for side in Side}}
"""The sides as JSON."""


def fields_json(event: Event) -> str:
    """The fields of an event as JSON without braces.

    ``kind`` and ``at`` are left out, and ``note``, which a client must not see yet. They are put together from pieces,
    most of which are remembered: pydantic takes several times as long. A move's are written out: nearly all events are
    moves.
    """
    if not isinstance(event, Played):
        found = []
        for name, begin, as_json in _FIELDS[type(event)]:
            if (text := as_json(getattr(event, name))) is not None:
                found.append(begin + text)
        return ",".join(found)
    outcome = "null" if event.outcome is None else outcome_json(event.outcome)
    return (
        f'"side":{SIDES[event.side]},"turn":{event.turn},"move":{quoted(event.move)},"spent_ms":{event.spent_ms},'
        f'"compensated_ms":{event.compensated_ms},"thought_ms":{event.thought_ms},"outcome":{outcome}'
    )


@lru_cache(maxsize=4096)  # the same players sit down again and again
def _player_json(player: Player | None) -> str:
    if player is None:
        return "null"
    known = {name: getattr(player, name) for name in _PLAYER}
    return to_json({name: of for name, of in known.items() if of is not None and of is not False}).decode()


@lru_cache(maxsize=256)
def _options_json(options: Options) -> str:
    # What older records lack is left out where it has their meaning.
    without = {"lag_ms"} if options.lag_ms == LAG_MS else set()
    without |= {"tournament"} if options.tournament is None else set()
    return to_json({name: getattr(options, name) for name in _OPTIONS if name not in without}).decode()


_PLAYER, _OPTIONS = (tuple(each.name for each in dataclasses.fields(of)) for of in (Player, Options))
_AS_JSON: dict[str, Callable[[Any], str | None]] = {
    **dict.fromkeys(("room", "game", "by", "next", "offer"), quoted),
    **dict.fromkeys(("plies", "ms"), str),
    **dict.fromkeys(("first", "second", "player"), _player_json),
    "side": SIDES.__getitem__,
    "options": _options_json,
    "previous": lambda room: "null" if room is None else quoted(room),
    "outcome": outcome_json,
    "cause": lambda cause: None if cause == "outage" else quoted(cause),
    "unrated_because": lambda why: None if why is None else quoted(why),
    "setup": lambda setup: to_json(dict(setup)).decode() if setup else None,
    "rules": lambda rules: None if rules == 1 else str(rules),
}
"""The fields of events other than moves. None is left out: it has the meaning of older records, which lack it."""
_FIELDS = {
    event: [
        (each.name, f'"{each.name}":', _AS_JSON[each.name])
        for each in dataclasses.fields(event)
        if each.name not in ("kind", "at")
    ]
    for event in get_args(Event)
    if event is not Played
}


def to_record(event: Event, fields: str | None = None) -> bytes:
    """The event as a record of the journal. ``fields`` are its :func:`fields_json`, if the caller has them."""
    schema, note = SCHEMA, ""
    if isinstance(event, Played):
        if event.note is not None:
            note = f',"note":{to_json(event.note).decode()}'
    elif isinstance(event, (Opened, Joined)):
        if isinstance(event, Opened) and days_ms(event.options.clock):
            schema = DAYS
        elif isinstance(event, Opened) and (event.setup or event.rules != 1):
            schema = SET_UP
        elif event.unrated_because is not None:
            schema = UNRATED
        elif isinstance(event, Opened):
            schema = RATED if event.options.rated else TIMED if event.options.clock is not None else SCHEMA
    return f'{{"schema":{schema},"kind":"{event.kind}","at":{event.at},{fields or fields_json(event)}{note}}}'.encode()


def from_record(record: bytes) -> Event:
    """The event in a record. Raises :class:`UnknownRecord`."""
    fields = from_json(record)
    if fields.pop("schema") not in (SCHEMA, TIMED, RATED, UNRATED, SET_UP, DAYS):
        raise UnknownRecord("the room was written by a newer server")
    if fields.get("kind") == "played":  # records from before there were clocks
        fields.setdefault("thought_ms", fields.get("spent_ms"))
    if "setup" in fields:
        fields["setup"] = tuple(fields["setup"].items())
    try:
        event = EVENTS.validate_python(fields)
    except ValidationError as error:
        raise UnknownRecord(f"the room has a record of an unknown kind: {fields.get('kind')}") from error
    if isinstance(event, Opened):
        levels = [seat.level for seat in (event.first, event.second) if seat is not None and seat.level is not None]
        try:
            game = set_up(event.game, event.setup)
        except (UnknownGame, BadSetup) as error:
            raise UnknownRecord(f"this server cannot set up the game of the room: {error}") from error
        if event.rules > game.version:
            newer = f"version {event.rules} of the rules of {game.title}, and this server has version {game.version}"
            raise UnknownRecord(f"the room was opened under {newer}")
        if not LEVELS.keys() >= set(levels):
            raise UnknownRecord(f"this server does not know the computer's level in the game {event.game}")
    return event
