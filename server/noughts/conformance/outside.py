"""The world outside, for the checks of a game: the processor's time, a client's drawing, another process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

from pydantic_core import to_json

from noughts.conformance.game import compared
from noughts.conformance.report import Fault
from noughts.conformance.sample import Outside, Seen
from noughts.games import Game, Side
from noughts.protocol.render import game_info, snapshot, snapshot_json
from noughts.rooms import Options, Player, Room
from noughts.rooms.room import Ply
from noughts_client.terminal.board import board
from noughts_client.terminal.table import Table

PLAYERS = Player("p-1", "first", "human"), Player("p-2", "second", "human")

COMPARE = f"""
import json, sys
from {compared.__module__} import compared
print(json.dumps(compared(sys.stdin.buffer.read())))
"""


def draw(game: Game, seen: Seen) -> None:
    """Draw a position as a room's state, in the terminal, and as text and picture if it has these."""
    position = seen.position
    plies: tuple[Ply, ...] = ()
    if seen.before is not None:
        move = seen.moves[-1]
        side = seen.before.to_move or Side.FIRST
        plies = (Ply(side, move, 1, seen.before, None, game.name(seen.before, move)),)
    room = Room("check", 1, game, position, *PLAYERS, Options(), "p-1", 0, 0, plies=plies, outcome=position.outcome)
    to_json(game_info(game))
    snapshot_json(room, 0, 0)
    shown = snapshot(room, 0, 0)
    board(Table(game_info(game), "p-1", "check", 1, shown["options"], shown["state"]))
    str(position)
    if hasattr(position, "_repr_svg_"):
        position._repr_svg_()


def compare(pickled: bytes) -> list[str]:
    """The result of :func:`compared` in another process. Raises Fault if it fails there."""
    done = subprocess.run(  # noqa: S603  # our own code
        [sys.executable, "-c", COMPARE],
        input=pickled,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "random"},
        check=False,
    )
    if done.returncode:
        lines = done.stderr.decode(errors="replace").splitlines()
        raise Fault(
            f"in another process: {lines[-1] if lines else done.returncode}", [f"! {line}" for line in lines[-6:]]
        )
    told: list[str] = json.loads(done.stdout.splitlines()[-1])
    return told


OUTSIDE = Outside(time.process_time_ns, draw, compare)
