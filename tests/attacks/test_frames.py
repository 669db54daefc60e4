"""Floods of frames that are no messages: pings, pongs and fragments."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from attacks import raw
from attacks.bystander import bystander
from attacks.victim import attacked_thrice, victim

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(600)]

Record = Callable[[str, object], None]

FLOOD_S = 8.0
"""Longer than the 5 s of pauses after which a connection is closed."""


@pytest.mark.parametrize("kind", [pytest.param("pings", marks=pytest.mark.smoke), "pongs", "long pings"])
async def test_a_flood_of_control_frames_delays_nobody(kind: str, tmp_path: Path, record_property: Record) -> None:
    frames = {"pings": raw.PING, "pongs": raw.PONG, "long pings": raw.frame(9, bytes(125))}[kind]
    codes: list[int | None] = []

    async def attack() -> None:
        connection = await asyncio.to_thread(raw.shake_hands, server.url)
        codes.append(await asyncio.to_thread(raw.flood, connection, frames, 1_000_000, FLOOD_S))

    async with victim(tmp_path) as server, bystander(server.url) as quiet:
        await attacked_thrice(
            server, quiet, attack, name=f"a flood of {kind}", limit="frames_per_message", record=record_property
        )
    assert codes == [1008] * 3


async def test_many_fragments_delay_nobody(tmp_path: Path, record_property: Record) -> None:
    fragments = raw.frame(1, fin=False) + 4000 * raw.frame(0, fin=False)

    async def attack() -> None:
        """Twenty connections, each of which sends the fragments with its handshake."""

        def one() -> None:
            with raw.shake_hands(server.url, raw.HELLO + fragments) as connection:
                raw.flood(connection, raw.PING, 10_000, 3)

        await asyncio.gather(*(asyncio.to_thread(one) for _ in range(20)))

    async with victim(tmp_path) as server, bystander(server.url) as quiet:
        await attacked_thrice(
            server, quiet, attack, name="fragments", limit="frames_per_message", record=record_property
        )
