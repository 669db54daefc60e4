"""The computer's answers to draw offers, over a real host."""

from __future__ import annotations

import asyncio

import pytest

from noughts.bus import Hub, MemoryBus
from noughts.computer.draws import DrawAnswers, accepts_draw
from noughts.engine import Analysis
from noughts.games import GAMES
from noughts.host import Done, Host
from noughts.rooms import Command, OfferDraw, Open, Options, Play, Player, Room
from support.eventually import soon
from support.journals import MemoryJournal

ANN = Player("p-ann", "ann", "human")
MINIMAX = Player("computer:easy", "computer", "computer")


def worth(value: int, *, exact: bool = True) -> Analysis:
    """An analysis of a position of which only the value matters."""
    return Analysis(value=value, exact=exact, moves={}, choices=(), nodes=1, depth=1)


@pytest.mark.parametrize(
    ("analysis", "to_move", "yes"),
    [
        (worth(0), True, True),
        (worth(0), False, True),
        (worth(-3), True, True),
        (worth(3), True, False),
        (worth(3), False, True),
        (worth(-3), False, False),
        (worth(0, exact=False), True, False),
        (worth(-10_000, exact=False), True, True),
        (worth(-10_000, exact=False), False, False),
    ],
)
def test_the_computer_accepts_a_draw_unless_it_expects_more(analysis: Analysis, to_move: bool, yes: bool) -> None:
    assert accepts_draw(GAMES["gomoku"], analysis, to_move=to_move) is yes


@pytest.mark.parametrize("value", [-300, 0, 300])
def test_without_a_heuristic_an_estimate_is_no_reason_to_accept(value: int) -> None:
    assert GAMES["tictactoe"].heuristic is None
    for to_move in (True, False):
        assert accepts_draw(GAMES["tictactoe"], worth(value, exact=False), to_move=to_move) is False


class Table:
    """A game of ann against the computer in which each side has moved, on one or more nodes."""

    def __init__(self, *hosts: Host) -> None:
        self.kinds: list[str] = []
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self.host = hosts[0]
        self.answer: asyncio.Future[Analysis] = asyncio.get_running_loop().create_future()
        self.draws = [DrawAnswers(host, self.analyse) for host in hosts]
        for host, draws in zip(hosts, self.draws, strict=True):
            host.watched = lambda _: True
            host.bus.listeners.append(host.on_hint)
            host.listen(draws.on_update)
        self.host.listen(lambda happening: self.kinds.append(happening.event.kind))

    def analyse(self, game: str, moves: tuple[str, ...]) -> asyncio.Future[Analysis]:
        self.asked.append((game, moves))
        return self.answer

    async def do(self, command: Command | None) -> Room:
        reply: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self.host.submit("room", command, reply.set_result)
        done = await reply
        assert isinstance(done, Done), done
        return done.room

    async def offered(self) -> None:
        await self.do(Open("room", "tictactoe", "p-ann", ANN, MINIMAX, Options()))
        await self.do(Play("p-ann", 0, "5"))
        await self.do(Play(MINIMAX.id, 1, "1"))
        await self.do(OfferDraw("p-ann"))


@pytest.mark.parametrize(("value", "kind"), [(0, "ended"), (1, "ended"), (-1, "declined")])
async def test_the_answer_depends_on_the_value_of_the_position(value: int, kind: str) -> None:
    table = Table(Host(MemoryJournal(), MemoryBus("node")))
    await table.offered()
    await soon(lambda: table.asked == [("tictactoe", ("5", "1"))])
    table.answer.set_result(worth(value))  # for ann, who is to move
    await soon(lambda: table.kinds[-1] == kind)


async def test_one_node_answers() -> None:
    class Shared(MemoryJournal):
        shared = True

    journal, hub = Shared(), Hub()
    table = Table(*(Host(journal, MemoryBus(f"node-{number}", hub)) for number in range(3)))
    await table.offered()
    await asyncio.sleep(0.05)
    assert len(table.asked) == 1


@pytest.mark.parametrize("failure", [RuntimeError("no"), None])
async def test_an_offer_is_declined_if_the_analysis_fails(
    failure: Exception | None, caplog: pytest.LogCaptureFixture
) -> None:
    table = Table(Host(MemoryJournal(), MemoryBus("node")))
    await table.offered()
    await soon(lambda: bool(table.asked))
    if failure is None:
        table.answer.cancel()
    else:
        table.answer.set_exception(failure)
    await soon(lambda: table.kinds[-1] == "declined")
    assert ("draw offer failed" in caplog.text) is (failure is not None)


async def test_a_withdrawn_offer_gets_no_late_answer() -> None:
    table = Table(Host(MemoryJournal(), MemoryBus("node")))
    await table.offered()
    await soon(lambda: bool(table.asked))
    await table.do(Play("p-ann", 2, "2"))
    await table.do(Play(MINIMAX.id, 3, "3"))
    table.answer.set_result(worth(0))
    await asyncio.sleep(0.05)
    assert table.kinds[-1] == "played"
    await table.draws[0].close()
    before = len(table.asked)
    await table.do(OfferDraw("p-ann"))
    await asyncio.sleep(0.05)
    assert len(table.asked) == before
