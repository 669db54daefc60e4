"""What a player does about its own name and token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noughts.gateway.answers import error
from noughts.protocol import requests

if TYPE_CHECKING:
    from noughts.gateway.conversation import Conversation


async def change_account(
    client: Conversation, request: requests.Register | requests.RenewToken | requests.RevokeToken
) -> None:
    """Carry out ``request`` and answer it."""
    client.send(error(request.id, "not_allowed", "This is not to be had yet."))
