"""Values to write to a journal, with defaults for everything that does not matter to a test."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from noughts.journal import Append, GameResult, IndexRow, Seek, StoredPlayer, StoredRating

PLAYING = IndexRow(
    game="tictactoe",
    by="p-1",
    status="playing",
    public=True,
    due_at=None,
    thinking=False,
    attended=False,
    listing=b"{}",
)
THINKING = replace(PLAYING, thinking=True)
OVER = replace(PLAYING, status="over")


def write(
    room: str,
    version: int = 1,
    record: bytes = b"{}",
    index: IndexRow | None = PLAYING,
    players: tuple[StoredPlayer, ...] = (),
    *,
    finished: GameResult | None = None,
    opening: Append | None = None,
) -> Append:
    return Append(room, version, record, index, players, finished, opening)


def player(number: int) -> StoredPlayer:
    return StoredPlayer(f"p-{number}", f"player-{number}", "human", number.to_bytes(32, "big"))


def result(
    room: str,
    ended_at: int = 0,
    first: str = "p-1",
    second: str = "p-2",
    *,
    winner: Literal["first", "second"] | None = "first",
    game: str = "tictactoe",
    public: bool = True,
    pool: str | None = "blitz",
) -> GameResult:
    return GameResult(room, game, first, second, winner, "line" if winner else "draw", public, pool, ended_at)


def rating(number: int, value: float, games: int, *, deviation: float = 60, pool: str = "blitz") -> StoredRating:
    return StoredRating(f"p-{number}", "tictactoe", pool, value, deviation, 0.06, games)


def seek(number: int, key: str = "key", *, terms: str = "terms", since: int = 0) -> Seek:
    return Seek(player(number), key, "tictactoe", terms, 1500.0, 350.0, since)
