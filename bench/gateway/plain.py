"""A server to compare with: tic-tac-toe in the style of the `websockets` tutorials, with our messages.

    python -m bench.gateway.plain

It has one handler per connection, games in a dictionary, `json` in and out, and `broadcast` to everybody in a game. It
checks what the tutorials check (whose turn it is, and whether the cell is free), and stores nothing.
"""

from __future__ import annotations

import json
import secrets
from datetime import UTC, datetime
from typing import Any

import uvloop
from websockets.asyncio.server import ServerConnection, broadcast, serve

Json = dict[str, Any]

SIDES = ("first", "second")
SYMBOLS = ("x", "o")
LAYOUT = [["1", "2", "3"], ["4", "5", "6"], ["7", "8", "9"]]
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
GAMES_INFO = [
    {
        "key": "tictactoe",
        "title": "Tic-tac-toe",
        "sides": {"first": {"name": "X", "symbol": "x"}, "second": {"name": "O", "symbol": "o"}},
        "layout": LAYOUT,
        "levels": ["perfect", "hard", "medium", "easy"],
        "board": {"shape": "squares", "look": "paper"},
    }
]
LIMITS = {
    "message_bytes": 16_384,
    "messages_per_s": 30.0,
    "burst": 100,
    "rooms_per_player": 50,
    "connections_per_address": 100,
}

GAMES: dict[str, TicTacToe] = {}


class TicTacToe:
    def __init__(self, room: str) -> None:
        self.room = room
        self.version = 1
        self.cells = ["."] * 9
        self.moves: list[str] = []
        self.players: list[Json | None] = [None, None]
        self.outcome: Json | None = None
        self.moved_at = datetime.now(UTC)
        self.connected: set[ServerConnection] = set()

    def join(self, player: Json) -> int:
        if None not in self.players:
            raise ValueError("No seat is open.")
        side = self.players.index(None)
        self.players[side] = player
        self.moved_at = datetime.now(UTC)
        self.version += 1
        return side

    def play(self, side: int, move: str) -> None:
        if side != len(self.moves) % 2:
            raise ValueError("It is the other side's turn.")
        if self.cells[int(move) - 1] != ".":
            raise ValueError("That cell is taken.")
        self.cells[int(move) - 1] = SYMBOLS[side]
        self.moves.append(move)
        self.version += 1
        for line in LINES:
            if all(self.cells[cell] == SYMBOLS[side] for cell in line):
                self.outcome = {"winner": SIDES[side], "reason": "line", "cells": [str(cell + 1) for cell in line]}
        if self.outcome is None and len(self.moves) == 9:
            self.outcome = {"winner": None, "reason": "draw", "cells": []}

    def state(self) -> Json:
        waiting = None in self.players
        playing = not waiting and self.outcome is None
        return {
            "status": "waiting" if waiting else "playing" if playing else "over",
            "turn": len(self.moves),
            "ply": len(self.moves),
            "to_move": SIDES[len(self.moves) % 2] if playing else None,
            "rows": ["".join(self.cells[i : i + 3]) for i in (0, 3, 6)],
            "legal_moves": [str(i + 1) for i, cell in enumerate(self.cells) if cell == "."] if playing else [],
            "moves": self.moves,
            "seats": {
                side: player and {**player, "online": True} for side, player in zip(SIDES, self.players, strict=True)
            },
            "clock": None,
            "offers": [],
            "outcome": self.outcome,
            "next": None,
        }

    def snapshot(self) -> Json:
        return {
            "type": "room",
            "room": self.room,
            "version": self.version,
            "now": timestamp(datetime.now(UTC)),
            "game": "tictactoe",
            "layout": LAYOUT,
            "options": {"private": False, "rated": False, "clock": None},
            "previous": None,
            "state": self.state(),
            "presence": {"spectators": max(0, len(self.connected) - sum(p is not None for p in self.players))},
        }

    def update(self, at: datetime, event: Json) -> Json:
        return {
            "type": "update",
            "room": self.room,
            "version": self.version,
            "at": timestamp(at),
            "event": event,
            "state": self.state(),
        }


async def handler(websocket: ServerConnection) -> None:
    player: Json = {}
    async for message in websocket:
        request = json.loads(message)
        try:
            match request["type"]:
                case "hello":
                    player = {"id": f"p-{secrets.token_hex(6)}", "name": request["name"], "kind": "human"}
                    await welcome(websocket, request, player)
                case "create":
                    await create(websocket, request, player)
                case "join":
                    await join(websocket, request, player)
                case "watch":
                    await watch(websocket, request, player)
                case "leave":
                    await leave(websocket, request)
                case "play":
                    await play(websocket, request, player)
        except ValueError as reason:
            await send(websocket, {"type": "error", "id": request["id"], "code": "not_allowed", "message": str(reason)})


async def welcome(websocket: ServerConnection, request: Json, player: Json) -> None:
    answer = {
        "type": "welcome",
        "id": request["id"],
        "protocol": 1,
        "player": player,
        "token": secrets.token_urlsafe(32),
        "games": GAMES_INFO,
        "levels": ["perfect", "best", "hard", "medium", "easy"],
        "limits": LIMITS,
        "now": timestamp(datetime.now(UTC)),
    }
    await send(websocket, answer)


async def create(websocket: ServerConnection, request: Json, player: Json) -> None:
    room = secrets.token_hex(8)
    game = GAMES[room] = TicTacToe(room)
    game.players[0] = player
    game.connected.add(websocket)
    await send(websocket, {"type": "ok", "id": request["id"], "room": room, "seat": "first"})
    await send(websocket, game.snapshot())


async def join(websocket: ServerConnection, request: Json, player: Json) -> None:
    game = GAMES[request["room"]]
    side = game.join(player)
    event = {"kind": "joined", "side": SIDES[side], "player": player}
    broadcast(game.connected, json.dumps(game.update(game.moved_at, event)))
    game.connected.add(websocket)
    await send(websocket, {"type": "ok", "id": request["id"], "room": game.room, "seat": SIDES[side]})
    await send(websocket, game.snapshot())


async def watch(websocket: ServerConnection, request: Json, player: Json) -> None:
    game = GAMES[request["room"]]
    game.connected.add(websocket)
    seat = SIDES[game.players.index(player)] if player in game.players else None
    ok = {"type": "ok", "id": request["id"], "room": game.room, "seat": seat, "version": game.version}
    await send(websocket, ok)
    await send(websocket, game.snapshot())


async def leave(websocket: ServerConnection, request: Json) -> None:
    game = GAMES[request["room"]]
    game.connected.discard(websocket)
    if not game.connected:
        del GAMES[game.room]
    await send(websocket, {"type": "ok", "id": request["id"]})


async def play(websocket: ServerConnection, request: Json, player: Json) -> None:
    game = GAMES[request["room"]]
    side = game.players.index(player)
    turn = len(game.moves)
    game.play(side, request["move"])
    at = datetime.now(UTC)
    spent_ms = (at - game.moved_at).seconds * 1000 + (at - game.moved_at).microseconds // 1000
    game.moved_at = at
    spent = {"spent_ms": spent_ms, "compensated_ms": 0, "thought_ms": spent_ms}
    event = {"kind": "played", "side": SIDES[side], "turn": turn, "move": request["move"], **spent}
    broadcast(game.connected, json.dumps(game.update(at, {**event, "outcome": game.outcome})))
    await send(websocket, {"type": "ok", "id": request["id"], "version": game.version})


async def send(websocket: ServerConnection, message: Json) -> None:
    await websocket.send(json.dumps(message))


def timestamp(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def main() -> None:
    async with serve(handler, "127.0.0.1", 0, compression=None) as server:
        port = server.sockets[0].getsockname()[1]
        print(f"ws://127.0.0.1:{port}/ws", flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main())
