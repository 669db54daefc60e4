"""What every journal must do for games that are over, asked of each implementation."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noughts.journal import FOREVER, GameResult, Journal, StoredRating, Tally
from noughts.journal import results as limits
from support.journals import Opener, store
from support.writes import OVER, player, rating, result, write


@pytest.fixture(autouse=True)
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few games that become unrated are as many as very many."""
    monkeypatch.setattr(limits, "UNDONE", 2)


async def end(journal: Journal, *results: GameResult) -> None:
    """Store games that begin and end with one record, and have their room's id for a listing."""
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


async def test_games_come_in_the_order_of_their_ends_and_go_on_after_any_of_them(journal: Journal) -> None:
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


async def test_what_has_just_ended_is_listed_the_last_first(journal: Journal) -> None:
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


async def test_a_player_has_last_games_and_a_tally_of_those_that_are_public(journal: Journal) -> None:
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
    tally = journal.results.tally
    assert await tally("p-1", 99) == [Tally("connect4", 0, 0, 1), Tally("tictactoe", 2, 2, 3)]
    assert await tally("p-1", 4) == [Tally("connect4", 0, 0, 1), Tally("tictactoe", 0, 1, 2)]
    assert await tally("p-1", 2) == [Tally("tictactoe", 0, 1, 1)]
    assert await tally("p-4", 99) == []


async def test_ratings_are_made_of_one_game_after_another(journal: Journal) -> None:
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
    assert await results.before(a) == (None, None)
    assert not await results.rate(a, rating(1, 1600, 2), rating(2, 1400, 1)), "each has played one game here"
    assert not await results.rate(c, rating(1, 1600, 1), rating(2, 1400, 1)), "it has no pool"
    assert not await results.rate(result("x"), rating(1, 1600, 1), rating(2, 1400, 1)), "there is no such game"
    assert await results.unrated(9) == [a, b, d]
    assert await results.ratings(["p-1", "p-2"]) == []
    assert await results.rate(a, rating(1, 1600, 1), rating(2, 1400, 1))
    assert not await results.rate(a, rating(1, 1700, 2), rating(2, 1300, 2)), "once is enough"
    assert await results.unrated(9) == [b, d]
    assert await results.before(b) == (rating(2, 1400, 1), None)
    assert not await results.rate(b, rating(2, 1450, 1), rating(3, 1550, 1))
    assert await results.rate(b, rating(2, 1450, 2), rating(3, 1550, 1))
    assert await results.before(d) == (rating(1, 1600, 1), rating(3, 1550, 1))
    assert await results.rate(d, None, rating(3, 1500.125, 2))
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
    assert await results.before(a) == (None, None)
    assert await results.unrated(9) == [b, d]


async def test_a_game_that_comes_late_has_the_later_ones_rated_anew(journal: Journal) -> None:
    results = journal.results
    games = [result(room, 10 * number, "p-1", f"p-{number}") for number, room in enumerate("bcd", 2)]
    other = result("o", 99, "p-1", "p-2", pool="rapid")
    await end(journal, *games, other)
    assert await results.rate(other, rating(1, 1501, 1, pool="rapid"), rating(2, 1499, 1, pool="rapid"))
    for number, one in enumerate(games, 1):
        assert await results.rate(one, rating(1, 1500 + number, number), rating(number + 1, 1500 - number, 1))
    late = result("late", 25, "p-4", "p-1")
    await end(journal, late)
    assert not await results.rate(late, rating(4, 1600, 1), rating(1, 1400, 2)), "later ones are rated"
    assert await results.before(late) == (None, rating(1, 1501, 1))
    assert await results.unrated(9) == [late, *games[1:]]
    stored = await results.ratings([f"p-{number}" for number in range(1, 5)])
    assert {(one.player, one.pool): one.rating for one in stored} == {
        ("p-1", "blitz"): 1501,
        ("p-2", "blitz"): 1499,
        ("p-1", "rapid"): 1501,
        ("p-2", "rapid"): 1499,
    }
    assert await results.rating_history("p-1", "tictactoe", "blitz", 9) == [(20, 1501)]
    assert [one.player for one, *_ in await results.leaders("tictactoe", "blitz", 99, 9)] == ["p-1", "p-2"]
    assert await results.rate(late, rating(4, 1600, 1), rating(1, 1400, 2))
    assert await results.before(games[2]) == (rating(1, 1400, 2), rating(4, 1600, 1))
    assert await results.before(late) == (None, rating(1, 1501, 1)), "of itself nothing is taken back"
    assert await results.unrated(9) == games[1:]


async def test_the_best_are_told_with_their_names_but_not_who_is_banned_or_unsure(journal: Journal) -> None:
    results = journal.results
    for number in (1, 2, 3, 4, 5):
        await journal.people.add_guest(player(number))
    await journal.people.register("p-2", "Second")
    await journal.people.ban("p-3", FOREVER)
    await journal.people.ban("p-4", journal.now() - 1)
    ratings = {
        number: rating(number, 1500 + number, 1, deviation=200 if number == 5 else 50 + number)
        for number in range(1, 6)
    }
    for number, one in ratings.items():
        game = result(f"room-{number}", number, f"p-{number}", "computer:perfect")
        await end(journal, game)
        perfect = replace(rating(0, 1500 + number / 2, number, deviation=30), player="computer:perfect")
        assert await results.rate(game, one, perfect)
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


async def test_results_are_made_anew(journal: Journal) -> None:
    results = journal.results
    a, b = result("a", 10), result("b", 20)
    await end(journal, a, b)
    await store(journal, write("open"), write("c", index=OVER), write("d", index=OVER), write("d", 2, index=OVER))
    assert await results.over("", 9) == ["a", "b", "c", "d"]
    assert await results.over("a", 2) == ["b", "c"]
    assert await results.over("d", 9) == []
    assert await results.rate(a, rating(1, 1600, 1), rating(2, 1400, 1))
    await results.forget_all()
    assert await results.finished(private=True, limit=9) == await results.unrated(9) == []
    assert await results.ratings(["p-1", "p-2"]) == []
    assert await results.rating_history("p-1", "tictactoe", "blitz", 9) == []
    assert await results.leaders("tictactoe", "blitz", 99, 9) == []
    await results.put_anew([b, a])
    assert await results.rate(a, rating(1, 1600, 1), rating(2, 1400, 1))
    await results.put_anew([replace(a, winner="second"), b])
    await results.put_anew([])
    assert await results.finished(limit=9) == [a, b], "what is there stays as it is"
    assert await results.unrated(9) == [b]


Game = tuple[int, int, int, str | None]
"""When it ended, who played, and the pool."""

histories = st.lists(
    st.tuples(st.integers(0, 9), st.integers(1, 3), st.integers(4, 6), st.sampled_from(["blitz", "rapid", None])),
    max_size=14,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=histories, pace=st.integers(1, 4))
def test_in_whatever_order_games_come_their_ratings_are_those_of_the_order_of_their_ends(
    opened: Opener, history: list[Game], pace: int
) -> None:
    asyncio.run(rate_as_they_come(opened, history, pace))


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
        players = [f"p-{number}" for number in range(1, 7)]
        stored = {(one.player, one.pool): one for one in await journal.results.ratings(players)}
        expected: dict[tuple[str, str], StoredRating] = {}
        courses: dict[tuple[str, str], list[tuple[int, float]]] = {}
        for game in sorted(games, key=lambda one: (one.ended_at, one.room)):
            if game.pool is not None:
                for player_id in (game.first, game.second):
                    after = next_rating(game, player_id, expected.get((player_id, game.pool)))
                    expected[player_id, game.pool] = after
                    courses.setdefault((player_id, game.pool), []).append((game.ended_at, after.rating))
        assert stored == expected
        for player_id in players:
            for pool in ("blitz", "rapid"):
                course = await journal.results.rating_history(player_id, "tictactoe", pool, 99)
                assert course == courses.get((player_id, pool), [])


async def rate_all(journal: Journal) -> None:
    while unrated := await journal.results.unrated(2):
        for game in unrated:
            first, second = await journal.results.before(game)
            after = next_rating(game, game.first, first), next_rating(game, game.second, second)
            if not await journal.results.rate(game, *after):
                break  # another was quicker


def next_rating(game: GameResult, player_id: str, before: StoredRating | None) -> StoredRating:
    """Something that depends on each game before, and on their order."""
    value, games = (1500.0, 0) if before is None else (before.rating, before.games)
    assert game.pool is not None
    new = (value * 31 + int(game.room[-2:]) * 17 + game.ended_at) % 1009
    return StoredRating(player_id, game.game, game.pool, new, 60.0, 0.06, games + 1)


@pytest.mark.parametrize("late", [False, True])
async def test_servers_that_rate_at_once_rate_each_game_once(nodes: list[Journal], late: bool) -> None:
    games = [result(f"room-{n:02}", n, f"p-{n % 3}", f"p-{3 + n % 4}") for n in range(24)]
    await end(nodes[0], *games[1:] if late else games)

    async def and_one_comes_late() -> None:
        await asyncio.sleep(0.02)
        if late:
            await end(nodes[1], games[0])

    await asyncio.gather(*(rate_all(node) for node in [*nodes, *nodes]), and_one_comes_late())
    await rate_all(nodes[0])
    expected: dict[str, StoredRating] = {}
    for game in games:
        for player_id in (game.first, game.second):
            expected[player_id] = next_rating(game, player_id, expected.get(player_id))
    assert {one.player: one for one in await nodes[1].results.ratings(list(expected))} == expected


async def test_of_two_games_of_a_player_that_are_rated_at_once_one_must_be_looked_at_again(
    nodes: list[Journal],
) -> None:
    for number in range(12):
        early = result(f"early-{number}", number, f"p-{number}", "p-rival-1", game=f"game-{number}")
        late = result(f"late-{number}", number + 1, f"p-{number}", "p-rival-2", game=f"game-{number}")
        await end(nodes[0], early, late)
        games = (early, late) if number % 2 else (late, early)
        ratings = [StoredRating(f"p-{number}", one.game, "blitz", 1600, 60, 0.06, 1) for one in games]
        rate = (node.results.rate(one, new, None) for node, one, new in zip(nodes, games, ratings, strict=True))
        assert sum(await asyncio.gather(*rate)) == 1
        assert [one.games for one in await nodes[0].results.ratings([f"p-{number}"])] == [1]


async def test_a_game_that_is_rated_while_an_earlier_one_comes_is_to_be_rated_again(nodes: list[Journal]) -> None:
    for number in range(24):
        one, game = f"p-{number}", f"game-{number}"
        late, early, last = (result(f"{name}-{number}", at, one, game=game) for at, name in enumerate("abc"))
        await end(nodes[0], early, last, late)
        ratings = [StoredRating(one, game, "blitz", 1600, 60, 0.06, games) for games in (1, 2)]
        assert await nodes[0].results.rate(early, ratings[0], None)

        async def look(late: GameResult = late, delay: float = number % 6 / 2000) -> None:
            await asyncio.sleep(delay)
            assert await nodes[0].results.before(late) == (None, None)

        await asyncio.gather(nodes[1].results.rate(last, ratings[1], None), look())
        assert await nodes[1].results.ratings([one]) == []
        assert await nodes[1].results.rating_history(one, game, "blitz", 9) == []
        assert [found for found in await nodes[1].results.unrated(99) if found.game == game] == [late, early, last]
