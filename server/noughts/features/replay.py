"""Games from files, for a client that knows no rules: their positions by their moves, and files of other programs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from io import BytesIO

from pydantic_core import to_json

from noughts.games import Game, IllegalMove, MalformedMove
from noughts.gateway.client import Client
from noughts.gateway.commands import game_of
from noughts.gateway.costs import LOAD_BYTES
from noughts.gateway.feature import Feature
from noughts.gateway.http import in_slices
from noughts.gateway.replies import Error, Problem, answer
from noughts.gateway.server import Server
from noughts.protocol import requests
from noughts.protocol.formats import SYNTAX_OF, scoresheets
from noughts.protocol.gamefile import BadGame, to_file
from noughts.protocol.render import set_up_board
from noughts.protocol.scoresheet import Scoresheet, recorded_steps, steps
from noughts.rooms import Refused

UNKNOWN_SUFFIX = Error("bad_message", "suffix: one of {suffixes}.")
UNREADABLE = Error("not_allowed", "No game can be read: {problem}.")


def feature(server: Server) -> Feature:
    """Replays of games that the server does not know."""
    return Feature(requests={requests.Replay: partial(replay, server), requests.Read: partial(read, server)})


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


async def read(server: Server, client: Client, request: requests.Read) -> None:
    """Answer with the games in another program's file. It costs as much as replaying them."""
    if not client.open:
        return
    if request.suffix not in SYNTAX_OF:
        raise Problem(UNKNOWN_SUFFIX, suffixes=", ".join(SYNTAX_OF))
    server.costs.check_reader(client)
    lines: list[str] = []
    try:
        # Splitting a long text takes milliseconds, playing its moves much longer.
        for sheet in await asyncio.to_thread(_sheets, request):
            client.cost += LOAD_BYTES * len(sheet.moves)
            game = recorded_steps(await in_slices(steps(sheet)))
            lines += to_file(game).decode().splitlines()
    except BadGame as error:
        raise Problem(UNREADABLE, problem=error) from None
    finally:
        server.costs.settle(client)
    if client.open:
        client.send(answer("read", request.id, {"lines": lines}))
        server.costs.settle(client)


def _sheets(request: requests.Read) -> list[Scoresheet]:
    return [*scoresheets(BytesIO(request.text.encode()), request.suffix)]


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
