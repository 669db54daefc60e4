"""The fault runner's audit of ratings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from faults.ratings import audit_ratings
from noughts.journal import Append
from noughts.journal.postgres.journal import PostgresJournal
from noughts.projection import index_row, result_of
from noughts.protocol.records import to_record
from noughts.rooms import Command, Event, Fischer, Open, Options, Play, Player, Resign, Room, evolve
from support.cluster import Cluster
from support.postgres import Postgres, database
from support.rooms import decided

ANN, BEN = (Player(f"p-{name}", name, "human", registered=True) for name in ("ann", "ben"))
COMMANDS: list[Command] = [
    Open("room", "tictactoe", ANN.id, ANN, BEN, Options(rated=True, clock=Fischer(60_000, 0))),
    Play(ANN.id, 0, "5"),
    Play(BEN.id, 1, "1"),
    Resign(ANN.id),
]


async def store_game(journal: PostgresJournal) -> None:
    room: Room | None = None
    for version, command in enumerate(COMMANDS, 1):
        event: Event | Any = decided(room, command, 1000)
        before, room = room, evolve(room, event)
        write = Append("room", version, to_record(event), index_row(room), finished=result_of(room, before))
        assert await journal.append(write)


async def test_a_journal_that_cannot_be_recomputed_is_a_broken_promise(postgres: Postgres, tmp_path: Path) -> None:
    missing: Any = None
    async with database(postgres) as url:
        journal = await PostgresJournal.open(url)
        await store_game(journal)
        await journal.close()
        target = Cluster(tmp_path, [], missing, postgres, url, missing)
        # Both players have moved to the same cell.
        await target.query(
            "UPDATE records SET record = convert_to(replace(convert_from(record, 'UTF8'), $1, $2), 'UTF8')",
            '"move":"1"',
            '"move":"5"',
        )
        await target.query("UPDATE results SET position = 1")
        broken: list[str] = []
        await audit_ratings(target, {}, broken.append)
        assert [promise for promise in broken if "the ratings cannot be recomputed" in promise], broken


@pytest.mark.parametrize("rated", [True, False])
async def test_a_game_that_is_never_rated_is_a_broken_promise(rated: bool, postgres: Postgres, tmp_path: Path) -> None:
    missing: Any = None
    async with database(postgres) as url:
        journal = await PostgresJournal.open(url)
        await store_game(journal)
        await journal.close()
        target = Cluster(tmp_path, [], missing, postgres, url, missing)
        await target.query("UPDATE results SET position = $1", 1 if rated else None)
        broken: list[str] = []
        await audit_ratings(target, {}, broken.append, settled_s=0.1)
        assert bool([promise for promise in broken if "were not rated" in promise]) != rated
