"""A server to compare with: tic-tac-toe as a `websockets` tutorial would have it, with messages as small as there.

    python -m bench.gateway.tutorial

It has one handler per connection, games in a dictionary, `json` in and out, and `broadcast` to everybody in a game. A
move is sent as the move and who made it: clients keep the board themselves. `bench.gateway.plain` is the same kind of
server with our messages, which are about ten times as long.
"""

from __future__ import annotations

import json
import secrets
from typing import Any

import uvloop
from websockets.asyncio.server import ServerConnection, broadcast, serve

LINES = [(1, 2, 3), (4, 5, 6), (7, 8, 9), (1, 4, 7), (2, 5, 8), (3, 6, 9), (1, 5, 9), (3, 5, 7)]


class TicTacToe:
    def __init__(self) -> None:
        self.moves: list[int] = []
        self.connected: set[ServerConnection] = set()
        self.players: list[ServerConnection] = []

    def play(self, player: int, move: int) -> bool:
        """Play a move; whether it wins."""
        if player != len(self.moves) % 2:
            raise RuntimeError("It isn't your turn.")
        if move in self.moves:
            raise RuntimeError("This cell is taken.")
        self.moves.append(move)
        mine = self.moves[player::2]
        return any(all(cell in mine for cell in line) for line in LINES)


GAMES: dict[str, TicTacToe] = {}


async def handler(websocket: ServerConnection) -> None:
    async for message in websocket:
        event = json.loads(message)
        try:
            await handle(websocket, event)
        except RuntimeError as error:
            await send(websocket, type="error", id=event["id"], message=str(error))


async def handle(websocket: ServerConnection, event: dict[str, Any]) -> None:
    key = event.get("room", "")
    match event["type"]:
        case "hello":
            await send(websocket, type="welcome", id=event["id"])
        case "create":
            key = secrets.token_urlsafe(12)
            game = GAMES[key] = TicTacToe()
            await enter(websocket, event["id"], key, game, plays=True)
        case "join":
            game = GAMES[key]
            broadcast(game.connected, json.dumps({"type": "update", "kind": "joined"}))
            await enter(websocket, event["id"], key, game, plays=True)
        case "watch":
            await enter(websocket, event["id"], key, GAMES[key], plays=False)
        case "leave":
            game = GAMES[key]
            game.connected.discard(websocket)
            if not game.connected:
                del GAMES[key]
            await send(websocket, type="ok", id=event["id"])
        case "play":
            game = GAMES[key]
            player = game.players.index(websocket)
            won = game.play(player, int(event["move"]))
            played = {"type": "update", "kind": "played", "player": player, "move": event["move"]}
            broadcast(game.connected, json.dumps({**played, "won": True} if won else played))
            await send(websocket, type="ok", id=event["id"])


async def enter(websocket: ServerConnection, number: int, key: str, game: TicTacToe, *, plays: bool) -> None:
    game.connected.add(websocket)
    if plays:
        game.players.append(websocket)
    await send(websocket, type="ok", id=number, room=key)
    await send(websocket, type="room", moves=game.moves)


async def send(websocket: ServerConnection, **message: Any) -> None:
    await websocket.send(json.dumps(message))


async def main() -> None:
    async with serve(handler, "127.0.0.1", 0, compression=None) as server:
        print(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws", flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main())
