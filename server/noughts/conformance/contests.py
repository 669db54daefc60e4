"""Checks of a server's tournaments and classes: how one is opened, entered, played, and ended."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from noughts.conformance.peer import Peer, greeted
from noughts.conformance.report import Fault
from noughts_client.address import LOOPBACK

TERMS: dict[str, Any] = {
    "name": "check",
    "format": "round_robin",
    "clock": {"initial_s": 60, "increment_s": 1},
    "rounds": 1,
}


async def runs_tournaments(url: str) -> None:
    """A guest is refused where it should be. At a server of this machine, where a registered name does no harm, two
    play a private round robin."""
    async with greeted(url, name="check-1") as first, greeted(url, name="check-2") as second:
        game: dict[str, Any] = {"game": first.welcome["games"][0]["key"]}
        await first.refused("not_allowed", type="open_tournament", **TERMS, **game)
        await first.refused("bad_message", type="open_tournament", **{**TERMS, "format": "knockout"}, **game)
        for request in ("enter_tournament", "start_tournament", "withdraw", "tournament"):
            await first.refused("unknown_tournament", type=request, tournament="nowhere")
        listed = await first.request(type="tournaments")
        if listed["type"] != "tournaments":
            raise first.fault("the answer to `tournaments` should be `tournaments`")
        if urlsplit(url).hostname not in LOOPBACK:
            return
    async with greeted(url, name=f"check-{secrets.token_hex(4)}") as first, greeted(url, name="check-2") as second:
        await first.ok(type="register")
        opening: dict[str, Any] = {"type": "open_tournament", **TERMS, **game, "private": True, "key": "once"}
        answer = await first.request(**opening)
        if answer["type"] == "error" and answer["code"] == "not_allowed":
            return  # only those whom the operator has named may
        tournament = answer["tournament"]
        try:
            if (await first.ok(**opening)).get("tournament") != tournament:
                raise first.fault("the same key should give the same tournament")
            await _is_played(first, second, tournament)
        finally:
            with suppress(Fault):
                await first.request(type="end_tournament", tournament=tournament)


async def _is_played(first: Peer, second: Peer, tournament: str) -> None:
    one: dict[str, Any] = {"tournament": tournament}
    for peer in (first, second):
        await peer.ok(type="enter_tournament", **one)
    before = await _shown(second, tournament, 0, watch=True)
    if [row["points"] for row in before["standings"]] != [0, 0]:
        raise second.fault("the standings should have both entrants, without points")
    await second.refused("not_allowed", type="start_tournament", **one)
    await first.ok(type="start_tournament", **one)
    calls = [(await peer.push("tournament_game"))[1] for peer in (first, second)]
    if calls[0]["room"] != calls[1]["room"] or {call["seat"] for call in calls} != {"first", "second"}:
        raise second.fault("both players should be called to the two seats of one room")
    if (await second.ok(type="enter_tournament", **one)).get("room") != calls[0]["room"]:
        raise second.fault("the answer to a player who enters again should have the `room` of its game")
    await first.ok(type="pause_tournament", **one)
    await first.ok(type="resume_tournament", **one)
    decision = {"type": "adjudicate", **one, "room": calls[0]["room"], "result": "draw"}
    await second.refused("not_allowed", **decision)
    await first.ok(**decision)
    while (pushed := (await second.push("tournament"))[1])["tournament"]["status"] != "finished":
        pass  # each change before the last is pushed, too
    after = await _shown(second, tournament, pushed["version"], results=True)
    if [row["points"] for row in after["standings"]] != [0.5, 0.5] or not after["games"][0].get("adjudicated"):
        raise second.fault("both should have half a point, of a game that was adjudicated")
    if any(len(row["results"]) != 1 for row in after["standings"]):
        raise second.fault("with `results` each row should have the player's one round")
    await second.refused("not_allowed", type="withdraw", **one)


async def _shown(peer: Peer, tournament: str, at_least: int, **more: bool) -> dict[str, Any]:
    answer = await peer.request(type="tournament", tournament=tournament, **more)
    if answer["type"] != "tournament" or answer["version"] < at_least:
        raise peer.fault("the answer to `tournament` should be the tournament, and not older than what was pushed")
    return answer


async def runs_classes(url: str) -> None:
    """A guest is refused where it should be. At a server of this machine a teacher makes a class, sees who joins it,
    and plays its student; then it is deleted."""
    async with greeted(url, name="check-1") as guest:
        game: dict[str, Any] = {"game": guest.welcome["games"][0]["key"]}
        await guest.refused("not_allowed", type="make_class", title="check", names=["Ada"])
        await guest.refused("bad_message", type="make_class", title="check", names=[])
        for request, more in {"class": {}, "join_class": {"name": "Ada"}, "simul": game}.items():
            await guest.refused("unknown_class", type=request, class_id="nowhere", **more)
        if urlsplit(url).hostname not in LOOPBACK:
            return
    async with greeted(url, name=f"check-{secrets.token_hex(4)}") as teacher, greeted(url, name="check-2") as student:
        await teacher.ok(type="register")
        made = await teacher.request(type="make_class", title="check", names=["Ada", "Ben"], key="once")
        if made["type"] == "error" and made["code"] == "not_allowed":
            return  # only those whom the operator has named may
        name = made["listing"]["class_id"]
        try:
            await _is_taught(teacher, student, name, game)
        finally:
            with suppress(Fault):
                await teacher.request(type="delete_class", class_id=name)


async def _is_taught(teacher: Peer, student: Peer, name: str, game: dict[str, Any]) -> None:
    one: dict[str, Any] = {"class_id": name}
    seen = await student.request(type="class", **one)
    if seen.get("free") != ["Ada", "Ben"] or "students" in seen:
        raise student.fault("whoever has no name should see the `free` names, and no `students`")
    await teacher.request(type="class", **one, watch=True)
    joined = await student.request(type="join_class", **one, name="Ada")
    if joined.get("listing", {}).get("name") != "Ada" or "free" in joined:
        raise student.fault("the answer to `join_class` should have the `name`, and no `free` ones")
    while not (pushed := (await teacher.push("class_changes"))[1])["students"][0].get("person", {}).get("here"):
        pass  # the name is taken a moment before
    if [row["name"] for row in pushed["students"]] != ["Ada"]:
        raise teacher.fault("the organiser should be sent the student who has joined, and no other")
    await student.refused("not_allowed", type="join_class", **one, name="Ben")
    await student.refused("not_allowed", type="class_games", **one, name="Ada")
    await student.refused("not_allowed", type="answer_help", **one, name="Ada")
    await student.ok(type="ask_help", **one)
    if (await student.request(type="class", **one)).get("asks") is not True:
        raise student.fault("a student who has asked for help should be told so")
    await teacher.ok(type="answer_help", **one, name="Ada")
    if "asks" in (await student.push("class"))[1]:
        raise student.fault("a student whose call for help was answered should be sent the class, without `asks`")
    opened = await teacher.request(type="simul", **one, **game, private=True)
    call = (await student.push("simul_game"))[1]
    if opened.get("rooms") != [call["room"]] or call["seat"] != "second":
        raise student.fault("the student should be called to the second seat of the room of the simul")
    await student.ok(type="abort", room=call["room"])
    await teacher.ok(type="leave_class", **one, name="Ada")
    if (await student.request(type="class", **one)).get("free") != ["Ada", "Ben"]:
        raise student.fault("a name that was freed should be free")
