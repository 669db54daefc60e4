from __future__ import annotations

from noughts.gateway.guests import new_player, store_again
from noughts.journal import StoredPlayer
from noughts.players.tokens import token_hash
from support.journals import MemoryJournal


def stored(guest: tuple[StoredPlayer, str] | None) -> tuple[StoredPlayer, str]:
    assert guest is not None
    return guest


async def test_a_new_player_is_found_by_its_token() -> None:
    journal = MemoryJournal()
    player, token = stored(await new_player(journal, "player-1", bot=True))
    other, other_token = stored(await new_player(journal, None, bot=False))
    assert (player.name, player.kind) == ("player-1", "bot")
    assert (other.name, other.kind) == (f"guest-{other.id[2:6]}", "human")
    assert await journal.people.find_by_token(token_hash(token)) == player
    assert await journal.people.find_by_token(token_hash(other_token)) == other
    assert await journal.people.find_by_token(token_hash(token[:-1])) is None


async def test_a_new_player_cannot_take_a_registered_name() -> None:
    journal = MemoryJournal()
    player, _ = stored(await new_player(journal, "player-1", bot=False))
    assert await new_player(journal, "player-1", bot=False) is not None
    assert await journal.people.register(player.id, "player-1")
    assert await new_player(journal, "PLAYER-1", bot=False) is None


async def test_a_forgotten_guest_is_stored_again() -> None:
    journal = MemoryJournal()
    ann, _ = stored(await new_player(journal, "ann", bot=False))
    twin, _ = stored(await new_player(journal, "ann", bot=False))
    await journal.forget(journal.now() + 60_000)
    assert await journal.people.find(ann.id) is None
    assert await store_again(journal, ann) == ann == await journal.people.find(ann.id)
    assert await journal.people.register(ann.id, "ann")
    assert (await store_again(journal, twin)).name == f"guest-{twin.id[2:6]}"
