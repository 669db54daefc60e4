"""What is said in rooms, and how many listen: told at once, kept nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noughts.gateway.answers import error
from noughts.gateway.audience import Audience
from noughts.host import Host
from noughts.protocol import requests

if TYPE_CHECKING:
    from noughts.gateway.conversation import Conversation


class Talk:
    """Carries what is said to those whom it is for."""

    def __init__(self, host: Host, audience: Audience) -> None:
        self._host = host
        self._audience = audience

    def say(self, client: Conversation, request: requests.Chat) -> None:
        """Tell what ``client`` says, and answer it."""
        client.send(error(request.id, "not_allowed", "This is not to be had yet."))
