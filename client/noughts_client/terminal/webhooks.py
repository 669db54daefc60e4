"""``noughts webhook``: where a registered player is told that it is its move."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any, cast

from noughts.columns import printable
from noughts.protocol.player_messages import WebhookInfo
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.terminal.credentials import registration_at, sign_in
from noughts_client.terminal.options import DEFAULT_URL, CommandError
from noughts_client.terminal.printing import tell


async def webhook(to: str | None, url: str | None) -> int:
    """Have the URL ``to`` called, end that if it is ``off``, or show what is set. Returns the exit status."""
    url = url or DEFAULT_URL
    request: dict[str, Any] = {"type": "webhook"}
    if to is not None:
        request = {"type": "set_webhook", "url": None if to == "off" else to}
    try:
        if registration_at(url) is None:
            raise CommandError(f"You have no name at {url}. Run: noughts register NAME")
        async with AsyncExitStack() as stack:
            connection = await sign_in(stack, url, None)
            told = cast(WebhookInfo, await connection.request(request))
    except RequestError as error:
        return _fail(error.message)
    except (CommandError, ConnectionLost) as error:
        return _fail(str(error))
    tell(*lines_of(told))
    return 0


def lines_of(told: WebhookInfo) -> list[str]:
    """The settings, line by line."""
    if told["url"] is None:
        return ["No URL is called when it is your move. Set one with: noughts webhook URL"]
    tried = "not called yet; see noughts webhook in a moment"
    if told["tried_at"] is not None:
        tried = f"{printable(told['outcome'] or '')}, {told['tried_at'][:16].replace('T', ' ')} UTC"
    return [
        f"url        {printable(told['url'])}",
        f"last call  {tried}",
        f"secret     {printable(told['secret'] or '')}",
    ]


def _fail(message: str) -> int:
    tell(f"noughts webhook: {printable(message)}", error=True)
    return 1
