"""Connections that say nothing, or little, and floods of plain HTTP requests."""

from __future__ import annotations

import asyncio
import resource
import socket
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from attacks import raw
from attacks.bystander import bystander
from attacks.victim import attacked_thrice, limits_in_log, victim

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(600)]

Record = Callable[[str, object], None]

SILENT = 2000
FILES = 2048

FEW_FILES = (
    "-c",
    f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({FILES}, {FILES}));"
    "from noughts.cli.main import main; raise SystemExit(main())",
)
"""A server that may open few files."""


@pytest.fixture(autouse=True)
def many_files() -> None:
    """Let this process open more files than the server may."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if 0 <= most < 2 * FILES:
        pytest.skip("this process may not open enough files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def closed(connection: socket.socket) -> bool:
    """True if the server has closed a connection over which it sent nothing."""
    connection.settimeout(0)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


async def test_silent_connections_of_one_address_keep_nobody_out(tmp_path: Path, record_property: Record) -> None:
    refused: list[int] = []

    def silence() -> None:
        """Keep many silent connections open for a while, and let others connect meanwhile."""
        with ExitStack() as stack:
            held = [stack.enter_context(raw.dial(server.url)) for _ in range(SILENT)]
            time.sleep(1)
            refused.append(sum(closed(connection) for connection in held))
            for _ in range(39):
                stack.enter_context(raw.shake_hands(server.url, address="127.0.0.3"))
            time.sleep(1)

    async def attack() -> None:
        await asyncio.to_thread(silence)

    async with victim(tmp_path, FEW_FILES) as server, bystander(server.url) as quiet:
        await attacked_thrice(
            server, quiet, attack, name="silent connections", limit="http_per_address", record=record_property
        )
        assert "instead of 10000, because this process may open only 2048 files" in server.output()
    assert all(count > SILENT // 2 for count in refused), refused


async def test_silent_connections_of_many_addresses_leave_files_for_the_server(tmp_path: Path) -> None:
    """When all connections are taken the journal still opens what it needs, and those connected play on."""

    def silence() -> None:
        with ExitStack() as stack:
            for number in range(SILENT + 500):
                stack.enter_context(raw.dial(server.url, f"127.0.1.{1 + number % 8}"))
            time.sleep(1)
            files.append(len(list(Path(f"/proc/{server.pid}/fd").iterdir())))

    files: list[int] = []
    async with victim(tmp_path, FEW_FILES) as server, bystander(server.url) as quiet:
        await quiet.report()
        await asyncio.to_thread(silence)
        report = await quiet.report()
    assert not report.failures
    assert report.moves
    assert files[0] < FILES - 32
    assert limits_in_log(server)["connections"]


async def test_slow_handshakes_are_cut_off(tmp_path: Path, record_property: Record) -> None:
    """A byte a second is not enough, however long the request lasts."""
    lasted: list[float] = []

    def dawdle() -> None:
        with ExitStack() as stack:
            held = {stack.enter_context(raw.dial(server.url)): time.monotonic() for _ in range(200)}
            until = time.monotonic() + 60
            for byte in raw.HANDSHAKE:
                for connection in list(held):
                    gone = closed(connection)
                    with suppress(OSError):
                        connection.send(bytes((byte,)))
                    if gone:
                        lasted.append(time.monotonic() - held.pop(connection))
                if not held or time.monotonic() > until:
                    break
                time.sleep(1)
            assert not held, "they were all cut off"

    async def attack() -> None:
        await asyncio.to_thread(dawdle)

    async with victim(tmp_path) as server, bystander(server.url) as quiet:
        await attacked_thrice(server, quiet, attack, name="slow handshakes", limit="hello_s", record=record_property)
    assert len(lasted) == 600
    assert min(lasted) > 4


def load_page(url: str, files: int) -> Counter[bytes]:
    """Ask for as many files at once. Returns how often each status was the answer."""
    statuses: Counter[bytes] = Counter()
    with ExitStack() as stack:
        opened = [stack.enter_context(raw.dial(url)) for _ in range(files)]
        for connection in opened:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        for connection in opened:
            answer = b""
            with suppress(OSError):
                while got := connection.recv(4096):
                    answer += got
            statuses[answer[9:12]] += 1
    return statuses


async def test_forty_browsers_at_one_address_load_a_page_at_once(tmp_path: Path, record_property: Record) -> None:
    async with victim(tmp_path) as server, bystander(server.url) as quiet:
        await quiet.report()
        pages = await asyncio.to_thread(load_page, server.url, 40 * 20)
        (await quiet.report()).check(record_property, "forty browsers")
        assert pages == {b"200": 800}
        assert not limits_in_log(server)


async def test_a_flood_of_http_requests_delays_nobody(tmp_path: Path, record_property: Record) -> None:
    seen: Counter[bytes] = Counter()

    async def attack() -> None:
        for _ in range(4):
            for page in await asyncio.gather(*(asyncio.to_thread(load_page, server.url, 50) for _ in range(10))):
                seen.update(page)

    async with victim(tmp_path) as server, bystander(server.url) as quiet:
        await attacked_thrice(server, quiet, attack, name="HTTP", limit="http_per_s", record=record_property)
    assert seen[b"200"]
    assert seen[b"429"] > seen[b"200"]
