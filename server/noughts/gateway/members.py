"""The rights of strangers and members on a server that is not open to everybody. Does no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from noughts.config import Settings
from noughts.gateway.client import Client
from noughts.gateway.feature import Handler
from noughts.gateway.replies import Error, Problem
from noughts.journal import StoredPlayer
from noughts.protocol import requests, tournament_requests

FOR_INVITED = Error(
    "not_invited", "Only registered and invited players can do that here. Ask the operator for an invitation."
)
FOR_REGISTERED = Error("not_invited", "Only registered players can do that here, and no more can register.")

ENTERING = (requests.Hello, requests.Enter, requests.Redeem, requests.Ping)
"""The requests of strangers that are always allowed: by these they become somebody else."""

WATCHING = (
    *(requests.Watch, requests.Leave, requests.AskLegalMoves, requests.ChatHistory, requests.Lobby),
    *(requests.AboutPlayer, requests.Leaderboard, requests.AskStakes, requests.QrCode),
    *(tournament_requests.Tournaments, tournament_requests.ShowTournament),
)
"""The requests by which strangers look on. They cost no search, and nobody else notices them."""


class Members:
    """Keeps strangers from what is for members, by the settings ``registration`` and ``guests_watch``."""

    def __init__(self, settings: Settings) -> None:
        self._registration = settings.registration
        self._allowed = frozenset((*ENTERING, *WATCHING) if settings.guests_watch else ENTERING)
        self._most: Literal["watch", "enter"] = "watch" if settings.guests_watch else "enter"

    def check_open(self) -> None:
        """Raise :class:`~noughts.gateway.replies.Problem` unless an invitation lets somebody in."""
        if self._registration == "closed":
            raise Problem(FOR_REGISTERED)

    def most(self, player: StoredPlayer) -> Literal["watch", "enter"] | None:
        """The most that ``player`` may do here: watch, or only become a member. None for anything."""
        return None if self._has(player) else self._most

    def only(self, handlers: Mapping[type, Handler]) -> Mapping[type, Handler]:
        """``handlers``, of which those for members refuse strangers."""
        if self._registration == "open":
            return handlers
        return {
            request: handler if request in self._allowed else self._guarded(handler)
            for request, handler in handlers.items()
        }

    def _guarded(self, handler: Handler) -> Handler:
        def handle(client: Client, request: Any) -> Any:
            if not self._has(client.player):
                raise Problem(FOR_INVITED if self._registration == "invited" else FOR_REGISTERED)
            return handler(client, request)

        return handle

    def _has(self, player: StoredPlayer) -> bool:
        return player.registered or self._registration == "open" or (player.invited and self._registration == "invited")


def check_organiser(player: StoredPlayer, settings: Settings, does: str) -> None:
    """Raise :class:`~noughts.gateway.replies.Problem` unless ``player`` may do what organisers do: ``does`` is a verb
    and its object, such as ``"make classes"``. The operator may have named them.
    """
    if not player.registered:
        raise Problem(Error("not_allowed", f"Register your name to {does}."))
    if settings.organisers and player.name not in settings.organisers:
        raise Problem(Error("not_allowed", f"Only players whom the operator has named can {does} here."))
