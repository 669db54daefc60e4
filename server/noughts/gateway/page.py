"""The web page's files, read once and kept compressed."""

from __future__ import annotations

import hashlib
import posixpath
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from pathlib import Path

from websockets.http11 import Request, Response

from noughts.gateway.files import File, answered, file_of, listed


def policy(framed_by: Sequence[str] = (), script: bytes | None = None) -> str:
    """A Content-Security-Policy: only the page's own files, and no markup made of text except by its renderer.

    No site may show the document in a frame but those that it is ``framed_by``. The document may have one ``script``
    within itself.
    """
    within = "" if script is None else f" 'sha256-{b64encode(hashlib.sha256(script).digest()).decode()}'"
    ancestors = " ".join(("'self'", *framed_by)) if framed_by else "'none'"
    return (
        f"default-src 'none'; script-src 'self'{within}; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        f"base-uri 'none'; form-action 'none'; frame-ancestors {ancestors}; "
        "require-trusted-types-for 'script'; trusted-types lit-html"
    )


_FOREVER = "public, max-age=31536000, immutable"
_EMBEDDED = re.compile("/embed/rooms/[A-Za-z0-9_-]{1,64}")
_VIEW = re.compile(
    "/(?:rooms|tournaments|classes)/[A-Za-z0-9_-]{1,64}|/players/[^/]{1,300}"
    "|/lecture|/watch|/study|/compete|/tournaments|/classes|/analysis|/puzzles|/settings"
)
_TYPES = {
    ".js": "text/javascript",  # a module is UTF-8 whatever the header says
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
}
_COMMENT = re.compile(rb"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/).)*\*/[ \t]*)$", re.MULTILINE | re.DOTALL)
_TYPE = re.compile(rb"/\*\* @[^*\n]*\*/ ?")
_REMARK = re.compile(rb"(?<=[;{},]) // [^\n`]*$", re.MULTILINE)
_INDENT = re.compile(rb"^[ \t]+", re.MULTILINE)
_USELESS = re.compile(rb" */\*.*?\*/|(?<=[;:{},]) +| +(?=[{}])|;(?=\s*})|\n+", re.DOTALL)
_IMPORT = re.compile(rb"""(?:^|;)\s*(?:import|export)\b[^;"']*["'](\.[^"']+)["']""", re.MULTILINE)


class Page:
    """The files in ``folder``. Those but the documents are under ``/page/HASH/``, so they never change.

    ``index.html`` is the page, and ``embed.html`` a board in a frame, for the sites that may show one: ``framed_by``.
    ``{{base}}`` in them stands for that path, ``{{theme}}`` for ``theme.js``, which runs before anything is drawn, and
    ``{{preloads}}`` for links to the modules that it needs at once: not those that are imported by a call, when a view
    needs them. The page's own modules and styles are served without their comments and indentation, a quarter of their
    compressed size, and styles in one line, without useless spaces and comments in it.

    Raises OSError if the folder cannot be read.
    """

    def __init__(self, folder: Path, framed_by: Sequence[str] = ()) -> None:
        contents = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.suffix in _TYPES
        }
        own = [name for name in contents if name.endswith((".js", ".css")) and not name.startswith("vendor/")]
        contents |= {name: without_comments(contents[name]) for name in own}
        contents |= {name: _USELESS.sub(b"", contents[name]) for name in own if name.endswith(".css")}
        theme = b"\n".join(line for line in contents.pop("theme.js").splitlines() if line)
        documents = {name: contents.pop(name).replace(b"{{theme}}", theme) for name in ("index.html", "embed.html")}
        digest = hashlib.sha256(b"".join(documents.values()))
        for name, content in contents.items():
            digest.update(b"%b\0%d\0%b" % (name.encode(), len(content), content))
        self.version = digest.hexdigest()[:16]
        base = f"/page/{self.version}"
        self._policy, self._frame_policy = policy(script=theme), policy(framed_by)
        self._framed = bool(framed_by)
        self._index, self._embed = (
            _file(name, _with_links(documents[name], base, _needed(first, contents)))
            for name, first in (("index.html", ("connection.js", "app.js")), ("embed.html", ("embed.js",)))
        )
        self._files = {f"{base}/{name}": _file(name, content) for name, content in contents.items()}

    def respond(self, path: str, request: Request) -> Response | None:
        """The answer to a request for ``path``, None for one that is not the page's."""
        file = self._files.get(path)
        if file is not None:
            return self._answer(request, file, _FOREVER)
        if self._framed and _EMBEDDED.fullmatch(path):
            return self._answer(request, self._embed, "no-cache")
        if _VIEW.fullmatch(path) or (path == "/" and "text/html" in listed(request, "Accept")):
            return self._answer(request, self._index, "no-cache")
        return None

    def missing(self, request: Request) -> Response | None:
        """The answer for a path at which there is nothing, to a browser: the page says so. None for other programs."""
        if "text/html" not in listed(request, "Accept"):
            return None
        return self._answer(request, self._index, "no-store", HTTPStatus.NOT_FOUND)

    def _answer(self, request: Request, file: File, caching: str, status: HTTPStatus = HTTPStatus.OK) -> Response:
        etag = None if caching == _FOREVER else f'"{self.version}"'
        answer = answered(file, request, etag, caching, status)
        if file.content_type == _TYPES[".svg"]:  # a picture that may be opened alone
            answer.headers["Content-Security-Policy"] = "default-src 'none'"
        elif file.content_type == _TYPES[".html"]:  # for what a document loads, its own headers hold
            answer.headers["Vary"] = "Accept, Accept-Encoding"
            answer.headers["Content-Security-Policy"] = self._frame_policy if file is self._embed else self._policy
            answer.headers["Referrer-Policy"] = "no-referrer"  # a private room's id is in its address
            answer.headers["Cross-Origin-Opener-Policy"] = "same-origin"
            return answer
        answer.headers["Vary"] = "Accept-Encoding"
        if self._framed:  # a frame in a sandbox has an origin of its own, and modules are asked for with it
            answer.headers["Access-Control-Allow-Origin"] = "*"
        return answer


def without_comments(module: bytes) -> bytes:
    """A module or a style sheet without comments, types and indentation. Every other line keeps its number.

    A comment after code is left out if it follows a semicolon, a brace or a comma.
    """
    bare = _COMMENT.sub(lambda found: b"\n" * found[0].count(b"\n"), module)
    for useless in (_TYPE, _REMARK, _INDENT):
        bare = useless.sub(b"", bare)
    return bare


def _with_links(document: bytes, base: str, modules: Sequence[str]) -> bytes:
    preloads = "\n    ".join(f'<link rel="modulepreload" href="{base}/{name}" />' for name in modules)
    return document.replace(b"{{preloads}}", preloads.encode()).replace(b"{{base}}", base.encode())


def _needed(names: Iterable[str], contents: dict[str, bytes]) -> list[str]:
    """The modules ``names`` in turn, and after each all that it imports, directly or not."""
    needed: list[str] = []
    for name in names:
        rest = [name]
        while rest:
            module = rest.pop(0)
            if module in contents and module not in needed:
                needed.append(module)
                imported = (found.decode() for found in _IMPORT.findall(contents[module]))
                rest += [posixpath.normpath(posixpath.join(posixpath.dirname(module), path)) for path in imported]
    return needed


def _file(name: str, body: bytes) -> File:
    return file_of(_TYPES[Path(name).suffix], body)
