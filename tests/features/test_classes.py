"""Classes over real connections: names that students take, what their teacher sees, and the simul."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from features.test_puzzles import PUZZLE
from noughts.bus import Hub, MemoryBus
from noughts.features.class_watch import ClassWatch
from noughts.protocol.class_requests import NAMES
from noughts.protocol.contract import MESSAGES
from support.client import Client, Json, connected
from support.eventually import soon
from support.journals import MemoryJournal
from support.server import QUICK, running_gateway, running_server
from support.subscriber import FakeSubscriber

FAST = replace(QUICK, classes_s=0.05)
NEVER = {"puzzles": 0}


async def asked(client: Client, kind: str, **what: Any) -> Json:
    """The answer to a request, which must be a message of the protocol."""
    answer = await client.request(type=kind, **what)
    assert answer["type"] != "error", answer
    MESSAGES.validate_python(answer, strict=True)
    return answer


@asynccontextmanager
async def people(url: str, *names: str, **hello: Any) -> AsyncIterator[list[Client]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(connected(url, name, **hello)) for name in names]


@asynccontextmanager
async def taught(url: str, *names: str) -> AsyncIterator[tuple[Client, str]]:
    """A teacher with a class of these names: the teacher's client, and the id of the class."""
    async with connected(url, "tea") as tea:
        await tea.ok(type="register")
        made = await asked(tea, "make_class", title="Class B", names=list(names))
        yield tea, made["listing"]["class_id"]


def student(shown: Json, name: str) -> Json:
    row: Json = next(one for one in shown["students"] if one["name"] == name)
    return row


async def until(tea: Client, name: str, is_so: Callable[[Json], bool], of: str) -> Json:
    """The push about a student, once something is so."""
    async with asyncio.timeout(10):
        while True:
            pushed = await tea.push()
            if pushed["type"] not in ("class", "class_changes"):
                continue
            MESSAGES.validate_python(pushed, strict=True)
            rows: list[Json] = pushed["students"]
            for row in rows:
                if row["name"] == of and is_so(row):
                    assert pushed.get("class_id", name) == name
                    return row


async def test_students_take_names_by_the_link_and_only_the_teacher_sees_who_they_are() -> None:
    async with running_server() as url, taught(url, "Ada", "Ben") as (tea, name), people(url, "x", "y") as (ada, ben):
        seen = await asked(ada, "class", class_id=name)
        assert seen["free"] == ["Ada", "Ben"]
        assert "students" not in seen
        joined = await asked(ada, "join_class", class_id=name, name="ada")
        assert joined["listing"]["name"] == "Ada", "as it stands in the class"
        assert "free" not in joined, "whoever has a name needs no other"
        assert (await asked(ben, "class", class_id=name))["free"] == ["Ben"]
        assert await ben.refused(type="join_class", class_id=name, name="Ada") == "name_taken"
        assert await ada.refused(type="join_class", class_id=name, name="Ben") == "not_allowed"
        assert await ben.refused(type="join_class", class_id=name, name="Eve") == "unknown_class"
        again = await asked(ada, "join_class", class_id=name, name="Ada")
        assert again["listing"]["name"] == "Ada", "a repeated request changes nothing"
        shown = await asked(tea, "class", class_id=name)
        assert student(shown, "Ada")["person"]["player"]["name"] == "x", "in games students keep names of their own"
        assert student(shown, "Ada")["person"]["here"]
        assert student(shown, "Ben") == {"name": "Ben", **NEVER}
        assert [one["title"] for one in (await asked(ada, "classes"))["classes"]] == ["Class B"]
        assert (await asked(ben, "classes"))["classes"] == []


async def test_a_name_that_is_freed_goes_on_with_its_results() -> None:
    async with (
        running_server() as url,
        taught(url, "Ada") as (tea, name),
        people(url, "x", "y", "z") as (old, new, ben),
    ):
        await asked(old, "join_class", class_id=name, name="Ada")
        room = await old.create()
        await ben.join(room)
        for turn, move in enumerate("14253"):
            await (ben if turn % 2 else old).play(room, turn, move)
        assert await ben.refused(type="leave_class", class_id=name, name="Ada") == "not_allowed"
        assert await ben.refused(type="leave_class", class_id=name) == "not_allowed"
        await tea.ok(type="leave_class", class_id=name, name="Ada")
        gone = student(await asked(tea, "class", class_id=name), "Ada")["person"]
        assert "player" not in gone
        await asked(new, "join_class", class_id=name, name="Ada")
        now = student(await asked(tea, "class", class_id=name), "Ada")["person"]
        assert (now["player"]["name"], now["won"], now["form"]) == ("y", 1, "1")
        games = (await asked(tea, "class_games", class_id=name, name="Ada"))["games"]
        assert [(one["room"], one["result"], one["opponent"]) for one in games] == [(room, "won", ben.id)]
        await new.ok(type="leave_class", class_id=name)
        assert (await asked(ben, "class", class_id=name))["free"] == ["Ada"]


async def test_private_games_with_others_are_not_the_teachers_business() -> None:
    async with running_server() as url, taught(url, "Ada") as (tea, name), people(url, "x", "y") as (ada, ben):
        await asked(ada, "join_class", class_id=name, name="Ada")
        room = await ada.create(private=True)
        await ben.join(room)
        assert student(await asked(tea, "class", class_id=name), "Ada")["person"]["games"] == []
        for turn, move in enumerate("14253"):
            await (ben if turn % 2 else ada).play(room, turn, move)
        shown = student(await asked(tea, "class", class_id=name), "Ada")["person"]
        assert (shown["won"], shown["form"]) == (0, "")
        assert (await asked(tea, "class_games", class_id=name, name="Ada"))["games"] == []


async def test_the_teacher_who_watches_hears_who_comes_plays_and_goes() -> None:
    async with running_server(timing=FAST) as url, taught(url, "Ada", "Ben") as (tea, name):
        await asked(tea, "class", class_id=name, watch=True)
        async with people(url, "x", "y") as (ada, ben):
            await asked(ada, "join_class", class_id=name, name="Ada")
            await until(tea, name, lambda row: row.get("person", {}).get("here", False), "Ada")
            await asked(ben, "join_class", class_id=name, name="Ben")
            room = await ada.create()
            waits = await until(tea, name, lambda row: bool(row["person"]["games"]), "Ada")
            assert waits["person"]["games"] == [{"room": room, "game": "tictactoe", "waiting": True}]
            await ben.join(room)
            plays = await until(tea, name, lambda row: "opponent" in (row["person"]["games"] or [{}])[0], "Ada")
            assert plays["person"]["games"][0]["name"] == "Ben"
            for turn, move in enumerate("14253"):
                await (ben if turn % 2 else ada).play(room, turn, move)
            lost = await until(tea, name, lambda row: row["person"]["lost"] == 1, "Ben")
            assert lost["person"]["games"] == []
        await until(tea, name, lambda row: not row["person"]["here"], "Ada")
        await asked(tea, "class", class_id=name)
        await tea.quiet()


async def test_puzzles_of_a_student_count_though_the_student_has_no_account() -> None:
    async with running_server() as url, taught(url, "Ada") as (tea, name), people(url, "x") as (ada,):
        made = await asked(tea, "make_puzzle_set", title="Week 1", puzzles=[PUZZLE, "tictactoe/ec837d51"])
        await asked(tea, "change_class", class_id=name, puzzle_set=made["set"])
        await asked(ada, "join_class", class_id=name, name="Ada")
        solved = await asked(ada, "puzzle_move", puzzle=PUZZLE, moves=["3", "6"], move="7", set=made["set"])
        assert solved["score"] == 1, "without a standing of its own, as it is stored"
        assert (await asked(ada, "puzzle", puzzle=PUZZLE))["score"] == 1
        shown = await asked(tea, "class", class_id=name)
        assert (shown["solves"], student(shown, "Ada")["puzzles"]) == (2, 1)
        assert shown["listing"]["puzzle_set"] == made["set"]
        solvers = (await asked(tea, "puzzle_set", set=made["set"]))["solvers"]
        assert [one["scores"] for one in solvers] == [[1, None]]


async def test_a_bot_is_handed_in_under_the_name_of_its_student() -> None:
    async with running_server() as url, taught(url, "Ada") as (tea, name), people(url, "x") as (ada,):
        await asked(ada, "join_class", class_id=name, name="Ada")
        async with people(url, "a", "b", bot=True) as (bot, other):
            assert (await asked(bot, "class", class_id=name))["free"] == ["Ada"]
            await asked(bot, "join_class", class_id=name, name="Ada")
            assert await other.refused(type="join_class", class_id=name, name="Ada") == "name_taken"
            room = await bot.create()
            await ada.join(room)
            for turn, move in enumerate("14253"):
                await (ada if turn % 2 else bot).play(room, turn, move)
            row = student(await asked(tea, "class", class_id=name), "Ada")
            assert (row["bot"]["player"]["kind"], row["bot"]["here"], row["bot"]["won"]) == ("bot", True, 1)
            assert row["person"]["lost"] == 1
            await tea.ok(type="leave_class", class_id=name, name="Ada", bot=True)
            await asked(other, "join_class", class_id=name, name="Ada")
        async with people(url, "c", bot=True) as (again,):
            await asked(again, "join_class", class_id=name, name="Ada")
            row = student(await asked(tea, "class", class_id=name), "Ada")["bot"]
            assert (row["player"]["name"], row["won"]) == ("c", 1), "the last counts, with what the others have done"


async def test_a_simul_is_a_board_against_each_student_who_is_there_and_free() -> None:
    async with (
        running_server() as url,
        taught(url, "Ada", "Ben", "Cleo", "Dan") as (tea, name),
        people(url, "x", "y", "z") as (ada, ben, cleo),
    ):
        game: Json = {"class_id": name, "game": "tictactoe"}
        assert await tea.refused(type="simul", **game) == "not_allowed", "nobody is there"
        for client, who in ((ada, "Ada"), (ben, "Ben"), (cleo, "Cleo")):
            await asked(client, "join_class", class_id=name, name=who)
        busy = await cleo.create()
        await ben.join(busy)  # so only Ada is free
        await ada.create(second="computer:easy")  # which can wait
        assert await ada.refused(type="simul", **game) == "not_allowed"
        opened = await asked(tea, "simul", **game, side="second", private=True)
        (room,) = opened["rooms"]
        call = await ada.push("simul_game")
        MESSAGES.validate_python(call, strict=True)
        assert (call["room"], call["seat"], call["opponent"]["name"]) == (room, "first", "tea")
        assert (await asked(ada, "class", class_id=name))["room"] == room
        row = student(await asked(tea, "class", class_id=name), "Ada")
        assert row["person"]["games"][0]["opponent"]["id"] == tea.id, "private, but within the class"
        assert await tea.refused(type="simul", **game) == "not_allowed", "everybody plays"
        await ben.ok(type="abort", room=busy)
        two = await asked(tea, "simul", **game, side="alternate", names=["Ben", "Cleo", "Dan"])
        seats = [(await client.push("simul_game"))["seat"] for client in (ben, cleo)]
        assert (len(two["rooms"]), seats) == (2, ["second", "first"])
        for bad, code in (
            ({"game": "nothing"}, "unknown_game"),
            ({"setup": {"size": 5}}, "not_allowed"),
            ({"side": "third"}, "bad_message"),
            ({"names": ["Eve"]}, "unknown_class"),
            ({"class_id": "none"}, "unknown_class"),
        ):
            assert await tea.refused(type="simul", **{**game, **bad}) == code, bad


async def test_a_class_is_changed_and_deleted_by_its_teacher_alone() -> None:
    async with running_server() as url, taught(url, "Ada", "Ben") as (tea, name), people(url, "x") as (ada,):
        await asked(ada, "join_class", class_id=name, name="Ada")
        for request in ("change_class", "delete_class", "class_games", "simul"):
            more = {"class_games": {"name": "Ada"}, "simul": {"game": "tictactoe"}}.get(request, {})
            assert await ada.refused(type=request, class_id=name, **more) == "not_allowed"
            assert await tea.refused(type=request, class_id="none", **more) == "unknown_class"
        changed = await asked(
            tea, "change_class", class_id=name, title="C", remove=["ada"], add=["Eve"], tournament="t"
        )
        assert [one["name"] for one in changed["students"]] == ["Ben", "Eve"]
        assert (changed["listing"]["title"], changed["listing"]["tournament"]) == ("C", "t")
        assert "tournament" not in (await asked(tea, "change_class", class_id=name, tournament=""))["listing"]
        assert "name" not in (await asked(ada, "class", class_id=name))["listing"], "the name is gone"
        for bad in ({"add": ["EVE"]}, {"remove": ["Ben", "Eve"]}, {"add": ["\u2800"]}, {"add": [" x"]}):
            assert await tea.refused(type="change_class", class_id=name, **bad) == "bad_message", bad
        await tea.ok(type="delete_class", class_id=name)
        assert await ada.refused(type="class", class_id=name) == "unknown_class"


async def test_only_registered_players_make_classes_and_the_same_key_makes_one() -> None:
    async with running_server() as url, connected(url, "tea") as tea:
        new: Json = {"type": "make_class", "title": "B", "names": ["Ada"], "key": "k"}
        assert await tea.refused(**new) == "not_allowed"
        await tea.ok(type="register")
        ids = {(await tea.request(**new))["listing"]["class_id"] for _ in range(2)}
        assert len(ids) == 1
        wrong: list[Json] = [{"names": []}, {"names": ["Ada", "ada"]}, {"names": ["x"] * (NAMES + 1)}, {"title": ""}]
        for bad in wrong:
            assert await tea.refused(**{**new, "key": "l", **bad}) == "bad_message", bad
    async with running_server(organisers=["eve"]) as url, connected(url, "tea") as tea:
        await tea.ok(type="register")
        assert await tea.refused(**new) == "not_allowed"


async def test_a_class_survives_the_server(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    async with (
        running_server(journal=str(journal)) as url,
        taught(url, "Ada") as (tea, name),
        people(url, "x") as (ada,),
    ):
        await asked(ada, "join_class", class_id=name, name="Ada")
        tokens = tea.token, ada.token
    async with (
        running_server(journal=str(journal)) as url,
        connected(url, token=tokens[0]) as tea,
        connected(url, token=tokens[1]) as ada,
    ):
        assert (await asked(ada, "class", class_id=name))["listing"]["name"] == "Ada"
        assert student(await asked(tea, "class", class_id=name), "Ada")["person"]["here"]


class SharedJournal(MemoryJournal):
    """A journal that several nodes have open."""

    shared = True


async def test_a_student_at_another_node_is_here_gets_a_board_and_help(caplog: pytest.LogCaptureFixture) -> None:
    hub, journal = Hub(), SharedJournal()
    async with (
        running_gateway(journal, MemoryBus("one", hub), timing=FAST) as one,
        running_gateway(journal, MemoryBus("two", hub), timing=FAST) as two,
        taught(one.url, "Ada") as (tea, name),
        people(two.url, "x") as (ada,),
    ):
        watching = asyncio.create_task(one.part(ClassWatch).run())
        await asked(tea, "class", class_id=name, watch=True)
        await asked(ada, "join_class", class_id=name, name="Ada")
        one.part(ClassWatch).note(name)  # otherwise it is looked at within seconds
        await until(tea, name, lambda row: row.get("person", {}).get("here", False), "Ada")
        opened = await asked(tea, "simul", class_id=name, game="tictactoe")
        assert (await ada.push("simul_game"))["room"] == opened["rooms"][0]
        await ada.ok(type="ask_help", class_id=name)
        await until(tea, name, lambda row: row["person"].get("asks") is True, "Ada")
        await tea.ok(type="answer_help", class_id=name, name="Ada")
        assert "asks" not in await ada.push("class")
        assert "asks" not in await asked(ada, "class", class_id=name)
        watching.cancel()
    assert not caplog.records


async def test_a_watcher_who_reads_slowly_gets_each_student_once_and_later() -> None:
    async with running_gateway(timing=FAST) as node, taught(node.url, "Ada", "Ben") as (tea, name):
        watch, slow, quick = node.part(ClassWatch), FakeSubscriber("a"), FakeSubscriber("b")
        found, organiser = await node.host.journal.classes.find(name), await node.host.journal.people.find(tea.id)
        assert found is not None
        assert organiser is not None
        seen = await watch.look(found, organiser)
        for subscriber in (slow, quick):
            watch.watch(seen, seen.rows, subscriber)
        watching = asyncio.create_task(watch.run())
        slow.paused = True
        async with people(node.url, "x") as (ada,):
            await asked(ada, "join_class", class_id=name, name="Ada")
            await soon(lambda: bool(quick.frames))
            await ada.create()
            await soon(lambda: len(quick.frames) > 1)
        await soon(lambda: len(quick.frames) > 2)
        assert slow.frames == []
        slow.paused = False
        await soon(lambda: bool(slow.frames))
        (told,) = slow.messages()
        assert told["type"] == "class_changes"
        assert told["students"] == quick.messages()[-1]["students"], "as it is now"
        watch.drop(slow)
        watch.drop(quick)
        assert len(watch) == 0
        watching.cancel()


async def test_a_student_asks_for_help_until_the_teacher_answers() -> None:
    async with (
        running_server(timing=FAST) as url,
        taught(url, "Ada", "Ben") as (tea, name),
        people(url, "x", "y", "z") as (ada, ben, eve),
    ):
        for client, who in ((ada, "Ada"), (ben, "Ben")):
            await asked(client, "join_class", class_id=name, name=who)
        assert await eve.refused(type="ask_help", class_id=name) == "not_allowed"
        assert await eve.refused(type="ask_help", class_id="nowhere") == "unknown_class"
        assert await ben.refused(type="answer_help", class_id=name, name="Ada") == "not_allowed"
        assert await tea.refused(type="answer_help", class_id=name, name="Eve") == "unknown_class"
        await asked(tea, "class", class_id=name, watch=True)
        await ada.ok(type="ask_help", class_id=name)
        await until(tea, name, lambda row: row["person"].get("asks") is True, "Ada")
        assert (await asked(ada, "class", class_id=name))["asks"] is True
        assert "asks" not in (await asked(ben, "class", class_id=name))
        assert "asks" not in student(await asked(tea, "class", class_id=name, watch=True), "Ben")["person"]
        await tea.ok(type="answer_help", class_id=name, name="ada")
        pushed = await ada.push("class")
        MESSAGES.validate_python(pushed, strict=True)
        assert pushed["listing"]["name"] == "Ada"
        assert "asks" not in pushed
        await until(tea, name, lambda row: "asks" not in row["person"], "Ada")
        await tea.ok(type="answer_help", class_id=name, name="Ada")  # again
        await ada.ok(type="ask_help", class_id=name)
        await until(tea, name, lambda row: "asks" in row["person"], "Ada")
        await ada.ok(type="ask_help", class_id=name, asks=False)
        await until(tea, name, lambda row: "asks" not in row["person"], "Ada")


async def test_whoever_reads_a_review_is_seen_to_read() -> None:
    async with (
        running_server(timing=FAST) as url,
        taught(url, "Ada") as (tea, name),
        people(url, "x", "y") as (ada, ben),
    ):
        await asked(ada, "join_class", class_id=name, name="Ada")
        room = await ada.create()
        await ben.join(room)
        for turn, move in enumerate("14253"):
            await (ben if turn % 2 else ada).play(room, turn, move)
        await asked(tea, "class", class_id=name, watch=True)
        await asked(ada, "review", room=room)
        await asked(ben, "review", room=room)  # who is no student
        await until(tea, name, lambda row: row["person"].get("reads") is True, "Ada")
        await ada.ok(type="leave", room=room)
        await until(tea, name, lambda row: "reads" not in row["person"], "Ada")


async def test_of_too_many_who_ask_for_help_the_first_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.gateway.attendance.DOING", 2)
    async with running_server() as url, taught(url, "A", "B", "C") as (tea, name), people(url, *"xyz") as students:
        for client, who in zip(students, "ABC", strict=True):
            await asked(client, "join_class", class_id=name, name=who)
            await client.ok(type="ask_help", class_id=name)
        shown = await asked(tea, "class", class_id=name)
        assert [row["person"].get("asks") for row in shown["students"]] == [None, True, True]
