"""The server under attack, in a process of its own and with the default limits, and what its log says of them."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from attacks.bystander import Bystander
from noughts.config import Settings
from support.ports import free_port
from support.server import ServerProcess

GROWTH = 1.05
"""The memory that the server may have after the second and third run of an attack, relative to the first."""

SETTLE_S = 1.0
"""The time the server has to let go of what an attack took."""


def victim(
    directory: Path, program: tuple[str, ...] = ("-m", "noughts"), journal: str | None = None, **options: object
) -> ServerProcess:
    """A server with the default settings but for ``options``; it shows its metrics. Its files are in ``directory``.

    It loads only the kernels that its games need, so that its memory is soon what it will be.
    """
    defaults = Settings.model_validate({}).model_dump(exclude={"journal", "port"})
    ours = {"warm_up": False, "metrics": f"127.0.0.1:{free_port()}"}
    where = journal or directory / "journal.sqlite3"
    return ServerProcess(where, directory / "log", program, **{**defaults, **ours, **options})


def metrics_of(server: ServerProcess) -> list[Sample]:
    """All metrics of a ``victim`` now."""
    with urlopen(f"http://{server.options['metrics']}/metrics", timeout=60) as page:
        families = text_string_to_metric_families(page.read().decode())
    return [sample for family in families for sample in family.samples]


def limited(metrics: list[Sample]) -> Counter[str]:
    """The number of times that each limit stopped somebody, by the metrics."""
    return Counter({s.labels["limit"]: int(s.value) for s in metrics if s.name == "noughts_limited_total"})


def limits_in_log(server: ServerProcess) -> Counter[str]:
    """The number of lines of the log that name each limit."""
    return Counter(re.findall(r"limit (\w+) stopped", server.output()))


async def loaded(server: ServerProcess) -> None:
    """Wait until the server has loaded the kernel of the bystander's games, which takes some 150 MB.

    On a new machine it is compiled first, which takes a minute or more.
    """
    async with asyncio.timeout(300):
        while "Connect Four is searched by its fast kernel from now on" not in server.output():  # noqa: ASYNC110  a log
            await asyncio.sleep(0.2)


async def attacked_thrice(
    server: ServerProcess,
    quiet: Bystander,
    attack: Callable[[], Awaitable[object]],
    *,
    name: str,
    limit: str,
    record: Callable[[str, object], None],
) -> None:
    """Run an attack three times: assert that it disturbs nobody, ``limit`` is counted and logged, and no memory lost.

    ``record`` is pytest's ``record_property``.
    """
    await loaded(server)
    await quiet.report()
    memory = []
    for run in (1, 2, 3):
        await attack()
        report = await quiet.report()
        await asyncio.sleep(SETTLE_S)
        memory.append(server.memory())
        report.check(record, f"{name}, run {run}")
        await quiet.report()
    record(f"{name}, memory", memory)
    assert limits_in_log(server)[limit], f"the log names {limits_in_log(server)}"
    counted = limited(await asyncio.to_thread(metrics_of, server))
    assert counted[limit], f"the metrics name {counted}"
    assert "Traceback" not in server.output()
    assert max(memory[1:]) < GROWTH * memory[0], memory
