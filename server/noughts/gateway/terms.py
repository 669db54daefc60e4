"""What is settled when a room is opened: as the client wishes it, and as the server's settings have it."""

from __future__ import annotations

from noughts.config import Settings
from noughts.protocol import requests
from noughts.rooms import Fischer, Options, PerMove, TimeControl


def options_of(request: requests.Create, settings: Settings) -> Options:
    """The options of the room that ``request`` opens."""
    clock = _clock(request.clock)
    patience = 2 if clock is not None and clock.slow else 1
    return Options(
        private=request.private,
        waiting_ms=_ms(settings.waiting_s),
        sleeping_ms=_ms(settings.sleeping_days * 86_400),
        rated=request.rated,
        clock=clock,
        first_move_ms=_ms(settings.first_move_s),
        abandoned_ms=_ms(settings.abandoned_s),
        claim_ms=_ms(settings.claim_s) * patience,
    )


def _clock(wish: requests.FischerClock | requests.PerMoveClock | None) -> TimeControl | None:
    match wish:
        case None:
            return None
        case requests.FischerClock():
            return Fischer(_ms(wish.initial_s), _ms(wish.increment_s))
        case requests.PerMoveClock():
            return PerMove(_ms(wish.per_move_s))


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
