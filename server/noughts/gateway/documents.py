"""JSON documents for programs and pages: the protocol as AsyncAPI, and the games that this server offers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pydantic_core import from_json, to_json
from websockets.http11 import Request, Response

from noughts.gateway.files import File, answered, file_of

FILE = files("noughts.protocol") / "asyncapi.json"


@dataclass(frozen=True, slots=True)
class Document:
    """A document that is the same for everybody. ``caching`` is its Cache-Control, ``etag`` its entity tag."""

    file: File
    etag: str
    caching: str

    def answer(self, request: Request) -> Response:
        """The answer to ``request`` for it. A page of any origin may read it."""
        answer = answered(self.file, request, self.etag, self.caching)
        answer.headers["Vary"] = "Accept-Encoding"
        answer.headers["Access-Control-Allow-Origin"] = "*"
        return answer


def document(body: bytes, caching: str) -> Document:
    """The document to keep for ``body``, which is JSON."""
    return Document(file_of("application/json", body), f'"{hashlib.sha256(body).hexdigest()[:16]}"', caching)


@cache
def contract() -> Document:
    """``/asyncapi.json``, without blanks. Raises OSError if it cannot be read."""
    return document(to_json(from_json(FILE.read_bytes())), "public, max-age=3600")
