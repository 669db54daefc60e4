"""The contract of every journal for the games of one player, for each implementation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from noughts.journal import GameResult, Journal, PastGame
from support.journals import store
from support.writes import OVER, PLAYING, rating, result, write


def row(name: str, first: str | None, second: str | None, **more: Any) -> Any:
    return write(name, index=replace(PLAYING, listing=name.encode(), first=first, second=second, **more))


async def end(journal: Journal, *results: GameResult) -> None:
    for one in results:
        row = replace(OVER, public=one.public, listing=one.room.encode(), first=one.first, second=one.second)
        await store(journal, write(one.room, index=row, finished=one))


async def pages(journal: Journal, player: str, limit: int) -> list[list[str]]:
    """The rooms of all pages of unfinished games."""
    found: list[list[str]] = []
    while not found or found[-1]:
        after = found[-1][-1] if found else None
        found.append([room for room, _ in await journal.games.unfinished(player, after, limit)])
    return found[:-1]


async def test_a_players_unfinished_games_are_found_on_either_side_page_by_page(journal: Journal) -> None:
    await store(
        journal,
        row("a", "p-1", None, status="waiting"),
        row("b", "p-2", "p-1", public=False),
        row("c", "p-2", "p-3"),
        row("d", "p-1", "p-2"),
        row("e", "p-1", "p-1"),
        row("f", None, "p-1"),
    )
    assert await journal.games.unfinished("p-1", None, 2) == [("f", b"f"), ("e", b"e")]
    assert await pages(journal, "p-1", 2) == [["f", "e"], ["d", "b"], ["a"]]
    assert await pages(journal, "p-1", 9) == [["f", "e", "d", "b", "a"]], "a game against oneself is one game"
    assert await pages(journal, "p-3", 2) == [["c"]]
    assert await pages(journal, "p-4", 2) == []
    await store(journal, write("a", 2, index=replace(PLAYING, first="p-1", second="p-3", listing=b"joined")))
    await store(journal, write("e", 2, index=OVER), write("d", 2, index=None))
    assert await pages(journal, "p-1", 9) == [["f", "d", "b", "a"]], "a page goes by the opening, which never changes"
    assert await journal.games.unfinished("p-3", None, 9) == [("c", b"c"), ("a", b"joined")]
    opening = write("next", index=replace(PLAYING, first="p-1", second="p-2"))
    await store(journal, write("f", 2, index=OVER, opening=opening))
    assert await pages(journal, "p-2", 9) == [["next", "d", "c", "b"]]


async def test_a_players_finished_games_are_found_page_by_page(journal: Journal) -> None:
    games = [
        result("a", 10),
        result("b", 20, "p-3", "p-1"),
        result("d", 30, public=False, winner=None),
        result("c", 30, "p-2", "p-3"),
        result("e", 30, "p-1", "p-1"),
    ]
    await end(journal, *games)
    a, b, d, _, e = [PastGame(one, one.room.encode(), None, None) for one in games]
    finished = journal.games.finished
    assert await finished("p-1", None, 9) == [e, d, b, a]
    assert await finished("p-1", None, 2) == [e, d]
    assert await finished("p-1", "d", 2) == [b, a]
    assert await finished("p-1", "a", 2) == []
    assert await finished("p-4", None, 2) == []
    alone = result("alone", 1, "p-4")
    await journal.results.replace({"alone": alone})
    assert await finished("p-4", None, 2) == [PastGame(alone, None, None, None)]


async def test_a_finished_game_has_the_players_rating_after_and_before_it(journal: Journal) -> None:
    a, b, c = result("a", 10), result("b", 20, "p-3", "p-1"), result("c", 30, pool="rapid")
    await end(journal, a, b, c)
    assert await journal.results.rate([(a, rating(1, 1600, 1), rating(2, 1400, 1))])
    assert await journal.results.rate([(b, rating(3, 1450, 1), rating(1, 1580, 2))])
    assert await journal.results.rate([(c, rating(1, 1700, 1, pool="rapid"), rating(2, 1300, 1, pool="rapid"))])
    shown = [(one.result.room, one.rating, one.before) for one in await journal.games.finished("p-1", None, 9)]
    assert shown == [("c", 1700, None), ("b", 1580, 1600), ("a", 1600, None)]
    (second,) = [one for one in await journal.games.finished("p-2", None, 9) if one.result.room == "a"]
    assert (second.rating, second.before) == (1400, None)


async def test_the_games_under_way_of_several_players_are_found_on_either_side(journal: Journal) -> None:
    await store(
        journal,
        row("a", "p-1", None, status="waiting"),
        row("b", "p-2", "p-1", public=False),
        row("c", "p-3", "p-4"),
        row("d", "p-4", "p-2"),
    )
    await store(journal, write("d", 2, index=OVER))
    found = await journal.games.under_way(["p-1", "p-3"], 9)
    assert sorted((one.room, one.status, one.first, one.second, one.listing) for one in found) == [
        ("a", "waiting", "p-1", None, b"a"),
        ("b", "playing", "p-2", "p-1", b"b"),
        ("c", "playing", "p-3", "p-4", b"c"),
    ]
    assert len(await journal.games.under_way(["p-1", "p-3"], 2)) == 2
    assert await journal.games.under_way(["p-9"], 9) == []
