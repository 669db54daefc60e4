"""Rated games on real servers: stored results and ratings follow from the records."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

from noughts.journal import Append, GameResult, Journal, PostgresJournal, SqliteJournal, StoredRating
from noughts.projection import index_row, result_of
from noughts.protocol import to_record
from noughts.ratings import after_game, recompute
from noughts.rooms import Command, Fischer, NoChange, Open, Options, Play, Player, Resign, Room, decide, evolve
from support.client import Client
from support.postgres import Postgres, database
from support.rated import BLITZ, rated_game, registered
from support.server import running_server

CLOCKS = [BLITZ, {"initial_s": 60, "increment_s": 0}, {"per_move_s": 20}]


async def play_many(players: Sequence[Client], rounds: int, random: Random) -> None:
    """Play rounds in which all players play at the same time, in pairs."""
    for _ in range(rounds):
        paired = random.sample(players, len(players))
        await asyncio.gather(
            *(
                rated_game(
                    one,
                    other,
                    random.choice(["first", "first", "second", "draw"]),
                    game=random.choice(["tictactoe", "connect4"]),
                    clock=random.choice(CLOCKS),
                    moves=random.choice([2, 3, 4]),
                )
                for one, other in zip(paired[::2], paired[1::2], strict=True)
            )
        )


async def against_the_computer(player: Client) -> None:
    room = await player.create("computer:easy", "me", clock=BLITZ, rated=True)
    while (await player.push("update"))["state"]["ply"] < 1:
        pass
    for move in "123":
        if (await player.play(room, 1, move))["type"] == "ok":
            break
    await player.ok(type="resign", room=room)
    player.pushed.clear()


Kept = tuple[list[GameResult], set[StoredRating], dict[tuple[str, str, str], list[tuple[int, float]]]]


async def kept(journal: Journal) -> Kept:
    """All results, ratings and courses, once every game that is to be rated is."""
    async with asyncio.timeout(60):
        while await journal.results.unrated(1):  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.05)
    results = await journal.results.finished(private=True, limit=10_000)
    players = {player for one in results for player in (one.first, one.second)}
    ratings = set(await journal.results.ratings([*players]))
    courses = {
        (one.player, one.game, one.pool): await journal.results.rating_history(one.player, one.game, one.pool, 10_000)
        for one in ratings
    }
    return results, ratings, courses


def in_order(results: Sequence[GameResult]) -> set[StoredRating]:
    """The ratings computed from these games in order."""
    ratings: dict[tuple[str, str, str | None], StoredRating] = {}
    for one in results:
        if one.pool is not None:
            before = [ratings.get((player, one.game, one.pool)) for player in (one.first, one.second)]
            after = [rating for rating in after_game(one, *before) if rating is not None]
            ratings |= {(rating.player, rating.game, rating.pool): rating for rating in after}
    return set(ratings.values())


async def admin_recompute(journal: Path) -> str:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "noughts", "admin", "recompute", f"--journal={journal}"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    said, _ = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0
    return said.decode()


async def test_recomputed_ratings_are_the_stored_ones(tmp_path: Path) -> None:
    file = tmp_path / "journal.db"
    async with running_server(journal=str(file)) as url, registered(*[url] * 6) as players:
        await play_many(players, 15, Random(1))
        await against_the_computer(players[0])
        journal = await SqliteJournal.open(file, exclusive=False)
        results, ratings, courses = stored = await kept(journal)
        assert len(results) == 46
        assert len({(one.game, one.pool) for one in results}) == 6
        assert all(one.pool is not None for one in results)
        assert ratings == in_order(results)
        assert sum(map(len, courses.values())) == 2 * 46 - 1

        said = await admin_recompute(file)
        assert said == "Recomputed 46 results and the ratings of 46 rated games.\n"
        assert await kept(journal) == stored, "to the last bit"
        await play_many(players, 2, Random(2))
        results, ratings, _ = await kept(journal)
        assert len(results) == 52
        assert ratings == in_order(results), "the server continues from there"
        await journal.close()


async def late_game(journal: Journal, players: Sequence[Client], ended_at: int) -> None:
    """Store a rated game that ended at ``ended_at``, as a slow node would."""
    first, second = (Player(client.id, "player", "human", registered=True) for client in players[:2])
    options = Options(rated=True, clock=Fischer(300_000, 0))
    commands: list[Command] = [
        Open("late", "tictactoe", first.id, first, second, options),
        Play(first.id, 0, "1"),
        Play(second.id, 1, "2"),
        Resign(first.id),
    ]
    room: Room | None = None
    for version, command in enumerate(commands, 1):
        event = decide(room, command, ended_at)
        assert not isinstance(event, NoChange)
        before, room = room, evolve(room, event)
        write = Append("late", version, to_record(event), index_row(room), finished=result_of(room, before))
        assert await journal.append(write)


async def test_two_nodes_rate_their_games_in_one_order(postgres: Postgres) -> None:
    async with (
        database(postgres) as journal_url,
        running_server(journal=journal_url, node="a") as one,
        running_server(journal=journal_url, node="b") as other,
        registered(one, other, one, other, one, other) as players,
    ):
        journal = await PostgresJournal.open(journal_url)
        await play_many(players, 10, Random(3))
        results, ratings, _ = await kept(journal)
        assert len(results) == 30
        assert ratings == in_order(results)

        await late_game(journal, players, results[10].ended_at)
        before = results
        results, ratings, _ = stored = await kept(journal)
        (late,) = [one for one in results if one.room == "late"]
        assert results[-1] != late
        assert ratings == in_order([*before, late]), "a game that is stored late is rated last"

        assert await recompute(journal) == (31, 31)
        assert await kept(journal) == stored
        await journal.close()
