"""Players' profiles, the leaderboards, and what a rated game is about."""

from __future__ import annotations

from functools import partial
from typing import cast, get_args

from pydantic_core import from_json

from noughts.engine import levels_of
from noughts.games import GAMES
from noughts.games.sentences import no_such_game
from noughts.gateway.client import Client, load_room
from noughts.gateway.feature import Feature
from noughts.gateway.replies import UNKNOWN_GAME, Error, Problem, answer, player_info
from noughts.gateway.server import Server
from noughts.journal import GameResult, Journal, StoredPlayer, StoredRating
from noughts.players.names import COMPUTER_NAME
from noughts.protocol import requests
from noughts.protocol.player_messages import BestWin, Course, PastGame, RatedPlayer, RatingInfo, TallyInfo
from noughts.protocol.render import timestamp
from noughts.protocol.room_messages import Listing, OutcomeInfo, StakesInfo
from noughts.ratings import PROVISIONAL, Stakes, is_measured, provisional, rating_of, stakes
from noughts.rooms import Pool, Room, pool_of

UNKNOWN_PLAYER = Error("unknown_player", "No player has that id or registered name.")

GAMES_SHOWN = 20
"""The number of a player's latest games that a profile lists."""

WINS_AMONG, WINS_SHOWN = 500, 3
"""Among how many of a player's latest games on either side a profile looks for the best wins, and over how many
opponents it shows one."""

GAMES_COUNTED = 10_000
"""The number of a player's latest games that the record counts: a bot may have played any number."""

POINTS_SHOWN = 50
"""The number of games a rating history goes back."""

LEADERS = 100
"""The number of players a leaderboard lists."""

_POOLS: tuple[Pool, ...] = get_args(Pool)


def feature(server: Server) -> Feature:
    """Profiles of players, leaderboards, and stakes."""
    return Feature(
        requests={
            requests.AboutPlayer: partial(tell_player, server),
            requests.Leaderboard: partial(tell_leaderboard, server),
            requests.AskStakes: partial(tell_stakes, server),
        }
    )


async def tell_player(server: Server, client: Client, request: requests.AboutPlayer) -> None:
    """Answer with a player's profile."""
    server.check_page(client)
    journal = server.host.journal
    player = await journal.people.find(request.player)
    if player is None:
        raise Problem(UNKNOWN_PLAYER)
    if client.open:
        client.send(answer("player", request.id, await _profile(journal, player)))
        server.costs.settle(client)


async def tell_leaderboard(server: Server, client: Client, request: requests.Leaderboard) -> None:
    """Answer with the best players of a game and pool, the computer's levels among them."""
    server.check_page(client)
    game, pool = GAMES.get(request.game), request.pool
    if game is None:
        raise Problem(UNKNOWN_GAME, problem=no_such_game(request.game, GAMES))
    leaders = await server.host.journal.results.leaders(game.key, pool, PROVISIONAL, LEADERS)
    if not client.open:
        return
    players = [_level(game.key, level) for level in levels_of(game)]
    for rating, name, kind, registered in leaders:
        shown: RatedPlayer = {
            "id": rating.player,
            "name": name,
            "kind": "bot" if kind == "bot" else "human",
            "rating": round(rating.rating),
            "deviation": round(rating.deviation),
            "games": rating.games,
        }
        if registered:
            shown["registered"] = True
        players.append(shown)
    players.sort(key=lambda player: (player.get("measured") is False, -player["rating"]))
    client.send(answer("leaderboard", request.id, {"game": game.key, "pool": pool, "players": players}))
    server.costs.settle(client)


async def tell_stakes(server: Server, client: Client, request: requests.AskStakes) -> None:
    """Answer with the points that each result of a room's game is worth."""
    server.costs.check_reader(client)
    known = request.room in server.host.at_hand
    room = await server.costs.loaded(client, load_room(server.host, request.room, client), known=known)
    first, second = await _stakes(server.host.journal, room)
    if client.open:
        client.send(answer("stakes", request.id, {"room": room.id, "first": _shown(first), "second": _shown(second)}))
        server.costs.settle(client)


async def _stakes(journal: Journal, room: Room) -> tuple[Stakes | None, Stakes | None]:
    first, second, control = room.first, room.second, room.options.clock
    if not room.rated or room.status == "over" or first is None or second is None or control is None:
        return None, None
    pool = pool_of(control)
    found = await journal.results.ratings([first.id, second.id])
    ratings = {one.player: one for one in found if (one.game, one.pool) == (room.game.key, pool)}
    return stakes(room.game.key, first.id, second.id, ratings.get(first.id), ratings.get(second.id))


def _shown(of: Stakes | None) -> StakesInfo | None:
    return None if of is None else {"win": of.win, "draw": of.draw, "loss": of.loss}


async def _profile(journal: Journal, player: StoredPlayer) -> dict[str, object]:
    results = journal.results
    ratings = await results.ratings([player.id])
    ratings.sort(key=lambda rating: (rating.game, _POOLS.index(_pool(rating))))
    record: list[TallyInfo] = [
        {"game": tally.game, "won": tally.won, "drawn": tally.drawn, "lost": tally.lost}
        for tally in await results.tally(player.id, GAMES_COUNTED)
    ]
    first = await results.first_of(player.id)
    since = {} if first is None else {"since": timestamp(first)}
    best = {"best": wins} if ratings and (wins := await _best_wins(journal, player.id)) else {}
    return {
        "player": player_info(player),
        **since,
        "ratings": [_rating_info(rating) for rating in ratings],
        "record": record,
        "games": [_past_game(*game) for game in await results.last_of(player.id, GAMES_SHOWN)],
        **best,
        "course": [await _rating_history(journal, rating) for rating in ratings],
    }


def _rating_info(rating: StoredRating) -> RatingInfo:
    return {
        "game": rating.game,
        "pool": _pool(rating),
        "rating": round(rating.rating),
        "deviation": round(rating.deviation),
        "provisional": provisional(rating.deviation),
        "games": rating.games,
    }


def _past_game(result: GameResult, listing: bytes) -> PastGame:
    listed: Listing = from_json(listing)
    # Listings of old rooms lack the outcome.
    outcome: OutcomeInfo = {"winner": result.winner, "reason": result.reason, "cells": []}
    return {
        "room": result.room,
        "game": result.game,
        "ended_at": timestamp(result.ended_at),
        "rated": result.pool is not None,
        "seats": listed["seats"],
        "outcome": listed.get("outcome", outcome),
    }


async def _best_wins(journal: Journal, player: str) -> list[BestWin]:
    best = await journal.results.best_of(player, WINS_AMONG, WINS_SHOWN)
    listings = await journal.index.listings([win.room for win, _ in best])
    return [
        {**_past_game(win, listings[win.room]), "rating": round(rating)} for win, rating in best if win.room in listings
    ]


async def _rating_history(journal: Journal, rating: StoredRating) -> Course:
    history = await journal.results.rating_history(rating.player, rating.game, rating.pool, POINTS_SHOWN)
    return {
        "game": rating.game,
        "pool": _pool(rating),
        "points": [{"at": timestamp(ended_at), "rating": round(points)} for ended_at, points in history],
    }


def _level(game: str, level: str) -> RatedPlayer:
    """A level of the computer. Its rating is fixed."""
    rating = rating_of(game, level)
    shown: RatedPlayer = {
        "id": f"computer:{level}",
        "name": COMPUTER_NAME,
        "kind": "computer",
        "rating": round(rating.rating),
        "deviation": round(rating.deviation),
        "fixed": True,
    }
    if not is_measured(game):
        shown["measured"] = False
    return shown


def _pool(rating: StoredRating) -> Pool:
    return cast("Pool", rating.pool)  # the journal stores it as text
