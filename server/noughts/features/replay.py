"""Games from files, for a client that knows no rules: their positions by their moves, and files of other programs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from io import BytesIO

from pydantic_core import to_json

from noughts.games import Game, Position
from noughts.games.notation import number_of
from noughts.gateway.client import Client
from noughts.gateway.commands import game_of, played
from noughts.gateway.costs import LOAD_BYTES
from noughts.gateway.feature import Feature
from noughts.gateway.http import in_slices
from noughts.gateway.replies import Error, Problem, answer
from noughts.gateway.server import Server
from noughts.protocol import study_requests
from noughts.protocol.formats import SYNTAX_OF, scoresheets, suffix_of, written
from noughts.protocol.gamefile import BadGame, to_file
from noughts.protocol.render import outcome_info, set_up_board
from noughts.protocol.scoresheet import Move, Scoresheet, recorded_steps, steps

UNKNOWN_SUFFIX = Error("bad_message", "suffix: one of {suffixes}.")
NO_FORMAT = Error("not_allowed", "{title} is written as {suffixes}.")
NO_START = Error("not_allowed", "A file of {title} begins from the start of the game. Copy the position instead.")
UNREADABLE = Error("not_allowed", "No game can be read: {problem}.")

STARTS_AT = "start"
"""The option that chooses where a game begins, in games that have it."""


def feature(server: Server) -> Feature:
    """Replays of games that the server does not know."""
    return Feature(
        requests={
            study_requests.Replay: partial(replay, server),
            study_requests.Read: partial(read, server),
            study_requests.Write: partial(write, server),
        }
    )


async def replay(server: Server, client: Client, request: study_requests.Replay) -> None:
    """Answer with the positions that the moves lead through. It costs as much as replaying a room."""
    if not client.open:
        return
    server.costs.check_reader(client)
    game = game_of(request)
    client.cost += LOAD_BYTES * len(request.moves)
    server.costs.settle(client)
    positions = b",".join(await in_slices(_positions(game, request)))
    if client.open:
        head = to_json(answer("replay", request.id, {"game": game.key} | set_up_board(game)))[:-1]
        client.send_encoded(b'%b,"positions":[%b]}' % (head, positions))
        server.costs.settle(client)


async def write(server: Server, client: Client, request: study_requests.Write) -> None:
    """Answer with a file of the game. It costs as much as replaying it."""
    if not client.open:
        return
    server.costs.check_reader(client)
    game = game_of(request)
    own = suffix_of(game)
    if request.suffix not in ("jsonl", own):
        raise Problem(NO_FORMAT, title=game.title, suffixes=" and ".join(filter(None, ("jsonl", own))))
    setup = dict(request.setup)
    if request.start:
        if STARTS_AT not in {option.key for option in game.options}:
            raise Problem(NO_START, title=game.title)
        setup[STARTS_AT] = request.start
    client.cost += LOAD_BYTES * len(request.moves)
    server.costs.settle(client)
    try:
        moves = tuple([Move(1, move) for move in main_line(request.moves)])
        sheet = Scoresheet(1, game.key, tuple(setup.items()), ("", ""), "", moves, None)
        made = recorded_steps(await in_slices(steps(sheet)))
        if request.suffix == "jsonl":
            lines = to_file(made).decode().splitlines()
        else:
            lines = await in_slices(written(made, request.moves))
    except BadGame as error:
        raise Problem(UNREADABLE, problem=error) from None
    if client.open:
        client.send(answer("write", request.id, {"lines": lines}))
        server.costs.settle(client)


async def read(server: Server, client: Client, request: study_requests.Read) -> None:
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


def main_line(moves: Sequence[str]) -> Iterator[str]:
    """``moves`` without those in brackets."""
    depth = 0
    for move in moves:
        depth += (move == "(") - (move == ")")
        if depth == 0 and move != ")":
            yield move


def _sheets(request: study_requests.Read) -> list[Scoresheet]:
    return [*scoresheets(BytesIO(request.text.encode()), request.suffix)]


def _positions(game: Game, request: study_requests.Replay) -> Iterator[bytes]:
    """The start and the position after each move, from ``request.since`` on, as JSON, which takes less memory.

    Raises what :func:`~noughts.gateway.commands.played` raises.
    """
    before = game.start
    for ply, (move, position) in enumerate(played(game, request)):
        if ply >= request.since:
            side = position.to_move
            told: dict[str, object] = {"rows": list(position.rows), "to_move": None if side is None else side.value}
            told |= game.counted(position)
            if move is not None and game.notation is not None:
                told["name"] = game.notation(before, move)
            if request.legal:
                told |= _playable(game, position, move)
            yield to_json(told)
        before = position


def _playable(game: Game, position: Position, move: str | None) -> dict[str, object]:
    """The data that a client needs to play on from ``position``, which ``move`` led to."""
    outcome, number = position.outcome, number_of(game, position)
    return {
        **({} if move is None else {"move": move}),
        "text": position.text,
        "legal_moves": list(position.legal_moves),
        "outcome": None if outcome is None else outcome_info(outcome),
        **({} if number is None else {"number": number}),
    }
