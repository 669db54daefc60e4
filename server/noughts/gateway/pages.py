"""What can be asked about players: the page of one, and the best of a game."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast, get_args

from pydantic_core import from_json

from noughts.engine import levels_of
from noughts.games import GAMES
from noughts.gateway.answers import answer, error, player_info
from noughts.journal import GameResult, Journal, JournalError, StoredPlayer, StoredRating
from noughts.protocol import requests, timestamp
from noughts.protocol.messages import Course, Listing, OutcomeInfo, PastGame, RatedPlayer, RatingInfo, TallyInfo
from noughts.ratings import PROVISIONAL, provisional, rating_of
from noughts.rooms import Pool

if TYPE_CHECKING:
    from noughts.gateway.conversation import Conversation

GAMES_SHOWN = 20
"""How many of a player's last games are on the page."""

GAMES_COUNTED = 10_000
"""How many of a player's last games the record is of: a bot may have played any number."""

POINTS_SHOWN = 50
"""How far back a rating over time goes, in games."""

LEADERS = 100
"""How many players are on a leaderboard."""

PAGES_PER_S = 2.0
"""How many pages may be asked for from one address, on average: each takes several looks into the journal."""

PAGES_AT_ONCE = 10
"""How many at once."""

_POOLS: tuple[Pool, ...] = get_args(Pool)


async def player_page(client: Conversation, request: requests.AboutPlayer) -> None:
    """Answer what is known of a player."""
    journal = client.hall.host.journal
    try:
        player = await journal.people.find(request.player)
        page = None if player is None else await _page(journal, player)
    except JournalError:
        client.unknown_outcome(request.id)
        return
    if page is None:
        text = "There is no player of that id or registered name."
        client.send(error(request.id, "unknown_player", text))
    else:
        client.send(answer("player", request.id, page))


async def leaderboard(client: Conversation, request: requests.Leaderboard) -> None:
    """Answer who is best, the computer's levels among them."""
    game, pool = GAMES.get(request.game), request.pool
    if game is None:
        client.send(error(request.id, "unknown_game", f"There is no game called {request.game!r} here."))
        return
    try:
        leaders = await client.hall.host.journal.results.leaders(game.key, pool, PROVISIONAL, LEADERS)
    except JournalError:
        client.unknown_outcome(request.id)
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
    players.sort(key=lambda player: -player["rating"])
    client.send(answer("leaderboard", request.id, {"game": game.key, "pool": pool, "players": players}))


async def _page(journal: Journal, player: StoredPlayer) -> dict[str, object]:
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
        "course": [await _course(journal, rating) for rating in ratings],
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


def _past_game(finished: GameResult, listing: bytes) -> PastGame:
    listed: Listing = from_json(listing)
    # A room that was over before listings told how has none there.
    told: OutcomeInfo = {"winner": finished.winner, "reason": finished.reason, "cells": []}
    return {
        "room": finished.room,
        "game": finished.game,
        "ended_at": timestamp(finished.ended_at),
        "rated": finished.pool is not None,
        "seats": listed["seats"],
        "outcome": listed.get("outcome", told),
    }


async def _course(journal: Journal, rating: StoredRating) -> Course:
    course = await journal.results.rating_history(rating.player, rating.game, rating.pool, POINTS_SHOWN)
    return {
        "game": rating.game,
        "pool": _pool(rating),
        "points": [{"at": timestamp(ended_at), "rating": round(points)} for ended_at, points in course],
    }


def _level(game: str, level: str) -> RatedPlayer:
    """A level of the computer, whose rating no game changes."""
    rating = rating_of(game, level)
    return {
        "id": f"computer:{level}",
        "name": "minimax",
        "kind": "computer",
        "rating": round(rating.rating),
        "deviation": round(rating.deviation),
        "fixed": True,
    }


def _pool(rating: StoredRating) -> Pool:
    return cast("Pool", rating.pool)  # the journal keeps it as a text
