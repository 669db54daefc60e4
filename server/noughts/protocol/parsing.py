"""Parses frames into requests, and explains what is wrong with the others."""

from __future__ import annotations

from typing import Any, get_args

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import from_json

from noughts.protocol.requests import NOTE_BYTES, AnyRequest, RequestId
from noughts.protocol.words import ErrorCode

REQUESTS: TypeAdapter[AnyRequest] = TypeAdapter(AnyRequest)


class BadRequest(Exception):
    """A frame that is not a request. ``id`` is the request's, if it could be read."""

    def __init__(self, code: ErrorCode, message: str, request_id: int | str | None = None) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.id = request_id


def parse(frame: str | bytes) -> AnyRequest:
    """The request in a text frame. Raises :class:`BadRequest` with ``bad_json`` or ``bad_message``."""
    try:
        return REQUESTS.validate_json(frame)
    except ValidationError as error:
        raise _bad_request(frame, error) from None


def id_of(content: object) -> int | str | None:
    """The request id in ``content``, any JSON; None if there is no valid one."""
    try:
        return _REQUEST_ID.validate_python(content.get("id") if isinstance(content, dict) else None)
    except ValidationError:
        return None


def _bad_request(frame: str | bytes, error: ValidationError) -> BadRequest:
    try:
        content: Any = from_json(frame, allow_inf_nan=False)
    except (ValueError, TypeError) as reason:  # TypeError: a str with a lone surrogate
        return BadRequest("bad_json", f"Not JSON: {reason}"[:200])
    if not isinstance(content, dict):
        return BadRequest("bad_message", "A message must be a JSON object.")
    # Neither the answer nor the log repeats the sender's input.
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where, what = ".".join(str(part) for part in first["loc"][1:]), first["msg"].removeprefix("Value error, ")
    if where.startswith("id."):
        where, what = "id", "an integer or a string of at most 64 characters"
    elif where in _LENGTHS:
        what = f"1 to {_LENGTHS[where]} visible characters, without a space at either end"
    elif where == "note" and first["type"].startswith("string_"):
        what = f"1 to {NOTE_BYTES} bytes of UTF-8, without control characters except line ends and tabs"
    elif where.startswith("clock"):
        where, what = "clock", _CLOCKS
    elif not where:
        where, what = "type", _TYPES
    else:
        what = _IN_WORDS.get(first["type"], what)
    return BadRequest("bad_message", f"{where}: {what}"[:400], id_of(content))


_LENGTHS = {"name": 32, "text": 280}
_TYPES = "one of " + ", ".join(
    sorted(name for one in get_args(get_args(AnyRequest)[0]) for name in get_args(one.model_fields["type"].annotation))
)
_CLOCKS = "null, {initial_s, increment_s} with 1 to 10800 and 0 to 180 seconds, or {per_move_s} with 1 to 3600"
_IN_WORDS = {
    "string_pattern_mismatch": "a string without control or format characters",
    "extra_forbidden": "unknown field",
    "missing": "required",
}
_REQUEST_ID: TypeAdapter[int | str | None] = TypeAdapter(RequestId | None, config=ConfigDict(strict=True))
