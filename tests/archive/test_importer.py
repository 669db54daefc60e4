"""An imported game equals the exported one: records, room, hash and result."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from io import BytesIO
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.archive import Differs, Impossible, game_of, import_game
from noughts.bus import MemoryBus
from noughts.games import GAMES
from noughts.host import Done, Failed, Host
from noughts.journal import Append, Journal, StoredPlayer
from noughts.projection import index_row
from noughts.protocol.gamefile import RecordedGame, from_file, history, recorded, to_file
from noughts.protocol.records import to_record
from noughts.rooms import Command, NoChange, Open, Options, Play, Player, Refused, Resign, Room, evolve
from support.games import BEGINNING, keep, random_game, random_records, rematch, results_of
from support.journals import MemoryJournal, Opener
from support.rooms import decided


def seats(game: RecordedGame) -> tuple[Player | None, Player | None]:
    return game.room.first, game.room.second


def against(level: str, *, registered: bool = False) -> RecordedGame:
    """A game of tic-tac-toe against the computer; the room is named after the level."""
    player, computer = (
        Player("p-1", "player-1", "human", registered),
        Player(f"computer:{level}", "minimax", "computer"),
    )
    commands: list[Command] = [
        Open(level, "tictactoe", "p-1", player, computer, Options()),
        Play("p-1", 0, "1"),
        Play(computer.id, 1, "5"),
        Resign("p-1"),
    ]
    room, records = None, []
    for command in commands:
        event = decided(room, command, BEGINNING)
        assert not isinstance(event, NoChange)
        room = evolve(room, event)
        records.append(to_record(event))
    return recorded(records)


async def look_at(journal: Journal, room: str) -> Room:
    """The room as a host has it."""
    host = Host(journal, MemoryBus("node"))
    reply: asyncio.Future[Done | Refused | Failed] = asyncio.get_running_loop().create_future()
    host.submit(room, None, reply.set_result)
    done = await reply
    await host.close()
    assert isinstance(done, Done)
    return done.room


async def same_elsewhere(source: Journal, target: Journal, random: Random, room: str) -> None:
    played = random_game(random, room)
    game = await keep(source, [to_record(event) for event in played])
    following = rematch(played)
    file = to_file(await game_of(source, room))
    (read,) = from_file(BytesIO(file))
    assert await import_game(target, read)
    assert await target.read(room) == await source.read(room) == list(game.records)
    assert await results_of(target, room) == await results_of(source, room)
    assert to_file(await game_of(target, room)) == file
    assert (await game_of(target, room)).room == game.room == [after for _, after in history(game.records)][-1]
    if following is None:
        assert await look_at(target, room) == game.room
    assert not await import_game(target, read), "it is there already"
    assert await target.read(room) == list(game.records)
    assert await target.index.due(2**53, 10) == await target.index.attended() == await target.unleased(10) == []
    assert await target.index.public(9) == {}
    assert await target.index.lobby(None, 10) == []


async def test_a_game_is_the_same_in_another_journal(opened: Opener) -> None:
    async with opened() as source, opened() as target:
        for seed in range(5):
            await same_elsewhere(source, target, Random(seed), f"room-{seed}")


@pytest.mark.parametrize("examples", [15, pytest.param(200, marks=pytest.mark.slow)])
def test_any_game_is_the_same_in_another_journal(examples: int) -> None:
    @settings(max_examples=examples)
    @given(st.builds(Random, st.integers(0, 2**32)))
    def check(random: Random) -> None:
        asyncio.run(same_elsewhere(MemoryJournal(), MemoryJournal(), random, "room"))

    check()


async def test_a_room_with_another_game_is_not_changed(opened: Opener) -> None:
    async with opened() as journal:
        game = await keep(journal, random_records(Random(1)))
        other = recorded(random_records(Random(2)))
        with pytest.raises(Differs, match="another game"):
            await import_game(journal, other)
        assert await journal.read("room") == list(game.records)


async def test_a_game_from_the_future_is_refused() -> None:
    game = recorded(random_records(Random(1)))
    early, late = (MemoryJournal(clock=lambda now=game.room.at + past: now) for past in (-1, 0))  # type: ignore[misc]
    with pytest.raises(Impossible, match="not over yet"):
        await import_game(early, game)
    assert await early.read("room") == []
    assert await import_game(late, game)


async def test_a_game_against_an_unknown_level_is_refused() -> None:
    journal = MemoryJournal()
    for level, there in (("best", False), ("perfect", True)):
        game = against(level)
        if there:
            assert await import_game(journal, game)
            continue
        with pytest.raises(Impossible, match=f"level {level}"):
            await import_game(journal, game)
        assert await journal.read(level) == []


async def test_a_room_that_had_a_rematch_after_the_export_counts_as_imported() -> None:
    journal = MemoryJournal()
    game = await keep(journal, random_records(Random(1)))
    earlier = recorded(game.records[:-1])
    assert earlier.room.status == "over"
    assert not await import_game(journal, earlier)
    assert await journal.read("room") == list(game.records)


async def test_an_interrupted_import_can_be_finished(opened: Opener) -> None:
    game = recorded(random_records(Random(3), "room-0"))
    async with opened() as journal:
        for there in (1, 2, len(game.records) // 2, len(game.records) - 1):
            room = replace(game.room, id=f"room-{there}")
            renamed = [game.records[0].replace(b"room-0", room.id.encode()), *game.records[1:]]
            for number in range(there):
                assert await journal.append(Append(room.id, number + 1, renamed[number], index_row(room)))
            assert await import_game(journal, recorded(renamed))
            assert await journal.read(room.id) == renamed


async def test_an_import_does_not_end_a_running_game(monkeypatch: pytest.MonkeyPatch) -> None:
    journal = MemoryJournal()
    game = recorded(random_records(Random(1)))
    read = journal.read

    async def slow(room: str, since: int = 0) -> list[bytes]:
        there = await read(room, since)
        await journal.append(Append(room, 1, b"another", index_row(game.room)))
        return there

    monkeypatch.setattr(journal, "read", slow)
    with pytest.raises(Differs, match="it is changing"):
        await import_game(journal, game)
    assert await read("room") == [b"another"]


async def test_a_partly_imported_room_is_not_open_to_players() -> None:
    class Written(MemoryJournal):
        async def append(self, write: Append) -> bool:
            stored = await super().append(write)
            assert await self.index.due(2**53, 10) == await self.index.attended() == await self.unleased(10) == []
            assert await self.index.public(9) == {}
            return stored

    for seed in range(8):
        assert await import_game(Written(), recorded(random_records(Random(seed))))


async def test_new_players_have_no_token_and_stored_players_stay_as_they_are(opened: Opener) -> None:
    async with opened() as journal:
        known = StoredPlayer("p-1", "another name", "human", b"t" * 32)
        assert await journal.people.add_guest(known)
        assert await journal.people.register("p-1", "another name")
        played = (recorded(random_records(Random(seed))) for seed in range(100))
        file = next(game for game in played if {seat and seat.id for seat in seats(game)} == {"p-1", "p-bot"})
        assert await import_game(journal, file)
        assert await journal.people.find_by_token(b"t" * 32) == replace(known, registered=True)
        bot = await journal.people.find("p-bot")
        assert bot is not None
        assert (bot.name, bot.kind) == ("bot-1", "bot")
        assert await journal.tokens.of("p-bot") == []


@pytest.mark.parametrize("name", ["player-1", "PLAYER-1"])
async def test_new_players_keep_their_registered_name_if_it_is_free(name: str) -> None:
    journal = MemoryJournal()
    holder = StoredPlayer("p-there", name, "human", b"t" * 32)
    taken = name != "player-1"
    if taken:
        await journal.people.add_guest(holder)
        assert await journal.people.register(holder.id, name)
    await import_game(journal, against("easy", registered=True))
    player = await journal.people.find("p-1")
    assert player is not None
    assert player.registered is not taken
    assert await journal.people.find("player-1") == (replace(holder, registered=True) if taken else player)


@pytest.mark.parametrize("key", GAMES)
async def test_imported_games_are_rated_like_the_originals(key: str) -> None:
    source, target = MemoryJournal(), MemoryJournal()
    for seed in range(10):
        game = await keep(source, random_records(Random(seed), f"room-{seed}", key))
        await import_game(target, game)
    assert await target.results.unrated(100) == await source.results.unrated(100) != []
