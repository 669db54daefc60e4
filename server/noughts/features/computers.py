"""Computer seats, and the computers' answers to draw offers."""

from __future__ import annotations

import random

from noughts.computer import ComputerSeats, DrawAnswers
from noughts.gateway.feature import Feature, Reading
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

    return Feature(
        updates={WithComputer: seats.on_update, Offered: draws.on_update},
        on_loaded=seats.on_loaded,
        on_watched=seats.on_watched,
        loops=(seats.run, searches.warm_up) if server.settings.warm_up else (seats.run,),
        close=close,
        readings=(
            Reading("searches_waiting", "Moves that wait for a search.", lambda: seats.waiting),
            Reading("searches_running", "Searches for moves, analyses, reviews and traces.", lambda: searches.running),
            Reading(
                "analyses_waiting", "Analyses and traces that wait for a search.", lambda: searches.analyses_waiting
            ),
        ),
    )
