"""Names that are one's own: what each server wants to see for it, in files that their user alone may read."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from platformdirs import user_state_path

from noughts_client.connection import Connection
from noughts_client.dial import ConnectionLost, RequestError
from noughts_client.terminal.kept import write
from noughts_client.terminal.options import DEFAULT_URL
from noughts_client.terminal.sitting import Closed
from noughts_client.terminal.table import printable

LOCK_POLL_S = 0.05
"""How often to try a lock that another process holds."""

NAME_TAKEN = "That name is somebody's for good; choose another."


class Own(NamedTuple):
    """A name that is one's own at a server, its token, and the file that keeps both."""

    name: str
    token: str
    path: Path


def own_name(url: str) -> Own | None:
    """The name that is one's own at the server of this URL, written just so; None where there is none."""
    path = _path(url)
    with suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["url"] == url:
            return Own(str(kept["name"]), str(kept["token"]), path)
    return None


async def connect_as_oneself(stack: AsyncExitStack, url: str, name: str | None) -> Connection:
    """A connection, left to ``stack``, under ``name``, or else one's own name there, or else a guest's.

    Raises ConnectionLost, RequestError, and Closed when the server does not know one's own name any more.
    """
    own = own_name(url)
    if own is None or name not in (None, own.name):
        return await stack.enter_async_context(Connection(url, name=name))
    try:
        return await stack.enter_async_context(Connection(url, token=own.token))
    except RequestError as error:
        if error.code != "bad_token":
            raise
        called, again = printable(own.name), _register("--token-file FILE", url)
        raise Closed(
            f"The server at {url} does not take what is kept for {called} in {own.path}: the token was renewed or"
            f" revoked, or it is another server now. Ask the server's operator for a new token, and then say: {again}."
            " Or play under another name by --name; or, if the server is another, delete that file."
        ) from error


async def register(name: str | None, url: str | None, proof: str | None) -> int:
    """Make ``name`` one's own at a server and keep what proves it, here; the exit status.

    ``proof``: a file with a token that one has already, from an operator or another machine; ``-`` for stdin.
    """
    url = url or DEFAULT_URL
    try:
        own = await _registered(name, url, None if proof is None else _read(proof))
    except (Closed, ConnectionLost, RequestError) as error:
        words = error.message if isinstance(error, RequestError) else str(error)
        if isinstance(error, RequestError) and error.code == "name_taken" and proof is None:
            words = f"{NAME_TAKEN} Whose it is gives its token by --token-file."
        print(f"noughts register: {printable(words)}", file=sys.stderr)
        return 1
    print(f"You are {printable(own.name)} at {url} for good. From now on noughts play and noughts watch know that.")
    print(f"The proof is kept in {own.path}: whoever has it is you.")
    return 0


async def _registered(name: str | None, url: str, token: str | None) -> Own:
    """The name that was registered, and is kept. Raises ConnectionLost, RequestError, Closed."""
    try:
        async with locked(_path(url).parent / "lock"):
            return await _registered_alone(name, url, token)
    except OSError as error:
        if isinstance(error, ConnectionLost):
            raise
        raise Closed(f"The proof of the name cannot be kept: {error.strerror}: {error.filename}") from error


async def _registered_alone(name: str | None, url: str, token: str | None) -> Own:
    before = own_name(url)
    given = token is not None
    if not given and before is not None:
        token = before.token
    elif not given and name is None:
        raise Closed("Which name? Say: noughts register NAME")
    async with AsyncExitStack() as stack:
        try:
            connection = await stack.enter_async_context(Connection(url, name=name, token=token))
        except RequestError as error:
            if given or before is None or error.code != "bad_token":
                raise
            name = name or before.name  # of a server that was there before
            connection = await stack.enter_async_context(Connection(url, name=name))
        player, token = connection.welcome["player"], connection.welcome["token"]
        if given and before is not None and not _is(player, before.name):
            raise Closed(
                f"You are {before.name} at {url}, as is kept in {before.path}, and that token is"
                f" {player['name']}'s. Move that file away to be {player['name']} from now on."
            )
        # Kept before it is registered: a name whose token were lost then would be nobody's.
        _keep(url, name or player["name"], token)
        try:
            player = (await connection.request({"type": "register", "name": name}))["player"]
        except RequestError:
            if before is None:
                _path(url).unlink(missing_ok=True)
            elif given:
                _keep(url, before.name, token)  # that of the same player, and the one that is good
            else:
                _keep(url, before.name, before.token)
            raise
        _keep(url, player["name"], token)
    return Own(player["name"], token, _path(url))


@asynccontextmanager
async def locked(path: Path) -> AsyncIterator[None]:
    """Hold the lock on the file ``path``, which is made and stays. The system frees it when a process dies."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path.open("a") as file:
        while not _lock(file.fileno()):  # noqa: ASYNC110  # another process holds it
            await asyncio.sleep(LOCK_POLL_S)
        yield


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> bool:
        with suppress(OSError):
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            return True
        return False

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        return False


def _is(player: Mapping[str, Any], name: str) -> bool:
    """Whether ``name`` is the player's for good, and so nobody else's."""
    return bool(player.get("registered")) and player["name"].casefold() == name.casefold()


def _keep(url: str, name: str, token: str) -> None:
    write(_path(url), {"url": url, "name": name, "token": token})


def _read(proof: str) -> str:
    """The token that is to be proof. Raises Closed."""
    try:
        return (sys.stdin.read() if proof == "-" else Path(proof).read_text(encoding="utf-8")).strip()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise Closed(f"The token file {proof} cannot be read: {reason}") from error


def _register(how: str, url: str) -> str:
    address = "" if url == DEFAULT_URL else f" --url {url}"
    return f"noughts register {how}{address}"


def _path(url: str) -> Path:
    stem = re.sub(r"[^0-9A-Za-z]+", "_", url)[:64]
    return user_state_path("noughts") / "names" / f"{stem}.{hashlib.sha256(url.encode()).hexdigest()[:16]}.json"
