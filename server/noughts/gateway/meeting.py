"""Finds opponents for those of this node's clients who seek one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noughts.gateway.answers import error
from noughts.host import Host
from noughts.protocol import requests

if TYPE_CHECKING:
    from noughts.gateway.session import Session


class Meeting:
    """The seeks of this node's clients."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def seek(self, client: Session, request: requests.Seek) -> None:
        """Have ``client`` wait for an opponent, and answer it."""
        client.send(error(request.id, "not_allowed", "This is not to be had yet."))

    async def unseek(self, client: Session, request: requests.Unseek) -> None:
        """Have ``client`` wait no more, and answer it."""
        client.send(error(request.id, "not_allowed", "This is not to be had yet."))
