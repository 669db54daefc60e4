"""Records of games for the tests of figures and reports."""

from __future__ import annotations

from typing import Any

from noughts.league.records import LeagueRecord, Record


def league(players: list[str], **changes: Any) -> LeagueRecord:
    """The order for a league of ``players``."""
    terms: Any = {
        "version": 2,
        "game": "tictactoe",
        "players": [{"name": name, "spec": f"{name}.py", "sha256": ""} for name in players],
        "rounds": 1,
        "format": "round_robin",
        "opponents": [],
        "seed": 1,
        "clock": "30s+0.3",
        "openings": 0,
        "lines": [[]],
        "sprt": None,
        "memory_mib": 512,
        "server": None,
        "uncontained": False,
    }
    return terms | changes  # type: ignore[no-any-return]


def game(number: int, first: str, second: str, result: str | None, **changes: Any) -> Record:
    """A game that is over; games 1 and 2 are pair 1."""
    record: Any = {
        "game": number,
        "round": 1,
        "pair": (number + 1) // 2,
        "opening": [],
        "first": first,
        "second": second,
        "result": result,
        "reason": "draw" if result == "draw" else "line",
        "moves": ["1", "4", "2", "5", "3"],
        "notes": {},
        "room": f"room{number}",
        "started": "2026-11-22T10:00:00Z",
        "seconds": {"first": 1.5, "second": 1.0},
        "moves_timed": {"first": 3, "second": 2},
        "longest_s": {"first": 0.75, "second": 0.5},
        "failure": None,
    }
    return record | changes  # type: ignore[no-any-return]


def failure(side: str, kind: str, message: str, **fields: str) -> dict[str, str]:
    """The failure of a record."""
    empty = dict.fromkeys(("error", "traceback", "stderr", "line", "answer"), "")
    return {"side": side, "kind": kind, "message": message} | empty | fields
