"""``noughts drain``. A drained node stops in time even if the database or the broker is frozen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from noughts.cli.drain import drain
from noughts.cli.main import main
from noughts.cli.run import CommandFailed
from noughts.config import Settings
from support.broker import Broker, running_broker
from support.client import PATIENCE_S, connected
from support.nodes import Shared, node, node_at, noughts, shared_by_nodes
from support.postgres import Postgres, database

STOP_S = 5 + 5 + 10
"""``drain_s``, what a node may take beyond it, and a margin for a busy machine."""


@pytest.fixture
async def shared(postgres: Postgres, broker: Broker) -> AsyncIterator[Shared]:
    async with shared_by_nodes(postgres, broker) as shared:
        yield shared


async def error_of_drain(name: str, shared: Shared, connect_s: float = 20, **options: object) -> str:
    """The reason why ``noughts drain`` fails, given the settings of the nodes and ``options``."""
    settings = Settings.model_validate({"journal": shared.journal, "node": name, **shared.options, **options})
    with pytest.raises(CommandFailed) as failed:
        await drain(settings, connect_s=connect_s, find_s=2)
    return str(failed.value)


@pytest.mark.parametrize("options", [["--journal=memory"], ["--journal=postgresql://localhost/x"]])
def test_drain_needs_a_shared_journal_and_a_bus(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["drain", "a", *options])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("noughts drain: needs what the nodes share")


def test_drain_takes_the_name_of_one_node(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["drain", "+"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("noughts drain: NODE: must be 1 to 64 letters")


@pytest.mark.services
async def test_drain_stops_one_node_and_not_the_others(shared: Shared, tmp_path: Path) -> None:
    async with node(shared, "a", tmp_path / "a") as a, node(shared, "b", tmp_path / "b") as b:
        error = await error_of_drain("nobody", shared)
        assert error == "there is no node nobody on this bus; there are: a, b"
        async with connected(a.url, "ann") as ann:
            room = await ann.create(second="computer:easy")
            async with noughts("drain", "a", *shared.arguments()) as process:
                assert process.stdout is not None
                text = (await asyncio.wait_for(process.stdout.read(), PATIENCE_S)).decode()
                assert (text, await process.wait()) == ("Stopping a.\na has stopped.\n", 0)
            await ann.socket.wait_closed()
            assert ann.socket.close_code == 1012
        assert await a.wait() == 0
        assert a.output().count("stopping: noughts drain\n") == 1
        assert f"This is node a on the bus {shared.options['bus']}\n" in a.output()
        async with connected(b.url, token=ann.token) as again:
            assert (await again.ok(type="watch", room=room))["seat"] == "first"


@pytest.mark.services
async def test_drain_reports_that_it_finds_no_node(shared: Shared) -> None:
    error = await error_of_drain("nobody", shared)
    assert error.startswith("there is no node nobody on this bus, and no other node either: ")


@pytest.mark.services
async def test_drain_reports_why_the_broker_refuses_it(postgres: Postgres, tmp_path: Path) -> None:
    broker = Broker(
        tmp_path,
        [
            "allow_anonymous true",
            f"password_file {tmp_path / 'passwords'}",
            f"acl_file {Path(__file__).parents[2] / 'deploy/mosquitto/acl'}",
        ],
    )
    broker.add_user("noughts", "horse")
    (tmp_path / "right").write_text("horse")
    (tmp_path / "wrong").write_text("cow")
    broker.start()
    try:
        async with database(postgres) as url:
            account = broker.url.replace("//", "//noughts@")
            nodes = Shared(url, {"bus": account, "bus_password_file": tmp_path / "right"})
            async with node(nodes, "a", tmp_path / "a"):
                error = await error_of_drain("a", nodes, bus_password_file=tmp_path / "wrong")
                assert "(Not authorized)" in error
                error = await error_of_drain("a", nodes, bus=broker.url, bus_password_file=None)
                assert "noughts/v1/bus/nodes/+: Not authorized" in error
            broker.kill()
            assert "does not answer" in await error_of_drain("a", nodes, connect_s=1)
    finally:
        broker.kill()


@pytest.mark.services
async def test_a_node_ignores_an_order_signed_with_another_secret(
    shared: Shared, postgres: Postgres, tmp_path: Path
) -> None:
    async with node(shared, "a", tmp_path / "a") as a, database(postgres) as another:
        assert "is still running" in await error_of_drain("a", Shared(another, shared.options), drain_s=0)
        assert await node_at(a.url) == "a"


@pytest.fixture
def frozen(postgres: Postgres) -> Iterator[Postgres]:
    """The database, for a test that freezes it."""
    yield postgres
    postgres.thaw()


@pytest.mark.services
async def test_a_node_stops_in_time_while_the_database_is_frozen(
    shared: Shared, frozen: Postgres, tmp_path: Path
) -> None:
    async with node(shared, "a", tmp_path / "a") as a, connected(a.url, "ann") as ann:
        room = await ann.create(second="computer:easy")
        frozen.freeze()
        await ann.send(type="play", room=room, turn=0, move="5")
        async with asyncio.timeout(STOP_S):
            assert await a.stop() == 0
        frozen.thaw()


@pytest.mark.services
async def test_a_node_stops_in_time_while_the_broker_is_frozen(postgres: Postgres, tmp_path: Path) -> None:
    with running_broker() as own:
        async with database(postgres) as url, node(Shared(url, {"bus": own.url}), "a", tmp_path / "a") as a:
            own.freeze()
            async with asyncio.timeout(STOP_S):
                assert await a.stop() == 0
            own.thaw()
