"""Every query and every write of a journal, for tests that compare journals or check query plans."""

from __future__ import annotations

from noughts.journal import Journal
from support.writes import OVER, player, rating, result, seek, write


async def everything(journal: Journal) -> list[object]:
    """The results of every query."""
    return [
        [await journal.read(room) for room in "abc"],
        await journal.index.due(99, 99),
        await journal.games.unfinished("p-1", "a", 99),
        await journal.index.to_close(99),
        await journal.index.heads(["a", "b", "c"]),
        await journal.index.attended(),
        await journal.index.listings(["a", "unknown"]),
        await journal.unleased(99),
        await journal.lease("b", 1, "node-1", 0),
        await journal.index.public(99),
        await journal.index.unfinished(99),
        await journal.index.opener("b"),
        await journal.index.open_sleepers("p-1"),
        await journal.index.lobby(None, 99),
        await journal.index.lobby("tictactoe", 99),
        await journal.index.open_rooms("p-1"),
        await journal.outages(0),
        await journal.index.still_open(["a", "b", "c"]),
        await journal.index.remains("a"),
        await journal.bans.in_force(),
        await journal.talk.lines("a", "p-1", players=True),
        await journal.talk.muted("p-1"),
        await journal.talk.who_muted("p-1", ["p-2"]),
        await journal.talk.reports(99),
        await journal.webhooks.of("p-1"),
        await journal.webhooks.take(99, ["p-2"]),
        await journal.bans.changed(0, 99),
        [(token.hash, token.label) for token in await journal.tokens.of("p-2")],
        await journal.tokens.held(["p-1", "p-2"]),
        await journal.tokens.find_by_code(b"recovery"),
        await journal.tokens.recovery_made("p-3"),
        await journal.people.find_by_token(player(1).token_hash),
        await journal.people.find("player-2"),
        await journal.people.changed(0, ["p-1", "p-2"]),
        await journal.results.finished(private=True, limit=99),
        await journal.results.finished(player="p-1", limit=99),
        await journal.results.just_finished(None, 0, 99),
        await journal.results.last_of("p-1", 99),
        await journal.results.best_of("p-1", 99, 99),
        await journal.results.first_of("p-1"),
        await journal.results.tally("p-2", 99),
        await journal.results.unrated(99),
        await journal.results.ratings(["p-1", "p-2"]),
        await journal.results.leaders("tictactoe", "blitz", 99, 99),
        await journal.results.rating_history("p-1", "tictactoe", "blitz", 99),
        await journal.results.over("", 99),
        await journal.seeks.waiting("tictactoe", "terms", 5, 99),
        await journal.seeks.open(5, 99),
        await journal.seeks.find("p-1", 5),
        await journal.games.finished("p-1", None, 99),
        journal.secret,
    ]


async def use_all(journal: Journal) -> None:
    """Write everything that a journal can store."""
    people, tokens, results, seeks = journal.people, journal.tokens, journal.results, journal.seeks
    for number in (2, 3, 4):
        await people.add_guest(player(number))
    assert await people.register("p-2", "player-3")
    assert await tokens.renew("p-2", player(2).token_hash, b"new")
    await tokens.note_use(["p-2", "p-4"], [b"new", player(4).token_hash])
    assert await tokens.put_code("p-2", b"new", "recovery", b"recovery")
    assert await tokens.put_code("p-2", b"new", "join", b"join")
    assert await tokens.redeem(b"join", b"newer", "phone", 2)
    assert await tokens.redeem(b"recovery", b"newest", "tablet", 2)
    await tokens.end("p-2", b"newest", b"newer")
    await tokens.end_all("p-2", b"newest", b"newest")
    assert await tokens.reset("p-4", b"operator")
    assert await people.mute("p-2", 1)
    assert await people.ban("p-2", 1)
    await journal.bans.put("203.0.113.0/24", 2**53)
    await journal.bans.put("198.51.100.1/32", 2**53)
    assert await journal.bans.lift("198.51.100.1/32")
    for number in (2, 3):
        await seeks.put(seek(number), 2**60)
    await seeks.renew([("p-2", "key")], 2**60)
    assert await seeks.pair(seek(2), seek(3), write("paired"))
    assert not await seeks.withdraw("p-2")
    await journal.append(write("early", index=OVER, finished=result("early", 1)))
    assert await results.rate([(result("early", 1), rating(1, 1600, 1), rating(2, 1400, 1))])
    await results.replace({"early": result("early", 1), "gone": None})
    await results.clear_ratings()
    await journal.index.request_close("p-1")
    await journal.index.postpone("b", 1, 2**53)
    await journal.beat(0)
    await journal.strip(0, ["a"], 1, 9)
    await journal.forget(0)
