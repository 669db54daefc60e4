"""The contract of every journal for puzzles, for each implementation."""

from __future__ import annotations

from noughts.journal import Journal, PuzzleSet
from noughts.journal.puzzles import DAY_MS
from support.writes import player


async def scored(journal: Journal, score: float, *, who: str = "p-1", game: str = "hex", puzzle: str = "a") -> bool:
    return await journal.puzzles.score(who, game, puzzle, score, (1000 + 100 * score, 90.0, 0.06))


async def test_only_the_first_score_counts(journal: Journal) -> None:
    puzzles = journal.puzzles
    assert await puzzles.one("p-1", "hex", "a") is None
    assert await scored(journal, 0)
    assert not await scored(journal, 1)
    found = await puzzles.one("p-1", "hex", "a")
    assert found is not None
    assert (found.score, found.rating, found.deviation, found.volatility, found.hinted) == (0, 1000, 90, 0.06, False)
    assert await puzzles.of("p-1") == [found]
    assert await puzzles.of("p-2") == []


async def test_a_hint_before_the_score_is_remembered_and_one_after_it_is_not(journal: Journal) -> None:
    puzzles = journal.puzzles
    await puzzles.hint("p-1", "hex", "a")
    await puzzles.hint("p-1", "hex", "a")
    hinted = await puzzles.one("p-1", "hex", "a")
    assert hinted is not None
    assert (hinted.hinted, hinted.score, hinted.rating) == (True, None, None)
    assert await puzzles.last("p-1", "hex") is None, "it has no score yet"
    assert await scored(journal, 0.5)
    await scored(journal, 1, puzzle="b")
    await puzzles.hint("p-1", "hex", "b")
    assert [(one.puzzle, one.hinted, one.score) for one in await puzzles.of("p-1")] == [
        ("a", True, 0.5),
        ("b", False, 1),
    ]


async def test_the_last_try_of_a_game_tells_the_rating(journal: Journal) -> None:
    await scored(journal, 0)
    await scored(journal, 1, puzzle="b")
    await scored(journal, 0.5, game="chess")
    last = await journal.puzzles.last("p-1", "hex")
    assert last is not None
    assert {last.puzzle, last.rating} <= {"a", "b", 1000, 1100}, "both may have the same time"
    other = await journal.puzzles.last("p-1", "chess")
    assert other is not None
    assert other.rating == 1050


async def test_the_days_are_those_on_which_one_was_solved(journal: Journal) -> None:
    assert await journal.puzzles.days("p-1") == []
    await scored(journal, 0)
    assert await journal.puzzles.days("p-1") == []
    await scored(journal, 0.5, puzzle="b")
    await scored(journal, 1, puzzle="c")
    assert await journal.puzzles.days("p-1") == [journal.now() // DAY_MS]


async def test_the_scores_of_a_guest_stay_with_the_player_who_registers(journal: Journal) -> None:
    for number in (1, 2):
        await journal.people.add_guest(player(number))
        await journal.puzzles.hint(f"p-{number}", "hex", "b")
    await scored(journal, 1)
    tried = await journal.puzzles.of("p-1")
    await journal.forget(journal.now() + 60_000)
    assert await journal.people.find("p-2") is None, "a hint alone keeps nobody"
    assert await journal.puzzles.of("p-2") == []
    assert await journal.people.register("p-1", "player-1")
    await journal.forget(journal.now() + 60_000)
    assert {one.puzzle for one in tried} == {"a", "b"}
    assert await journal.puzzles.of("p-1") == tried


async def test_a_set_is_kept_with_who_joined_it(journal: Journal) -> None:
    puzzles = journal.puzzles
    for number in (1, 2, 3):
        await journal.people.add_guest(player(number))
    assert await puzzles.put_set("s-1", "p-1", "Forks", ["hex/a", "chess/b"], 1)
    assert not await puzzles.put_set("s-2", "p-1", "More", ["hex/a"], 1), "it is one too many"
    found = await puzzles.find_set("s-1")
    assert found is not None
    assert found == PuzzleSet("s-1", "p-1", "Forks", ("hex/a", "chess/b"), found.made_at)
    assert await puzzles.sets_of("p-1") == [found]
    assert await puzzles.find_set("s-2") is None
    await puzzles.join("s-1", "p-2")
    await puzzles.join("s-1", "p-2")
    await puzzles.join("s-2", "p-2")
    assert [each.id for each in await puzzles.solvers("s-1", 9)] == ["p-2"]
    assert await puzzles.solvers("s-2", 9) == []
    await scored(journal, 1, who="p-2")
    await scored(journal, 1, who="p-3")
    assert [one.player for one in await puzzles.among(["p-2"], ["a", "b"])] == ["p-2"]
    assert not await puzzles.drop_set("s-1", "p-2"), "it is another's"
    assert [each.id for each in await puzzles.solvers("s-1", 9)] == ["p-2"]
    assert await puzzles.drop_set("s-1", "p-1")
    assert await puzzles.solvers("s-1", 9) == []


async def test_who_is_deleted_has_tried_nothing(journal: Journal) -> None:
    for number in (1, 2):
        await journal.people.add_guest(player(number))
    await scored(journal, 1, who="p-2")
    await journal.puzzles.put_set("s-2", "p-2", "Mine", ["hex/a"], 9)
    await journal.puzzles.put_set("s-1", "p-1", "Forks", ["hex/a"], 9)
    await journal.puzzles.join("s-1", "p-2")
    await journal.people.delete("p-2")
    assert await journal.puzzles.of("p-2") == []
    assert await journal.puzzles.sets_of("p-2") == []
    assert await journal.puzzles.solvers("s-1", 9) == []


async def test_the_puzzles_that_each_has_solved_are_counted(journal: Journal) -> None:
    for who, puzzle, score in (("p-1", "a", 1), ("p-1", "b", 0.5), ("p-1", "c", 0), ("p-2", "a", 1), ("p-3", "a", 1)):
        await scored(journal, score, who=who, puzzle=puzzle)
    assert await journal.puzzles.solved(["p-1", "p-2", "p-4"], None) == {"p-1": 2, "p-2": 1}
    assert await journal.puzzles.solved(["p-1", "p-2"], ["b", "c"]) == {"p-1": 1}
    assert await journal.puzzles.solved(["p-1"], []) == {}
