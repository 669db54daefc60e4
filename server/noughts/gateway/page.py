"""The web page's files, read once and kept compressed."""

from __future__ import annotations

import gzip
import hashlib
import posixpath
import re
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from noughts.gateway.http import response

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types lit-html"
)
"""The Content-Security-Policy of the page: only its own files, and no markup made of text except by its renderer."""

_IMPORT = re.compile(rb'(?:^|;)import\s*(?:[^;"]*?from\s*)?"(\.[^"]+)"', re.MULTILINE)
_VIEW = re.compile("/rooms/[A-Za-z0-9_-]{1,64}")
_TYPES = {".js": "text/javascript", ".html": "text/html", ".css": "text/css", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class _File:
    content_type: str
    body: bytes
    compressed: bytes


class Page:
    """The files in ``folder``. Those but ``index.html`` are under ``/page/HASH/``, so they never change.

    ``{{base}}`` in ``index.html`` stands for that path, and ``{{preloads}}`` for links to modules: for ``/`` to those
    that are loaded with ``app.js``, for any other view to all.

    Raises OSError if the folder cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        contents = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.suffix in _TYPES
        }
        index = contents.pop("index.html")
        digest = hashlib.sha256(index)
        for name, content in contents.items():
            digest.update(b"%b\0%d\0%b" % (name.encode(), len(content), content))
        self.version = digest.hexdigest()[:16]
        base = f"/page/{self.version}"
        modules = [name for name in contents if name.endswith(".js")]
        self._first = _index(index, base, sorted(_imported(contents, "app.js")))
        self._index = _index(index, base, modules)
        self._files = {f"{base}/{name}": _file(name, content) for name, content in contents.items()}

    def respond(self, path: str, request: Request) -> Response | None:
        """The answer to a request for ``path``, None for one that is not the page's."""
        file = self._files.get(path)
        if file is not None:
            return self._answer(request, file, "public, max-age=31536000, immutable")
        if path == "/" and "text/html" in request.headers.get("Accept", ""):
            return self._answer(request, self._first, "no-cache")
        if _VIEW.fullmatch(path):
            return self._answer(request, self._index, "no-cache")
        return None

    def _answer(self, request: Request, file: _File, caching: str) -> Response:
        etag = f'"{self.version}"'
        if etag in request.headers.get("If-None-Match", ""):
            answer = Response(
                HTTPStatus.NOT_MODIFIED.value, HTTPStatus.NOT_MODIFIED.phrase, Headers({"Connection": "close"}), b""
            )
        elif "gzip" in request.headers.get("Accept-Encoding", ""):
            answer = response(HTTPStatus.OK, file.content_type, file.compressed)
            answer.headers["Content-Encoding"] = "gzip"
        else:
            answer = response(HTTPStatus.OK, file.content_type, file.body)
        answer.headers["ETag"] = etag
        answer.headers["Cache-Control"] = caching
        answer.headers["Vary"] = "Accept, Accept-Encoding"
        answer.headers["Content-Security-Policy"] = POLICY
        answer.headers["Referrer-Policy"] = "no-referrer"  # a private room's id is in its address
        answer.headers["Cross-Origin-Opener-Policy"] = "same-origin"
        return answer


def _imported(contents: dict[str, bytes], name: str) -> set[str]:
    """The module ``name`` and all that are loaded with it, but none that is imported only when it is needed."""
    found, left = set[str](), [name]
    while left:
        module = left.pop()
        if module not in found and module in contents:
            found.add(module)
            paths = (path.decode() for path in _IMPORT.findall(contents[module]))
            left += [posixpath.normpath(posixpath.join(posixpath.dirname(module), path)) for path in paths]
    return found


def _index(template: bytes, base: str, modules: list[str]) -> _File:
    """``index.html`` with preloads of ``modules``."""
    preloads = "\n    ".join(f'<link rel="modulepreload" href="{base}/{name}" />' for name in modules)
    return _file("index.html", template.replace(b"{{preloads}}", preloads.encode()).replace(b"{{base}}", base.encode()))


def _file(name: str, body: bytes) -> _File:
    return _File(f"{_TYPES[Path(name).suffix]}; charset=utf-8", body, gzip.compress(body, 9, mtime=0))
