"""``/asyncapi.json``: the protocol for programs, as AsyncAPI."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

from pydantic_core import from_json, to_json
from websockets.http11 import Request, Response

from noughts.gateway.files import File, answered, file_of

FILE = files("noughts.protocol") / "asyncapi.json"


@cache
def contract() -> tuple[File, str]:
    """The document without blanks, and its entity tag. Raises OSError if it cannot be read."""
    body = to_json(from_json(FILE.read_bytes()))
    return file_of("application/json", body), f'"{hashlib.sha256(body).hexdigest()[:16]}"'


def contract_answer(request: Request) -> Response:
    """The answer to ``request`` for the document. A page of any origin may read it: it is the same for everybody."""
    file, etag = contract()
    answer = answered(file, request, etag, "public, max-age=3600")
    answer.headers["Vary"] = "Accept-Encoding"
    answer.headers["Access-Control-Allow-Origin"] = "*"
    return answer
