"""New players, and guests that the journal may have forgotten."""

from __future__ import annotations

from dataclasses import replace

from noughts.journal import Journal, StoredPlayer
from noughts.players.ids import new_player_id
from noughts.players.names import guest_name
from noughts.players.tokens import new_token, token_hash


async def new_player(
    journal: Journal, name: str | None, *, bot: bool, label: str = ""
) -> tuple[StoredPlayer, str] | None:
    """Store a new player, known on every node from now on. Returns the player and its token, which gets ``label``.

    None if the name is registered to another player. Raises JournalError.
    """
    token = new_token()
    player_id = new_player_id()
    kind = "bot" if bot else "human"
    player = StoredPlayer(id=player_id, name=name or guest_name(player_id), kind=kind, token_hash=token_hash(token))
    return (player, token) if await journal.people.add_guest(player, label) else None


async def store_again(journal: Journal, player: StoredPlayer) -> StoredPlayer:
    """Make sure that a connected player is stored: the journal forgets guests that stay long without a seat.

    Returns ``player``, under a guest's name if somebody has registered its name meanwhile. Raises JournalError.
    """
    if not await journal.people.add_guest(player):
        player = replace(player, name=guest_name(player.id))
        await journal.people.add_guest(player)  # nobody can have registered that name
    return player
