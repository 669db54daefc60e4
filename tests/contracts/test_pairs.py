"""Where players ask for rated games from, and which games they have with each other, in every kind of journal."""

from __future__ import annotations

from dataclasses import replace

from noughts.journal import Journal
from noughts.journal.pairs import MOST_ORIGINS, RENEWED_MS, Pairs
from support.journals import store
from support.writes import OVER, PLAYING, player, result, seek, write


async def test_a_player_has_several_origins(nodes: list[Journal]) -> None:
    here, there = nodes[0].pairs, nodes[-1].pairs
    await here.note("p-1", b"home")
    await there.note("p-2", b"home")
    await there.note("p-1", b"school")
    await here.note("p-1", b"home")
    assert await there.origins(["p-1", "p-2", "p-3"]) == {"p-1": {b"home", b"school"}, "p-2": {b"home"}}


async def test_the_newest_origins_of_a_player_are_kept(journal: Journal) -> None:
    names = [bytes([number]) for number in range(MOST_ORIGINS + 2)]
    await journal.pairs.note("p-2", names[0])
    for number, name in enumerate(names):
        await Pairs(journal.database, lambda at=number: at).note("p-1", name)  # type: ignore[attr-defined,misc]
    assert await journal.pairs.origins(["p-1", "p-2"]) == {"p-1": set(names[2:]), "p-2": {names[0]}}


async def test_an_origin_is_forgotten_unless_its_player_waits(journal: Journal) -> None:
    now = journal.now()

    def at(ms: int) -> Pairs:
        return Pairs(journal.database, lambda: now + ms)  # type: ignore[attr-defined]

    for number in (1, 2, 3, 4):
        await at(0).note(f"p-{number}", b"home")
    await at(RENEWED_MS).note("p-4", b"home")  # which is stored again
    await store(journal, write("room", index=replace(PLAYING, status="waiting", first="p-2")))
    await journal.people.add_guest(player(3))
    await journal.seeks.put(seek(3), now + 1_000_000)
    await journal.pairs.forget(now)
    assert len(await journal.pairs.origins(["p-1", "p-2", "p-3", "p-4"])) == 4
    await journal.pairs.forget(now + 1)
    assert (await journal.pairs.origins(["p-1", "p-2", "p-3", "p-4"])).keys() == {"p-2", "p-3", "p-4"}


async def test_the_games_of_a_pair(journal: Journal) -> None:
    rows = {
        "a": replace(PLAYING, first="p-1", second="p-2"),
        "b": replace(PLAYING, first="p-2", second="p-1"),
        "over": replace(OVER, first="p-1", second="p-2"),
        "waiting": replace(PLAYING, status="waiting", first="p-1"),
        "third": replace(PLAYING, first="p-1", second="p-3"),
        "computer": replace(PLAYING, second="p-1"),
    }
    await store(journal, *(write(room, index=replace(row, listing=room.encode())) for room, row in rows.items()))
    pairs = journal.pairs
    assert sorted(await pairs.playing("p-1", "p-2")) == sorted(await pairs.playing("p-2", "p-1")) == [b"a", b"b"]
    assert await pairs.playing("p-1", None) == [b"computer"]
    assert await pairs.playing("p-2", "p-3") == []


async def test_the_rated_games_of_a_pair(journal: Journal) -> None:
    results = [
        result("a", 10),
        result("b", 20, "p-2", "p-1"),
        result("casual", 20, pool=None),
        result("third", 20, "p-1", "p-3"),
        result("level", 20, "computer:easy", "p-1"),
    ]
    await store(journal, *(write(one.room, index=OVER, finished=one) for one in results))
    assert sorted(await journal.pairs.rated("p-1", "p-2", 9)) == ["a", "b"]
    assert await journal.pairs.rated("p-2", "p-1", 10) == ["b"]
    assert await journal.pairs.rated("p-1", "computer:easy", 0) == ["level"]
