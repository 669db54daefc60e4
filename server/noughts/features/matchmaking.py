"""Finds opponents for the clients of this node that seek one.

The journal holds the seeks of all nodes. One transaction takes two of them and opens their room, so nobody is paired
twice. Any node may pair any two seeks. To keep all nodes from trying the same pair, the node of the later seek tries,
every node tries for a seek that is new to it, and the other node when the first is late. The other node finds in the
journal that its seek no longer waits; a hint on the bus only makes it look sooner.

A seek that waits costs nothing: the seeks on its terms are looked at when one of them comes, and when two of them
come into each other's window.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from weakref import WeakValueDictionary

from noughts.bus import Paired
from noughts.config import Settings
from noughts.features.pending_seek import PendingSeek, as_seeker, open_for, rating_for
from noughts.games.catalogue import name_of
from noughts.gateway.client import Client, Subscriber
from noughts.gateway.commands import as_player, game_of, options_of, origin_of
from noughts.gateway.guests import store_again
from noughts.gateway.replies import Error, Problem, ok
from noughts.gateway.tasks import Tasks
from noughts.gateway.views import Views
from noughts.host import Host, RoomUpdate
from noughts.journal import Append, JournalError, Seek, StoredPlayer, StoredRating, UnknownPlayer
from noughts.players.ids import new_id
from noughts.protocol import requests
from noughts.rooms import Open, Options, decide
from noughts.rooms.matching import Seeker, pairable_at, pairs, terms_of
from noughts.timing import Timing

JUST_PAIRED = Error("not_allowed", "Your own seek has just found an opponent.")

LAPSE_MS = 15_000
"""The time a seek lasts after it was last renewed: those of a dead node lapse."""

PAIRED_AT_ONCE = 200
"""The number of seeks on the same terms that are paired at once, in less than a millisecond. Some thirty of them at
most are too far apart to be paired, so there are always others."""

OVERDUE_MS = 2000
"""The delay after which this node opens a room that another one should have opened."""

LATE_MS = 2000
"""The time after its own at which a change of the seeks may be stored, and be noticed in the next round. What comes
later is noticed when the seeks are renewed."""

Wish = tuple[str, str]
"""A game and the terms, which two seekers must share."""


class Matchmaker:
    """The seeks of this node's clients, at most one for each player, and the rounds that pair them.

    ``on_stored`` is called when a client's player had to be stored again, with the player as it is stored now.
    """

    def __init__(
        self, host: Host, settings: Settings, views: Views, tasks: Tasks, *, rng: random.Random, timing: Timing
    ) -> None:
        self.on_stored: Callable[[StoredPlayer], None] = lambda _player: None
        self._host = host
        self._journal = host.journal
        self._settings = settings
        self._views = views
        self._tasks = tasks
        self._rng = rng
        self._timing = timing
        self._seeks: dict[str, PendingSeek] = {}
        self._by_wish: dict[Wish, dict[PendingSeek, None]] = {}
        self._without_offer: deque[PendingSeek] = deque()  # as they came; some wait no longer
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._new_wishes: set[Wish] = set()
        self._look_at: dict[Wish, int] = {}  # by the journal's time; other wishes need no look
        self._awake = asyncio.Event()
        self._renew_at = 0.0
        self._polled_at = 0  # by the journal's time
        self._time = asyncio.get_running_loop().time

    # --- what clients do

    async def seek(self, client: Client, request: requests.Seek, *, may_open: bool) -> bool:
        """Have ``client`` wait for an opponent, and answer it. Raises Refused and JournalError.

        ``may_open``: its player may have one more open room. False, unanswered, if it would need one and may not.
        """
        player, options, now = client.player, options_of(request, self._settings), self._journal.now()
        # Refuse now what the room would refuse later.
        game = game_of(request)
        decide(None, Open(new_id(), game.key, player.id, as_player(player), None, options, setup=game.setup), now)
        terms = terms_of(options.clock, rated=options.rated)
        key = new_id() if request.key is None else request.key
        whole_key = f"{name_of(game)}, {terms}: {key}"  # with other wishes it is another seek
        seeks = self._journal.seeks
        async with self.turn(player.id):
            before = self._seeks.get(player.id)
            if before is not None and before.client is client.subscriber and before.seek.key == whole_key:
                client.send(ok(request.id))
                return True
            if not may_open and not await seeks.renew([(player.id, whole_key)], self._lapse_at()):
                return False
            ratings = await self._journal.results.ratings([player.id]) if options.rated else ()
            if options.rated:
                await self.note_origin(client)
            if before is not None and before.seek.key != whole_key:
                await self._withdraw(before, client.subscriber)
            seek = Seek(player, whole_key, name_of(game), terms, *rating_for(game.key, options, ratings), now)
            room = await self.put(client, seek)
            pending = PendingSeek(client.subscriber, key, seek, options, self._time())
            if before is not None and self._is_pending(before):
                self._drop(before)
            if not client.open:
                await self._let_lapse(pending)
                return True
            client.send(ok(request.id))
            if room is not None:
                self._views.bring(client.subscriber, room)
            else:
                self._add(pending)
                self._wake(pending)
        return True

    async def unseek(self, client: Client, request: requests.Unseek) -> None:
        """Have ``client`` wait no longer, and answer it. If it has just been paired, it enters that room.

        Raises JournalError.
        """
        player = client.player.id
        async with self.turn(player):
            pending = self._seeks.get(player)
            if pending is not None:
                await self._withdraw(pending, client.subscriber)
            # Another node may have a seek of this player.
            elif await self._host.retry.call(lambda: self._journal.seeks.withdraw(player)):
                self._host.bus.send(Paired(player, ""))
            client.send(ok(request.id))

    async def suspend(self, player: str) -> PendingSeek | None:
        """Withdraw the player's seek, which may be resumed; None if this node has none.

        Hold the player's :meth:`turn`. If the seek has just been paired, its client enters the room. Raises Problem
        then, and JournalError.
        """
        pending = self._seeks.get(player)
        if pending is not None:
            self._remove(pending)
        withdrawn = await self._host.retry.call(lambda: self._journal.seeks.withdraw(player))
        if pending is None or withdrawn:
            return pending
        self._add(pending)
        await self._renew([pending])
        raise Problem(JUST_PAIRED)

    async def resume(self, pending: PendingSeek) -> None:
        """Put a suspended seek again. Hold the player's :meth:`turn`. Raises JournalError."""
        if pending.client.open:
            await self._host.retry.call(lambda: self._journal.seeks.put(pending.seek, self._lapse_at()))
            pending.fresh = True
            self._add(pending)
            self._wake(pending)

    async def pair_at_once(
        self, one: Seek, other: Seek, options: Options, ratings: Sequence[StoredRating]
    ) -> str | None:
        """Open a room for these two, and bring the player of ``one`` there. Returns it, or None if either is gone.

        Raises JournalError.
        """
        opened, write = await self._opened((one, other), options, ratings)
        if not await self._host.retry.once(self._journal.seeks.pair(one, other, write)):
            return None
        self._bring(opened, (one,))
        return write.room

    async def note_origin(self, client: Client) -> None:
        """Store where ``client`` asks for a rated game from. Raises JournalError."""
        origin = origin_of(client, self._journal.secret)
        await self._host.rated_pairs.note(client.player.id, origin)

    def drop(self, client: Subscriber) -> None:
        """The connection of ``client`` has ended, and so has its seek."""
        pending = self._seeks.get(client.player.id)
        if pending is not None and pending.client is client:
            self._remove(pending)
            self._tasks.spawn(self._let_lapse(pending))

    def on_paired(self, hint: Paired) -> None:
        """Another node has paired somebody, or withdrawn a seek."""
        if pending := self._seeks.get(hint.player):
            self._wake(pending)  # the journal says which of the player's seeks it was

    async def put(self, client: Client, seek: Seek) -> str | None:
        """Store ``seek``. Returns the room if it has been paired already. Raises JournalError."""
        retry, seeks = self._host.retry, self._journal.seeks
        try:
            return await retry.call(lambda: seeks.put(seek, self._lapse_at()))
        except UnknownPlayer:  # a guest that has been connected for long
            stored = await retry.call(lambda: store_again(self._journal, client.player))
        if stored != client.player:
            client.identify(stored)
            self.on_stored(stored)
        return await retry.call(lambda: seeks.put(replace(seek, player=stored), self._lapse_at()))

    async def _withdraw(self, pending: PendingSeek, client: Subscriber) -> None:
        """End a seek as ``client`` wishes. Raises JournalError. If it has just been paired, its client enters the
        room."""
        pending.withdrawn = pending.client is client
        if not await self._host.retry.call(lambda: self._journal.seeks.withdraw(pending.seek.player.id)):
            await self._renew([pending])
        if self._is_pending(pending):
            self._drop(pending)

    async def _let_lapse(self, pending: PendingSeek) -> None:
        """End a seek, unless the player has put it again meanwhile, here or elsewhere."""
        with suppress(JournalError):  # then it lapses by itself
            await self._journal.seeks.renew([pending.name], self._journal.now())

    def turn(self, player: str) -> asyncio.Lock:
        """The requests of a player are carried out one after the other."""
        return self._turns.setdefault(player, asyncio.Lock())

    def _is_pending(self, pending: PendingSeek) -> bool:
        return self._seeks.get(pending.seek.player.id) is pending

    def _add(self, pending: PendingSeek) -> None:
        if not self._seeks:
            self._polled_at = self._journal.now()  # it will look at what came before
        self._seeks[pending.seek.player.id] = pending
        self._by_wish.setdefault(pending.wish, {})[pending] = None
        if not pending.offered:
            self._without_offer.append(pending)

    def _remove(self, pending: PendingSeek) -> None:
        del self._seeks[pending.seek.player.id]
        same = self._by_wish[pending.wish]
        del same[pending]
        if not same:
            del self._by_wish[pending.wish]
            self._look_at.pop(pending.wish, None)

    def _drop(self, pending: PendingSeek) -> None:
        """Forget a seek that no longer waits. Its client is told, unless it withdrew it."""
        self._remove(pending)
        if not pending.withdrawn:
            pending.send_ended()

    def _lapse_at(self) -> int:
        return self._journal.now() + LAPSE_MS

    # --- rounds

    async def run(self) -> None:
        """Pair seeks for ever: those with the same wish when a seek arrives, and when the windows of two widen."""
        all_at = self._time() + self._timing.seek_round_s
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(all_at):
                    await self._awake.wait()
                await asyncio.sleep(self._timing.seek_batch_s)
            self._awake.clear()
            wishes, self._new_wishes = self._new_wishes, set()
            whole_round = self._time() >= all_at
            if whole_round:
                all_at = self._time() + self._timing.seek_round_s
            if self._seeks:
                # A server that stops must not tell only one of a pair.
                await asyncio.shield(self._tasks.spawn(self._round(wishes, by_time=whole_round)))

    def _wake(self, pending: PendingSeek) -> None:
        """Start a round now for the wish of ``pending``."""
        self._new_wishes.add(pending.wish)
        self._awake.set()

    async def _round(self, wishes: Iterable[Wish], *, by_time: bool) -> None:
        """Pair the seeks with one of these wishes, and do what is due ``by_time``."""
        self._look_soon(wishes)
        try:
            if by_time:
                self._offer_computer()
                if self._time() >= self._renew_at:
                    await self._renew(list(self._seeks.values()))
                    self._renew_at = self._time() + self._timing.seek_renew_s
                if self._journal.shared:
                    await self._poll()
                now = self._journal.now()
                wishes = [wish for wish, at in self._look_at.items() if at <= now]
            for wish in wishes:
                while pending_seeks := list(self._by_wish.get(wish, ())):
                    if not await self._pair(*wish, pending_seeks):
                        break
        except JournalError:
            pass  # it is logged, and the next round finds out what became of a pair

    def _look_soon(self, wishes: Iterable[Wish]) -> None:
        """Look at these wishes in the next round, unless a look before that finds that it is not needed."""
        self._look_at.update((wish, 0) for wish in wishes if wish in self._by_wish)

    def _offer_computer(self) -> None:
        """Offer the computer to those who have waited long enough."""
        now, offer_s = self._time(), self._timing.seek_offer_s
        while self._without_offer and now - self._without_offer[0].began >= offer_s:
            pending = self._without_offer.popleft()
            if self._is_pending(pending):
                pending.offer_computer(now - pending.began)

    async def _poll(self) -> None:
        """Look soon at what other nodes have changed: hints may be lost. Raises JournalError.

        A seek that another node has withdrawn is found when this node's seeks are renewed.
        """
        now = self._journal.now()
        changed = await self._host.retry.once(self._journal.seeks.changed(self._polled_at - LATE_MS))
        for player, key, game, terms, paired in changed:
            pending = self._seeks.get(player)
            if pending is not None and (paired or pending.seek.key != key):
                self._look_soon([pending.wish])
            if not paired and (pending is None or pending.seek.key != key):
                self._look_soon([(game, terms)])
        self._polled_at = now

    async def _renew(self, pending_seeks: Sequence[PendingSeek]) -> None:
        """Renew these seeks, and end those that no longer wait. Raises JournalError."""
        names = [pending.name for pending in pending_seeks]
        rooms = await self._host.retry.once(self._journal.seeks.renew(names, self._lapse_at()))
        for pending in pending_seeks:
            player = pending.seek.player.id
            if not self._is_pending(pending):
                continue  # it ended meanwhile
            room = rooms.get(player)
            if player not in rooms:
                self._drop(pending)  # the player seeks something else on another node, or nothing any more
            elif room is not None:
                if pending.opened is not None and pending.opened.room.id == room:  # this node had opened it after all
                    self._host.publish(pending.opened)
                self._remove(pending)
                self._views.bring(pending.client, room)

    async def _pair(self, game: str, terms: str, pending_seeks: Sequence[PendingSeek]) -> bool:
        """Pair seeks on these terms, of which ``pending_seeks`` are this node's. Whether there may be more to pair.

        Raises JournalError.
        """
        now, options = self._journal.now(), pending_seeks[0].options
        waiting = await self._host.retry.once(self._journal.seeks.waiting(game, terms, now, PAIRED_AT_ONCE))
        by_player = {seek.player.id: seek for seek in waiting}
        missing = [one for one in pending_seeks if one.seek.player.id not in by_player and self._is_pending(one)]
        if missing and len(waiting) < PAIRED_AT_ONCE:
            await self._renew(missing)
        lapsed = any(map(self._is_pending, missing))  # now they wait again
        found, seekers = [], [as_seeker(seek, options) for seek in waiting]
        for one, other in pairs(seekers, now):
            pending = self._seeks.get(other.player) or self._seeks.get(one.player)
            if pending is not None and (
                pending.fresh or pending.seek.player.id == other.player or _overdue((one, other), now)
            ):
                found.append((by_player[one.player], by_player[other.player], pending))
        for pending in pending_seeks:
            pending.fresh = pending.fresh and pending.seek.player.id not in by_player
        ratings = await self._ratings(found)
        tasks = []
        async with asyncio.TaskGroup() as group:
            for one_seek, other_seek, pending in found:
                tasks.append(group.create_task(self._open(one_seek, other_seek, pending, ratings)))
                await asyncio.sleep(0)  # each takes a moment, and other tasks need their turn
        if any(task.result() for task in tasks):
            return True
        at = now if lapsed else pairable_at(seekers)
        if at is None:
            self._look_at.pop((game, terms), None)
        elif (game, terms) in self._by_wish:
            self._look_at[game, terms] = at  # in the past, if a pair was left to another node or could not be opened
        return False

    async def _open(self, one: Seek, other: Seek, pending: PendingSeek, ratings: Sequence[StoredRating]) -> bool:
        """Open a room for two seeks, of which this node has ``pending``. Whether it did, as far as it knows."""
        try:
            opened, write = await self._opened((one, other), pending.options, ratings)
            pending.opened = opened
            if not await self._host.retry.once(self._journal.seeks.pair(one, other, write)):
                return False  # another node was faster
        except JournalError:
            return False
        self._bring(opened, (one, other))
        return True

    async def _opened(
        self, seeks: tuple[Seek, Seek], options: Options, ratings: Sequence[StoredRating]
    ) -> tuple[RoomUpdate, Append]:
        """A new room for two seekers, and its write. Raises JournalError."""
        one, other = seeks
        room, why = new_id(), None
        if options.rated:
            why = await self._host.rated_pairs.unrated_because(room, (one.player.id, other.player.id))
        now = self._journal.now()
        return open_for(room, seeks, options, ratings, now=now, rng=self._rng, unrated_because=why)

    def _bring(self, opened: RoomUpdate, seeks: Sequence[Seek]) -> None:
        """Publish a room that was opened for paired seeks, and have the clients of ``seeks`` enter it."""
        done, room = self._host.adopt(opened), opened.room.id
        for seek in seeks:
            client = self._client_of(seek)
            if client is None:
                self._host.bus.send(Paired(seek.player.id, room))
            elif not client.open:
                continue
            elif done is not None:
                self._views.enter(client, done.room)
            else:
                self._views.bring(client, room)
        self._host.release(room)

    def _client_of(self, seek: Seek) -> Subscriber | None:
        """The client of a seek that was paired, if it is here, even if it seeks something else by now."""
        pending = self._seeks.get(seek.player.id)
        if pending is None:
            return None
        if pending.seek.key == seek.key:
            self._remove(pending)
        return pending.client

    async def _ratings(self, found: Sequence[tuple[Seek, Seek, PendingSeek]]) -> Sequence[StoredRating]:
        """The ratings of all who will play with a clock. Raises JournalError."""
        players = [
            seek.player.id
            for *both, pending in found
            for seek in both
            if pending.options.clock is not None and seek.player.registered
        ]
        return await self._host.retry.once(self._journal.results.ratings(players)) if players else []


def _overdue(pair: tuple[Seeker, Seeker], now: int) -> bool:
    """True if another node should have opened a room for these two long ago."""
    at = pairable_at(pair)
    return at is not None and now - at >= OVERDUE_MS
