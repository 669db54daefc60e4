"""What can be asked about players: the page of one, and the best of a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noughts.gateway.answers import error
from noughts.protocol import requests

if TYPE_CHECKING:
    from noughts.gateway.conversation import Conversation


async def player_page(client: Conversation, request: requests.AboutPlayer) -> None:
    """Answer what is known of a player."""
    client.send(error(request.id, "not_allowed", "This is not to be had yet."))


async def leaderboard(client: Conversation, request: requests.Leaderboard) -> None:
    """Answer who is best."""
    client.send(error(request.id, "not_allowed", "This is not to be had yet."))
