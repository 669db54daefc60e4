"""Finds opponents for those of this node's clients who seek one.

The journal holds all seeks, and its transaction that takes two of them and opens their room keeps anybody from being
paired twice. So any node may pair whom it likes; lest all try the same, that of who came later does, and any for a seek
that is new to it. The other node finds in the journal that a seek of its own waits no more; the bus only has it look
sooner.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from noughts.bus import Message, Paired
from noughts.config import Settings
from noughts.gateway.answers import error, ok
from noughts.gateway.identity import keep, new_id
from noughts.gateway.pairing import opened_for, rating_in, seeker
from noughts.gateway.sought import Sought
from noughts.gateway.table import as_player, options_of
from noughts.host import Happening, Host
from noughts.journal import JournalError, NotStored, Seek, StoredRating
from noughts.protocol import requests
from noughts.rooms import Open, Refused, decide, evolve
from noughts.rooms.matching import pairs, terms_of

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


class Meeting:
    """The seeks of this node's clients; a player has one at most.

    ``bring`` has a client look at a room, and sends it. ``rng`` says who sits first.
    """

    def __init__(
        self, host: Host, settings: Settings, bring: Callable[[Conversation, str], None], rng: random.Random
    ) -> None:
        self._host = host
        self._journal = host.journal
        self._settings = settings
        self._bring = bring
        self._random = rng
        self._sought: dict[str, Sought] = {}  # by player
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._news: set[tuple[str, str]] = set()  # the games and terms of those who came
        self._stirred = asyncio.Event()
        self._keep_at = 0.0
        self._tasks: set[asyncio.Task[None]] = set()
        self._time = asyncio.get_running_loop().time
        host.bus.hearers.append(self.hear)

    # --- what clients ask for

    async def seek(self, client: Conversation, request: requests.Seek, *, may_open: bool) -> bool:
        """Have ``client`` wait for an opponent, and answer it.

        ``may_open``: its player may have one more open room. False, without an answer, where that would be needed.
        """
        player, options, now = client.player, options_of(request, self._settings), self._journal.now()
        try:  # who may not sit down so need not wait for it
            decide(None, Open(new_id(), request.game, player.id, as_player(player), None, options), now)
        except Refused as refusal:
            client.send(error(request.id, refusal.code, refusal.message))
            return True
        terms = terms_of(options.clock, rated=options.rated)
        key = new_id() if request.key is None else request.key
        whole_key = f"{request.game}, {terms}: {key}"  # with other wishes it is another seek
        seeks = self._journal.seeks
        async with self._turn(player.id):
            before = self._sought.get(player.id)
            if before is not None and before.client is client and before.seek.key == whole_key:
                client.send(ok(request.id))
                return True
            try:
                if not may_open and not await seeks.keep([(player.id, whole_key)], self._until()):
                    return False
                ratings = await self._journal.results.ratings([player.id]) if options.rated else ()
                rating, deviation = rating_in(request.game, options, ratings)
                if before is not None and before.seek.key != whole_key:
                    await self._end(before, client)
                seek = Seek(player, whole_key, request.game, terms, rating, deviation, now)
                room = await self._put(client, seek)
            except JournalError:
                client.unknown_outcome(request.id)  # at worst it lapses
                return True
            sought = Sought(client, key, seek, options, self._time())
            if before is not None and self._has(before):
                self._drop(before)
            if not client.open:
                await self._let_lapse(sought)
                return True
            client.send(ok(request.id))
            if room is not None:
                self._bring(client, room)
            else:
                self._sought[player.id] = sought
                self._stir(sought)
        return True

    async def unseek(self, client: Conversation, request: requests.Unseek) -> None:
        """Have ``client`` wait no more, and answer it. Where an opponent was found before, it gets that room."""
        player = client.player.id
        async with self._turn(player):
            sought = self._sought.get(player)
            try:
                if sought is not None:
                    await self._end(sought, client)
                else:  # maybe another node has a seek of this player
                    await self._host.patience.ask(lambda: self._journal.seeks.withdraw(player))
            except JournalError:
                client.unknown_outcome(request.id)
                return
            client.send(ok(request.id))

    def gone(self, client: Conversation) -> None:
        """The connection of ``client`` is no more, and with it what it sought."""
        sought = self._sought.get(client.player.id)
        if sought is not None and sought.client is client:
            del self._sought[client.player.id]
            self._spawn(self._let_lapse(sought))

    # --- what goes on meanwhile

    def hear(self, message: Message) -> None:
        """Another node has found somebody an opponent."""
        if isinstance(message, Paired) and (sought := self._sought.get(message.player)):
            self._stir(sought)  # which of the player's seeks it was, the journal says

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
            if self._sought:
                # A stopping server does not leave a pair half told.
                await asyncio.shield(self._spawn(self._round(None if everybody else news)))

    async def close(self) -> None:
        """Finish what is under way."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _round(self, news: Collection[tuple[str, str]] | None) -> None:
        """Pair those who want one of ``news``; None: all, and see to what else goes by time."""
        try:
            if news is None:
                for sought in self._sought.values():
                    sought.offer_computer(self._time())
                if self._time() >= self._keep_at:
                    await self._find_out(list(self._sought.values()))
                    self._keep_at = self._time() + KEEP_S
            alike: dict[tuple[str, str], list[Sought]] = {}
            for sought in self._sought.values():
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
        waiting = await self._host.patience.once(self._journal.seeks.waiting(game, terms, now, AT_ONCE))
        by_player = {seek.player.id: seek for seek in waiting}
        missing = [sought for sought in those if sought.seek.player.id not in by_player and self._has(sought)]
        if missing and len(waiting) < AT_ONCE:
            await self._find_out(missing)
        found = []
        for one, other in pairs((seeker(seek, options) for seek in waiting), now):
            sought = self._sought.get(other.player) or self._sought.get(one.player)
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
            if not await self._host.patience.once(self._journal.seeks.pair(one, other, write)):
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

    async def _find_out(self, those: Sequence[Sought]) -> None:
        """Keep ``those``, and see to those that do not wait any more. Raises JournalError."""
        names = [sought.name for sought in those]
        became = await self._host.patience.once(self._journal.seeks.keep(names, self._until()))
        for sought in those:
            player = sought.seek.player.id
            room = became.get(player)
            if not self._has(sought):
                continue  # it was seen to meanwhile
            if player not in became:
                self._drop(sought)  # the player seeks something else on another node, or nothing any more
            elif room is not None:
                if sought.opening is not None and sought.opening.room == room:  # so it was opened here after all
                    self._host.tell(Happening(sought.opening, evolve(None, sought.opening), ours=True))
                del self._sought[player]
                self._bring(sought.client, room)

    def _found(self, seek: Seek) -> Conversation | None:
        """``seek`` was paired; its client, if that is here, be it that it seeks something else by now."""
        sought = self._sought.get(seek.player.id)
        if sought is None:
            return None
        if sought.seek.key == seek.key:
            del self._sought[seek.player.id]
        return sought.client

    def _has(self, sought: Sought) -> bool:
        return self._sought.get(sought.seek.player.id) is sought

    async def _put(self, client: Conversation, seek: Seek) -> str | None:
        """Store ``seek``, of ``client``'s player; the room that it has been paired in. Raises JournalError."""
        patience, seeks = self._host.patience, self._journal.seeks
        try:
            return await patience.ask(lambda: seeks.put(seek, self._until()))
        except NotStored:  # a guest who has been connected for long
            kept = await patience.ask(lambda: keep(self._journal, client.player))
        if kept != client.player:
            client.alter(kept)
            client.hall.standing.altered(kept)
        return await patience.ask(lambda: seeks.put(replace(seek, player=kept), self._until()))

    async def _end(self, sought: Sought, client: Conversation) -> None:
        """``client`` wishes that the player's seek wait no more. Raises JournalError.

        Where an opponent was found before, whoever sought gets that room.
        """
        sought.given_up = sought.client is client
        if not await self._host.patience.ask(lambda: self._journal.seeks.withdraw(sought.seek.player.id)):
            await self._find_out([sought])
        if self._has(sought):
            self._drop(sought)

    def _drop(self, sought: Sought) -> None:
        """Forget ``sought``, which waits no more; its client is told unless it wished so."""
        del self._sought[sought.seek.player.id]
        if not sought.given_up:
            sought.tell_ended()

    def _stir(self, sought: Sought) -> None:
        """Have it be looked at once who can be paired of those who want the same."""
        self._news.add(sought.wants)
        self._stirred.set()

    async def _let_lapse(self, sought: Sought) -> None:
        """Have a seek wait no more, unless the player has come back meanwhile, here or elsewhere: then it is kept."""
        with suppress(JournalError):  # then it takes its time
            await self._journal.seeks.keep([sought.name], self._journal.now())

    async def _ratings(self, found: Sequence[tuple[Seek, Seek, Sought]]) -> Sequence[StoredRating]:
        """The ratings of all who are to sit down to a game with a clock. Raises JournalError."""
        players = [
            seek.player.id
            for *two, sought in found
            for seek in two
            if sought.options.clock is not None and seek.player.registered
        ]
        return await self._host.patience.once(self._journal.results.ratings(players)) if players else []

    def _until(self) -> int:
        return self._journal.now() + LAPSE_MS

    def _turn(self, player: str) -> asyncio.Lock:
        """What a player asks for is done one after the other."""
        return self._turns.setdefault(player, asyncio.Lock())

    def _spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
