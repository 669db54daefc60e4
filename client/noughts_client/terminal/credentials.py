"""Tokens kept on this machine, in files that only their user can read: of registered names, and of seats left behind.

Each is a file of its own: two players of one game may leave it on one machine at the same moment.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import platform
import re
import secrets
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from platformdirs import user_state_path

from noughts.columns import printable
from noughts_client.connection import Connection
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.terminal.options import DEFAULT_URL, CommandError
from noughts_client.terminal.printing import tell

MAX_SEATS = 100
"""The number of seats kept. The oldest make room for new ones."""

LOCK_POLL_S = 0.05
"""The interval at which to try a lock that another process holds."""

DEVICE = f"noughts on {platform.node()}"[:64]
"""The name of this machine for the player's other devices."""


# --- seats left behind


class Seat(NamedTuple):
    """A seat left behind: its file, its token, and the URL of the server."""

    path: Path
    token: str
    url: str

    def take(self) -> bool:
        """Delete the file. Returns False if another process has done so, and has the seat."""
        try:
            self.path.unlink()
        except FileNotFoundError:
            return False
        return True


def keep_seat(url: str, room: str, token: str) -> None:
    """Keep the token of a seat in ``room``. Raises OSError."""
    write(_seats() / f"{_room_stem(room)}.{secrets.token_hex(4)}.json", {"url": url, "room": room, "token": token})
    for old in _newest_first("*")[MAX_SEATS:]:
        old.unlink(missing_ok=True)


def kept_seats(room: str) -> list[Seat]:
    """The seats kept for ``room``, newest first.

    They are found by the room alone, whose id is random: a server may have several addresses and nodes.
    """
    seats = []
    for path in _newest_first(_room_stem(room)):
        with suppress(OSError, ValueError, KeyError, TypeError):
            seat = json.loads(path.read_text(encoding="utf-8"))
            if seat["room"] == room:
                seats.append(Seat(path, str(seat["token"]), str(seat["url"])))
    return seats


def seats_at(url: str) -> list[tuple[str, str]]:
    """The rooms and tokens of the seats left at the server with exactly this URL, newest first."""
    found = []
    for path in _newest_first("*"):
        with suppress(OSError, ValueError, KeyError, TypeError):
            seat = json.loads(path.read_text(encoding="utf-8"))
            if seat["url"] == url:
                found.append((str(seat["room"]), str(seat["token"])))
    return found


def write(path: Path, content: dict[str, str]) -> None:
    """Write a file that only its user can read, completely or not at all. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, unfinished = tempfile.mkstemp(".new", f"{path.stem}.", path.parent)
    with open(descriptor, "w", encoding="utf-8") as file:
        json.dump(content, file)
    os.replace(unfinished, path)


def _seats() -> Path:
    return user_state_path("noughts") / "seats"


def _room_stem(room: str) -> str:
    """The beginning of the file's name. The room's id comes from a server or was typed, so it may be anything."""
    return re.sub(r"[^0-9A-Za-z]", "_", room)[:64]


def _newest_first(stem: str) -> list[Path]:
    def modified(path: Path) -> float:
        try:
            return path.stat().st_mtime
        except OSError:  # another process has taken it
            return 0

    return sorted(_seats().glob(f"{stem}.*.json"), key=modified, reverse=True)


# --- registered names


class Registration(NamedTuple):
    """A registered name, its token, and the file that keeps them."""

    name: str
    token: str
    path: Path


def registration_at(url: str) -> Registration | None:
    """The name registered at the server with exactly this URL, or None."""
    path = registration_path(url)
    with suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["url"] == url:
            return Registration(str(kept["name"]), str(kept["token"]), path)
    return None


def registration_path(url: str) -> Path:
    """The file for the name registered at the server with this URL."""
    stem = re.sub(r"[^0-9A-Za-z]+", "_", url)[:64]
    return user_state_path("noughts") / "names" / f"{stem}.{hashlib.sha256(url.encode()).hexdigest()[:16]}.json"


async def sign_in(stack: AsyncExitStack, url: str, name: str | None) -> Connection:
    """A connection, closed by ``stack``: with ``name``, or else with the registered name, or else as a guest.

    Raises ConnectionLost, RequestError, and CommandError if the server does not accept the kept token.
    """
    registered = registration_at(url)
    if registered is None or name not in (None, registered.name):
        return await stack.enter_async_context(Connection(url, name=name))
    try:
        return await stack.enter_async_context(Connection(url, token=registered.token))
    except RequestError as error:
        if error.code != "bad_token":
            raise
        server = "" if url == DEFAULT_URL else f" --url {url}"
        raise CommandError(
            f"The server at {url} does not accept the token of {printable(registered.name)} in {registered.path}."
            " Either the token was signed out, renewed or revoked, or this is another server now. Delete the file, and"
            f" run noughts devices join CODE{server} with a code from another device or your recovery code. Or ask the"
            f" server's operator for a new token, and run: noughts register --token-file FILE{server}. Or play under"
            " another name with --name."
        ) from error


async def register(name: str | None, url: str | None, proof: str | None, invitation: str | None = None) -> int:
    """``noughts register``: register a name at a server and keep its token. Returns the exit status.

    ``proof`` is a file with the token of a registered name, from an operator or another machine; ``-`` is stdin.
    ``invitation`` is the code of an invitation to the server, or a link with it.
    """
    url = url or DEFAULT_URL
    try:
        token = None if proof is None else _read_token(proof)
        async with lock(registration_path(url).parent / "lock"):
            registered = await _register(name, url, token, invitation)
    except RequestError as error:
        message = error.message
        if error.code == "name_taken" and proof is None:
            message = f"{message} If it is yours, give its token with --token-file."
        return _fail(message)
    except (CommandError, ConnectionLost) as error:
        return _fail(str(error))
    except OSError as error:
        return _fail(f"The token cannot be kept: {error.strerror}: {error.filename}")
    tell(
        f"You are registered as {registered.name} at {url}. noughts play and noughts watch will use it.",
        f"Your token is in {registered.path}. Whoever has it can play as you.",
    )
    return 0


def _fail(message: str) -> int:
    tell(f"noughts register: {message}", error=True)
    return 1


async def _register(name: str | None, url: str, token: str | None, invitation: str | None) -> Registration:
    """Raises ConnectionLost, RequestError, CommandError, OSError."""
    before = registration_at(url)
    given = token is not None
    if not given and before is not None:
        token = before.token
    elif not given and name is None:
        raise CommandError("Which name? Run: noughts register NAME")
    async with AsyncExitStack() as stack:
        try:
            connection = await stack.enter_async_context(Connection(url, name=name, token=token, client=DEVICE))
        except RequestError as error:
            if given or before is None or error.code != "bad_token":
                raise
            name = name or before.name  # another server had this address before
            connection = await stack.enter_async_context(Connection(url, name=name, client=DEVICE))
        player, token = connection.welcome["player"], connection.welcome["token"]
        if given and before is not None and not _is_registered_as(player, before.name):
            raise CommandError(
                f"You are {before.name} at {url}: the token of that name is in {before.path}. This is the token of"
                f" {player['name']}. To be {player['name']} from now on, move that file away."
            )
        # Keep the token before registering: without its token, a registered name is lost to everybody.
        keep_name(url, name or player["name"], token)
        try:
            if invitation is not None:
                await connection.request({"type": "enter", "code": invitation.rpartition("#invitation=")[2]})
            player = (await connection.request({"type": "register", "name": name}))["player"]
        except RequestError:
            if before is None:
                registration_path(url).unlink(missing_ok=True)
            elif given:
                keep_name(url, before.name, token)  # the same player's newer token
            else:
                keep_name(url, before.name, before.token)
            raise
        keep_name(url, player["name"], token)
    return Registration(player["name"], token, registration_path(url))


def _is_registered_as(player: Mapping[str, Any], name: str) -> bool:
    return bool(player.get("registered")) and player["name"].casefold() == name.casefold()


def keep_name(url: str, name: str, token: str) -> None:
    """Keep the token of a name at the server with this URL. Raises OSError."""
    write(registration_path(url), {"url": url, "name": name, "token": token})


def _read_token(proof: str) -> str:
    """Raises CommandError."""
    try:
        return (sys.stdin.read() if proof == "-" else Path(proof).read_text(encoding="utf-8")).strip()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a text file"
        raise CommandError(f"Cannot read the token file {proof}: {reason}") from error


@asynccontextmanager
async def lock(path: Path) -> AsyncIterator[None]:
    """Hold a lock between processes. The file ``path`` stays; the system releases the lock when a process dies."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path.open("a") as file:
        while not _try_lock(file.fileno()):  # noqa: ASYNC110  # another process holds it
            await asyncio.sleep(LOCK_POLL_S)
        yield


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        with suppress(OSError):
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            return True
        return False

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        return False
