"""Guests, their tokens, and what is kept of them."""

from __future__ import annotations

import re
from pathlib import Path

from websockets.asyncio.client import connect

from noughts.gateway import identity
from noughts.gateway.identity import Guests, new_id, room_id_for, token_hash
from noughts.journal import MemoryJournal
from support.client import Client, connected
from support.server import running_server

SHAPE = re.compile("[a-z2-7]{13}")


def bytes_in(directory: Path) -> bytes:
    """All that the files of a directory hold."""
    return b"".join(file.read_bytes() for file in sorted(directory.iterdir()))


async def token_refused(url: str, token: str) -> str:
    """Say hello with a token that must be refused; the error's code."""
    async with connect(url, compression=None) as socket:
        return await Client(socket).refused(type="hello", protocol=1, token=token)


def test_ids_cannot_be_guessed() -> None:
    ids = {new_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(SHAPE.fullmatch(each) for each in ids)
    # Every character of every place is met, so 13 * log2(32) = 65 bits are random.
    assert all(len({each[place] for each in ids}) == 32 for place in range(13))


def test_a_key_gives_its_holder_the_same_room() -> None:
    mine, theirs = token_hash("mine"), token_hash("theirs")
    room = room_id_for(mine, "key")
    assert SHAPE.fullmatch(room)
    assert room == room_id_for(mine, "key")
    assert len({room, room_id_for(mine, "yek"), room_id_for(theirs, "key"), room_id_for(mine, "")}) == 4


async def test_a_token_finds_its_guest() -> None:
    journal = MemoryJournal()
    guests = Guests(journal)
    player, token = guests.welcome("player-1", bot=True)
    other, other_token = guests.welcome(None, bot=False)
    assert (player.name, player.kind) == ("player-1", "bot")
    assert other.name == f"guest-{other.id[2:6]}"
    assert await guests.find(token) == player
    assert await guests.find(other_token) == other
    assert await guests.find(token[:-1]) is None
    assert await guests.find("") is None
    assert await journal.player(token_hash(token)) is None


async def test_guests_are_remembered_in_bounded_number() -> None:
    guests = Guests(MemoryJournal())
    _, kept = guests.welcome("kept", bot=False)
    _, lost = guests.welcome("lost", bot=False)
    for _ in range(identity.REMEMBERED - 2):
        guests.welcome(None, bot=False)
    assert await guests.find(kept) is not None
    guests.welcome(None, bot=False)
    assert await guests.find(lost) is None
    assert await guests.find(kept) is not None


async def test_the_same_player_again() -> None:
    async with running_server() as url, connected(url, "player-1", bot=True) as one:
        async with connected(url, "another-name", token=one.token) as again:
            # Who holds a token is its player, whatever the new hello says.
            assert again.welcome["player"] == one.welcome["player"]
            assert again.token == one.token
        assert await token_refused(url, one.token + "x") == "bad_token"
        assert await token_refused(url, "") == "bad_token"


async def test_a_token_is_good_after_a_restart_once_its_player_was_seated(tmp_path: Path) -> None:
    journal = str(tmp_path / "journal")
    async with running_server(journal=journal) as url:
        async with connected(url, "creator") as creator, connected(url, "joiner") as joiner:
            room = await creator.create()
            await joiner.join(room)
            async with connected(url, "watcher") as watcher:
                await watcher.ok(type="watch", room=room)
        async with connected(url, "host") as host:
            await host.create("open", "open")
    tokens = {client.welcome["player"]["name"]: client.token for client in (creator, joiner, watcher, host)}

    async with running_server(journal=journal) as url:
        for seated in (creator, joiner):
            async with connected(url, token=seated.token) as again:
                assert again.welcome["player"] == seated.welcome["player"]
                side = "first" if seated is creator else "second"
                assert (await again.ok(type="watch", room=room))["seat"] == side
        # A guest without a seat is not stored.
        for name in ("watcher", "host"):
            assert await token_refused(url, tokens[name]) == "bad_token"

    stored = bytes_in(tmp_path)
    for name, token in tokens.items():
        assert token.encode() not in stored
        assert (token_hash(token) in stored) == (name in ("creator", "joiner"))
