from __future__ import annotations

import gzip
import json

import pytest

from gateway.test_http import fetch
from noughts.games import GAMES as OFFERED
from noughts.protocol.contract import FILE
from noughts.protocol.render import games, words
from support.client import connected
from support.server import running_server

CONTRACT, GAMES = ("/asyncapi.json", "/games.json")
MESSAGES = len(json.loads(FILE.read_text(encoding="utf-8"))["components"]["messages"])


async def test_a_server_publishes_its_contract() -> None:
    async with running_server() as url:
        page = await fetch(url, CONTRACT)
        assert json.loads(page.body) == json.loads(FILE.read_text(encoding="utf-8"))


async def test_a_server_publishes_its_games_which_a_welcome_may_leave_out() -> None:
    async with running_server() as url, connected(url) as whole, connected(url, games=False) as short:
        told = json.loads((await fetch(url, GAMES)).body)
        assert told.pop("examples").keys() == OFFERED.keys()
        assert told == {"games": games(), "words": words()}
        own = dict.fromkeys(("player", "token", "now"))
        assert {**told, **short.welcome, **own} == {**whole.welcome, **own}
        assert not told.keys() & short.welcome.keys()


@pytest.mark.parametrize(("path", "most"), [(CONTRACT, 330 * MESSAGES), (GAMES, 5500)])
async def test_a_document_is_small_and_not_sent_again(path: str, most: int) -> None:
    async with running_server() as url:
        page = await fetch(url, path)
        assert (page.status, page.headers["Content-Type"]) == (200, "application/json")
        assert page.headers["Access-Control-Allow-Origin"] == "*"
        head = await fetch(url, path, "HEAD")
        assert (head.status, head.body) == (200, b"")
        assert head.headers["Content-Length"] == str(len(page.body))
        packed = await fetch(url, path, **{"Accept-Encoding": "gzip"})
        assert packed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(packed.body) == page.body
        assert len(packed.body) < most
        again = await fetch(url, path, **{"If-None-Match": packed.headers["ETag"]})
        assert (again.status, again.body) == (304, b"")
        assert (await fetch(url, path, **{"If-None-Match": '"another"'})).status == 200
