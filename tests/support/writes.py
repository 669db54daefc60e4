"""Writes to a journal, of which a test says only what matters to it."""

from __future__ import annotations

from dataclasses import replace

from noughts.journal import Append, Index, StoredPlayer

PLAYING = Index(
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
    index: Index = PLAYING,
    players: tuple[StoredPlayer, ...] = (),
) -> Append:
    return Append(room, version, record, index, players)


def player(number: int) -> StoredPlayer:
    return StoredPlayer(f"p-{number}", f"player-{number}", "human", number.to_bytes(32, "big"))
