"""Guests, their tokens, and what is kept of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from noughts.gateway.identity import find, new_id, reserved, room_id_for, token_hash, welcome
from noughts.journal import StoredPlayer
from support.client import connected, turned_away
from support.files import bytes_in
from support.journals import MemoryJournal
from support.server import running_server

SHAPE = re.compile("[a-z2-7]{13}")


def test_ids_cannot_be_guessed() -> None:
    ids = {new_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(SHAPE.fullmatch(each) for each in ids)
    # Every character of every place is met, so 13 * log2(32) = 65 bits are random.
    assert all(len({each[place] for each in ids}) == 32 for place in range(13))


def test_a_key_gives_its_player_the_same_room() -> None:
    room = room_id_for(b"secret", "p-1", "key")
    assert SHAPE.fullmatch(room)
    assert room == room_id_for(b"secret", "p-1", "key")
    others = [(b"secret", "p-1", "yek"), (b"secret", "p-2", "key"), (b"other", "p-1", "key"), (b"secret", "p-1", "")]
    assert len({room, *(room_id_for(*each) for each in others)}) == 5


def came(guest: tuple[StoredPlayer, str] | None) -> tuple[StoredPlayer, str]:
    assert guest is not None
    return guest


async def test_a_token_finds_its_guest() -> None:
    journal = MemoryJournal()
    player, token = came(await welcome(journal, "player-1", bot=True))
    other, other_token = came(await welcome(journal, None, bot=False))
    assert (player.name, player.kind) == ("player-1", "bot")
    assert other.name == f"guest-{other.id[2:6]}"
    assert await find(journal, token) == player
    assert await find(journal, other_token) == other
    assert await find(journal, token[:-1]) is None
    assert await find(journal, "") is None


async def test_nobody_comes_under_a_name_that_is_anothers() -> None:
    journal = MemoryJournal()
    player, _ = came(await welcome(journal, "player-1", bot=False))
    assert await welcome(journal, "player-1", bot=False) is not None
    assert await journal.people.register(player.id, "player-1")
    assert await welcome(journal, "PLAYER-1", bot=False) is None


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("minimax", True),
        ("Minimax", True),
        ("guest-abcd", True),
        ("GUEST-", True),
        ("minimax 2", True),
        ("Computer:best", True),
        ("computer\uff1aperfect", True),
        ("P-5xjaih7ioqcqi", True),
        ("guest", False),
        ("computer", False),
        ("player-1", False),
        ("mini max", False),
    ],
)
def test_names_that_look_like_the_computers_a_guests_or_an_id_are_reserved(name: str, kept: bool) -> None:
    assert reserved(name) is kept


@pytest.mark.parametrize("name", ["\u3164", "\u2800\u2800", "\u115f", "\u1160\ufe0f", "\uffa0", "\u034f"])
async def test_what_shows_nothing_is_no_name(name: str) -> None:
    async with running_server() as url, connected(url, "player-1") as one:
        assert await turned_away(url, name=name) == "bad_message"
        answer = await one.request(type="register", name=name)
        assert (answer["code"], answer["message"].partition(":")[0]) == ("bad_message", "name")
        assert (await one.ok(type="register"))["player"]["name"] == "player-1"


async def test_the_same_player_again() -> None:
    async with running_server() as url, connected(url, "player-1", bot=True) as one:
        async with connected(url, "another-name", token=one.token) as again:
            # Who holds a token is its player, whatever the new hello says.
            assert again.welcome["player"] == one.welcome["player"]
            assert again.token == one.token
        assert await turned_away(url, token=one.token + "x") == "bad_token"
        assert await turned_away(url, token="") == "bad_token"


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
