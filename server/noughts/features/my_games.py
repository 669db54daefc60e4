"""A player's own games: those under way, with whose turn it is, and those that have ended.

They are found in the journal's index. Only a game under way is also read, if it is not in memory: its row does not say
whose turn it is, or every move would write it.
"""

from __future__ import annotations

import math
from functools import partial

from pydantic_core import from_json

from noughts.gateway.client import Client, load_room
from noughts.gateway.feature import Feature
from noughts.gateway.replies import Problem, answer
from noughts.gateway.server import Server
from noughts.host import Failed
from noughts.journal import PastGame
from noughts.protocol import requests
from noughts.protocol.player_messages import MyGame
from noughts.protocol.render import my_game, my_running_game, timestamp
from noughts.protocol.room_messages import Listing
from noughts.rooms import Room

PAGE = 20
"""The greatest number of games on a page."""


def feature(server: Server) -> Feature:
    """A list of one's own games."""
    return Feature(requests={requests.MyGames: partial(tell_games, server)})


async def tell_games(server: Server, client: Client, request: requests.MyGames) -> None:
    """Answer with a page of the games of the client's player."""
    server.costs.check_reader(client)
    server.costs.charge_list(client)
    page = _finished if request.over else _running
    games, more = await page(server, client, request.after)
    if client.open:
        now = timestamp(server.host.journal.now())
        last = {} if more is None else {"more": more}
        client.send(answer("games", request.id, {"now": now, "games": games, **last}))
        server.costs.settle(client)


async def _running(server: Server, client: Client, after: str | None) -> tuple[list[MyGame], str | None]:
    """Games under way, and the last of them if there are more. Those in which the player is to move come first."""
    player, now = client.player.id, server.host.journal.now()
    rows = await server.host.journal.games.unfinished(player, after, PAGE + 1)
    more = rows[PAGE - 1][0] if len(rows) > PAGE else None
    found: list[tuple[float, MyGame]] = []
    for room_id, listed in rows[:PAGE]:
        try:
            room = await _room(server, client, room_id)
        except Problem:
            if not found:
                raise
            more = found[-1][1]["room"]  # the rest costs too much for now
            break
        if room is None:
            found.append((math.inf, my_game(from_json(listed), player)))
        elif room.status != "over":  # it may have ended meanwhile
            found.append((_left(room, player, now), my_running_game(room, player)))
    return [game for _, game in sorted(found, key=lambda one: one[0])], more


async def _room(server: Server, client: Client, room_id: str) -> Room | None:
    """The room as it is now; None if this server cannot run it.

    Raises :class:`~noughts.gateway.replies.Problem` if it would have to be read and the client may not cost so much.
    """
    room = server.host.room(room_id)
    if room is None:
        server.costs.check(client)
        try:
            room = await load_room(server.host, room_id, client)
        except Failed as failure:
            if failure.code == "overloaded":
                raise
        server.costs.charge_load(client, room)
    return room


def _left(room: Room, player: str, now: int) -> float:
    """By what running games are ordered: how long the player has for the next move, in ms; infinite if not to move."""
    side = room.to_move
    if side is None or side is not room.side_of(player):
        return math.inf
    if room.clocks is None:
        return float(room.options.sleeping_ms)
    return room.clocks.left(side) - (now - room.moved_at if room.running is side else 0)


async def _finished(server: Server, client: Client, after: str | None) -> tuple[list[MyGame], str | None]:
    """Games that have ended, and the last of them if there are more. The last to end come first."""
    past = await server.host.journal.games.finished(client.player.id, after, PAGE + 1)
    more = past[PAGE - 1].result.room if len(past) > PAGE else None
    return [_past_game(one, client.player.id) for one in past[:PAGE] if one.listing is not None], more


def _past_game(past: PastGame, player: str) -> MyGame:
    result = past.result
    listed: Listing = from_json(past.listing or b"")
    shown = my_game(listed, player)
    # Listings of old rooms lack the outcome.
    shown.setdefault("outcome", {"winner": result.winner, "reason": result.reason, "cells": []})
    shown["ended_at"] = timestamp(result.ended_at)
    if past.rating is not None:
        shown["rating"] = {"before": None if past.before is None else round(past.before), "after": round(past.rating)}
    return shown
