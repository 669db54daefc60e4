"""Looks time and again for those of this node's clients who seek an opponent, and whom they can have.

Any node may pair whom it likes; lest all try the same, that of who came later does, and any for a seek that is new to
it. The other node finds in the journal that a seek of its own waits no more; the bus only has it look sooner.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from noughts.bus import Hint, Paired
from noughts.gateway.pairing import opened_for, seeker
from noughts.gateway.sought import Sought
from noughts.host import Host, RoomUpdate
from noughts.journal import JournalError, Seek, StoredRating
from noughts.rooms import evolve
from noughts.rooms.matching import pairs

if TYPE_CHECKING:
    from noughts.gateway.conversation import Conversation

GATHER_S = 0.02
"""How long who comes waits for others who come at the same time."""

ROUND_S = 1.0
"""How often it is looked again who can be paired: windows widen, and messages are lost."""

KEEP_S = 5.0
"""How often this node's seeks are kept."""

LAPSE_MS = 15_000
"""For how long: those of a node that has died wait no longer."""

AT_ONCE = 200
"""Of how many seeks on the same terms pairs are made in one go: in less than a millisecond. Only some thirty of them
can be too far apart to be paired, so that others are always among them."""


class Rounds:
    """The seeks of this node's clients, ``sought`` by player, who has one at most; and who of them can be paired.

    ``bring`` has a client look at a room, and sends it. ``rng`` says who sits first.
    """

    def __init__(self, host: Host, bring: Callable[[Conversation, str], None], rng: random.Random) -> None:
        self.sought: dict[str, Sought] = {}
        self._host = host
        self._journal = host.journal
        self._bring = bring
        self._random = rng
        self._news: set[tuple[str, str]] = set()  # the games and terms of those who came
        self._stirred = asyncio.Event()
        self._keep_at = 0.0
        self._tasks: set[asyncio.Task[None]] = set()
        self._time = asyncio.get_running_loop().time
        host.bus.listeners.append(self.hear)

    def has(self, sought: Sought) -> bool:
        """Whether ``sought`` is still sought here."""
        return self.sought.get(sought.seek.player.id) is sought

    def drop(self, sought: Sought) -> None:
        """Forget ``sought``, which waits no more; its client is told unless it wished so."""
        del self.sought[sought.seek.player.id]
        if not sought.given_up:
            sought.tell_ended()

    def stir(self, sought: Sought) -> None:
        """Have it be looked at once who can be paired of those who want the same."""
        self._news.add(sought.wants)
        self._stirred.set()

    def until(self) -> int:
        """Until when a seek that is kept now waits, ms since the epoch."""
        return self._journal.now() + LAPSE_MS

    def hear(self, message: Hint) -> None:
        """Another node has found somebody an opponent."""
        if isinstance(message, Paired) and (sought := self.sought.get(message.player)):
            self.stir(sought)  # which of the player's seeks it was, the journal says

    async def keep_up(self) -> None:
        """Pair, for ever: those on the same terms when somebody comes, and all each second."""
        all_at = self._time() + ROUND_S
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(all_at):
                    await self._stirred.wait()
                await asyncio.sleep(GATHER_S)
            self._stirred.clear()
            news, self._news = self._news, set()
            if everybody := self._time() >= all_at:
                all_at = self._time() + ROUND_S
            if self.sought:
                # A stopping server does not leave a pair half told.
                await asyncio.shield(self.spawn(self._round(None if everybody else news)))

    async def close(self) -> None:
        """Finish what is under way."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Do ``work``, which :meth:`close` waits for."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def find_out(self, those: Sequence[Sought]) -> None:
        """Keep ``those``, and see to those that do not wait any more. Raises JournalError."""
        names = [sought.name for sought in those]
        became = await self._host.retry.once(self._journal.seeks.renew(names, self.until()))
        for sought in those:
            player = sought.seek.player.id
            room = became.get(player)
            if not self.has(sought):
                continue  # it was seen to meanwhile
            if player not in became:
                self.drop(sought)  # the player seeks something else on another node, or nothing any more
            elif room is not None:
                if sought.opening is not None and sought.opening.room == room:  # so it was opened here after all
                    self._host.tell(RoomUpdate(sought.opening, evolve(None, sought.opening), ours=True))
                del self.sought[player]
                self._bring(sought.client, room)

    async def _round(self, news: Collection[tuple[str, str]] | None) -> None:
        """Pair those who want one of ``news``; None: all, and see to what else goes by time."""
        try:
            if news is None:
                for sought in self.sought.values():
                    sought.offer_computer(self._time())
                if self._time() >= self._keep_at:
                    await self.find_out(list(self.sought.values()))
                    self._keep_at = self._time() + KEEP_S
            alike: dict[tuple[str, str], list[Sought]] = {}
            for sought in self.sought.values():
                if news is None or sought.wants in news:
                    alike.setdefault(sought.wants, []).append(sought)
            for (game, terms), those in alike.items():
                while await self._pair(game, terms, those):
                    pass
        except JournalError:
            pass  # it was logged; what became of a pair is found out by the next round

    async def _pair(self, game: str, terms: str, those: Sequence[Sought]) -> bool:
        """Pair some of who wait on these terms, ``those`` being this node's; whether there may be more to pair.

        Raises JournalError.
        """
        now, options = self._journal.now(), those[0].options
        waiting = await self._host.retry.once(self._journal.seeks.waiting(game, terms, now, AT_ONCE))
        by_player = {seek.player.id: seek for seek in waiting}
        missing = [sought for sought in those if sought.seek.player.id not in by_player and self.has(sought)]
        if missing and len(waiting) < AT_ONCE:
            await self.find_out(missing)
        found = []
        for one, other in pairs((seeker(seek, options) for seek in waiting), now):
            sought = self.sought.get(other.player) or self.sought.get(one.player)
            if sought is not None and (sought.fresh or sought.seek.player.id == other.player):
                found.append((by_player[one.player], by_player[other.player], sought))
        for sought in those:
            sought.fresh = sought.fresh and sought.seek.player.id not in by_player
        ratings = await self._ratings(found)
        opened = []
        async with asyncio.TaskGroup() as group:
            for one_seek, other_seek, sought in found:
                opened.append(group.create_task(self._open(one_seek, other_seek, sought, ratings)))
                await asyncio.sleep(0)  # each takes a moment, and others are to be heard between them
        return any(task.result() for task in opened)

    async def _open(self, one: Seek, other: Seek, sought: Sought, ratings: Sequence[StoredRating]) -> bool:
        """Open a room for two, one of whose seeks is ``sought`` here; whether that was done, as far as known."""
        sought.opening, write = opened_for((one, other), sought.options, ratings, self._journal.now(), self._random)
        try:
            if not await self._host.retry.once(self._journal.seeks.pair(one, other, write)):
                return False  # somebody was faster
        except JournalError:
            return False
        done = self._host.opened(sought.opening)
        for seek in (one, other):
            client = self._found(seek)
            if client is None:
                self._host.bus.send(Paired(seek.player.id, write.room))
            elif client.open:
                client.enter(done)
        self._host.release(write.room)
        return True

    def _found(self, seek: Seek) -> Conversation | None:
        """``seek`` was paired; its client, if that is here, be it that it seeks something else by now."""
        sought = self.sought.get(seek.player.id)
        if sought is None:
            return None
        if sought.seek.key == seek.key:
            del self.sought[seek.player.id]
        return sought.client

    async def _ratings(self, found: Sequence[tuple[Seek, Seek, Sought]]) -> Sequence[StoredRating]:
        """The ratings of all who are to sit down to a game with a clock. Raises JournalError."""
        players = [
            seek.player.id
            for *two, sought in found
            for seek in two
            if sought.options.clock is not None and seek.player.registered
        ]
        return await self._host.retry.once(self._journal.results.ratings(players)) if players else []
