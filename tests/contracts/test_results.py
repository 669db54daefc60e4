"""The contract of every journal for finished games, for each implementation."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.journal import FOREVER, GameResult, Journal, StoredRating, StoredReview, Tally
from noughts.journal.results import Rated
from support.journals import Opener, store
from support.writes import OVER, player, rating, result, write


async def end(journal: Journal, *results: GameResult) -> None:
    """Store games of one record each; the listing is the id of the room."""
    for one in results:
        index = replace(OVER, game=one.game, public=one.public, listing=one.room.encode())
        await store(journal, write(one.room, index=index, finished=one))


async def test_a_result_is_stored_with_the_record_that_ends_the_game_or_not_at_all(journal: Journal) -> None:
    results = journal.results
    await store(journal, write("a"))
    assert await results.finished(private=True, limit=9) == []
    assert not await journal.append(write("a", 3, index=OVER, finished=result("a")))
    assert not await journal.append(write("b", 2, index=OVER, finished=result("b")))
    assert await results.finished(private=True, limit=9) == []
    full = GameResult("a", "reversi", "p-1", "computer:perfect", None, "count", False, None, 2**40)
    outcomes = await asyncio.gather(
        journal.append(write("b")), journal.append(write("a", 2, index=OVER, finished=full)), journal.append(write("c"))
    )
    assert all(outcomes)
    assert await results.finished(private=True, limit=9) == [full]
    await store(journal, write("a", 3, index=OVER))
    assert await results.finished(private=True, limit=9) == [full]


async def test_games_are_listed_by_their_ends_from_any_of_them_on(journal: Journal) -> None:
    games = [
        result("b", 10),
        result("a", 20, "p-3", "p-1"),
        result("c", 20, "p-2", "p-3", game="connect4"),
        result("e", 20, "p-1", "p-4", public=False, winner=None),
        result("d", 30, "p-4", "p-4"),
    ]
    await end(journal, *reversed(games))
    b, a, c, e, d = games
    finished = journal.results.finished
    assert await finished(private=True, limit=9) == games
    assert await finished(limit=9) == [b, a, c, d]
    assert await finished(limit=2) == [b, a]
    assert await finished(since=20, limit=9) == [a, c, d]
    assert await finished(since=21, private=True, limit=9) == [d]
    assert await finished(after=a, limit=9) == [c, d]
    assert await finished(after=c, private=True, limit=1) == [e]
    assert await finished(after=b, since=30, limit=9) == [d]
    assert await finished(after=d, since=10, limit=9) == []
    assert await finished(game="connect4", limit=9) == [c]
    assert await finished(player="p-1", limit=9) == [b, a]
    assert await finished(player="p-1", private=True, limit=9) == [b, a, e]
    assert await finished(player="p-1", private=True, after=a, limit=9) == [e]
    assert await finished(player="p-3", game="tictactoe", limit=9) == [a]
    assert await finished(player="p-4", limit=9) == [d], "a game against oneself is one game"
    assert await finished(player="p-5", limit=9) == []


async def test_the_games_of_several_players_are_found_once_each_the_last_first(journal: Journal) -> None:
    games = [
        result("b", 10, "p-1", "p-2"),
        result("a", 20, "p-3", "p-1", public=False),
        result("c", 20, "p-3", "p-4"),
        result("d", 30, "p-4", "p-2"),
    ]
    await end(journal, *games)
    b, a, _, d = games
    among = journal.results.among
    assert await among(["p-1", "p-2"], 0, 9) == [d, a, b]
    assert await among(["p-1", "p-2"], 20, 9) == [d, a]
    assert await among(["p-1", "p-2"], 0, 1) == [d]
    assert await among(["p-9"], 0, 9) == []


async def test_recently_finished_games_are_listed_the_last_first(journal: Journal) -> None:
    await end(
        journal, result("a", 10), result("b", 20, game="connect4"), result("c", 30, public=False), result("d", 40)
    )
    await store(journal, write("b", 2, index=replace(OVER, game="connect4", listing=b"b rematched")))
    just_finished = journal.results.just_finished
    assert await just_finished(None, 0, 9) == [b"d", b"b rematched", b"a"]
    assert await just_finished(None, 0, 2) == [b"d", b"b rematched"]
    assert await just_finished(None, 10, 9) == [b"d", b"b rematched"]
    assert await just_finished("connect4", 0, 9) == [b"b rematched"]
    assert await just_finished("tictactoe", 40, 9) == []


async def test_a_players_last_games_and_tally_count_public_games_only(journal: Journal) -> None:
    games = [
        result("a", 10),
        result("b", 20, "p-3", "p-1"),
        result("c", 30, winner=None),
        result("d", 40, "p-3", "p-1", winner="second"),
        result("e", 50, public=False),
        result("f", 60, game="connect4", winner="second"),
        result("g", 70, "p-1", "p-1"),
        result("h", 80, "p-1", "p-1", winner="second"),
        result("i", 90, "p-1", "p-1", winner=None),
        result("j", 95, "p-2", "p-3"),
    ]
    await end(journal, *games)
    a, b, c, d, _, f, g, h, i, _ = games
    public = [(one, one.room.encode()) for one in (i, h, g, f, d, c, b, a)]
    assert await journal.results.last_of("p-1", 99) == public
    assert await journal.results.last_of("p-1", 3) == public[:3]
    assert await journal.results.last_of("p-4", 3) == []
    assert await journal.results.first_of("p-1") == min(result.ended_at for result, _ in public)
    assert await journal.results.first_of("p-4") is None
    tally = journal.results.tally
    assert await tally("p-1", 99) == [Tally("connect4", 0, 0, 1), Tally("tictactoe", 2, 2, 3)]
    assert await tally("p-1", 4) == [Tally("connect4", 0, 0, 1), Tally("tictactoe", 0, 1, 2)]
    assert await tally("p-1", 2) == [Tally("tictactoe", 0, 1, 1)]
    assert await tally("p-4", 99) == []


async def test_the_best_wins_are_those_over_the_strongest_by_their_ratings_before(journal: Journal) -> None:
    rated = [
        (result("a", 10, "p-2", "p-3"), rating(2, 1650, 1), rating(3, 1400, 1)),
        (result("b", 20, "p-1", "p-3"), rating(1, 1550, 1), rating(3, 1350, 2)),
        (result("c", 30, "p-2", "p-1", winner="second"), rating(2, 1500, 2), rating(1, 1600, 2)),
        (result("d", 40, "p-1", "p-2", winner="second"), rating(1, 1500, 3), rating(2, 1700, 3)),
        (result("e", 50, "p-1", "p-2", public=False), rating(1, 1550, 4), rating(2, 1690, 4)),
        (result("f", 60, "p-1", "p-4"), rating(1, 1560, 5), rating(4, 1450, 1)),  # who had no rating before
        (result("h", 80, "p-1", "p-2"), rating(1, 1580, 6), rating(2, 1630, 5)),  # a better win over the same
    ]
    await end(journal, *(one for one, _, _ in rated), result("g", 70, "p-1", "p-2", pool=None))
    for game in rated:
        assert await journal.results.rate([game])
    b, d, h = (rated[place][0] for place in (1, 3, 6))
    best = journal.results.best_of
    assert await best("p-1", 9, 9) == [(h, 1690), (b, 1400)], "each opponent once"
    assert await best("p-1", 9, 1) == [(h, 1690)]
    assert await best("p-2", 3, 9) == [(d, 1600)], "among the last games on either side"
    assert await best("p-3", 9, 9) == []


async def test_games_are_rated_one_after_another(journal: Journal) -> None:
    results = journal.results
    a, b, c, d = (
        result("a", 10),
        result("b", 20, "p-2", "p-3"),
        result("c", 20, pool=None),
        result("d", 30, "p-1", "p-3"),
    )
    await end(journal, d, c, b, a)
    assert await results.unrated(9) == [a, b, d]
    assert await results.unrated(2) == [a, b]
    assert not await results.rate([(a, rating(1, 1600, 2), rating(2, 1400, 1))]), "each has played one game here"
    assert not await results.rate([(c, rating(1, 1600, 1), rating(2, 1400, 1))]), "it has no pool"
    assert not await results.rate([(result("x"), rating(1, 1600, 1), rating(2, 1400, 1))]), "there is no such game"
    assert await results.unrated(9) == [a, b, d]
    assert await results.ratings(["p-1", "p-2"]) == []
    assert await results.rate([(a, rating(1, 1600, 1), rating(2, 1400, 1))])
    assert not await results.rate([(a, rating(1, 1700, 2), rating(2, 1300, 2))]), "it is rated already"
    assert await results.unrated(9) == [b, d]
    assert not await results.rate([(b, rating(2, 1450, 1), rating(3, 1550, 1))])
    assert await results.rate([(b, rating(2, 1450, 2), rating(3, 1550, 1))])
    assert await results.rate([(d, None, rating(3, 1500.125, 2))])
    assert await results.unrated(9) == []
    stored = await results.ratings(["p-1", "p-2", "p-3", "p-4"])
    assert {one.player: one for one in stored} == {
        "p-1": rating(1, 1600, 1),
        "p-2": rating(2, 1450, 2),
        "p-3": rating(3, 1500.125, 2),
    }
    assert await results.rating_history("p-2", "tictactoe", "blitz", 9) == [(10, 1400), (20, 1450)]
    assert await results.rating_history("p-2", "tictactoe", "blitz", 1) == [(20, 1450)]
    assert await results.rating_history("p-2", "tictactoe", "rapid", 9) == []


async def test_cleared_ratings_are_made_again_in_the_order_in_which_they_were_made(journal: Journal) -> None:
    results = journal.results
    early, late, new = result("early", 10), result("late", 20, "p-1", "p-3"), result("new", 5, "p-1", "p-4")
    await end(journal, late)
    assert await results.rate([(late, rating(1, 1501, 1), rating(3, 1499, 1))])
    await end(journal, early)
    assert await results.unrated(9) == [early]
    assert await results.rate([(early, rating(1, 1502, 2), rating(2, 1498, 1))])
    assert await results.rating_history("p-1", "tictactoe", "blitz", 9) == [(20, 1501), (10, 1502)]
    await end(journal, new)
    await results.clear_ratings()
    assert await results.ratings(["p-1", "p-2", "p-3"]) == []
    assert await results.rating_history("p-1", "tictactoe", "blitz", 9) == []
    assert await results.leaders("tictactoe", "blitz", 99, 9) == []
    assert await results.unrated(9) == [late, early]
    assert not await results.rate([(new, rating(1, 1503, 1), rating(4, 1497, 1))]), "the others come first"
    assert not await results.rate([(early, rating(1, 1502, 1), rating(2, 1498, 1))]), "late comes first"
    assert await results.rate([(late, rating(1, 1501, 1), rating(3, 1499, 1))])
    assert not await results.rate([(late, rating(1, 1501, 2), rating(3, 1499, 2))]), "it is rated already"
    assert await results.unrated(9) == [early]
    assert await results.rate([(early, rating(1, 1502, 2), rating(2, 1498, 1))])
    assert await results.unrated(9) == [new]
    assert await results.rate([(new, rating(1, 1503, 3), rating(4, 1497, 1))])
    assert await results.rating_history("p-1", "tictactoe", "blitz", 9) == [(20, 1501), (10, 1502), (5, 1503)]


async def test_games_that_are_rated_together_are_rated_in_their_order_or_not_at_all(journal: Journal) -> None:
    results = journal.results
    a, b, c = result("a", 10), result("b", 20, "p-2", "p-3"), result("c", 30, "p-1", "p-3")
    first: Rated = (a, rating(1, 1600, 1), rating(2, 1400, 1))
    second: Rated = (b, rating(2, 1450, 2), rating(3, 1550, 1))
    third: Rated = (c, rating(1, 1610, 2), rating(3, 1540, 2))
    await end(journal, a, b, c)
    wrong: list[list[Rated]] = [
        [first, (b, rating(2, 1450, 3), None)],
        [second, first],
        [first, first],
        [first, (result("x"), None, None)],
        [first, third, (b, None, None), (c, None, None)],
    ]
    for each in wrong:
        assert not await results.rate(each)
        assert await results.ratings(["p-1", "p-2", "p-3"]) == []
    assert await results.rate([first, second])
    assert not await results.rate([second, third]), "one of them is rated already"
    assert await results.rate([third])

    async def check() -> None:
        history = results.rating_history
        assert await history("p-1", "tictactoe", "blitz", 9) == [(10, 1600), (30, 1610)]
        assert await history("p-2", "tictactoe", "blitz", 9) == [(10, 1400), (20, 1450)]
        assert await history("p-3", "tictactoe", "blitz", 9) == [(20, 1550), (30, 1540)]
        assert sorted(one.games for one in await results.ratings(["p-1", "p-2", "p-3"])) == [2, 2, 2]

    await check()
    await end(journal, d := result("d", 5, "p-4", "p-5"))
    await results.clear_ratings()
    assert not await results.rate([first, third]), "the second is to be rated again before it"
    assert await results.rate([first, second, third, (d, rating(4, 1500, 1), rating(5, 1500, 1))])
    await check()
    assert await results.unrated(9) == []


async def test_leaders_have_names_and_exclude_banned_and_provisional_players_and_pairs(
    journal: Journal,
) -> None:
    results = journal.results
    for number in (1, 2, 3, 4, 5, 6):
        await journal.people.add_guest(player(number))
    await journal.people.register("p-2", "Second")
    await journal.people.ban("p-3", FOREVER)
    await journal.people.ban("p-4", journal.now() - 1)
    ratings = {
        number: rating(number, 1500 + number, 1, deviation=200 if number == 5 else 50 + number % 6)
        for number in range(1, 7)
    }
    for number, one in ratings.items():
        game = result(f"room-{number}", number, f"p-{number}", "computer:perfect")
        opponent = "computer:perfect" if number == 6 else "computer:easy"
        other = result(f"other-{number}", number, opponent, f"p-{number}")
        await end(journal, game, other)
        perfect = replace(rating(0, 1500 + number / 2, number, deviation=30), player="computer:perfect")
        assert await results.rate([(game, one, perfect)])
    best = [
        (ratings[4], "player-4", "human", False),
        (perfect, "computer:perfect", "computer", False),
        (ratings[2], "Second", "human", True),
        (ratings[1], "player-1", "human", False),
    ]
    assert await results.leaders("tictactoe", "blitz", 54, 9) == best
    assert await results.leaders("tictactoe", "blitz", 54, 2) == best[:2]
    assert await results.leaders("tictactoe", "blitz", 53, 9) == best[1:]
    assert await results.leaders("tictactoe", "rapid", 99, 9) == await results.leaders("reversi", "blitz", 99, 9) == []


async def test_results_are_replaced(journal: Journal) -> None:
    results = journal.results
    a, b = result("a", 10), result("b", 20)
    await end(journal, a, b)
    await store(journal, write("open"), write("c", index=OVER), write("d", index=OVER), write("d", 2, index=OVER))
    assert await results.over("", 9) == ["a", "b", "c", "d"]
    assert await results.over("a", 2) == ["b", "c"]
    assert await results.over("d", 9) == []
    assert await results.rate([(a, rating(1, 1600, 1), rating(2, 1400, 1))])
    corrected, c = replace(a, winner="second"), result("c", 5)
    await results.replace({"a": corrected, "b": None, "c": c, "d": None})
    await results.replace({})
    assert await results.finished(limit=9) == [c, corrected]
    assert await results.unrated(9) == [c], "a game keeps its place in the order of rating"
    await results.clear_ratings()
    assert await results.unrated(9) == [corrected]
    await results.replace({"a": replace(a, pool=None)})
    assert await results.unrated(9) == [c]


Game = tuple[int, int, int, str | None]
"""When it ended, who played, and the pool."""

histories = st.lists(
    st.tuples(st.integers(0, 9), st.integers(1, 3), st.integers(4, 6), st.sampled_from(["blitz", "rapid", None])),
    max_size=14,
)


def next_rating(game: GameResult, player_id: str, before: StoredRating | None) -> StoredRating:
    """A rating that depends on all earlier games and their order."""
    value, games = (1500.0, 0) if before is None else (before.rating, before.games)
    assert game.pool is not None
    new = (value * 31 + int(game.room[-2:]) * 17 + game.ended_at) % 1009
    return StoredRating(player_id, game.game, game.pool, new, 60.0, 0.06, games + 1)


async def rate_all(journal: Journal) -> None:
    while unrated := await journal.results.unrated(2):
        for game in unrated:
            ratings = await journal.results.ratings([game.first, game.second])
            before = {one.player: one for one in ratings if one.pool == game.pool}
            one, other = (next_rating(game, each, before.get(each)) for each in (game.first, game.second))
            if not await journal.results.rate([(game, one, other)]):
                break  # another was quicker


async def rated(journal: Journal) -> tuple[dict[tuple[str, str], StoredRating], list[list[tuple[int, float]]]]:
    """All ratings and rating histories of players p-0 to p-6."""
    players = [f"p-{number}" for number in range(7)]
    ratings = {(one.player, one.pool): one for one in await journal.results.ratings(players)}
    histories = [
        await journal.results.rating_history(player_id, "tictactoe", pool, 99)
        for player_id in players
        for pool in ("blitz", "rapid")
    ]
    return ratings, histories


@pytest.mark.parametrize(
    "examples", [8, pytest.param(100, marks=pytest.mark.slow)], ids=lambda number: f"{number} examples"
)
def test_rating_games_again_gives_the_same_ratings_in_any_order(opened: Opener, examples: int) -> None:
    @settings(max_examples=examples)
    @given(history=histories, pace=st.integers(1, 4))
    def check(history: list[Game], pace: int) -> None:
        asyncio.run(rate_as_they_come(opened, history, pace))

    check()


async def rate_as_they_come(opened: Opener, history: list[Game], pace: int) -> None:
    games = [
        result(f"room-{number:02}", ended_at, f"p-{one}", f"p-{other}", pool=pool)
        for number, (ended_at, one, other, pool) in enumerate(history)
    ]
    async with opened() as journal:
        for number, game in enumerate(games, 1):
            await end(journal, game)
            if number % pace == 0:
                await rate_all(journal)
        await rate_all(journal)
        before = ratings, histories = await rated(journal)
        counted = Counter((player, one.pool) for one in games if one.pool for player in (one.first, one.second))
        assert {key: one.games for key, one in ratings.items()} == counted
        assert sum(map(len, histories)) == counted.total()
        await journal.results.clear_ratings()
        await rate_all(journal)
        assert await rated(journal) == before


async def test_servers_that_rate_at_once_rate_each_game_once(nodes: list[Journal]) -> None:
    games = [result(f"room-{n:02}", n, f"p-{n % 3}", f"p-{3 + n % 4}") for n in range(24)]
    await end(nodes[0], *games[1:])

    async def and_one_comes_late() -> None:
        await asyncio.sleep(0.02)
        await end(nodes[1], games[0])

    await asyncio.gather(*(rate_all(node) for node in [*nodes, *nodes]), and_one_comes_late())
    await rate_all(nodes[0])
    before = ratings, _ = await rated(nodes[1])
    assert sum(one.games for one in ratings.values()) == 48
    await nodes[0].results.clear_ratings()
    await asyncio.gather(*(rate_all(node) for node in [*nodes, *nodes]))
    await rate_all(nodes[0])
    assert await rated(nodes[1]) == before


async def test_one_of_two_games_of_a_player_that_are_rated_at_once_is_retried(nodes: list[Journal]) -> None:
    for number in range(12):
        early = result(f"early-{number}", number, f"p-{number}", "p-rival-1", game=f"game-{number}")
        late = result(f"late-{number}", number + 1, f"p-{number}", "p-rival-2", game=f"game-{number}")
        await end(nodes[0], early, late)
        games = (early, late) if number % 2 else (late, early)
        ratings = [StoredRating(f"p-{number}", one.game, "blitz", 1600, 60, 0.06, 1) for one in games]
        rate = (node.results.rate([(one, new, None)]) for node, one, new in zip(nodes, games, ratings, strict=True))
        assert sum(await asyncio.gather(*rate)) == 1
        assert [one.games for one in await nodes[0].results.ratings([f"p-{number}"])] == [1]


async def test_a_review_is_kept_until_another_replaces_it(journal: Journal) -> None:
    await end(journal, result("a"), result("b"))
    results = journal.results
    assert await results.review("a") is None
    first = StoredReview("a", "noughts 1", 0.5, b"\x00{}")
    await results.put_review(first)
    assert await results.review("a") == first
    second = StoredReview("a", "noughts 2", 2.0, b"{}" * 100_000)
    await asyncio.gather(results.put_review(second), results.put_review(replace(second, room="b")))
    assert await results.review("a") == second
    assert await results.review("b") == replace(second, room="b")
    assert await results.review("c") is None
    assert await results.reviewed(["a", "b", "c"]) == {"a", "b"}
    assert await results.reviewed([]) == set()
