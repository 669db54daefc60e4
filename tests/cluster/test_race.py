"""Two nodes over one PostgreSQL, which reach each other by it alone, and moves in one room at the same moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from noughts.bus import MemoryBus
from noughts.host import Done, Failed, Host
from noughts.journal.postgres.journal import PostgresJournal
from noughts.protocol.records import from_record
from noughts.rooms import Command, Open, Options, Play, Played, Player, Refused
from support.postgres import Postgres, database

ANN, BEN = Player("p-ann", "ann", "human"), Player("p-ben", "ben", "human")
GAMES = 20


@asynccontextmanager
async def two_hosts(postgres: Postgres) -> AsyncIterator[tuple[Host, Host]]:
    async with database(postgres) as url:
        journals = [await PostgresJournal.open(url) for _ in range(2)]
        one, two = (Host(journal, MemoryBus(f"node-{n}", alone=False)) for n, journal in enumerate(journals))
        for host in (one, two):
            host.watched = lambda _: True
        yield one, two
        for host, journal in zip((one, two), journals, strict=True):
            await host.close()
            await journal.close()


async def do(host: Host, room: str, command: Command | None) -> Done | Refused | Failed:
    result: asyncio.Future[Done | Refused | Failed] = asyncio.get_running_loop().create_future()
    host.submit(room, command, result.set_result)
    return await result


async def test_of_two_moves_at_once_on_two_nodes_one_is_stored_and_the_other_refused(postgres: Postgres) -> None:
    async with two_hosts(postgres) as (one, two):

        async def play(room: str) -> None:
            opening = Open(room, "tictactoe", "p-ann", ANN, BEN, Options())
            assert isinstance(await do(one, room, opening), Done)
            assert isinstance(await do(two, room, None), Done)
            left = list("123546879")
            for turn in range(7):
                player = ("p-ann", "p-ben")[turn % 2]
                moves = left[0], left[1] if turn < 6 else left[0]
                outcomes = await asyncio.gather(
                    *(do(host, room, Play(player, turn, move)) for host, move in zip((one, two), moves, strict=True))
                )
                stored = [move for move, outcome in zip(moves, outcomes, strict=True) if isinstance(outcome, Done)]
                assert not any(isinstance(outcome, Failed) for outcome in outcomes), outcomes
                if moves[0] == moves[1]:
                    assert len(stored) == 2, "the same move twice is one move"
                    assert len({outcome.version for outcome in outcomes if isinstance(outcome, Done)}) == 1
                else:
                    assert len(stored) == 1
                left.remove(stored[0])
                played.setdefault(room, []).append(stored[0])
                if any(isinstance(each, Done) and each.room.status == "over" for each in outcomes):
                    break

        played: dict[str, list[str]] = {}
        rooms = [f"room-{number}" for number in range(GAMES)]
        await asyncio.gather(*map(play, rooms))
        for room in rooms:
            events = [from_record(record) for record in await one.journal.read(room)]
            assert [event.move for event in events if isinstance(event, Played)] == played[room]
            rooms_now = [await do(host, room, None) for host in (one, two)]
            assert {each.room.version for each in rooms_now if isinstance(each, Done)} == {len(events)}
