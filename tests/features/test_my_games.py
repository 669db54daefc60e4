"""A player's own games: found again after everything else is forgotten, page by page, at a limited cost."""

from __future__ import annotations

import asyncio

from noughts.features.my_games import PAGE
from noughts.protocol.contract import MESSAGES
from support.client import Client, Json, connected
from support.eventually import soon
from support.faulty import Faulty
from support.journals import MemoryJournal
from support.rated import rated_game, registered
from support.server import running_gateway, running_server

BLITZ = {"initial_s": 180, "increment_s": 2}


async def games(client: Client, **fields: object) -> Json:
    """A page, which must be a message of the protocol."""
    answer = await client.request(type="games", **fields)
    MESSAGES.validate_python(answer)
    assert answer["type"] == "games", answer
    return answer


async def test_a_player_finds_unfinished_games_again_from_a_token_alone() -> None:
    async with running_gateway(away_s=0.01) as node:
        async with connected(node.url, "ann") as ann, connected(node.url, "bob") as bob:
            waiting = await ann.create()
            mine = await bob.create(clock=BLITZ)
            await ann.join(mine)
            for client, turn, move in ((bob, 0, "1"), (ann, 1, "2"), (bob, 2, "3")):
                await client.play(mine, turn, move)
            theirs = await ann.create(private=True)
            await bob.join(theirs)
            await ann.play(theirs, 0, "5")
            aborted = await ann.create()
            await ann.ok(type="abort", room=aborted)
        await soon(lambda: not node.host.in_memory())
        async with connected(node.url, token=ann.token) as again:
            page = await games(again)
            assert [game["room"] for game in page["games"]] == [mine, theirs, waiting], "the player's move comes first"
            assert "more" not in page
            first, second, third = page["games"]
            assert (first["side"], first["to_move"], first["turn"], first["ply"]) == ("second", "second", 3, 3)
            assert first["clock"]["running"] == "second"
            assert first["clock"]["since"] <= page["now"]
            assert first["seats"]["first"]["name"] == "bob"
            assert first["options"] == {"private": False, "rated": False, "clock": BLITZ}
            assert (second["side"], second["to_move"], second["status"], second["clock"]) == (
                "first",
                "second",
                "playing",
                None,
            )
            assert (third["status"], third["to_move"]) == ("waiting", None)
            await again.quiet()
            assert not node.host.in_memory(), "a list has nobody watch a room"


async def test_a_game_that_ends_moves_from_one_list_to_the_other_with_its_rematch() -> None:
    async with (
        running_gateway() as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "bob") as bob,
        connected(node.url, "eve") as eve,
    ):
        room = await ann.create(private=True)
        await bob.join(room)
        await bob.ok(type="resign", room=room)
        (over,) = (await games(ann, over=True))["games"]
        assert (over["room"], over["side"], over["outcome"]["winner"]) == (room, "first", "first")
        assert (await games(ann))["games"] == []
        assert {"rating", "to_move", "next"} & over.keys() == set()
        await ann.ok(type="offer_rematch", room=room)
        await bob.ok(type="accept_rematch", room=room)
        (running,) = (await games(bob))["games"]
        assert (running["previous"], running["side"]) == (room, "first")
        assert (await games(bob, over=True))["games"][0]["next"] == running["room"]
        assert (await games(eve))["games"] == (await games(eve, over=True))["games"] == []


async def rated_games(client: Client, number: int) -> list[Json]:
    """The player's finished games, once this many are rated."""
    for _ in range(500):
        found: list[Json] = (await games(client, over=True))["games"]
        if sum("rating" in game for game in found) == number:
            return found
        await asyncio.sleep(0.02)
    raise AssertionError("the games were not rated")


async def test_a_rated_game_shows_how_it_changed_the_players_rating() -> None:
    async with running_server() as url, registered(url, url) as (one, other):
        await rated_game(one, other, "first")
        (won,) = await rated_games(one, 1)
        assert won["rating"] == {"before": None, "after": 1662}
        await rated_game(one, other, "second")
        lost, won = await rated_games(one, 2)
        assert won["rating"]["after"] == lost["rating"]["before"] == 1662
        assert lost["rating"]["after"] < 1662
        assert [game["rating"]["before"] for game in await rated_games(other, 2)] == [1338, None]


async def test_lists_are_read_page_by_page() -> None:
    async with running_gateway() as node, connected(node.url, "ann") as ann, connected(node.url, "bob") as bob:
        rooms = [await ann.create() for _ in range(2 * PAGE + 1)]
        found: list[list[str]] = []
        page: Json = {"more": None}
        while "more" in page:
            page = await games(ann, after=page["more"])
            found.append([game["room"] for game in page["games"]])
        assert [len(one) for one in found] == [PAGE, PAGE, 1]
        assert [room for one in found for room in one] == rooms[::-1]
        for room in rooms[: PAGE + 1]:
            await bob.join(room)
            await bob.ok(type="resign", room=room)
        first = await games(bob, over=True)
        second = await games(bob, over=True, after=first["more"])
        assert (len(first["games"]), len(second["games"]), "more" in second) == (PAGE, 1, False)


async def test_lists_cost_their_player_and_rooms_that_must_be_read_cost_more() -> None:
    async with running_gateway(answer_bytes_per_player=4096) as node:
        async with connected(node.url, "ann", games=False) as ann:
            for _ in range(3):
                await ann.create()
        await soon(lambda: not node.host.in_memory())
        async with connected(node.url, token=ann.token, games=False) as ann:
            cost = None
            for number in range(20):
                answer = await ann.request(type="games")
                if answer["type"] == "error":
                    assert (answer["code"], answer["retry_after_s"] > 0) == ("rate_limited", True)
                    break
                cost = number + 1
            assert cost is not None
            assert 3 < cost < 7, "80 KB at once, some 15 KB each"
            assert node.host.monitor.limited.keys() == {"answer_bytes_per_player"}
            async with connected(node.url, "bob") as bob:
                await games(bob)


async def test_without_the_journal_the_outcome_is_unknown() -> None:
    journal = MemoryJournal()
    async with running_gateway(journal) as node, connected(node.url) as one:
        Faulty(journal.games, "unfinished").faults = ["lost"]
        assert await one.refused(type="games") == "overloaded"
