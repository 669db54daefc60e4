"""The lines and counts of games that begin and end."""

from __future__ import annotations

import re

import pytest

from noughts.players.ids import log_name
from support.client import connected
from support.server import running_gateway, running_server


async def test_a_game_has_a_line_for_its_start_and_its_end(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "noughts")
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await ann.create(private=True)
        await ben.join(room)
        for turn, move in enumerate("14253"):
            await (ben if turn % 2 else ann).ok(type="play", room=room, turn=turn, move=move)
        await ann.ok(type="offer_rematch", room=room)
        await ben.ok(type="accept_rematch", room=room)
        rematch = (await ben.push("room"))["room"]
        if rematch == room:
            rematch = (await ben.push("room"))["room"]
        await ben.ok(type="abort", room=rematch)
        lone = await ann.create()
        await ann.ok(type="abort", room=lone)
        text = caplog.text
        lines = [record.getMessage() for record in caplog.records if record.name.endswith("game_log")]
    for secret in (room, rematch, lone, ann.token, ben.token):
        assert secret not in text
    (name, players), *_ = re.findall(r"game (\w{8}) begins: tictactoe, (\S+ against \S+), not rated", lines[0])
    assert players == f"{ann.id} against {ben.id}"
    assert lines[1] == f"game {name} ends: tictactoe, winner {ann.id}, by line after 5 moves, not rated"
    assert re.fullmatch(rf"game \w+ begins: tictactoe, {ben.id} against {ann.id}, not rated", lines[2])
    assert re.fullmatch(r"game \w+ ends: tictactoe, winner nobody, by aborted after 0 moves, not rated", lines[3])
    assert len(lines) == 4, "nobody came to the last room"


async def test_a_room_has_its_name_in_the_log_from_the_journals_secret() -> None:
    async with running_gateway() as node:
        assert node.host.log_name("room") == log_name(node.host.journal.secret, "room")
