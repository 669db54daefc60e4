"""Taking another player's open seek: it pairs these two at once, whatever the taker was looking for."""

from __future__ import annotations

from noughts.gateway import replies
from noughts.gateway.client import Client
from noughts.gateway.commands import as_player, options_for
from noughts.gateway.play import OPENING_BYTES, check_may_watch
from noughts.gateway.replies import Problem, ok
from noughts.gateway.seeks import rating_for
from noughts.gateway.services import Services
from noughts.journal import Seek
from noughts.players.ids import new_id, seek_id, seeker_of
from noughts.protocol import requests
from noughts.rooms import Open, Options, decide
from noughts.rooms.matching import read_terms


async def handle_take(services: Services, client: Client, request: requests.Take) -> None:
    """Open a room for the client and the player of a seek."""
    if not client.can_seek:
        raise Problem(replies.CANNOT_SEEK)
    if seeker_of(request.seek) == client.player.id:
        raise Problem(replies.OWN_SEEK)
    services.costs.check(client)
    services.costs.check_write(client)
    services.costs.charge_seek(client)
    matchmaker = services.matchmaker
    async with services.open_rooms.opening(client) as limit, matchmaker.turn(client.player.id):
        if not client.open:
            return
        check_may_watch(services, client, "")
        theirs = await _find(services, request.seek)
        terms = None if theirs is None else read_terms(theirs.terms)
        if theirs is None or terms is None:
            await _enter_again(services, client, request)
            return
        if limit is not None:
            raise services.open_rooms.refusal(client, limit)
        clock, rated = terms
        await _take(
            services, client, request, theirs, options_for(clock, services.settings, private=False, rated=rated)
        )
        client.written += OPENING_BYTES


async def _take(services: Services, client: Client, request: requests.Take, theirs: Seek, options: Options) -> None:
    """Pair the client's player with ``theirs``. The player's own seek goes on if that fails."""
    host, matchmaker, player = services.host, services.matchmaker, client.player
    now = host.journal.now()
    # Refuse now what the room would refuse later.
    decide(None, Open(new_id(), theirs.game, player.id, as_player(theirs.player), as_player(player), options), now)
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
        raise Problem(replies.UNKNOWN_SEEK)
    if own is not None and own.client is not client.subscriber:
        own.send_ended()
    _enter(services, client, request, room)


async def _find(services: Services, name: str) -> Seek | None:
    """The open seek with this id."""
    journal = services.host.journal
    found = await services.host.retry.call(lambda: journal.seeks.find(seeker_of(name), journal.now()))
    return found if found is not None and seek_id(journal.secret, found.player.id, found.key) == name else None


async def _enter_again(services: Services, client: Client, request: requests.Take) -> None:
    """The seek is not open. If this player has taken it, and the answer was lost, enter that room."""
    journal, player = services.host.journal, client.player.id
    rooms = await services.host.retry.call(lambda: journal.seeks.renew([(player, _key(request))], journal.now()))
    room = rooms.get(player)
    if room is None:
        raise Problem(replies.UNKNOWN_SEEK)
    _enter(services, client, request, room)


def _enter(services: Services, client: Client, request: requests.Take, room: str) -> None:
    client.send(ok(request.id, room=room))
    services.views.bring(client.subscriber, room)


def _key(request: requests.Take) -> str:
    """The key of the taker's own seek, which is also its terms: a repeated request finds the room by it."""
    return f"take {request.seek}"
