"""Parses frames into requests, and explains what is wrong with the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any, Union, get_args

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import from_json

from noughts.games.sentences import meant
from noughts.protocol.fields import NOTE_BYTES, Request, RequestId
from noughts.protocol.requests import AnyRequest
from noughts.protocol.words import ErrorCode


class BadRequest(Exception):
    """A frame that is not a request. ``id`` is the request's, if it could be read."""

    def __init__(self, code: ErrorCode, message: str, request_id: int | str | None = None) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.id = request_id


class Parser:
    """Makes of a text frame the request in it, one of ``types``.

    ``validate`` is pydantic's own function, called for every frame. It raises ValidationError for one that is not such
    a request; :meth:`explain` then says why.
    """

    def __init__(self, types: tuple[type[Request], ...]) -> None:
        choice: Any = Annotated[Union[types], Field(discriminator="type")] if len(types) > 1 else types[0]  # noqa: UP007
        self.validate: Callable[[str | bytes], Any] = TypeAdapter(choice).validator.validate_json
        self._types = [name for each in types for name in get_args(each.model_fields["type"].annotation)]

    def explain(self, frame: str | bytes, error: ValidationError) -> BadRequest:
        """The fault of a frame, in a few words: ``bad_json`` or ``bad_message``."""
        return _bad_request(frame, error, self._types)


parser_of = cache(Parser)
"""The parser of these types of requests. It takes long to make."""


def parse(frame: str | bytes) -> AnyRequest:
    """The request of :data:`AnyRequest` in a text frame, for programs that check others. Raises :class:`BadRequest`."""
    parser = parser_of(get_args(get_args(AnyRequest)[0]))
    try:
        request: AnyRequest = parser.validate(frame)
    except ValidationError as error:
        raise parser.explain(frame, error) from None
    return request


def id_of(content: object) -> int | str | None:
    """The request id in ``content``, any JSON; None if there is no valid one."""
    try:
        return _REQUEST_ID.validate_python(content.get("id") if isinstance(content, dict) else None)
    except ValidationError:
        return None


def _bad_request(frame: str | bytes, error: ValidationError, types: Sequence[str]) -> BadRequest:
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
    elif where.startswith("setup"):
        where, what = "setup", _SETUP
    elif not where:
        where, what = "type", _no_such_request(content.get("type"), types)
    else:
        what = _IN_WORDS.get(first["type"], what)
    return BadRequest("bad_message", f"{where}: {what}"[:400], id_of(content))


def _no_such_request(kind: object, types: Sequence[str]) -> str:
    similar = meant(kind, types) if isinstance(kind, str) and len(kind) <= _LONGEST_TYPE else ""
    return f"the name of a request, all of which are in /asyncapi.json.{similar}"


_LONGEST_TYPE = 40  # a search for what is similar takes longer, the longer a name is
_LENGTHS = {"name": 32, "text": 280}
_CLOCKS = (
    "null, {initial_s, increment_s} with 1 to 10800 and 0 to 180 seconds, or {per_move_s} with 1 to 3600, "
    "or 86400 for each of 1 to 14 days"
)
_SETUP = "an object of at most 16 options, each a number or a text of at most 200 characters"
_IN_WORDS = {
    "string_pattern_mismatch": "a string without control or format characters",
    "extra_forbidden": "unknown field",
    "missing": "required",
}
_REQUEST_ID: TypeAdapter[int | str | None] = TypeAdapter(RequestId | None, config=ConfigDict(strict=True))
