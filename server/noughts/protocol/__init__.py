"""The wire protocol, version 1: every message, and the records of the journal. See docs/protocol.md."""

from noughts.protocol.messages import (
    MESSAGES,
    Analysed,
    ErrorCode,
    Message,
    RequestId,
    Snapshot,
    State,
    Update,
    Welcome,
)
from noughts.protocol.parsing import BadRequest, id_of, parse
from noughts.protocol.records import UnknownRecord, event_fields, fields_json, from_record, to_record
from noughts.protocol.render import analysed, game_info, games, listing, snapshot, state, timestamp, update, update_json
from noughts.protocol.requests import PROTOCOL, REQUESTS, AnyRequest

__all__ = [
    "MESSAGES",
    "PROTOCOL",
    "REQUESTS",
    "Analysed",
    "AnyRequest",
    "BadRequest",
    "ErrorCode",
    "Message",
    "RequestId",
    "Snapshot",
    "State",
    "UnknownRecord",
    "Update",
    "Welcome",
    "analysed",
    "event_fields",
    "fields_json",
    "from_record",
    "game_info",
    "games",
    "id_of",
    "listing",
    "parse",
    "snapshot",
    "state",
    "timestamp",
    "to_record",
    "update",
    "update_json",
]
