"""Work beside the frames that come in."""

from __future__ import annotations

import asyncio

from noughts.gateway.tasks import Tasks


async def test_what_is_to_be_done_later_is_done_while_the_server_runs_and_not_after() -> None:
    tasks = Tasks()
    done: list[str] = []

    async def note(what: str) -> None:
        done.append(what)

    tasks.later(0, lambda: note("soon"))
    await asyncio.sleep(0.01)
    tasks.later(0, lambda: note("too late"))
    await tasks.close()
    tasks.later(0, lambda: note("after the end"))
    await asyncio.sleep(0.01)
    assert done == ["soon"]
