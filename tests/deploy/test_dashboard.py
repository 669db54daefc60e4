"""The Grafana dashboard and the configuration of Prometheus: every query, asked of a real Prometheus."""

from __future__ import annotations

import asyncio
import json
import math
import re
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from deploy.stack import DEPLOY, rendered, running, wait_until
from support.broker import Broker
from support.client import Client, Json, connected
from support.ports import free_port
from support.programs import program
from support.server import ServerProcess

DASHBOARD: dict[str, Any] = json.loads((DEPLOY / "grafana" / "noughts.json").read_text())
QUERIES = [(panel["title"], target["expr"]) for panel in DASHBOARD["panels"] for target in panel["targets"]]


def answer(prometheus: int, path: str, **parameters: str) -> Json:
    """The answer of Prometheus's API; an error raises."""
    with urlopen(f"http://127.0.0.1:{prometheus}/api/v1/{path}?{urlencode(parameters)}", timeout=20) as response:
        found: Json = json.load(response)
    assert found["status"] == "success", found
    return found


def is_ready(prometheus: int) -> bool:
    """True if it answers queries."""
    try:
        urlopen(f"http://127.0.0.1:{prometheus}/-/ready", timeout=20).close()
    except OSError:
        return False
    return True


def numbers(found: Json) -> list[float]:
    """The values that a query found; NaN says that nothing was measured."""
    return [float(each["value"][1]) for each in found["data"]["result"] if not math.isnan(float(each["value"][1]))]


async def games(client: Client) -> None:
    """Play against the computer and make every kind of mistake, for ever."""
    while True:
        room = await client.create(second="computer:easy")
        await client.ok(type="play", room=room, turn=0, move="5")
        await client.request(type="play", room=room, turn=0, move="5")
        await client.ok(type="resign", room=room)
        for _ in range(3):
            await client.request(type="chat", room=room, text="hello")
        await client.ok(type="leave", room=room)
        await asyncio.sleep(0.1)


@pytest.fixture
async def prometheus(broker: Broker, tmp_path: Path) -> AsyncIterator[int]:
    """The port of a Prometheus that reads the metrics of a server with clients, each second."""
    metrics, nobody, port = free_port(), free_port(), free_port()
    text = (DEPLOY / "prometheus" / "prometheus.yml").read_text()
    changed = {
        "127.0.0.1:9765": f"127.0.0.1:{metrics}",
        "127.0.0.1:9766": f"127.0.0.1:{nobody}",
        "scrape_interval: 15s": "scrape_interval: 1s",
    }
    configuration = tmp_path / "prometheus.yml"
    configuration.write_text(rendered(text, changed))
    options: dict[str, Any] = {"metrics": f"127.0.0.1:{metrics}", "bus": broker.url, "bus_prefix": "dashboard"}
    command = [
        program("prometheus"),
        f"--config.file={configuration}",
        f"--storage.tsdb.path={tmp_path / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    log = tmp_path / "prometheus.log"
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(ServerProcess(tmp_path / "journal", tmp_path / "log", **options))
        process = stack.enter_context(running(command, log))
        for name in ("ann", "ben"):
            client = await stack.enter_async_context(connected(server.url, name))
            playing = asyncio.create_task(games(client))
            stack.callback(playing.cancel)
        pages = asyncio.create_task(_pages(server.url.replace("ws", "http", 1).removesuffix("/ws")))
        stack.callback(pages.cancel)
        await asyncio.to_thread(wait_until, lambda: is_ready(port), process, log)
        yield port


async def _pages(url: str) -> None:
    while True:
        with suppress(OSError):
            await asyncio.to_thread(lambda: urlopen(f"{url}/readyz", timeout=20).close())
        await asyncio.sleep(0.5)


async def test_every_panel_shows_something(prometheus: int) -> None:
    left = dict.fromkeys(QUERIES, "never asked")
    give_up_at = time.monotonic() + 120
    while left:
        assert time.monotonic() < give_up_at, left
        for title, expr in list(left):
            query = expr.replace("$__rate_interval", "10s").replace("$instance", ".*")
            found = await asyncio.to_thread(answer, prometheus, "query", query=query)
            left[title, expr] = str(found["data"]["result"])
            if numbers(found):
                del left[title, expr]
        await asyncio.sleep(0.5)
    instances = await asyncio.to_thread(
        answer, prometheus, "label/instance/values", **{"match[]": "noughts_build_info"}
    )
    assert len(instances["data"]) == 1


def test_the_dashboard_is_whole() -> None:
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken, panel["title"]
        taken |= cells
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
    variables = {variable["name"] for variable in DASHBOARD["templating"]["list"]}
    used = set(re.findall(r"\$\{?(\w+)", json.dumps(DASHBOARD["panels"])))
    assert used - variables == {"__rate_interval"}


@pytest.mark.services
def test_the_configuration_is_valid() -> None:
    file = DEPLOY / "prometheus" / "prometheus.yml"
    checked = subprocess.run(
        [program("promtool"), "check", "config", file], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
