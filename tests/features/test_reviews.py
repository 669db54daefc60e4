"""Reviews over real sockets."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest

from noughts.engine import Analysis, Interrupt, Limits, Textbook
from noughts.features.reviews import Reviews
from noughts.games import GAMES
from noughts.journal import StoredReview
from noughts.protocol.contract import MESSAGES
from support import eventually
from support.client import Client, Json, connected
from support.server import running_gateway, running_server

BLUNDER = "1259734"
"""A game of tic-tac-toe that O loses by the second move; only 5 would have drawn."""


class Engine:
    """Notes each search of a review, and answers at once if ``at_once``."""

    def __init__(self, *, at_once: bool = False) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.waiting: list[asyncio.Future[Analysis]] = []
        self.at_once = at_once

    def review(self, game: str, moves: tuple[str, ...], address: str, player: str) -> asyncio.Future[Analysis]:
        assert game == "tictactoe"
        assert address
        assert player.startswith("p-")
        self.asked.append(moves)
        future: asyncio.Future[Analysis] = asyncio.get_running_loop().create_future()
        self.waiting.append(future)
        if self.at_once:
            self.answer()
        return future

    def answer(self) -> None:
        """Answer the search that waits."""
        position = GAMES["tictactoe"].start
        for move in self.asked[-1]:
            position = position.play(move)
        self.waiting[-1].set_result(Textbook(GAMES["tictactoe"]).analyse(position, Limits(), Interrupt()))

    async def requested(self, count: int) -> None:
        await eventually.soon(lambda: len(self.asked) >= count)


async def over(first: Client, second: Client, moves: str = BLUNDER, **options: Any) -> str:
    """A room whose game is over."""
    room = await first.create(**options)
    await second.join(room)
    for turn, move in enumerate(moves):
        assert (await (first, second)[turn % 2].play(room, turn, move))["type"] == "ok"
    for client in (first, second):
        client.pushed.clear()
    return room


async def reviewed(client: Client, room: str) -> tuple[Json, list[Json]]:
    """The answer to ``review``, and the moves in it and in what follows. All are messages of the protocol."""
    answer = await client.request(type="review", room=room)
    assert answer["type"] == "review", answer
    messages = [answer]
    while not messages[-1]["complete"]:
        messages.append(await client.push("reviewed"))
        assert messages[-1]["room"] == room
    for message in messages:
        MESSAGES.validate_python(message, strict=True)
    return messages[-1] | {"plies": answer["plies"]}, [move for message in messages for move in message["moves"]]


async def test_a_review_names_the_blunder_in_a_known_game_and_is_stored() -> None:
    async with running_server(review_s=60) as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        room = await over(ann, bob)
        last, moves = await reviewed(ann, room)
        assert [move["ply"] for move in moves] == [6, 5, 4, 3, 2, 1, 0], "from the last move to the first"
        moves.reverse()
        assert last["decisive"] == 1
        assert [move["move"] for move in moves] == list(BLUNDER)
        assert [move["mark"] for move in moves] == ["kept", "draw_thrown_away", *["kept"] * 5]
        blunder = moves[1]
        assert (blunder["side"], blunder["before"], blunder["after"]) == (
            "second",
            {"result": "draw", "expected": 0.5},
            {"result": "loss", "expected": 0.0},
        )
        better = blunder["better"]
        assert (better["move"], better["worth"]["value"], better["worth"]["exact"]) == ("5", 0, True)
        assert better["worth"]["line"][0] == "5"
        assert better["rows"][0] == ["x..", ".o.", "..."]
        assert len(better["rows"]) == len(better["worth"]["line"]) == 8
        again, same = await reviewed(bob, room)
        assert again["complete"]
        assert (again["decisive"], same, again["swing"]) == (1, moves, 0.1)


async def test_a_resignation_that_threw_something_away_is_named_also_when_stored() -> None:
    async with running_server(review_s=60) as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        room = await over(ann, bob, "124")
        await ann.ok(type="resign", room=room)
        for reader in (ann, bob):
            last, _ = await reviewed(reader, room)
            before = {"result": "win", "expected": 1.0}
            assert last["resignation"] == {"side": "first", "mark": "win_thrown_away", "before": before}
            assert last["decisive"] is None


async def test_a_rated_game_and_one_that_goes_on_are_reviewed_only_after_their_end() -> None:
    engine = Engine(at_once=True)
    async with (
        running_gateway(review=engine.review) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "bob") as bob,
    ):
        for client, name in ((ann, "ann"), (bob, "bob")):
            await client.ok(type="register", name=name)
        room = await over(ann, bob, "125", rated=True, clock={"initial_s": 60, "increment_s": 0})
        waiting = await ann.create()
        for unfinished in (room, waiting):
            answer = await bob.request(type="review", room=unfinished)
            assert (answer["code"], answer["message"]) == ("not_allowed", "A game can be reviewed when it is over.")
        assert await bob.refused(type="review", room="aaaaaaaaaaaaa") == "unknown_room"
        assert engine.asked == []
        await bob.ok(type="resign", room=room)
        last, moves = await reviewed(bob, room)
        assert (len(moves), last["decisive"]) == (3, 1)
        assert engine.asked[0] == ("1", "2", "5"), "the position in which somebody resigned is searched too"
        await ann.ok(type="abort", room=waiting)
        last, moves = await reviewed(ann, waiting)
        assert (moves, last["decisive"], last["plies"]) == ([], None, 0)


async def test_readers_share_a_review_which_ends_with_the_last_of_them() -> None:
    engine = Engine()
    async with (
        running_gateway(review=engine.review) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "bob") as bob,
    ):
        room = await over(ann, bob)
        assert not (await ann.request(type="review", room=room))["complete"]
        await engine.requested(1)
        engine.answer()
        await engine.requested(2)
        assert [move["ply"] for move in (await ann.push("reviewed"))["moves"]] == [6]
        late = await bob.request(type="review", room=room)
        assert [move["ply"] for move in late["moves"]] == [6], "what is known so far"
        assert len(engine.asked) == 2
        assert len(node.part(Reviews)) == 1
        await ann.ok(type="leave", room=room)
        assert not engine.waiting[-1].done()
        engine.answer()
        await engine.requested(3)
        assert (await bob.push("reviewed"))["moves"][0]["ply"] == 5
        await ann.quiet()
        await bob.socket.close()
        await eventually.soon(engine.waiting[-1].cancelled)
        assert len(node.part(Reviews)) == 0
        assert await node.host.journal.results.review(room) is None
        assert (await ann.request(type="review", room=room))["moves"] == [], "it begins again"


async def test_a_player_has_one_review_at_a_time_and_an_address_some() -> None:
    engine = Engine()
    async with (
        running_gateway(review=engine.review, reviews_per_address=2) as node,
        AsyncExitStack() as stack,
    ):
        ann, bob, eve = [await stack.enter_async_context(connected(node.url, name)) for name in ("ann", "bob", "eve")]
        rooms = [await over(ann, bob) for _ in range(3)]
        ann2 = await stack.enter_async_context(connected(node.url, None, token=ann.token))
        assert (await ann.request(type="review", room=rooms[0]))["type"] == "review"
        for client in (ann, ann2):
            refusal = await client.request(type="review", room=rooms[1])
            assert (refusal["code"], refusal["retry_after_s"] > 0) == ("rate_limited", True)
        assert (await ann2.request(type="review", room=rooms[0]))["type"] == "review", "the same one"
        assert (await bob.request(type="review", room=rooms[1]))["type"] == "review"
        assert (await eve.request(type="review", room=rooms[2]))["code"] == "rate_limited"
        assert (await eve.request(type="review", room=rooms[0]))["type"] == "review", "it is under way"
        limited = node.host.monitor.limited
        assert (limited["reviews_per_player"], limited["reviews_per_address"]) == (2, 1)
        await ann.ok(type="leave", room=rooms[0])
        assert await ann.refused(type="review", room=rooms[1]) == "rate_limited", "in another tab"
        await ann2.ok(type="leave", room=rooms[0])
        assert (await ann.request(type="review", room=rooms[1]))["type"] == "review"


@pytest.mark.parametrize(
    ("engine", "seconds", "again"), [("ours", 1.0, False), ("older", 9.0, True), ("ours", 0.5, True)]
)
async def test_a_stored_review_answers_at_once_unless_one_made_now_would_be_better(
    engine: str, seconds: float, again: bool
) -> None:
    search = Engine(at_once=True)
    async with (
        running_gateway(review=search.review, review_s=1) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "bob") as bob,
    ):
        room = await over(ann, bob)
        await reviewed(ann, room)
        results = node.host.journal.results
        stored = await results.review(room)
        assert stored is not None
        search.asked.clear()
        made_by = stored.engine if engine == "ours" else engine
        await results.put_review(StoredReview(room, made_by, seconds, stored.review))
        last, moves = await reviewed(bob, room)
        assert (last["decisive"], len(moves)) == (1, 7)
        assert bool(search.asked) is again


async def test_a_failed_search_ends_the_review_with_a_message(caplog: pytest.LogCaptureFixture) -> None:
    engine = Engine()
    async with (
        running_gateway(review=engine.review) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "bob") as bob,
    ):
        room = await over(ann, bob)
        await ann.request(type="review", room=room)
        await engine.requested(1)
        engine.waiting[0].set_exception(RuntimeError("broken"))
        message = await ann.push("reviewed")
        MESSAGES.validate_python(message, strict=True)
        assert (message["complete"], message["problem"]) == (False, "The review failed. It has been logged.")
        assert "a review failed" in caplog.text
        await eventually.soon(lambda: len(node.part(Reviews)) == 0)
        engine.at_once = True
        assert (await reviewed(ann, room))[0]["decisive"] == 1


async def test_what_is_stored_is_charged_to_a_reader() -> None:
    engine = Engine(at_once=True)
    async with (
        running_gateway(review=engine.review, daily_bytes_per_player=5_500) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "bob") as bob,
        connected(node.url, "eve") as eve,
    ):
        rooms = [await over(ann, bob) for _ in range(5)]
        codes = []
        for room in rooms:
            answer = await eve.request(type="review", room=room)
            codes.append(answer.get("code"))
            while not answer.get("complete", True):
                answer = await eve.push("reviewed")
        assert (codes[0], codes[-1]) == (None, "rate_limited")
        assert (await reviewed(eve, rooms[0]))[0]["complete"], "one that is stored takes no more room"


async def test_reviews_of_many_games_delay_no_move_of_others() -> None:
    """The only worker would be busy for ten minutes with each position of a review."""
    moves = ["h8", "a1", "i9", "b1"]
    async with running_server(search_workers=1, review_s=600) as url, AsyncExitStack() as stack:
        ann, bob, eve, quiet = [
            await stack.enter_async_context(connected(url, name)) for name in ("ann", "bob", "eve", "quiet")
        ]
        rooms = []
        for _ in range(3):
            room = (await ann.ok(type="create", game="gomoku"))["room"]
            await bob.ok(type="join", room=room)
            for turn, move in enumerate(moves):
                assert (await (ann, bob)[turn % 2].play(room, turn, move))["type"] == "ok"
            await ann.ok(type="resign", room=room)
            rooms.append(room)
        for client, room in zip((ann, bob, eve), rooms, strict=True):
            assert not (await client.request(type="review", room=room))["complete"]
        async with asyncio.timeout(20):
            room = await quiet.create(second="computer:easy")
            state: Json = {"turn": 0, "legal_moves": list("123456789"), "status": "playing"}
            while state["status"] == "playing":
                answer = await quiet.play(room, state["turn"], state["legal_moves"][0])
                assert answer["type"] == "ok", answer
                while (state := (await quiet.push("update"))["state"])["to_move"] == "second":
                    pass
        assert quiet.pushed == []
