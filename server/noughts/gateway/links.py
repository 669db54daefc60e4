"""Links that clients show to other people and devices, as QR codes."""

from __future__ import annotations

import asyncio

from noughts.gateway.client import Client
from noughts.gateway.profiles import limit_pages
from noughts.gateway.replies import answer
from noughts.gateway.services import Services
from noughts.protocol import requests
from noughts.protocol.qr import qr_rows


async def handle_qr(services: Services, client: Client, request: requests.QrCode) -> None:
    """Answer with the QR code of a link, which nobody but the sender sees."""
    limit_pages(services, client)
    rows = await asyncio.to_thread(qr_rows, request.link)
    if client.open:
        client.send(answer("qr", request.id, {"rows": rows}))
        services.costs.settle(client)
