"""Checks of a bot that connects by itself: what it sends, and what it makes of errors, news and a broken connection."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

from noughts.conformance.messages import Json
from noughts.conformance.report import Check, Fault
from noughts.conformance.stage import Stage, Wire, staged
from noughts.protocol.parsing import BadRequest, parse
from noughts.protocol.requests import Hello

OUT_OF_TURN = frozenset({"stale", "not_your_turn", "illegal_move", "malformed_move", "not_seated", "game_over"})
"""The codes that a bot never gets for a move if it plays what it is shown."""

WAIT_S = 0.2
"""The time a bot is told to wait, in seconds."""


@dataclass(frozen=True)
class Caller:
    """The command that starts the bot, in which ``{url}`` is the server, and the longest silence, in seconds."""

    command: str
    patience_s: float


async def check_caller(caller: Caller) -> AsyncIterator[Check]:
    """The checks of the bot, each as soon as it is done. If it plays no game, the first is the last."""
    for name, check in CHECKS.items():
        try:
            await check(caller)
        except ValueError as error:
            yield Check(name, Fault(str(error)))
            return
        except Fault as fault:
            yield Check(name, fault)
            if check is plays_a_game:
                return
        else:
            yield Check(name)


async def plays_a_game(caller: Caller) -> None:
    """It says hello as a bot, sends nothing but requests, and plays a game to its end, each move in its turn."""
    async with staged(caller.command, Stage()) as stage:
        await _over(stage, caller)


async def ignores_what_is_new(caller: Caller) -> None:
    """A type of message and a field that it does not know are nothing to it."""

    def tell_news(_: Wire, message: Json) -> list[Json]:
        news = {"type": "news_of_another_version", "room": 1}
        changed = {**message, "new_field": {"of": "another version"}}
        return [changed] if message["type"] == "welcome" else [news, changed]

    async with staged(caller.command, Stage(on_got=tell_news)) as stage:
        await _over(stage, caller)


async def waits_when_it_is_told_to(caller: Caller) -> None:
    """If a move gets ``rate_limited``, it sends the move again after ``retry_after_s``."""
    refused: list[Json] = []
    again: list[Json] = []

    def sent(wire: Wire, message: Json) -> bool:
        if message.get("type") == "play" and not refused:
            refused.append(message)
            stage.answer(wire, message, code="rate_limited", message="Wait.", retry_after_s=WAIT_S)
            return False
        if message.get("type") == "play" and _same(message, refused[0]):
            again.append(message)
        return True

    async with staged(caller.command, Stage(on_sent=sent)) as stage:
        await stage.until(lambda: bool(refused), caller.patience_s, "it did not play")
        await stage.until(lambda: bool(again), caller.patience_s, "it did not send the refused move again")


async def comes_back(caller: Caller) -> None:
    """If the connection breaks in a game, it connects again, says hello with its token, and plays on."""
    room = ""

    def sent(wire: Wire, message: Json) -> bool:
        nonlocal room
        if message.get("type") == "play" and not room:
            room = message["room"]
            wire.socket.transport.abort()
            return False
        return True

    def plays_on() -> bool:
        return any(_is_play(frame, room) for wire in stage.wires[1:] for frame in wire.sent)

    async with staged(caller.command, Stage(on_sent=sent)) as stage:
        await stage.until(lambda: bool(room), caller.patience_s, "it did not play")
        await stage.until(lambda: len(stage.wires) > 1, caller.patience_s, "it did not connect again")
        await stage.until(lambda: bool(stage.wires[1].sent), caller.patience_s, "it said no hello")
        token = json.loads(_hello(stage, stage.wires[1]).sent[0]).get("token")
        if token is None or token != stage.wires[0].token:
            raise stage.fault("its hello should have the token that it got", f"< {stage.wires[1].sent[0]}")
        await stage.until(plays_on, caller.patience_s, f"it did not play on in the room {room}")


CHECKS: dict[str, Callable[[Caller], Awaitable[None]]] = {
    "it says hello and plays a whole game": plays_a_game,
    "it ignores messages and fields that it does not know": ignores_what_is_new,
    "it sends a move again when it was told to wait": waits_when_it_is_told_to,
    "it comes back when its connection breaks": comes_back,
}


async def _over(stage: Stage, caller: Caller) -> None:
    """Wait for the end of a game of the bot, and look at all that it sent."""
    await stage.until(lambda: bool(stage.wires and stage.wires[0].sent), caller.patience_s, "it did not connect")
    _hello(stage, stage.wires[0])
    await stage.until(lambda: any(map(_ends, _all_got(stage))), caller.patience_s, "its game did not come to an end")
    for wire in stage.wires:
        _requests_only(stage, wire)
        _in_turn(stage, wire)


def _hello(stage: Stage, wire: Wire) -> Wire:
    try:
        hello = parse(wire.sent[0])
    except BadRequest as bad:
        raise stage.fault(f"its first message is no request: {bad.message}", f"< {wire.sent[0]}") from None
    if not isinstance(hello, Hello):
        raise stage.fault("its first message should be `hello`", f"< {wire.sent[0]}")
    if hello.token is None and not hello.bot:
        raise stage.fault("its hello should say that it is a `bot`", f"< {wire.sent[0]}")
    return wire


def _requests_only(stage: Stage, wire: Wire) -> None:
    for frame in wire.sent:
        try:
            parse(frame)
        except BadRequest as bad:
            raise stage.fault(f"it sent what is no request: {bad.message}", f"< {frame}") from None


def _in_turn(stage: Stage, wire: Wire) -> None:
    """Every move was taken. A refusal is told with the move, if the bot gave it an id."""
    for frame in wire.got:
        answer = json.loads(frame)
        if answer["type"] == "error" and answer["code"] in OUT_OF_TURN:
            asked = [sent for sent in wire.sent if "id" in answer and json.loads(sent).get("id") == answer["id"]]
            raise stage.fault(f"it got `{answer['code']}`", *(f"< {sent}" for sent in asked), f"> {frame}")


def _all_got(stage: Stage) -> list[str]:
    return [frame for wire in stage.wires for frame in wire.got]


def _ends(frame: str) -> bool:
    outcome = (json.loads(frame).get("state") or {}).get("outcome")
    return outcome is not None and outcome["reason"] != "aborted"


def _is_play(frame: str, room: str) -> bool:
    message = json.loads(frame)
    return bool(message.get("type") == "play" and message.get("room") == room)


def _same(message: Json, other: Json) -> bool:
    return all(message.get(name) == other.get(name) for name in ("room", "turn"))
