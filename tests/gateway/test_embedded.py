"""Boards in frames of other sites: who may show them, and what frames are told."""

from __future__ import annotations

import gzip
import json
import re
from typing import Any

import pytest

from gateway.test_http import Page, fetch, played
from gateway.test_page import HTML, weight
from noughts import embed
from noughts.config import UnusableSetting
from support.client import connected
from support.server import running_page, running_server

CLUB = ["https://club.example.org", "https://*.example.com:8443"]


def policy_of(page: Page) -> str:
    (found,) = re.findall("frame-ancestors ([^;]+);", page.headers["Content-Security-Policy"])
    return str(found)


async def test_only_the_sites_that_the_operator_names_may_show_a_board_and_nothing_else() -> None:
    async with running_page(embed_sites=CLUB) as url:
        frame = await fetch(url, "/embed/rooms/abc", **HTML)
        assert (frame.status, frame.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
        assert policy_of(frame) == "'self' https://club.example.org https://*.example.com:8443"
        assert frame.headers["Referrer-Policy"] == "no-referrer"
        pages = [await fetch(url, path, **HTML) for path in ("/", "/rooms/abc", "/lecture", "/embed", "/embed/rooms/")]
        assert {policy_of(page) for page in pages} == {"'none'"}
        # But for its ancestors, and the script for the page's colours, the policy is that of the page.
        page, framed = (each.headers["Content-Security-Policy"] for each in (pages[0], frame))
        assert framed.replace(policy_of(frame), "'none'") == re.sub(" 'sha256-[^']+'", "", page)
        (script,) = re.findall('<script type="module" src="([^"]+)"', frame.body.decode())
        assert (await fetch(url, script)).headers["Access-Control-Allow-Origin"] == "*"


async def test_without_the_setting_there_are_no_boards_for_frames() -> None:
    async with running_page() as url, connected(url) as ann:
        room = await ann.create()
        for path in (f"/embed/rooms/{room}", f"/embed/rooms/{room}.json"):
            page = await fetch(url, path, **HTML)
            assert page.status == 404
            assert policy_of(page) == "'none'"
            assert "Access-Control-Allow-Origin" not in page.headers
        (script,) = re.findall('<script type="module" src="([^"]+)"', (await fetch(url, "/", **HTML)).body.decode())
        assert "Access-Control-Allow-Origin" not in (await fetch(url, script)).headers


async def told(url: str, room: str, **headers: str) -> tuple[Page, Any]:
    """The answer to a frame, and what it says."""
    page = await fetch(url, f"/embed/rooms/{room}.json", **headers)
    return page, json.loads(page.body) if page.body else None


async def test_a_frame_is_told_of_a_game_until_its_end_and_only_what_is_new() -> None:
    async with running_page(embed_sites=["*"]) as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await ann.create(private=True, clock={"initial_s": 60, "increment_s": 0})
        page, waiting = await told(url, room)
        assert page.headers["Access-Control-Allow-Origin"] == "*"
        assert page.headers["Noughts-Now"] > "2026"
        assert (waiting["room"]["state"]["status"], waiting["ending"], waiting["again_s"]) == ("waiting", None, 20)
        assert waiting["game"]["key"] == "tictactoe"
        again, nothing = await told(url, room, **{"If-None-Match": page.headers["ETag"]})
        assert (again.status, nothing) == (304, None)
        assert again.headers["Access-Control-Allow-Origin"] == "*"
        await ben.join(room)
        page, playing = await told(url, room, **{"If-None-Match": page.headers["ETag"]})
        assert (page.status, playing["again_s"]) == (200, 2)
        assert "legal_moves" not in playing["room"]["state"]
        await ben.ok(type="resign", room=room)
        _, over = await told(url, room)
        assert (over["again_s"], over["ending"]) == (0, {"how": "by resignation"})
        assert over["room"]["state"]["outcome"]["winner"] == "first"
        assert {one["name"] for one in over["room"]["state"]["seats"].values()} == {"ann", "ben"}
        missing = await fetch(url, "/embed/rooms/none.json")
        assert (missing.status, missing.headers["Access-Control-Allow-Origin"]) == (404, "*")


async def test_many_frames_of_a_room_that_nobody_watches_cost_one_reading() -> None:
    async with running_page(embed_sites=["*"]) as url:
        async with connected(url, "ann") as ann, connected(url, "ben") as ben:
            room = await played(ann, ben)
            for each in (ann, ben):
                await each.ok(type="leave", room=room)
        # Twice as many as rooms may be read at once.
        pages = [await fetch(url, f"/embed/rooms/{room}.json") for _ in range(60)]
        assert {page.status for page in pages} == {200}
        assert json.loads(pages[0].body)["room"]["state"]["status"] == "over"


async def test_a_board_in_a_frame_weighs_less_than_40_kb() -> None:
    async with running_page(embed_sites=["*"]) as url, connected(url) as ann:
        room = (await ann.ok(type="create", game="chess"))["room"]
        packed = {"Accept-Encoding": "gzip"}
        frame = await fetch(url, f"/embed/rooms/{room}", **HTML, **packed)
        names = set(re.findall('"(/page/[^"]+)"', gzip.decompress(frame.body).decode()))
        pages = [await fetch(url, name, **packed) for name in (*names, f"/embed/rooms/{room}.json")]
        assert not any(re.search("/(app|connection|storage|home|room|devices)[.]js", name) for name in names)
    assert weight([frame, *pages]) < 40_000


async def test_a_server_that_strangers_may_not_watch_shows_them_no_boards() -> None:
    with pytest.raises(UnusableSetting, match="--embed-sites shows games to everybody"):
        async with running_server(embed_sites=["*"], registration="invited", guests_watch=False):
            pass


@pytest.mark.parametrize("site", ["null", "https://a.example;script-src *", "ftp://a.example", "https://a.example/x"])
def test_a_site_is_an_origin_and_cannot_change_the_policy(site: str) -> None:
    with pytest.raises(ValueError, match="must be a site such as"):
        embed.settings(embed_sites=[site])
