"""Servers are killed again and again during tournaments of bots: nothing is lost, and nothing counts twice."""

from __future__ import annotations

import asyncio
import functools
import itertools
import random
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from noughts.journal import Journal, SqliteJournal
from noughts.journal.postgres.journal import PostgresJournal
from noughts.protocol.messages import TournamentInfo
from noughts.protocol.tournament_records import from_record
from noughts.tournaments.evolve import evolve
from noughts.tournaments.ranking import field_of, standings
from noughts.tournaments.tournament import Tournament
from noughts_client import BotState, Connection
from noughts_client.finding import tournament_games
from noughts_client.playing import BotPlayer
from noughts_client.thinking import Thinker
from support.broker import Broker
from support.nodes import node, shared_by_nodes
from support.postgres import Postgres
from support.server import ServerProcess

pytestmark = pytest.mark.slow

BOTS = [f"bot-{number}" for number in range(6)]


async def thoughtful(state: BotState) -> str:
    """Think for a moment, so that games are under way when a server dies."""
    await asyncio.sleep(0.05)
    return str(random.Random(len(state["legal_moves"])).choice(sorted(state["legal_moves"])))


async def bot(url: str, name: str, tournament: str) -> None:
    """Play the whole tournament, through every restart."""
    delays = functools.partial(itertools.repeat, 0.1)
    async with Connection(url, name=name, bot=True, delays=delays) as connection:
        await tournament_games(BotPlayer(Thinker(thoughtful), connection, tell=lambda _: None), tournament)


async def opened(url: str, **terms: Any) -> tuple[str, Connection]:
    """A tournament, and the connection of its organiser."""
    teacher = await Connection(url, name="teacher", delays=partial(itertools.repeat, 0.1)).__aenter__()
    await teacher.request({"type": "register"})
    wanted = {"name": "Class", "game": "tictactoe", "clock": {"initial_s": 60, "increment_s": 1}, **terms}
    answer = await teacher.request({"type": "open_tournament", **wanted, "key": "k"})
    return str(answer["tournament"]), teacher


async def entered(teacher: Connection, tournament: str) -> int:
    shown = cast(TournamentInfo, await teacher.request({"type": "tournament", "tournament": tournament}))
    return shown["tournament"]["players"]


async def play(urls: Sequence[str], disturb: Callable[[], Coroutine[Any, Any, None]], **terms: Any) -> str:
    """Play a tournament of bots, which connect to ``urls`` in turns, while ``disturb`` runs. Returns its id."""
    tournament, teacher = await opened(urls[0], **terms)
    async with asyncio.timeout(240):
        where = itertools.cycle(urls)
        bots = [asyncio.create_task(bot(next(where), name, tournament)) for name in BOTS]
        while await entered(teacher, tournament) < len(BOTS):  # noqa: ASYNC110
            await asyncio.sleep(0.1)
        await teacher.request({"type": "start_tournament", "tournament": tournament})
        disturbing = asyncio.create_task(disturb())
        await asyncio.gather(*bots)
        disturbing.cancel()
        await teacher.close()
    return tournament


async def check(journal: Journal, tournament: str, games: int) -> None:
    """Every pairing was played once, in a room of its own, and counts what happened there."""
    events = [from_record(record) for record in await journal.tournaments.read(tournament)]
    now: Tournament | None = None
    for event in events:
        now = evolve(now, event)
    assert now is not None
    assert now.status == "finished"
    assert len(now.games) == games
    assert not now.live
    met = Counter(frozenset((game.first, game.second)) for game in now.games.values())
    assert set(met.values()) == {1}
    counted = Counter(event.room for event in events if event.kind == "scored")
    assert set(counted.values()) == {1}
    assert counted.keys() == now.games.keys()
    finished = {result.room: result for result in await journal.results.finished(limit=1000)}
    for room, game in now.games.items():
        assert game.result is not None
        result = finished[room]
        assert (result.first, result.second) == (game.first, game.second)
        points = {"first": (2, 0), "second": (0, 2), None: (1, 1)}[result.winner]
        assert (game.result.first, game.result.second) == points
    assert finished.keys() == now.games.keys(), "no room was opened twice"
    assert sum(row.points for row in standings(field_of(now))) == games + len(now.byes)


@pytest.mark.smoke
@pytest.mark.parametrize(("format_", "rounds", "games"), [("round_robin", 1, 15), ("swiss", 3, 9)])
async def test_a_server_is_killed_at_any_moment(tmp_path: Path, format_: str, rounds: int, games: int) -> None:
    rng, kills = random.Random(rounds), 0
    journal = tmp_path / "journal.db"
    async with ServerProcess(journal, tmp_path / "log") as server:

        async def kill_again_and_again() -> None:
            nonlocal kills
            for _ in range(8):
                await asyncio.sleep(rng.uniform(0.2, 2))
                await server.kill()
                kills += 1
                await server.start()

        tournament = await play([server.url], kill_again_and_again, format=format_, rounds=rounds)
        assert kills >= 3
        await server.stop()
    stored = await SqliteJournal.open(journal)
    await check(stored, tournament, games)
    await stored.close()


@pytest.mark.services
async def test_one_of_two_nodes_is_killed_at_any_moment(tmp_path: Path, postgres: Postgres, broker: Broker) -> None:
    async with shared_by_nodes(postgres, broker) as shared, AsyncExitStack() as stack:
        nodes = [await stack.enter_async_context(node(shared, name, tmp_path / f"{name}.log")) for name in ("n1", "n2")]

        async def kill_one_and_then_the_other() -> None:
            for number in range(6):
                await asyncio.sleep(1.5)
                await nodes[number % 2].kill()
                await nodes[number % 2].start()

        urls = [each.url for each in nodes]
        tournament = await play(urls, kill_one_and_then_the_other, format="round_robin", rounds=1)
        stored = await PostgresJournal.open(shared.journal)
        await check(stored, tournament, 15)
        await stored.close()


@pytest.mark.services
async def test_an_arena_pairs_players_of_different_nodes(tmp_path: Path, postgres: Postgres, broker: Broker) -> None:
    async with shared_by_nodes(postgres, broker) as shared, AsyncExitStack() as stack:
        nodes = [await stack.enter_async_context(node(shared, name, tmp_path / f"{name}.log")) for name in ("n1", "n2")]

        async def nothing() -> None: ...

        tournament = await play([each.url for each in nodes], nothing, format="arena", minutes=1)
        stored = await PostgresJournal.open(shared.journal)
        now: Tournament | None = None
        for record in await stored.tournaments.read(tournament):
            now = evolve(now, from_record(record))
        await stored.close()
        assert now is not None
        assert now.status == "finished"
        at = {entry.player.id: BOTS.index(entry.player.name) % 2 for entry in now.entries.values()}
        assert {at[game.first] != at[game.second] for game in now.games.values()} == {True, False}
