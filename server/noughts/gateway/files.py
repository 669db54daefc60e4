"""Files that are kept in memory, compressed, and are not sent again to a client that has them."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from http import HTTPStatus

from websockets.datastructures import Headers
from websockets.http11 import Request, Response


@dataclass(frozen=True, slots=True)
class File:
    """A file, and the same compressed by gzip."""

    content_type: str
    body: bytes
    compressed: bytes


def file_of(content_type: str, body: bytes) -> File:
    """The file to keep for ``body``."""
    return File(content_type, body, gzip.compress(body, 9, mtime=0))


def answered(
    file: File, request: Request, etag: str | None, caching: str, status: HTTPStatus = HTTPStatus.OK
) -> Response:
    """The answer to ``request`` for ``file``; ``caching`` is its Cache-Control. ``etag`` is its entity tag, None if the
    file at its path never changes.
    """
    if status == HTTPStatus.OK and etag is not None and etag in listed(request, "If-None-Match"):
        answer = Response(
            HTTPStatus.NOT_MODIFIED.value, HTTPStatus.NOT_MODIFIED.phrase, Headers({"Connection": "close"}), b""
        )
    elif "gzip" in listed(request, "Accept-Encoding"):
        answer = response(status, file.content_type, file.compressed)
        answer.headers["Content-Encoding"] = "gzip"
    else:
        answer = response(status, file.content_type, file.body)
    if etag is not None:
        answer.headers["ETag"] = etag
    answer.headers["Cache-Control"] = caching
    return answer


def listed(request: Request, name: str) -> str:
    """A header whose value is a list; a client may spread it over several lines. Empty if there is none."""
    return ", ".join(request.headers.get_all(name))


def text(status: HTTPStatus, body: str) -> Response:
    """An answer in plain text."""
    return response(status, "text/plain; charset=utf-8", body.encode())


def response(status: HTTPStatus, kind: str, body: bytes) -> Response:
    """An answer of the content type ``kind``."""
    headers = Headers(
        {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "X-Content-Type-Options": "nosniff",
            "Connection": "close",
        }
    )
    return Response(status.value, status.phrase, headers, body)
