"""Bots whose authors let them be kept: their processes play one game after the other."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Awaitable, Callable

from noughts_client.bots.game_bot import ProgramBot
from noughts_client.failure import BotFailed
from noughts_client.state import BotState

MOST = 64
"""The number of processes that are kept between games. Each holds some 15 MiB, or what the bot has gathered."""


class Keeper:
    """Lends bots for games, and keeps them between, those that were used last. Close it in the end."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._kept: defaultdict[str, list[ProgramBot]] = defaultdict(list)
        self._order: OrderedDict[ProgramBot, str] = OrderedDict()

    async def lend(self, name: str, start: Callable[[], Awaitable[ProgramBot]]) -> Lent:
        """The bot of a player for one game: one that was kept, or a new one by ``start``, which raises BotFailed.

        One that cannot begin another game is ended, and a new one takes its place.
        """
        while self._kept[name]:
            bot = self._kept[name].pop()
            del self._order[bot]
            bot.process.hold(still=False)
            try:
                await bot.renew()
            except BotFailed:
                await bot.close()
                continue
            except BaseException:  # cancelled
                await bot.close()
                raise
            return Lent(self, name, bot)
        return Lent(self, name, await start())

    async def take_back(self, name: str, bot: ProgramBot) -> None:
        """A game of ``bot`` is over."""
        if not bot.may_be_kept or not self._most:
            await bot.close()
            return
        bot.process.hold(still=True)
        self._kept[name].append(bot)
        self._order[bot] = name
        if len(self._order) > self._most:
            oldest, player = self._order.popitem(last=False)
            self._kept[player].remove(oldest)
            await self._end(oldest)

    async def close(self) -> None:
        """End all that are kept."""
        kept, self._most = list(self._order), 0
        self._order.clear()
        self._kept.clear()
        for bot in kept:
            await self._end(bot)

    async def _end(self, bot: ProgramBot) -> None:
        bot.process.hold(still=False)  # so that it can end by itself
        await bot.close()


class Lent:
    """A :class:`~noughts_client.bots.game_bot.GameBot` for one game, whose process may be kept."""

    def __init__(self, keeper: Keeper, name: str, bot: ProgramBot) -> None:
        self._keeper = keeper
        self._name = name
        self._bot = bot
        self._closed = False

    @property
    def stderr(self) -> str:
        """The end of what the bot has written to stderr, at most 4 KB, also in earlier games."""
        return self._bot.stderr

    async def choose(self, state: BotState, *, patience_s: float) -> tuple[str, str]:
        """A move and a note. Raises :class:`BotFailed`."""
        return await self._bot.choose(state, patience_s=patience_s)

    async def interrupt(self) -> str:
        """End the bot. Returns where it was."""
        return await self._bot.interrupt()

    async def close(self) -> None:
        """The game is over."""
        if not self._closed:
            self._closed = True
            await self._keeper.take_back(self._name, self._bot)
