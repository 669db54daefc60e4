"""Seeking an opponent, and taking another player's open seek: that pairs these two at once."""

from __future__ import annotations

import random

from noughts.bus import Paired
from noughts.features.matchmaking import Matchmaker
from noughts.features.pending_seek import rating_for
from noughts.games.catalogue import BadSetup, UnknownGame, game_named
from noughts.gateway.client import Client
from noughts.gateway.commands import as_player, options_for
from noughts.gateway.feature import Feature
from noughts.gateway.replies import Error, Problem, ok
from noughts.gateway.server import Server
from noughts.journal import Seek
from noughts.players.ids import new_id, seek_id, seeker_of
from noughts.protocol import requests
from noughts.rooms import Open, Options, decide
from noughts.rooms.matching import read_terms

UNKNOWN_SEEK = Error("unknown_seek", "That seek is no longer open.")
OWN_SEEK = Error("not_allowed", "That is your own seek.")
CANNOT_SEEK = Error("not_allowed", "To seek an opponent you must stay connected. Use a WebSocket.")

OPENING_BYTES = 1000
"""About what a room takes in the journal when a seek opens it."""


def feature(server: Server) -> Feature:
    """Opponents for those who want the same game."""
    matchmaker = Matchmaker(
        server.host, server.settings, server.views, server.tasks, rng=random.Random(), timing=server.timing
    )
    matchmaker.on_stored = server.sessions.changed
    seeking = Seeking(server, matchmaker)
    return Feature(
        requests={requests.Seek: seeking.seek, requests.Unseek: seeking.unseek, requests.Take: seeking.take},
        hints={Paired: matchmaker.on_paired},
        on_client_gone=lambda client: matchmaker.drop(client.subscriber),
        loops=(matchmaker.run,),
    )


class Seeking:
    """Carries out requests about seeks with ``matchmaker``."""

    def __init__(self, server: Server, matchmaker: Matchmaker) -> None:
        self._server = server
        self._host = server.host
        self._costs = server.costs
        self._open_rooms = server.open_rooms
        self._matchmaker = matchmaker

    async def seek(self, client: Client, request: requests.Seek) -> None:
        """Wait for an opponent. It will open a room, which the client must be able to watch."""
        self._check(client)
        self._costs.check_write(client)
        self._costs.charge_seek(client)
        async with self._open_rooms.opening(client) as limit:
            if not client.open:
                return
            self._server.check_may_watch(client, "")
            if not await self._matchmaker.seek(client, request, may_open=limit is None):
                assert limit is not None
                raise self._open_rooms.refusal(client, limit)
            client.written += OPENING_BYTES

    async def unseek(self, client: Client, request: requests.Unseek) -> None:
        """Stop waiting for an opponent."""
        self._check(client)
        self._costs.charge_seek(client)
        async with self._open_rooms.opening(client):  # after the seek that was sent before it
            await self._matchmaker.unseek(client, request)

    def _check(self, client: Client) -> None:
        """Raise a problem if the client cannot wait, or has cost too much."""
        if not client.can_seek:
            raise Problem(CANNOT_SEEK)
        self._costs.check(client)

    async def take(self, client: Client, request: requests.Take) -> None:
        """Open a room for the client and the player of a seek."""
        self._check(client)
        if seeker_of(request.seek) == client.player.id:
            raise Problem(OWN_SEEK)
        self._costs.check_write(client)
        self._costs.charge_seek(client)
        matchmaker = self._matchmaker
        async with self._open_rooms.opening(client) as limit, matchmaker.turn(client.player.id):
            if not client.open:
                return
            self._server.check_may_watch(client, "")
            theirs = await self._find(request.seek)
            terms = None if theirs is None else read_terms(theirs.terms)
            if theirs is None or terms is None:
                await self._enter_again(client, request)
                return
            if limit is not None:
                raise self._open_rooms.refusal(client, limit)
            clock, rated = terms
            await self._take(
                client, request, theirs, options_for(clock, self._server.settings, private=False, rated=rated)
            )
            client.written += OPENING_BYTES

    async def _take(self, client: Client, request: requests.Take, theirs: Seek, options: Options) -> None:
        """Pair the client's player with ``theirs``. The player's own seek goes on if that fails."""
        host, matchmaker, player = self._host, self._matchmaker, client.player
        now = host.journal.now()
        # Refuse now what the room would refuse later.
        try:
            game = game_named(theirs.game)
        except (UnknownGame, BadSetup):
            raise Problem(UNKNOWN_SEEK) from None  # it is another node's, which knows the game
        seats = as_player(theirs.player), as_player(player)
        decide(None, Open(new_id(), game.key, player.id, *seats, options, setup=game.setup), now)
        ratings = await host.journal.results.ratings([player.id, theirs.player.id]) if options.clock is not None else []
        if options.rated:
            await matchmaker.note_origin(client)
        own = await matchmaker.suspend(player.id)
        # For the pairing each of the two needs a seek. No other has these terms, so nobody else is paired with it.
        rating = rating_for(theirs.game, options, (one for one in ratings if one.player == player.id))
        mine = Seek(player, _key(request), theirs.game, _key(request), *rating, now)
        room = await matchmaker.put(client, mine) or await matchmaker.pair_at_once(theirs, mine, options, ratings)
        if room is None:
            await host.retry.call(lambda: host.journal.seeks.withdraw(player.id))
            if own is not None:
                await matchmaker.resume(own)
            raise Problem(UNKNOWN_SEEK)
        if own is not None and own.client is not client.subscriber:
            own.send_ended()
        self._enter(client, request, room)

    async def _find(self, name: str) -> Seek | None:
        """The open seek with this id."""
        journal = self._host.journal
        found = await self._host.retry.call(lambda: journal.seeks.find(seeker_of(name), journal.now()))
        return found if found is not None and seek_id(journal.secret, found.player.id, found.key) == name else None

    async def _enter_again(self, client: Client, request: requests.Take) -> None:
        """The seek is not open. If this player has taken it, and the answer was lost, enter that room."""
        journal, player = self._host.journal, client.player.id
        rooms = await self._host.retry.call(lambda: journal.seeks.renew([(player, _key(request))], journal.now()))
        room = rooms.get(player)
        if room is None:
            raise Problem(UNKNOWN_SEEK)
        self._enter(client, request, room)

    def _enter(self, client: Client, request: requests.Take, room: str) -> None:
        client.send(ok(request.id, room=room))
        self._server.views.bring(client.subscriber, room)


def _key(request: requests.Take) -> str:
    """The key of the taker's own seek, which is also its terms: a repeated request finds the room by it."""
    return f"take {request.seek}"
