"""Each bot of a league once before it begins, so that nobody waits for games that its bots cannot play."""

from __future__ import annotations

import asyncio

from noughts.league.plan import pairings_of, spec_of
from noughts.league.replay import ask, first_line
from noughts.league.runner import one_bot
from noughts.league.state import Folder
from noughts_client.bots.sandbox import Containment
from noughts_client.failure import BotFailed, Failure

PATIENCE_S = 0.5
"""How long a bot may think about its first move. One that thinks longer has not failed."""


async def rehearse(folder: Folder, containment: Containment | None, *, at_once: int) -> dict[str, Failure]:
    """Start each program of the league in ``folder``, which need not exist yet, and ask it for the first move of a
    game; the failures by player, in the order of the players.
    """
    turns = asyncio.Semaphore(at_once)
    names = [
        player["name"] for player in folder.league["players"] if spec_of(player).kind not in ("computer", "player")
    ]
    game = pairings_of(folder.league)[0].game

    async def failure_of(name: str) -> Failure | None:
        async with turns:
            try:
                async with one_bot(folder, containment, name, game) as bot:
                    answered = await ask(bot, folder.league, first_line(folder.league, name), patience_s=PATIENCE_S)
            except BotFailed as error:
                return error.failure
        return None if answered.failure is None or answered.failure.kind == "time" else answered.failure

    found = await asyncio.gather(*map(failure_of, names))
    return {name: failure for name, failure in zip(names, found, strict=True) if failure is not None}
