"""The positions of any game, by its moves: for a client that knows no rules and shows a game from a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from pydantic_core import to_json

from noughts.games import Game, IllegalMove, MalformedMove
from noughts.gateway.client import Client
from noughts.gateway.commands import game_of
from noughts.gateway.costs import LOAD_BYTES
from noughts.gateway.feature import Feature
from noughts.gateway.http import in_slices
from noughts.gateway.replies import answer
from noughts.gateway.server import Server
from noughts.protocol import requests
from noughts.protocol.render import set_up_board
from noughts.rooms import Refused


def feature(server: Server) -> Feature:
    """Replays of games that the server does not know."""
    return Feature(requests={requests.Replay: partial(replay, server)})


async def replay(server: Server, client: Client, request: requests.Replay) -> None:
    """Answer with the positions that the moves lead through. It costs as much as replaying a room."""
    if not client.open:
        return
    server.costs.check_reader(client)
    game = game_of(request)
    client.cost += LOAD_BYTES * len(request.moves)
    server.costs.settle(client)
    positions = b",".join(await in_slices(_positions(game, request.moves)))
    if client.open:
        head = to_json(answer("replay", request.id, {"game": game.key} | set_up_board(game)))[:-1]
        client.send_encoded(b'%b,"positions":[%b]}' % (head, positions))
        server.costs.settle(client)


def _positions(game: Game, moves: Sequence[str]) -> Iterator[bytes]:
    """The start and the position after each move, as JSON, which takes less memory.

    Raises :class:`~noughts.rooms.Refused` for a move that is not legal.
    """
    position = game.start
    for number in range(len(moves) + 1):
        named = {}
        if number:
            before, move = position, moves[number - 1]
            try:
                position = before.play(move)
            except MalformedMove as error:
                raise Refused("malformed_move", f"move {number}: {error}") from None
            except IllegalMove as error:
                raise Refused("illegal_move", f"move {number}: {error}") from None
            if game.notation is not None:
                named = {"name": game.notation(before, move)}
        side = position.to_move
        told = {"rows": list(position.rows), "to_move": None if side is None else side.value}
        yield to_json(told | game.counted(position) | named)
