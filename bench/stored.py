"""Journals with many games already in them, for benchmarks."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from noughts.journal import Append, SqliteJournal, StoredPlayer
from noughts.players.tokens import token_hash
from noughts.projection import index_row, result_of
from noughts.protocol.records import to_record
from noughts.rooms import Command, Join, Open, Options, Play, Player, Room, Step, decide

GAMES_EACH = 100
"""The number of games that each pair of players plays."""

DRAWN = "123547698"
AT_ONCE = 500
USUAL = Options()


def token_of(player: str) -> str:
    """The token of a player of these games."""
    return f"token of {player}"


def players_of(game: int) -> tuple[str, str]:
    """The ids of the two players of a game, given by its number."""
    pair = game // GAMES_EACH
    return f"p-{pair}-first", f"p-{pair}-second"


def room_of(game: int) -> str:
    """The id of the room of a game."""
    return f"room-{game}"


async def fill(path: Path, running: int, finished: int = 0, options: Options = USUAL) -> None:
    """Store games of tic-tac-toe: those numbered from 0 on are ``running`` after 4 moves, the others ``finished``."""
    journal = await SqliteJournal.open(path)
    now = round(time.time() * 1000)
    for start in range(0, running + finished, AT_ONCE):
        games = range(start, min(start + AT_ONCE, running + finished))
        await asyncio.gather(
            *(_store(journal, game, 4 if game < running else len(DRAWN), now, options) for game in games)
        )
    await journal.close()


async def _store(journal: SqliteJournal, game: int, moves: int, now: int, options: Options) -> None:
    first, second = (Player(player, player, "human") for player in players_of(game))
    stored = tuple(
        StoredPlayer(player.id, player.name, "human", token_hash(token_of(player.id))) for player in (first, second)
    )
    room = await _do(journal, None, Open(room_of(game), "tictactoe", first.id, first, None, options), now, stored)
    room = await _do(journal, room, Join(second), now)
    for turn, move in enumerate(DRAWN[:moves]):
        room = await _do(journal, room, Play((first, second)[turn % 2].id, turn, move, now, 0), now)


async def _do(
    journal: SqliteJournal, before: Room | None, command: Command, now: int, players: tuple[StoredPlayer, ...] = ()
) -> Room:
    step = decide(before, command, now)
    assert isinstance(step, Step)
    room = step.room
    result = None if room.outcome is None else result_of(room, before)
    write = Append(room.id, room.version, to_record(step.event), index_row(room), players, result)
    assert await journal.append(write)
    return room
