"""Servers are killed again and again during tournaments of bots: nothing is lost, and nothing counts twice."""

from __future__ import annotations

import asyncio
import functools
import itertools
import random
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from functools import partial, reduce
from pathlib import Path
from typing import Any, cast

import pytest

from noughts.glicko2 import Rating, after
from noughts.journal import Journal, SqliteJournal
from noughts.journal.postgres.journal import PostgresJournal
from noughts.protocol.tournament_messages import TournamentInfo
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


async def play_ladder(urls: Sequence[str], disturb: Callable[[], Coroutine[Any, Any, None]]) -> str:
    """As :func:`play`, on a ladder, which is ended after ``disturb``."""
    ladder, teacher = await opened(urls[0], format="ladder", budget=1000)
    where = itertools.cycle(urls)
    async with asyncio.timeout(240), asyncio.TaskGroup() as bots:
        for name in BOTS:
            bots.create_task(registered_bot(next(where), name, ladder))
        await disturb()
        await teacher.request({"type": "end_tournament", "tournament": ladder})
    await teacher.close()
    return ladder


async def registered_bot(url: str, name: str, tournament: str) -> None:
    """As :func:`bot`, with its name registered."""
    async with Connection(url, name=name, bot=True, delays=functools.partial(itertools.repeat, 0.1)) as connection:
        await connection.request({"type": "register"})
        await tournament_games(BotPlayer(Thinker(thoughtful), connection, tell=lambda _: None), tournament)


async def check_ladder(journal: Journal, ladder: str) -> None:
    """Each game counts once, as what happened in its room, and the ratings are those of the games in their order."""
    events = [from_record(record) for record in await journal.tournaments.read(ladder)]
    now = reduce(evolve, events, cast(Tournament | None, None))
    assert now is not None
    assert now.status == "finished"
    assert now.round > len(BOTS), "everybody has played more than once"
    counted = [event for event in events if event.kind == "scored"]
    assert len({event.room for event in counted}) == len(counted)
    finished = {result.room: result for result in await journal.results.finished(limit=5000)}
    ratings = {entry: Rating() for entry in now.entries}
    for event in counted:
        result = finished[event.room]
        score = {"first": 1.0, "second": 0.0, None: 0.5}[result.winner]
        assert event.result.first / 2 == score
        if event.result.played:
            one, other = ratings[result.first], ratings[result.second]
            ratings[result.first] = after(one, [(other, score)])
            ratings[result.second] = after(other, [(one, 1 - score)])
    assert {player: tally.rating for player, tally in now.tallies.items()} == ratings
    started = {game.room for event in events if event.kind == "paired" for game in event.games}
    assert finished.keys() <= started, "no room was opened twice"


@pytest.mark.smoke
async def test_a_ladder_goes_on_when_its_server_is_killed(tmp_path: Path) -> None:
    rng, journal = random.Random(5), tmp_path / "journal.db"
    async with ServerProcess(journal, tmp_path / "log") as server:

        async def kill_again_and_again() -> None:
            for _ in range(6):
                await asyncio.sleep(rng.uniform(1, 5))
                await server.kill()
                await server.start()
            await asyncio.sleep(3)

        ladder = await play_ladder([server.url], kill_again_and_again)
        await server.stop()
    stored = await SqliteJournal.open(journal)
    await check_ladder(stored, ladder)
    await stored.close()


async def kill_in_turn(nodes: Sequence[ServerProcess], pause_s: float) -> None:
    """Kill one of two nodes, and start it again, then the other, three times each."""
    for number in range(6):
        await asyncio.sleep(pause_s)
        await nodes[number % 2].kill()
        await nodes[number % 2].start()


@pytest.mark.services
async def test_a_ladder_goes_on_when_one_of_two_nodes_is_killed(
    tmp_path: Path, postgres: Postgres, broker: Broker
) -> None:
    async with shared_by_nodes(postgres, broker) as shared, AsyncExitStack() as stack:
        nodes = [await stack.enter_async_context(node(shared, name, tmp_path / f"{name}.log")) for name in ("n1", "n2")]

        async def kill_and_wait() -> None:
            await kill_in_turn(nodes, 3)
            await asyncio.sleep(3)

        ladder = await play_ladder([each.url for each in nodes], kill_and_wait)
        stored = await PostgresJournal.open(shared.journal)
        await check_ladder(stored, ladder)
        await stored.close()


@pytest.mark.services
async def test_one_of_two_nodes_is_killed_at_any_moment(tmp_path: Path, postgres: Postgres, broker: Broker) -> None:
    async with shared_by_nodes(postgres, broker) as shared, AsyncExitStack() as stack:
        nodes = [await stack.enter_async_context(node(shared, name, tmp_path / f"{name}.log")) for name in ("n1", "n2")]

        urls = [each.url for each in nodes]
        tournament = await play(urls, partial(kill_in_turn, nodes, 1.5), format="round_robin", rounds=1)
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
