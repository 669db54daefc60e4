"""Playing by MQTT: the same rules, errors and limits as over a WebSocket, and answers on the response topic."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from aiomqtt import Client, ProtocolVersion

from noughts import opening
from noughts.features.analyses import Analyses
from noughts.rooms import Room
from noughts.timing import Timing
from support.broker import Broker, running_broker
from support.client import Json, connected
from support.faulty import FaultyPut
from support.journals import MemoryJournal
from support.mqtt import PATIENCE_S, Screen, screen
from support.postgres import database, postgres_server
from support.server import QUICK, running_server

pytestmark = pytest.mark.services

DRAW = "123546879"


@pytest.fixture
def broker() -> Iterator[Broker]:
    with running_broker() as running:
        yield running


def turn_is_over(seen: Screen, topic: str, turn: int) -> bool:
    return bool(json.loads(seen.now[topic])["state"]["turn"] > turn)


@dataclass
class Device:
    """A player who uses MQTT. Each request bears ``token``, and the answers come below the topic ``replies``."""

    screen: Screen
    replies: str
    token: str | None = None
    id: str = ""
    rest: list[Json] = field(default_factory=list)

    async def send(self, topic: str, payload: bytes | str, **properties: Any) -> None:
        await self.screen.publish(f"noughts/v1/{topic}", payload, **properties)

    async def answers(self, topic: str, payload: bytes | str, count: int = 1) -> list[Json]:
        """The first ``count`` answers to a message."""
        here = f"{self.replies}/{secrets.token_hex(4)}"
        await self.send(topic, payload, ResponseTopic=here, CorrelationData=b"again")
        await self.screen.until(lambda: sum(topic == here for topic, _ in self.screen.received) >= count)
        return [json.loads(data) for topic, data in self.screen.received if topic == here]

    async def ask(self, count: int = 1, **request: Any) -> list[Json]:
        """The first ``count`` answers to a request, which goes to the topic for it."""
        room = request.pop("room", None)
        topic = "commands" if room is None else f"rooms/{room}/commands"
        if self.token is not None:
            request["token"] = self.token
        return await self.answers(topic, json.dumps(request), count)

    async def ok(self, **request: Any) -> Json:
        """A request that must be granted."""
        answer, *_ = await self.ask(**request)
        assert answer["type"] in ("ok", "pong"), answer
        return answer

    async def refused(self, **request: Any) -> str:
        """A request that must be refused; the error's code."""
        answer, *_ = await self.ask(**request)
        assert answer["type"] == "error", answer
        return str(answer["code"])

    async def create(self, **more: Any) -> str:
        """Open a room; its id."""
        answer, room = await self.ask(2, type="create", game="tictactoe", **more)
        assert (answer["type"], room["type"], room["version"]) == ("ok", "room", 1)
        return str(answer["room"])


@asynccontextmanager
async def device(broker: Broker, name: str | None = "lamp", **hello: Any) -> AsyncIterator[Device]:
    """A device that has said hello, unless its name is None."""
    replies = f"noughts/v1/replies/{secrets.token_hex(4)}"
    async with screen(broker.port, f"{replies}/#", "noughts/v1/rooms/+/state") as seen:
        made = Device(seen, replies)
        if name is not None:
            (welcome,) = await made.ask(type="hello", protocol=1, name=name, **hello)
            assert welcome["type"] == "welcome", welcome
            made.token, made.id = welcome["token"], welcome["player"]["id"]
        yield made


@asynccontextmanager
async def served(broker: Broker, *, timing: Timing = QUICK, **settings: Any) -> AsyncIterator[str]:
    """A server that takes commands from the broker; its URL."""
    async with running_server(bus=broker.url, timing=timing, **settings) as url:
        async with device(broker, None) as probe:
            for _ in range(100):
                here = f"{probe.replies}/probe"
                await probe.send("commands", '{"type":"ping"}', ResponseTopic=here)
                await asyncio.sleep(0.05)
                if probe.screen.received:
                    break
        yield url


async def test_two_devices_play_a_game_to_its_end(broker: Broker) -> None:
    async with served(broker) as url, device(broker, "lamp") as one, device(broker, "fan") as two:
        room = await one.create()
        answer, joined = await two.ask(2, type="join", room=room)
        assert (answer["seat"], joined["version"]) == ("second", 2)
        await one.screen.until(lambda: one.screen.shown(room) == 2)  # or the game could be over before it is shown
        async with connected(url) as spectator:
            await spectator.ok(type="watch", room=room)
            assert (await spectator.push("room"))["presence"] == {"spectators": 1}
            for turn, move in enumerate(DRAW):
                player = (one, two)[turn % 2]
                assert await player.ok(type="play", room=room, turn=turn, move=move) == {
                    "type": "ok",
                    "version": turn + 3,
                }
                assert (await spectator.push("update"))["event"]["move"] == move
        await one.screen.until(lambda: one.screen.shown(room) == 11)
        state = json.loads(one.screen.now[f"noughts/v1/rooms/{room}/state"])["state"]
        assert state["outcome"] == {"winner": None, "reason": "draw", "cells": []}


async def test_a_device_has_one_analysis_at_a_time(broker: Broker) -> None:
    async with served(broker, search_workers=1, analyse_s=0.5) as url, connected(url) as ann, device(broker) as lamp:
        answer = await ann.ok(type="create", game="gomoku")
        requests = [lamp.ask(type="analyse", room=str(answer["room"])) for _ in range(2)]
        answers = {message["type"]: message for (message,) in await asyncio.gather(*requests)}
        assert answers["error"]["code"] == "rate_limited"
        assert answers["analysis"]["best"]
        assert await lamp.refused(type="analyse", room=str(answer["room"]), ply=1) == "stale"


async def test_a_device_gets_a_review_that_is_stored(broker: Broker) -> None:
    async with (
        served(broker, review_s=60) as url,
        connected(url, "ann") as ann,
        connected(url, "bob") as bob,
        device(broker) as lamp,
    ):
        room = await ann.create()
        await bob.join(room)
        for turn, move in enumerate("1259734"):
            await (ann, bob)[turn % 2].play(room, turn, move)
        assert await lamp.refused(type="review", room=room) == "not_allowed", "it could not be sent the rest"
        await ann.request(type="review", room=room)
        while not (await ann.push("reviewed"))["complete"]:
            pass
        (review,) = await lamp.ask(type="review", room=room)
        assert (review["type"], review["complete"], review["decisive"], len(review["moves"])) == ("review", True, 1, 7)


async def test_a_command_without_a_response_topic_starts_no_search(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    plies: list[int | None] = []
    analysis = Analyses._of_room

    async def counted(self: Analyses, client: Any, ply: int | None, loaded: Awaitable[Room]) -> dict[str, object]:
        plies.append(ply)
        return await analysis(self, client, ply, loaded)

    monkeypatch.setattr(Analyses, "_of_room", counted)
    async with served(broker) as url, connected(url) as ann, device(broker) as lamp:
        room = await ann.create()
        await lamp.ok(type="ping")
        request = {"type": "analyse", "room": room, "ply": 0, "token": lamp.token}
        await lamp.send(f"rooms/{room}/commands", json.dumps(request))
        answer, *_ = await lamp.ask(type="analyse", room=room)
        assert answer["type"] == "analysis"
        assert plies == [None]


async def test_a_stranger_gets_no_share_of_the_commands(broker: Broker) -> None:
    """Any client can join a group on the broker if it knows the name."""
    group = "$share/noughts/noughts/v1/commands"
    async with served(broker), screen(broker.port, group), device(broker) as lamp:
        for _ in range(20):
            await lamp.ok(type="ping")


async def test_the_answer_bears_the_correlation_data_and_the_id(broker: Broker) -> None:
    async with served(broker), device(broker) as lamp:
        request = {"type": "ping", "id": 7, "token": lamp.token}
        here = f"{lamp.replies}/here"
        await lamp.send("commands", json.dumps(request), ResponseTopic=here, CorrelationData=b"\0\xff")
        await lamp.screen.until(lambda: here in lamp.screen.now)
        assert lamp.screen.correlations[-1] == b"\0\xff"
        assert json.loads(lamp.screen.now[here])["id"] == 7


REFUSED_COMMANDS = [
    (b"", "bad_json"),
    (b"\xff\xfe", "bad_json"),
    (b"{", "bad_json"),
    (b"[" * 5000, "bad_json"),
    (b'{"type":"ping","id":NaN}', "bad_json"),
    (b'{"type":"ping","id":"\\ud800"}', "bad_json"),
    (b"[]", "bad_message"),
    (b"7", "bad_message"),
    (b"{}", "bad_message"),
    (b'{"type":["ping"]}', "bad_message"),
    (b'{"type":"dance"}', "bad_message"),
    (b'{"type":"ping","more":1}', "bad_message"),
    (b'{"type":"ping","id":' + b"9" * 10_000 + b"}", "bad_json"),
    (b'{"type":"ping","token":7}', "bad_message"),
    (b'{"type":"ping","token":"an unknown token"}', "bad_token"),
    (b'{"type":"ping","token":""}', "bad_token"),
    (b'{"type":"ping","token":"' + b"long" * 3000 + b'"}', "bad_token"),
    (b'{"type":"hello","protocol":2}', "unsupported_protocol"),
    (b'{"type":"hello","protocol":1,"token":"an unknown token"}', "bad_token"),
    (b'{"type":"hello","protocol":1,"name":" "}', "bad_message"),
    (b'{"type":"ping"}', "not_identified"),
    (b'{"type":"create","game":"tictactoe"}', "not_identified"),
    (b'{"type":"play","room":"r","turn":0,"move":"1"}', "bad_message"),
    (b" " * 20_000 + b'{"type":"ping"}', "bad_message"),
]


async def test_malformed_commands_are_refused(broker: Broker, caplog: pytest.LogCaptureFixture) -> None:
    async with served(broker), device(broker, None) as stranger:
        for payload, code in REFUSED_COMMANDS:
            (answer,) = await stranger.answers("commands", payload)
            assert (answer["type"], answer.get("code")) == ("error", code), payload
        assert not [record for record in caplog.records if record.levelname not in ("DEBUG", "INFO")]


async def test_the_answers_are_the_same_as_over_a_websocket(broker: Broker) -> None:
    async with (
        served(broker) as url,
        device(broker, "lamp") as lamp,
        device(broker, "fan") as other,
        connected(url, token=lamp.token) as socket,
    ):
        room = await lamp.create()
        over = await other.create()
        await other.ok(type="abort", room=over)
        requests: list[Json] = [
            {"type": "play", "room": room, "turn": 0, "move": "1"},
            {"type": "play", "room": room, "turn": 0},
            {"type": "play", "room": room, "turn": -1, "move": "1"},
            {"type": "play", "room": "nowhere", "turn": 0, "move": "1"},
            {"type": "play", "room": over, "turn": 0, "move": "1"},
            {"type": "join", "room": room},
            {"type": "join", "room": over},
            {"type": "join", "room": room, "seat": "third"},
            {"type": "watch", "room": "nowhere"},
            {"type": "watch", "room": room, "since": "1"},
            {"type": "resign", "room": room},
            {"type": "accept_rematch", "room": room},
            {"type": "create", "game": "shogi"},
            {"type": "create", "game": "tictactoe", "seats": {"first": "you", "second": "open"}},
            {"type": "lobby", "game": "shogi"},
            {"type": "lobby"},
            {"type": "leave", "room": "nowhere"},
        ]
        for request in requests:
            answer = await socket.request(**request)
            del answer["id"]
            assert (await lamp.ask(**request))[0] == answer, request
        await other.ok(type="join", room=room)
        await lamp.ok(type="play", room=room, turn=0, move="5")
        for request in (
            {"type": "play", "room": room, "turn": 1, "move": "1"},
            {"type": "play", "room": room, "turn": 0, "move": "1"},
            {"type": "join", "room": room},
        ):
            answer = await socket.request(**request)
            del answer["id"]
            assert (await lamp.ask(**request))[0] == answer, request
        (illegal,) = await other.ask(type="play", room=room, turn=1, move="5")
        assert (illegal["code"], illegal["legal_moves"]) == ("illegal_move", list("12346789"))


async def test_the_topic_names_the_room(broker: Broker) -> None:
    async with served(broker), device(broker) as lamp:
        room, other = await lamp.create(), await lamp.create()
        play = {"type": "watch", "token": lamp.token}
        for topic, request, code in (
            (f"rooms/{room}/commands", {**play, "room": room}, None),
            (f"rooms/{room}/commands", {**play, "room": other}, "bad_message"),
            ("commands", {**play, "room": room}, "bad_message"),
            ("commands", play, "bad_message"),
            (f"rooms/{room}/commands", {"type": "ping", "token": lamp.token}, "bad_message"),
            ("rooms/no where\u202e/commands", play, "bad_message"),
        ):
            answer, *_ = await lamp.answers(topic, json.dumps(request))
            assert answer.get("code") == code, (topic, request, answer)


async def test_a_command_sent_twice_is_carried_out_once(broker: Broker) -> None:
    async with served(broker), device(broker) as lamp, device(broker) as fan:
        room = await lamp.create(key="mine")
        assert await lamp.create(key="mine") == room
        await fan.ok(type="join", room=room)
        first = await lamp.ok(type="play", room=room, turn=0, move="5")
        assert await lamp.ok(type="play", room=room, turn=0, move="5") == first
        await lamp.screen.until(lambda: lamp.screen.shown(room) == 3)


async def test_answers_go_only_to_topics_below_replies(broker: Broker) -> None:
    async with served(broker), device(broker) as lamp, screen(broker.port, "#") as all_topics:
        room = await lamp.create()
        for where in (
            "noughts/v1/lobby",
            f"noughts/v1/rooms/{room}/state",
            "noughts/v1/bus/lobby",
            "noughts/v1/replies",
            "noughts/v2/replies/x",
            "elsewhere",
            "noughts/v1/replies/" + "x" * 300,
            "",
        ):
            before = len(all_topics.received)
            request = json.dumps({"type": "ping", "id": f"to {where}"[:64], "token": lamp.token})
            properties = {"ResponseTopic": where} if where else {}
            await lamp.send("commands", request, **properties)
            await lamp.ok(type="ping")
            answers = [data for topic, data in all_topics.received[before:] if not topic.endswith("commands")]
            assert not [data for data in answers if b"to " in data]


async def test_a_client_with_mqtt_3_1_1_plays_by_its_own_topic(broker: Broker) -> None:
    own = "noughts/v1/devices/lamp"
    answers: asyncio.Queue[Json] = asyncio.Queue()
    async with (
        served(broker),
        device(broker, None) as other,
        Client("127.0.0.1", broker.port, protocol=ProtocolVersion.V311, identifier="lamp", timeout=5) as lamp,
        asyncio.TaskGroup() as tasks,
        asyncio.timeout(PATIENCE_S),
    ):

        async def ask(payload: bytes | str = "", **request: Any) -> Json:
            await lamp.publish(f"{own}/commands", payload or json.dumps(request))
            return await answers.get()

        async def listen() -> None:
            async for message in lamp.messages:
                answers.put_nowait({**json.loads(bytes(message.payload)), "at": str(message.topic)})

        listening = tasks.create_task(listen())
        await lamp.subscribe(f"{own}/replies/#")
        welcome = await ask(type="hello", protocol=1, name="lamp", id="first")
        assert (welcome["type"], welcome["id"], welcome["at"]) == ("welcome", "first", f"{own}/replies")
        token = {"token": welcome["token"]}
        created = await ask(type="create", game="tictactoe", **token)
        assert created["type"] == "ok"
        assert (await answers.get())["type"] == "room"
        elsewhere = await ask(type="resign", room=created["room"], reply_to=f"{own}/replies/2", id=2, **token)
        assert (elsewhere["id"], elsewhere["at"]) == (2, f"{own}/replies/2")
        fan = "noughts/v1/devices/fan/replies"
        for wrong in (await ask(type="ping", reply_to=fan, **token), await ask("{"), await ask(type="ping", room=7)):
            assert (wrong["type"], wrong["at"]) == ("error", f"{own}/replies")
        # With MQTT 5 neither: what is below `devices/` comes only from that device's own topic.
        for topic in ("commands", "rooms/r/commands", "devices/fan/commands"):
            await other.send(topic, json.dumps({"type": "ping", **token}), ResponseTopic=f"{own}/replies")
        assert (await ask(type="ping", id=4, **token))["id"] == 4
        assert answers.empty()
        listening.cancel()


async def test_a_command_without_a_response_topic_is_carried_out(broker: Broker) -> None:
    async with served(broker), device(broker) as lamp, device(broker) as fan:
        room = await lamp.create()
        await fan.ok(type="join", room=room)
        play = {"type": "play", "turn": 0, "move": "5", "token": lamp.token}
        await lamp.send(f"rooms/{room}/commands", json.dumps(play))
        await lamp.screen.until(lambda: lamp.screen.shown(room) == 3)


async def test_a_retained_command_is_ignored(broker: Broker, tmp_path: Path) -> None:
    journal = str(tmp_path / "journal")
    async with device_and_room(broker, journal) as (lamp, room):
        pass
    async with device(broker, None) as again:
        resign = json.dumps({"type": "abort", "token": lamp.token})
        await again.send(f"rooms/{room}/commands", resign, retain=True)
        async with served(broker, journal=journal):
            again.token = lamp.token
            answer, shown = await again.ask(2, type="watch", room=room)
            assert (answer["seat"], shown["state"]["status"]) == ("first", "waiting")


async def test_a_flood_is_refused_and_then_ignored(broker: Broker) -> None:
    async with (
        served(broker, messages_per_s=0.001, burst=5),
        device(broker) as lamp,
        device(broker) as fan,
    ):
        assert [(await lamp.ask(type="ping"))[0]["type"] for _ in range(5)] == ["pong"] * 5
        (refusal,) = await lamp.ask(type="ping")
        assert (refusal["code"], refusal["retry_after_s"] > 500) == ("rate_limited", True)
        for _ in range(30):
            await lamp.send("commands", json.dumps({"type": "ping", "token": lamp.token}))
        here = f"{lamp.replies}/over"
        await lamp.send("commands", json.dumps({"type": "ping", "token": lamp.token}), ResponseTopic=here)
        # Each device has its own limit.
        await fan.ok(type="ping")
        assert here not in lamp.screen.now


async def test_profiles_are_limited(broker: Broker) -> None:
    async with served(broker), device(broker) as lamp:
        requests = [lamp.ask(type="player", player=lamp.id) for _ in range(20)]
        answers = [answer for (answer,) in await asyncio.gather(*requests)]
        assert sum(answer["type"] == "player" for answer in answers) >= 10
        assert {answer["code"] for answer in answers if answer["type"] == "error"} == {"rate_limited"}


async def test_strangers_share_one_limit(broker: Broker) -> None:
    async with served(broker, messages_per_s=0.001, burst=5), device(broker) as lamp:
        await lamp.ok(type="ping")
        async with device(broker, None) as stranger:
            codes = [await stranger.refused(type="ping", token="wrong") for _ in range(4)]
            assert codes[-1] == "rate_limited"
            assert await stranger.refused(type="hello", protocol=1) == "rate_limited"
        await lamp.ok(type="ping")


async def test_a_device_can_open_and_watch_only_so_many_rooms(broker: Broker) -> None:
    async with (
        served(broker, rooms_per_player=2, rooms_per_connection=3) as url,
        device(broker) as lamp,
        connected(url) as socket,
    ):
        await lamp.create()
        mine = await lamp.create()
        assert await lamp.refused(type="create", game="tictactoe") == "room_limit"
        theirs, another = await socket.create(), await socket.create()
        await lamp.ok(type="join", room=theirs)
        assert await lamp.refused(type="watch", room=another) == "room_limit"
        assert await lamp.refused(type="join", room=another) == "room_limit"
        await lamp.ok(type="leave", room=mine)
        await lamp.ok(type="join", room=another)


async def test_only_so_many_devices_are_known_at_once(broker: Broker) -> None:
    async with served(broker, connections=2), device(broker) as one, device(broker) as two, device(broker) as three:
        await one.ok(type="ping")
        await two.ok(type="ping")
        assert await three.refused(type="ping") == "rate_limited"
        await one.ok(type="ping")


async def test_a_device_is_online_for_a_while_after_its_last_command(broker: Broker) -> None:
    timing = Timing(device_s=2.0, device_sweep_s=0.1)
    async with served(broker, timing=timing, away_s=0.5) as url, device(broker) as lamp, connected(url) as socket:
        room = await lamp.create()
        await socket.join(room)
        for _ in range(4):
            await asyncio.sleep(0.8)
            assert await lamp.refused(type="play", room=room, turn=7, move="5") == "stale"
        await socket.quiet()
        assert (await socket.push("update"))["event"] == {"kind": "disconnected", "side": "first"}
        await lamp.ok(type="play", room=room, turn=0, move="5")
        assert [(await socket.push("update"))["event"]["kind"] for _ in range(2)] == ["played", "returned"]
        await lamp.ok(type="leave", room=room)
        assert (await socket.push("update"))["event"]["kind"] == "disconnected"


async def test_a_device_is_online_in_the_rematch(broker: Broker) -> None:
    async with served(broker, away_s=0.5) as url, device(broker) as lamp, connected(url) as socket:
        room = await lamp.create()
        await socket.join(room)
        await lamp.ok(type="resign", room=room)
        await socket.ok(type="offer_rematch", room=room)
        await lamp.ok(type="accept_rematch", room=room)
        while (await socket.push("update"))["event"]["kind"] != "rematched":
            pass
        again = await socket.push("room")
        await asyncio.sleep(1.5)
        await socket.quiet()
        assert all(seat["online"] for seat in again["state"]["seats"].values())
        # The sides have changed.
        await socket.ok(type="play", room=again["room"], turn=0, move="5")
        await lamp.ok(type="play", room=again["room"], turn=1, move="1")


async def test_a_device_can_watch_a_private_room(broker: Broker) -> None:
    async with served(broker), device(broker) as lamp, device(broker) as fan:
        room = await lamp.create(private=True)
        await fan.ok(type="join", room=room)
        await lamp.ok(type="play", room=room, turn=0, move="5")
        answer, shown = await fan.ask(2, type="watch", room=room)
        assert (answer["version"], shown["type"], shown["state"]["moves"]) == (3, "room", ["5"])
        answer, update, _ = await fan.ask(3, type="watch", room=room, since=2)
        assert (answer["version"], update["type"], update["event"]["move"]) == (3, "update", "5")
        assert lamp.screen.rooms() == set()


async def test_a_device_renews_its_token(broker: Broker) -> None:
    async with served(broker), device(broker) as lamp:
        room = await lamp.create()
        old, answer = lamp.token, await lamp.ok(type="renew_token")
        assert await lamp.refused(type="ping") == "bad_token"
        lamp.token = answer["token"]
        assert (await lamp.ok(type="watch", room=room))["seat"] == "first"
        lamp.token = old
        assert await lamp.refused(type="play", room=room, turn=0, move="5") == "bad_token"


async def test_a_revoked_token_is_refused_with_the_next_command(broker: Broker) -> None:
    async with served(broker, away_s=0.1) as url, device(broker) as lamp, connected(url, "player-1") as ann:
        room = await lamp.create(seats={"first": "me", "second": "open"})
        await ann.join(room)
        async with connected(url, token=lamp.token) as socket:
            await socket.ok(type="register", name="lamp")
            assert (await lamp.ok(type="register"))["player"] == {**socket.welcome["player"], "registered": True}
            await socket.ok(type="sign_out", device="all")
        assert await lamp.refused(type="ping") == "bad_token"
        # The player no longer counts as online.
        assert (await ann.push("update"))["event"] == {"kind": "disconnected", "side": "first"}


async def test_all_topics_begin_with_the_prefix(broker: Broker) -> None:
    async with running_server(bus=broker.url, bus_prefix="club/games"), screen(broker.port, "#") as seen:
        await seen.until(lambda: "club/games/lobby" in seen.now)
        hello = '{"type":"hello","protocol":1}'
        await seen.publish("noughts/v1/commands", hello, ResponseTopic="noughts/v1/replies/x")
        await seen.publish("club/games/commands", hello, ResponseTopic="noughts/v1/replies/x")
        await seen.publish("club/games/commands", hello, ResponseTopic="club/games/replies/x")
        await seen.until(lambda: "club/games/replies/x" in seen.now)
        assert "noughts/v1/replies/x" not in seen.now


async def test_each_command_is_carried_out_by_one_node(broker: Broker) -> None:
    with postgres_server(syncs=False) as postgres:
        async with (
            database(postgres) as journal,
            served(broker, journal=journal) as one,
            served(broker, journal=journal) as two,
            device(broker) as lamp,
            device(broker) as fan,
        ):
            rooms = [await lamp.create() for _ in range(10)]
            async with connected(one) as here, connected(two) as there:
                for socket in (here, there):
                    listed = {room["room"] for room in (await socket.ok(type="lobby"))["rooms"]}
                    assert listed == set(rooms)
            # Commands go to either node, and each node knows what the other has done.
            await fan.ok(type="join", room=rooms[0])
            await lamp.screen.until(lambda: lamp.screen.shown(rooms[0]) == 2)
            for turn, move in enumerate(DRAW):
                await (fan if turn % 2 else lamp).ok(type="play", room=rooms[0], turn=turn, move=move)
            await lamp.screen.until(lambda: lamp.screen.shown(rooms[0]) == 11)
            # Chat is delivered, whichever node takes it.
            async with connected(one, token=fan.token) as socket:
                await socket.ok(type="watch", room=rooms[0])
                for number in range(4):
                    await lamp.ok(type="chat", room=rooms[0], text=f"{number}")
                assert {(await socket.push("chat"))["text"] for _ in range(4)} == set("0123")


async def test_a_device_stays_online_when_a_socket_to_another_node_closes(broker: Broker) -> None:
    with postgres_server(syncs=False) as postgres:
        async with (
            database(postgres) as journal,
            served(broker, journal=journal, away_s=1.5) as one,
            served(broker, journal=journal, away_s=1.5) as two,
            device(broker) as lamp,
        ):
            room = await lamp.create()
            for url in (one, two):
                async with connected(url, token=lamp.token) as socket:
                    await socket.ok(type="watch", room=room)
            await asyncio.sleep(3)
            async with connected(one) as spectator:
                await spectator.ok(type="watch", room=room)
                assert (await spectator.push("room"))["version"] == 1


async def test_a_devices_clock_runs_until_its_move_arrives(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time that the move waits at the server is not charged: here behind an offer that takes half a second to store."""
    journal = MemoryJournal()
    append = FaultyPut(journal).faulty

    async def open_journal(*_: object, **_options: object) -> MemoryJournal:
        return journal

    monkeypatch.setattr(opening, "open_journal", open_journal)
    async with served(broker) as url, device(broker) as lamp, connected(url) as socket:
        room = await lamp.create(clock={"initial_s": 60, "increment_s": 0})
        await socket.join(room)
        await lamp.ok(type="play", room=room, turn=0, move="5")
        await socket.ok(type="play", room=room, turn=1, move="1")
        while (update := await socket.push("update"))["version"] < 4:
            pass
        since = datetime.fromisoformat(update["state"]["clock"]["since"])
        append.gate.clear()
        await socket.send(type="offer_draw", room=room)
        await socket.request(type="ping")
        play = {"type": "play", "turn": 2, "move": "9", "token": lamp.token}
        await lamp.send(f"rooms/{room}/commands", json.dumps(play))
        await lamp.ok(type="ping")  # so the move has arrived
        await asyncio.sleep(0.5)
        append.gate.set()
        while (update := await socket.push("update"))["event"]["kind"] != "played":
            pass
        event = update["event"]
        elapsed = datetime.fromisoformat(update["at"]) - since
        assert elapsed.total_seconds() * 1000 - event["spent_ms"] >= 500
        assert (event["compensated_ms"], event["thought_ms"]) == (0, event["spent_ms"])
        assert update["state"]["clock"]["first_ms"] == 60_000 - event["spent_ms"]


async def test_a_device_offers_and_answers_offers(broker: Broker) -> None:
    async with served(broker) as url, device(broker) as lamp, connected(url) as socket:
        room = await lamp.create()
        await socket.join(room)
        await lamp.ok(type="play", room=room, turn=0, move="5")
        await lamp.ok(type="offer_takeback", room=room)
        assert (await socket.push("update"))["event"]["kind"] == "played"
        assert (await socket.push("update"))["event"]["offer"] == "takeback"
        await socket.ok(type="accept_takeback", room=room)
        assert await lamp.refused(type="play", room=room, turn=0, move="1") == "stale"
        await lamp.ok(type="play", room=room, turn=2, move="1")
        await socket.ok(type="play", room=room, turn=3, move="2")
        await socket.ok(type="offer_draw", room=room)
        await lamp.ok(type="decline_draw", room=room)
        await lamp.ok(type="offer_draw", room=room)
        await socket.ok(type="accept_draw", room=room)
        assert await lamp.refused(type="accept_draw", room=room) == "game_over"
        _, shown = await lamp.ask(2, type="watch", room=room)
        assert shown["state"]["outcome"] == {"winner": None, "reason": "agreement", "cells": []}


async def test_a_device_cannot_seek_or_get_traces(broker: Broker) -> None:
    async with served(broker), device(broker) as lamp:
        trace = {"type": "trace", "tree": "3,12,8/2,4,6/14,5,2"}
        for request in ({"type": "seek", "game": "tictactoe"}, {"type": "unseek"}, trace):
            assert await lamp.refused(**request) == "not_allowed"


async def test_a_device_that_chats_in_a_room_watches_it(broker: Broker) -> None:
    async with (
        served(broker) as url,
        device(broker) as lamp,
        device(broker, "fan") as fan,
        connected(url, "ann") as ann,
        connected(url, "eve") as eve,
    ):
        room = await lamp.create()
        await ann.join(room)
        await eve.ok(type="watch", room=room)
        assert await fan.refused(type="chat", room="nowhere", text="hello") == "unknown_room"
        await lamp.ok(type="chat", room=room, text="good luck")
        await fan.ok(type="chat", room=room, text="who plays?")
        assert [(line["name"], line["text"]) for line in (await ann.push("chat"), await eve.push("chat"))] == [
            ("lamp", "good luck"),
            ("fan", "who plays?"),
        ]
        assert (await ann.push("spectators"))["count"] == 2
        # It does not get the chat of others.
        before = len(lamp.screen.received)
        await ann.ok(type="chat", room=room, text="thank you")
        await lamp.ok(type="ping")
        assert not [data for _, data in lamp.screen.received[before:] if b"thank you" in data]
        await fan.ok(type="leave", room=room)
        assert (await ann.push("spectators"))["count"] == 1


async def test_a_device_invites_and_is_not_sent_invitations(broker: Broker) -> None:
    async with served(broker) as url, device(broker) as lamp, connected(url, "ann") as ann:
        room = await lamp.create()
        await lamp.ok(type="invite", room=room, player=ann.id)
        assert (await ann.push("invitation"))["by"]["id"] == lamp.id
        await ann.join(room)
        mine = await ann.create()
        before = len(lamp.screen.received)
        await ann.ok(type="invite", room=mine, player=lamp.id)
        await lamp.ok(type="ping")
        assert not [data for _, data in lamp.screen.received[before:] if b"invitation" in data]


@asynccontextmanager
async def device_and_room(broker: Broker, journal: str) -> AsyncIterator[tuple[Device, str]]:
    """A device, and its room, which waits for an opponent."""
    async with served(broker, journal=journal), device(broker) as lamp:
        yield lamp, await lamp.create()
