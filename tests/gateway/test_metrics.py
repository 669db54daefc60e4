"""The page of metrics: what is on it, who gets it, and that making it does not hold up the event loop."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from time import thread_time

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gateway.test_http import Page, fetch
from noughts.app import running
from noughts.bus import MemoryBus
from noughts.config import UnusableSetting
from noughts.gateway.metrics import Metrics
from noughts.host import Host
from noughts.host.live_room import LiveRoom
from noughts.timing import Timing
from support.client import connected
from support.faulty import FaultyPut
from support.journals import MemoryJournal
from support.rooms import opened
from support.server import running_gateway, running_server, settings

TOKEN = "correct horse battery staple"


def values(page: Page) -> dict[str, float]:
    """The samples of a page, by name and labels as they are written."""
    assert page.status == 200
    assert page.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    found: dict[str, float] = {}
    for family in text_string_to_metric_families(page.body.decode()):
        assert family.documentation
        for name, labels, value, *_ in family.samples:
            key = name + ("{" + ",".join(f'{k}="{v}"' for k, v in sorted(labels.items())) + "}" if labels else "")
            assert key not in found
            found[key] = value
    return found


async def test_the_page_shows_what_happened() -> None:
    async with (
        running(settings(metrics="127.0.0.1:0")) as server,
        connected(server.urls[0], "ann") as ann,
        connected(server.urls[0], "ben") as ben,
    ):
        assert server.metrics is not None
        room = await ann.create()
        await ben.join(room)
        for turn, move in enumerate("125"):
            await (ben if turn % 2 else ann).ok(type="play", room=room, turn=turn, move=move)
        assert await ann.refused(type="play", room=room, turn=3, move="9") == "not_your_turn"
        await ben.ok(type="resign", room=room)
        room = await ann.create(second="computer:easy")
        await ann.ok(type="play", room=room, turn=0, move="5")
        await ann.push("update")
        await ann.push("update")
        shown = values(await fetch(server.metrics, "/metrics"))
        assert shown["noughts_connections"] == shown["noughts_players"] == shown["noughts_connections_total"] == 2
        assert shown['noughts_rooms{game="tictactoe",status="playing"}'] == 1
        assert shown['noughts_rooms{game="tictactoe",status="over"}'] == 1
        assert shown['noughts_moves_total{game="tictactoe"}'] == 5
        assert shown['noughts_games_begun_total{game="tictactoe"}'] == 2
        assert shown['noughts_games_ended_total{game="tictactoe",reason="resignation"}'] == 1
        assert shown['noughts_requests_total{type="play"}'] == 5
        assert shown['noughts_requests_total{type="hello"}'] == 2
        assert shown['noughts_refusals_total{code="not_your_turn"}'] == 1
        assert shown['noughts_search_seconds_count{level="easy"}'] == shown["noughts_search_wait_seconds_count"] == 1
        assert shown["noughts_append_seconds_count"] >= 6
        assert shown["noughts_append_seconds_count"] == shown['noughts_append_seconds_bucket{le="+Inf"}']
        assert shown["noughts_journal_up"] == 1
        assert shown["process_resident_memory_bytes"] > 10_000_000
        assert any(key.startswith("noughts_build_info{") and 'protocol="1"' in key for key in shown)
        assert not any(room in key for key in shown)


async def test_the_loop_is_measured_and_the_file_too(tmp_path: Path) -> None:
    async with running(settings(metrics="127.0.0.1:0", journal=str(tmp_path / "journal"))) as server:
        assert server.metrics is not None
        seen: dict[str, float] = {}

        async def measured() -> None:
            while seen.get("noughts_loop_delay_seconds_count", 0) < 2:
                seen.update(values(await fetch(str(server.metrics), "/metrics")))

        async with asyncio.timeout(60):
            await measured()
        assert seen["noughts_journal_bytes"] > 1000
        assert seen["noughts_journal_free_bytes"] > 0


async def test_by_default_there_are_no_metrics() -> None:
    async with running(settings()) as server:
        assert server.metrics is None
        assert (await fetch(server.urls[0], "/metrics", Authorization="Bearer ")).status == 404


async def test_metrics_on_their_own_address_are_not_on_the_main_port() -> None:
    async with running(settings(metrics="127.0.0.1:0")) as server:
        assert server.metrics is not None
        assert (await fetch(server.urls[0], "/metrics")).status == 404
        assert (await fetch(server.metrics, "/")).status == 404
        assert (await fetch(server.metrics, "/metrics", "POST")).status == 405
        assert (await fetch(server.metrics, "/metrics?x=1")).status == 200


async def test_on_the_main_port_they_need_the_token(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    async with running_server(metrics_token_file=str(file)) as url:
        assert values(await fetch(url, "/metrics", Authorization=f"Bearer {TOKEN}"))["noughts_journal_up"] == 1
        for wrong in (f"Bearer {TOKEN}x", TOKEN, "Bearer", f"Basic {TOKEN}", "Bearer t\u00f6ken"):
            page = await fetch(url, "/metrics", Authorization=wrong)
            assert (page.status, page.headers["WWW-Authenticate"]) == (401, "Bearer"), wrong
        assert (await fetch(url, "/metrics")).status == 401
        shown = values(await fetch(url, "/metrics", Authorization=f"Bearer {TOKEN}"))
        assert shown['noughts_http_responses_total{status="401"}'] == 6


async def test_an_address_that_is_taken_and_a_short_token_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("too short")
    with pytest.raises(UnusableSetting, match="too short"):
        async with running(settings(metrics_token_file=str(file))):
            pass
    async with running(settings(metrics="127.0.0.1:0")) as server:
        taken = re.findall(r"127\.0\.0\.1:\d+", str(server.metrics))[0]
        with pytest.raises(UnusableSetting, match=f"--metrics: cannot listen on {taken}"):
            async with running(settings(metrics=taken)):
                pass


async def test_a_write_is_timed_even_if_it_is_lost() -> None:
    journal = MemoryJournal()
    puts = FaultyPut(journal).faulty
    puts.faults, puts.slow_s = ["lost"], 0.01
    async with running_gateway(journal, timing=Timing(journal_retries_s=(0.01, 0.01))) as node:
        async with connected(node.url) as ann:
            await ann.create()
            await ann.create()
        monitor = node.host.monitor
        assert monitor.append_s.total >= 0.02
        assert sum(monitor.append_s.counts) == 2  # the repetition of the lost one is not timed
        assert node.host.retry.failures == 1


@pytest.mark.parametrize("rooms", [10_000, pytest.param(100_000, marks=[pytest.mark.slow, pytest.mark.smoke])])
async def test_a_page_does_not_hold_up_the_event_loop(rooms: int) -> None:
    host = Host(MemoryJournal(), MemoryBus("node"))
    room = opened()
    for number in range(rooms):
        live = host._rooms[f"{number}"] = LiveRoom(f"{number}")
        live.room = room
    for number in range(30):
        host.monitor.requests[f"{number}"] += 1
        host.monitor.search_s[f"{number}"].observe(1)
    metrics = Metrics(host, [])
    await metrics.page()
    longest: list[float] = []

    async def turns() -> None:
        while True:
            before = thread_time()
            await asyncio.sleep(0)
            longest[-1] = max(longest[-1], thread_time() - before)

    for _ in range(5):
        longest.append(0)
        ticking = asyncio.create_task(turns())
        page = await metrics.page()
        ticking.cancel()
    assert b'noughts_rooms{game="tictactoe",status="playing"} %d.0' % rooms in page.body
    # Below 1 ms at 10,000 rooms on an idle machine. All at once it takes 17 ms of processor time, or 57 ms.
    # The best page counts: in any other the garbage of all tests may be collected.
    assert min(longest) < (0.01 if rooms == 10_000 else 0.03)
