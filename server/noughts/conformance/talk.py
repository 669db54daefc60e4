"""Checks of a server: hello, what it refuses, its limits, and what it publishes by HTTP."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from http.client import HTTPException
from urllib.parse import urlsplit

from noughts.conformance.peer import Peer, connected, greeted
from noughts.conformance.report import Fault
from noughts.protocol.words import PROTOCOL

FLOOD_S = 10.0
"""The time a flood may take to be refused, in seconds: with the limits of most servers it takes none."""


async def says_hello(url: str) -> None:
    """A new player gets a token, and is who they say they are."""
    async with greeted(url, name="check-1") as person, greeted(url, name="check-2", bot=True, client="check") as bot:
        for peer, name, kind in ((person, "check-1", "human"), (bot, "check-2", "bot")):
            player = peer.welcome["player"]
            if (player["name"], player["kind"]) != (name, kind):
                raise peer.fault(f"the player should be the {kind} {name!r}")
            if peer.welcome["protocol"] != PROTOCOL:
                raise peer.fault(f"`protocol` should be {PROTOCOL}")
            if not peer.welcome["games"]:
                raise peer.fault("there are no `games`")
        await bot.refused("not_allowed", type="hello", protocol=PROTOCOL)
    async with greeted(url, games=False) as small:
        if told := {"games", "words"} & small.welcome.keys():
            raise small.fault(f"a client that asked for no games should not get {' and '.join(sorted(told))}")


async def knows_a_token(url: str) -> None:
    """A token makes the same player; an unknown one is refused, and another hello may follow."""
    async with (
        greeted(url, name="check-1") as first,
        greeted(url, token=first.welcome["token"], name="another") as again,
    ):
        if again.welcome["player"] != first.welcome["player"]:
            raise again.fault(f"the token is that of {json.dumps(first.welcome['player'])}")
    async with connected(url) as stranger:
        await stranger.refused("bad_token", type="hello", protocol=PROTOCOL, token="no-such-token")  # noqa: S106
        await stranger.request(type="hello", protocol=PROTOCOL)


async def hears_hello_first(url: str) -> None:
    """Nothing goes before hello, and hello names a protocol that the server speaks."""
    async with connected(url) as peer:
        await peer.refused("not_identified", type="ping")
        await peer.refused("unsupported_protocol", type="hello", protocol=1_000_000)


async def refuses_what_is_no_json(url: str) -> None:
    """Such a frame gets an error without an id, and the connection stays."""
    async with greeted(url) as peer:
        for frame in ('{"type":"ping",', "", "[" * 300 + "]" * 300, '{"type":"ping","id":NaN}', "\ufeff{}"):
            await peer.refused_text("bad_json", frame)
        await _stays(peer)


async def refuses_what_is_no_request(url: str) -> None:
    """Such a frame gets an error with the id that it had, and the connection stays."""
    async with greeted(url) as peer:
        for frame in ("[]", '"ping"', "1", "null", "{}", '{"type":"ping","id":{}}', '{"type":"ping","id":1.5}'):
            await peer.refused_text("bad_message", frame)
        for fields in (
            {"type": "no_such_request"},
            {"type": 1},
            {"type": "ping", "unknown": True},
            {"type": "play", "room": "x", "turn": 0},
            {"type": "play", "room": "x", "turn": "0", "move": "1"},
            {"type": "play", "room": "x", "turn": -1, "move": "1"},
            {"type": "play", "room": "x" * 65, "turn": 0, "move": "1"},
            {"type": "join", "room": "a\0b"},
            {"type": "join", "room": "x", "seat": "third"},
        ):
            await peer.refused("bad_message", **fields)
        await _stays(peer)


async def names_what_it_does_not_know(url: str) -> None:
    """A room, a game and a player that do not exist are refused with codes of their own."""
    async with greeted(url) as peer:
        for kind in ("join", "watch", "resign"):
            await peer.refused("unknown_room", type=kind, room="no-such-room")
        await peer.refused("unknown_room", type="play", room="no-such-room", turn=0, move="1")
        await peer.refused("unknown_game", type="create", game="no-such-game")
        await peer.refused("unknown_player", type="player", player="no-such-player")


async def repeats_ids(url: str) -> None:
    """An answer has the id of its request, a string or an integer, or none if that had none."""
    async with greeted(url) as peer:
        for identifier in ("line-1", 0, -1, 2**53):
            await peer.exchange(json.dumps({"type": "ping", "id": identifier}), identifier)
        await peer.exchange('{"type":"ping"}', None)


async def closes_on_what_is_no_text(url: str) -> None:
    """A binary message ends the connection with 1003, a message that is too long with 1009."""
    async with greeted(url) as peer:
        await peer.socket.send(b"{}")
        await _closes(peer, 1003, "after a binary message", "> {}")
    async with greeted(url) as peer:
        most = peer.welcome["limits"]["message_bytes"]
        await peer.refused_text("bad_message", '"' + "x" * (most - 2) + '"')
        await peer.socket.send("x" * (most + 1))
        await _closes(
            peer, 1009, f"after a message of {most + 1} bytes, one more than `message_bytes`", f"> {'x' * (most + 1)}"
        )


async def tells_its_limits(url: str) -> None:
    """More messages at once than ``burst`` are refused for as long as the error says, and not one less."""
    async with greeted(url) as peer:
        limits = peer.welcome["limits"]
        burst, at_once = limits["burst"], min(limits["burst"] - 5, 500)
        for number in range(at_once):
            answer = await peer.request(type="ping")
            if answer["type"] != "pong":
                raise peer.fault(f"message {number + 2} was refused, and `burst` is {burst}")
        if burst > 1000 or limits["messages_per_s"] > 1000:
            return  # such a limit is not for us to try
        frames = [json.dumps({"type": "ping", "id": f"flood-{number}"}) for number in range(burst + 50)]
        last = await _flood(peer, frames)
        answer = json.loads(last)
        if answer["type"] != "error":
            problem = f"{len(frames)} messages at once were not refused, and `burst` is {burst}"
            raise Fault(problem, [f"> {frames[-1]}", f"< {last}"])
        if answer["code"] != "rate_limited" or not answer.get("retry_after_s", 0) > 0:
            raise Fault("the error should be `rate_limited`, with `retry_after_s`", [f"> {frames[-1]}", f"< {last}"])


async def _flood(peer: Peer, frames: list[str]) -> str:
    """The first error among the answers to ``frames``, which are sent without waiting; the last answer if none is."""
    refusal = answer = ""
    async with asyncio.timeout(FLOOD_S):
        for frame in frames:
            await peer.socket.send(frame)
        for _ in frames:
            answer = str(await peer.socket.recv())
            if not refusal and json.loads(answer)["type"] == "error":
                refusal = answer
    return refusal or answer


async def publishes_its_contract(url: str) -> None:
    """``/asyncapi.json`` describes at least what was sent to us, and ``/version`` tells the protocol."""
    status, headers, body = await asyncio.to_thread(_get, url, "/asyncapi.json")
    quote = [f"> GET {_site(url)}/asyncapi.json", f"< {status}", f"< {body[:200].decode(errors='replace')}"]
    try:
        document = json.loads(body)
        version = document["asyncapi"]
        names = {message.get("name") for message in document["components"]["messages"].values()}
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        raise Fault("there is no AsyncAPI document", quote) from None
    if status != 200 or not headers.get("Content-Type", "").startswith("application/json"):
        raise Fault("the AsyncAPI document is not served as JSON", quote)
    if not str(version).startswith("3."):
        raise Fault(f"the document is AsyncAPI {version}, not 3", quote)
    if missing := {"hello", "welcome", "play", "update", "error"} - names:
        raise Fault(f"the document has no message `{min(missing)}`", quote)
    status, _, body = await asyncio.to_thread(_get, url, "/version")
    quote = [f"> GET {_site(url)}/version", f"< {body[:200].decode(errors='replace')}"]
    try:
        protocol = json.loads(body)["protocol"]
    except (ValueError, RecursionError, TypeError, KeyError):
        raise Fault("`/version` is not as documented", quote) from None
    if protocol != str(PROTOCOL):
        raise Fault(f"`/version` should tell the protocol {PROTOCOL}", quote)


async def _stays(peer: Peer) -> None:
    if (await peer.request(type="ping"))["type"] != "pong":
        raise peer.fault("the answer to `ping` should be `pong`")


async def _closes(peer: Peer, code: int, when: str, quote: str) -> None:
    closed = await peer.closed()
    if closed != code:
        raise Fault(f"{when} the connection should be closed with {code}, not {closed}", [quote])


def _site(url: str) -> str:
    parts = urlsplit(url)
    return f"{'https' if parts.scheme == 'wss' else 'http'}://{parts.netloc}"


def _get(url: str, path: str) -> tuple[int, dict[str, str], bytes]:
    request = urllib.request.Request(_site(url) + path)  # noqa: S310  it is http or https
    try:
        with urllib.request.urlopen(request, timeout=10) as response:  # noqa: S310
            return response.status, dict(response.headers), response.read(1 << 24)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read(1 << 16)
    except (OSError, HTTPException) as error:
        raise Fault(f"no answer by HTTP: {error}", [f"> GET {_site(url)}{path}"]) from error
