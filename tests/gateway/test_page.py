from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest

from gateway.test_http import Page as Answer
from gateway.test_http import fetch
from noughts.gateway.page import without_comments
from noughts_client.page import FOLDER
from support.client import connected
from support.server import ServerProcess, running_page

HTML = {"Accept": "text/html"}


async def test_a_browser_gets_the_page_and_a_program_gets_text() -> None:
    async with running_page() as url:
        page = await fetch(url, "/", **HTML)
        assert (page.status, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
        assert b'<div id="app">' in page.body
        assert b"This is a Noughts server." in (await fetch(url, "/")).body
        assert (await fetch(url, "/rooms/abc")).body == page.body


@pytest.mark.parametrize("page", [True, False])
async def test_the_command_serves_the_page_unless_it_is_told_not_to(page: bool, tmp_path: Path) -> None:
    async with ServerProcess("memory", tmp_path / "log", page=page) as server:
        assert (b'<div id="app">' in (await fetch(server.url, "/", **HTML)).body) is page
        assert (await fetch(server.url, "/rooms/abc")).status == (200 if page else 404)


async def test_every_file_that_the_page_names_is_there_and_never_changes() -> None:
    async with running_page() as url:
        index = (await fetch(url, "/", **HTML)).body.decode()
        names = re.findall('(?:href|src)="(/page/[^"]+)"', index)
        assert len(names) < 30
        for name in names:
            file = await fetch(url, name)
            assert file.status == 200, name
            assert file.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        modules = {name for name in names if name.endswith(".js")}
        base = names[0].rsplit("/", 1)[0]
        on_disk = {f"{base}/{path.relative_to(FOLDER).as_posix()}" for path in FOLDER.rglob("*.js")}
        assert len(modules) <= 25
        others = {"types.js", "embed.js", "theme.js", *imported_later()}
        assert on_disk - modules <= {f"{base}/{name}" for name in others}


def test_comments_types_and_indentation_are_left_out() -> None:
    module = b"""// What it is: a * b, "quoted".
/**
 * @param {string} x
 */
export const f = (x) =>
  /** @type {any} */ (x), /** @type {any} */
  g = /** @type {any} */ (x), // why
  /* plain */ url = "//host/*" + `${x} // text`;
  /** one line */
  // indented
"""
    assert without_comments(module).split(b"\n") == [
        *[b""] * 4,
        b"export const f = (x) =>",
        b"(x), ",
        b"g = (x),",
        b'/* plain */ url = "//host/*" + `${x} // text`;',
        *[b""] * 3,
    ]
    for path in FOLDER.glob("*.js"):
        for text in re.findall("`[^`]*`", path.read_text()):
            assert not re.search(r"^\s*(//|/\*\*)|[;{},] // |<pre", text, re.MULTILINE), "that is no comment"


def imported_later() -> set[str]:
    """The modules that views import by a call, and those that these import."""
    call = re.compile(r'(?:^|await|=>|=|return|\() *import\("\./([^"]+)"\)', re.MULTILINE)
    called = {name for path in FOLDER.glob("*.js") for name in call.findall(path.read_text())}
    return {name for module in called for name in needed_by(module)}


async def test_the_first_view_weighs_less_than_60_kb_and_with_a_room_less_than_90_kb() -> None:
    async with running_page() as url:
        packed = {"Accept-Encoding": "gzip"}
        index = await fetch(url, "/", **HTML, **packed)
        names = set(re.findall('"(/page/[^"]+|/games.json)"', gzip.decompress(index.body).decode()))
        assert "/games.json" in names
        first = weight([index, *[await fetch(url, name, **packed) for name in names]])
        async with connected(url, None, games=False) as client:
            first += len(json.dumps(client.welcome))
            for request in ({"type": "lobby"}, {"type": "tournaments"}, {"type": "leaderboard", "game": "tictactoe"}):
                first += len(json.dumps(await client.request(**request)))
            room = (await client.ok(type="create", game="chess"))["room"]
            frames = [await client.push("room"), await client.request(type="chat_history", room=room)]
        base = min(names - {"/games.json"}).rpartition("/")[0]
        later = {f"{base}/{name}" for name in (*needed_by("play.js"), "room.css")} - names
        rest = weight([await fetch(url, name, **packed) for name in later]) + len(json.dumps(frames))
    assert first < 60_000
    assert first + rest < 90_000


def weight(pages: list[Answer]) -> int:
    """The bytes of these answers, with their headers."""
    headers = (f"{name}: {value}\r\n" for page in pages for name, value in page.headers.items())
    return sum(map(len, headers)) + sum(len(page.body) for page in pages)


def needed_by(module: str) -> set[str]:
    """A module, and those that it imports, directly or not."""
    found = {module}
    for _ in range(5):  # as deep as any import
        found |= {name for one in found for name in re.findall(r'from "\./([a-z_]+\.js)";', (FOLDER / one).read_text())}
    return found


async def test_the_policy_allows_only_the_pages_own_files() -> None:
    async with running_page() as url:
        policy = (await fetch(url, "/", **HTML)).headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "require-trusted-types-for 'script'; trusted-types lit-html" in policy
    assert "unsafe" not in policy


async def test_the_only_script_in_the_document_is_the_one_that_the_policy_names() -> None:
    async with running_page() as url:
        page = await fetch(url, "/", **HTML)
    (script,) = re.findall("<script>(.+?)</script>", page.body.decode(), re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'self' 'sha256-{digest}';" in page.headers["Content-Security-Policy"]


async def test_styles_are_one_line_without_comments() -> None:
    async with running_page() as url:
        index = (await fetch(url, "/", **HTML)).body.decode()
        for name in re.findall('"(/page/[^"]+[.]css)"', index):
            style = (await fetch(url, name)).body
            assert not re.search(rb"\n|/\*|; *}", style), name
            assert style.count(b"{") == style.count(b"}") > 50


async def test_files_are_compressed_and_not_sent_again() -> None:
    async with running_page() as url:
        plain = await fetch(url, "/rooms/abc")
        packed = await fetch(url, "/rooms/abc", **{"Accept-Encoding": "gzip"})
        assert packed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(packed.body) == plain.body
        known = await fetch(url, "/rooms/abc", **{"If-None-Match": plain.headers["ETag"]})
        assert (known.status, known.body) == (304, b"")
        head = await fetch(url, "/rooms/abc", "HEAD")
        assert (head.status, head.body, head.headers["Content-Length"]) == (200, b"", str(len(plain.body)))


async def test_nothing_outside_the_folder_is_served() -> None:
    async with running_page() as url:
        base = re.search('"(/page/[^/]+)/', (await fetch(url, "/", **HTML)).body.decode())
        assert base is not None
        for path in ("/../__init__.py", "/%2e%2e/__init__.py", "/", "/index.html", "//etc/passwd", "/vendor"):
            assert (await fetch(url, base[1] + path)).status == 404, path
        assert (await fetch(url, "/page/0000000000000000/app.js")).status == 404


def test_nothing_comes_from_another_host() -> None:
    for path in FOLDER.rglob("*"):
        if path.suffix in (".js", ".css", ".html", ".svg") and "vendor" not in path.parts:
            found = re.findall(r"https?://[^\s\"'`]+", path.read_text())
            assert set(found) <= {"http://www.w3.org/2000/svg"}, path


def test_the_renderer_is_the_one_that_was_recorded() -> None:
    recorded = dict(re.findall(r"^([0-9a-f]{64})  (.+)$", (FOLDER / "vendor/SHA256SUMS").read_text(), re.MULTILINE))
    files = {path.relative_to(FOLDER / "vendor").as_posix(): path for path in (FOLDER / "vendor").rglob("*.js")}
    assert {name: digest for digest, name in recorded.items()} == {name: _digest(path) for name, path in files.items()}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
