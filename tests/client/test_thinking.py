import asyncio
import functools
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from noughts.games import GAMES
from noughts_client import thinking
from noughts_client.bots import game_bot
from noughts_client.failure import BotError, BotFailed, Failure
from noughts_client.state import BotState, WrongAnswer, fields
from noughts_client.thinking import Thinker, is_asked
from support.eventually import soon


def state_of(game: str = "tictactoe") -> BotState:
    start = GAMES[game].start
    public = {"turn": 0, "ply": 0, "moves": [], "rows": list(start.rows), "legal_moves": list(start.legal_moves)}
    return BotState(public, game=game, side="first", symbol="x", room="k3")


class Stateful:
    """A bot that is an object."""

    async def __call__(self, state: BotState) -> str:
        return str(state["legal_moves"][2])


async def third(state: BotState, after_s: float = 0) -> str:
    await asyncio.sleep(after_s)
    return str(state["legal_moves"][2])


@pytest.mark.parametrize(
    "bot",
    [
        lambda state: state["legal_moves"][2],
        lambda state: (state["legal_moves"][2], ""),
        lambda state: state["legal_moves"].pop(2),
        lambda state: third(state, 0.01),
        third,
        functools.partial(third, after_s=0.01),
        Stateful(),
    ],
)
async def test_a_bot_is_any_function_sync_or_async(bot: Callable[[BotState], Any]) -> None:
    assert await Thinker(bot).ask(state_of()) == {"move": "3"}


async def test_a_note_is_sent_with_the_move_and_cut() -> None:
    assert await Thinker(lambda _: ("5", "even")).ask(state_of()) == {"move": "5", "note": "even"}
    fields = await Thinker(lambda _: ("5", "x" + "é" * 1000)).ask(state_of())
    assert fields["note"] == "x" + "é" * 511


@pytest.mark.parametrize("answer", [None, 5, ("5", None)])
async def test_an_answer_that_is_not_a_move_is_shown_with_the_position(answer: object) -> None:
    with pytest.raises(WrongAnswer) as wrong:
        fields(answer, state_of()["legal_moves"])
    with pytest.raises(BotError) as failed:
        await Thinker(lambda _: answer).ask(state_of())  # type: ignore[arg-type, return-value]  # what the test is about
    assert str(failed.value) == (
        f"The bot failed in room k3, with 'x' at turn 0: it {wrong.value}\nThe position:\n  ...\n  ...\n  ..."
    )


async def test_a_move_that_is_not_legal_is_shown_with_few_of_many_legal_moves() -> None:
    with pytest.raises(BotError, match=r"it answered 'p1', which is not a legal move\. .* d2, e2 and 205 more\.\n"):
        await Thinker(lambda _: "p1").ask(state_of("gomoku"))
    with pytest.raises(BotError) as failed:
        await Thinker(lambda _: "x" * 10_000).ask(state_of())
    assert len(str(failed.value)) < 500


def stops(_: BotState) -> str:
    return next(iter(()))


async def breaks(_: BotState) -> str:
    raise ZeroDivisionError


def leaves(_: BotState) -> str:
    raise SystemExit(3)


@pytest.mark.parametrize(("bot", "error"), [(stops, StopIteration), (breaks, ZeroDivisionError), (leaves, SystemExit)])
async def test_whatever_a_bot_raises_is_its_failure(
    bot: Callable[[BotState], str | Awaitable[str]], error: type[BaseException]
) -> None:
    async with asyncio.timeout(20):
        with pytest.raises(BotError) as failed:
            await Thinker(bot).ask(state_of())
    assert isinstance(failed.value.__cause__, error)
    assert f", in {bot.__name__}\n" in str(failed.value)
    assert "in ask" not in str(failed.value)
    assert "in think" not in str(failed.value)


@pytest.mark.parametrize("is_async", [False, True])
async def test_the_failure_of_a_program_stays_what_it_is(is_async: bool) -> None:
    def bot(_: BotState) -> str:
        raise BotFailed(Failure("crash", "The bot crashed."))

    async def async_bot(state: BotState) -> str:
        return bot(state)

    with pytest.raises(BotFailed):
        await Thinker(async_bot if is_async else bot).ask(state_of())


async def test_a_function_is_asked_one_thing_at_a_time_and_an_async_one_many() -> None:
    thinking, most = 0, 0
    both = asyncio.Barrier(2)

    def bot(state: BotState) -> str:
        nonlocal thinking, most
        thinking += 1
        most = max(most, thinking)
        time.sleep(0.01)
        thinking -= 1
        return str(state["legal_moves"][0])

    async def async_bot(state: BotState) -> str:
        await both.wait()
        return str(state["legal_moves"][0])

    async with asyncio.timeout(20):
        thinker = Thinker(bot)
        await asyncio.gather(*(thinker.ask(state_of()) for _ in range(10)))
        thinker = Thinker(async_bot)
        await asyncio.gather(thinker.ask(state_of()), thinker.ask(state_of()))
    assert most == 1


async def test_a_bot_that_still_thinks_about_a_game_that_is_over_is_not_asked_before_it_is_done() -> None:
    go_on, asked = threading.Event(), list[BotState]()

    def bot(state: BotState) -> str:
        asked.append(state)
        if len(asked) == 1:
            go_on.wait(20)
        return str(state["legal_moves"][0])

    thinker = Thinker(bot)
    first = asyncio.create_task(thinker.ask(state_of()))
    await soon(lambda: bool(asked))
    first.cancel()
    second = asyncio.create_task(thinker.ask(state_of()))
    await asyncio.sleep(0.1)
    assert len(asked) == 1
    go_on.set()
    async with asyncio.timeout(20):
        assert await second == {"move": "1"}


async def test_a_function_that_thinks_for_long_is_said_to_be_where_it_is_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(thinking, "HINT_S", 0)
    thinks, go_on = threading.Event(), threading.Event()

    def bot(_: BotState) -> str:
        thinks.set()
        go_on.wait(20)
        return "5"

    thinker = Thinker(bot)
    for _ in range(2):
        go_on.clear()
        asking = asyncio.create_task(thinker.ask(state_of()))
        await asyncio.sleep(0)
        thinks.wait(20)  # the event loop has no turn before
        await asyncio.sleep(0.02)
        go_on.set()
        await asking
    (said,) = caplog.messages
    assert said.startswith("Still waiting for the bot's answer in room k3, with 'x' at turn 0.\nTraceback (most recent")
    assert ", in bot\n" in said


@pytest.mark.parametrize(("file", "own"), [("my_bot.py", True), (game_bot.__file__, False)])
async def test_a_stop_breaks_into_the_authors_own_code_alone(file: str, own: bool) -> None:
    defined: dict[str, Any] = {"asked": lambda: asked.append(is_asked(sys._getframe()))}
    asked: list[bool] = []
    exec(compile("async def bot(_):\n    asked()\n    return '5'", file, "exec"), defined)
    await Thinker(defined["bot"]).ask(state_of())
    assert asked == [own]
    assert not is_asked(sys._getframe())
    assert not is_asked(None)
