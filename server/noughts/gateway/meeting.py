"""Takes the seeks of this node's clients, one for each player, and ends them.

The journal holds all seeks, and its transaction that takes two of them and opens their room keeps anybody from being
paired twice. Who is paired with whom is found in :mod:`noughts.gateway.rounds`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from noughts.config import Settings
from noughts.gateway.answers import error, ok
from noughts.gateway.identity import keep, new_id
from noughts.gateway.pairing import rating_in
from noughts.gateway.rounds import Rounds
from noughts.gateway.sought import Sought
from noughts.gateway.table import as_player, options_of
from noughts.host import Host
from noughts.journal import JournalError, Seek, UnknownPlayer
from noughts.protocol import requests
from noughts.rooms import Open, Refused, decide
from noughts.rooms.matching import terms_of

if TYPE_CHECKING:
    from noughts.gateway.conversation import Conversation


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
        self._rounds = Rounds(host, bring, rng)
        self._sought = self._rounds.sought
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._time = asyncio.get_running_loop().time

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
                if not may_open and not await seeks.renew([(player.id, whole_key)], self._rounds.until()):
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
            if before is not None and self._rounds.has(before):
                self._rounds.drop(before)
            if not client.open:
                await self._let_lapse(sought)
                return True
            client.send(ok(request.id))
            if room is not None:
                self._bring(client, room)
            else:
                self._sought[player.id] = sought
                self._rounds.stir(sought)
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
                    await self._host.retry.call(lambda: self._journal.seeks.withdraw(player))
            except JournalError:
                client.unknown_outcome(request.id)
                return
            client.send(ok(request.id))

    def gone(self, client: Conversation) -> None:
        """The connection of ``client`` is no more, and with it what it sought."""
        sought = self._sought.get(client.player.id)
        if sought is not None and sought.client is client:
            del self._sought[client.player.id]
            self._rounds.spawn(self._let_lapse(sought))

    async def keep_up(self) -> None:
        """Pair who seeks, for ever."""
        await self._rounds.keep_up()

    async def close(self) -> None:
        """Finish what is under way."""
        await self._rounds.close()

    async def _put(self, client: Conversation, seek: Seek) -> str | None:
        """Store ``seek``, of ``client``'s player; the room that it has been paired in. Raises JournalError."""
        retry, seeks = self._host.retry, self._journal.seeks
        try:
            return await retry.call(lambda: seeks.put(seek, self._rounds.until()))
        except UnknownPlayer:  # a guest who has been connected for long
            kept = await retry.call(lambda: keep(self._journal, client.player))
        if kept != client.player:
            client.alter(kept)
            client.hall.standing.altered(kept)
        return await retry.call(lambda: seeks.put(replace(seek, player=kept), self._rounds.until()))

    async def _end(self, sought: Sought, client: Conversation) -> None:
        """``client`` wishes that the player's seek wait no more. Raises JournalError.

        Where an opponent was found before, whoever sought gets that room.
        """
        sought.given_up = sought.client is client
        if not await self._host.retry.call(lambda: self._journal.seeks.withdraw(sought.seek.player.id)):
            await self._rounds.find_out([sought])
        if self._rounds.has(sought):
            self._rounds.drop(sought)

    async def _let_lapse(self, sought: Sought) -> None:
        """Have a seek wait no more, unless the player has come back meanwhile, here or elsewhere: then it is kept."""
        with suppress(JournalError):  # then it takes its time
            await self._journal.seeks.renew([sought.name], self._journal.now())

    def _turn(self, player: str) -> asyncio.Lock:
        """What a player asks for is done one after the other."""
        return self._turns.setdefault(player, asyncio.Lock())
