"""Guests, their tokens, and what is kept of them."""

from __future__ import annotations

import re
from pathlib import Path

from websockets.asyncio.client import connect

from noughts.gateway.identity import find, new_id, room_id_for, token_hash, welcome
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
    player, token = await welcome(journal, "player-1", bot=True)
    other, other_token = await welcome(journal, None, bot=False)
    assert (player.name, player.kind) == ("player-1", "bot")
    assert other.name == f"guest-{other.id[2:6]}"
    assert await find(journal, token) == player
    assert await find(journal, other_token) == other
    assert await find(journal, token[:-1]) is None
    assert await find(journal, "") is None


async def test_the_same_player_again() -> None:
    async with running_server() as url, connected(url, "player-1", bot=True) as one:
        async with connected(url, "another-name", token=one.token) as again:
            # Who holds a token is its player, whatever the new hello says.
            assert again.welcome["player"] == one.welcome["player"]
            assert again.token == one.token
        assert await token_refused(url, one.token + "x") == "bad_token"
        assert await token_refused(url, "") == "bad_token"


async def test_a_token_is_good_after_a_restart(tmp_path: Path) -> None:
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
        for client, seat in ((creator, "first"), (joiner, "second"), (watcher, None), (host, None)):
            async with connected(url, token=client.token) as again:
                assert again.welcome["player"] == client.welcome["player"]
                assert (await again.ok(type="watch", room=room))["seat"] == seat

    stored = bytes_in(tmp_path)
    for token in tokens.values():
        assert token.encode() not in stored
        assert token_hash(token) in stored
