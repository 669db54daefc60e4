"""Computer seats, and the computers' answers to draw offers."""

from __future__ import annotations

import random

from noughts.computer import ComputerSeats, DrawAnswers
from noughts.gateway.feature import Feature, Loop, Reading
from noughts.gateway.server import Server
from noughts.host import WithComputer
from noughts.rooms import Offered


def feature(server: Server) -> Feature:
    """Ordinary players whose moves are searched for."""
    searches, timing = server.computer.searches, server.timing
    seats = ComputerSeats(server.host, searches, server.settings.computer_pace_s, random.Random(), timing)
    draws = DrawAnswers(server.host, server.computer.analyse, timing)

    async def close() -> None:
        await draws.close()
        await seats.close()

    loops: list[Loop] = [seats.run]
    if server.settings.warm_up:
        loops.append(searches.warm_up)
    readings = [
        Reading("searches_waiting", "Moves that wait for a search.", lambda: seats.waiting),
        Reading("searches_running", "Searches for moves, analyses, reviews and traces.", lambda: searches.running),
        Reading("analyses_waiting", "Analyses and traces that wait for a search.", lambda: searches.analyses_waiting),
    ]
    if (farm := searches.farm) is not None:
        loops.append(farm.connect)
        readings += [
            Reading("farm_places", "Searches that the farm can do at a time; 0 while it is gone.", lambda: farm.most),
            Reading("farm_searches_total", "Searches that the farm has done.", lambda: farm.done),
            Reading("farm_lost_total", "Searches that the farm has lost, and that were done here.", lambda: farm.lost),
        ]

    return Feature(
        updates={WithComputer: seats.on_update, Offered: draws.on_update},
        on_loaded=seats.on_loaded,
        on_watched=seats.on_watched,
        loops=tuple(loops),
        close=close,
        readings=tuple(readings),
    )
