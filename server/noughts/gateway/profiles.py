"""Players' profiles, and the leaderboards."""

from __future__ import annotations

from typing import cast, get_args

from pydantic_core import from_json

from noughts.engine import levels_of
from noughts.games import GAMES
from noughts.games.sentences import no_such_game
from noughts.gateway import replies
from noughts.gateway.client import Client
from noughts.gateway.replies import Problem, answer, player_info
from noughts.gateway.services import Services
from noughts.journal import GameResult, Journal, StoredPlayer, StoredRating
from noughts.protocol import requests
from noughts.protocol.messages import Course, Listing, OutcomeInfo, PastGame, RatedPlayer, RatingInfo, TallyInfo
from noughts.protocol.render import timestamp
from noughts.ratings import PROVISIONAL, is_measured, provisional, rating_of
from noughts.rooms import Pool

GAMES_SHOWN = 20
"""How many of a player's latest games a profile lists."""

GAMES_COUNTED = 10_000
"""How many of a player's latest games the record counts: a bot may have played any number."""

POINTS_SHOWN = 50
"""How many games a rating history goes back."""

LEADERS = 100
"""How many players a leaderboard lists."""

PAGES_PER_S = 2.0
"""How many profiles and leaderboards an address may request a second: each takes several reads of the journal."""

PAGES_AT_ONCE = 10
"""How many it may request at once."""

_POOLS: tuple[Pool, ...] = get_args(Pool)


async def handle_player(services: Services, client: Client, request: requests.AboutPlayer) -> None:
    """Answer with a player's profile."""
    limit_pages(services, client)
    journal = services.host.journal
    player = await journal.people.find(request.player)
    if player is None:
        raise Problem(replies.UNKNOWN_PLAYER)
    if client.open:
        client.send(answer("player", request.id, await _profile(journal, player)))
        services.costs.settle(client)


async def handle_leaderboard(services: Services, client: Client, request: requests.Leaderboard) -> None:
    """Answer with the best players of a game and pool, the computer's levels among them."""
    limit_pages(services, client)
    game, pool = GAMES.get(request.game), request.pool
    if game is None:
        raise Problem(replies.UNKNOWN_GAME, problem=no_such_game(request.game, GAMES))
    leaders = await services.host.journal.results.leaders(game.key, pool, PROVISIONAL, LEADERS)
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
    services.costs.settle(client)


def limit_pages(services: Services, client: Client) -> None:
    """Limit what an address may ask that takes reads of the journal, or as long."""
    services.costs.check_reader(client)
    if wait_s := client.pages.take(services.time()):
        client.monitor.limit("pages", client.who, "refused a profile or a leaderboard")
        raise Problem(replies.TOO_MANY_PAGES, retry_after_s=wait_s)


async def _profile(journal: Journal, player: StoredPlayer) -> dict[str, object]:
    results = journal.results
    ratings = await results.ratings([player.id])
    ratings.sort(key=lambda rating: (rating.game, _POOLS.index(_pool(rating))))
    record: list[TallyInfo] = [
        {"game": tally.game, "won": tally.won, "drawn": tally.drawn, "lost": tally.lost}
        for tally in await results.tally(player.id, GAMES_COUNTED)
    ]
    return {
        "player": player_info(player),
        "ratings": [_rating_info(rating) for rating in ratings],
        "record": record,
        "games": [_past_game(*game) for game in await results.last_of(player.id, GAMES_SHOWN)],
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
        "name": "minimax",
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
