"""Games and ratings as versions stored them that knew no order of rating."""

from __future__ import annotations

from noughts.journal import Journal
from support.writes import rating

RATED_BEFORE = """
    INSERT INTO results (room, game, first, second, winner, reason, public, pool, ended_at, rated) VALUES
        ('b', 'tictactoe', 'p-1', 'p-2', 'first', 'line', TRUE, 'blitz', 20, TRUE),
        ('c', 'tictactoe', 'p-1', 'p-2', 'first', 'line', TRUE, 'blitz', 10, TRUE),
        ('d', 'tictactoe', 'p-1', 'p-2', 'first', 'line', TRUE, 'blitz', 15, FALSE),
        ('e', 'tictactoe', 'p-1', 'p-2', 'first', 'line', TRUE, NULL, 5, FALSE);
    INSERT INTO rated_until VALUES ('tictactoe', 'blitz', 20, 'b');
    INSERT INTO courses VALUES
        ('p-1', 'tictactoe', 'blitz', 10, 'c', 1550, 60, 0.06, 1),
        ('p-1', 'tictactoe', 'blitz', 20, 'b', 1600, 60, 0.06, 2);
    INSERT INTO ratings VALUES ('p-1', 'tictactoe', 'blitz', 1600, 60, 0.06, 2);
"""


async def keeps_ratings_and_order(journal: Journal) -> None:
    """Check that ``journal``, with ``RATED_BEFORE`` in its tables, keeps these ratings and their order."""
    results = journal.results
    assert await results.rating_history("p-1", "tictactoe", "blitz", 9) == [(10, 1550), (20, 1600)]
    assert [game.room for game in await results.unrated(9)] == ["d"]
    assert await results.rate([((await results.unrated(1))[0], rating(1, 1650, 3), None)])
    assert await results.unrated(9) == []
    await results.clear_ratings()
    assert [game.room for game in await results.unrated(9)] == ["c", "b", "d"]
