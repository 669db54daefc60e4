"""``noughts devices``: where a registered name is signed in, and how another device gets in."""

from __future__ import annotations

import re
import sys
from contextlib import AsyncExitStack
from typing import Any, cast
from urllib.parse import urlsplit

from noughts.columns import printable
from noughts.protocol.player_messages import DeviceInfo, Devices
from noughts.protocol.qr import qr_rows, qr_terminal
from noughts_client.connection import Connection
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.terminal.credentials import DEVICE, keep_name, lock, registration_at, registration_path, sign_in
from noughts_client.terminal.options import DEFAULT_URL, CommandError
from noughts_client.terminal.printing import tell

ACTIONS = ("list", "add", "join", "out", "recovery")


async def devices(action: str, what: str | None, url: str | None, *, force: bool = False) -> int:
    """List the devices, ``add`` or ``join`` with one, sign one ``out``, or make a ``recovery`` code.

    ``what`` is the code or link to join with, or the device to sign out. ``force``: even if the name is lost by that.
    Returns the exit status.
    """
    try:
        if (what is None) == (action in ("join", "out")):
            raise CommandError("Run: noughts devices join CODE, or out DEVICE; the other actions take nothing.")
        if action == "join":
            await _join(what or "", url)
            return 0
        url = url or DEFAULT_URL
        if registration_at(url) is None:
            raise CommandError(
                f"You have no name at {url}. Run: noughts register NAME, or with a code from another device:"
                " noughts devices join CODE"
            )
        async with AsyncExitStack() as stack:
            connection = await sign_in(stack, url, None)
            match action:
                case "add":
                    await _add(connection, url)
                case "out":
                    await _sign_out(connection, url, what or "", force=force)
                case "recovery":
                    code = (await connection.request({"type": "recovery_code"}))["code"]
                    tell(
                        f"Your recovery code: {code}",
                        "Write it down: it is not shown again, and any earlier one has ended.",
                        "Whoever has it can play as you.",
                    )
                case _:
                    await _list(connection)
    except RequestError as error:
        return _fail(error.message)
    except (CommandError, ConnectionLost) as error:
        return _fail(str(error))
    except OSError as error:
        return _fail(f"The token cannot be kept: {error.strerror}: {error.filename}")
    return 0


def _fail(message: str) -> int:
    tell(f"noughts devices: {message}", error=True)
    return 1


async def _list(connection: Connection) -> None:
    answer = await _ask(connection)
    print(f"{printable(connection.welcome['player']['name'])} is signed in on:")
    for one in answer["devices"]:
        used = (
            "this device"
            if one["this"]
            else f"last used {one['used_at'][:10]}"
            if one["used_at"]
            else "not seen lately"
        )
        print(f"  {printable(one['device'])}  {printable(one['label'] or 'unnamed')}, {used}")
    made = answer["recovery_at"]
    tell(f"Recovery code: made {made[:10]}" if made else "Recovery code: none. To make one: noughts devices recovery")


async def _add(connection: Connection, url: str) -> None:
    code = (await connection.request({"type": "add_device"}))["code"]
    link = page_of(url, code)
    if sys.stdout.isatty():  # first, since it is high: what to do with it must stay on the screen
        for line in qr_terminal(qr_rows(link)):
            print(f"  {line}")
        tell("Within five minutes, scan this code with the other device, or open there:")
    else:
        tell("Within five minutes, open this link on the other device:")
    tell(f"  {link}", f"Or in a terminal: noughts devices join {link}")


async def _join(what: str, url: str | None) -> None:
    address, code = code_of(what)
    url = url or address or DEFAULT_URL
    async with lock(registration_path(url).parent / "lock"), AsyncExitStack() as stack:
        before = registration_at(url)
        connection = await stack.enter_async_context(Connection(url))
        redeem: dict[str, Any] = {"type": "redeem", "code": code, "client": DEVICE}
        player = (await connection.request({**redeem, "preview": True}))["player"]
        if before is not None and before.name.casefold() != player["name"].casefold():
            raise CommandError(
                f"You are {before.name} at {url}: the token of that name is in {before.path}. This is a code of"
                f" {player['name']}. To be {player['name']} from now on, move that file away."
            )
        token = (await connection.request(redeem))["token"]
        keep_name(url, player["name"], token)
    tell(f"You are {player['name']} at {url}. noughts play and noughts watch will use it.")


async def _sign_out(connection: Connection, url: str, what: str, *, force: bool) -> None:
    answer = await _ask(connection)
    device = what if what in ("this", "others", "all") else _find(answer["devices"], what)["device"]
    here = device in ("this", "all") or any(one["this"] and one["device"] == device for one in answer["devices"])
    last = here and (device == "all" or len(answer["devices"]) == 1)
    if last and answer["recovery_at"] is None and connection.welcome["player"].get("registered") and not force:
        raise CommandError(
            f"Nobody could use the name {connection.welcome['player']['name']} any more: this is your last device, and"
            " there is no recovery code. To make one: noughts devices recovery. To give up the name: --force"
        )
    await connection.request({"type": "sign_out", "device": device})
    if here:
        registration_path(url).unlink(missing_ok=True)
    print("Signed out.")


def _find(known: list[DeviceInfo], what: str) -> DeviceInfo:
    found = [one for one in known if one["device"].startswith(what)]
    if len(found) != 1:
        raise CommandError(f"No single device has the id {what!r}. To see them: noughts devices")
    return found[0]


async def _ask(connection: Connection) -> Devices:
    return cast(Devices, await connection.request({"type": "devices"}))


def page_of(url: str, code: str) -> str:
    """The link to the page of the server with this URL, for another device to join with ``code``."""
    parts = urlsplit(url)
    return f"{'https' if parts.scheme == 'wss' else 'http'}://{parts.netloc}/#join={code}"


def code_of(what: str) -> tuple[str | None, str]:
    """The URL of the server, if ``what`` is a link, and the code."""
    link = re.fullmatch(r"(https?)://([^/#]+)/?#join=(.+)", what.strip())
    if link is None:
        return None, what.strip()[:64]
    return f"{'wss' if link[1] == 'https' else 'ws'}://{link[2]}/ws", link[3][:64]
