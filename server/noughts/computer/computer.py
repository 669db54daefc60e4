"""All that searches on this server: for moves, and for whoever asks what a position is worth."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from noughts.computer.analyser import Analyser
from noughts.computer.farm_pool import FarmPool
from noughts.computer.reviewer import Reviewer
from noughts.computer.searches import Searches
from noughts.config import Settings
from noughts.engine import LEVELS, Analysis, Sampling, Tracing
from noughts.puzzles.question import Question
from noughts.puzzles.question import Reply as Answer
from noughts.timing import Timing

Analyse = Callable[[str, tuple[str, ...]], asyncio.Future[Analysis]]
"""Analyses a position: a game's key and the moves from its start. Cancel the future to give up."""

Review = Callable[[str, tuple[str, ...], str, str], asyncio.Future[Analysis]]
"""Analyses a position behind everything else: a game's key, the moves from its start, and the address and the player
whose turn it takes. Cancel the future to give up."""

Trace = Callable[[str, tuple[str, ...], Tracing | Sampling, float], asyncio.Future[bytes]]
"""Traces a search, as :meth:`noughts.computer.Searches.trace`. Cancel the future to give up."""

Reply = Callable[[Question, float], asyncio.Future[Answer]]
"""Answers a question about a puzzle in so many seconds, as :meth:`noughts.computer.Searches.answer`. Cancel the
future to give up."""


@dataclass(frozen=True, slots=True)
class Computer:
    """The searches of a server. ``stop_answering`` gives up those for analyses and reviews; moves go on."""

    searches: Searches
    analyse: Analyse
    review: Review
    trace: Trace
    reply: Reply
    stop_answering: Callable[[], Awaitable[None]]


def computer_of(settings: Settings, timing: Timing = Timing(), searches: Searches | None = None) -> Computer:
    """The computer that the settings ask for, with ``searches`` of their own by default. Close those at the end."""
    if searches is None:
        levels = {name: replace(level, seconds=settings.think_s) for name, level in LEVELS.items()}
        farm = None if settings.farm is None else FarmPool(settings.farm, timing)
        own = settings.search_workers or max(1, (os.cpu_count() or 1) - 1)
        searches = Searches(own, levels, timing=timing, farm=farm)
    analyser, reviewer = Analyser(searches, settings.analyse_s, timing=timing), Reviewer(searches, settings.review_s)

    async def stop_answering() -> None:
        await analyser.close()
        await reviewer.close()

    return Computer(searches, analyser.analyse, reviewer.analyse, searches.trace, searches.answer, stop_answering)
