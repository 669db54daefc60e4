"""Other players' open seeks, among the open seats of the lobby."""

from __future__ import annotations

from typing import Any, cast

from noughts_client.terminal.lobby import RoomList
from noughts_client.terminal.open_seeks import as_listings
from noughts_client.terminal.text import plain
from support.viewed import room, seen


def seek(number: int, **fields: Any) -> dict[str, Any]:
    player = {"id": f"p-{number}", "name": f"player-{number}", "kind": "human"}
    clock = {"initial_s": 180, "increment_s": 2}
    return {"seek": f"p-{number}.k", "player": player, "game": "tictactoe", "clock": clock, "rated": False, **fields}


def test_open_seeks_are_listed_until_they_are_gone() -> None:
    rooms = RoomList((seen("p-1", room()).game,), open_seats_only=True)
    rated = seek(3, rated=True)
    rated["player"]["rating"] = 1523
    rooms = rooms.updated(as_listings({"rooms": [], "seeks": [seek(1), seek(2), rated]}, "p-1"))
    assert plain(rooms.lines(80, 9)).splitlines() == [
        "  1  player-2 - (open), Tic-tac-toe, 3+2, waiting",
        "  2  player-3 (1523) - (open), Tic-tac-toe, 3+2, rated, waiting",
    ]
    listed = rooms.numbered("2")
    assert listed is not None
    assert listed["room"] == "p-3.k"
    rooms = rooms.updated(as_listings({"seeks": [], "gone": ["p-2.k", "unknown"]}, "p-1"))
    assert [number for number, _ in rooms.rooms] == [2]
    assert as_listings(cast(Any, {"rooms": []}), "p-1") == [], "an older server"
