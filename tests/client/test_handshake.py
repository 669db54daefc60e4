import asyncio
import itertools
import random
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection, serve

from noughts_client import Connection, ConnectionLost, RequestError, backoff
from noughts_client.handshake import worth_retrying
from support.certificates import certified
from support.ports import free_port
from support.proxy import proxied
from support.server import running_server


def test_delays_double_with_jitter() -> None:
    for seed in range(50):
        waits = list(itertools.islice(backoff(random.Random(seed), first_s=0.5, longest_s=30), 10))
        bounds = [0.5, 1, 2, 4, 8, 16, 30, 30, 30, 30]
        assert all(bound / 2 <= wait <= bound for wait, bound in zip(waits, bounds, strict=True))
    assert len({next(backoff(random.Random(seed))) for seed in range(50)}) == 50
    assert next(itertools.islice(backoff(random.Random(0)), 5000, None)) <= 3


async def test_the_first_connection_is_tried_once() -> None:
    with pytest.raises(ConnectionLost, match="No server answers"):
        await Connection(f"ws://127.0.0.1:{free_port()}/ws").__aenter__()


async def failure(url: str, name: str | None = None, token: str | None = None) -> ConnectionLost | RequestError:
    try:
        await Connection(url, name=name, token=token).__aenter__()
    except (ConnectionLost, RequestError) as error:
        return error
    raise AssertionError(f"{url} was reached")


async def test_only_temporary_failures_are_worth_retrying() -> None:
    async with running_server(connections_per_address=1) as url:
        assert not worth_retrying(await failure(url, token="unknown"))
        assert not worth_retrying(await failure(url, name=""))
        assert not worth_retrying(await failure(url.removesuffix("/ws")))
        assert not worth_retrying(await failure(url.replace("ws:", "http:")))
        async with Connection(url):
            assert worth_retrying(await failure(url))
    async with running_server(connections=1) as url, Connection(url):
        assert worth_retrying(await failure(url))
    assert worth_retrying(await failure(url))


async def test_another_kind_of_server_is_recognised_and_disconnected() -> None:
    """One server echoes the hello, and the other is silent. Neither connection stays open."""
    ended = [asyncio.Event(), asyncio.Event()]

    async def answer(socket: ServerConnection) -> None:
        echo = socket.request is not None and socket.request.path == "/echo"
        if echo:
            await socket.send(await socket.recv())
        await socket.wait_closed()
        ended[echo].set()

    async with serve(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        for path in ("echo", "silent"):
            with pytest.raises(ConnectionLost, match="not a Noughts server"):
                await Connection(f"ws://127.0.0.1:{port}/{path}", ping_s=0.2).__aenter__()
        for event in ended:
            await asyncio.wait_for(event.wait(), 20)


async def test_a_full_server_is_reported_with_its_http_status() -> None:
    async with running_server(connections=1) as url, Connection(url):
        with pytest.raises(ConnectionLost, match=r"refused the connection: HTTP 503\. The server is full\."):
            await Connection(url).__aenter__()


@pytest.mark.parametrize("path", ["", "/", "/else"])
async def test_a_wrong_path_is_reported_with_advice(path: str) -> None:
    async with running_server() as url:
        wrong = url.removesuffix("/ws") + path
        with pytest.raises(ConnectionLost, match=r"HTTP (200|404)\)\. Does the address end in /ws\?"):
            await Connection(wrong).__aenter__()


@pytest.mark.services
async def test_it_speaks_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate, context = certified(tmp_path)
    async with running_server() as url, proxied(url, context) as proxy:
        with pytest.raises(ConnectionLost, match="certificate"):
            await Connection(proxy.url).__aenter__()
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        async with Connection(proxy.url) as connection:
            await connection.request({"type": "ping"})
