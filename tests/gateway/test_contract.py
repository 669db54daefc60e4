from __future__ import annotations

import gzip
import json

from gateway.test_http import fetch
from noughts.protocol.contract import FILE
from support.server import running_server

PATH = "/asyncapi.json"


async def test_a_server_publishes_its_contract() -> None:
    async with running_server() as url:
        page = await fetch(url, PATH)
        assert (page.status, page.headers["Content-Type"]) == (200, "application/json")
        assert json.loads(page.body) == json.loads(FILE.read_text(encoding="utf-8"))
        assert page.headers["Access-Control-Allow-Origin"] == "*"
        head = await fetch(url, PATH, "HEAD")
        assert (head.status, head.body) == (200, b"")
        assert head.headers["Content-Length"] == str(len(page.body))


async def test_it_is_small_and_not_sent_again() -> None:
    async with running_server() as url:
        packed = await fetch(url, PATH, **{"Accept-Encoding": "gzip"})
        assert packed.headers["Content-Encoding"] == "gzip"
        assert len(packed.body) < 30_000
        assert json.loads(gzip.decompress(packed.body))["asyncapi"] == "3.0.0"
        again = await fetch(url, PATH, **{"If-None-Match": packed.headers["ETag"]})
        assert (again.status, again.body) == (304, b"")
        assert (await fetch(url, PATH, **{"If-None-Match": '"another"'})).status == 200
