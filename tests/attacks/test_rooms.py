"""Rooms without end: over many connections of a player, by many guests of an address, and opened only to be aborted."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import asyncpg
import pytest

from attacks.bystander import bystander
from attacks.storm import connections, storm, tokens
from attacks.victim import attacked_thrice, limits_in_log, victim
from support.client import connected
from support.server import ServerProcess

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(600)]

Record = Callable[[str, object], None]

CREATE = {"type": "create", "game": "gomoku"}


def open_rooms(server: ServerProcess) -> int:
    """The number of rooms that strangers have open. The bystander's are private."""
    with closing(sqlite3.connect(f"file:{server.journal}?mode=ro", uri=True)) as journal:
        return int(
            journal.execute("SELECT count(*) FROM rooms WHERE game = 'gomoku' AND status <> 'over'").fetchone()[0]
        )


async def test_a_player_opens_rooms_over_many_connections(tmp_path: Path, record_property: Record) -> None:
    async def attack() -> None:
        async with connections(server.url, 60 * [guest]) as attackers:
            await storm(attackers, 4.0, CREATE)

    async with victim(tmp_path) as server, bystander(server.url) as quiet:
        (guest,) = await tokens(server.url, 1)
        await attacked_thrice(
            server, quiet, attack, name="rooms of a player", limit="rooms_per_player", record=record_property
        )
        assert open_rooms(server) == 50


async def test_guests_of_one_address_open_rooms(tmp_path: Path, record_property: Record) -> None:
    async def attack() -> None:
        async with connections(server.url, guests) as attackers:
            await storm(attackers, 4.0, CREATE)

    async with victim(tmp_path) as server, bystander(server.url) as quiet:
        guests = await tokens(server.url, 90)
        await attacked_thrice(
            server, quiet, attack, name="rooms of an address", limit="rooms_per_address", record=record_property
        )
        assert open_rooms(server) == 200


async def test_a_player_that_has_much_written(tmp_path: Path, record_property: Record) -> None:
    """It opens and aborts rooms, as fast as it may. Its game goes on all the same."""
    per_day = 100_000

    async def attack() -> None:
        async with (
            connections(server.url, 20 * [one.token]) as attackers,
            connected(server.url, token=one.token) as aborting,
        ):
            rounds = 0
            while rounds < 4 or not limits_in_log(server)["daily_bytes_per_player"]:  # a busy machine takes longer
                rounds += 1
                await storm(attackers, 1.0, CREATE)
                for room in await of_player(server, one.id, game):
                    await aborting.request(type="abort", room=room)

    async with (
        victim(tmp_path, daily_bytes_per_player=per_day) as server,
        bystander(server.url) as quiet,
        connected(server.url, "one") as one,
        connected(server.url, "two") as two,
    ):
        game = await one.create()
        await two.join(game)
        await attacked_thrice(
            server, quiet, attack, name="writing", limit="daily_bytes_per_player", record=record_property
        )
        size = written_by(server, one.id)
        record_property("bytes written", size)
        assert size < 2 * per_day
        assert (await one.play(game, 0, "5"))["type"] == "ok"
        assert (await two.play(game, 1, "1"))["type"] == "ok"


async def of_player(server: ServerProcess, player: str, but: str) -> list[str]:
    """The rooms that a player has open, but for one; in SQLite or in PostgreSQL."""
    query = "SELECT room FROM rooms WHERE opened_by = $1 AND status <> 'over' AND room <> $2"
    if str(server.journal).startswith("postgresql://"):
        connection = await asyncpg.connect(str(server.journal), timeout=10)
        try:
            return [room for (room,) in await connection.fetch(query, player, but)]
        finally:
            await connection.close()
    with closing(sqlite3.connect(f"file:{server.journal}?mode=ro", uri=True)) as journal:
        return [room for (room,) in journal.execute(query.replace("$", "?"), (player, but))]


def written_by(server: ServerProcess, player: str) -> int:
    """The bytes of the records of the rooms that a player has opened."""
    query = "SELECT sum(length(record)) FROM records JOIN rooms ON number = records.room WHERE opened_by = ?"
    with closing(sqlite3.connect(f"file:{server.journal}?mode=ro", uri=True)) as journal:
        return int(journal.execute(query, (player,)).fetchone()[0])
